"""A bound of ‖∂g/∂q‖ as a law needs it: of this quantity and arm, on a box that is not left."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.certificate.bound import Bound, Box
from qddot.certificate.problems import BoundProblems
from qddot.control.laws.assumption import Rows
from qddot.control.laws.gains import bound
from qddot.errors import BadArgument, printable
from qddot.robot import Robot

QUANTITY = "dg.norm2"


def slope_of(given: Any, robot: Robot) -> float:
    """Return a bound of ‖∂g/∂q‖₂ as a number.

    Raises:
        BadArgument: If it is the bound of another quantity, or of another robot.
    """
    if not isinstance(given, Bound):
        return bound("gravity_slope", given)
    if given.quantity != QUANTITY:
        raise BadArgument(
            f"gravity_slope is a bound of {given.quantity!r}; it must be the one of sup ‖∂g/∂q‖₂: "
            f"certificate[{QUANTITY!r}]."
        )
    if not is_of(given, robot):
        raise BadArgument(
            f"gravity_slope is a bound of another robot than {printable(robot.name)!r}: their "
            "gravity torques differ.\n  Certify the robot that the law is made from."
        )
    return given.upper


def is_of(given: Bound, robot: Robot) -> bool:
    """Return whether a bound was proved for the ∂g/∂q of a robot: for the same program."""
    box = box_of_bound(given)
    if len(box.lower) != robot.n:
        return False
    return given.proof.get("program") == BoundProblems(robot, box).dg.program.digest


def box_of_bound(given: Bound) -> Box:
    """Return the box that a bound was proved on."""
    box = given.proof["box"]
    return Box(tuple(box["lower"]), tuple(box["upper"]))


def inside(
    given: Bound, robot: Robot, place: np.ndarray, convex: float, run: Rows | None
) -> tuple[bool | None, str]:
    """Return whether a motion cannot leave the box of a bound, and why.

    V is convex in the box by μ = λ_min(Kp) − sup ‖∂g/∂q‖ and zero at the target, so that at a
    distance r from it V ≥ ½ μ r². A motion on which V falls and that starts below stays within r.

    Args:
        given: The bound.
        robot: Of whose joints those that turn a full turn have no end.
        place: The target.
        convex: μ.
        run: The motion; where it starts decides.
    """
    low, high = box_of_bound(given).edges
    turns = np.array([joint.turns for joint in robot.model.free_joints])
    full = turns & (high - low >= 2 * np.pi)
    room = np.where(full, np.inf, np.minimum(place - low, high - place))
    r = float(room.min(initial=np.inf))
    if r == np.inf:
        return True, "for all positions"
    if r <= 0:
        return False, "but the target is not inside its box"
    if run is None:
        return None, f"on a box that ends {r:.3g} from the target; a run decides"
    if run.V is not None and run.V[0] < convex * r * r / 2:
        return True, "on a box that V does not let it leave"
    if ((run.q < low) | (run.q > high))[:, ~full].any():
        return False, "but the run leaves its box"
    return None, "on a box that the run keeps to, which V does not ensure"
