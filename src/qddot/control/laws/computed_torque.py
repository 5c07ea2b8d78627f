"""Computed torque: the arm's dynamics cancelled, and a linear one put in their place.

Siciliano: B. Siciliano, L. Sciavicco, L. Villani, G. Oriolo, *Robotics: Modelling, Planning and
Control*, Springer, 2009, §8.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws.assumption import Assumption, Rows, right_model
from qddot.control.laws.dry_friction import compensated, way
from qddot.control.laws.feedback import JointLaw
from qddot.control.laws.gains import DAMP, STIFF, Assignment
from qddot.control.laws.law import NO_STATE
from qddot.dynamics.rnea import elastic_torque, rigid_body_torque
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class ComputedTorque(JointLaw):
    """Inverse dynamics of the accelerations that a linear law asks for.

    With the right model every joint is a mass of 1 on a spring kp [1/s²] with a damper kd [1/s]:
    kp = ω², kd = 2 ω comes back without overshoot. Dry friction F is compensated in part only: the
    arm stops where |M Kp e| ≤ F, and while it moves the error is of the size of M⁻¹ F/kp.

    Args:
        robot: The law's model.
        kp: Kp: a number, (n,) or (n, n) [1/s²].
        kd: Kd: the same [1/s].
        reference: Of the joints, or where to stay, (n,) [rad or m].
        friction: The velocity that compensates dry friction: "measured" (q̇, smooth sign) or
            "desired" (q̇_d, sharp sign).
    """

    friction: str = field(default="measured", kw_only=True)

    kind: ClassVar[str] = "computed_torque"
    gain_units: ClassVar[Mapping[str, str]] = {"kp": "1/s²", "kd": "1/s"}
    equation: ClassVar[str] = "τ = M(q) (q̈_d − Kd ė − Kp e) + C(q, q̇) q̇ + g(q) + friction + springs"

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        return {"kp": STIFF, "kd": DAMP}

    def __post_init__(self) -> None:
        super().__post_init__()
        way(self.friction)

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        e, ed = self.errors(t, q, qd)
        _, rate, acceleration = self.reference.at(t)
        wanted = acceleration - self.kd @ ed - self.kp @ e
        tau = rigid_body_torque(self.short, q, qd, wanted) + elastic_torque(self.short, q, qd)
        return tau + compensated(self.short, qd, rate, self.friction), NO_STATE

    def stiffness(self, q: np.ndarray) -> np.ndarray:
        """Return M(q) Kp."""
        return self.robot.mass_matrix(q) @ self.kp

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        return [right_model(self, robot)]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the energy of the linear motion that is left.

        With the right model ë = −Kd ė − Kp e, so:

            V = ½ ėᵀ ė + ½ eᵀ Kp e        V̇ = −ėᵀ Kd ė
        """
        e, ed = self.errors(t, q, qd)
        return (ed @ ed + e @ (self.kp @ e)) / 2
