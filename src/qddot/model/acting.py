"""What acts on each coordinate besides gravity and inertia: rotors, friction, springs.

A joint that follows another at q = r q_leader + o hands what acts on it to the leader's
coordinate, torques multiplied by r once more (virtual work).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from qddot.model.friction import Friction, together
from qddot.model.joint import FIXED, Joint
from qddot.model.model import Model
from qddot.scalars import JointVec, Scalar

# of each joint: which coordinate moves it (None: locked), by what ratio, from what offset
Positions: TypeAlias = dict[str, tuple[int | None, Scalar, Scalar]]


@dataclass(frozen=True)
class Elastic:
    """A spring and damper along one direction e of joint space.

    It stores ½ k (e·q − rest)², and the torque that holds it is:

        e [k (e·q − rest) + d e·q̇]
    """

    direction: np.ndarray  # (n,)
    stiffness: Scalar
    damping: Scalar
    rest: Scalar

    def torque(self, q: JointVec, qd: JointVec) -> JointVec:
        e = self.direction
        return e * (self.stiffness * (e @ q - self.rest) + self.damping * (e @ qd))

    def energy(self, q: JointVec) -> Scalar:
        stretch = self.direction @ q - self.rest
        return self.stiffness * stretch * stretch / 2


def elastics(model: Model, positions: Positions) -> Iterator[Elastic]:
    """Yield every spring at a joint and every spring and damper between two joints."""
    for joint in model.joints:
        if joint.kind != FIXED and joint.spring.stiffness:
            direction, offset = _stretch(model, positions[joint.name])
            yield Elastic(direction, joint.spring.stiffness, 0, joint.spring.rest - offset)
    for coupling in model.couplings:
        first, offset = _stretch(model, positions[coupling.first])
        second, other = _stretch(model, positions[coupling.second])
        rest = coupling.rest - offset + other
        yield Elastic(first - second, coupling.stiffness, coupling.damping, rest)


def rotor_inertia(model: Model, positions: Positions) -> Iterator[Scalar]:
    """Yield the reflected rotor inertia at each coordinate."""
    for shares in _shares(model, positions):
        yield sum(ratio * ratio * joint.motor.reflected for joint, ratio in shares)


def friction(model: Model, positions: Positions) -> Iterator[Friction]:
    """Yield the friction at each coordinate, that of followers included."""
    for shares in _shares(model, positions):
        yield together([(joint.friction, ratio) for joint, ratio in shares])


def _shares(model: Model, positions: Positions) -> list[list[tuple[Joint, Scalar]]]:
    """Return, for each coordinate, its own joint and then those that follow it."""
    shares: list[list[tuple[Joint, Scalar]]] = [[(joint, 1)] for joint in model.free_joints]
    for joint in model.joints:
        if joint.mimic is not None and joint.moves:
            at, ratio, _ = positions[joint.name]
            if at is not None:
                shares[at].append((joint, ratio))
    return shares


def _stretch(model: Model, position: tuple) -> tuple[np.ndarray, Scalar]:
    at, ratio, offset = position
    direction = np.array([ratio if i == at else 0 for i in range(model.n)])
    return direction, offset
