"""Polynomials joined end to end, over any scalar.

On piece k, from xₖ on, with u = x − xₖ:

    p(x) = cₖ₀ + cₖ₁ u + cₖ₂ u² + …

A number looks its piece up. A recorded scalar selects it, one comparison per piece, so that the
program is the same at every instant; so does a complex one, whose real part decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np

from qddot.scalars import Scalar


@dataclass(frozen=True, eq=False)
class Piecewise:
    """Polynomials over pieces of a line; the first and the last go on outside."""

    starts: np.ndarray  # (m,), rising
    coefficients: np.ndarray  # (m, degree + 1, k), lowest power first

    @cached_property
    def _table(self) -> np.ndarray:
        """One row per piece: where it starts, then its coefficients."""
        m = len(self.starts)
        return np.hstack([self.starts[:, None], self.coefficients.reshape(m, -1)])

    def at(self, x: Scalar) -> tuple[Any, Any, Any]:
        """Return p, p′ and p″, of shape (k,) each, by Horner's rule."""
        row = self._row(x)
        return horner(row[1:].reshape(self.coefficients.shape[1:]), x - row[0])

    def _row(self, x: Scalar) -> Any:
        if isinstance(x, (float, int, np.floating)):
            return self._table[np.searchsorted(self.starts[1:], x, side="right")]
        row = self._table[0]
        for start, further in zip(self.starts[1:], self._table[1:], strict=True):
            row = np.where(np.less(x, start), row, further)
        return row

    def values(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return p, p′ and p″ at many places, shape (*x.shape, k) each."""
        which = np.searchsorted(self.starts[1:], x, side="right")
        u = (x - self.starts[which])[..., None]
        value, first, second = horner(np.moveaxis(self.coefficients[which], -2, 0), u)
        # of a line, what does not depend on its coefficients
        return value, np.broadcast_to(first, value.shape), np.broadcast_to(second, value.shape)

    def hull(self, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Return what all values up to an end lie between, shape (k,) each: not the nearest such.

        The coefficients of a polynomial in Bernstein's form enclose it; over u from 0 to h:

            bᵢ = Σⱼ C(i, j)/C(d, j) cⱼ hʲ
        """
        degree = self.coefficients.shape[1] - 1
        rows = range(degree + 1)
        bernstein = np.array([[comb(i, j) / comb(degree, j) for j in rows] for i in rows])
        h = np.diff(self.starts, append=end)[:, None] ** np.arange(degree + 1)
        found = bernstein @ (self.coefficients * h[:, :, None])
        return found.min(axis=(0, 1)), found.max(axis=(0, 1))


def horner(coefficients: Any, u: Any) -> tuple[Any, Any, Any]:
    """Return p, p′ and p″ of a polynomial in u, its coefficients lowest power first."""
    value = first = half = 0.0
    for c in coefficients[::-1]:
        half = half * u + first  # p″/2
        first = first * u + value
        value = value * u + c
    return value, first, 2 * half


def resting_outside(curve: Piecewise, end: float) -> Piecewise:
    """Return a curve that keeps its first value before it starts, and the one at `end` after."""
    first, last = curve.coefficients[:1] * 0, curve.coefficients[-1:] * 0
    first[0, 0] = curve.coefficients[0, 0]
    last[0, 0] = horner(curve.coefficients[-1], end - curve.starts[-1])[0]
    begin = curve.starts[:1]
    return Piecewise(
        np.concatenate([begin - 1, curve.starts, [end]]),
        np.concatenate([first, curve.coefficients, last]),
    )


def hermite(x: np.ndarray, p: np.ndarray, d: np.ndarray, dd: np.ndarray) -> Piecewise:
    """Return the quintic pieces with given values and first and second derivatives at nodes.

    The nodes rise, shape (m + 1,); values and derivatives there are (m + 1, k).
    """
    ends = ((p[k], d[k], dd[k]) for k in (slice(None, -1), slice(1, None)))
    rows = quintic_between(np.diff(x)[:, None], *ends)
    return Piecewise(np.array(x[:-1]), np.stack(rows, axis=1))


def quintic_between(h: Any, start: tuple[Any, ...], end: tuple[Any, ...]) -> list[Any]:
    """Return the six coefficients, lowest power first, of the quintic from one state to another.

    On a piece of length h, with p, p′ and p″ given at both ends; A, B and C are what is left at the
    end after the parabola of the start:

        c₃ = (10A − 4B + ½C)/h³      c₄ = (−15A + 7B − C)/h⁴      c₅ = (6A − 3B + ½C)/h⁵
    """
    (p0, d0, dd0), (p1, d1, dd1) = start, end
    A = p1 - p0 - d0 * h - dd0 * h**2 / 2
    B = (d1 - d0 - dd0 * h) * h
    C = (dd1 - dd0) * h**2
    third, fourth = (10 * A - 4 * B + C / 2) / h**3, (-15 * A + 7 * B - C) / h**4
    return [p0, d0, dd0 / 2, third, fourth, (6 * A - 3 * B + C / 2) / h**5]


def control_points(h: Any, start: tuple[Any, ...], end: tuple[Any, ...]) -> np.ndarray:
    """Return the six Bézier points of that quintic, (6, ...): it stays within their hull.

    Five times their differences, through h, are those of its rate.
    """
    (p0, d0, dd0), (p1, d1, dd1) = start, end
    ahead, back = 0.4 * h * d0 + h**2 * dd0 / 20, h**2 * dd1 / 20 - 0.4 * h * d1
    return np.array([p0, p0 + 0.2 * h * d0, p0 + ahead, p1 + back, p1 - 0.2 * h * d1, p1])


def cubic_at(s: Any, h: Any, start: tuple[Any, Any], end: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return p and p′ at a share s of a piece of length h, of the cubic with p and p′ at both ends.

    It is:

        p = p₀ + s a + s (s − 1) b      a = p₁ − p₀      b = (1 − 2 s) a + (s − 1) h p′₀ + s h p′₁
    """
    (p0, d0), (p1, d1) = start, end
    way = p1 - p0
    bend = (1 - 2 * s) * way + (s - 1) * h * d0 + s * h * d1
    turn = h * d0 + h * d1 - 2 * way
    p = p0 + s * way + s * (s - 1) * bend
    return p, (way + (2 * s - 1) * bend + s * (s - 1) * turn) / h


def integrated(spans: Any, top: Any, order: int) -> Piecewise:
    """Return a scalar curve from 0 at rest whose derivative of an order is constant on each piece.

    Of order 2 that is the acceleration, of order 3 the jerk. Pieces of no length are left out.
    """
    state = np.zeros(order)  # p, p′, p″/2, … at the start of the piece: its Taylor coefficients
    starts, rows, at = [], [], 0.0
    for span, value in zip(spans, top, strict=True):
        if span > 0:
            row = np.append(state, value / (2 if order == 2 else 6))
            starts.append(at)
            rows.append(row)
            at += span
            rest = [
                [comb(j, i) * row[j] * span ** (j - i) for j in range(i, order + 1)]
                for i in range(order)
            ]
            state = np.array([sum(terms) for terms in rest])
    return Piecewise(np.array(starts), np.array(rows)[:, :, None])
