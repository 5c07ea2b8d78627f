"""A robot on a terminal: a table of its joints and a tree of its links.

Names come from files, so they are always text and never markup.
"""

from __future__ import annotations

import io
import math
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from qddot.errors import printable
from qddot.model.friction import PARAMETERS
from qddot.model.joint import Coupling, Joint
from qddot.model.model import Model
from qddot.model.units import for_people, units_of
from qddot.model.validation import gravity_notes
from qddot.readers.read import library, read
from qddot.scalars import Scalar
from qddot.scalars.expressions import PI_EXPRESSION, Expression, free_symbols

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

ARROWS = defaultdict(
    lambda: "·",  # a kind without an arrow of its own
    {"revolute": "↻", "continuous": "⟳", "prismatic": "↔", "screw": "⥁"}
    | {"rotor": "⊛", "fixed": "—"},
)
HEADINGS = ("", "joint", "axis", "range", "speed", "effort", "mass", "in it")
MOST_ROWS = 200


def print_robot(model: Model, console: Console | None = None, degrees: bool = False) -> None:
    """Print the table and the tree, angles in radians or degrees."""
    from rich.console import Console

    out = console or Console()
    for part in parts(model, degrees):
        out.print(part, highlight=False, markup=False)


def print_library() -> None:
    """Print the names of the built-in robots and what they are."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("robot", "joints", "what it is"):
        table.add_column(heading)
    for model in map(read, library()):
        first, dot, _ = model.description.partition(". ")
        table.add_row(model.name, str(model.n), Text(first + dot.strip()))
    Console().print(table)
    print(
        "\nTextbook robots also come with symbols: two_link_symbolic and so on.\n"
        "`qddot show NAME` says more of each."
    )


def as_text(model: Model) -> str:
    """Return the table and the tree as plain text."""
    return written(parts(model))


def written(parts: Sequence[RenderableType], width: int = 110) -> str:
    """Return tables, trees and words as plain text."""
    from rich.console import Console

    out = io.StringIO()
    # in a notebook rich would show what is only to be written
    console = Console(
        file=out, width=width, color_system=None, force_terminal=False, force_jupyter=False
    )
    for part in parts:
        console.print(part, highlight=False, markup=False)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def parts(model: Model, degrees: bool = False) -> list[RenderableType]:
    """Return what is printed of a robot, from top to bottom."""
    from rich.columns import Columns

    # between these a narrow terminal begins a new line
    caption = Columns(legend(moving_joints(model), degrees), padding=(0, 3))
    return [*heading(model), table(model, degrees), caption, "", tree(model, degrees)]


def moving_joints(model: Model) -> list[Joint]:
    return [joint for joint in model.joints if joint.kind != "fixed"]


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
    if model.values:
        each = ", ".join(f"{name} = {number(x)}" for name, x in model.values.items())
        lines.append(Text(f"values: {each}"))
    return [*lines, *(Text(f"note: {note}") for note in gravity_notes(model)), ""]


def table(model: Model, degrees: bool = False) -> RenderableType:
    from rich import box
    from rich.table import Table

    result = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", collapse_padding=True)
    rows = [row(model, joint, degrees) for joint in moving_joints(model)]
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
    return result


def legend(joints: list[Joint], degrees: bool = False) -> list[str]:
    """Return what the arrows in front of these joints mean, and the units."""
    kinds = dict.fromkeys(joint.kind for joint in joints)
    units = (
        ", ".join(for_people(unit, degrees)[0] for unit in (own.position, own.velocity, own.effort))
        for own in units_of(joints)
    )
    arrows = [f"{ARROWS[kind]} {kind}" for kind in kinds]
    return [*arrows, f"({' or '.join(units)}; kg)"] if joints else []


def row(model: Model, joint: Joint, degrees: bool = False) -> tuple[str, ...]:
    """Return one line of the table: what a person wants to know about a joint."""
    as_shown = partial(_shown, joint=joint, degrees=degrees)
    owns = joint.name in model.joint_names
    mass = carried_mass(model, joint)
    return (
        str(model.joint_names.index(joint.name) + 1) if owns else "",
        f"{ARROWS[joint.kind]} {joint.name}",
        axis_name(joint),
        span(joint, degrees),
        _or_nothing(as_shown(joint.limits.velocity)),
        _or_nothing(joint.limits.effort),
        number(mass) if mass else "",
        ", ".join(extras(joint, degrees)),
    )


def carried_mass(model: Model, joint: Joint) -> Scalar:
    """Return the mass of the body that a joint moves: its link and what is fixed to it."""
    rigid, mass = {joint.child}, model.link(joint.child).inertial.mass
    for other in model.joints:  # depth-first, so parents come first
        if other.parent in rigid and not other.moves:
            rigid.add(other.child)
            mass = mass + model.link(other.child).inertial.mass
    return mass


def extras(joint: Joint | Coupling, degrees: bool = False) -> list[str]:
    """Return what acts in a joint, or between several, in a few characters each."""
    values = {p.symbol: getattr(joint.friction, p.name) for p in PARAMETERS if p.symbol}
    values |= {"Ia": joint.motor.reflected}
    if isinstance(joint, Coupling):
        values |= {"k": joint.stiffness, "d": joint.damping}
    else:
        values |= {"k": joint.spring.stiffness}
    found = [f"{name} {number(value)}" for name, value in values.items() if value]
    if isinstance(joint, Coupling):
        return found
    return ([] if joint.actuated else ["no motor"]) + found + stops(joint, degrees)


def stops(joint: Joint, degrees: bool = False) -> list[str]:
    """Return where a joint has stops, and with which restitution, if it has."""
    own = joint.stops
    low, high = (_shown(x, joint, degrees) for x in (own.lower, own.upper))
    ends = [number(x) for x in (low, high) if x is not None]
    if not ends:
        return []
    word = "upper stop" if low is None else "lower stop" if high is None else "stops"
    bounce = f" (e {number(own.restitution)})" if own.restitution else ""
    return [f"{word} {' … '.join(ends)}{bounce}"]


def tree(model: Model, degrees: bool = False) -> RenderableType:
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
                unit, _ = for_people(joint.units.position, degrees)
                held = _or_nothing(_shown(joint.locked, joint, degrees))
                text.append(f"= {held} {unit} ", style="yellow")
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
        text = f"⌇ along {printable(coupling.combination)}: {', '.join(extras(coupling))}"
        branches[root].add(Text(text, style="yellow"))
    return branches[root]


def axis_name(joint: Joint) -> str:
    """Return x, −z or the three numbers of a joint's axis."""
    values = [x for x in joint.axis if x]
    if len(values) == 1 and not free_symbols(values[0]):
        name = "xyz"[[bool(x) for x in joint.axis].index(True)]
        return name if values[0] > 0 else f"−{name}"
    return f"({', '.join(number(x) for x in joint.axis)})"


def span(joint: Joint, degrees: bool = False) -> str:
    """Return "-2.9 … 2.9", or nothing where there are no limits."""
    low, high = (_shown(end, joint, degrees) for end in joint.ends)
    return "" if low is None or high is None else f"{number(low)} … {number(high)}"


def number(x: Scalar) -> str:
    """Return a number in four digits, or an expression as it is."""
    return str(x) if isinstance(x, Expression) and x.free_symbols else f"{float(x):.4g}"


def _shown(x: Scalar | None, joint: Joint, degrees: bool) -> Scalar | None:
    """Return a position or a velocity of a joint in the unit that people are shown."""
    if x is None or for_people(joint.units.position, degrees)[1] == 1:
        return x
    return x * 180 / PI_EXPRESSION if isinstance(x, Expression) else x * 180 / math.pi


def _or_nothing(x: Scalar | None) -> str:
    return "" if x is None else number(x)


def _text(cell: str) -> Any:
    from rich.text import Text

    return Text(printable(cell))
