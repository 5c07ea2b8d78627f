"""A path of joint positions, how far along it one is over time, and the motion that both make.

A path says where, a profile how far along when:

    q(t) = Q(s(t)),  q̇ = Q′ ṡ,  q̈ = Q″ ṡ² + Q′ s̈

Profiles go from rest to rest: with the least jerk in a given time, or the quickest that keep to a
highest speed and acceleration (trapezoidal speed), and to a highest jerk too (S-curve, seven
pieces). Biagiotti: Biagiotti, Melchiorri, Trajectory Planning for Automatic Machines and Robots,
Springer 2008, §§3.2 and 3.4.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.checks import numbers
from qddot.errors import BadArgument
from qddot.motions.motion import Reference, Triple, keep
from qddot.motions.piecewise import Piecewise, integrated, resting_outside
from qddot.scalars import Scalar


@dataclass(frozen=True, eq=False)
class Path:
    """Joint positions Q(s) for s from 0 to a length, twice differentiable."""

    curve: Piecewise
    length: float

    @property
    def n(self) -> int:
        """How many joints."""
        return self.curve.coefficients.shape[2]

    @property
    def knots(self) -> np.ndarray:
        """Where its pieces begin and end."""
        return np.append(self.curve.starts, self.length)

    @cached_property
    def hull(self) -> tuple[np.ndarray, np.ndarray]:
        """What its joint positions lie between, shape (n,) each: not the nearest such."""
        return self.curve.hull(self.length)

    @staticmethod
    def through(points: Any) -> Path:
        """Return the natural cubic spline through points, s being the distance between them.

        Args:
            points: Joint positions [rad or m], one row per point, shape (m, n), m ≥ 2. Two points
                give a straight line.
        """
        q = numbers("path", points, "numbers, one row per point")
        if q.ndim != 2 or len(q) < 2 or not q.shape[1]:
            raise BadArgument(
                f"path has shape {q.shape}; it must have shape (points, n), at least two points, "
                "a row each."
            )
        far = np.linalg.norm(np.diff(q, axis=0), axis=1)
        if not far.all():
            k = int(np.flatnonzero(far == 0)[0])
            raise BadArgument(
                f"Points {k} and {k + 1} of the path are the same; leave one of them out."
            )
        s = np.concatenate([[0.0], np.cumsum(far)])
        if len(q) == 2:
            rows = np.stack([q[0], (q[1] - q[0]) / s[1]])[None]
            return Path(Piecewise(s[:1], rows), float(s[1]))
        from scipy.interpolate import CubicSpline

        spline = CubicSpline(s, q, bc_type="natural")
        return Path(Piecewise(s[:-1], np.moveaxis(spline.c[::-1], 0, 1)), float(s[-1]))


@dataclass(frozen=True, eq=False, repr=False)
class AlongPath(Reference):
    """A motion along a path of joint positions."""

    path: Path
    profile: Profile  # of the length of the path

    def __post_init__(self) -> None:
        keep(self, n=self.path.n, duration=self.profile.duration)

    def __repr__(self) -> str:
        long = f"{self.path.length:.6g} in {self.duration:.6g} s"
        return f"<{type(self).__name__} of {self.n} joints: a path of {long}>"

    @property
    def breaks(self) -> np.ndarray:
        """Where the profile changes its law [s]."""
        return self.profile.breaks

    def _sampled(self, t: np.ndarray) -> Triple:
        s, sd, sdd = self.profile.curve.values(t)
        q, slope, bend = self.path.curve.values(s[:, 0])
        return q, slope * sd, bend * (sd * sd) + slope * sdd

    def at(self, t: Scalar) -> Triple:
        """Return q, q̇ and q̈."""
        (s,), (sd,), (sdd,) = self.profile.curve.at(t)
        q, slope, bend = self.path.curve.at(s)
        return q, slope * sd, bend * (sd * sd) + slope * sdd


@dataclass(frozen=True)
class Profile:
    """A distance over time: 0 and at rest before, the whole length and at rest after."""

    curve: Piecewise | MinimumJerk  # of one number
    duration: float  # [s]
    breaks: np.ndarray  # where the highest derivative jumps [s]


@dataclass(frozen=True)
class MinimumJerk:
    """From 0 to a length with the least ∫ (d³s/dt³)² dt, one polynomial for all times.

    With u = t/duration, held within 0 and 1:

        s = length (10 u³ − 15 u⁴ + 6 u⁵)
    """

    length: float
    duration: float  # [s]

    def at(self, t: Scalar) -> tuple[Any, Any, Any]:
        """Return s, ṡ and s̈, one number each, in a tuple as a curve has them."""
        u = np.minimum(np.maximum(t / self.duration, 0.0), 1.0)
        place = u * u * u * (10 - u * (15 - 6 * u))
        velocity = 30 * u * u * (1 - u) * (1 - u) / self.duration
        bend = 60 * u * (1 - u) * (1 - 2 * u) / self.duration**2
        if self.length != 1:
            place, velocity, bend = (self.length * x for x in (place, velocity, bend))
        return (place,), (velocity,), (bend,)

    def values(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the same at many instants, shape (*t.shape, 1) each."""
        s, sd, sdd = (x[..., None] for (x,) in self.at(t))
        return s, sd, sdd


