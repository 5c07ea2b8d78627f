"""The momentum observer: what pushes the arm besides its actuators, without a force sensor.

De Luca: A. De Luca, A. Albu-Schäffer, S. Haddadin, G. Hirzinger, *Collision detection and safe
reaction with the DLR-III lightweight manipulator arm*, IROS 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import spread
from qddot.control.laws.assumption import Assumption, Rows, right_model
from qddot.control.laws.dry_friction import SMOOTHING
from qddot.control.laws.feedback import joints_of, potential_torque
from qddot.control.laws.gains import gain
from qddot.control.laws.law import ControlLaw
from qddot.dynamics.friction import friction_torque, offset_torque, smooth_direction
from qddot.dynamics.momentum import centrifugal_rate, momentum
from qddot.dynamics.rnea import elastic_torque
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.program.optimise import optimised
from qddot.program.recorder import array_of, record
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class MomentumObserver(ControlLaw):
    """A law with an observer beside it, which sees the state and the torques that actuators give.

    Its state x is that of the law, then p̂, the momentum that the known torques explain, which
    starts at M q̇. Because Ṁ = C + Cᵀ, the residual r follows the unknown torque like a filter of
    first order:

        dp̂/dt = τ + Cᵀ q̇ − g − friction + r        r = K_O (M q̇ − p̂)        ṙ = K_O (τ_ext − r)

    Args:
        law: The law.
        gain: K_O: a number, (n,) or (n, n) [1/s].
        model: What the observer takes the arm for; the law's model if None.
        effort: Where actuators cut the law's torques off [N·m or N], a number or (n,). What is cut
            off is no push. `closed_loop` fills it in; in `simulate` and `rollout` give it.
    """

    law: ControlLaw
    gain: Any
    model: Robot | None = None
    effort: Any = None

    equation: ClassVar[str] = "r = K_O (M(q) q̇ − p(0) − ∫ (τ + Cᵀ q̇ − g − friction + r) dt)"

    def __init__(
        self, law: ControlLaw, gain: Any, model: Robot | None = None, effort: Any = None
    ) -> None:
        if not isinstance(law, ControlLaw):
            raise BadArgument(f"An observer stands beside a law, not {type(law).__name__}.")
        for name, value in (("robot", model or law.robot), ("law", law), ("model", model)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "gain", _gain(gain, self.robot))
        if self.robot.n != law.robot.n:
            raise BadArgument(f"The law has {law.robot.n} joints and the model {self.robot.n}.")
        object.__setattr__(self, "effort", _effort(effort, self.robot.n))

    def on(self, robot: Robot) -> MomentumObserver:
        """Return the same law and observer, both made from another model."""
        return MomentumObserver(self.law.on(robot), self.gain, None, self.effort)

    def following(self, reference: Any) -> MomentumObserver:
        law = self.law.following(reference)
        return MomentumObserver(law, self.gain, self.model, self.effort)

    def limited(self, effort: np.ndarray) -> MomentumObserver:
        law = self.law.limited(effort)
        return MomentumObserver(law, self.gain, self.model, effort)

    @property
    def reference(self) -> Any:
        """What the law is to do."""
        return getattr(self.law, "reference", None)

    @property
    def x0(self) -> np.ndarray:
        return np.concatenate([self.law.x0, np.zeros(self.robot.n)])

    def start(self, q0: np.ndarray, qd0: np.ndarray) -> np.ndarray:
        """Return the law's start, and the momentum of this one: r starts at zero."""
        momentum = self.robot.mass_matrix(q0) @ qd0
        return np.concatenate([self.law.start(q0, qd0), momentum])

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        return self.observed(t, q, qd, x, None)

    def observed(
        self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec, applied: JointVec | None
    ) -> tuple:
        """Return τ and ẋ.

        Args:
            t, q, qd, x: As `define` has them.
            applied: The torques that actuators give; those of the law, cut off, if None.
        """
        m, tree = len(self.law.x0), self.short
        tau, xd = self.law.define(t, q, qd, x[:m])
        if applied is None:
            applied = tau
            if self.effort is not None:
                applied = np.clip(array_of(list(tau)), -self.effort, self.effort)
        r = self.gain @ (momentum(tree, q, qd) - x[m:])
        # what does not depend on q̇ is in the potential torque
        damping = elastic_torque(tree, q, qd) - elastic_torque(tree, q, 0 * np.arange(tree.n))
        direction = smooth_direction(tree, qd, SMOOTHING)
        rubbing = friction_torque(tree, qd, direction) - offset_torque(tree) + damping
        known = applied + centrifugal_rate(tree, q, qd) - potential_torque(tree, q) - rubbing
        return tau, np.concatenate([np.asarray(xd, dtype=object), known + r])

    def residual(self, q: Any, qd: Any, x: Any) -> np.ndarray:
        """Return r, the torque that something besides the actuators gives, shape (..., n)."""
        return self._residual(q, qd, np.ascontiguousarray(np.asarray(x)[..., -self.robot.n :]))

    @cached_property
    def _residual(self) -> Kernel:
        def residual(q: JointVec, qd: JointVec, p: JointVec) -> JointVec:
            return self.gain @ (momentum(self.short, q, qd) - p)

        nq, n = self.robot.nq, self.robot.n
        return Kernel(optimised(record(residual, "residual", q=(nq,), qd=(n,), p=(n,))))

    def error(self, t: Scalar, q: JointVec) -> Any:
        return self.law.error(t, q)

    @property
    def error_names(self) -> tuple[str, ...]:
        return self.law.error_names

    @property
    def error_units(self) -> tuple[str, ...]:
        return self.law.error_units

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        seen = right_model(self, robot)._replace(statement="The observer's model is the arm")
        return [*self.law.assumptions(robot, run), seen]

    def error_left(self, robot: Robot, q: np.ndarray) -> float:
        return self.law.error_left(robot, q)

    def vanishing(self, robot: Robot, run: Rows) -> np.ndarray | None:
        return self.law.vanishing(robot, run)

    def stiffness(self, q: np.ndarray) -> np.ndarray | None:
        return self.law.stiffness(q)

    def falling(self, t: Scalar, q: JointVec, qd: JointVec) -> Scalar:
        return self.law.falling(t, q, qd)

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        return self.law.value(tree, t, q, qd, x[: len(self.law.x0)])


def _effort(value: Any, n: int) -> np.ndarray | None:
    wanted = "a torque that is not negative [N·m or N]"
    return None if value is None else spread("effort", value, n, wanted, least=0, finite=False)


def _gain(value: Any, robot: Robot) -> np.ndarray:
    return gain("gain", value, joints_of(robot))
