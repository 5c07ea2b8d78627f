"""All solutions of any six turns, by eigenvalues: for arms that no closed form fits.

The elimination of M. Raghavan and B. Roth (ASME Journal of Mechanical Design 115, 1993), as an
eigenvalue problem by D. Manocha and J. Canny (IEEE Transactions on Robotics and Automation 10(5),
1994). With a point p and the direction l of the last line,

    E₃E₄E₅ (p, l) = E₂⁻¹E₁⁻¹T (p, l)

The 14 numbers l, p, p × l, p·l, p·p and (p·p) l − 2 (p·l) p of both sides are linear in 1, cos qᵢ,
sin qᵢ of each joint, as turns act linearly on them. Eight equations take q₁ and q₂ away; the six
that are left, and their products with tan ½q₄, are linear in twelve products of powers of tan ½q₄
and tan ½q₅. Their determinant vanishes where tan ½q₃ is an eigenvalue of a 24 × 24 matrix. Newton's
method follows, on the arm's own pose, and a solution is what closes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qddot.kinematics.chain import Chain

MOST = 16  # solutions of six turns (Primrose 1986)
REAL = 1e-3  # how large an imaginary part may be, beside the number: rounding at double roots
TELLS = 2e-7  # smallest singular value, beside the largest; with less, solutions are lost
# angles at which tangents of half angles begin: no solution is expected just half a turn away, and
# what one set has with few digits another has with more
STARTS = ((0.3, -0.8, 1.1), (-1.9, 2.3, -0.4))
THIRDS = 2 * np.pi / 3 * np.arange(3)
# from values at three angles to the coefficients of 1, cos, sin
FIT = np.linalg.inv(np.stack([np.ones(3), np.cos(THIRDS), np.sin(THIRDS)], axis=1))
# (1 + x²) times 1, cos, sin in powers of x = tan of the half angle
POWERS = np.array([[1.0, 0, 1], [1, 0, -1], [0, 2, 0]])


@dataclass(frozen=True)
class SixTurns:
    """An arm of six turns about lines in any place."""

    chain: Chain  # numeric

    @cached_property
    def h(self) -> np.ndarray:
        return np.array([axis.h for axis in self.chain.axes], dtype=float)

    @cached_property
    def p(self) -> np.ndarray:
        return np.array([axis.p for axis in self.chain.axes], dtype=float)

    def turn(self, i: int, angle: np.ndarray) -> np.ndarray:
        """Return E of a joint as matrices (..., 4, 4)."""
        x, y, z = self.h[i]
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
        E = np.zeros((*np.shape(angle), 4, 4))
        E[..., :3, :3] = np.eye(3) + s * K + (1 - c) * (K @ K)
        E[..., :3, 3] = self.p[i] - E[..., :3, :3] @ self.p[i]
        E[..., 3, 3] = 1
        return E

    def candidates(self, T: np.ndarray) -> np.ndarray:
        """Return angles that may solve E₁ ⋯ E₆ = T, (m, places, 6), NaN where there are none."""
        found = [self._candidates(T, np.array(start)) for start in STARTS]
        return np.concatenate(found, axis=1)

    @cached_property
    def tells(self) -> bool:
        """Whether the determinant says anything: it vanishes anywhere where three lines meet."""
        T = np.eye(4)
        for i, angle in enumerate((0.7, -1.2, 0.4, 2.1, -0.5, 1.6)):
            T = T @ self.turn(i, np.array(angle))
        C0, C1, C2 = self._quadratic(T[None], np.array(STARTS[0]))[0]
        sizes = np.linalg.svd((C0 + 0.8 * C1 + 0.64 * C2)[0], compute_uv=False)
        return bool(sizes[-1] > TELLS * sizes[0])

    def _candidates(self, T: np.ndarray, start: np.ndarray) -> np.ndarray:
        (C0, C1, C2), constant, Q = self._quadratic(T, start)
        companion = np.zeros((len(T), 24, 24))
        companion[:, :12, 12:] = np.eye(12)
        known = np.concatenate([C0, C1], axis=-1)
        try:
            companion[:, 12:] = -np.linalg.solve(C2, known)
        except np.linalg.LinAlgError:  # a pose with a solution half a turn away from this start
            companion[:, 12:] = -np.linalg.pinv(C2) @ known
        roots, vectors = np.linalg.eig(companion)
        real = np.abs(np.imag(roots)) <= REAL * (1 + np.abs(roots))
        w = vectors[:, :12].swapaxes(-1, -2).reshape(len(T), 24, 4, 3)
        x3, x4, x5 = np.real(roots), _ratio(w), _ratio(w.swapaxes(-1, -2))
        q345 = start + 2 * np.arctan(np.stack([x3, x4, x5], axis=-1))
        return np.where(real[..., None], self._others(T, q345, constant, Q), np.nan)

    def _quadratic(
        self, T: np.ndarray, start: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (3, m, 12, 12), of powers of tan ½q₃, and both parts of `_right`."""
        left, right = self._left(start), self._right(T)
        constant, Q = right[:, :, 0], right[:, :, 1:]
        none = np.linalg.svd(Q)[0][:, :, 8:].swapaxes(-1, -2)  # (m, 6, 14), with none Q = 0
        terms = np.einsum("mef,fabc->meabc", none, left)
        terms[:, :, 0, 0, 0] -= np.einsum("mef,mf->me", none, constant)
        powers = np.einsum("meabc,ap,bq,cr->mpeqr", terms, POWERS, POWERS, POWERS)
        A = np.zeros((len(T), 3, 12, 4, 3))
        A[:, :, :6, :3], A[:, :, 6:, 1:] = powers, powers
        return A.reshape(len(T), 3, 12, 12).swapaxes(0, 1), constant, Q

    def _others(
        self, T: np.ndarray, q345: np.ndarray, constant: np.ndarray, Q: np.ndarray
    ) -> np.ndarray:
        """Return all six angles, of the three in the middle."""
        E = self.turn(2, q345[..., 0]) @ self.turn(3, q345[..., 1]) @ self.turn(4, q345[..., 2])
        sides = self._embedded(E) - constant[:, None]
        pairs = np.einsum("mfe,mpe->mpf", np.linalg.pinv(Q), sides)
        c2, s2, c1, s1 = (pairs[..., k] for k in (0, 1, 2, 5))  # of the order in `_right`
        q1, q2 = np.arctan2(s1, c1), np.arctan2(s2, c2)
        before = self.turn(0, q1) @ self.turn(1, q2) @ E
        rest = np.linalg.solve(before, np.broadcast_to(T[:, None], before.shape))[..., :3, :3]
        h = self.h[5]
        m = np.linalg.svd(h[None])[2][1]  # across h
        image = rest @ m
        q6 = np.arctan2(np.cross(m, image) @ h, image @ m)
        return np.stack([q1, q2, *np.moveaxis(q345, -1, 0), q6], axis=-1)

    def _left(self, start: np.ndarray) -> np.ndarray:
        """Return the coefficients (14, 3, 3, 3) of 1, cos, sin of q₃, q₄, q₅ less their starts."""
        a, b, c = np.meshgrid(*(begin + THIRDS for begin in start), indexing="ij")
        values = self._embedded(self.turn(2, a) @ self.turn(3, b) @ self.turn(4, c))
        return np.einsum("abcf,ia,jb,kc->fijk", values, FIT, FIT, FIT)

    def _right(self, T: np.ndarray) -> np.ndarray:
        """Return the coefficients (m, 14, 9) of 1, cos, sin of q₁ times those of q₂."""
        a, b = np.meshgrid(THIRDS, THIRDS, indexing="ij")
        E = self.turn(1, -b) @ self.turn(0, -a) @ T[:, None, None]
        values = self._embedded(E)
        return np.einsum("mabf,ia,jb->mfij", values, FIT, FIT).reshape(len(T), 14, 9)

    def _embedded(self, E: np.ndarray) -> np.ndarray:
        """Return the 14 numbers of the last line's point and direction, moved by E."""
        l = E[..., :3, :3] @ self.h[5]
        p = E[..., :3, :3] @ self.p[5] + E[..., :3, 3]
        pl, pp = (p * l).sum(-1, keepdims=True), (p * p).sum(-1, keepdims=True)
        return np.concatenate([l, p, np.cross(p, l), pl, pp, pp * l - 2 * pl * p], axis=-1)


def _ratio(w: np.ndarray) -> np.ndarray:
    """Return x of entries (1, x, x², ...) × others, from the largest and its neighbour."""
    flat = np.abs(w).reshape(*w.shape[:-2], -1)
    row, column = np.unravel_index(flat.argmax(axis=-1), w.shape[-2:])
    lower = np.maximum(row - 1, 0)
    at = np.indices(row.shape)
    return np.real(w[(*at, lower + 1, column)] / w[(*at, lower, column)])
