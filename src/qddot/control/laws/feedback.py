"""What laws share that feed back an error, of the joints or of a frame: a reference, two gains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qddot.checks import need_joints
from qddot.control.laws.assumption import Assumption, Rows
from qddot.control.laws.gains import DAMP, FASTEST, STIFF, Assignment, gain
from qddot.control.laws.law import ControlLaw
from qddot.control.laws.task import Task, task_of, task_reference
from qddot.dynamics.friction import offset_torque
from qddot.dynamics.rnea import elastic_torque, gravity_torque
from qddot.errors import BadArgument, listing
from qddot.model.tree import Tree
from qddot.motions.setpoint import joint_reference
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar
from qddot.spatial.vector import vector

SINGULAR = 1e-3  # of the largest singular value of J along a run
ARRIVED = 0.02  # of the largest error: what is as near as this is there
CLOSE = 1e-3  # of the lengths of the arm: the same for a run that starts there


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
    gain_units: ClassVar[Mapping[str, str]] = {"kp": "stiffness", "kd": "damping"}

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        """Return springs and dampers, these not too fast for a law that is asked at 1 kHz."""
        kd = DAMP * task.inertia
        size = np.sqrt(np.maximum(kd, np.finfo(float).tiny))
        slow = FASTEST * np.linalg.eigvalsh(task.M / np.outer(size, size)).min()
        return {"kp": STIFF * task.inertia, "kd": kd * min(1.0, slow) if slow > 0 else kd}

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


def joints_of(robot: Any) -> tuple[str, ...]:
    """Return the names of a robot's joints; refuse what a law cannot move."""
    if not isinstance(robot, Robot):
        raise BadArgument(f"A law is made from a robot, not from {type(robot).__name__}.")
    need_joints(robot, "nothing to control")
    idle = [robot.joint_names[i] for i in np.flatnonzero(~robot.actuated)]
    if idle:
        raise BadArgument(
            f"{listing(map(repr, idle))} of robot {robot.name!r} has no motor (actuated = false), "
            "and the law gives every joint a torque.\n  If it has one, say so in the robot's file; "
            f"hold the joint: robot.locked({{{idle[0]!r}: 0}}); or write a controller that gives "
            "it no torque, for qddot.simulate(torque=...)."
        )
    robot.tree  # noqa: B018  # which says what has no number yet
    return robot.joint_names


def potential_torque(tree: Tree, q: JointVec) -> JointVec:
    """Return g(q) + K (q − q₀) + f₀: what holds an arm that stands still, but for dry friction."""
    still = np.zeros(tree.n, dtype=int)
    return gravity_torque(tree, q) + elastic_torque(tree, q, still) + offset_torque(tree)


class FrameLaw(ControlLaw):
    """What laws that move a frame along some axes have in common."""

    frame: str
    axes: str

    moves_frame: ClassVar[bool] = True

    @cached_property
    def task(self) -> Task:
        """What of the frame is controlled, and in which axes."""
        return Task(self.frame, self.axes, getattr(self, "orientation", None))

    @property
    def error_names(self) -> tuple[str, ...]:
        return tuple(f"{self.frame} {name}" for name in self.task.names)

    @property
    def error_units(self) -> tuple[str, ...]:
        return self.task.units


