"""Poses, masses and inertias as MuJoCo computes them, in the numbers that a model keeps.

An inertia is the one typed in the file where that is still what MuJoCo uses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from qddot.errors import Problem
from qddot.model import Inertial, Placement
from qddot.model.inertia_advice import suggestion
from qddot.model.link import NEGLIGIBLE, NOWHERE
from qddot.model.structure import place
from qddot.readers.mjcf.source import MjcfSource
from qddot.scalars import Mat3
from qddot.spatial.inertia import symmetric, why_impossible
from qddot.spatial.pose import Pose
from qddot.spatial.rotation import IDENTITY, from_quaternion, to_rpy

SAME = 1e-6  # relative; releases of MuJoCo before 4 lose up to 1e-8 in turning the axes
RESIDUE = 1e-15  # [rad] what a right angle may be off after a quaternion or a matrix


def inertial(model: Any, i: int, typed: Sequence[float]) -> Inertial:
    """Return the mass and inertia of a body, as typed where the file has the matrix.

    MuJoCo turns every matrix to its principal axes. The numbers of the file are better to read
    and to start from, as long as they are still what MuJoCo uses.
    """
    mass, com = float(model.body_mass[i]), floats(model.body_ipos[i])
    x, y, z = floats(model.body_inertia[i])
    mass = mass if mass > NEGLIGIBLE else 0
    if max(x, y, z) <= NEGLIGIBLE:
        return Inertial(mass, com if mass else NOWHERE)
    R = from_quaternion(tuple(model.body_iquat[i]))
    if np.all(np.isfinite([*typed, x, y, z])):
        used = R @ np.diag([x, y, z]) @ R.T
        if np.abs(symmetric(typed) - used).max() <= SAME * max(x, y, z):
            return Inertial(mass, com, tuple(typed))
    return Inertial(mass, com, (x, 0, 0, y, 0, z), angles(R))


def typed_matrix(body: Any) -> tuple[float, ...]:
    """Return Ixx, Ixy, Ixz, Iyy, Iyz, Izz of a body's fullinertia, NaN where it has none."""
    xx, yy, zz, xy, xz, yz = floats(body.fullinertia)
    return xx, xy, xz, yy, yz, zz


def impossible_inertias(spec: Any, source: MjcfSource) -> Iterator[Problem]:
    """Yield the bodies of a spec whose inertia, as typed, no body has."""
    for body in spec.bodies:
        if not body.explicitinertial:
            continue
        mass, six = float(body.mass), typed_matrix(body)
        if not np.all(np.isfinite(six)):
            x, y, z = floats(body.inertia)
            six = (x, 0.0, 0.0, y, 0.0, z)
        if why := why_impossible(mass, symmetric(six)):
            file, line = source.line("body", body.name, body.info)
            where = place("body", body.name) if body.name else "a body without a name"
            yield Problem("error", where, why, suggestion(mass, six), line, file)


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
