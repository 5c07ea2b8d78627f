"""Masses and inertias: as typed where that is still what MuJoCo uses, and why it refuses some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from qddot.errors import Problem
from qddot.model import Inertial
from qddot.model.inertia_advice import suggestion
from qddot.model.structure import place
from qddot.readers.mjcf.placing import angles, floats
from qddot.readers.mjcf.source import Source
from qddot.spatial.inertia import symmetric, why_impossible
from qddot.spatial.rotation import from_quaternion

SAME = 1e-6  # relative; releases of MuJoCo before 4 lose up to 1e-8 in turning the axes


def inertial(model: Any, i: int, typed: Sequence[float]) -> Inertial:
    """Return the mass and inertia of a body, as typed where the file has the matrix.

    MuJoCo turns every matrix to its principal axes. The numbers of the file are better to read
    and to start from, as long as they are still what MuJoCo uses.
    """
    mass, com = float(model.body_mass[i]), floats(model.body_ipos[i])
    x, y, z = floats(model.body_inertia[i])
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


def impossible_inertias(spec: Any, source: Source) -> Iterator[Problem]:
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
