"""Through points at given times, as smoothly as quintic polynomials can.

Of all curves through the points that start and end at rest, this one has the least ∫ |d³q/dt³|² dt:
it is the quintic spline, with four continuous derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.control.references.arguments import keep, numbers, positive
from qddot.control.references.limits import check_limits
from qddot.control.references.piecewise import Piecewise, hermite, resting_outside
from qddot.control.references.reference import Motion, Reference
from qddot.errors import BadArgument
from qddot.robot import Robot
from qddot.scalars import Scalar


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
        points = numbers("points", self.points, "one row a point")
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

    def at(self, t: Scalar) -> Motion:
        """Return q, q̇ and q̈."""
        return self.curve.at(t)


def spline(x: np.ndarray, p: np.ndarray) -> Piecewise:
    """Return the quintic spline through p, shape (m, k), at rest at both ends.

    The third and fourth derivatives are continuous at every inner point: with the rates and the
    accelerations there as unknowns, a linear system.
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
    times = numbers("times", given, "one for each point")
    if times.shape != (count,):
        raise BadArgument(
            f"times has shape {times.shape} for {count} points; give one time for each point, "
            "or how long it all lasts."
        )
    if times[0] != 0 or (np.diff(times) <= 0).any():
        raise BadArgument(f"times is {times.tolist()}; it must rise from 0 [s].")
    return times
