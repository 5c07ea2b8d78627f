"""How many operations is each quantity?"""

from __future__ import annotations

from robots import INPUTS, NAMES, robot_named, spaced
from table import Row
from timing import Effort, say

from qddot.program.program import Program

MORE = ("bias_torque", "gravity_torque", "velocity_torque", "christoffel")
TRIGONOMETRY = ("sin", "cos")


def rows(effort: Effort) -> list[Row]:
    """Return one row a robot and a quantity."""
    say("operations ...")
    return [
        row(f"{name}: operations of {spaced(quantity)}", robot_named(name).program(quantity))
        for name in NAMES
        for quantity in (*INPUTS, *MORE)
    ]


def row(what: str, program: Program) -> Row:
    """Return the operations of a program, and apart from them the sines and cosines in pairs."""
    trigonometric = [step for step in program.steps if step.op.name in TRIGONOMETRY]
    pairs = len({step.args for step in trigonometric})
    return Row(what, str(len(program) - len(trigonometric)), f"and {pairs} sine–cosine pairs")
