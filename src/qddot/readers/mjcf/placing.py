"""Poses as MuJoCo computes them, in the numbers that a model keeps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from qddot.model import Placement
from qddot.model.link import NOWHERE
from qddot.scalars import Mat3
from qddot.spatial.pose import Pose
from qddot.spatial.rotation import IDENTITY, from_quaternion, to_rpy

RESIDUE = 1e-15  # [rad] what a right angle may be off after a quaternion or a matrix


def pose(position: Any, quaternion: Any) -> Pose:
    """Return the pose of a position and a quaternion of MuJoCo's."""
    return Pose(from_quaternion(tuple(quaternion)), np.array(position))


def placement(X: Pose) -> Placement:
    """Return a pose in the form that a model keeps."""
    return Placement(floats(X.p), angles(X.R))


def angles(R: Mat3) -> tuple[float, float, float]:
    """Return roll, pitch and yaw, with right angles that rounding has bent straightened."""
    if np.array_equal(R, IDENTITY):
        return NOWHERE
    roll, pitch, yaw = (straight(angle) for angle in to_rpy(R))
    return roll, pitch, yaw


def straight(angle: float) -> float:
    """Return the multiple of a right angle that an angle was before rounding, or the angle."""
    nearest = round(angle / (math.pi / 2)) * (math.pi / 2)
    return nearest if abs(angle - nearest) < RESIDUE else angle


def floats(values: Any) -> tuple[Any, ...]:
    """Return plain Python floats; NumPy's would print as such."""
    return tuple(float(x) for x in values)
