"""Robust tracking: a bound on what the model may be wrong by, and a push that outweighs it.

Siciliano: B. Siciliano, L. Sciavicco, L. Villani, G. Oriolo, *Robotics: Modelling, Planning and
Control*, Springer, 2009, §8.5.3; Slotine: J.-J. Slotine, W. Li, *Applied Nonlinear Control*,
Prentice Hall, 1991, chapter 9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws.gains import bound
from qddot.control.laws.joint_law import same_geometry
from qddot.control.laws.law import NO_STATE, Assumption
from qddot.control.laws.slotine_li import SlotineLi
from qddot.errors import BadArgument
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

TRIES = 2000


@dataclass(frozen=True, eq=False, repr=False)
class RobustSaturated(SlotineLi):
    """Sliding mode with a boundary layer, around the passivity-based law.

    What the model is wrong by is bounded by three numbers (or certified bounds), all in the
    Euclidean norm, and ρ outweighs it:

        ρ = ‖ΔM‖ ‖q̈_r‖ + ‖ΔC‖ ‖q̇‖ ‖q̇_r‖ + ‖Δg‖
    """

    mass: Any = 0.0  # sup ‖ΔM‖ [kg·m²]
    coriolis: Any = 0.0  # sup ‖ΔC(q, q̇)‖/‖q̇‖ [kg·m²]
    gravity: Any = 0.0  # sup ‖Δg‖ [N·m], and of whatever else is not modelled
    layer: float = 0.05  # ε: ‖s‖ below which the push is reduced [rad/s]

    equation: ClassVar[str] = "τ = M̂ q̈_r + Ĉ q̇_r + ĝ + … − K_D s − ρ s/max(‖s‖, ε)"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("mass", "coriolis", "gravity"):
            object.__setattr__(self, name, bound(name, getattr(self, name)))
        if not (np.isfinite(self.layer) and self.layer > 0):
            raise BadArgument(
                f"layer is {self.layer!r}; give a positive rate [rad/s]: without a boundary "
                "layer the torques would chatter."
            )

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        s, qd_r, qdd_r = self.sliding(t, q, qd)
        size = np.sqrt(s @ s)
        rho = self.gravity + 0 * size
        if self.mass:
            rho = rho + self.mass * _norm(qdd_r)
        if self.coriolis:
            rho = rho + self.coriolis * _norm(qd) * _norm(qd_r)
        push = s * (rho / np.maximum(size, self.layer))
        return self.modelled(q, qd, qd_r, qdd_r) - self.kd @ s - push, NO_STATE

    def assumptions(self, robot: Robot | None = None) -> list[Assumption]:
        """Return whether the bounds hold, tried at many states: they may fail, not be proved."""
        robot = robot or self.robot
        if not same_geometry(self, robot):
            return [Assumption("The arm has the joints of the model", False, "they differ")]
        same = robot is self.robot
        worst = dict(mass=0.0, coriolis=0.0, gravity=0.0) if same else self._apart(robot)
        said = {"mass": "‖ΔM‖", "coriolis": "‖ΔC‖/‖q̇‖", "gravity": "‖Δg‖"}
        return [
            Assumption(
                f"{said[name]} ≤ {getattr(self, name):.4g}",
                None if found <= getattr(self, name) else False,
                f"at the worst of {TRIES} states it is {found:.4g}",
            )
            for name, found in worst.items()
        ]

    def _apart(self, robot: Robot) -> dict[str, float]:
        """Return how far an arm is from the model, at the worst of many states."""
        rng = np.random.default_rng(0)
        q = rng.uniform(-np.pi, np.pi, (TRIES, robot.n))
        qd = rng.normal(size=(TRIES, robot.n))
        qd /= np.linalg.norm(qd, axis=1, keepdims=True)
        differ = {
            "mass": self.robot.mass_matrix(q) - robot.mass_matrix(q),
            "coriolis": self.robot.coriolis_matrix(q, qd) - robot.coriolis_matrix(q, qd),
        }
        worst = {k: float(np.linalg.norm(x, ord=2, axis=(1, 2)).max()) for k, x in differ.items()}
        still = self.robot.gravity_torque(q) - robot.gravity_torque(q)
        return worst | {"gravity": float(np.linalg.norm(still, axis=1).max())}


def _norm(x: JointVec) -> Scalar:
    return np.sqrt(x @ x)
