"""PD control with gravity taken off the arm, here or at the target.

Takegaki: M. Takegaki, S. Arimoto, *A new feedback method for dynamic control of manipulators*,
ASME J. Dynamic Systems, Measurement, and Control 103(2), 1981.
Tomei: P. Tomei, *Adaptive PD controller for robot manipulators*, IEEE Trans. Robotics and
Automation 7(4), 1991.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws.gains import bound, smallest
from qddot.control.laws.joint_law import (
    JointLaw,
    no_dry_friction,
    one_place,
    potential_torque,
    right_model,
)
from qddot.control.laws.law import NO_STATE, Assumption
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

PLACES = ("here", "target")


@dataclass(frozen=True, eq=False, repr=False)
class PDGravity(JointLaw):
    """PD control with gravity compensation.

    Gravity (with springs and constant offsets) is compensated where the arm is, which any positive
    gains make stable; or where it should be, which needs no model at run time but stiff enough
    springs: Kp > sup ‖∂g/∂q‖.
    """

    compensate: str = "here"  # or "target"
    gravity_slope: Any = None  # sup ‖∂g/∂q‖₂ [N·m/rad], a number or a certified bound

    equation: ClassVar[str] = "τ = −Kp (q − q_d) − Kd (q̇ − q̇_d) + g(q or q_d)"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.compensate not in PLACES:
            raise BadArgument(
                f"compensate is {self.compensate!r}; it must be 'here' (g at q) or 'target' "
                "(g at q_d)."
            )
        if self.gravity_slope is not None:
            bound("gravity_slope", self.gravity_slope)

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        e, ed = self.errors(t, q, qd)
        at = q if self.compensate == "here" else self.reference.at(t)[0]
        held = potential_torque(self.short, np.asarray(at, dtype=object))
        return held - self.kp @ e - self.kd @ ed, NO_STATE

    def assumptions(self, robot: Robot | None = None) -> list[Assumption]:
        robot = robot or self.robot
        found = [one_place(self), right_model(self, robot), no_dry_friction(robot)]
        if self.compensate == "target":
            found.append(self._stiff_enough())
        return found

    def _stiff_enough(self) -> Assumption:
        statement = "Kp > sup ‖∂g/∂q‖, so that the target is the only rest"
        least = smallest(self.kp)
        if self.gravity_slope is None:
            return Assumption(statement, None, "gravity_slope is not given; certify it")
        slope = bound("gravity_slope", self.gravity_slope)
        how = "certified" if hasattr(self.gravity_slope, "upper") else "as given"
        return Assumption(statement, least > slope, f"{least:.4g} against {slope:.4g}, {how}")

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, an energy with its lowest point at the target.

        Of a set point, compensated here or at the target:

            V = ½ q̇ᵀ M q̇ + ½ eᵀ Kp e                                            Takegaki
            V = ½ q̇ᵀ M q̇ + ½ eᵀ Kp e + P(q) − P(q_d) − eᵀ g(q_d)                Tomei
            V̇ = −q̇ᵀ (Kd + Fᵥ) q̇ − |q̇|ᵀ Fₛ
        """
        if not self.stays:
            return None
        e, _ = self.errors(t, q, qd)
        V = kinetic_energy(tree, q, qd) + e @ (self.kp @ e) / 2
        if self.compensate == "here":
            return V
        place = np.asarray(self.reference.at(t)[0], dtype=float)
        held = np.asarray(potential_torque(tree, place), dtype=float)
        # constant offsets are not in P, so they are no part of what is subtracted
        held = held - np.array([float(f.offset) for f in tree.friction])
        return V + potential_energy(tree, q) - float(potential_energy(tree, place)) - e @ held
