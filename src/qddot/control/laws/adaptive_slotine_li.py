"""Adaptive tracking: the arm's parameters are found while it moves.

Slotine: J.-J. Slotine, W. Li, *On the adaptive control of robot manipulators*, Int. J. Robotics
Research 6(3), 1987.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws.estimates import Estimates, estimates
from qddot.control.laws.gains import gain
from qddot.control.laws.joint_law import same_geometry
from qddot.control.laws.law import Assumption, dry
from qddot.control.laws.slotine_li import SlotineLi
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class AdaptiveSlotineLi(SlotineLi):
    """Slotine and Li's law with estimated parameters: its state x is φ̂.

    Estimates start at the parameters of the law's model. Rotor inertia, viscous and dry friction
    and offsets are estimated where the model has them; springs are taken as known.
    """

    adaptation: Any = 1.0  # Γ: a number, (p,) or (p, p); see `adaptation.balanced`
    estimate: str = "base"  # or "all"

    equation: ClassVar[str] = "τ = Y(q, q̇, q̇_r, q̈_r) φ̂ − K_D s        dφ̂/dt = −Γ Yᵀ s"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(
            self, "adaptation", gain("adaptation", self.adaptation, self.parameters.names)
        )

    @cached_property
    def parameters(self) -> Estimates:
        """What is estimated."""
        return estimates(self.robot.tree, self.estimate)

    @property
    def x0(self) -> np.ndarray:
        """The parameters of the law's model, shape (p,)."""
        return self.parameters.values

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        known = self.parameters
        s, qd_r, qdd_r = self.sliding(t, q, qd)
        tau = known.torque(x, q, qd, qd_r, qdd_r, dry) - self.kd @ s
        moving = known.movements(q, qd, qd_r, qdd_r)
        return tau, -(self.adaptation @ known.powers(moving, s, qd, qd_r, qdd_r, dry))

    def assumptions(self, robot: Robot | None = None) -> list[Assumption]:
        robot = robot or self.robot
        same = same_geometry(self, robot)
        q = np.random.default_rng(0).uniform(-1, 1, (8, robot.n))
        tips = [name for name in self.robot.frame_names if name in robot.frame_names]
        if same and robot is not self.robot:
            apart = [np.abs(robot.pose(q, f) - self.robot.pose(q, f)).max() for f in tips]
            same = bool(max(apart, default=0.0) < 1e-9)
        why = "frames coincide at 8 states" if same else "joints or lengths differ"
        return [
            Assumption("The arm has the joints and lengths of the law's model", same, why),
            Assumption("Springs of the model are the arm's", None, "they are not estimated"),
        ]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, with what the estimates are off by.

        With φ̃ = φ̂ − φ:

            V = ½ sᵀ M s + ½ φ̃ᵀ Γ⁻¹ φ̃        V̇ = −sᵀ (K_D + Fᵥ) s            Slotine
        """
        V = super().value(tree, t, q, qd, x)
        off = x - self.parameters.of(tree)
        return V + off @ (np.linalg.inv(self.adaptation) @ off) / 2
