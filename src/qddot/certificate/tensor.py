"""Velocity torques: c = Γ(q̇, q̇) and C v = Γ(q̇, v), Γ symmetric and bilinear.

‖C(q, q̇)‖ ≤ k_c ‖q̇‖ with k_c = sup ‖Γ(u, v)‖ over unit u and v. ‖c‖ ≤ c_b ‖q̇‖² is the case u = v,
so c_b ≤ k_c.

- 1-norm: Γ(u, v) is convex in u and in v, so k_c is at unit vectors: max_ij Σ_k |Γ_kij|.
- ∞-norm: at vectors of signs: max_k max_s Σ_j |Σ_i s_i Γ_kij|. This file.
- 2-norm: c_b = k_c, since for each w the form w·Γ(u, v) is symmetric, and a symmetric form is
  largest at u = v (S. Banach, *Über homogene Polynome*, 1938). `squares`.
"""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from qddot.backends.kernel import Kernel
from qddot.certificate.exact import below
from qddot.certificate.field import Field
from qddot.certificate.fields import whole
from qddot.certificate.problem import SURE, Of
from qddot.certificate.rounding import U
from qddot.certificate.search import corners, half_squares
from qddot.equations.balls import many_digits

MOST_SIGNED = 9  # joints, up to which all vectors of signs are tried


class SignNorm(Of):
    """k_c in the ∞-norm."""

    name = "signs"

    def __init__(self, field: Field):
        super().__init__(field)
        n = self.n = field.n
        self.index = whole(n)
        some = itertools.product((1.0, -1.0), repeat=min(n, MOST_SIGNED) - 1)
        pad = (1.0,) * max(0, n - MOST_SIGNED)
        self.signs = np.array([(1.0, *rest, *pad) for rest in some])

    def full(self, A: Any) -> Any:
        """Return Γ[k, i, j] of its entries."""
        pairs = self.n * (self.n + 1) // 2
        return A.reshape((*A.shape[:-1], self.n, pairs))[..., self.index]

    def value(self, x: np.ndarray) -> np.ndarray:
        A = self.field.at(x)
        flat = A.reshape(-1, A.shape[-1])
        parts = np.array_split(flat, max(1, len(flat) // 4096))
        found = [np.abs(self.signs @ self.full(part)).sum(-1).max((-1, -2)) for part in parts]
        return np.concatenate(found).reshape(x.shape[:-1])

    def inner(self, x: np.ndarray) -> float:
        sums = np.abs(self.signs @ self.full(self.field.at(x))).sum(-1)
        k, s = np.unravel_index(int(np.argmax(sums)), sums.shape)
        gamma = np.array(self.field.enclosed(x), dtype=object).reshape(self.n, -1)[int(k)]
        with many_digits():
            signed = self.signs[s].astype(int).tolist()
            rows = [[a * gamma[e] for a, e in zip(signed, row, strict=True)] for row in self.index]
            return below(sum((abs(sum(row, arb(0))) for row in rows), arb(0)))

    @property
    def trivial(self) -> float:
        moduli = self.full(self.field.rounding.magnitude)
        return float(moduli.sum((-1, -2)).max(initial=0.0)) * (1 + SURE)

    @cached_property
    def test(self) -> Kernel:
        """The norm enlarged by the remainder; the signs in an order in which one changes."""
        R, error, n = self.remainder, self.field.rounding.error * (1 + SURE), self.n
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

        return self.field.fused(norm, self.name, w=(self.field.m,))

    @cached_property
    def quick(self) -> Kernel:
        """A larger number that costs less: Σ_ij |Γ_kij| + R."""
        R, error = self.remainder, self.field.rounding.error * (1 + SURE)

        def sums(A: Any, w: Any) -> Any:
            moduli = self.full(np.abs(A) + (w @ R + error)).sum(-1).sum(-1)
            return np.maximum.reduce(moduli, axis=-1)

        return self.field.fused(sums, "moduli", w=(self.field.m,))

    def points(self, x: np.ndarray, w: np.ndarray, T: float) -> np.ndarray:
        q = self.field.full(x).reshape(-1, self.n)
        w = np.broadcast_to(w, x.shape).reshape(len(q), -1)
        ok: Any = np.asarray(self.quick(q, w) <= T * (1 - SURE))
        rest = np.nonzero(~ok)[0] if self.n <= MOST_SIGNED else []
        ok[rest] = self.test(q[rest], w[rest]) <= T * (1 - SURE)
        return ok.reshape(x.shape[:-1])

    def nodes(self, x: np.ndarray, half: np.ndarray, T: float) -> np.ndarray:
        return self.points(x, 0.5 * half * half * (1 + SURE), T)

    def cells(self, lo: np.ndarray, hi: np.ndarray, T: float) -> np.ndarray:
        return np.all(self.points(corners(lo, hi), half_squares(lo, hi)[:, None], T), axis=1)

    def impact(self, x: np.ndarray, T: float) -> np.ndarray:
        return np.broadcast_to(self.weights, x.shape)

    @cached_property
    def weights(self) -> np.ndarray:
        return self.full(self.remainder).sum((-1, -2)).max(-1, initial=0.0)
