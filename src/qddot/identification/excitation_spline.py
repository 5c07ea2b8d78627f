"""Motions through knots: quintic splines that begin and end at rest, at the same place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.fourier import Motion

DEGREE = 5
REST = [(1, 0.0), (2, 0.0)]  # first and second derivative at an end


@dataclass(frozen=True)
class QuinticSpline:
    """A motion of n joints through knots at equal steps of time, four times differentiable.

    At both ends q̇ = q̈ = 0. Where the first and the last knot are the same, it can be repeated:
    times outside of [0, T] are taken modulo T.
    """

    period: float  # [s]
    knots: np.ndarray  # positions, shape (K, n), K ≥ 3, [rad] or [m]

    @property
    def n(self) -> int:
        """How many joints."""
        return self.knots.shape[1]

    def at(self, t: Any) -> Motion:
        """Return q, q̇ and q̈ at any times [s], each of shape (*t.shape, n)."""
        if np.asarray(t).dtype.kind not in "fiu":
            raise BadArgument(
                "An exciting motion by splines is repeated by looking its times up, which cannot "
                "be recorded.\n  A law follows qddot.excite(..., curve='fourier'), or "
                "Quintic(motion.at(t)[0], ...) through points of this one."
            )
        t = np.asarray(t, dtype=float)
        inside = np.where((t < 0) | (t > self.period), np.mod(t, self.period), t)
        first, second, third = (spline(inside) for spline in self._splines)
        return first, second, third

    def nodes(self, count: int) -> tuple[np.ndarray, float]:
        """Return times in one period, and how much a peak can be above the largest value there.

        For a polynomial p of degree d at N Chebyshev points of an interval (Ehlich, Zeller, 1964):

            max |p| ≤ max_j |p(t_j)| / cos(πd/2N)
        """
        spans = len(self.knots) - 1
        each = max(count // spans, 8 * DEGREE)
        inside = 0.5 - 0.5 * np.cos(np.pi * (np.arange(each) + 0.5) / each)
        times = np.add.outer(np.arange(spans), inside).reshape(-1) * (self.period / spans)
        return times, float(1 / np.cos(np.pi * DEGREE / (2 * each)))

    def facts(self) -> dict[str, Any]:
        """Return what a file needs to hold."""
        return {"kind": "spline", "period": self.period, "knots": self.knots.tolist()}

    @staticmethod
    def of(facts: dict[str, Any]) -> QuinticSpline:
        """Return the spline that `facts` came from."""
        knots = np.array(facts["knots"], dtype=float)
        if knots.ndim != 2 or len(knots) < 3:
            raise ValueError("a spline has rows of three knots or more")
        return QuinticSpline(float(facts["period"]), knots)

    @cached_property
    def _splines(self) -> tuple[Any, Any, Any]:
        from scipy.interpolate import make_interp_spline

        times = np.linspace(0, self.period, len(self.knots))
        rest: Any = ([(k, np.full(self.n, x)) for k, x in REST],) * 2
        spline = make_interp_spline(times, self.knots, k=DEGREE, bc_type=rest)
        return spline, spline.derivative(1), spline.derivative(2)


@dataclass(frozen=True)
class SplineBasis:
    """All splines through so many knots that end where they began, as a linear space.

    A member is X of shape (m, n), m = K − 1: where the joints rest, then how far from there the
    inner knots are.
    """

    period: float  # [s]
    knots: int  # K, both ends counted

    @property
    def size(self) -> int:
        """How many numbers a joint has, m."""
        return self.knots - 1

    def matrices(self, t: np.ndarray) -> Motion:
        """Return B₀, B₁, B₂ of shape (k, m) with q = B₀ X, q̇ = B₁ X and q̈ = B₂ X."""
        q, qd, qdd = self.curve(np.eye(self.size)).at(t)
        return q, qd, qdd

    def curve(self, X: np.ndarray) -> QuinticSpline:
        """Return the motion that a member stands for."""
        ends = 0 * X[:1]
        return QuinticSpline(self.period, X[0] + np.vstack([ends, X[1:], ends]))
