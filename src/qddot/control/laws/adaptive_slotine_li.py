"""Adaptive tracking: the arm's parameters are found while it moves.

Slotine: J.-J. Slotine, W. Li, *On the adaptive control of robot manipulators*, Int. J. Robotics
Research 6(3), 1987.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws import dry_friction
from qddot.control.laws.adaptation import balanced
from qddot.control.laws.assumption import Assumption, Rows
from qddot.control.laws.comparison import NOT_LINEAR, differences
from qddot.control.laws.dry_friction import sign_of
from qddot.control.laws.estimates import Estimates, estimates, not_estimated, on_another
from qddot.control.laws.gains import Assignment, gain
from qddot.control.laws.slotine_li import SlotineLi
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

FINDING = 1.0  # [1/s], how fast parameters are to be found where Γ is chosen


@dataclass(frozen=True, eq=False, repr=False)
class AdaptiveSlotineLi(SlotineLi):
    """Slotine and Li's law with estimated parameters: its state x is φ̂.

    Estimates start at the parameters of the law's model. Rotor inertia, viscous and dry friction
    and offsets are estimated where the model has them; springs are taken as known. With
    friction="desired" Coulomb friction is found, too; that estimates do not drift is then open.

    Args:
        robot: The law's model; its parameters are where estimates start.
        lam: Λ: a number, (n,) or (n, n) [1/s].
        kd: K_D: a number, (n,) or (n, n) [N·m·s/rad].
        reference: Of the joints, or where to stay, (n,) [rad or m].
        adaptation: Γ: a number, (p,) or (p, p); see `adaptation.balanced`.
        estimate: "base" or "all" parameters.
        friction: The velocity that compensates dry friction: "measured" or "desired".
    """

    adaptation: Any = 1.0
    estimate: str = "base"

    kind: ClassVar[str] = "adaptive"
    gain_names: ClassVar[tuple[str, ...]] = ("lam", "kd", "adaptation")
    model_for: ClassVar[str] = "start"
    equation: ClassVar[str] = "τ = Y(q, q̇, q̇_r, q̈_r) φ̂ − K_D s        dφ̂/dt = −Γ Yᵀ s"

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        found = super().suited(task)
        if "adaptation" not in task.gains:
            span = getattr(task.reference, "period", None) or task.seconds
            kd = task.gains.get("kd", found["kd"])
            found["adaptation"] = balanced(
                task.model, task.reference, kd, rate=FINDING, seconds=span
            )
        return found

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
        # dry friction is shown by the velocity that it is compensated by
        seen, dry = (qd_r if self.friction == "desired" else qd), sign_of(self.friction)
        tau = known.torque(x, q, qd, qd_r, qdd_r, dry, seen) - self.kd @ s
        moving = known.movements(q, qd, qd_r, qdd_r)
        return tau, -(self.adaptation @ known.powers(moving, s, seen, qd_r, qdd_r, dry))

    def on(self, robot: Robot) -> AdaptiveSlotineLi:
        return on_another(self, robot)

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        robot = robot or self.robot
        known = ("joints", "lengths", "gravity", *NOT_LINEAR, "springs")
        found = [each.why for each in differences(self.robot, robot, known)]
        found += not_estimated(self.robot, robot)
        statement = "What is not estimated (lengths, gravity, springs, ...) is the arm's"
        return [Assumption(statement, not found, "; ".join(found) or "it is the same")]

    def dry_friction(self, robot: Robot, q: np.ndarray) -> Assumption:
        found = super().dry_friction(robot, q)
        if found.holds is not True or dry_friction.none_at_all(robot):
            return found
        why = "V falls but within |q̇_r| < 0.001; that estimates do not drift there is not shown"
        return found._replace(holds=None, why=why)

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, with what the estimates are off by.

        With φ̃ = φ̂ − φ:

            V = ½ sᵀ M s + ½ φ̃ᵀ Γ⁻¹ φ̃        V̇ = −sᵀ (K_D + Fᵥ) s            Slotine
        """
        V = super().value(tree, t, q, qd, x)
        off = x - self.parameters.of(tree)
        return V + off @ (np.linalg.inv(self.adaptation) @ off) / 2
