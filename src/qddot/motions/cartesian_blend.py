"""Lines, arcs and screws of a frame joined with rounded corners, as one motion.

A corner is rounded from a distance r before it to r behind it, in position and in orientation. With
the paths A and B that meet there, u from −r to r, and turns by vectors φ seen from the corner:

    x(u) = quintic with x, x′, x″ of A at −r, and of B at r
    φ(u) = the same of φ_A = u ω_A and φ_B = u ω_B        R(u) = exp([φ]×) R(0)

so that velocities and accelerations do not jump. Between two lines x′ goes from one direction to
the other as 3σ² − 2σ³, a parabola whose acceleration begins and ends at zero, and the corner is
missed by 3/16 r |e_B − e_A|. The turn per unit of u and its slope follow from φ (Lynch and Park,
*Modern Robotics*, exercise 3.10):

    ω = φ′ + a φ × φ′ + b φ × (φ × φ′)        a = (1 − cos θ)/θ²,  b = (θ − sin θ)/θ³,  θ = |φ|
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from qddot.checks import spread
from qddot.errors import BadArgument
from qddot.motions.cartesian import CartesianPath
from qddot.motions.following import turned
from qddot.motions.motion import keep
from qddot.motions.path import PathPart
from qddot.motions.piecewise import horner, quintic_between
from qddot.scalars import Scalar, Vec3, sincos, sqrt
from qddot.spatial.rotation import rotation_vector
from qddot.spatial.vector import cross, skew

TOGETHER = 1e-6  # [m] and [rad], by which the end of one path may miss the start of the next
COMPLEX_STEP = 1e-30
SMALL = 1e-2  # θ² below which series are as exact as a and b


BlendPart = tuple[float, bool, int]  # where it begins, whether it is a corner, which of those


@dataclass(frozen=True, eq=False)
class CartesianBlend(CartesianPath):
    """Paths of a frame one after the other, with rounded corners; `blended` makes it."""

    paths: Any = field(repr=False)  # CartesianPaths, each from where the one before ends
    radius: Any  # [m], one number, or one for each corner

    def __post_init__(self) -> None:
        paths = tuple(self.paths)
        corners = [f"corner {k + 1}" for k in range(len(paths) - 1)]
        radius = spread("radius", self.radius, corners, "a positive distance [m]", above=0)
        keep(self, paths=paths, radius=radius)
        self._open("turned")
        self._fits()
        self._close()

    def _fits(self) -> None:
        """Refuse paths that do not meet, and corners that overlap."""
        room = np.concatenate([[0], self.radius, [0]])
        for k, path in enumerate(self.paths):
            taken = room[k] + room[k + 1]
            if taken > path.length * (1 + 1e-12):
                raise BadArgument(
                    f"Path {k + 1} is {path.length:.4g} m long, and the rounded corners at its "
                    f"ends take {taken:.4g} m of it: take a smaller radius."
                )
            if k and (path.orientation == "free") != (self.orientation == "free"):
                raise BadArgument(
                    "The orientation of some paths is free and that of others is not."
                )
        for k, (path, after) in enumerate(zip(self.paths, self.paths[1:], strict=False), 1):
            end, start = path.pose(path.length), after.pose(0.0)
            away = float(np.linalg.norm(start[:3, 3] - end[:3, 3]))
            turn = float(np.linalg.norm(rotation_vector(start[:3, :3] @ end[:3, :3].T)))
            if max(away, turn) > TOGETHER:
                raise BadArgument(
                    f"Path {k + 1} starts {away:.3g} m and {turn:.3g} rad away from where path {k} "
                    "ends.\n  Start it from the joints there: q=path.last_q."
                )

    @property
    def length(self) -> float:
        """How long the paths are, their corners included [m]."""
        return float(self._corners[-1])

    @cached_property
    def _corners(self) -> np.ndarray:
        """Where the paths begin, and where the last one ends."""
        return np.cumsum([0.0, *(path.length for path in self.paths)])

    @property
    def knots(self) -> np.ndarray:
        """Where paths and rounded corners begin, and the end."""
        return np.append(self._begins, self.length)

    @cached_property
    def _begins(self) -> np.ndarray:
        return np.array([begin for begin, _, _ in self._parts])

    @cached_property
    def _parts(self) -> list[BlendPart]:
        found, before = [], 0.0
        for k, path in enumerate(self.paths):
            r = self.radius[k] if k < len(self.radius) else 0.0
            if before + r < path.length * (1 - 1e-9):
                found.append((self._corners[k] + before, False, k))
            if r:
                found.append((self._corners[k + 1] - r, True, k))
            before = r
        return found

    def _within(self, v: float, a: float) -> list[PathPart]:
        """Return the same of each part; a corner that a keeps slow is passed at one speed."""
        found, ends = [], [*self._begins[1:], self.length]
        for (begin, corner, k), end in zip(self._parts, ends, strict=True):
            if not corner:
                (_, speed, rate), *_ = self.paths[k]._within(v, a)
                found.append((end - begin, speed, rate))
                continue
            slope, bend = self._largest(k)
            share = 1.0 if begin > 0 and end < self.length else 0.5  # one that starts from rest
            speed = min(v / slope, np.sqrt(share * a / bend) if bend else v)
            rate = max(a - bend * speed**2, 0) / slope
            found.append((end - begin, speed, rate if rate > 1e-9 * a else 0.0))
        return found

    def _largest(self, k: int) -> tuple[float, float]:
        """Return the largest |x′| and |x″| in a corner; of turns on the spot, |ω| and |ω′|."""
        r = self.radius[k]
        curve = np.array(self._roundings[k][0]).T * (2 * r) ** np.arange(6.0)
        slope, bend = ([Polynomial(x).deriv(n) for x in curve] for n in (1, 2))
        found = [_largest(slope) / (2 * r), _largest(bend) / (2 * r) ** 2]
        if not all(np.any(path.place(0.0)[1]) for path in self.paths[k : k + 2]):
            places = self._corners[k + 1] - r + np.linspace(0, 2 * r, 129)
            turns = np.linalg.norm([self.turning(s)[1:] for s in places], axis=2).max(axis=0)
            found = list(np.maximum(found, 1.001 * turns))
        return found[0], found[1]

    def place(self, s: Scalar) -> tuple[Vec3, Vec3, Vec3]:
        """Return where the frame is after a distance s, and two derivatives by s."""
        x, slope, bend = self._at(s, lambda part: np.array(self._place(part, s)))
        return x, slope, bend

    def turned_by(self, s: Scalar) -> tuple[Any, Any]:
        """Return the orientation after a distance s, and the turn per unit of s."""
        *R, spin = self._at(s, lambda part: np.vstack(self._turned(part, s)))
        return np.array(R), spin

    def _at(self, s: Scalar, of_part: Callable[[BlendPart], np.ndarray]) -> np.ndarray:
        """Return the rows that the part has to which s belongs."""
        if isinstance(s, (float, int, np.floating)):
            return of_part(self._part(float(s)))
        found = of_part(self._parts[0])
        for part in self._parts[1:]:
            before = np.less(s, part[0])
            # the program is the same at every instant
            pairs = zip(found.flat, of_part(part).flat, strict=True)
            found = np.array([np.where(before, a, b) for a, b in pairs]).reshape(found.shape)
        return found

    def _part(self, s: float) -> BlendPart:
        return self._parts[int(np.searchsorted(self._begins[1:], s, side="right"))]

    def _place(self, part: BlendPart, s: Scalar) -> tuple[Vec3, Vec3, Vec3]:
        _, corner, k = part
        if corner:
            return horner(self._roundings[k][0], s - (self._corners[k + 1] - self.radius[k]))
        return self.paths[k].place(s - self._corners[k])

    @cached_property
    def _roundings(self) -> list[tuple[list[np.ndarray], ...]]:
        """Of each corner, the coefficients of x and of φ."""
        found = []
        for r, path, after in zip(self.radius, self.paths, self.paths[1:], strict=False):
            ends = path.place(path.length - r), after.place(r)
            turns = [
                (u * spin, spin, np.zeros(3)) for u, spin in ((-r, path.spin), (r, after.spin))
            ]
            found.append(tuple(quintic_between(2 * r, *pair) for pair in (ends, turns)))
        return found

    def turning(self, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the orientation after a distance s, the turn per unit of s, and its slope."""
        part = self._part(s)
        R, spin = self._turned(part, s)
        if not part[1]:
            return R, spin, np.zeros(3)
        ahead = self._turned(part, s + COMPLEX_STEP * 1j)[1]
        return R, spin, np.imag(ahead) / COMPLEX_STEP

    def _turned(self, part: BlendPart, s: Scalar) -> tuple[Any, Any]:
        _, corner, k = part
        if not corner:
            spin = self.paths[k].spin
            return turned(spin, s - self._corners[k]) @ self._rotations[k], spin
        u = s - (self._corners[k + 1] - self.radius[k])
        phi, slope, _ = horner(self._roundings[k][1], u)
        share, a, b = _coefficients(phi @ phi)
        K, across = skew(phi), cross(phi, slope)
        R = (np.eye(3, dtype=int) + share * K + a * (K @ K)) @ self._rotations[k + 1]
        return R, slope + a * across + b * cross(phi, across)

    @cached_property
    def _rotations(self) -> list[np.ndarray]:
        """The orientation at the start of each path, one after the other."""
        found = [self._start_rotation]
        for path in self.paths[:-1]:
            found.append(turned(path.spin, path.length) @ found[-1])
        return found


