"""Angles so large that their sine is not known any more."""

from __future__ import annotations

import numpy as np

from qddot.errors import printable
from qddot.robot import Robot

FARTHEST = 1e14  # [rad]: beyond, kernels give NaN, as a double is known to no more than 0.01 rad


def far_angle(robot: Robot, q: np.ndarray, share: float = 1.0) -> str:
    """Return in words which joint has turned too far, or this share of it, if one has."""
    for joint, angle in zip(robot.model.free_joints, q, strict=True):
        if joint.turns and abs(angle) > share * FARTHEST:
            return (
                f"joint {printable(joint.name)!r} stands at {angle:.3g} rad, and sines are "
                f"computed up to {FARTHEST:g} rad (2π more is the same place)"
            )
    return ""
