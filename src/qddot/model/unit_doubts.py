"""Doubts about units: degrees where radians belong, millimetres where metres do."""

from __future__ import annotations

import math
from collections.abc import Iterator

from qddot.model.joint import Joint
from qddot.model.link import Inertial, Placement
from qddot.scalars import Scalar
from qddot.scalars.expressions import free_symbols

LONGEST = 10  # [m]; no robot that we know of has a longer link
TURN = 6.3  # [rad]; a placement is never turned by more


def joint_units(joint: Joint) -> Iterator[tuple[str, str]]:
    """Yield what looks like another unit in a joint's placement, and what to do."""
    for angle in degrees(joint.origin.rpy):
        yield f"its origin is turned by {angle:g} rad", as_radians(angle)
    away = distance(joint.origin)
    if LONGEST < away < math.inf:
        yield f"its origin is {away:.4g} m away", "It looks like millimetres; divide by 1000."
    ends = [x for x in (joint.limits.lower, joint.limits.upper) if x is not None]
    far = max((abs(float(x)) for x in ends if not free_symbols(x)), default=0.0)
    if joint.role == "length" and far > LONGEST:
        remedy = "They look like millimetres; divide by 1000. Leave them out if there are none."
        yield f"its limits reach {far:.4g} m", remedy


def inertial_units(inertial: Inertial) -> Iterator[tuple[str, str]]:
    """Yield what looks like another unit in a link's inertia, and what to do."""
    for angle in degrees(inertial.rpy):
        yield f"the axes of its inertia are turned by {angle:g} rad", as_radians(angle)


def degrees(rpy: tuple[Scalar, ...]) -> list[float]:
    """Return the angles that are too large to be in radians."""
    return [float(x) for x in rpy if not free_symbols(x) and abs(float(x)) > TURN]


def as_radians(angle: float) -> str:
    return f"It looks like degrees; {angle:g}° is {math.radians(angle):.16g} rad."


def distance(placement: Placement) -> float:
    """Return how far away a placement is; infinite where it has symbols."""
    if any(free_symbols(x) for x in placement.xyz):
        return math.inf  # unknown, so nothing is too far
    return math.hypot(*(float(x) for x in placement.xyz))
