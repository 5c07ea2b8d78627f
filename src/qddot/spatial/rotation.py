"""Rotations: 3×3 matrices R_AB that take coordinates in B to coordinates in A.

This file owns how a rotation is written down: roll, pitch, yaw about fixed axes (URDF), a unit
quaternion w, x, y, z (MJCF), or a turn about an axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from qddot.scalars import Mat3, Scalar, Vec3, constant_sincos, sincos
from qddot.spatial.vector import cross, skew, vector

IDENTITY = np.eye(3, dtype=int)  # int, so that symbolic results stay exact
Z = (0, 0, 1)


def from_rpy(rpy: Vec3, sincos: Callable[[Scalar], tuple] = constant_sincos) -> Mat3:
    """Return the rotation by roll about x, then pitch about y, then yaw about z (fixed axes).

    The same as turning about the moving axes in the opposite order:

        R = Rz(yaw) Ry(pitch) Rx(roll)
    """
    (sr, cr), (sp, cp), (sy, cy) = (sincos(angle) for angle in rpy)
    Rx = vector([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = vector([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = vector([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return Rz @ Ry @ Rx


def to_rpy(R: Mat3) -> tuple[float, float, float]:
    """Return roll, pitch, yaw with `from_rpy(rpy) == R`, accurate also near pitch = ±π/2.

    Yaw is read off first and taken out before roll is read, so the two share no rounding.
    """
    R = np.asarray(R, dtype=float)
    yaw = math.atan2(R[1, 0], R[0, 0])
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    s, c = math.sin(yaw), math.cos(yaw)
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw


def from_quaternion(wxyz: tuple[float, float, float, float]) -> Mat3:
    """Return the rotation of a quaternion w, x, y, z of any length but zero.

    With v = (x, y, z):

        R = E + 2 (w [v]× + [v]×²)/(w² + v·v)
    """
    largest = max(abs(part) for part in wxyz)  # scaled, so that no square is lost
    w, x, y, z = (part / largest for part in wxyz)
    K = skew((x, y, z))
    return IDENTITY + 2 * (w * K + K @ K) / (w * w + x * x + y * y + z * z)


def about_axis(axis: Vec3, angle: Scalar) -> Mat3:
    """Return the turn by an angle about a unit axis (Rodrigues' formula).

    With K = [axis]×:

        exp(K θ) = E + sin θ K + (1 − cos θ) K²
    """
    s, c = sincos(angle)
    K = skew(axis)
    return IDENTITY + s * K + (1 - c) * (K @ K)


def rotation_vector(R: Mat3) -> np.ndarray:
    """Return axis times angle of a rotation in floats, the angle from 0 to π [rad].

    At half a turn, where R − Rᵀ has nothing to say of the axis a, it is in R + E = 2 a aᵀ.
    """
    R = np.asarray(R, dtype=float)
    twice = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = np.linalg.norm(twice) / 2, (np.trace(R) - 1) / 2
    angle = np.arctan2(sine, cosine)
    if cosine > -0.99:
        return twice / 2 * (angle / sine if sine > 1e-12 else 1.0)
    columns = (R + R.T) / 2 - cosine * np.eye(3)  # (1 − cos θ) a aᵀ
    axis = columns[:, np.argmax(np.diagonal(columns))]
    axis = axis / np.linalg.norm(axis)
    return axis * angle * (-1.0 if axis @ twice < 0 else 1.0)


def turn_to(axis: Vec3) -> Mat3:
    """Return a rotation whose third column is a unit axis: a permutation where possible."""
    x, y, z = axis
    if x == 0 and y == 0:
        return np.diag([1, z, z]) if isinstance(z, int) else np.diag([1.0, z, z])
    # any vector that is not nearly parallel to the axis, turned into a right-handed triad
    other = (0, 0, 1) if abs(z) < 0.9 else (1, 0, 0)
    first = cross(other, axis)
    length = np.sqrt(float(first @ first))
    first = first if length == 1 else first / length
    return np.column_stack([first, cross(axis, first), vector(list(axis))])
