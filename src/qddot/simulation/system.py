"""What is to be stepped: a robot under a law, and how fast its state changes.

Recorded like every definition, so it is written over any scalar. Dry friction acts along
tanh(q̇/v), which a fixed step can follow where sgn(q̇) would have it jump back and forth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.forward import solve
from qddot.dynamics.friction import dry_friction, smooth_direction
from qddot.dynamics.momentum import centrifugal_rate, momentum
from qddot.dynamics.rnea import elastic_torque, gravity_torque
from qddot.model.joint import Friction
from qddot.model.model import Model
from qddot.model.tree import Tree
from qddot.robot.quantities import forward_dynamics
from qddot.scalars import JointVec, Scalar
from qddot.simulation.law import Law
from qddot.simulation.varied import varied_tree
from qddot.spatial.vector import vector


@dataclass(frozen=True)
class System:
    """A robot, which of its parameters vary, and what drives it."""

    model: Model
    parameters: tuple[str, ...] = ()  # that trajectories differ in
    law: Law | None = None
    driven: bool = False  # steps are given torques
    smoothing: float = 0.01  # [rad/s] or [m/s]

    @property
    def n(self) -> int:
        return self.model.n

    @property
    def m(self) -> int:
        """How many numbers the law's own state has."""
        return self.law.m if self.law else 0

    @property
    def constants(self) -> int:
        """How many numbers a trajectory keeps for good: parameters, then inputs of the law."""
        return len(self.parameters) + sum(port.size for port in (self.law.more if self.law else ()))

    def at(self, constants: np.ndarray, given: np.ndarray) -> Motion:
        """Return how it moves, with these constants and torques."""
        count = len(self.parameters)
        values = dict(zip(self.parameters, constants[:count], strict=True))
        tree = varied_tree(self.model, values)
        return Motion(self, tree, list(constants[count:]), given)


@dataclass(frozen=True)
class Motion:
    """How a system moves once all its numbers are known: the right-hand sides of its equations."""

    system: System
    tree: Tree
    inputs: list[Scalar]  # of the law
    given: JointVec  # torques, if it is driven

    def torque(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        """Return what the actuators give, and the rate of the law's state."""
        given = self.given if self.system.driven else vector([0] * self.tree.n)
        if self.system.law is None:
            return given, x
        tau, xd = self.system.law(t, q, qd, x, self.inputs)
        return tau + given, xd

    def acceleration(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        """Return q̈ and the rate of the law's state."""
        tau, xd = self.torque(t, q, qd, x)
        smooth = replace(self.tree, friction=(Friction(),) * self.tree.n)
        return forward_dynamics(smooth, q, qd, tau - self.friction(qd)), xd

    def velocity(self, q: JointVec, p: JointVec) -> JointVec:
        """Return q̇ = M(q)⁻¹ p."""
        return solve(mass_matrix(self.tree, q), p)

    def momentum(self, q: JointVec, qd: JointVec) -> JointVec:
        """Return p = M(q) q̇."""
        return momentum(self.tree, q, qd)

    def momentum_rate(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        """Return ṗ and the rate of the law's state.

        Hamilton's equation, with K the kinetic energy as a function of q and q̇:

            ṗ = ∂K/∂q − g + τ − friction − springs
        """
        tau, xd = self.torque(t, q, qd, x)
        held = gravity_torque(self.tree, q) + elastic_torque(self.tree, q, qd) + self.friction(qd)
        return centrifugal_rate(self.tree, q, qd) + tau - held, xd

    @property
    def dry(self) -> tuple[int, ...]:
        """The joints that have dry friction."""
        sizes = [(friction.coulomb, friction.static) for friction in self.tree.friction]
        return tuple(i for i, both in enumerate(sizes) if not all(map(is_nothing, both)))

    def friction(self, qd: JointVec) -> JointVec:
        """Return what friction resists with, the size of its dry part being any kind of number."""
        directions = smooth_direction(qd, self.system.smoothing)
        resisting = []
        for friction, rate, way in zip(self.tree.friction, qd, directions, strict=True):
            total = friction.viscous * rate + friction.offset
            # dry friction is linear in all its sizes
            alone = replace(friction, coulomb=0, static=_nothing(friction), further=())
            for size, unit in (
                (friction.coulomb, replace(alone, coulomb=1)),
                (friction.static, replace(alone, static=1)),
                *((above, replace(alone, further=((1, v),))) for above, v in friction.further),
            ):
                if not is_nothing(size):
                    total = total + size * dry_friction(unit, rate, way)
            resisting.append(total)
        return vector(resisting)


def is_nothing(size: Scalar | None) -> bool:
    """Return whether a size is not there or a plain zero."""
    return size is None or (isinstance(size, (int, float)) and size == 0)


def _nothing(friction: Friction) -> int | None:
    return None if friction.static is None else 0
