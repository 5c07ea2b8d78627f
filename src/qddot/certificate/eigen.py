"""Eigenvalues of a symmetric field, bounded by factorisations that are verified.

λ_max(A) ≤ T in a cell when S = T E − A is positive definite there, and λ_min(A) ≥ T when
S = A − T E is. By the corner hull S(q) is a mean of the S at the corners and a matrix with
moduli ≤ R. For every x > 0 and all y:

    |y|ᵀ R |y| ≤ yᵀ D y        D_i = (R x)_i / x_i        (2|y_i y_j| ≤ y_i² x_j/x_i + y_j² x_i/x_j)

so S − D ≻ 0 at the corners is enough, each corner with an x of its own; x_i² = (S⁻¹)_ii balances.
S − D ≻ 0 is tested by its factors L Δ Lᵀ in floats: if all pivots are positive, then S − D + c E is
positive definite for c ≤ γ tr(S), γ ≈ (n + 2) u (S. Rump, *Verification of positive definiteness*,
BIT 46, 2006), so T is moved by c, and by what the entries can be off, before the test.

A quantity that is a part of a larger one (a chain that floats) has `free` leading coordinates on
which T does not act.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from qddot.backends.kernel import Kernel
from qddot.certificate.exact import above, below
from qddot.certificate.field import Field
from qddot.certificate.fields import multiplicity, whole
from qddot.certificate.problem import SURE, Of
from qddot.certificate.rounding import U
from qddot.certificate.search import corners, half_squares
from qddot.equations.balls import many_digits
from qddot.program.recorded_array import array_of


class Eigenvalue(Of):
    """sup λ_max (sense 1), inf λ_min (sense −1), or sup max|λ| (two_sided)."""

    def __init__(
        self,
        field: Field,
        sense: int,
        two_sided: bool = False,
        size: int | None = None,  # of the matrix, where it is not one row a coordinate
        free: int = 0,
    ):
        super().__init__(field)
        self.sense, self.free = sense, free
        self.n = field.n if size is None else size
        self.signs = (1, -1) if two_sided else (sense,)
        self.index = whole(self.n)
        magnitude = field.rounding.magnitude[self.index]
        self.magnitude = float(magnitude.sum(-1).max(initial=0.0))

    def value(self, x: np.ndarray) -> np.ndarray:
        A = self.field.at(x)[..., self.index]
        if self.free:
            head, side = A[..., : self.free, : self.free], A[..., : self.free, self.free :]
            turned = np.swapaxes(side, -1, -2)
            A = A[..., self.free :, self.free :] - turned @ np.linalg.solve(head, side)
        found = np.linalg.eigvalsh(A)
        if len(self.signs) == 2:
            return np.abs(found).max(-1)
        return found[..., -1] if self.sense > 0 else found[..., 0]

    def inner(self, x: np.ndarray) -> float:
        """Return what the eigenvalue is not below (or above) at one point: a Rayleigh quotient."""
        n, values = self.n, self.field.at(x)
        found, vectors = np.linalg.eigh(values[self.index])
        which = int(np.argmax(np.abs(found) if len(self.signs) == 2 else self.sense * found))
        y = [arb(float(v)) for v in vectors[:, which]]
        balls = self.field.enclosed(x)
        with many_digits():
            pairs = [(i, j) for i in range(n) for j in range(n)]
            top = sum((y[i] * y[j] * balls[self.index[i, j]] for i, j in pairs), arb(0))
            quotient = top / sum((v * v for v in y), arb(0))
            quotient = abs(quotient) if len(self.signs) == 2 else quotient
            return below(quotient) if self.sense > 0 else above(quotient)

    @property
    def trivial(self) -> float:
        return self.magnitude * (1 + SURE) if self.sense > 0 else 0.0

    def slack(self, A: Any, T: Any, sign: int) -> list[list[Any]]:
        """Return S, which is positive definite where the eigenvalues are on their side of T."""
        n, index = self.n, self.index

        def on_diagonal(i: int, j: int) -> Any:
            return T if i == j and i >= self.free else 0

        if self.sense > 0:
            return [[on_diagonal(i, j) - sign * A[index[i, j]] for j in range(n)] for i in range(n)]
        return [[A[index[i, j]] - on_diagonal(i, j) for j in range(n)] for i in range(n)]

    @cached_property
    def test(self) -> Kernel:
        """The least pivot of S − D at a point, for a cell with ½ h² = w."""
        field, index, R = self.field, self.index, self.remainder
        n, error = self.n, field.rounding.error * (1 + SURE)

        def least_pivot(A: Any, T: Any, w: Any) -> Any:
            least, rest = None, w @ R + error
            for sign in self.signs:
                S = self.slack(A, T, sign)
                x = balance(S)
                for i in range(n):
                    D = sum((rest[index[i, j]] * x[j] for j in range(n)), 0) / x[i]
                    S[i][i] = S[i][i] - D * (1 + SURE)
                pivot = smallest_pivot(S)
                least = pivot if least is None else np.minimum(least, pivot)
            return least

        return field.fused(least_pivot, "least_pivot", T=(), w=(field.m,))

    @cached_property
    def weigh(self) -> Kernel:
        """How much each coordinate's remainder takes of the room there is."""
        field, R = self.field, self.remainder
        rows, columns = np.triu_indices(self.n)

        def impact(A: Any, T: Any) -> Any:
            most: Any = 0
            for sign in self.signs:
                x = array_of(balance(self.slack(A, T, sign)))
                taken = R @ (multiplicity(self.n) * x[rows] * x[columns]) / (x * x).sum()
                most = np.maximum(most, taken)
            return most

        return field.fused(impact, "impact", T=())

    def shifted(self, T: float) -> float:
        """Return T, moved by what rounding can do to S and to its factors."""
        n = self.n
        c = 16 * (n + 4) * n * U * (abs(T) + self.magnitude)
        return T - self.sense * c

    def nodes(self, x: np.ndarray, half: np.ndarray, T: float) -> np.ndarray:
        w = 0.5 * half * half * (1 + SURE)
        return self.test(self.field.full(x), self.shifted(T), w) > 0

    def cells(self, lo: np.ndarray, hi: np.ndarray, T: float) -> np.ndarray:
        w = half_squares(lo, hi)[:, None]
        return (self.test(self.field.full(corners(lo, hi)), self.shifted(T), w) > 0).all(1)

    def impact(self, x: np.ndarray, T: float) -> np.ndarray:
        found = self.weigh(self.field.full(x), self.shifted(T))
        found = np.where(np.isfinite(found), np.abs(found), 1.0)
        return np.maximum(found, 1e-6 * found.max(-1, keepdims=True, initial=1e-300))


