"""Computed torque: the arm's dynamics cancelled, and a linear one put in their place.

Siciliano: B. Siciliano, L. Sciavicco, L. Villani, G. Oriolo, *Robotics: Modelling, Planning and
Control*, Springer, 2009, §8.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from qddot.control.laws.joint_law import JointLaw, right_model
from qddot.control.laws.law import NO_STATE, Assumption, dry_direction
from qddot.dynamics.rnea import inverse_dynamics
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class ComputedTorque(JointLaw):
    """Inverse dynamics of the accelerations that a linear law asks for.

    With the right model every joint is a mass of 1 on a spring kp [1/s²] with a damper kd [1/s]:
    kp = ω², kd = 2 ω comes back without overshoot.
    """

    equation: ClassVar[str] = "τ = M(q) (q̈_d − Kd ė − Kp e) + C(q, q̇) q̇ + g(q) + friction + springs"

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        e, ed = self.errors(t, q, qd)
        wanted = self.reference.at(t)[2] - self.kd @ ed - self.kp @ e
        tau = inverse_dynamics(self.short, q, qd, wanted, direction=dry_direction(qd))
        return tau, NO_STATE

    def assumptions(self, robot: Robot | None = None) -> list[Assumption]:
        return [right_model(self, robot)]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the energy of the linear motion that is left.

        With the right model ë = −Kd ė − Kp e, so:

            V = ½ ėᵀ ė + ½ eᵀ Kp e        V̇ = −ėᵀ Kd ė
        """
        e, ed = self.errors(t, q, qd)
        return (ed @ ed + e @ (self.kp @ e)) / 2