def _largest(vector: list[Polynomial]) -> float:
    """Return the largest norm of a vector of polynomials of a number from 0 to 1."""
    square = sum((x * x for x in vector), Polynomial([0.0]))
    places = np.clip([0.0, 1.0, *np.real(square.deriv().roots())], 0.0, 1.0)
    return float(np.sqrt(square(places).max()))


def _coefficients(x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return (sin θ)/θ, a and b, of x = θ²."""
    near = np.real(x) < SMALL if isinstance(x, complex) else x < SMALL
    far = np.where(near, 1.0, x)
    angle = sqrt(far)
    s, c = sincos(angle)
    share = 1 - x / 6 + x**2 / 120 - x**3 / 5040 + x**4 / 362880
    a = 1 / 2 - x / 24 + x**2 / 720 - x**3 / 40320 + x**4 / 3628800
    b = 1 / 6 - x / 120 + x**2 / 5040 - x**3 / 362880 + x**4 / 39916800
    return (
        np.where(near, share, s / angle),
        np.where(near, a, (1 - c) / far),
        np.where(near, b, (angle - s) / (far * angle)),
    )


def blended(paths: Sequence[CartesianPath], radius: Any, **timing: Any) -> CartesianBlend:
    """Return paths of a frame as one motion with rounded corners, from rest to rest.

    Args:
        paths: `CartesianLine`, `CartesianArc` and `CartesianScrew`, each from where the one before
            ends: from its `last_q`. Their own timing does not count.
        radius: How far before and behind each corner it is rounded [m], one number, or one each.
        timing: A duration [s], or a velocity [m/s], an acceleration and a jerk, as of every path;
            a tolerance. The acceleration is that of the frame's origin in all, in corners too: it
            goes slower there if it must.

    Raises:
        BadArgument: If the paths do not meet, a corner has no room, or the joints cannot follow.
    """
    wrong = [x for x in paths if not isinstance(x, CartesianPath) or isinstance(x, CartesianBlend)]
    if wrong or len(paths) < 2:
        what = f"a {type(wrong[0]).__name__}" if wrong else f"{len(paths)} of them"
        raise BadArgument(
            f"paths has {what}; it must be two or more of CartesianLine, CartesianArc and "
            "CartesianScrew."
        )
    first = paths[0]
    if any(
        path.robot.model is not first.robot.model or path.frame != first.frame for path in paths
    ):
        raise BadArgument("The paths are of different robots or frames.")
    timing.setdefault("orientation", "free" if first.orientation == "free" else "kept")
    return CartesianBlend(first.robot, first.frame, first.q, paths, radius, **timing)
