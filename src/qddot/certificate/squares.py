"""c_b = k_c in the 2-norm, by sums of squares.

Let z be the products v_i v_j (i ≤ j), W their weights in ‖v‖⁴ = zᵀ W z (1, or 2
where i ≠ j) and U the rows of Γ on z, so that ‖Γ(v, v)‖² = zᵀ UᵀU z. A matrix N with zᵀ N z = 0 for
all v (made of z_ab z_cd − z_ac z_bd) changes nothing on such z, so T² W − UᵀU − N ≻ 0 proves
‖Γ(v, v)‖ ≤ T whatever N is. N = 0 is tried first, as T² E − U W⁻¹ Uᵀ ≻ 0; then those of a pool,
which are fitted to points where the others fail. The numbers in N are multiples of a power of two,
so its sums are exact and zᵀ N z is zero, not nearly.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.certificate.eigen import smallest_pivot
from qddot.certificate.field import Field
from qddot.certificate.fields import multiplicity
from qddot.certificate.null_forms import fitted, null_form, null_pairs
from qddot.certificate.problem import SURE
from qddot.certificate.rounding import U
from qddot.certificate.tensor import SignNorm

MOST_FORMS = 40
MOST_JOINTS = 8


class SquareNorm(SignNorm):
    """c_b = k_c in the 2-norm."""

    name = "squares"

    def __init__(self, field: Field, forms: list[dict[str, Any]] | None = None):
        super().__init__(field)
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
        A = self.field.at(x)
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

    @property
    def trivial(self) -> float:
        rows = self.rows(self.field.rounding.magnitude)
        return float(np.sqrt((rows * rows).sum())) * (1 + SURE)

    @cached_property
    def weights(self) -> np.ndarray:
        """Bounds of ‖R_k(v, v)‖: with B = U W⁻¹ Uᵀ ≥ 0, λ_max(B) ≤ max (B x)_i/x_i (Collatz)."""
        return np.array([self.unfolded(row) for row in self.remainder])

    def unfolded(self, moduli: np.ndarray) -> float:
        rows = moduli.reshape(self.n, -1)
        B = (rows * self.times) @ rows.T
        x = np.abs(np.linalg.eigh(B)[1][:, -1]) + 1e-9
        return float(np.sqrt((B @ x / x).max(initial=0.0))) * (1 + SURE)

    @cached_property
    def test(self) -> Kernel:
        """The least pivot of T² E − U W⁻¹ Uᵀ."""
        n = self.n

        def pivot(A: Any, square: Any) -> Any:
            rows = A.reshape(n, -1)
            G = (rows * self.times) @ rows.T
            S = [[(square if i == j else 0) - G[i, j] for j in range(n)] for i in range(n)]
            return smallest_pivot(S)

        return self.field.fused(pivot, self.name, square=())

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

        return self.field.fused(pivot, "null_form", square=(), N=(size * (size + 1) // 2,))

    def shifted(self, square: np.ndarray, N: np.ndarray | None = None) -> np.ndarray:
        """Return T², less what rounding can do to the matrix and its factors."""
        size = len(self.times)
        more = 0.0 if N is None else float(np.abs(N).sum())
        return square - 64 * (size + self.n + 8) * U * (2 * size * square + more)

    def points(self, x: np.ndarray, w: np.ndarray, T: float) -> np.ndarray:
        room = T * (1 - SURE) - self.unfolded(self.field.rounding.error)
        room = np.broadcast_to(room - (w @ self.weights) * (1 + SURE), x.shape[:-1]).reshape(-1)
        q, square = self.field.full(x).reshape(-1, self.n), np.maximum(room, 0.0) ** 2 * (1 - SURE)
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
        A = self.field.kernel(q[:4096])
        squares, _ = self.ascent(self.full(A), 12)
        if np.any(squares > room[:4096] ** 2):  # the cells are too large for any form
            return False
        rows = A.reshape(len(A), self.n, -1)
        size = ((rows * self.times) ** 2).sum((-1, -2)) / room[: len(A)] ** 2
        worst = int(np.argmax(size))
        numerators, unit = fitted(self.rows(A[worst]), self.times, self.pairs)
        N = null_form(self.n, numerators, unit)
        square = np.array([room[worst] ** 2 * (1 - SURE)])
        if not self.test_form(q[worst : worst + 1], self.shifted(square, N), N)[0] > 0:
            return False
        self.forms.append({"numerators": numerators, "unit": unit})
        self.pool.append(N)
        return True