def factors(S: Sequence[Sequence[Any]]) -> tuple[list[list[Any]], list[Any]]:
    """Return L and the pivots Δ of S = L Δ Lᵀ."""
    n = len(S)
    A, L, pivots = [list(row) for row in S], [[0] * n for _ in range(n)], []
    for k in range(n):
        pivots.append(A[k][k])
        for i in range(k + 1, n):
            L[i][k] = A[i][k] / pivots[k]
            for j in range(k + 1, i + 1):
                A[i][j] = A[i][j] - L[i][k] * A[j][k]
    return L, pivots


def smallest_pivot(S: Sequence[Sequence[Any]]) -> Any:
    """Return the smallest pivot; of recorded numbers NaN stays NaN, and is not positive."""
    _, pivots = factors(S)
    least = pivots[0]
    for pivot in pivots[1:]:
        least = np.minimum(least, pivot)
    return least


def balance(S: Sequence[Sequence[Any]]) -> list[Any]:
    """Return x with x_i² = (S⁻¹)_ii: from L⁻¹ = X, Σ_k X_ki²/Δ_k."""
    n = len(S)
    L, pivots = factors(S)
    X = [[0] * n for _ in range(n)]
    for j in range(n):
        X[j][j] = 1
        for i in range(j + 1, n):
            X[i][j] = -(L[i][j] + sum((L[i][k] * X[k][j] for k in range(j + 1, i)), 0))
    squares = [sum((X[i][j] * X[i][j] / pivots[i] for i in range(j, n)), 0) for j in range(n)]
    return [np.sqrt(np.maximum(y, 1e-30)) for y in squares]


def not_below_largest(balls: Sequence[arb], n: int) -> float:
    """Return a number that the largest eigenvalue of a matrix of balls is not above."""
    index = whole(n)
    A = np.array([[float(balls[index[i, j]].mid()) for j in range(n)] for i in range(n)])
    top = float(np.linalg.eigvalsh(A)[-1])
    room = 1e-14 * float(np.abs(A).sum()) + 1e-300
    with many_digits():
        while True:
            S = [
                [arb(top + room if i == j else 0.0) - balls[index[i, j]] for j in range(n)]
                for i in range(n)
            ]
            if all(pivot > 0 for pivot in factors(S)[1]):
                return above(arb(top + room))
            room *= 4
