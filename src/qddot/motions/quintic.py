"""Through points at given times, as smoothly as quintic polynomials can; and motions repeated.

Of all curves through the points that start and end at rest, this one has the least ∫ |d³q/dt³|² dt:
it is the quintic spline, with four continuous derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.checks import numbers, positive
from qddot.errors import BadArgument
from qddot.motions.description import DURATION, POINTS, MotionKind
from qddot.motions.motion import Reference, Triple, check_limits, keep
from qddot.motions.piecewise import Piecewise, hermite, resting_outside
from qddot.robot import Robot
from qddot.scalars import Scalar

REPEATED = 15  # a motion can be repeated 2, 4, ..., 2¹⁶ times


@dataclass(frozen=True, eq=False)
class Quintic(Reference):
    """From rest to rest through points, velocity and acceleration zero at both ends.

    Example:
        >>> Quintic([[0.0], [1.0]], 2.0).at(1.0)[0]
        array([0.5])
    """

    points: Any  # (m, n) [rad or m]
    times: Any  # (m,) [s], rising from 0; or how long it all lasts, the points evenly spread
    robot: Robot | None = field(default=None, repr=False)  # whose limits it is held against
    curve: Piecewise = field(init=False, repr=False)

    def __post_init__(self) -> None:
        points = numbers("points", self.points, "numbers, one row per point")
        if points.ndim != 2 or len(points) < 2 or not points.shape[1]:
            raise BadArgument(
                f"points has shape {points.shape}; it must have shape (points, n), at least two "
                "points, a row each."
            )
        times = _times(self.times, len(points))
        end = float(times[-1])
        curve = resting_outside(spline(times, points), end)
        keep(self, points=points, times=times, curve=curve, n=points.shape[1], duration=end)
        check_limits(self.robot, self)

    @property
    def breaks(self) -> np.ndarray:
        """The times of the points [s]."""
        return self.times

    def at(self, t: Scalar) -> Triple:
        """Return q, q̇ and q̈."""
        return self.curve.at(t)

    def values(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the same at many instants without compiling, shape (*t.shape, n) each."""
        return self.curve.values(t)


@dataclass(frozen=True, eq=False)
class Repeated(Reference):
    """A motion that ends where it begins, repeated for ever; before t = 0 it rests.

    The time since the last start, t mod T, is found by subtracting T in powers of two, so that it
    can be recorded. After 2¹⁶ repetitions it rests.
    """

    motion: Quintic

    def __post_init__(self) -> None:
        first, last = self.motion.points[0], self.motion.points[-1]
        if np.abs(last - first).max() > 1e-9 * max(1.0, np.abs(first).max()):
            raise BadArgument(
                f"A motion that is repeated must end where it begins: it goes from "
                f"{first.tolist()} to {last.tolist()}."
            )
        keep(self, n=self.motion.n, duration=np.inf)

    @property
    def period(self) -> float:
        """After which it begins again [s]."""
        return self.motion.duration

    @property
    def breaks(self) -> np.ndarray:
        """The times of the points in the first period [s]."""
        return self.motion.breaks

    def at(self, t: Scalar) -> Triple:
        """Return q, q̇ and q̈."""
        for power in range(REPEATED, -1, -1):
            whole = 2.0**power * self.period
            t = t - np.where(np.less(t, whole), 0.0, whole)
        return self.motion.at(t)

    def values(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the same at many instants without compiling, shape (*t.shape, n) each."""
        return self.motion.values(np.where(t < 0, t, np.mod(t, self.period)))


def spline(x: np.ndarray, p: np.ndarray) -> Piecewise:
    """Return the quintic spline through p, shape (m, k), at rest at both ends.

    The third and fourth derivatives are continuous at every inner point: with the velocities and
    the accelerations there as unknowns, a linear system.
    """
    count, inner = len(x), len(x) - 2
    d, dd = np.zeros_like(p), np.zeros_like(p)
    if inner:
        still = _jumps(x, p, d, dd)
        columns = []
        for i in range(2 * inner):
            unit = np.zeros((2, count, 1))
            unit[i // inner, 1 + i % inner] = 1
            columns.append(_jumps(x, np.zeros((count, 1)), *unit)[:, 0])
        found = np.linalg.solve(np.stack(columns, axis=1), -still)
        d[1:-1], dd[1:-1] = found[:inner], found[inner:]
    return hermite(x, p, d, dd)


def _jumps(x: np.ndarray, p: np.ndarray, d: np.ndarray, dd: np.ndarray) -> np.ndarray:
    """Return by how much the third and fourth derivatives jump at the inner nodes."""
    c, h = hermite(x, p, d, dd).coefficients, np.diff(x)[:-1, None]
    third = c[:-1, 3] + 4 * c[:-1, 4] * h + 10 * c[:-1, 5] * h**2
    fourth = c[:-1, 4] + 5 * c[:-1, 5] * h
    return np.concatenate([c[1:, 3] - third, c[1:, 4] - fourth])


def _times(given: Any, count: int) -> np.ndarray:
    if np.ndim(given) == 0:
        return np.linspace(0, positive("times", given, "s"), count)
    times = numbers("times", given, "numbers, one for each point")
    if times.shape != (count,):
        raise BadArgument(
            f"times has shape {times.shape} for {count} points; give one time for each point, "
            "or how long it all lasts."
        )
    if times[0] != 0 or (np.diff(times) <= 0).any():
        raise BadArgument(f"times is {times.tolist()}; it must rise from 0 [s].")
    return times


QUINTIC = MotionKind(
    "quintic",
    "quintic 0,0 1,1 2.0",
    "through points; last: how long [s]",
    {"points": POINTS, "duration": DURATION},
    lambda at, points, duration: Quintic(points, duration, at.robot),
)
