"""A revolute joint kept as the cosine and the sine of its angle: two numbers q, one velocity v.

No robot has it. It is here so that q and v are never confused: what takes one for the other fails
on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qddot.control.laws.saturation import arctan
from qddot.model.joint import Start
from qddot.model.joints import MOTIONS, Coordinate, Revolute
from qddot.robot import Robot
from qddot.scalars import sincos
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.rotation import IDENTITY, Z, turn_to
from qddot.spatial.vector import skew, vector

KIND = "cos_sin"


@dataclass(frozen=True)
class CosSin:
    """A turn about a unit axis: q = (cos θ, sin θ), v = dθ/dt."""

    axis: tuple

    nq, nv = 2, 1
    neutral = (1, 0)
    numbers = ()
    configuration = (Coordinate("cosine", "", ".cos"), Coordinate("sine", "", ".sin"))
    velocity = (Coordinate("angle", "rad/s"),)

    @classmethod
    def of(cls, joint, axis):
        return CosSin(axis)

    @property
    def S(self):
        return Revolute(self.axis).S

    def pose(self, q):
        c, s = q
        K = skew(self.axis)
        return Pose(IDENTITY + s * K + (1 - c) * (K @ K), ORIGIN)

    def rate(self, q, v):
        (c, s), (w,) = q, v
        return vector([-s * w, c * w])

    def velocity_of(self, q, dq):
        return vector([q[0] * dq[1] - q[1] * dq[0]])

    def step(self, q, dv):
        (c, s), (sine, cosine) = q, sincos(dv[0])
        return vector([c * cosine - s * sine, s * cosine + c * sine])

    def difference(self, q, other):
        (c, s), (cos, sin) = q, other
        return vector([angle(c * sin - s * cos, c * cos + s * sin)])

    def project(self, q):
        return vector([x / np.sqrt(q[0] * q[0] + q[1] * q[1]) for x in q])

    def along_z(self):
        return turn_to(self.axis), CosSin(Z)


def angle(s, c):
    """Return the angle in (−π, π] of a sine and a cosine, by operations that are recorded."""
    half = 2 * arctan(np.abs(s) / (1 + np.abs(c)))
    turned = np.where(np.less(c, 0), np.pi - half, half)
    return np.where(np.less(s, 0), -turned, turned)


def in_cosines(robot: Robot, monkeypatch) -> Robot:
    """Return the same robot with all its turning joints kept as cosine and sine, without limits."""
    monkeypatch.setitem(MOTIONS, KIND, CosSin)

    def changed(joint):
        if not (joint.turns and joint.moves):
            return replace(joint, start=Start())
        limits = replace(joint.limits, lower=None, upper=None)
        return replace(joint, kind=KIND, limits=limits, home=None, start=Start())

    return Robot(robot.model.with_joints(changed))


def pairs(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the configuration of `in_cosines` at joint angles q, shape (..., nq)."""
    turns = [joint.turns for joint in robot.model.free_joints]
    parts = [
        [np.cos(q[..., k]), np.sin(q[..., k])] if turn else [q[..., k]]
        for k, turn in enumerate(turns)
    ]
    return np.stack([x for part in parts for x in part], axis=-1)
