"""Adaptive tracking: the arm's parameters are found while it moves.

Slotine: J.-J. Slotine, W. Li, *On the adaptive control of robot manipulators*, Int. J. Robotics
Research 6(3), 1987.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import number, positive
from qddot.control.laws import dry_friction
from qddot.control.laws.assumption import NOT_LINEAR, Assumption, Rows, differences
from qddot.control.laws.dry_friction import sign_of, smooth_sign
from qddot.control.laws.estimates import Estimates, estimates, not_estimated, on_another
from qddot.control.laws.feedback import joints_of
from qddot.control.laws.gains import Assignment, gain
from qddot.control.laws.slotine_li import SlotineLi
from qddot.model.tree import Tree
from qddot.motions.setpoint import joint_reference
from qddot.program.recorder import record
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

FINDING = 1.0  # [1/s], how fast parameters are to be found where Γ is chosen
INSTANTS = 1000  # of a reference, at which Γ is balanced
FLOOR = 1e-3  # of what is shown best: what is shown less is adapted as if it were so much


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
        adaptation: Γ: a number, (p,) or (p, p); see `balanced`.
        estimate: "base" or "all" parameters.
        friction: The velocity that compensates dry friction: "measured" or "desired".
    """

    adaptation: Any = 1.0
    estimate: str = "base"

    kind: ClassVar[str] = "adaptive"
    gain_names: ClassVar[tuple[str, ...]] = ("lam", "kd", "adaptation")
    gain_units: ClassVar[Mapping[str, str]] = {**SlotineLi.gain_units, "adaptation": ""}
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

    def vanishing(self, robot: Robot, run: Rows) -> np.ndarray | None:
        """Return V without what the estimates are off by, which need not become right."""
        plain = SlotineLi(self.robot, self.lam, self.kd, self.reference).lyapunov(robot)
        return None if plain is None else Kernel(plain)(run.t, run.q, run.qd)

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, with what the estimates are off by.

        With φ̃ = φ̂ − φ:

            V = ½ sᵀ M s + ½ φ̃ᵀ Γ⁻¹ φ̃        V̇ = −sᵀ (K_D + Fᵥ) s            Slotine
        """
        V = super().value(tree, t, q, qd, x)
        off = x - self.parameters.of(tree)
        return V + off @ (np.linalg.inv(self.adaptation) @ off) / 2


def balanced(
    robot: Robot,
    reference: Any,
    kd: Any,
    *,
    rate: float,
    seconds: float,
    estimate: str = "base",
    floor: float = FLOOR,
) -> np.ndarray:
    """Return Γ for `AdaptiveSlotineLi` by which all that a reference shows is found equally fast.

    Where estimates change slowly beside the error, K_D s ≈ Y φ̃, so they follow

        dφ̃/dt = −Γ Yᵀ K_D⁻¹ Y φ̃

    and the Γ that gives all of them one rate ρ is ρ ⟨Yᵀ K_D⁻¹ Y⟩⁻¹, the mean taken along the
    reference.

    Args:
        robot: The law's model.
        reference: What is to be tracked.
        kd: K_D of the law.
        rate: ρ, how fast estimates are to converge [1/s]; well below that of the tracking error.
        seconds: How long a stretch of the reference counts [s]; a period, if it has one.
        estimate: "base" or "all", as the law's.
        floor: The least share of the best-shown direction that a direction counts with. A smaller
            one finds more, and asks more of the arm.

    Returns:
        A symmetric positive matrix, shape (p, p).
    """
    names = joints_of(robot)
    known, K = estimates(robot.tree, estimate), gain("kd", kd, names)
    motion = joint_reference(reference, robot)
    rate, seconds = positive("rate", rate, "1/s"), positive("seconds", seconds, "s")
    floor = number("floor", floor, "a share above 0, at most 1", above=0, most=1)
    t = np.linspace(0, seconds, INSTANTS, endpoint=False)
    Y = Kernel(record(lambda t: _regressor(known, motion.at(t)), "Y", t=()))(t)
    shown = np.einsum("tip,ij,tjq->pq", Y, np.linalg.inv(K), Y) / INSTANTS
    # parameters differ in size; what is small is measured in units of the model's own values
    size = np.abs(known.values) + 0.01 * np.abs(known.values).max()
    values, axes = np.linalg.eigh(shown * np.outer(size, size))
    values = np.maximum(values, floor * values[-1])
    inverse = (axes / values) @ axes.T
    Gamma = rate * inverse * np.outer(size, size)
    return (Gamma + Gamma.T) / 2


def _regressor(known: Estimates, motion: tuple) -> Any:
    """Return Y at a point of the reference, shape (n, p)."""
    q, qd, qdd = (np.asarray(part, dtype=object) for part in motion)
    moving = known.movements(q, qd, qd, qdd)
    units = np.eye(len(qd), dtype=int)
    return np.stack([known.powers(moving, e, qd, qd, qdd, smooth_sign) for e in units])
