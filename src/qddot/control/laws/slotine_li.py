"""Passivity-based tracking: the arm's energy is shaped, not cancelled.

Slotine: J.-J. Slotine, W. Li, *On the adaptive control of robot manipulators*, Int. J. Robotics
Research 6(3), 1987.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws import dry_friction
from qddot.control.laws.assumption import Assumption, Rows, right_model
from qddot.control.laws.feedback import joints_of
from qddot.control.laws.gains import DAMP, LEAN, STIFF, Assignment, gain, smallest
from qddot.control.laws.law import NO_STATE, ControlLaw
from qddot.dynamics.coriolis import reference_torque
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.rnea import elastic_torque
from qddot.model.tree import Tree
from qddot.motions.setpoint import joint_reference
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class SlotineLi(ControlLaw):
    """Tracking with a reference velocity that points back to the reference.

    The sliding variable s is the velocity error against the reference velocity:

        q̇_r = q̇_d − Λ e        s = q̇ − q̇_r = ė + Λ e

    With dry friction F, compensated by the measured velocity, the arm stops where
    |(K_D + Fᵥ) Λ e| ≤ F. Compensated by the sign of q̇_r, Coulomb friction leaves an error of the
    size of v/Λ, v = 0.001: it rises with the velocity, so that

        V̇ = −sᵀ (K_D + Fᵥ) s − (q̇ − q̇_r)ᵀ F (sgn q̇ − sgn q̇_r) ≤ −sᵀ (K_D + Fᵥ) s + Σ F v/4

    Args:
        robot: The law's model.
        lam: Λ: a number, (n,) or (n, n) [1/s].
        kd: K_D: a number, (n,) or (n, n) [N·m·s/rad].
        reference: Of the joints, or where to stay, (n,) [rad or m].
        friction: The velocity that compensates dry friction: "measured" (q̇, smooth sign) or
            "desired" (q̇_r, sharp sign).
    """

    lam: Any
    kd: Any
    reference: Any
    friction: str = field(default="measured", kw_only=True)

    kind: ClassVar[str] = "slotine_li"
    gain_names: ClassVar[tuple[str, ...]] = ("lam", "kd")
    gain_units: ClassVar[Mapping[str, str]] = {"lam": "1/s", "kd": "damping"}
    equation: ClassVar[str] = "τ = M q̈_r + C(q, q̇) q̇_r + g + Fᵥ q̇_r + … − K_D s"

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        return {"lam": LEAN, "kd": STIFF / DAMP * task.inertia}

    def __post_init__(self) -> None:
        names = joints_of(self.robot)
        object.__setattr__(self, "lam", gain("lam", self.lam, names))
        object.__setattr__(self, "kd", gain("kd", self.kd, names))
        object.__setattr__(self, "reference", joint_reference(self.reference, self.robot))
        dry_friction.way(self.friction)

    def error(self, t: Scalar, q: JointVec) -> JointVec:
        """Return e = q − q_d."""
        return self.robot.tree.difference(self.reference.at(t)[0], q)

    def sliding(self, t: Scalar, q: JointVec, qd: JointVec) -> tuple[JointVec, JointVec, JointVec]:
        """Return s, q̇_r and q̈_r."""
        place, rate, acceleration = self.reference.at(t)
        qd_r = rate - self.lam @ self.robot.tree.difference(place, q)
        return qd - qd_r, qd_r, acceleration - self.lam @ (qd - rate)

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        s, qd_r, qdd_r = self.sliding(t, q, qd)
        return self.modelled(q, qd, qd_r, qdd_r) - self.kd @ s, NO_STATE

    def modelled(self, q: JointVec, qd: JointVec, qd_r: JointVec, qdd_r: JointVec) -> JointVec:
        """Return M q̈_r + C q̇_r + g + friction + springs, of the law's model.

        Viscous friction acts on q̇_r, so that what the arm has of it on s damps; springs and dry
        friction are what they are.
        """
        tree = self.short
        rubbing = dry_friction.compensated(tree, qd, qd_r, self.friction, viscous_at=qd_r)
        moved = reference_torque(tree, q, qd, qd_r, qdd_r)
        return moved + rubbing + elastic_torque(tree, q, qd)

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        return [right_model(self, robot)]

    def stiffness(self, q: np.ndarray) -> np.ndarray | None:
        """Return (K_D + Fᵥ) Λ."""
        shafts = self.robot.tree.shafts
        along = np.array([shaft.direction for shaft in shafts], float)
        viscous = (along.T * [float(shaft.friction.viscous) for shaft in shafts]) @ along
        return (self.kd + viscous) @ self.lam

    def dry_friction(self, robot: Robot, q: np.ndarray) -> Assumption:
        coulomb, static = dry_friction.sizes(robot)
        left = super().dry_friction(robot, q)
        if self.friction == "measured" or (static > coulomb).any() or left.holds:
            return left
        why = "Coulomb friction is compensated by the sign of q̇_r, and what is left of it brakes s"
        most = dry_friction.in_short(np.array([self.error_left(robot, q)]))
        why += f"; the error that stays is at most {most}"
        return left._replace(holds=True, why=why)

    def error_left(self, robot: Robot, q: np.ndarray) -> float:
        """Return ‖s‖/λ_min(Λ) of the s below which V need not fall: where sᵀ K_D s ≤ c."""
        c = 0.0 if self.friction == "measured" else dry_friction.fed_by_the_layer(robot)
        # beyond that ½ s² λ_min(M) is at most what V has there
        return self._within(robot, q, np.sqrt(c / smallest(self.kd)))

    def _within(self, robot: Robot, q: np.ndarray, s: float) -> float:
        """Return the error that stays where V falls beyond a size of s."""
        M = np.linalg.eigvalsh(robot.mass_matrix(q))
        return float(s * np.sqrt(M[-1] / M[0]) / smallest(self.lam))

    def falling(self, t: Scalar, q: JointVec, qd: JointVec) -> Scalar:
        """Return what is positive where V is said to fall: sᵀ K_D s less what the layer feeds."""
        if self.friction == "measured":
            return 1.0
        s, _, _ = self.sliding(t, q, qd)
        return s @ (self.kd @ s) - dry_friction.fed_by_the_layer(self.robot)

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the kinetic energy that s would have.

        Because Ṁ − 2C is skew:

            V = ½ sᵀ M s        V̇ = −sᵀ (K_D + Fᵥ) s                          Slotine
        """
        s, _, _ = self.sliding(t, q, qd)
        return s @ (mass_matrix(tree, q) @ s) / 2
