"""The task of the centre of mass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.control.tasks.task import XYZ, TaskRows, VelocityTask
from qddot.dynamics.energy import center_of_mass
from qddot.dynamics.rnea import gravity_torque
from qddot.errors import BadArgument, printable
from qddot.kinematics.damped_step import LENGTH
from qddot.robot import Robot
from qddot.robot.nearest import reach_of
from qddot.scalars import JointVec


@dataclass(frozen=True, eq=False)
class ComTask(VelocityTask):
    """The centre of mass of everything that moves, at a place.

    Where gravity is a unit along an axis, the torque that holds the arm is −m times the row of the
    Jacobian. Distances count in parts of 0.35 of the reach of the arm's tip.

    Args:
        weight: A number, or three, along the axes of the base.
        target: A place (3,) [m], or a motion of it; if not given, it is told at every call.
        gain, level, name: As all tasks have them; the name is "center_of_mass" if not given.
    """

    @property
    def usual_name(self) -> str:
        return "center_of_mass"

    @property
    def parts(self) -> tuple[str, ...]:
        return XYZ

    @property
    def shape(self) -> tuple[int, ...]:
        return (3,)

    @property
    def meaning(self) -> str:
        return "a position [m]"

    def of(self, robot: Robot) -> VelocityTask:
        if not self._mass(robot) > 0:
            raise BadArgument(f"Nothing of robot {printable(robot.name)!r} that moves has a mass.")
        return super().of(robot)

    def rows(self, q: JointVec, target: Any, velocity: Any) -> TaskRows:
        tree, some = self.robot.tree, np.flatnonzero(self.weight)
        scale = self.weight[some] / (LENGTH * reach_of(self.robot, self.robot.tip))
        axes = np.eye(3, dtype=int)[some]
        held = [gravity_torque(replace(tree, gravity=tuple(axis)), q) for axis in axes]
        J = np.stack(held) * (-scale[:, None] / self._mass(self.robot))
        e = (np.asarray(target) - center_of_mass(tree, q))[some]
        return e * scale, J, np.asarray(velocity)[some] * scale

    @staticmethod
    def _mass(robot: Robot) -> float:
        return float(sum(body.inertia.m for body in robot.tree.bodies))
