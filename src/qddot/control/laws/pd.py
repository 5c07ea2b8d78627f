"""Springs and dampers at the joints, and nothing else: PD control.

Takegaki: M. Takegaki, S. Arimoto, *A new feedback method for dynamic control of manipulators*,
ASME J. Dynamic Systems, Measurement, and Control 103(2), 1981.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qddot.control.laws.assumption import SAME, Assumption, Rows, no_gravity, one_place
from qddot.control.laws.feedback import JointLaw, potential_torque
from qddot.control.laws.gains import smallest
from qddot.control.laws.law import NO_STATE
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class PD(JointLaw):
    """PD control of the joints. It needs no model, and sags under gravity.

    Dry friction F is not compensated: the arm stops where |Kp e| ≤ F.

    Args:
        robot: The arm.
        kp: Kp: a number, (n,) or (n, n) [N·m/rad].
        kd: Kd: the same [N·m·s/rad].
        reference: Of the joints, or where to stay, (n,) [rad or m].

    Example:
        >>> import qddot
        >>> law = PD(qddot.load("two_link"), kp=300, kd=150, reference=[0.1, 0.2])
        >>> law(0.0, np.array([0.2, 0.3]), np.zeros(2)).round(6)
        array([-30., -30.])
    """

    kind: ClassVar[str] = "pd"
    equation: ClassVar[str] = "τ = −Kp (q − q_d) − Kd (q̇ − q̇_d)"

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        e, ed = self.errors(t, q, qd)
        return -(self.kp @ e) - self.kd @ ed, NO_STATE

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        robot = robot or self.robot
        place = np.asarray(self.reference.at(0.0)[0], dtype=float)
        held = np.asarray(potential_torque(robot.tree, place), dtype=float)
        free = no_gravity(robot)
        rest = bool(np.abs(held).max() <= SAME * smallest(self.kp))
        why = "gravity pulls at no joint, wherever the arm is"
        if not free:
            why = "gravity pulls at the arm"
        if not rest:
            sag = np.abs(np.linalg.solve(self.kp, held)).max()
            why += f"; at the reference {np.abs(held).max():.3g} N·m hold it, a sag of {sag:.2g}"
        statement = "No gravity, spring or offset (with them the arm rests where Kp e = −g)"
        return [one_place(self), Assumption(statement, free and rest, why)]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the energy of the arm and of the springs that the law acts as.

        Of a set point:

            V = ½ q̇ᵀ M q̇ + P(q) − P(q_d) + ½ eᵀ Kp e                     Takegaki
            V̇ = −q̇ᵀ (Kd + Fᵥ) q̇ − |q̇|ᵀ Fₛ
        """
        if not self.stays:
            return None
        e, _ = self.errors(t, q, qd)
        place = np.asarray(self.reference.at(0.0)[0], dtype=float)
        fallen = potential_energy(tree, q) - float(potential_energy(tree, place))
        return kinetic_energy(tree, q, qd) + fallen + e @ (self.kp @ e) / 2
