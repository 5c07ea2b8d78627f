"""Operational-space control: a frame moves as if it were a free mass; the rest keeps a posture.

Khatib: O. Khatib, *A unified approach for motion and force control of robot manipulators: the
operational space formulation*, IEEE J. Robotics and Automation 3(1), 1987.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws.gains import gain
from qddot.control.laws.joint_law import right_model
from qddot.control.laws.law import NO_STATE, Assumption, dry_direction
from qddot.control.laws.target import reference_of
from qddot.control.laws.task_law import TaskLaw
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.forward import factored
from qddot.dynamics.rnea import inverse_dynamics
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointMat, JointVec, Scalar
from qddot.spatial.vector import vector


@dataclass(frozen=True, eq=False, repr=False)
class OperationalSpace(TaskLaw):
    """Control of a frame, dynamically consistent, with a posture in its null space.

    Gains kp [1/s²] and kd [1/s] are those of computed torque, of the frame. Near a singular
    position the frame seems heavier and heavier; beyond `heaviest` it is treated as if it did not:

        Λ = (Lᵀ max(D, 1/heaviest) L)⁻¹        Lᵀ D L = J M⁻¹ Jᵀ
    """

    posture: Any = None  # (n,) that the null space is drawn to; None: it is damped alone
    posture_kp: Any = 25.0  # [1/s²]
    posture_kd: Any = 10.0  # [1/s]
    heaviest: float = 1e3  # [kg, or kg·m² of turning]

    equation: ClassVar[str] = (
        "τ = Jᵀ Λ (ẍ_d − Kd ė − Kp e − J̇ q̇) + C q̇ + g + … + (E − Jᵀ J̄ᵀ) M (−K₂ q̇ − K₁ (q − q₀))"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        names, keep = self.robot.joint_names, object.__setattr__
        if self.posture is not None:
            keep(self, "posture", reference_of(self.posture, names, "posture").at(0.0)[0])
        keep(self, "posture_kp", gain("posture_kp", self.posture_kp, names, "zero"))
        keep(self, "posture_kd", gain("posture_kd", self.posture_kd, names, "zero"))
        if not (np.isfinite(self.heaviest) and self.heaviest > 0):
            raise BadArgument(f"heaviest is {self.heaviest!r}; give a positive mass [kg].")

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        tree = self.short
        J = self.task.jacobian(tree, q)
        A = mobility(mass_matrix(tree, q), J)
        e, ed = self.error(t, q), J @ qd - self.wanted(t, 1)
        asked = self.wanted(t, 2) - self.kd @ ed - self.kp @ e

        # the posture alone would accelerate the joints like this, and the frame with them
        away = np.zeros(tree.n, dtype=int) if self.posture is None else q - self.posture
        qdd = -(self.posture_kp @ away + self.posture_kd @ qd)
        missing = asked - self.task.acceleration(tree, q, qd, qdd)
        force = damped_solve(A, missing, 1 / self.heaviest)
        rest = inverse_dynamics(tree, q, qd, qdd, direction=dry_direction(qd))
        return J.T @ force + rest, NO_STATE

    def assumptions(self, robot: Robot | None = None) -> list[Assumption]:
        statement = "No singular position on the way (there accuracy is given up for calm)"
        rng = np.random.default_rng(0)
        q = rng.uniform(-2, 2, (500, self.robot.n))
        # not compiled: one look at 500 states is not worth it
        J = self.robot.program("jacobian", frame=self.frame)(q)[:, self.task.rows]
        M = self.robot.program("mass_matrix")(q)
        A = J @ np.linalg.solve(M, J.transpose(0, 2, 1))
        share = float((np.linalg.eigvalsh(A)[:, 0] < 1 / self.heaviest).mean())
        why = f"{share:.1%} of 500 states are singular in this sense"
        return [right_model(self, robot), Assumption(statement, None, why)]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the energy of the frame's error as a mass of 1.

        With the right model, away from singular positions:

            V = ½ ėᵀ ė + ½ eᵀ Kp e        V̇ = −ėᵀ Kd ė
        """
        ed = self.task.jacobian(self.short, q) @ qd - self.wanted(t, 1)
        return ed @ ed / 2 + self.springs(t, q)


def mobility(M: JointMat, J: Any) -> Any:
    """Return J M⁻¹ Jᵀ, one half of it computed and the other copied.

    From M = Lᵀ D L, with Z = L⁻ᵀ Jᵀ:

        J M⁻¹ Jᵀ = Zᵀ D⁻¹ Z
    """
    L, D = factored(M)
    Z = [J[:, i] for i in range(len(D))]
    for i in reversed(range(len(D))):
        for j in range(i):
            Z[j] = Z[j] - L[i][j] * Z[i]
    over = [z * (1 / d) for z, d in zip(Z, D, strict=True)]
    m = len(J)
    A = np.zeros((m, m), dtype=object)
    for a in range(m):
        for b in range(a + 1):
            A[a, b] = A[b, a] = sum(z[a] * w[b] for z, w in zip(Z, over, strict=True))
    return A


def damped_solve(A: Any, b: Any, least: float) -> Any:
    """Return A⁻¹ b; where A is nearly singular, (Lᵀ max(D, least) L)⁻¹ b with the L and D of A."""
    L, D = factored(A)
    x, m = list(b), len(D)
    for i in reversed(range(m)):
        for j in range(i):
            x[j] = x[j] - L[i][j] * x[i]
    x = [part / np.maximum(pivot, least) for part, pivot in zip(x, D, strict=True)]
    for i in range(m):
        for j in range(i):
            x[i] = x[i] - L[i][j] * x[j]
    return vector(x)
