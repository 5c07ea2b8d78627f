"""The task of a frame: at a pose, at a position, or with an axis that points somewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.checks import frame_name, one_of, vector
from qddot.control.tasks.task import XYZ, TaskRows, VelocityTask
from qddot.errors import BadArgument, WrongValue
from qddot.kinematics.damped_step import MATCHES, PoseTask
from qddot.kinematics.poses import proper_poses
from qddot.robot import Robot
from qddot.robot.nearest import TASK_AXES, pose_task
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False)
class FrameTask(VelocityTask):
    """A frame at a pose, at a position, or with an axis that points somewhere.

    Its error is the turn that is left, of the size 2 sin(θ/2), and the distance that is left in
    parts of 0.35 of the frame's reach, as in `robot.inverse_kinematics`: so both are comparable.

    Args:
        frame: The name of a link or a frame.
        match: "pose", "position", "rotation", or "x", "y", "z": position and this axis.
        weight: A number, or six: of turns about and distances along the axes of the base. The axis
            alone is match="z" with weight=[1, 1, 1, 0, 0, 0].
        target: A pose (4, 4), or a position (3,) [m] where match is "position"; or a motion of the
            frame, as `CartesianLine`; if not given, it is told at every call.
        gain, level, name: As all tasks have them; the name is that of the frame if not given.
    """

    frame: str
    match: str = "pose"

    def of(self, robot: Robot) -> FrameTask:
        frame_name(robot, self.frame)
        one_of("match", self.match, MATCHES)
        found = super().of(robot)
        assert isinstance(found, FrameTask)
        found.pose_task  # noqa: B018  # which says what the frame cannot do
        return found

    @property
    def usual_name(self) -> str:
        return "".join(x if x.isalnum() else "_" for x in self.frame)

    @property
    def parts(self) -> tuple[str, ...]:
        return TASK_AXES

    @property
    def shape(self) -> tuple[int, ...]:
        return (3,) if self.match == "position" else (4, 4)

    @property
    def velocities(self) -> int:
        return 3 if self.match == "position" else 6

    @property
    def meaning(self) -> str:
        return "a position [m]" if self.match == "position" else "the matrix of a pose"

    @cached_property
    def pose_task(self) -> PoseTask:
        """The same for inverse kinematics, which has the error and the Jacobian."""
        weights, ones = tuple(self.weight.tolist()), (1.0,) * self.robot.n
        return pose_task(self.robot, self.frame, self.match, weights, ones, True)

    @property
    def row_names(self) -> tuple[str, ...]:
        pairs = zip(self.parts, self.pose_task.rows, strict=True)
        return tuple(f"{self.name} {part}" for part, weight in pairs if weight)

    def aim(self, target: Any) -> Any:
        what = f"target of task {self.name!r}"
        if not callable(getattr(target, "at", None)):
            if self.match == "position":
                return vector(what, target, XYZ)
            if np.shape(target) != (4, 4):
                raise WrongValue(what, f"has shape {np.shape(target)}", "it must be a pose (4, 4)")
            proper_poses(target)
            return np.array(target, dtype=float)
        frame = getattr(target, "frame", self.frame)
        if frame != self.frame:
            raise BadArgument(f"The motion is of frame {frame!r}, the task of {self.frame!r}.")
        turning = callable(getattr(target, "frame_at", None))
        free = getattr(target, "orientation", "") == "free"
        if self.match != "position" and (free or not turning):
            raise BadArgument(
                f"The {what} says where the frame is and not how it is turned, and the task "
                f"matches {self.match!r}.\n  Give match='position', or a CartesianLine, "
                "CartesianArc or CartesianScrew that keeps or turns its orientation."
            )
        return target

    def at(self, t: Scalar) -> tuple[Any, Any]:
        if isinstance(self.target, np.ndarray):
            return self.target, np.zeros(self.velocities, dtype=int)
        return super().at(t) if self.match == "position" else self.target.frame_at(t)

    def rows(self, q: JointVec, target: Any, velocity: Any) -> TaskRows:
        task, target, velocity = self.pose_task, np.asarray(target), np.asarray(velocity)
        if self.match == "position":
            numbers = np.concatenate([np.eye(3, dtype=int).reshape(9), target])
            velocity = np.concatenate([np.zeros(3, dtype=int), velocity])
        else:
            numbers = np.concatenate([target[:3, :3].reshape(9), target[:3, 3]])
        e, moving = task.missing(q[task.joints], numbers)
        J = np.zeros((len(e), self.robot.n), dtype=object)
        J[:, task.joints] = moving
        return e, J, task.weighted(velocity[:, None], numbers)[:, 0]
