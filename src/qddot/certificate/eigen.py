"""Eigenvalues of a symmetric matrix, bounded by factorisations that are verified.

λ_max(A) ≤ T in a cell when S = T E − A is positive definite there, and λ_min(A) ≥ T when
S = A − T E is. By the corner hull S(q) is a mean of the S at the corners and a matrix with
moduli ≤ R. For every x > 0 and all y:

    |y|ᵀ R |y| ≤ yᵀ D y        D_i = (R x)_i / x_i        (2|y_i y_j| ≤ y_i² x_j/x_i + y_j² x_i/x_j)

so S − D ≻ 0 at the corners is enough, each corner with an x of its own; x_i² = (S⁻¹)_ii balances.
S − D ≻ 0 is tested by its factors L Δ Lᵀ in floats: if all pivots are positive, then S − D + c E is
positive definite for c ≤ γ tr(S), γ ≈ (n + 2) u (S. Rump, *Verification of positive definiteness*,
BIT 46, 2006), so T is moved by c, and by what the entries can be off, before the test.

A quantity that is a part of a larger one (a chain that floats) has `free` leading coordinates on
which T does not act. ‖D‖₂, the largest viscous damping, is that of a matrix that does not depend on
q: D = diag(Fᵥ) + Σ d e eᵀ, the viscous friction of the joints and the dampers between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from qddot.backends.kernel import Kernel
from qddot.certificate.definitions import multiplicity, whole
from qddot.certificate.entries import Entries, Ground
from qddot.certificate.problem import MARGIN, BoundProblem, CellProblem, CornerProof, Route
from qddot.certificate.rounding import U, above, ball_in, below
from qddot.equations.values import many_digits
from qddot.program.recorder import array_of


class Eigenvalue(CornerProof, CellProblem):
    """sup λ_max (sense 1), inf λ_min (sense −1), or sup max|λ| (two_sided)."""

    def __init__(
        self,
        entries: Entries,
        sense: int,
        two_sided: bool = False,
        size: int | None = None,  # of the matrix, where it is not one row per coordinate
        free: int = 0,
        cheaper: Callable[[], Sequence[Route]] = tuple,
    ):
        super().__init__(entries, cheaper)
        slack = "T E − A" if sense > 0 else "A − T E"
        self.method = f"verified Cholesky factors of {slack} less the remainder, at the corners"
        self.sense, self.free = sense, free
        self.n = entries.n if size is None else size
        self.signs = (1, -1) if two_sided else (sense,)
        self.index = whole(self.n)
        self.magnitude = self.size(entries.rounding.magnitude)

    def size(self, moduli: np.ndarray) -> float:
        return float(moduli[self.index].sum(-1).max(initial=0.0))

    def value(self, x: np.ndarray) -> np.ndarray:
        A = self.entries.at(x)[..., self.index]
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
        found, vectors = np.linalg.eigh(self.entries.at(x)[self.index])
        which = int(np.argmax(np.abs(found) if len(self.signs) == 2 else self.sense * found))
        quotient = rayleigh(self.entries.enclosed(x), vectors[:, which])
        with many_digits():
            quotient = abs(quotient) if len(self.signs) == 2 else quotient
            return below(quotient) if self.sense > 0 else above(quotient)

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
        entries, index, R = self.entries, self.index, self.remainder
        n, error = self.n, entries.rounding.error * (1 + MARGIN)

        def least_pivot(A: Any, T: Any, w: Any) -> Any:
            least, rest = None, w @ R + error
            for sign in self.signs:
                S = self.slack(A, T, sign)
                x = balance(S)
                for i in range(n):
                    D = sum((rest[index[i, j]] * x[j] for j in range(n)), 0) / x[i]
                    S[i][i] = S[i][i] - D * (1 + MARGIN)
                pivot = smallest_pivot(S)
                least = pivot if least is None else np.minimum(least, pivot)
            return least

        return entries.fused(least_pivot, "least_pivot", T=(), w=(entries.m,))

    @cached_property
    def weigh(self) -> Kernel:
        """How much each coordinate's remainder takes of the room there is."""
        entries, R = self.entries, self.remainder
        rows, columns = np.triu_indices(self.n)

        def impact(A: Any, T: Any) -> Any:
            most: Any = 0
            for sign in self.signs:
                x = array_of(balance(self.slack(A, T, sign)))
                taken = R @ (multiplicity(self.n) * x[rows] * x[columns]) / (x * x).sum()
                most = np.maximum(most, taken)
            return most

        return entries.fused(impact, "impact", T=())

    def shifted(self, T: float) -> float:
        """Return T, moved by what rounding can do to S and to its factors."""
        n = self.n
        c = 16 * (n + 4) * n * U * (abs(T) + self.magnitude)
        return T - self.sense * c

    def points(self, x: np.ndarray, w: np.ndarray, T: float) -> np.ndarray:
        return self.test(self.entries.full(x), self.shifted(T), w) > 0

    def impact(self, x: np.ndarray, T: float) -> np.ndarray:
        found = self.weigh(self.entries.full(x), self.shifted(T))
        found = np.where(np.isfinite(found), np.abs(found), 1.0)
        return np.maximum(found, 1e-6 * found.max(-1, keepdims=True, initial=1e-300))


