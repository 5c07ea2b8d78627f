"""Velocity torques: c = Γ(q̇, q̇) and C v = Γ(q̇, v), Γ symmetric and bilinear.

‖C(q, q̇)‖ ≤ k_c ‖q̇‖ with k_c = sup ‖Γ(u, v)‖ over unit u and v. ‖c‖ ≤ c_b ‖q̇‖² is the case u = v,
so c_b ≤ k_c.

- 1-norm: Γ(u, v) is convex in u and in v, so k_c is at unit vectors: max_ij Σ_k |Γ_kij|.
- ∞-norm: at vectors of signs: max_k max_s Σ_j |Σ_i s_i Γ_kij|.
- 2-norm: c_b = k_c, since for each w the form w·Γ(u, v) is symmetric, and a symmetric form is
  largest at u = v (S. Banach, *Über homogene Polynome*, 1938): `sums_of_squares`.

So k_c bounds c_b from above in every norm; from below it is bounded by a q and a v at which
‖Γ(v, v)‖/‖v‖² is attained.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from qddot.backends.kernel import Kernel
from qddot.certificate.definitions import whole
from qddot.certificate.entries import Entries
from qddot.certificate.problem import (
    MARGIN,
    BoundProblem,
    CellProblem,
    CellProof,
    CornerProof,
    Route,
    compass,
)
from qddot.certificate.rounding import U, above, below
from qddot.equations.values import many_digits

MOST_SIGNED = 9  # joints, up to which all vectors of signs are tried


class ChristoffelProof(CornerProof):
    """A proof about Γ as a whole."""

    def __init__(self, entries: Entries):
        super().__init__(entries)
        self.n = entries.n
        self.index = whole(self.n)

    def full(self, A: Any) -> Any:
        """Return Γ[k, i, j] of its entries."""
        pairs = self.n * (self.n + 1) // 2
        return A.reshape((*A.shape[:-1], self.n, pairs))[..., self.index]


class SignNorm(ChristoffelProof, CellProblem):
    """k_c in the ∞-norm."""

    method = "the largest of all vectors of signs, at the corners of all cells"

    def __init__(self, entries: Entries):
        super().__init__(entries)
        n = self.n
        some = itertools.product((1.0, -1.0), repeat=min(n, MOST_SIGNED) - 1)
        pad = (1.0,) * max(0, n - MOST_SIGNED)
        self.signs = np.array([(1.0, *rest, *pad) for rest in some])

    def value(self, x: np.ndarray) -> np.ndarray:
        A = self.entries.at(x)
        flat = A.reshape(-1, A.shape[-1])
        parts = np.array_split(flat, max(1, len(flat) // 4096))
        found = [np.abs(self.signs @ self.full(part)).sum(-1).max((-1, -2)) for part in parts]
        return np.concatenate(found).reshape(x.shape[:-1])

    def inner(self, x: np.ndarray) -> float:
        sums = np.abs(self.signs @ self.full(self.entries.at(x))).sum(-1)
        k, s = np.unravel_index(int(np.argmax(sums)), sums.shape)
        gamma = np.array(self.entries.enclosed(x), dtype=object).reshape(self.n, -1)[int(k)]
        with many_digits():
            signed = self.signs[s].astype(int).tolist()
            rows = [[a * gamma[e] for a, e in zip(signed, row, strict=True)] for row in self.index]
            return below(sum((abs(sum(row, arb(0))) for row in rows), arb(0)))

    def size(self, moduli: np.ndarray) -> float:
        return float(self.full(moduli).sum((-1, -2)).max(initial=0.0))

    @cached_property
    def test(self) -> Kernel:
        """The norm enlarged by the remainder; the signs in an order in which one changes."""
        R, error, n = self.remainder, self.entries.rounding.error * (1 + MARGIN), self.n
        rest_of_row = self.full(R).sum((-1, -2)), self.full(error).sum((-1, -2))
        changes = [(k & -k).bit_length() for k in range(1, 2 ** (n - 1))]  # a Gray code

        def norm(A: Any, w: Any) -> Any:
            gamma, most = self.full(A), None
            for k in range(n):
                row, signs = gamma[k].sum(0), [1] * n
                largest = np.abs(row).sum()
                for i in changes:
                    signs[i] = -signs[i]
                    row = row + 2 * signs[i] * gamma[k, i]
                    largest = np.maximum(largest, np.abs(row).sum())
                # sums of up to 2ⁿ terms that were rounded on the way
                size = np.abs(gamma[k]).sum() * (2.0**n * 4 * U)
                largest = largest + (w @ rest_of_row[0][:, k] + rest_of_row[1][k]) + size
                most = largest if most is None else np.maximum(most, largest)
            return most

        return self.entries.fused(norm, "signs", w=(self.entries.m,))

    @cached_property
    def quick(self) -> Kernel:
        """A larger number that costs less: Σ_ij |Γ_kij| + R."""
        R, error = self.remainder, self.entries.rounding.error * (1 + MARGIN)

        def sums(A: Any, w: Any) -> Any:
            moduli = self.full(np.abs(A) + (w @ R + error)).sum(-1).sum(-1)
            return np.maximum.reduce(moduli, axis=-1)

        return self.entries.fused(sums, "moduli", w=(self.entries.m,))

    def points(self, x: np.ndarray, w: np.ndarray, T: float) -> np.ndarray:
        q = self.entries.full(x).reshape(-1, self.n)
        w = np.broadcast_to(w, x.shape).reshape(len(q), -1)
        ok: Any = np.asarray(self.quick(q, w) <= T * (1 - MARGIN))
        rest = np.nonzero(~ok)[0] if self.n <= MOST_SIGNED else []
        ok[rest] = self.test(q[rest], w[rest]) <= T * (1 - MARGIN)
        return ok.reshape(x.shape[:-1])


class VelocityTorque(BoundProblem):
    """Bound problem of c_b: where ‖Γ(v, v)‖ is attained; what bounds it from above is k_c.

    The entries are those of Γ; the norm is 1, 2 or np.inf; `above_it` is the proof of k_c. `polish`
    gives a better v for a q, shapes (m,) and (n,), if there is a method that finds it.
    """

    def __init__(
        self,
        entries: Entries,
        norm: int | float,
        above_it: CellProof,
        polish: Callable[[np.ndarray], np.ndarray] | None = None,
    ):
        self.entries, self.norm, self.above_it, self.polish = entries, norm, above_it, polish
        self.method, self.m = above_it.method, entries.m
        self.lo = np.append(entries.lo, -np.ones(entries.n))
        self.hi = np.append(entries.hi, np.ones(entries.n))

    @cached_property
    def torque(self) -> Kernel:
        n, index = self.entries.n, whole(self.entries.n)

        def c(A: Any, v: Any) -> Any:
            return (A.reshape(n, -1)[:, index] @ v) @ v

        return self.entries.fused(c, "velocity_torque", v=(n,))

    def value(self, x: np.ndarray) -> np.ndarray:
        v = x[..., self.m :]
        size = np.maximum(np.linalg.norm(v, self.norm, axis=-1), 1e-12)
        c = self.torque(self.entries.full(x[..., : self.m]), v / size[..., None])
        return np.linalg.norm(c, self.norm, axis=-1)

    @property
    def trivial(self) -> float:
        return self.above_it.trivial

    def evidence(self, searched: bool) -> dict[str, Any]:
        forms = {"forms": list(self.above_it.forms)} if self.above_it.forms else {}
        return self.entries.evidence(searched) | forms

    def routes(self) -> list[Route]:
        return [self.above_it]

    def attain(self) -> tuple[float, np.ndarray, dict[str, Any]]:
        start = self.above_it.best_point()
        v = np.random.default_rng(1).uniform(-1, 1, (256, self.entries.n))
        extra = np.concatenate([np.broadcast_to(start, (256, self.m)), v], axis=1)
        x = compass(self.value, self.lo, self.hi, 1, extra)
        if self.polish:
            polished = np.append(x[: self.m], self.polish(x[: self.m]))
            x = max((x, polished), key=lambda y: float(self.value(y)))
            self.above_it.found = x[: self.m]
        return self.inner(x), self.entries.full(x[: self.m]), {"qd": x[self.m :].tolist()}

    def attained(self, q: np.ndarray, qd: Any) -> float:
        x = self.entries.inside(q)
        if x is None or qd is None:
            return math.nan
        return self.inner(np.append(x, [float(v) for v in qd]))

    def inner(self, x: np.ndarray) -> float:
        """Return what ‖Γ(v, v)‖/‖v‖² is not below at one q and v."""
        n, index = self.entries.n, whole(self.entries.n)
        balls = np.array(self.entries.enclosed(x[: self.m]), dtype=object).reshape(n, -1)
        v = [arb(float(a)) for a in x[self.m :]]
        with many_digits():
            pairs = [(i, j) for i in range(n) for j in range(n)]
            c = [sum((row[index[i, j]] * v[i] * v[j] for i, j in pairs), arb(0)) for row in balls]
            size, length = ball_norm(c, self.norm), ball_norm(v, self.norm)
            if not above(length) > 0:
                return 0.0
            return max(0.0, below(arb(max(0.0, below(size))) / arb(above(length)) ** 2))


def ball_norm(balls: list[Any], norm: int | float) -> arb:
    """Return the norm of a vector of balls."""
    if norm == 1:
        return sum((abs(b) for b in balls), arb(0))
    if norm == 2:
        return sum((b * b for b in balls), arb(0)).sqrt()
    largest = abs(balls[0])
    for b in balls[1:]:
        largest = largest.max(abs(b))
    return largest
