"""Approximate Jacobian control that finds out by itself what the arm weighs.

Cheah: C. C. Cheah, M. Hirano, S. Kawamura, S. Arimoto, *Approximate Jacobian control for robots
with uncertain kinematics and dynamics*, IEEE Trans. Robotics and Automation 19(4), 2003.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws.approximate_jacobian import ApproximateJacobian
from qddot.control.laws.estimates import Estimates, estimates
from qddot.control.laws.gains import gain
from qddot.control.laws.law import Assumption
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class AdaptiveApproximateJacobian(ApproximateJacobian):
    """Approximate Jacobian control whose gravity torque is estimated: its state x is φ̂.

    `cross` is the α of the update, and must be positive: with α = 0 the estimates stop wherever
    the arm stands still.
    """

    adaptation: Any = 1.0  # Γ: a number, (p,) or (p, p)
    estimate: str = "base"  # or "all"

    equation: ClassVar[str] = (
        "τ = −Ĵᵀ Kp s(e) − Bv q̇ + Y_g(q) φ̂        dφ̂/dt = −Γ Y_gᵀ (q̇ + α Ĵ⁺ s(e))"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.cross > 0:
            raise BadArgument(
                "cross (α) must be positive for gravity to be found: try 0.1, and more while "
                "the run stays calm."
            )
        object.__setattr__(
            self, "adaptation", gain("adaptation", self.adaptation, self.parameters.names)
        )

    @cached_property
    def parameters(self) -> Estimates:
        """What is estimated: whatever gravity depends on."""
        return estimates(self.robot.tree, self.estimate, gravity_alone=True)

    @property
    def x0(self) -> np.ndarray:
        """The parameters of the law's model."""
        return self.parameters.values

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        still, known = np.zeros(self.robot.n, dtype=int), self.parameters
        held = known.torque(x, q, still, still, still, None)
        moving = known.movements(q, still, still, still)
        s = qd + self.cross * self.towards(t, q)
        xd = -(self.adaptation @ known.powers(moving, s, still, still, still, None))
        return self.pull(t, q) - self.kd @ qd + held, xd

    def assumptions(self, robot: Robot | None = None) -> list[Assumption]:
        first, _, *rest = super().assumptions(robot)
        why = "checked by nobody; Γ and α small, Bv large"
        return [first, *rest, Assumption("α is small enough for V > 0 and V̇ ≤ 0", None, why)]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V of approximate Jacobian control, and what the estimates are off by.

        With φ̃ = φ̂ − φ:

            V + ½ φ̃ᵀ Γ⁻¹ φ̃                                                        Cheah
        """
        V = super().value(tree, t, q, qd, x)
        if V is None:
            return None
        off = x - self.parameters.of(tree)
        return V + off @ (np.linalg.inv(self.adaptation) @ off) / 2
