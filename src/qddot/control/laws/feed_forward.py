"""The torque of the planned motion, and PD control around it.

Everything that needs the model depends on time alone, so it can be computed beforehand.

Kelly: R. Kelly, V. Santibáñez, A. Loría, *Control of Robot Manipulators in Joint Space*, Springer,
2005, chapter 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qddot.control.laws.assumption import Assumption, Rows, right_model
from qddot.control.laws.dry_friction import SMOOTHING
from qddot.control.laws.feedback import JointLaw
from qddot.control.laws.law import NO_STATE
from qddot.dynamics.friction import smooth_direction
from qddot.dynamics.rnea import inverse_dynamics
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class FeedForwardPD(JointLaw):
    """Inverse dynamics of the reference, and springs and dampers that hold the arm to it.

    Stable where the gains are large beside what the motion asks of the arm (Kelly, theorem 12.1);
    there is no simple V, so it has none here, and its proof stays open. Dry friction F is
    compensated by the planned velocity; at rest the arm stops where |Kp e| ≤ F.

    Args:
        robot: The law's model.
        kp: Kp: a number, (n,) or (n, n) [N·m/rad].
        kd: Kd: the same [N·m·s/rad].
        reference: Of the joints, or where to stay, (n,) [rad or m].
    """

    kind: ClassVar[str] = "feed_forward"
    equation: ClassVar[str] = "τ = M(q_d) q̈_d + C(q_d, q̇_d) q̇_d + g(q_d) + … − Kp e − Kd ė"

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        e, ed = self.errors(t, q, qd)
        planned = [np.asarray(part, dtype=object) for part in self.reference.at(t)]
        direction = smooth_direction(self.short, planned[1], SMOOTHING)
        tau = inverse_dynamics(self.short, *planned, direction=direction)
        return tau - self.kp @ e - self.kd @ ed, NO_STATE

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        why = "it depends on the bounds of the motion; watch the error of a run"
        return [
            right_model(self, robot),
            Assumption("Kp and Kd are large beside what the motion asks for", None, why),
        ]
