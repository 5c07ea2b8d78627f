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
from qddot.control.laws.gains import gain
from qddot.control.laws.joint_law import joints_of, potential_torque, right_model
from qddot.control.laws.law import Assumption, ControlLaw, dry_direction
from qddot.dynamics.friction import friction_torque
from qddot.dynamics.momentum import centrifugal_rate, momentum
from qddot.dynamics.rnea import elastic_torque
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.program.optimise import optimised
from qddot.program.recorder import record
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class MomentumObserver(ControlLaw):
    """A law with an observer beside it, which sees the state and the torques that the law gives.

    Its state x is that of the law, then p̂, the momentum that the known torques explain. Because
    Ṁ = C + Cᵀ, the residual r follows the unknown torque like a filter of first order:

        dp̂/dt = τ + Cᵀ q̇ − g − friction + r        r = K_O (M q̇ − p̂)        ṙ = K_O (τ_ext − r)
    """

    law: ControlLaw
    gain: Any  # K_O: a number, (n,) or (n, n) [1/s]
    model: Robot | None = None  # of the observer; the law's if None

    equation: ClassVar[str] = "r = K_O (M(q) q̇ − ∫ (τ + Cᵀ q̇ − g − friction + r) dt)"

    def __init__(self, law: ControlLaw, gain: Any, model: Robot | None = None) -> None:
        if not isinstance(law, ControlLaw):
            raise BadArgument(f"An observer stands beside a law, not {type(law).__name__}.")
        for name, value in (("robot", model or law.robot), ("law", law), ("model", model)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "gain", _gain(gain, self.robot))
        if self.robot.n != law.robot.n:
            raise BadArgument(f"The law has {law.robot.n} joints and the model {self.robot.n}.")

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
        m, tree = len(self.law.x0), self.short
        tau, xd = self.law.define(t, q, qd, x[:m])
        r = self.gain @ (momentum(tree, q, qd) - x[m:])
        # what does not depend on q̇ is in the potential torque
        damping = elastic_torque(tree, q, qd) - elastic_torque(tree, q, 0 * np.arange(tree.n))
        offset = np.array([f.offset for f in tree.friction], dtype=object)
        rubbing = friction_torque(tree, qd, dry_direction(qd)) - offset + damping
        known = tau + centrifugal_rate(tree, q, qd) - potential_torque(tree, q) - rubbing
        return tau, np.concatenate([np.asarray(xd, dtype=object), known + r])

    def residual(self, q: Any, qd: Any, x: Any) -> np.ndarray:
        """Return r, the torque that something besides the actuators gives, shape (..., n)."""
        return self._residual(q, qd, np.ascontiguousarray(np.asarray(x)[..., -self.robot.n :]))

    @cached_property
    def _residual(self) -> Kernel:
        def residual(q: JointVec, qd: JointVec, p: JointVec) -> JointVec:
            return self.gain @ (momentum(self.short, q, qd) - p)

        n = self.robot.n
        return Kernel(optimised(record(residual, "residual", q=(n,), qd=(n,), p=(n,))))

    def error(self, t: Scalar, q: JointVec) -> Any:
        return self.law.error(t, q)

    @property
    def error_names(self) -> tuple[str, ...]:
        return self.law.error_names

    def assumptions(self, robot: Robot | None = None) -> list[Assumption]:
        seen = right_model(self, robot)._replace(statement="The observer's model is the arm")
        return [*self.law.assumptions(robot), seen]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        return self.law.value(tree, t, q, qd, x[: len(self.law.x0)])


def _gain(value: Any, robot: Robot) -> np.ndarray:
    return gain("gain", value, joints_of(robot))
