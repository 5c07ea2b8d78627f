"""A path of joint positions, and a motion along it.

A path says where, a profile how far along when:

    q(t) = Q(s(t)),  q̇ = Q′ ṡ,  q̈ = Q″ ṡ² + Q′ s̈
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.control.references.arguments import keep, numbers
from qddot.control.references.piecewise import Piecewise
from qddot.control.references.profiles import Profile
from qddot.control.references.reference import Motion, Reference
from qddot.errors import BadArgument
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

    @staticmethod
    def through(points: Any) -> Path:
        """Return the natural cubic spline through points, s being the distance between them.

        Args:
            points: Joint positions [rad or m], one row a point, shape (m, n), m ≥ 2. Two points
                give a straight line.
        """
        q = numbers("path", points, "one row a point")
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

    def at(self, t: Scalar) -> Motion:
        """Return q, q̇ and q̈."""
        (s,), (sd,), (sdd,) = self.profile.curve.at(t)
        q, slope, bend = self.path.curve.at(s)
        return q, slope * sd, bend * (sd * sd) + slope * sdd
