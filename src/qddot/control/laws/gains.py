"""Gains: checked where they are given, and what they are chosen from where they are not.

Chosen gains bring the arm back like springs of ω = 10 rad/s, critically damped where its inertia
is largest within the limits. Those of a frame follow the mass that it seems to have at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from qddot.certificate.bound import Bound, rounded_up
from qddot.checks import check_finite, not_negative, numbers
from qddot.errors import BadArgument, listing
from qddot.robot import Robot

ROUNDING = 1e-12  # of the largest eigenvalue: what counts as symmetric, or as zero
STIFF, DAMP = 100.0, 20.0  # ω² [1/s²] and 2ω [1/s] of the motion that gains are chosen for
LEAN = 5.0  # Λ [1/s]
FASTEST = 1000.0  # [1/s] at which dampers alone stop the arm where it starts
POSITIONS = 1000  # at which the largest inertia is looked for


def gain(name: str, value: Any, parts: Sequence[str], least: str = "positive") -> np.ndarray:
    """Return a gain as a symmetric matrix of shape (k, k), or refuse it.

    It is a number, k numbers (a diagonal) or such a matrix, which may be singular where `least` is
    "zero" and not "positive"; its rows belong to joints or axes.
    """
    k = len(parts)
    array = numbers(name, value, f"a number, {k} numbers, or a matrix", finite=False)
    if array.shape not in ((), (k,), (k, k)):
        raise BadArgument(
            f"{name} has shape {array.shape}; give a number, an array of shape ({k},) or a "
            f"matrix of shape ({k}, {k}).\n  In order: {listing(parts)}."
        )
    check_finite(name, array, parts if array.ndim else ())
    matrix = array if array.ndim == 2 else np.diag(np.broadcast_to(array, (k,)))
    size = np.abs(matrix).max(initial=0)
    if np.abs(matrix - matrix.T).max(initial=0) > ROUNDING * size:
        raise BadArgument(
            f"{name} is not symmetric; a gain matrix must be, to be a spring or a damper."
        )
    values = np.linalg.eigvalsh(matrix) if k else np.ones(1)
    lowest = float(values.min())
    if lowest < -ROUNDING * size or (least == "positive" and lowest <= ROUNDING * size):
        wanted = "positive" if least == "positive" else "positive or zero"
        found = f"{lowest:g}" if array.ndim else f"{float(array):g}"
        what = "its smallest eigenvalue is" if array.ndim == 2 else "its smallest entry is"
        raise BadArgument(
            f"{name} must be {wanted}, and {what if array.ndim else 'it is'} {found}; with it "
            "the law would push away from its target."
        )
    return matrix


def bound(name: str, value: Any) -> float:
    """Return a bound as a number; refuse one that is negative or not finite.

    A certified bound is refused, too: it is one of the arm, not of what this one is about.
    """
    if isinstance(value, Bound):
        raise BadArgument(
            f"{name} is the certified bound of {value.quantity}, which is another quantity; if its "
            f"number is what you mean, give that: {rounded_up(value.upper, 6)}."
        )
    return not_negative(name, value)


def smallest(matrix: np.ndarray) -> float:
    """Return the smallest eigenvalue of a gain."""
    return float(np.linalg.eigvalsh(matrix).min()) if len(matrix) else np.inf


def largest(matrix: np.ndarray) -> float:
    """Return the largest eigenvalue of a gain."""
    return float(np.linalg.eigvalsh(matrix).max()) if len(matrix) else 0.0


@dataclass(frozen=True)
class Assignment:
    """An arm, what a law takes it for, what it follows, and the gains that are given."""

    arm: Robot
    model: Robot  # what the law takes the arm for
    lengths: Robot  # whose Jacobian a law takes that has an approximate one
    reference: Any
    q: np.ndarray  # where the run starts, (n,) [rad or m]
    seconds: float  # how long the run lasts
    frame: str
    axes: str
    gains: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def M(self) -> np.ndarray:
        """The mass matrix, shape (n, n)."""
        return self.model.mass_matrix(self.q)

    @cached_property
    def inertia(self) -> np.ndarray:
        """The largest inertia about every joint, the others locked, shape (n,).

        Of many random positions within the limits, the same ones every time, and of the start.
        """
        q = np.vstack([self.q, self.arm.random_positions(POSITIONS)])
        return np.diagonal(self.model.mass_matrix(q), axis1=1, axis2=2).max(axis=0)

    @property
    def mass(self) -> float:
        """The mass that the frame seems to have, over its axes [kg]."""
        rows = [3 + "xyz".index(axis) for axis in self.axes]
        J = self.model.jacobian(self.q, self.frame)[rows]
        return 1 / max(float(np.trace(J @ np.linalg.solve(self.M, J.T))) / len(rows), 1e-9)
