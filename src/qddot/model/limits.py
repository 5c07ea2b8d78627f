"""What every coordinate of a robot may do, as arrays: the one place that knows.

A joint that follows another keeps the other within what it may do itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qddot.errors import NotNumeric, Problem
from qddot.expressions import free_symbols
from qddot.model.joint import Joint
from qddot.model.model import Model, scalars
from qddot.model.structure import place
from qddot.model.tree import coordinates, numeric
from qddot.model.units import ANGLE, JointUnits
from qddot.scalars import Scalar

HALF_TURN, SLIDE = np.pi, 0.5  # [rad], [m], how far a joint without limits is moved either way


@dataclass(frozen=True, eq=False)
class RobotLimits:
    """How far, how fast, how strong, in the order of q; infinite where there is no limit."""

    lower: np.ndarray  # (n,) [rad] or [m]
    upper: np.ndarray
    velocity: np.ndarray  # [rad/s] or [m/s]
    effort: np.ndarray  # [N·m] or [N]
    units: tuple[JointUnits, ...]

    @property
    def reach(self) -> np.ndarray:
        """How far a joint is moved either way where nothing limits it, (n,): half a turn, 0.5 m."""
        return np.array([HALF_TURN if units == ANGLE else SLIDE for units in self.units])

    def span(self, most: float = math.inf) -> tuple[np.ndarray, np.ndarray]:
        """Return finite ends for sliders, figures and random positions, two arrays (n,).

        They are the limits; an end that has none is `reach` beyond zero, or beyond the other end if
        that is farther out.

        Args:
            most: How many times `reach` to go from zero, or from the limit next to it.
        """
        reach = self.reach
        low = np.where(np.isfinite(self.lower), self.lower, np.minimum(0, self.upper) - reach)
        high = np.where(np.isfinite(self.upper), self.upper, np.maximum(0, self.lower) + reach)
        near = np.clip(0, low, high)
        return np.maximum(low, near - most * reach), np.minimum(high, near + most * reach)


def limits_of(model: Model) -> RobotLimits:
    """Return the limits of a robot; the arrays cannot be written to.

    Of a joint that stands at r q + o, with limits of its own, q and q̇ keep to:

        lower ≤ r q + o ≤ upper        |r q̇| ≤ velocity

    unless that leaves no room at all. Effort is that of the joint that q belongs to.

    Raises:
        NotNumeric: If a limit is a symbol.
    """
    parts = [joint.limits for joint in model.joints]
    if symbols := {name for x in scalars(tuple(parts)) for name in free_symbols(x)}:
        raise NotNumeric(f"A limit of robot {model.name!r}", symbols)
    free = model.free_joints
    ends = np.array([_ends(joint) for joint in free], dtype=float).reshape(-1, 2)
    velocity = np.array([_size(joint.limits.velocity) for joint in free], dtype=float)
    effort = np.array([_size(joint.limits.effort) for joint in free], dtype=float)
    for k, joint, ratio, offset in _followers(model):
        low, high = sorted((end - offset) / ratio for end in _ends(joint))
        low, high = max(ends[k, 0], low), min(ends[k, 1], high)
        if low < high:
            ends[k] = low, high
        velocity[k] = min(velocity[k], _size(joint.limits.velocity) / abs(ratio))
    arrays = ends[:, 0].copy(), ends[:, 1].copy(), velocity, effort
    for array in arrays:
        array.flags.writeable = False
    return RobotLimits(*arrays, tuple(joint.units for joint in free))


def limit_doubts(model: Model) -> Iterator[Problem]:
    """Yield the joints that follow another to where they may not be, wherever it stands."""
    if any(free_symbols(x) for x in scalars(tuple(joint.limits for joint in model.joints))):
        return
    found = limits_of(model)
    for k, joint, ratio, offset in _followers(model):
        low, high = sorted((end - offset) / ratio for end in _ends(joint))
        room = found.lower[k] < found.upper[k]
        if room and not max(low, found.lower[k]) < min(high, found.upper[k]):
            message = f"its limits leave no room for {model.joint_names[k]!r}, which it follows"
            remedy = "They are left out; give those of the joint at the multiplier and offset."
            yield Problem("warning", place("joint", joint.name), message, remedy, joint.line)


def _ends(joint: Joint) -> tuple[float, float]:
    """Return the lowest and the highest position of a joint by itself."""
    low, high = joint.ends
    return -math.inf if low is None else float(numeric(low)), _size(high)


def _size(limit: Scalar | None) -> float:
    return math.inf if limit is None else float(numeric(limit))


def _followers(model: Model) -> Iterator[tuple[int, Joint, float, float]]:
    """Yield the joints that follow another: of which entry of q, at what ratio and offset."""
    positions = coordinates(model)
    for joint in model.joints:
        if joint.mimic is not None and joint.moves:
            k, ratio, offset = positions[joint.name]
            if k is not None and not free_symbols(ratio) | free_symbols(offset) and ratio:
                yield k, joint, float(ratio), float(offset)
