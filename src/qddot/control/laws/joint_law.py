"""What laws share that act on joint errors: a reference of the joints, and two gains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.control.laws.gains import gain
from qddot.control.laws.law import Assumption, ControlLaw
from qddot.control.laws.target import reference_of, stays
from qddot.dynamics.rnea import elastic_torque, gravity_torque
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

SAME = 1e-12  # relative: two models whose torques differ by less are one


@dataclass(frozen=True, eq=False, repr=False)
class JointLaw(ControlLaw):
    """A law on e = q − q_d and ė, with stiffness and damping."""

    kp: Any  # a number, (n,) or (n, n) [N·m/rad]; of computed torque [1/s²]
    kd: Any  # the same [N·m·s/rad]; of computed torque [1/s]
    reference: Any  # of the joints, or where to stay, (n,)

    def __post_init__(self) -> None:
        names = joints_of(self.robot)
        object.__setattr__(self, "kp", gain("kp", self.kp, names))
        object.__setattr__(self, "kd", gain("kd", self.kd, names))
        object.__setattr__(self, "reference", reference_of(self.reference, names))

    def error(self, t: Scalar, q: JointVec) -> JointVec:
        """Return e = q − q_d(t)."""
        return q - self.reference.at(t)[0]

    def errors(self, t: Scalar, q: JointVec, qd: JointVec) -> tuple[JointVec, JointVec]:
        """Return e and ė."""
        place, rate, _ = self.reference.at(t)
        return q - place, qd - rate

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


def same_geometry(law: ControlLaw, robot: Robot) -> bool:
    """Return whether a robot has the joints of a law's model, in number and in order."""
    return robot.n == law.robot.n and robot.joint_names == law.robot.joint_names


def right_model(law: ControlLaw, robot: Robot | None) -> Assumption:
    """Return whether an arm is what the law believes it to be, tried at a few states."""
    statement = "The law's model is the arm"
    if robot is None or robot is law.robot or robot.model == law.robot.model:
        return Assumption(statement, True, "they are one model")
    if not same_geometry(law, robot):
        return Assumption(statement, False, "their joints differ")
    rng = np.random.default_rng(0)
    states = rng.uniform(-1, 1, (3, 16, robot.n))
    mine, theirs = (r.inverse_dynamics(*states) for r in (law.robot, robot))
    apart = float(np.abs(mine - theirs).max() / max(np.abs(theirs).max(), 1e-300))
    why = f"inverse dynamics differs by up to {apart:.1e} of its size, at 16 states"
    return Assumption(statement, apart <= SAME, why)


def one_place(law: Any) -> Assumption:
    """Return whether a law's reference is one place."""
    why = "it does not move" if law.stays else "it moves; the proof is for one that does not"
    return Assumption("The reference is a set point", law.stays, why)


def no_dry_friction(robot: Robot) -> Assumption:
    """Return whether nothing keeps an arm from creeping to its target."""
    dry = [name for name, f in zip(robot.joint_names, robot.tree.friction, strict=True)
           if f.coulomb or f.static]  # fmt: skip
    statement = "No dry friction (with it the arm stops near its target, not at it)"
    why = f"at {', '.join(dry)}" if dry else "the model has none"
    return Assumption(statement, not dry, why)
