"""Operational-space control: a frame moves as if it were a free mass; the rest keeps a posture.

Khatib: O. Khatib, *A unified approach for motion and force control of robot manipulators: the
operational space formulation*, IEEE J. Robotics and Automation 3(1), 1987.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qddot.checks import positive
from qddot.control.laws.assumption import Assumption, Rows, right_model
from qddot.control.laws.dry_friction import SMOOTHING
from qddot.control.laws.feedback import TaskLaw, reached
from qddot.control.laws.gains import DAMP, STIFF, Assignment, gain, smallest
from qddot.control.laws.law import NO_STATE
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.forward import factored
from qddot.dynamics.friction import smooth_direction
from qddot.dynamics.rnea import inverse_dynamics
from qddot.model.tree import Tree
from qddot.motions.setpoint import joint_reference
from qddot.program.recorder import record
from qddot.robot import Robot
from qddot.scalars import JointMat, JointVec, Scalar
from qddot.spatial.vector import vector


@dataclass(frozen=True, eq=False, repr=False)
class OperationalSpace(TaskLaw):
    """Control of a frame, dynamically consistent, with a posture in its null space.

    Gains kp [1/s²] and kd [1/s] are those of computed torque, of the frame. Near a singular
    position the effective mass of the frame grows without limit; the law limits it to `heaviest`:

        M_C = (Lᵀ max(D, 1/heaviest) L)⁻¹        Lᵀ D L = J M⁻¹ Jᵀ

    Dry friction F is compensated by the measured velocity, in part only: the arm stops where
    |Jᵀ M_C Kp e| ≤ F.

    Args:
        robot: The law's model.
        frame: The frame's name.
        kp: Kp: a number, one per axis, or a matrix [1/s²].
        kd: Kd: the same [1/s].
        reference: Where the frame should be [m]: over time, or to stay, along the axes.
        axes: The axes of the base along which it is placed.
        orientation: R_WF to keep, (3, 3); None: any.
        turning: Gains of turning, two numbers [1/s²], [1/s].
        posture: q₀ to which the null space is pulled, (n,); None: it is only damped.
        posture_kp: K₁ of the posture [1/s²].
        posture_kd: K₂ of the null space [1/s].
        heaviest: The largest effective mass of the frame in the law [kg, or kg·m² of turning].
    """

    posture: Any = None
    posture_kp: Any = 25.0
    posture_kd: Any = 10.0
    heaviest: float = 1e3

    kind: ClassVar[str] = "operational_space"
    gain_names: ClassVar[tuple[str, ...]] = ("kp", "kd", "posture_kp", "posture_kd", "heaviest")
    gain_units: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("kp", "posture_kp"), "1/s²"),
        **dict.fromkeys(("kd", "posture_kd"), "1/s"),
        "heaviest": "kg",
    }
    equation: ClassVar[str] = (
        "τ = Jᵀ M_C (ẍ_d − Kd ė − Kp e − J̇ q̇) + C q̇ + g + … + (E − Jᵀ J̄ᵀ) M (−K₂ q̇ − K₁ (q − q₀))"
    )

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        found = {"frame": task.frame, "axes": task.axes, "kp": STIFF, "kd": DAMP}
        redundant = task.model.n > len(task.axes)
        return found | ({"posture": task.q} if redundant else {})

    def __post_init__(self) -> None:
        super().__post_init__()
        names, keep = self.robot.joint_names, object.__setattr__
        if self.posture is not None:
            keep(self, "posture", joint_reference(self.posture, self.robot, "posture").at(0.0)[0])
        keep(self, "posture_kp", gain("posture_kp", self.posture_kp, names, "zero"))
        keep(self, "posture_kd", gain("posture_kd", self.posture_kd, names, "zero"))
        positive("heaviest", self.heaviest, "kg")

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        tree = self.short
        J = self.task.jacobian(tree, q)
        A = mobility(mass_matrix(tree, q), J)
        e, ed = self.error(t, q), J @ qd - self.wanted(t, 1)
        asked = self.wanted(t, 2) - self.kd @ ed - self.kp @ e

        # the posture alone would accelerate the joints like this, and the frame with them
        away = np.zeros(tree.n, dtype=int)
        if self.posture is not None:
            away = tree.difference(self.posture, q)
        qdd = -(self.posture_kp @ away + self.posture_kd @ qd)
        missing = asked - self.task.acceleration(tree, q, qd, qdd)
        force = damped_solve(A, missing, 1 / self.heaviest)
        rest = inverse_dynamics(tree, q, qd, qdd, direction=smooth_direction(tree, qd, SMOOTHING))
        return J.T @ force + rest, NO_STATE

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        redundant = self.robot.n > len(self.task.rows)
        calm = smallest(self.posture_kd) > 0 or not redundant
        why = f"{self.robot.n} joints for {len(self.task.rows)} directions"
        return [
            right_model(self, robot, frame=self.frame),
            Assumption("The null space is damped (posture_kd)", calm or None, why),
            self._light_enough(run),
            reached(self.robot, self.task, run),
            *self.not_upside_down(run),
        ]

    def _light_enough(self, run: Rows | None) -> Assumption:
        """Return whether M_C was never held back along a run: no pivot of J M⁻¹ Jᵀ is too small."""
        statement = "The frame nowhere seems heavier than `heaviest` (singular positions)"
        if run is None:
            return Assumption(statement, None, "a run decides")

        def pivots(q: JointVec) -> Any:
            A = mobility(mass_matrix(self.short, q), self.task.jacobian(self.short, q))
            return vector(factored(A)[1])

        D = record(pivots, "pivots", q=(self.robot.nq,))(run.q)
        heaviest = 1 / D.min(axis=1)
        change = np.abs(np.diff(heaviest)).max(initial=0)
        worst = int(heaviest.argmax())
        why = f"at most {heaviest[worst]:.3g} of {self.heaviest:g}, at t = {run.t[worst]:.4g} s"
        if heaviest[worst] > self.heaviest:
            return Assumption(statement, False, why)
        return Assumption(
            statement, True if heaviest[worst] + change < self.heaviest else None, why
        )

    def stiffness(self, q: np.ndarray) -> np.ndarray:
        """Return Jᵀ M_C Kp."""
        J = self.robot.jacobian(q, self.frame)[self.task.rows]
        A = J @ np.linalg.solve(self.robot.mass_matrix(q), J.T)
        return J.T @ (np.linalg.pinv(A) @ self.kp)

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
