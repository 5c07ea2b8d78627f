"""c_b = k_c in the 2-norm, by sums of squares.

Let z be the products v_i v_j (i ≤ j), W their weights in ‖v‖⁴ = zᵀ W z (1, or 2
where i ≠ j) and U the rows of Γ on z, so that ‖Γ(v, v)‖² = zᵀ UᵀU z. A matrix N with zᵀ N z = 0 for
all v (made of z_ab z_cd − z_ac z_bd) changes nothing on such z, so T² W − UᵀU − N ≻ 0 proves
‖Γ(v, v)‖ ≤ T whatever N is. N = 0 is tried first, as T² E − U W⁻¹ Uᵀ ≻ 0; then those of a pool,
which are fitted to points where the others fail. The numbers in N are multiples of a power of two,
so its sums are exact and zᵀ N z is zero, not nearly.

**Null forms.** Each way to pair four indices gives the same product:

    z_ab z_cd = z_ac z_bd = z_ad z_bc
"""

from __future__ import annotations

import itertools
import math
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.certificate.definitions import multiplicity, whole
from qddot.certificate.eigen import smallest_pivot
from qddot.certificate.entries import Entries
from qddot.certificate.problem import MARGIN
from qddot.certificate.rounding import U
from qddot.certificate.velocity_torque import ChristoffelProof
from qddot.errors import BadArgument

Pair: TypeAlias = tuple[int, int]
Form: TypeAlias = tuple[list[int], float]  # numerators and their unit
DIGITS = 2.0**30  # numerators stay below this, so that sums of them are exact
ACCURATE = {True: 1e-9, False: 2e-3}  # how near the best form is looked for: for few joints, many
FEW = 6  # products
MOST_FORMS = 40
MOST_JOINTS = 8


