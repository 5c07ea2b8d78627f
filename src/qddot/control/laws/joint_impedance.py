"""Joint impedance: the arm gives way like springs and dampers at its joints, wherever it moves.

Paden: B. Paden, R. Panja, *Globally asymptotically stable 'PD+' controller for robot manipulators*,
Int. J. Control 47(6), 1988.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from qddot.control.laws import dry_friction
from qddot.control.laws.assumption import Assumption, Rows, right_model
from qddot.control.laws.feedback import JointLaw
from qddot.control.laws.law import NO_STATE
from qddot.dynamics.coriolis import reference_torque
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.rnea import elastic_torque
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class JointImpedance(JointLaw):
    """Tracking with a stiffness kp and a damping kd that a push at the arm feels.

    The arm keeps its own inertia; what is left of the motion:

        M ë + (C + Kd + Fᵥ) ė + Kp e = τ_ext

    With dry friction F an arm at rest stops where |Kp e| ≤ F. If F is compensated by the sign of
    q̇_d, V still falls, but for what a sharp sign feeds (v = 0.001): Coulomb friction rises with the
    velocity, so that

        V̇ = −ėᵀ (Kd + Fᵥ) ė − (q̇ − q̇_d)ᵀ F (sgn q̇ − sgn q̇_d) ≤ −ėᵀ (Kd + Fᵥ) ė + Σ F v/4

    Args:
        robot: The law's model.
        kp: Kp: a number, (n,) or (n, n) [N·m/rad].
        kd: Kd: the same [N·m·s/rad].
        reference: Of the joints, or where to stay, (n,) [rad or m].
        friction: The velocity that compensates dry friction: "measured" (q̇, smooth sign) or
            "desired" (q̇_d, sharp sign).
    """

    friction: str = field(default="measured", kw_only=True)

    kind: ClassVar[str] = "joint_impedance"
    equation: ClassVar[str] = "τ = M(q) q̈_d + C(q, q̇) q̇_d + g(q) + … − Kp e − Kd ė"

    def __post_init__(self) -> None:
        super().__post_init__()
        dry_friction.way(self.friction)

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        tree = self.short
        e, ed = self.errors(t, q, qd)
        _, rate, acceleration = self.reference.at(t)
        rubbing = dry_friction.compensated(tree, qd, rate, self.friction, viscous_at=rate)
        planned = reference_torque(tree, q, qd, rate, acceleration)
        held = planned + rubbing + elastic_torque(tree, q, qd)
        return held - self.kp @ e - self.kd @ ed, NO_STATE

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        return [right_model(self, robot)]

    def dry_friction(self, robot: Robot, q: np.ndarray) -> Assumption:
        coulomb, static = dry_friction.sizes(robot)
        left = super().dry_friction(robot, q)
        if self.friction == "measured" or self.stays or (static > coulomb).any() or left.holds:
            return left
        why = (
            "Coulomb friction is compensated by sgn q̇_d, so that V falls; whether e → 0 is known "
            "only while every joint moves, and where it rests |Kp e| ≤ F"
        )
        return left._replace(holds=None, why=why)

    def falling(self, t: Scalar, q: JointVec, qd: JointVec) -> Scalar:
        """Return what is positive where V is said to fall: ėᵀ Kd ė less what the layer feeds."""
        if self.friction == "measured":
            return 1.0
        _, ed = self.errors(t, q, qd)
        return ed @ (self.kd @ ed) - dry_friction.fed_by_the_layer(self.robot)

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the energy of the error.

        Because Ṁ − 2C is skew:

            V = ½ ėᵀ M ė + ½ eᵀ Kp e        V̇ = −ėᵀ (Kd + Fᵥ) ė                  Paden
        """
        e, ed = self.errors(t, q, qd)
        return (ed @ (mass_matrix(tree, q) @ ed) + e @ (self.kp @ e)) / 2
