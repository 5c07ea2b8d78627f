"""Norms of entries: suprema of those that grow with the moduli of the entries, infima of some.

**Supremum.** φ is convex and grows with every |A_e|, so by the corner hull it is below T in a cell
when φ(|A| + R + ε) ≤ T at its corners, ε what rounding can do to the entries.

**Infimum.** φ(A) ≥ ⟨Y, A⟩ for every Y of dual norm 1. One that is nearly best at the middle of a
cell (a column of signs, A/‖A‖_F, x xᵀ) bounds φ in the whole cell: ⟨Y, ·⟩ is linear, so

    φ ≥ min_c ⟨Y, A(q_c)⟩ − ⟨|Y|, R + ε⟩

**The gravity torque of one joint**, |gᵢ|, by whichever of two ways has less to search. Gravity acts
on the lever w of what the joint carries, gᵢ = w · a, so |gᵢ| ≤ ‖w‖ ‖a‖ whatever the direction of
gravity in the joint's frame. ‖w‖ depends only on the joints beyond i: on none for the last one.
Where the arm can turn to any direction this is not only a bound but the supremum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from qddot.backends.kernel import Kernel
from qddot.certificate import definitions
from qddot.certificate.definitions import multiplicity, whole
from qddot.certificate.eigen import not_below_largest
from qddot.certificate.entries import Entries
from qddot.certificate.problem import MARGIN, CellProblem, CornerProof, Route, corners, half_squares
from qddot.certificate.rounding import U, above, ball_in, below
from qddot.equations.values import many_digits


class AbsoluteNorm(CornerProof, CellProblem):
    """The supremum of a norm that depends on the moduli of the entries and grows with them."""

    method = "the norm of the moduli and the remainder, at the corners of all cells"

    def __init__(
        self,
        entries: Entries,
        gauge: Callable[[Any], Any],
        name: str,
        method: str = method,
        cheaper: Callable[[], Sequence[Route]] = tuple,
    ):
        super().__init__(entries, cheaper)
        self.gauge, self.name, self.method = gauge, name, method

    def value(self, x: np.ndarray) -> np.ndarray:
        return self.gauge(np.abs(self.entries.at(x)))

    def inner(self, x: np.ndarray) -> float:
        """Return a number that the norm is not below at one point."""
        balls = self.entries.enclosed(x)
        return float(self.gauge(np.array([max(0.0, below(abs(b))) for b in balls]))) * (1 - MARGIN)

    def size(self, moduli: np.ndarray) -> float:
        return float(self.gauge(moduli))

    @cached_property
    def test(self) -> Kernel:
        entries, R = self.entries, self.remainder
        error = entries.rounding.error * (1 + MARGIN)

        def enlarged(A: Any, w: Any) -> Any:
            return self.gauge(np.abs(A) + (w @ R + error))

        return entries.fused(enlarged, self.name, w=(entries.m,))

    def points(self, x: np.ndarray, w: np.ndarray, T: float) -> np.ndarray:
        return self.test(self.entries.full(x), w) <= T * (1 - MARGIN)


class NormBelow(CellProblem):
    """The infimum of a norm of a symmetric matrix."""

    sense = -1
    method = "a linear function below the norm, at the corners of each cell"

    def __init__(
        self,
        entries: Entries,
        gauge: Callable[[Any], Any],
        dual: Callable[[np.ndarray], np.ndarray],
        pairing: Callable[[Any, Any], Any],
        name: str,
        not_below: Callable[[list[arb]], float] | None = None,
        method: str = method,
    ):
        super().__init__(entries)
        self.gauge, self.dual, self.pairing, self.name = gauge, dual, pairing, name
        self.not_below, self.method = not_below or self._of_moduli, method
        magnitude = entries.rounding.magnitude
        self.error = entries.rounding.error + 4 * U * (entries.size + 4) * magnitude

    def value(self, x: np.ndarray) -> np.ndarray:
        return self.gauge(self.entries.at(x))

    def size(self, moduli: np.ndarray) -> float:
        return float(self.gauge(moduli))

    def inner(self, x: np.ndarray) -> float:
        return self.not_below(self.entries.enclosed(x))

    def _of_moduli(self, balls: list[arb]) -> float:
        """Return a number that the norm of balls does not exceed."""
        return float(self.gauge(np.array([above(abs(b)) for b in balls]))) * (1 + MARGIN)

    @cached_property
    def pair(self) -> Kernel:
        return self.entries.fused(self.pairing, self.name, y=(self.entries.size,))

    def nodes(self, x: np.ndarray, half: np.ndarray, T: float) -> None:
        return None

    def cells(self, lo: np.ndarray, hi: np.ndarray, T: float) -> np.ndarray:
        middle = lo + (hi - lo) / 2
        y = self.dual(self.entries.at(middle))
        least = self.pair(self.entries.full(corners(lo, hi)), y[:, None]).min(1)
        rest = (half_squares(lo, hi) @ self.remainder + self.error) * (1 + MARGIN)
        return ((least - self.pairing(rest, np.abs(y))).max(-1)) * (1 - MARGIN) >= T


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


def below_column(entries: Entries) -> NormBelow:
    """Return the infimum of the 1-norm."""
    index = whole(entries.n)

    def columns(A: Any, y: Any) -> Any:
        return (A * y)[..., index].sum(-1)

    return NormBelow(entries, largest_column(entries.n), np.sign, columns, "column")


def below_frobenius(entries: Entries) -> NormBelow:
    """Return the infimum of the Frobenius norm."""
    norm, times = frobenius(entries.n), multiplicity(entries.n)

    def dual(A: np.ndarray) -> np.ndarray:
        return A / np.maximum(norm(A), 1e-300)[..., None] / (1 + MARGIN)

    return NormBelow(entries, norm, dual, lambda A, y: _one((times * A * y).sum(-1)), "frobenius")


def below_spectral(entries: Entries) -> NormBelow:
    """Return the infimum of the largest eigenvalue: λ ≥ xᵀAx."""
    n, times = entries.n, multiplicity(entries.n)
    rows, columns = np.triu_indices(n)

    def dual(A: np.ndarray) -> np.ndarray:
        x = np.linalg.eigh(A[..., whole(n)])[1][..., -1]
        return x[..., rows] * x[..., columns] / (1 + MARGIN)

    def pairing(A: Any, y: Any) -> Any:
        return _one((times * A * y).sum(-1))

    def not_below(balls: list[arb]) -> float:
        return not_below_largest(balls, n)

    method = "a quadratic form below the largest eigenvalue, at the corners of each cell"
    return NormBelow(entries, spectral(n), dual, pairing, "spectral", not_below, method)


def _one(x: Any) -> Any:
    return np.stack([x], -1)


def joint_gravity(entries: Entries, i: int) -> AbsoluteNorm:
    """Return the supremum of |gᵢ|, of the entries g."""
    own = Entries(entries.ground, entries.kind, lambda theta: entries.of_angles(theta)[i : i + 1])
    method = "the modulus and the remainder, at the corners of all cells"

    def by_lever() -> list[Route]:
        """Return the bound ‖w‖ ‖a‖, where the lever depends on fewer coordinates than gᵢ."""
        tree = own.ground.tree
        bodies = [slot for slot, drive in enumerate(tree.drives) if drive.index == i]
        if len(bodies) != 1 or own.m < 2:
            return []
        with many_digits():
            lever = Entries(own.ground, "arm", definitions.arm(tree, bodies[0]))
            squares = [ball_in(x) ** 2 for x in tree.gravity]
            weight = above(sum(squares, arb(0)).sqrt() * abs(ball_in(tree.drives[bodies[0]].ratio)))
        if lever.m >= own.m:
            return []
        how = "gravity of any direction on the lever of the joint, at the corners of all cells"
        return [AbsoluteNorm(lever, lambda A: np.sqrt((A * A).sum(-1)) * weight, "lever", how)]

    return AbsoluteNorm(own, lambda A: np.abs(A)[..., 0], "torque", method, by_lever)
