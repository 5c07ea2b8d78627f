"""Exciting motions as linear spaces: harmonics, or splines through knots, from rest to rest.

A member of a space is X of shape (m, n): first where the joints rest, then what moves them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qddot.motions.fourier import Fourier
from qddot.motions.quintic import Quintic, Repeated

Matrices = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class FourierBasis:
    """All series of so many harmonics that begin at rest; m = 2H − 1."""

    period: float  # [s]
    harmonics: int

    @property
    def size(self) -> int:
        """How many numbers a joint has, m."""
        return 2 * self.harmonics - 1

    @cached_property
    def resting(self) -> tuple[np.ndarray, np.ndarray]:
        """Bases of the a with Σ a_k = 0 and of the b with Σ k b_k = 0, each (H, H − 1)."""
        H = self.harmonics
        rows = np.ones(H), np.arange(1.0, H + 1)
        # the last H − 1 left-over directions of a complete QR are orthogonal to the row
        a, b = (np.linalg.qr(row[:, None], mode="complete")[0][:, 1:] for row in rows)
        return a, b

    def matrices(self, t: np.ndarray) -> Matrices:
        """Return B₀, B₁, B₂ of shape (k, m) with q = B₀ X, q̇ = B₁ X and q̈ = B₂ X."""
        # one joint per member, each with one entry of X that is 1
        moving = self._series(np.eye(self.size), np.zeros(self.size))
        q, qd, qdd = (x[:, 1:] for x in moving.values(t))
        start = moving.values(np.zeros(()))[0][1:]
        still = np.zeros((len(t), 1))
        return np.hstack([still + 1, q - start]), np.hstack([still, qd]), np.hstack([still, qdd])

    def curve(self, X: np.ndarray) -> Fourier:
        """Return the motion that a member stands for."""
        start = self._series(X, 0 * X[0]).values(np.zeros(()))[0]
        return self._series(X, X[0] - start)

    def _series(self, X: np.ndarray, offset: np.ndarray) -> Fourier:
        half, (a, b) = self.harmonics, self.resting
        return Fourier(offset, (a @ X[1:half]).T, (b @ X[half:]).T, 1 / self.period)


@dataclass(frozen=True)
class SplineBasis:
    """All quintic splines through so many knots that end where they began; m = K − 1.

    X holds where the joints rest, then how far from there the inner knots are.
    """

    period: float  # [s]
    knots: int  # K, both ends counted

    @property
    def size(self) -> int:
        """How many numbers a joint has, m."""
        return self.knots - 1

    def matrices(self, t: np.ndarray) -> Matrices:
        """Return B₀, B₁, B₂ of shape (k, m) with q = B₀ X, q̇ = B₁ X and q̈ = B₂ X."""
        return self.curve(np.eye(self.size)).values(t)

    def curve(self, X: np.ndarray) -> Repeated:
        """Return the motion that a member stands for."""
        ends = 0 * X[:1]
        return Repeated(Quintic(X[0] + np.vstack([ends, X[1:], ends]), self.period))
