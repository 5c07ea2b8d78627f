"""Joint impedance: the arm gives way like springs and dampers at its joints, wherever it moves.

Paden: B. Paden, R. Panja, *Globally asymptotically stable 'PD+' controller for robot manipulators*,
Int. J. Control 47(6), 1988.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from qddot.control.laws.joint_law import JointLaw, right_model
from qddot.control.laws.law import NO_STATE, Assumption, dry_direction
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.friction import friction_torque
from qddot.dynamics.rnea import elastic_torque
from qddot.dynamics.slotine_li import reference_torque
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class JointImpedance(JointLaw):
    """Tracking with a stiffness kp and a damping kd that a push at the arm feels.

    The arm keeps its own inertia; what is left of the motion:

        M ë + (C + Kd + Fᵥ) ė + Kp e = τ_ext
    """

    equation: ClassVar[str] = "τ = M(q) q̈_d + C(q, q̇) q̇_d + g(q) + … − Kp e − Kd ė"

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        tree = self.short
        e, ed = self.errors(t, q, qd)
        _, rate, acceleration = self.reference.at(t)
        viscous = [-f.viscous * v for f, v in zip(tree.friction, ed, strict=True)]
        rubbing = friction_torque(tree, qd, dry_direction(qd)) + viscous
        planned = reference_torque(tree, q, qd, rate, acceleration)
        held = planned + rubbing + elastic_torque(tree, q, qd)
        return held - self.kp @ e - self.kd @ ed, NO_STATE

    def assumptions(self, robot: Robot | None = None) -> list[Assumption]:
        return [right_model(self, robot)]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the energy of the error.

        Because Ṁ − 2C is skew:

            V = ½ ėᵀ M ė + ½ eᵀ Kp e        V̇ = −ėᵀ (Kd + Fᵥ) ė                  Paden
        """
        e, ed = self.errors(t, q, qd)
        return (ed @ (mass_matrix(tree, q) @ ed) + e @ (self.kp @ e)) / 2
