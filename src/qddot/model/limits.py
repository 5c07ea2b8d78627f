"""What every coordinate of a robot may do, as arrays: the one place that knows.

A joint that follows another keeps the other within what it may do itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import NotNumeric, Problem, listing, printable
from qddot.model.folding import coordinates, numeric
from qddot.model.joint import Joint, Stops
from qddot.model.joints import MOTIONS
from qddot.model.model import Model, scalars
from qddot.model.structure import place
from qddot.model.units import JointUnits
from qddot.scalars import Scalar
from qddot.scalars.expressions import free_symbols

# by unit, how far an entry of q without limits is moved either way; one without a unit is a cosine
REACH = {"rad": np.pi, "m": 0.5, "": 1.0}


@dataclass(frozen=True, eq=False)
class RobotLimits:
    """How far, how fast, how strong, in the order of q; infinite where there is no limit."""

    lower: np.ndarray  # (nq,) [rad] or [m]
    upper: np.ndarray
    velocity: np.ndarray  # (n,) [rad/s] or [m/s]
    effort: np.ndarray  # (n,) [N·m] or [N]
    units: tuple[JointUnits, ...]  # of the joints
    reach: np.ndarray  # (nq,), how far q is moved either way without a limit: half a turn, 0.5 m

    def span(self, most: float = math.inf) -> tuple[np.ndarray, np.ndarray]:
        """Return finite ends for sliders, figures and random positions, two arrays (nq,).

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

    unless that leaves no room at all. Effort is that of the joint that q belongs to. It raises
    NotNumeric if a limit is a symbol.
    """
    _need_numbers(f"A limit of robot {model.name!r}", [joint.limits for joint in model.joints])
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
    entries = [MOTIONS[joint.kind].configuration for joint in free]
    # a joint whose position is no single number has no limits of it
    lower, upper = np.repeat(ends, [len(each) for each in entries], axis=0).T
    reach = np.array([REACH[entry.unit] for each in entries for entry in each])
    arrays = lower, upper, velocity, effort, reach
    for array in arrays:
        array.flags.writeable = False
    return RobotLimits(*arrays[:4], tuple(joint.units for joint in free), reach)


def stopped_joints(model: Model) -> tuple[str, ...]:
    """Return the names of the joints that have stops of their own."""
    return tuple(joint.name for joint in model.free_joints if joint.stops != Stops())


def without_stops(model: Model, what: str) -> str:
    """Return in a sentence that something leaves out the stops of a robot; nothing if none are."""
    names = printable(listing(stopped_joints(model), 4))
    return f"{what} has no stops: those of {names} are left out" if names else ""


def stops_of(model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where the joints have stops, −∞ and ∞ where none, and their restitutions, (n,) each.

    It raises NotNumeric if a stop is a symbol.
    """
    each = [joint.stops for joint in model.free_joints]
    _need_numbers(f"A stop of robot {model.name!r}", each)
    ends = np.array([_range(stops.lower, stops.upper) for stops in each]).reshape(-1, 2)
    return ends[:, 0], ends[:, 1], np.array([float(stops.restitution) for stops in each])


def limit_doubts(model: Model) -> Iterator[Problem]:
    """Yield the joints that follow another to where they may not be, wherever it stands."""
    if any(free_symbols(x) for x in scalars(tuple(joint.limits for joint in model.joints))):
        return
    found = limits_of(model)
    first = np.cumsum([0, *(MOTIONS[joint.kind].nq for joint in model.free_joints)])
    for i, joint, ratio, offset in _followers(model):
        k = first[i]
        low, high = sorted((end - offset) / ratio for end in _ends(joint))
        room = found.lower[k] < found.upper[k]
        if room and not max(low, found.lower[k]) < min(high, found.upper[k]):
            message = f"its limits leave no room for {model.joint_names[i]!r}, which it follows"
            remedy = "They are left out; give those of the joint at the multiplier and offset."
            yield Problem("warning", place("joint", joint.name), message, remedy, joint.line)


def _ends(joint: Joint) -> tuple[float, float]:
    """Return the lowest and the highest position of a joint by itself."""
    return _range(*joint.ends)


def _range(low: Scalar | None, high: Scalar | None) -> tuple[float, float]:
    return -math.inf if low is None else float(numeric(low)), _size(high)


def _need_numbers(what: str, parts: Sequence[Any]) -> None:
    if symbols := {name for x in scalars(tuple(parts)) for name in free_symbols(x)}:
        raise NotNumeric(what, symbols)


def _size(limit: Scalar | None) -> float:
    return math.inf if limit is None else float(numeric(limit))


def _followers(model: Model) -> Iterator[tuple[int, Joint, float, float]]:
    """Yield the joints that follow another: which free joint, at what ratio and offset."""
    positions = coordinates(model)
    for joint in model.joints:
        if joint.mimic is not None and joint.moves:
            k, ratio, offset = positions[joint.name]
            if k is not None and not free_symbols(ratio) | free_symbols(offset) and ratio:
                yield k, joint, float(ratio), float(offset)
