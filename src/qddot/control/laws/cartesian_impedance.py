"""Cartesian impedance: a frame gives way like a spring and a damper in space.

Hogan: N. Hogan, *Impedance control: an approach to manipulation*, ASME J. Dynamic Systems,
Measurement, and Control 107(1), 1985.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from qddot.control.laws.gains import gain, smallest
from qddot.control.laws.joint_law import one_place, potential_torque, right_model
from qddot.control.laws.law import NO_STATE, Assumption
from qddot.control.laws.task_law import TaskLaw
from qddot.dynamics.energy import kinetic_energy
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class CartesianImpedance(TaskLaw):
    """A spring and a damper between a frame and where it should be; gravity is taken off the arm.

    The arm keeps its own inertia. Stiffness kp is in N/m and damping kd in N·s/m; of turning,
    N·m/rad and N·m·s/rad. What the frame does not feel is damped by `joint_damping`.
    """

    joint_damping: Any = 0.0  # a number, (n,) or (n, n) [N·m·s/rad]

    equation: ClassVar[str] = "τ = −Jᵀ (Kp e + Kd ė) + g(q) − D₀ q̇"

    def __post_init__(self) -> None:
        super().__post_init__()
        damping = gain("joint_damping", self.joint_damping, self.robot.joint_names, "zero")
        object.__setattr__(self, "joint_damping", damping)

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        J = self.task.jacobian(self.short, q)
        ed = J @ qd - self.wanted(t, 1)
        force = self.kp @ self.error(t, q) + self.kd @ ed
        return potential_torque(self.short, q) - J.T @ force - self.joint_damping @ qd, NO_STATE

    def assumptions(self, robot: Robot | None = None) -> list[Assumption]:
        redundant = self.robot.n > len(self.task.rows)
        calm = smallest(self.joint_damping) > 0 or not redundant
        why = f"{self.robot.n} joints for {len(self.task.rows)} directions"
        return [
            one_place(self),
            right_model(self, robot),
            Assumption("What the frame does not feel is damped (joint_damping)", calm, why),
        ]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the energy of the arm and of the spring.

        Of a set point:

            V = ½ q̇ᵀ M q̇ + ½ eᵀ Kp e        V̇ = −ẋᵀ Kd ẋ − q̇ᵀ (D₀ + Fᵥ) q̇
        """
        return kinetic_energy(tree, q, qd) + self.springs(t, q) if self.stays else None
