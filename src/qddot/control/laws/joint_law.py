"""What laws share that act on joint errors: a reference of the joints, and two gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws.assumption import Assumption
from qddot.control.laws.comparison import ALL, STILL, differences
from qddot.control.laws.gains import DAMP, STIFF, Assignment, gain
from qddot.control.laws.law import ControlLaw
from qddot.dynamics.rnea import elastic_torque, gravity_torque
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.motions.setpoint import joint_reference, stays
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class JointLaw(ControlLaw):
    """A law on e = q − q_d and ė, with stiffness and damping.

    Args:
        robot: The law's model, which may be wrong.
        kp: Kp: a number, (n,) or (n, n) [N·m/rad]; of computed torque [1/s²].
        kd: Kd: the same [N·m·s/rad]; of computed torque [1/s].
        reference: Of the joints, or where to stay, (n,) [rad or m].
    """

    kp: Any
    kd: Any
    reference: Any

    gain_names: ClassVar[tuple[str, ...]] = ("kp", "kd")

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        return {"kp": STIFF * task.inertia, "kd": DAMP * task.inertia}

    def __post_init__(self) -> None:
        names = joints_of(self.robot)
        object.__setattr__(self, "kp", gain("kp", self.kp, names))
        object.__setattr__(self, "kd", gain("kd", self.kd, names))
        object.__setattr__(self, "reference", joint_reference(self.reference, self.robot))

    def error(self, t: Scalar, q: JointVec) -> JointVec:
        """Return e = q − q_d(t)."""
        return self.robot.tree.difference(self.reference.at(t)[0], q)

    def errors(self, t: Scalar, q: JointVec, qd: JointVec) -> tuple[JointVec, JointVec]:
        """Return e and ė."""
        place, rate, _ = self.reference.at(t)
        return self.robot.tree.difference(place, q), qd - rate

    def stiffness(self, q: np.ndarray) -> np.ndarray | None:
        """Return Kp."""
        return self.kp

    @cached_property
    def stays(self) -> bool:
        """Whether its reference is one place."""
        return stays(self.reference)


def joints_of(robot: Any) -> tuple[str, ...]:
    """Return the names of a robot's joints.

    Raises:
        BadArgument: If it is no robot, or has no joint that moves.
    """
    if not isinstance(robot, Robot):
        raise BadArgument(f"A law is made from a robot, not from {type(robot).__name__}.")
    if not robot.n:
        raise BadArgument(f"Robot {robot.name!r} has no joint that moves: nothing to control.")
    robot.tree  # noqa: B018  # which says what has no number yet
    return robot.joint_names


def potential_torque(tree: Tree, q: JointVec) -> JointVec:
    """Return g(q) + K (q − q₀) + f₀: what holds an arm that stands still, but for dry friction."""
    offset = np.array([friction.offset for friction in tree.friction], dtype=object)
    return gravity_torque(tree, q) + elastic_torque(tree, q, np.zeros(tree.n, dtype=int)) + offset


def right_model(
    law: ControlLaw, robot: Robot | None, what: Sequence[str] = ALL, frame: str | None = None
) -> Assumption:
    """Return whether the law's model equals the arm in all that the proof needs.

    Args:
        law: The law.
        robot: The arm; None for the law's own model.
        what: What the proof needs, of `comparison.ALL` and `comparison.STILL`.
        frame: The frame that the law moves.
    """
    statement = "The law's model is the arm"
    if set(what) == set(STILL):
        statement = "The law's model has the lengths of the arm and its torques at rest"
    found = differences(law.robot, robot or law.robot, what, frame)
    why = "; ".join(each.why for each in found) or "all their numbers are the same"
    return Assumption(statement, not found, why)


def one_place(law: Any) -> Assumption:
    """Return whether a law's reference is one place."""
    why = "it does not move" if law.stays else "it moves; the proof is for one that does not"
    return Assumption("The reference is a set point", law.stays, why)
