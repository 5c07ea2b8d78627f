"""What every kind of joint says of itself: the only thing that the rest of the package knows of it.

A joint lets one body move in another by the motions of a subgroup of SE(3). Its motion subspace S
is constant in the axes of the body that moves, and closed under the product of motions; what is no
subgroup (a universal joint, roll–pitch–yaw) is made of joints that are, with massless bodies
between.

A configuration q of a joint has nq numbers, a velocity v has nv, and v is the motion S v, not
dq/dt. Most joints have one of each, with v = dq/dt: `OneCoordinate` says so for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from qddot.scalars import ConfigVec, JointVec, Mat3, Scalar
from qddot.spatial.pose import Pose

# what an entry of q is to the pose: its sine and cosine alone, itself alone, both of these, itself
# a cosine or a sine, or nothing, because the body looks the same at every angle about its axis
Role = Literal["angle", "length", "angle and length", "cosine", "sine", "spin"]


@dataclass(frozen=True)
class Coordinate:
    """One number of a configuration or of a velocity."""

    role: Role
    unit: str  # "rad", "m", "rad/s", "m/s", or "" for a number without one
    suffix: str = ""  # behind the name of the joint, where that has several


class JointMotion(Protocol):
    """How one body moves in another."""

    nq: int  # numbers of a configuration
    nv: int  # numbers of a velocity
    configuration: tuple[Coordinate, ...]  # what the entries of q are
    velocity: tuple[Coordinate, ...]  # what the entries of v are
    neutral: tuple[Scalar, ...]  # the q at which the pose is the identity
    # what of a model's joint it needs besides the axis, such as "pitch"
    numbers: ClassVar[tuple[str, ...]]

    @property
    def S(self) -> np.ndarray: ...  # (6, nv): [angular; linear], in the axes of the moving body

    @classmethod
    def of(cls, joint: Any, axis: tuple[Scalar, Scalar, Scalar]) -> JointMotion:
        """Return the motion of a joint of a model, about or along a unit axis."""
        ...

    def pose(self, q: ConfigVec) -> Pose:
        """Return X_JB, where the body is: a polynomial in q, sin q and cos q."""
        ...

    def rate(self, q: ConfigVec, v: JointVec) -> ConfigVec:
        """Return dq/dt, linear in v."""
        ...

    def velocity_of(self, q: ConfigVec, dq: ConfigVec) -> JointVec:
        """Return the v that has the dq/dt given: the left inverse of `rate`."""
        ...

    def step(self, q: ConfigVec, dv: JointVec) -> ConfigVec:
        """Return where a motion S dv leads to, q ∘ exp(S dv); `step(q, 0)` is q."""
        ...

    def difference(self, q: ConfigVec, other: ConfigVec) -> JointVec:
        """Return the shortest dv with `step(q, dv)` the other configuration."""
        ...

    def project(self, q: ConfigVec) -> ConfigVec:
        """Return the nearest configuration, where rounding has left that."""
        ...

    def along_z(self) -> tuple[Mat3, JointMotion]:
        """Return R_BB' of axes B' in which S is cheapest, and the same motion in these axes."""
        ...


class OneCoordinate:
    """One number q, with dq/dt for its velocity."""

    nq = nv = 1
    neutral = (0,)
    numbers: ClassVar[tuple[str, ...]] = ()

    def rate(self, q: ConfigVec, v: JointVec) -> ConfigVec:
        return v

    def velocity_of(self, q: ConfigVec, dq: ConfigVec) -> JointVec:
        return dq

    def step(self, q: ConfigVec, dv: JointVec) -> ConfigVec:
        return q + dv

    def difference(self, q: ConfigVec, other: ConfigVec) -> JointVec:
        return other - q

    def project(self, q: ConfigVec) -> ConfigVec:
        return q
