"""Approximate Jacobian control that estimates the gravity torques of the arm.

Cheah: C. C. Cheah, M. Hirano, S. Kawamura, S. Arimoto, *Approximate Jacobian control for robots
with uncertain kinematics and dynamics*, IEEE Trans. Robotics and Automation 19(4), 2003.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws.approximate_jacobian import ApproximateJacobian
from qddot.control.laws.assumption import Assumption, Rows
from qddot.control.laws.comparison import differences
from qddot.control.laws.estimates import Estimates, estimates, on_another
from qddot.control.laws.gains import gain
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class AdaptiveApproximateJacobian(ApproximateJacobian):
    """Approximate Jacobian control whose gravity torque is estimated: its state x is φ̂.

    Args:
        robot: The law's model; its parameters are where estimates start.
        frame: The frame's name.
        kp: Kp: a number or one per axis [N].
        kd: B_v: a number, (n,) or (n, n) [N·m·s/rad].
        reference: X_d: where the frame should be [m], along the axes.
        approximate: Whose Jacobian is taken; the law's own robot's if None.
        axes: The axes of the base along which the frame is placed.
        saturation: The spring's shape, one of `saturation.SATURATIONS`.
        cross: α of the update [m/s], positive: with α = 0 the estimates would stop wherever the arm
            stands still. Its proof needs a small one and knows no number, so it stays open.
        adaptation: Γ: a number, (p,) or (p, p).
        estimate: "base" or "all" parameters.
    """

    cross: float = field(kw_only=True)  # type: ignore[assignment]
    adaptation: Any = 1.0
    estimate: str = "base"

    equation: ClassVar[str] = (
        "τ = −Ĵᵀ Kp s(e) − B_v q̇ + Y_g(q) φ̂        dφ̂/dt = −Γ Y_gᵀ (q̇ + α Ĵ⁺ s(e))"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.cross > 0:
            raise BadArgument(
                "cross (α) must be positive for gravity to be found: try 0.1, and more while "
                "the run does not oscillate."
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

    def on(self, robot: Robot) -> AdaptiveApproximateJacobian:
        return on_another(self, robot)

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        robot = robot or self.robot
        first, _, *rest = super().assumptions(robot, run)
        known = ("joints", "lengths", "gravity", "offset", "springs")
        found = [each.why for each in differences(self.robot, robot, known, self.frame)]
        found += [f"the offset of {joint} is not estimated"
                  for joint, f in zip(robot.joint_names, robot.tree.friction, strict=True)
                  if f.offset]  # fmt: skip
        statement = "What is not estimated (lengths, gravity, springs, offsets) is the arm's"
        same = Assumption(statement, not found, "; ".join(found) or "it is the same")
        return [first, same, *rest]

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
