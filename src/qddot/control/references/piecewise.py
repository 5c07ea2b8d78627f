"""Polynomials joined end to end, over any scalar.

On piece k, from xₖ on, with u = x − xₖ:

    p(x) = cₖ₀ + cₖ₁ u + cₖ₂ u² + …

A number looks its piece up. A recorded scalar selects it, one comparison a piece, so that the
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
        """One row a piece: where it starts, then its coefficients."""
        m = len(self.starts)
        return np.hstack([self.starts[:, None], self.coefficients.reshape(m, -1)])

    def at(self, x: Scalar) -> tuple[Any, Any, Any]:
        """Return p, p′ and p″, of shape (k,) each, by Horner's rule."""
        row = self._row(x)
        u = x - row[0]
        value = first = half = 0.0
        for c in row[1:].reshape(self.coefficients.shape[1:])[::-1]:
            half = half * u + first  # p″/2
            first = first * u + value
            value = value * u + c
        return value, first, 2 * half

    def _row(self, x: Scalar) -> Any:
        if isinstance(x, (float, int, np.floating)):
            return self._table[np.searchsorted(self.starts[1:], x, side="right")]
        row = self._table[0]
        for start, further in zip(self.starts[1:], self._table[1:], strict=True):
            row = np.where(np.less(x, start), row, further)
        return row

    def values(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return p, p′ and p″ at many places, one row each."""
        which = np.searchsorted(self.starts[1:], x, side="right")
        u = (x - self.starts[which])[:, None]
        value = first = half = np.zeros((len(x), self.coefficients.shape[2]))
        for c in np.moveaxis(self.coefficients[which], 1, 0)[::-1]:
            half = half * u + first
            first = first * u + value
            value = value * u + c
        return value, first, 2 * half


def resting_outside(curve: Piecewise, end: float) -> Piecewise:
    """Return a curve that keeps its first value before it starts, and the one at `end` after."""
    first, last = curve.coefficients[:1] * 0, curve.coefficients[-1:] * 0
    first[0, 0], last[0, 0] = curve.coefficients[0, 0], curve.values(np.array([end]))[0][0]
    begin = curve.starts[:1]
    return Piecewise(
        np.concatenate([begin - 1, curve.starts, [end]]),
        np.concatenate([first, curve.coefficients, last]),
    )


def hermite(x: np.ndarray, p: np.ndarray, d: np.ndarray, dd: np.ndarray) -> Piecewise:
    """Return the quintic pieces with given values and first and second derivatives at nodes.

    Args:
        x: The nodes, rising, shape (m + 1,).
        p, d, dd: Values and derivatives there, shape (m + 1, k).
    """
    h = np.diff(x)[:, None]
    # what is left at the end of a piece after the parabola of its start, in powers of h
    r0 = np.diff(p, axis=0) - d[:-1] * h - dd[:-1] * h**2 / 2
    r1 = (np.diff(d, axis=0) - dd[:-1] * h) * h
    r2 = np.diff(dd, axis=0) * h**2
    third = (10 * r0 - 4 * r1 + r2 / 2) / h**3
    fourth = (-15 * r0 + 7 * r1 - r2) / h**4
    fifth = (6 * r0 - 3 * r1 + r2 / 2) / h**5
    rows = [p[:-1], d[:-1], dd[:-1] / 2, third, fourth, fifth]
    return Piecewise(np.array(x[:-1]), np.stack(rows, axis=1))


def integrated(spans: Any, top: Any, order: int) -> Piecewise:
    """Return a scalar curve from 0 at rest whose derivative of an order is constant on each piece.

    Args:
        spans: How long the pieces are, zeros left out.
        top: That derivative, one number a piece.
        order: 2 for a constant acceleration, 3 for a constant jerk.
    """
    state = np.zeros(order)  # p, p′, p″/2, … at the start of the piece: its Taylor coefficients
    starts, rows, at = [], [], 0.0
    for span, value in zip(spans, top, strict=True):
        if span > 0:
            row = np.append(state, value / (2 if order == 2 else 6))
            starts.append(at)
            rows.append(row)
            at += span
            state = np.array(
                [
                    sum(comb(j, i) * row[j] * span ** (j - i) for j in range(i, order + 1))
                    for i in range(order)
                ]
            )
    return Piecewise(np.array(starts), np.array(rows)[:, :, None])
