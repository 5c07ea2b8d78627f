"""The task of the posture: joints where one likes them best."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from qddot.control.tasks.task import TaskRows, VelocityTask
from qddot.scalars import JointVec


@dataclass(frozen=True, eq=False)
class PostureTask(VelocityTask):
    """Joints where one likes them best.

    Args:
        weight: A number, or one for each joint.
        target: Joint positions (n,) [rad or m], or a motion of the joints; "told": at every call.
            If not given, the robot's home.
        gain, level, name: As all tasks have them; the name is "posture" if not given.
    """

    target: Any = field(default=None, kw_only=True)

    may_be_singular: ClassVar[bool] = False

    @property
    def usual_name(self) -> str:
        return "posture"

    @property
    def parts(self) -> tuple[str, ...]:
        return self.robot.joint_names

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.robot.n,)

    @property
    def meaning(self) -> str:
        return "one number per joint [rad or m]"

    def aim(self, target: Any) -> Any:
        return super().aim(self.robot.home if target is None else target)

    def rows(self, q: JointVec, target: Any, velocity: Any) -> TaskRows:
        some = np.flatnonzero(self.weight)
        e, scale = self.robot.tree.difference(q, target), self.weight[some]
        J = np.eye(self.robot.n, dtype=int)[some] * scale[:, None]
        return e[some] * scale, J, np.asarray(velocity)[some] * scale
