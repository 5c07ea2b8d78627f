"""A robot to look at: a table of its joints and a tree of its links, for terminals and notebooks.

The facts are collected once, as plain values; the renderings below only lay them out. Names come
from files, so they are always text and never markup.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from qddot.errors import printable, shorten
from qddot.expressions import Expression, free_symbols
from qddot.model.joint import Joint
from qddot.model.model import Model
from qddot.model.units import unit_of, units_of
from qddot.scalars import Scalar

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

ARROWS = {"revolute": "↻", "continuous": "⟳", "prismatic": "↔", "screw": "⥁", "fixed": "—"}
HEADINGS = ("", "joint", "axis", "range", "speed", "effort", "mass", "in it")
MOST_ROWS = 200
# what the letters of `extras` mean, and which of a joint's units they have
EXTRAS = {
    "Fv": ("viscous friction", "damping"),
    "Fs": ("Coulomb friction", "effort"),
    "Fst": ("static friction", "effort"),
    "f0": ("offset", "effort"),
    "Ia": ("rotor inertia", "inertia"),
    "k": ("spring", "stiffness"),
}
COLUMNS = {"range": "position", "speed": "velocity", "effort": "effort"}


def facts(model: Model) -> dict[str, Any]:
    """Return what there is to say about a robot, as plain values for machines."""
    return {
        "name": model.name,
        "description": model.description,
        "source": model.source,
        "licence": model.licence,
        "n": model.n,
        "mass": plain(model.mass),
        "gravity": [plain(x) for x in model.gravity],
        "symbols": list(model.symbols),
        "joints": [joint_facts(model, joint) for joint in model.joints],
        "frames": list(model.frame_names),
        "warnings": [str(p) for p in model.warnings if p.severity == "warning"],
    }


def joint_facts(model: Model, joint: Joint) -> dict[str, Any]:
    limits, inertial = joint.limits, model.link(joint.child).inertial
    lower, upper = joint.ends
    return {
        "name": joint.name,
        "type": joint.kind,
        "parent": joint.parent,
        "child": joint.child,
        "axis": [plain(x) for x in joint.axis],
        "lower": plain(lower),
        "upper": plain(upper),
        "velocity": plain(limits.velocity),
        "effort": plain(limits.effort),
        "follows": joint.mimic.joint if joint.mimic else None,
        "locked": plain(joint.locked),
        "mass": plain(inertial.mass),
        "com": [plain(x) for x in inertial.com],
        "inertia": [plain(x) for x in inertial.inertia],
    }


def as_text(model: Model, width: int = 110) -> str:
    """Return the table and the tree as plain text."""
    from rich.console import Console

    out = io.StringIO()
    # in a notebook rich would show what is only to be written
    console = Console(
        file=out, width=width, color_system=None, force_terminal=False, force_jupyter=False
    )
    print_robot(model, console)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def print_robot(model: Model, console: Console | None = None) -> None:
    """Print the table and the tree."""
    from rich.console import Console

    out = console or Console()
    for part in (*heading(model), table(model), "", tree(model)):
        out.print(part, highlight=False, markup=False)


def heading(model: Model) -> list[RenderableType]:
    from rich.text import Text

    joints = "1 joint" if model.n == 1 else f"{model.n} joints"
    gravity = ", ".join(number(x) for x in model.gravity)
    title = Text.assemble(
        (printable(model.name), "bold cyan"),
        f"  {joints}, {number(model.mass)} kg, gravity ({gravity}) m/s²",
    )
    lines: list[RenderableType] = [title]
    if model.description:
        lines.append(Text(printable(model.description), style="italic"))
    if model.symbols:
        lines.append(Text("symbols: " + ", ".join(model.symbols), style="yellow"))
    return [*lines, ""]


def table(model: Model) -> RenderableType:
    from rich import box
    from rich.table import Table

    moving = [joint for joint in model.joints if joint.kind != "fixed"]
    result = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", collapse_padding=True)
    rows = [row(model, joint) for joint in moving]
    # a column that would be empty is left out
    used = [k for k in range(len(HEADINGS)) if k == 1 or any(cells[k] for cells in rows)]
    for k in used:
        right = HEADINGS[k] in ("", "speed", "effort", "mass")
        result.add_column(
            HEADINGS[k], justify="right" if right else "left", no_wrap=HEADINGS[k] != "in it"
        )
    for cells in rows[:MOST_ROWS]:
        result.add_row(*(_text(cells[k]) for k in used))
    if len(rows) > MOST_ROWS:
        result.add_row("", f"... and {len(rows) - MOST_ROWS} more")
    result.caption = legend(moving)
    result.caption_justify = "left"
    return result


def legend(joints: list[Joint]) -> str:
    """Return what the arrows in front of these joints mean, and the units."""
    kinds = dict.fromkeys(joint.kind for joint in joints)
    units = (f"{own.position}, {own.velocity}, {own.effort}" for own in units_of(joints))
    arrows = "   ".join(f"{ARROWS[kind]} {kind}" for kind in kinds)
    return f"{arrows}   ({' or '.join(units)}; kg)" if joints else ""


def row(model: Model, joint: Joint) -> tuple[str, ...]:
    """Return one line of the table: what a person wants to know about a joint."""
    owns = joint.name in model.joint_names
    mass = carried_mass(model, joint)
    return (
        str(model.joint_names.index(joint.name) + 1) if owns else "",
        f"{ARROWS[joint.kind]} {joint.name}",
        axis_name(joint),
        span(joint),
        _or_nothing(joint.limits.velocity),
        _or_nothing(joint.limits.effort),
        number(mass) if mass else "",
        ", ".join(extras(joint)),
    )


def carried_mass(model: Model, joint: Joint) -> Scalar:
    """Return the mass of the body that a joint moves: its link and what is fixed to it."""
    rigid, mass = {joint.child}, model.link(joint.child).inertial.mass
    for other in model.joints:  # depth-first, so parents come first
        if other.parent in rigid and not other.moves:
            rigid.add(other.child)
            mass = mass + model.link(other.child).inertial.mass
    return mass


def extras(joint: Joint) -> list[str]:
    """Return what acts in a joint, in a few characters each."""
    friction, words = joint.friction, []
    for name, value in (
        ("Fv", friction.viscous),
        ("Fs", friction.coulomb),
        ("Fst", friction.static),
        ("f0", friction.offset),
        ("Ia", joint.motor.reflected),
        ("k", joint.spring.stiffness),
    ):
        if value:
            words.append(f"{name} {number(value)}")
    return words


def tree(model: Model) -> RenderableType:
    """Return the tree of links, and the frames on them."""
    from rich.text import Text
    from rich.tree import Tree

    def label(link: str, joint: Joint | None) -> Text:
        mass = model.link(link).inertial.mass
        text = Text()
        if joint is not None:
            text.append(f"{ARROWS[joint.kind]} ", style="cyan" if joint.moves else "dim")
            if joint.kind != "fixed":
                text.append(f"{printable(joint.name)} ", style="cyan")
            if joint.mimic:
                ratio = number(joint.mimic.multiplier)
                text.append(f"= {ratio} × {printable(joint.mimic.joint)} ", style="yellow")
            if joint.locked is not None:
                text.append(f"= {number(joint.locked)} ", style="yellow")
        text.append(printable(link), style="" if mass else "dim")
        text.append(f"  {number(mass)} kg" if mass else "", style="green")
        here = [frame.name for frame in model.frames if frame.link == link]
        text.append(f"  ◆ {printable(', '.join(here))}" if here else "", style="magenta")
        for load in (load for load in model.payloads if model.frame(load.frame).link == link):
            text.append(f"  + payload {number(load.inertial.mass)} kg", style="yellow")
        return text

    root = model.links[0].name
    branches = {root: Tree(label(root, None), guide_style="dim")}
    for joint in model.joints[:MOST_ROWS]:
        branches[joint.child] = branches[joint.parent].add(label(joint.child, joint))
    if len(model.joints) > MOST_ROWS:
        branches[root].add(f"... and {len(model.joints) - MOST_ROWS} more joints")
    for coupling in model.couplings:
        names = printable(f"{coupling.first} and {coupling.second}")
        values = f"k {number(coupling.stiffness)}, d {number(coupling.damping)}"
        branches[root].add(Text(f"⌇ between {names}: {values}", style="yellow"))
    return branches[root]


def as_html(model: Model) -> str:
    """Return the table for a notebook; every name is escaped."""
    from qddot.web.notebook import rows, shown
    from qddot.web.page import bullets, facts, paragraph

    moving = [joint for joint in model.joints if joint.kind != "fixed"]
    lines = [row(model, joint) for joint in moving]
    order = (1, *(k for k in range(2, len(HEADINGS)) if any(line[k] for line in lines)))
    units = column_units(moving)
    head = [f"{HEADINGS[k]}{units.get(HEADINGS[k], '')}" for k in order]
    gravity = ", ".join(number(x) for x in model.gravity)
    known = {
        "joints": str(model.n),
        "mass": f"{number(model.mass)} kg",
        "gravity": f"({gravity}) m/s²",
        "symbols": ", ".join(model.symbols),
        "frames": shorten(", ".join(model.frame_names), 200),
        "payloads": ", ".join(
            f"{number(load.inertial.mass)} kg at {load.frame}" for load in model.payloads
        ),
    }
    parts = [facts({name: value for name, value in known.items() if value})]
    if model.description:
        parts.insert(0, paragraph(model.description, "quiet"))
    if moving:
        parts.append(rows(head, [[line[k] for k in order] for line in lines], caption=key(moving)))
    doubts = [str(problem) for problem in model.warnings if problem.severity == "warning"]
    return shown(model.name, *parts, *([bullets(doubts[:10])] if doubts else []))


def key(joints: list[Joint]) -> str:
    """Return what the arrows in front of joints mean, and the letters behind them."""
    there = {word.partition(" ")[0] for joint in joints for word in extras(joint)}
    said = [f"{ARROWS[kind]} {kind}" for kind in dict.fromkeys(joint.kind for joint in joints)]
    for letters, (meaning, unit) in EXTRAS.items():
        if letters in there:
            said.append(f"{letters} {meaning} [{unit_of(joints, unit)}]")
    return ", ".join(said)


def column_units(joints: list[Joint]) -> dict[str, str]:
    """Return the units of the columns of the table, " [rad or m]" where joints differ."""
    own = {heading: f" [{unit_of(joints, what)}]" for heading, what in COLUMNS.items()}
    return own | {"mass": " [kg]"}


def axis_name(joint: Joint) -> str:
    """Return x, −z or the three numbers of a joint's axis."""
    values = [x for x in joint.axis if x]
    if len(values) == 1 and not free_symbols(values[0]):
        name = "xyz"[[bool(x) for x in joint.axis].index(True)]
        return name if values[0] > 0 else f"−{name}"
    return f"({', '.join(number(x) for x in joint.axis)})"


def span(joint: Joint) -> str:
    """Return "-2.9 … 2.9", or nothing where there are no limits."""
    low, high = joint.ends
    return "" if low is None or high is None else f"{number(low)} … {number(high)}"


def number(x: Scalar) -> str:
    """Return a number in four digits, or an expression as it is."""
    return str(x) if isinstance(x, Expression) and x.free_symbols else f"{float(x):.4g}"


def plain(x: Scalar | None) -> float | int | str | None:
    """Return a scalar as JSON can hold it: an expression with symbols as text."""
    if x is None or isinstance(x, (int, float)):
        return x
    return str(x) if free_symbols(x) else float(x)


def _or_nothing(x: Scalar | None) -> str:
    return "" if x is None else number(x)


def _text(cell: str) -> Any:
    from rich.text import Text

    return Text(printable(cell))
