"""Norms of a field: suprema of all that grow with the moduli of the entries, infima of some.

**Supremum.** φ is convex and grows with every |A_e|, so by the corner hull it is below T in a cell
when φ(|A| + R + ε) ≤ T at its corners, ε what rounding can do to the entries.

**Infimum.** φ(A) ≥ ⟨Y, A⟩ for every Y of dual norm 1. One that is nearly best at the middle of a
cell (a column of signs, A/‖A‖_F, x xᵀ) bounds φ in the whole cell: ⟨Y, ·⟩ is linear, so

    φ ≥ min_c ⟨Y, A(q_c)⟩ − ⟨|Y|, R + ε⟩
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.certificate.eigen import not_below_largest
from qddot.certificate.exact import above, below
from qddot.certificate.field import Field
from qddot.certificate.fields import multiplicity, whole
from qddot.certificate.problem import SURE, Of
from qddot.certificate.rounding import U
from qddot.certificate.search import corners, half_squares


class AbsoluteNorm(Of):
    """The supremum of a norm that depends on the moduli of the entries and grows with them."""

    def __init__(self, field: Field, gauge: Callable[[Any], Any], name: str, method: str = ""):
        super().__init__(field)
        self.gauge, self.name, self.method = gauge, name, method

    def value(self, x: np.ndarray) -> np.ndarray:
        return self.gauge(np.abs(self.field.at(x)))

    def inner(self, x: np.ndarray) -> float:
        """Return a number that the norm is not below at one point."""
        balls = self.field.enclosed(x)
        return float(self.gauge(np.array([max(0.0, below(abs(b))) for b in balls]))) * (1 - SURE)

    @property
    def trivial(self) -> float:
        """A number that the norm nowhere exceeds."""
        return float(self.gauge(self.field.rounding.magnitude)) * (1 + SURE)

    @cached_property
    def test(self) -> Kernel:
        field, R = self.field, self.remainder
        error = field.rounding.error * (1 + SURE)

        def enlarged(A: Any, w: Any) -> Any:
            return self.gauge(np.abs(A) + (w @ R + error))

        return field.fused(enlarged, self.name, w=(field.m,))

    def nodes(self, x: np.ndarray, half: np.ndarray, T: float) -> np.ndarray:
        w = 0.5 * half * half * (1 + SURE)
        return self.test(self.field.full(x), w) <= T * (1 - SURE)

    def cells(self, lo: np.ndarray, hi: np.ndarray, T: float) -> np.ndarray:
        w = half_squares(lo, hi)[:, None]
        values = self.test(self.field.full(corners(lo, hi)), w)
        return (values <= T * (1 - SURE)).all(1)

    def impact(self, x: np.ndarray, T: float) -> np.ndarray:
        return np.broadcast_to(self.weights, x.shape)

    @cached_property
    def weights(self) -> np.ndarray:
        return np.array([float(self.gauge(row)) for row in self.remainder])


class NormBelow(Of):
    """The infimum of a norm of a symmetric matrix."""

    sense = -1
    trivial = 0.0

    def __init__(
        self,
        field: Field,
        gauge: Callable[[Any], Any],
        dual: Callable[[np.ndarray], np.ndarray],
        pairing: Callable[[Any, Any], Any],
        name: str,
    ):
        super().__init__(field)
        self.gauge, self.dual, self.pairing, self.name = gauge, dual, pairing, name
        magnitude = field.rounding.magnitude
        self.error = field.rounding.error + 4 * U * (field.size + 4) * magnitude

    def value(self, x: np.ndarray) -> np.ndarray:
        return self.gauge(self.field.at(x))

    def inner(self, x: np.ndarray) -> float:
        """Return a number that the norm is not above at one point."""
        balls = self.field.enclosed(x)
        return float(self.gauge(np.array([above(abs(b)) for b in balls]))) * (1 + SURE)

    @cached_property
    def pair(self) -> Kernel:
        return self.field.fused(self.pairing, self.name, y=(self.field.size,))

    def nodes(self, x: np.ndarray, half: np.ndarray, T: float) -> None:
        return None

    def cells(self, lo: np.ndarray, hi: np.ndarray, T: float) -> np.ndarray:
        middle = lo + (hi - lo) / 2
        y = self.dual(self.field.at(middle))
        least = self.pair(self.field.full(corners(lo, hi)), y[:, None]).min(1)
        rest = (half_squares(lo, hi) @ self.remainder + self.error) * (1 + SURE)
        return ((least - self.pairing(rest, np.abs(y))).max(-1)) * (1 - SURE) >= T

    def impact(self, x: np.ndarray, T: float) -> np.ndarray:
        return np.broadcast_to(self.weights, x.shape)

    @cached_property
    def weights(self) -> np.ndarray:
        return np.array([float(self.gauge(row)) for row in self.remainder])


def largest_column(n: int) -> Callable[[Any], Any]:
    """Return the 1-norm (and ∞-norm) of a symmetric matrix, of the moduli of its upper entries."""
    index = whole(n)
    return lambda A: np.maximum.reduce(np.abs(A)[..., index].sum(-1), axis=-1)


def frobenius(n: int) -> Callable[[Any], Any]:
    """Return the Frobenius norm of a symmetric matrix, of its upper entries."""
    times = multiplicity(n)
    return lambda A: np.sqrt((times * A * A).sum(-1))


def spectral(n: int) -> Callable[[Any], Any]:
    """Return the largest eigenvalue of a symmetric matrix, of its upper entries."""
    index = whole(n)
    return lambda A: np.linalg.eigvalsh(A[..., index])[..., -1]


def below_column(field: Field) -> NormBelow:
    """Return the infimum of the 1-norm."""
    index = whole(field.n)

    def columns(A: Any, y: Any) -> Any:
        return (A * y)[..., index].sum(-1)

    return NormBelow(field, largest_column(field.n), np.sign, columns, "column")


def below_frobenius(field: Field) -> NormBelow:
    """Return the infimum of the Frobenius norm."""
    norm, times = frobenius(field.n), multiplicity(field.n)

    def dual(A: np.ndarray) -> np.ndarray:
        return A / np.maximum(norm(A), 1e-300)[..., None] / (1 + SURE)

    return NormBelow(field, norm, dual, lambda A, y: _one((times * A * y).sum(-1)), "frobenius")


class SpectralBelow(NormBelow):
    """The infimum of the largest eigenvalue."""

    def inner(self, x: np.ndarray) -> float:
        return not_below_largest(self.field.enclosed(x), self.field.n)


def below_spectral(field: Field) -> NormBelow:
    """Return the infimum of the largest eigenvalue: λ ≥ xᵀAx."""
    n, times = field.n, multiplicity(field.n)
    rows, columns = np.triu_indices(n)

    def dual(A: np.ndarray) -> np.ndarray:
        x = np.linalg.eigh(A[..., whole(n)])[1][..., -1]
        return x[..., rows] * x[..., columns] / (1 + SURE)

    def pairing(A: Any, y: Any) -> Any:
        return _one((times * A * y).sum(-1))

    return SpectralBelow(field, spectral(n), dual, pairing, "spectral")


def _one(x: Any) -> Any:
    return np.stack([x], -1)
