"""Cartesian impedance: a frame gives way like a spring and a damper in space.

Hogan: N. Hogan, *Impedance control: an approach to manipulation*, ASME J. Dynamic Systems,
Measurement, and Control 107(1), 1985.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws.assumption import STILL, Assumption, Rows, one_place, right_model
from qddot.control.laws.feedback import TaskLaw, nowhere_singular, potential_torque, reached
from qddot.control.laws.gains import Assignment, gain, smallest
from qddot.control.laws.law import NO_STATE
from qddot.dynamics.energy import kinetic_energy
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class CartesianImpedance(TaskLaw):
    """A spring and a damper between a frame and where it should be; gravity is taken off the arm.

    The arm keeps its own inertia. Stiffness kp is in N/m and damping kd in N·s/m; of turning,
    N·m/rad and N·m·s/rad. What the frame does not feel is damped by `joint_damping`. Friction is
    not compensated: with dry friction F the arm stops where |Jᵀ Kp e| ≤ F.

    Args:
        robot: The law's model.
        frame: The frame's name.
        kp: Kp: a number, one per axis, or a matrix [N/m].
        kd: Kd: the same [N·s/m].
        reference: Where the frame should be [m]: over time, or to stay, along the axes.
        axes: The axes of the base along which it is placed.
        orientation: R_WF to keep, (3, 3); None: any.
        turning: Stiffness and damping of turning, two numbers [N·m/rad], [N·m·s/rad].
        joint_damping: D₀: a number, (n,) or (n, n) [N·m·s/rad].
    """

    joint_damping: Any = 0.0

    kind: ClassVar[str] = "cartesian_impedance"
    gain_names: ClassVar[tuple[str, ...]] = ("kp", "kd", "joint_damping")
    gain_units: ClassVar[Mapping[str, str]] = {**TaskLaw.gain_units, "joint_damping": "damping"}
    equation: ClassVar[str] = "τ = −Jᵀ (Kp e + Kd ė) + g(q) − D₀ q̇"

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        return super().suited(task) | {"joint_damping": task.inertia}

    def __post_init__(self) -> None:
        super().__post_init__()
        damping = gain("joint_damping", self.joint_damping, self.robot.joint_names, "zero")
        object.__setattr__(self, "joint_damping", damping)

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        J = self.task.jacobian(self.short, q)
        ed = J @ qd - self.wanted(t, 1)
        force = self.kp @ self.error(t, q) + self.kd @ ed
        return potential_torque(self.short, q) - J.T @ force - self.joint_damping @ qd, NO_STATE

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        redundant = self.robot.n > len(self.task.rows)
        calm = smallest(self.joint_damping) > 0 or not redundant
        why = f"{self.robot.n} joints for {len(self.task.rows)} directions"
        return [
            one_place(self),
            right_model(self, robot, STILL, self.frame),
            Assumption("What the frame does not feel is damped (joint_damping)", calm, why),
            nowhere_singular(self.robot, self.task, run),
            reached(self.robot, self.task, run),
            *self.not_upside_down(run),
        ]

    def stiffness(self, q: np.ndarray) -> np.ndarray:
        """Return Jᵀ Kp."""
        return self.robot.jacobian(q, self.frame)[self.task.rows].T @ self.kp

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the energy of the arm and of the spring.

        Of a set point:

            V = ½ q̇ᵀ M q̇ + ½ eᵀ Kp e        V̇ = −ẋᵀ Kd ẋ − q̇ᵀ (D₀ + Fᵥ) q̇
        """
        return kinetic_energy(tree, q, qd) + self.springs(t, q) if self.stays else None