@dataclass(frozen=True, eq=False, repr=False)
class TaskLaw(FrameLaw):
    """A law on where a frame is, and on how it is turned if an orientation is given.

    Args:
        robot: The law's model.
        frame: The frame's name.
        kp: Stiffness of the position: a number, one per axis, or a matrix.
        kd: Damping of the position, likewise.
        reference: Where the frame should be [m]: over time, or to stay, along the axes.
        axes: The axes of the base along which it is placed.
        orientation: R_WF to keep, (3, 3); None: any.
        turning: Gains of turning, two numbers: a turn has no axes of its own.
    """

    frame: str
    kp: Any
    kd: Any
    reference: Any
    axes: str = "xyz"
    orientation: Any = None
    turning: Any = None

    gain_names: ClassVar[tuple[str, ...]] = ("kp", "kd")
    gain_units: ClassVar[Mapping[str, str]] = {"kp": "N/m", "kd": "N·s/m"}

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        gains = {"kp": STIFF * task.mass, "kd": DAMP * task.mass}
        return {"frame": task.frame, "axes": task.axes, **gains}

    def gain_parts(self, gain: str) -> tuple[str, ...]:
        return tuple(self.axes) if gain in ("kp", "kd") else self.robot.joint_names

    def __post_init__(self) -> None:
        joints_of(self.robot)
        task = task_of(self.robot, self.frame, self.axes, self.orientation)
        if (self.orientation is None) != (self.turning is None):
            raise BadArgument("Give orientation and turning (two gains) together, or neither.")
        keep = object.__setattr__
        keep(self, "axes", task.axes)
        keep(self, "orientation", task.orientation)
        keep(self, "reference", task_reference(task, self.reference))
        stiff, damp = self.turning or (0.0, 0.0)
        parts = tuple(task.axes)
        for name, value, turn in (("kp", self.kp, stiff), ("kd", self.kd, damp)):
            if task.turns and np.shape(value) == (len(task.rows),) * 2:
                keep(self, name, gain(name, value, task.names))  # of a law that was made already
                continue
            along = gain(name, value, parts)
            about = gain("turning", turn, ("turning",))[0, 0] if self.turning else 0.0
            keep(self, name, whole(along, about if task.turns else None))

    def error(self, t: Scalar, q: JointVec) -> Any:
        """Return e: turned too far, then too far along the axes."""
        tree = self.short
        away = self.task.position(tree, q) - self.reference.at(t)[0]
        if not self.task.turns:
            return away
        return vector([*self.task.turning_error(tree, q), *away])

    def not_upside_down(self, run: Rows | None) -> list[Assumption]:
        """Return whether the frame cannot come to rest half a turn off, where no torque is.

        There the spring of turning holds 2 k, which V must have had from the start.
        """
        if not self.task.turns:
            return []
        statement = "The frame never is half a turn off"
        if run is None or run.V is None:
            return [Assumption(statement, None, "a run decides")]
        V, most = float(run.V[0]), 2 * float(self.kp[0, 0])
        below = most > V
        why = f"V starts {'below' if below else 'above'} what that takes: {V:.3g} and {most:.3g}"
        return [Assumption(statement, True if below else None, why)]

    def wanted(self, t: Scalar, order: int) -> Any:
        """Return the velocity (1) or acceleration (2) of the reference, 0 for its turning."""
        return vector([*[0] * self.task.turns, *self.reference.at(t)[order]])

    def springs(self, t: Scalar, q: JointVec) -> Scalar:
        """Return ½ eᵀ Kp e, of turning k (1 − cos θ)."""
        k, tree = self.task.turns, self.short
        away = self.task.position(tree, q) - self.reference.at(t)[0]
        energy = away @ (self.kp[k:, k:] @ away) / 2
        if k:
            energy = energy + self.kp[0, 0] * self.task.turning_potential(tree, q)
        return energy


def nowhere_singular(robot: Robot, task: Task, run: Rows | None) -> Assumption:
    """Return whether a frame could be moved in every direction of a task all along a run.

    Between two rows it is taken to change no more than it did from one row to another.
    """
    statement = "The frame is nowhere singular"
    if run is None:
        return Assumption(statement, None, "a run decides")
    J = robot.program("jacobian", frame=task.frame)(run.q)[:, task.rows]
    if not np.isfinite(J).all():
        return Assumption(statement, None, "the run goes where angles have no digits left")
    sizes = np.linalg.svd(J, compute_uv=False)
    least = sizes[:, -1] / sizes.max()
    room = least.min() - np.abs(np.diff(least)).max(initial=0)
    why = f"the smallest singular value of J is at least {least.min():.2g} of the largest"
    # a frame that passes through a singular position may stop there, and may not
    return Assumption(statement, True if room > SINGULAR else None, why)


def reached(robot: Robot, task: Task, run: Rows | None) -> Assumption:
    """Return whether the frame has been where it should be: whether it can was not known before."""
    statement = "The frame can be where it should be"
    if run is None:
        return Assumption(statement, None, "a run decides")
    size = np.linalg.norm(run.error, axis=1)
    length = float(np.abs(robot.program("jacobian", frame=task.frame)(run.q)[:, task.rows]).max())
    near = max(ARRIVED * float(size.max()), CLOSE * length)
    why = f"in the run it comes as near as {size.min():.2g}"
    return Assumption(statement, True if size.min() <= near else None, why)


def whole(along: np.ndarray, about: float | None) -> np.ndarray:
    """Return the gain of a whole task: of turning, if it turns, then along the axes."""
    if about is None:
        return along
    zero = np.zeros((3, len(along)))
    return np.block([[about * np.eye(3), zero], [zero.T, along]])
