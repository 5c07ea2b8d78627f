"""Robots and their programs in a notebook: joints with units, and counts of operations."""

from __future__ import annotations

from qddot.backends.kernel import Kernel
from qddot.dynamics.kinematics import path, pose
from qddot.errors import shorten
from qddot.model.friction import PARAMETERS
from qddot.model.joint import Joint
from qddot.model.model import Model
from qddot.model.units import unit_of
from qddot.present.notebook.cell import guarded, rows, shown
from qddot.present.notebook.viewer import robot_view
from qddot.present.pages.page import bullets, code, facts, folded, paragraph
from qddot.present.terminal.robots import ARROWS, HEADINGS, extras, number, row
from qddot.program.program import Program
from qddot.robot import Robot, RobotFrame

# what the letters of `extras` mean, and which of a joint's units they have
EXTRAS = {p.symbol: (p.meaning, p.unit) for p in PARAMETERS if p.symbol}
EXTRAS |= {"Ia": ("rotor inertia", "inertia"), "k": ("spring", "stiffness")}
FIRST = 40  # operations of a program that are listed
COLUMNS = {"range": "position", "speed": "velocity", "effort": "effort"}


def robot_html(robot: Robot | Model) -> str:
    """Return the table of joints; every name is escaped."""
    model = robot.model if isinstance(robot, Robot) else robot
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
        "between joints": "; ".join(
            f"{shorten(between.combination, 60)}: {', '.join(extras(between))}"
            for between in model.couplings
        ),
    }
    parts = [facts({name: value for name, value in known.items() if value})]
    if model.description:
        parts.insert(0, paragraph(model.description, "quiet"))
    if moving:
        parts.append(rows(head, [[line[k] for k in order] for line in lines], caption=key(moving)))
    doubts = [str(problem) for problem in model.warnings if problem.severity == "warning"]
    table = shown(model.name, *parts, *([bullets(doubts[:10])] if doubts else []))
    if not isinstance(robot, Robot) or robot.symbols or not robot.n:
        return table
    return table + (guarded(lambda: robot_view(robot)) or "")


def frame_html(frame: RobotFrame) -> str:
    """Return what carries a frame, and where it is when the arm stands at home."""
    robot = frame.robot
    known = {"robot": robot.name, "moved by": moved_by(robot, frame.name) or "nothing"}
    if not robot.symbols:
        place = pose(robot.tree, robot.home, frame.name).p
        known["at home"] = f"({', '.join(number(float(x)) for x in place)}) m"
    return shown(f"frame {frame.name}", facts(known))


def moved_by(robot: Robot, frame: str) -> str:
    """Return the names of the joints that move a frame."""
    tree = robot.named_tree
    bodies = [tree.bodies[i].name for i in path(tree, tree.frame(frame)[0])]
    return shorten(", ".join(bodies), 200)


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


def program_html(program: Program, kind: str = "Program", **more: str) -> str:
    """Return the count of every operation of a program, and the first of them.

    `kind` is what it is shown as; `more` holds further facts by name.
    """
    known = {
        "inputs": ", ".join(map(str, program.inputs)),
        "outputs": ", ".join(map(str, program.outputs)),
        "operations": f"{len(program):,}",
        "constants": f"{len(program.constants):,}",
        **more,
    }
    counts = [(name, f"{count:,}") for name, count in program.counts().most_common()]
    lines = str(program).splitlines()
    listed = "\n".join(shorten(line, 100) for line in lines[:FIRST])
    rest = f"\n… and {len(lines) - FIRST:,} more lines" if len(lines) > FIRST else ""
    parts = [facts(known)]
    if counts:
        parts.append(rows(["operation", "how many"], counts))
    return shown(f"{kind} {program.name}", *parts, folded("The operations", code(listed + rest)))


def kernel_html(kernel: Kernel) -> str:
    """Return a kernel's program, and how it is run."""
    how = {"numbers": str(kernel.dtype), "threads": str(kernel.threads)}
    return program_html(kernel.program, "Kernel", **how)