class Damping(BoundProblem):
    """‖D‖₂, from both sides."""

    method = "verified Cholesky factors of T E − D"

    def __init__(self, ground: Ground):
        self.n, tree = ground.tree.n, ground.tree
        self.lo, self.origin = np.zeros(0), np.array(ground.box.lower)
        with many_digits():
            D = [[arb(0)] * self.n for _ in range(self.n)]
            for i, friction in enumerate(tree.friction):
                D[i][i] = ball_in(friction.viscous)
            dampers = [(elastic.direction, elastic.damping) for elastic in tree.elastics]
            dampers += [(shaft.direction, shaft.friction.viscous) for shaft in tree.shared]
            for direction, damping in dampers:
                e, d = [ball_in(x) for x in direction], ball_in(damping)
                for i in range(self.n):
                    for j in range(self.n):
                        D[i][j] = D[i][j] + d * e[i] * e[j]
        self.balls = [D[i][j] for i in range(self.n) for j in range(i, self.n)]

    @property
    def trivial(self) -> float:
        if all(x.is_zero() for x in self.balls):
            return 0.0
        return not_below_largest(self.balls, self.n)

    def routes(self) -> list[Route]:
        return []  # the trivial bound has all digits

    def attain(self) -> tuple[float, np.ndarray, dict[str, Any]]:
        D = np.array([float(x.mid()) for x in self.balls])[whole(self.n)]
        quotient = rayleigh(self.balls, np.linalg.eigh(D)[1][:, -1])
        return max(0.0, below(quotient)), self.origin, {}

    def attained(self, q: np.ndarray, qd: Any) -> float:
        return self.attain()[0]


def rayleigh(balls: Sequence[arb], vector: np.ndarray) -> arb:
    """Return the ball of yᵀ A y / yᵀ y, of the upper entries of A and the floats of y."""
    n, index, y = len(vector), whole(len(vector)), [arb(float(v)) for v in vector]
    with many_digits():
        pairs = [(i, j) for i in range(n) for j in range(n)]
        top = sum((y[i] * y[j] * balls[index[i, j]] for i, j in pairs), arb(0))
        return top / sum((v * v for v in y), arb(0))


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
    """Return a number that the largest eigenvalue of a matrix of balls is not above.

    It is that of the balls' centres, and what their radii R can add: ‖E‖₂ ≤ max Σ R over rows.
    """
    index = whole(n)
    centres = [[balls[index[i, j]].mid() for j in range(n)] for i in range(n)]
    A = np.array(centres, dtype=float)
    top = float(np.linalg.eigvalsh(A)[-1])
    room = 1e-14 * float(np.abs(A).sum()) + 1e-300
    with many_digits():
        more = [sum((balls[index[i, j]].rad() for j in range(n)), arb(0)) for i in range(n)]
        while True:
            S = [
                [arb(top + room if i == j else 0.0) - centres[i][j] for j in range(n)]
                for i in range(n)
            ]
            if all(pivot > 0 for pivot in factors(S)[1]):
                return max(above(arb(top + room) + each) for each in more)
            room *= 4
