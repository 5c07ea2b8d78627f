"""Springs and dampers at the joints, and nothing else: PD control.

Takegaki: M. Takegaki, S. Arimoto, *A new feedback method for dynamic control of manipulators*,
ASME J. Dynamic Systems, Measurement, and Control 103(2), 1981.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qddot.control.laws.gains import smallest
from qddot.control.laws.joint_law import JointLaw, no_dry_friction, one_place
from qddot.control.laws.law import NO_STATE, Assumption
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.dynamics.rnea import gravity_torque
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class PD(JointLaw):
    """PD control of the joints. It needs no model, and sags under gravity.

    Example:
        >>> import qddot
        >>> law = PD(qddot.load("two_link"), kp=300, kd=150, reference=[0.1, 0.2])
        >>> law(0.0, np.array([0.2, 0.3]), np.zeros(2)).round(6)
        array([-30., -30.])
    """

    equation: ClassVar[str] = "τ = −Kp (q − q_d) − Kd (q̇ − q̇_d)"

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        e, ed = self.errors(t, q, qd)
        return -(self.kp @ e) - self.kd @ ed, NO_STATE

    def assumptions(self, robot: Robot | None = None) -> list[Assumption]:
        robot = robot or self.robot
        place = np.asarray(self.reference.at(0.0)[0], dtype=float)
        pull = np.asarray(gravity_torque(robot.tree, place), dtype=float)
        held = np.abs(pull).max() / smallest(self.kp)
        return [
            one_place(self),
            Assumption(
                "No gravity (with it the arm rests where Kp e = −g)",
                bool(held < 1e-12),
                f"at the reference it sags by about {held:.2g}",
            ),
            no_dry_friction(robot),
        ]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the energy of the arm and of the springs that the law acts as.

        Of a set point:

            V = ½ q̇ᵀ M q̇ + P(q) + ½ eᵀ Kp e        V̇ = −q̇ᵀ (Kd + Fᵥ) q̇ − |q̇|ᵀ Fₛ        Takegaki
        """
        if not self.stays:
            return None
        e, _ = self.errors(t, q, qd)
        return kinetic_energy(tree, q, qd) + potential_energy(tree, q) + e @ (self.kp @ e) / 2
