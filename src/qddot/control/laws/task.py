"""Tasks: where a frame's origin should be, along some or all axes, and which way it should face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.checks import frame_name
from qddot.dynamics.kinematics import frame_acceleration, jacobian, pose
from qddot.errors import BadArgument, shorten
from qddot.model.tree import Tree
from qddot.motions.setpoint import reference_of
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar, Vec3
from qddot.spatial.vector import vector

XYZ = "xyz"
TRIES = 20
SINGULAR = 1e-9  # of the largest singular value


@dataclass(frozen=True, eq=False)
class Task:
    """A frame of a robot, the axes along which it is placed, and how it should be turned."""

    frame: str
    axes: str = XYZ  # which of x, y, z of the base
    orientation: np.ndarray | None = None  # R_WF that is wanted; None: turned as it likes

    @property
    def rows(self) -> list[int]:
        """The rows of the Jacobian that the task has, turning first."""
        turning = [] if self.orientation is None else [0, 1, 2]
        return turning + [3 + XYZ.index(axis) for axis in self.axes]

    @property
    def names(self) -> tuple[str, ...]:
        """What the entries of the task are."""
        turning = [] if self.orientation is None else [f"turn about {axis}" for axis in XYZ]
        return (*turning, *self.axes)

    @property
    def units(self) -> tuple[str, ...]:
        """The units of the entries of the task."""
        return ("rad",) * self.turns + ("m",) * len(self.axes)

    @property
    def turns(self) -> int:
        """How many entries are about turning: 0 or 3."""
        return 0 if self.orientation is None else 3

    def position(self, tree: Tree, q: JointVec) -> Any:
        """Return where the frame is, along the axes of the task [m]."""
        p = pose(tree, q, self.frame).p
        return vector([p[XYZ.index(axis)] for axis in self.axes])

    def jacobian(self, tree: Tree, q: JointVec) -> Any:
        """Return J, the rows of the task alone."""
        return jacobian(tree, q, self.frame)[self.rows]

    def acceleration(self, tree: Tree, q: JointVec, qd: JointVec, qdd: JointVec) -> Any:
        """Return J q̈ + J̇ q̇, how the frame accelerates."""
        return frame_acceleration(tree, q, qd, qdd, self.frame)[self.rows]

    def turning_error(self, tree: Tree, q: JointVec) -> Vec3:
        """Return sin θ times the axis about which the frame is turned too far, in base axes.

        With A = R R_dᵀ:

            e = ½ (A − Aᵀ)∨        e · ω = d/dt ½ tr(E − A)
        """
        A = pose(tree, q, self.frame).R @ np.asarray(self.orientation).T
        return vector([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2

    def turning_potential(self, tree: Tree, q: JointVec) -> Scalar:
        """Return ½ tr(E − R R_dᵀ) = 1 − cos θ."""
        R = pose(tree, q, self.frame).R
        Rd = np.asarray(self.orientation)
        return (3 - sum(R[i] @ Rd[i] for i in range(3))) / 2


def in_order(axes: Any) -> str:
    """Return the letters of axes as xyz has them, each once."""
    if not isinstance(axes, str) or not axes or len(set(axes) & set(XYZ)) < len(axes):
        raise BadArgument(f"axes is {axes!r}; give some of the letters x, y, z, each once.")
    return "".join(axis for axis in XYZ if axis in axes)


def task_of(robot: Robot, frame: str, axes: str, orientation: Any = None) -> Task:
    """Return a task, checked against the robot that is to do it.

    One at which the Jacobian is singular wherever it was tried is refused.
    """
    frame_name(robot, frame)
    task = Task(frame, in_order(axes), None if orientation is None else rotation(orientation))
    rng = np.random.default_rng(0)
    places = robot.tree.from_neutral(rng.uniform(-2, 2, (TRIES, robot.n)))
    J = robot.jacobian(places, frame)[:, task.rows]
    sizes = np.linalg.svd(J, compute_uv=False)
    rank = int((sizes > SINGULAR * sizes.max()).sum(axis=1).max()) if sizes.max() > 0 else 0
    if rank < len(task.rows):
        dead = [name for name, row in zip(task.names, J.transpose(1, 0, 2), strict=True)
                if not np.abs(row).max() > SINGULAR * np.abs(J).max()]  # fmt: skip
        why = f"nothing moves it along {', '.join(dead)}" if dead else f"it has {robot.n} joints"
        left = "".join(axis for axis in task.axes if axis not in dead)[:rank] or "xy"
        raise BadArgument(
            f"Robot {robot.name!r} cannot move {frame!r} in the {len(task.rows)} directions of "
            f"the task ({', '.join(task.names)}), only in {rank}: {why}.\n"
            f"  Leave directions out: axes={left!r}, or no orientation."
        )
    return task


def rotation(given: Any) -> np.ndarray:
    """Return a rotation matrix, refused if it is none."""
    try:
        R = np.array(given, dtype=float)
    except (TypeError, ValueError):
        R = np.zeros(0)
    good = R.shape == (3, 3) and np.isfinite(R).all() and np.abs(R @ R.T - np.eye(3)).max() < 1e-9
    if not good or np.linalg.det(R) < 0:
        raise BadArgument(
            f"orientation is {shorten(repr(given))}; give a rotation matrix, shape (3, 3): "
            "that of robot.pose(q, frame)[:3, :3]."
        )
    return R


@dataclass(frozen=True, eq=False)
class Along:
    """A reference of x, y, z, of which a task has some."""

    whole: Any
    axes: str

    @property
    def n(self) -> int:
        return len(self.axes)

    @property
    def duration(self) -> float:
        return float(getattr(self.whole, "duration", 0.0))

    def at(self, t: Scalar) -> tuple[Any, Any, Any]:
        """Return position, velocity and acceleration along the axes of the task."""
        rows = [XYZ.index(axis) for axis in self.axes]
        first, second, third = (np.asarray(part, dtype=object)[rows] for part in self.whole.at(t))
        return first, second, third


def task_reference(task: Task, value: Any) -> Any:
    """Return where the frame should be over time, along the axes of the task.

    It is a reference of the frame's origin in base axes, or along those of the task alone, or a
    place.
    """
    parts: Sequence[str] = [f"{task.frame} {axis}" for axis in task.axes]
    if callable(getattr(value, "at", None)):
        frame = getattr(value, "frame", task.frame)
        if frame != task.frame:
            raise BadArgument(f"The reference is of frame {frame!r}, the task of {task.frame!r}.")
        if len(np.asarray(value.at(0.0)[0])) == 3:
            return value if task.axes == XYZ else Along(value, task.axes)
    return reference_of(value, parts)