def quintic(length: float, duration: float) -> Profile:
    """Return the profile of least jerk that covers a length in a given time."""
    return Profile(MinimumJerk(length, duration), duration, np.array([0.0, duration]))


def trapezoid(length: float, velocity: float, acceleration: float) -> Profile:
    """Return the quickest profile within a speed and an acceleration, whose speed is a trapezoid.

    Where the length is too short for the speed, a triangle:

        T_a = min(v/a, √(length/a)),  T = length/(a T_a) + T_a      Biagiotti §3.2
    """
    return joined([(length, velocity, acceleration)], None)


def s_curve(length: float, velocity: float, acceleration: float, jerk: float) -> Profile:
    """Return the quickest profile within a speed, an acceleration and a jerk.

    The speed rises for T_a, of which the acceleration rises for T_j and falls for T_j; the peak
    speed v̂ = a (T_a − T_j) covers length = v̂ (T_a + T_cruise):

        v j ≥ a²:  T_j = a/j,     T_a = T_j + v/a      Biagiotti §3.4
        else:      T_j = √(v/j),  T_a = 2 T_j
        v̂ < v:     T_a = T_j/2 + √(T_j²/4 + length/a), or T_a = 2 T_j with T_j = ∛(length/2j)
    """
    return joined([(length, velocity, acceleration)], jerk)


PathPart = tuple[float, float, float]  # its length, highest speed and highest acceleration


def joined(parts: list[PathPart], jerk: float | None) -> Profile:
    """Return a quick profile within a speed and an acceleration of each part, and a jerk.

    Where parts meet, the speed is the highest that both have and that can be reached from the start
    and left before the end. In between it rises to a peak and falls, as in `trapezoid` and
    `s_curve`. A part without an acceleration is passed at one speed.
    """
    inner = [min(part[1], after[1]) for part, after in itertools.pairwise(parts)]
    speeds = [0.0, *inner, 0.0]
    for k, part in enumerate(parts):
        speeds[k + 1] = min(speeds[k + 1], _peak(part, (speeds[k],), jerk))
    for k, part in reversed(list(enumerate(parts))):
        speeds[k] = min(speeds[k], _peak(part, (speeds[k + 1],), jerk))
    spans, top = [], []
    for part, ends in zip(parts, itertools.pairwise(speeds), strict=True):
        peak = _peak(part, ends, jerk)
        rise, fall = (_ramp(peak - end, part[2], jerk) for end in ends)
        slower = sum((1 + v / peak) / 2 * t for v, (_, t) in zip(ends, (rise, fall), strict=True))
        for sign, (turn, t) in ((1, rise), (0, (0.0, part[0] / peak - slower)), (-1, fall)):
            value = sign * (part[2] if jerk is None else jerk)
            spans += [t] if jerk is None or not sign else [turn, t - 2 * turn, turn]
            top += [value] if jerk is None or not sign else [value, 0.0, -value]
    return _made(sum(part[0] for part in parts), spans, top, 2 if jerk is None else 3)


def _peak(part: PathPart, ends: tuple[float, ...], jerk: float | None) -> float:
    """Return the highest speed that is reached on a part from and to the speeds at its ends."""
    length, high, acceleration = part
    low, speed = max(ends), high
    if not acceleration or high <= low:
        return low
    for _ in range(80):
        ramps = [(speed + end) / 2 * _ramp(speed - end, acceleration, jerk)[1] for end in ends]
        low, high = (speed, high) if sum(ramps) <= length else (low, speed)
        speed = (low + high) / 2
    return low


def _ramp(change: float, acceleration: float, jerk: float | None) -> tuple[float, float]:
    """Return how long the acceleration rises, and how long the speed changes by so much."""
    if change <= 0:
        return 0.0, 0.0
    if jerk is None:
        return 0.0, change / acceleration
    rise = min(acceleration / jerk, np.sqrt(change / jerk))
    return rise, rise + change / (jerk * rise)


def _made(length: float, spans: list[float], top: list[float], order: int) -> Profile:
    """Return the profile, its end put where it should be by what rounding left."""
    spans = [t if t > 1e-12 * max(spans) else 0.0 for t in spans]  # the others are rounding
    curve = integrated(spans, top, order)
    duration = float(sum(spans))
    reached = curve.values(np.array([duration]))[0][0, 0]
    curve = Piecewise(curve.starts, curve.coefficients * (length / reached))
    return Profile(resting_outside(curve, duration), duration, np.append(curve.starts, duration))