class SquareNorm(ChristoffelProof):
    """c_b = k_c in the 2-norm."""

    method = "verified Cholesky factors of T² W − UᵀU − N, at the corners of all cells"

    def __init__(self, entries: Entries, forms: list[dict[str, Any]] | None = None):
        super().__init__(entries)
        self.pairs = null_pairs(self.n)
        self.times = multiplicity(self.n)
        # a proof that is checked fits nothing, and the matrix of many joints is too large
        self.frozen = forms is not None or self.n > MOST_JOINTS
        self.forms = list(forms or [])
        self.pool = [null_form(self.n, form["numerators"], form["unit"]) for form in self.forms]

    def rows(self, A: np.ndarray) -> np.ndarray:
        """Return U, the rows of Γ on the products z."""
        return A.reshape((*A.shape[:-1], self.n, -1)) * self.times

    def value(self, x: np.ndarray) -> np.ndarray:
        A = self.entries.at(x)
        flat = A.reshape(-1, A.shape[-1])
        parts = np.array_split(flat, max(1, len(flat) // 1024))
        found = [np.sqrt(self.ascent(self.full(part), 12)[0]) for part in parts]
        return np.concatenate(found).reshape(x.shape[:-1])

    def ascent(self, G: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """Return ‖Γ(v, v)‖² and v, by a shifted power iteration from a few starts each."""
        n = self.n
        starts = np.random.default_rng(0).standard_normal((n, 4))
        v = np.broadcast_to(np.concatenate([np.eye(n), starts], 1), (len(G), n, n + 4))
        v = v / np.linalg.norm(v, axis=1, keepdims=True)  # (point, i, start)

        def torques(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            Gv = (G.reshape(len(G), n * n, n) @ v).reshape(len(G), n, n, -1)  # (point, k, i, start)
            return Gv, (Gv * v[:, None]).sum(2)

        for _ in range(steps):
            Gv, c = torques(v)
            u = (Gv * c[:, :, None]).sum(1)
            u = u / np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-300) + v
            v = u / np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-300)
        squares = (torques(v)[1] ** 2).sum(1)
        best = squares.argmax(1)
        rows = np.arange(len(G))
        return squares[rows, best], v[rows, :, best]

    def polished(self, x: np.ndarray) -> np.ndarray:
        """Return the v at which ‖Γ(v, v)‖ is largest at one q."""
        return self.ascent(self.full(self.entries.at(x[None])), 300)[1][0]

    def size(self, moduli: np.ndarray) -> float:
        """Return a bound of ‖Γ(v, v)‖, the root of λ_max(B), B = U W⁻¹ Uᵀ ≥ 0.

        λ_max(B) ≤ max (B x)_i/x_i for every x > 0 (Collatz).
        """
        rows = moduli.reshape(self.n, -1)
        B = (rows * self.times) @ rows.T
        x = np.abs(np.linalg.eigh(B)[1][:, -1]) + 1e-9
        return float(np.sqrt((B @ x / x).max(initial=0.0))) * (1 + MARGIN)

    @cached_property
    def test(self) -> Kernel:
        """The least pivot of T² E − U W⁻¹ Uᵀ."""
        n = self.n

        def pivot(A: Any, square: Any) -> Any:
            rows = A.reshape(n, -1)
            G = (rows * self.times) @ rows.T
            S = [[(square if i == j else 0) - G[i, j] for j in range(n)] for i in range(n)]
            return smallest_pivot(S)

        return self.entries.fused(pivot, "squares", square=())

    @cached_property
    def test_form(self) -> Kernel:
        """The least pivot of T² W − UᵀU − N."""
        size = len(self.times)

        def pivot(A: Any, square: Any, N: Any) -> Any:
            rows = A.reshape(self.n, -1) * self.times
            G = rows.T @ rows
            S = [[0] * size for _ in range(size)]
            for i in range(size):
                for j in range(i + 1):
                    on_diagonal = square * self.times[i] if i == j else 0
                    S[i][j] = S[j][i] = on_diagonal - G[i, j] - N[i * (i + 1) // 2 + j]
            return smallest_pivot(S)

        return self.entries.fused(pivot, "null_form", square=(), N=(size * (size + 1) // 2,))

    def shifted(self, square: np.ndarray, N: np.ndarray | None = None) -> np.ndarray:
        """Return T², less what rounding can do to the matrix and its factors."""
        size = len(self.times)
        more = 0.0 if N is None else float(np.abs(N).sum())
        return square - 64 * (size + self.n + 8) * U * (2 * size * square + more)

    def points(self, x: np.ndarray, w: np.ndarray, T: float) -> np.ndarray:
        room = T * (1 - MARGIN) - self.size(self.entries.rounding.error)
        room = np.broadcast_to(room - (w @ self.weights) * (1 + MARGIN), x.shape[:-1]).reshape(-1)
        q, square = (
            self.entries.full(x).reshape(-1, self.n),
            np.maximum(room, 0.0) ** 2 * (1 - MARGIN),
        )
        ok = (room > 0) & (self.test(q, self.shifted(square)) > 0)
        for N in self.pool:
            rest = np.nonzero(~ok & (room > 0.5 * T))[0]
            ok[rest] = self.test_form(q[rest], self.shifted(square[rest], N), N) > 0
        while not self.frozen and len(self.pool) < MOST_FORMS:
            rest = np.nonzero(~ok & (room > 0.5 * T))[0]
            if not len(rest) or not self.fit(q[rest], room[rest]):
                break
            N = self.pool[-1]
            ok[rest] = self.test_form(q[rest], self.shifted(square[rest], N), N) > 0
        return ok.reshape(x.shape[:-1])

    def fit(self, q: np.ndarray, room: np.ndarray) -> bool:
        """Put a form into the pool that proves the worst of these points; say whether one does."""
        A = self.entries.kernel(q[:4096])
        squares, _ = self.ascent(self.full(A), 12)
        if np.any(squares > room[:4096] ** 2):  # the cells are too large for any form
            return False
        rows = A.reshape(len(A), self.n, -1)
        size = ((rows * self.times) ** 2).sum((-1, -2)) / room[: len(A)] ** 2
        worst = int(np.argmax(size))
        numerators, unit = fitted(self.rows(A[worst]), self.times, self.pairs)
        N = null_form(self.n, numerators, unit)
        square = np.array([room[worst] ** 2 * (1 - MARGIN)])
        if not self.test_form(q[worst : worst + 1], self.shifted(square, N), N)[0] > 0:
            return False
        self.forms = [*self.forms, {"numerators": numerators, "unit": unit}]
        self.pool.append(N)
        return True


def null_pairs(n: int) -> list[tuple[Pair, Pair]]:
    """Return pairs of products of two entries of z that are equal: p r = s t."""
    index, found = whole(n), []
    for a, b, c, d in itertools.combinations_with_replacement(range(n), 4):
        ways = {
            tuple(sorted((int(index[i, j]), int(index[k, l]))))
            for i, j, k, l in ((a, b, c, d), (a, c, b, d), (a, d, b, c))
        }
        first, *others = sorted(ways)
        found += [(first, other) for other in others]
    return found  # type: ignore[return-value]  # sorted pairs are pairs


def null_form(n: int, numerators: list[int], unit: float) -> np.ndarray:
    """Return the lower triangle of N = Σ ν (z_p z_r − z_s z_t), ν = numerator · unit, exactly."""
    size = n * (n + 1) // 2
    doubled = np.zeros((size, size), dtype=np.int64)
    for number, (plus, minus) in zip(numerators, null_pairs(n), strict=True):
        for (p, r), sign in ((plus, 1), (minus, -1)):
            doubled[p, r] += sign * number
            doubled[r, p] += sign * number
    return (doubled * (unit / 2))[np.tril_indices(size)]


def fitted(rows: np.ndarray, times: np.ndarray, pairs: list[tuple[Pair, Pair]]) -> Form:
    """Return the form that brings λ_max of UᵀU + N, weighed by W, lowest, as near as it is found.

    With s an upper bound of the eigenvalue, all weighed so that W is E, Newton's method minimises

        s/μ − log det(s E − UᵀU − Σ ν N)

    for smaller and smaller μ. What is found need not be right: every form is valid.
    """
    size, scale = len(times), 1 / np.sqrt(times)
    Q = (rows * scale).T @ (rows * scale)
    top = max(float(np.trace(Q)), 1e-300)
    basis = np.zeros((1 + len(pairs), size, size))  # of s, then of each ν
    basis[0] = -np.eye(size)
    for k, (plus, minus) in enumerate(pairs, 1):
        for (p, r), sign in ((plus, 0.5), (minus, -0.5)):
            basis[k, p, r] += sign * scale[p] * scale[r]
            basis[k, r, p] += sign * scale[p] * scale[r]
    flat = basis.reshape(len(basis), -1)
    y, mu = np.zeros(len(basis)), 1.0
    y[0] = 2.0
    while mu * size > ACCURATE[size <= FEW]:
        mu *= 0.25
        for _ in range(6):
            inverse = np.linalg.inv(-Q / top - (y @ flat).reshape(size, size))
            turned = inverse @ basis @ inverse
            slope = flat @ inverse.reshape(-1)
            slope[0] += 1 / mu
            hessian = turned.reshape(len(basis), -1) @ flat.T
            hessian += 1e-14 * np.trace(hessian) * np.eye(len(hessian))
            step = np.linalg.solve(hessian, -slope)
            decrement = float(-slope @ step)
            y = y + step / (1 + np.sqrt(max(decrement, 0.0)))  # damped: stays inside
            if decrement < 0.1:
                break
    nu = y[1:] * top
    largest = max(float(np.abs(nu).max(initial=0.0)), 1e-300)
    unit = 2.0 ** math.ceil(math.log2(largest / DIGITS))
    return [int(k) for k in np.rint(nu / unit)], unit


def form_of(saved: Any) -> dict[str, Any]:
    """Return a null form from a file, if it is one to the last bit."""
    numerators, unit = [int(k) for k in saved["numerators"]], float(saved["unit"])
    if math.frexp(unit)[0] != 0.5 or any(abs(k) > 2**40 for k in numerators):
        raise BadArgument("A null form has whole numerators and a power of two as its unit.")
    return {"numerators": numerators, "unit": unit}
