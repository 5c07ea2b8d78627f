"""How much faster is a batch in float32 than in float64?"""

from __future__ import annotations

from batch import ours
from robots import INPUTS, NAMES, robot_named, spaced, states
from table import Row, against
from timing import Effort, one_core, race, say

QUANTITIES = (
    *("inverse_dynamics", "forward_dynamics", "mass_matrix", "regressor"),
    *("inverse_dynamics_derivatives", "forward_dynamics_derivatives"),
)
TARGET = 1.8  # times float64


def rows(effort: Effort) -> list[Row]:
    """Return one row a robot and a quantity."""
    found = []
    with one_core():
        for name in NAMES:
            robots = [robot_named(name, dtype=dtype) for dtype in ("float32", "float64")]
            for quantity in QUANTITIES:
                say(f"float32: {spaced(quantity)} of {name} ...")
                entrants = [
                    ours(robot, quantity, states(robot, effort.states, INPUTS[quantity]))
                    for robot in robots
                ]
                single, double = race(entrants, effort.seconds)
                what = f"{name}: {spaced(quantity)}, float32"
                found.append(against(what, single, "qddot, float64", double, TARGET))
    return found
