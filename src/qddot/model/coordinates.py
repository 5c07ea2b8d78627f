"""How a robot's own coordinates move its joints.

The definitions of `dynamics` are written in the joints of the bodies: q_J, v_J and the torques τ_J
at these. One map leads there from the robot's own q and v, and back:

    q_J = φ(q)        v_J = G(q) v        a_J = G(q) a + bend(q; u, v)        τ = G(q)ᵀ τ_J

with bend(q; u, v) = (∂G/∂q · u) v. Joints that follow others (mimics, gears) make G, and bodies
know nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from qddot.scalars import ConfigVec, JointVec, Scalar
from qddot.spatial.vector import vector


class CoordinateMap(Protocol):
    """φ, G and bend of a robot."""

    def joints(self, q: ConfigVec) -> ConfigVec:
        """Return φ(q), where all joints stand."""
        ...

    def velocities(self, q: ConfigVec, v: JointVec) -> JointVec:
        """Return G v, how fast all joints move."""
        ...

    def accelerations(self, q: ConfigVec, u: JointVec, v: JointVec, a: JointVec) -> JointVec:
        """Return G a + bend(u, v); at u = v the accelerations of all joints."""
        ...

    def torques(self, q: ConfigVec, of_joints: np.ndarray) -> np.ndarray:
        """Return Gᵀ τ_J, of a vector or of the rows of a matrix."""
        ...


@dataclass(frozen=True)
class Drive:
    """Which of the robot's own coordinates move a joint: it stands at ratio · q + offset."""

    q: slice  # of the robot's q
    v: slice  # of the robot's v
    ratio: Scalar = 1  # other than 1, and an offset, only for joints with one coordinate
    offset: Scalar = 0
    own: bool = True  # whether these coordinates are the joint's own, not another's that it follows

    @property
    def index(self) -> int:
        """Which entry of v moves a joint with one coordinate."""
        return self.v.start

    @property
    def plain(self) -> bool:
        """Whether the joint stands where its coordinates say."""
        return isinstance(self.ratio, int) and self.ratio == 1 and not self.offset


@dataclass(frozen=True)
class Drives:
    """The map of joints that have coordinates of their own or follow one: G is constant."""

    of: tuple[Drive, ...]  # one for each body, in order
    nv: int

    def joints(self, q: ConfigVec) -> ConfigVec:
        if self.identity:
            return q
        return vector([y for d in self.of for y in _at(d, q[d.q])])

    def velocities(self, q: ConfigVec, v: JointVec) -> JointVec:
        if self.identity:
            return v
        return vector([d.ratio * x for d in self.of for x in v[d.v]])

    def accelerations(self, q: ConfigVec, u: JointVec, v: JointVec, a: JointVec) -> JointVec:
        return self.velocities(q, a)

    def torques(self, q: ConfigVec, of_joints: np.ndarray) -> np.ndarray:
        if self.identity:
            return of_joints
        if np.ndim(of_joints) > 1:
            return np.stack([self.torques(q, column) for column in of_joints.T], axis=1)
        total = [0] * self.nv
        rows = iter(of_joints)
        for drive in self.of:
            for k in range(drive.v.start, drive.v.stop):
                total[k] = total[k] + drive.ratio * next(rows)
        return vector(total)

    @cached_property
    def identity(self) -> bool:
        """Whether q and v are those of the joints, one body after the other."""
        at = 0
        for drive in self.of:
            if not drive.plain or not drive.own or drive.v.start != at:
                return False
            at = drive.v.stop
        return at == self.nv


def _at(drive: Drive, q: ConfigVec) -> ConfigVec:
    return q if drive.plain else [drive.ratio * x + drive.offset for x in q]
