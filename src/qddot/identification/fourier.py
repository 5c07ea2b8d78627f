"""Periodic motions as finite Fourier series that begin and end at rest.

Swevers: J. Swevers et al., *Optimal robot excitation and identification*, IEEE T-RA 13, 1997.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.harmonics import harmonics

Motion = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class FourierSeries:
    """A motion of n joints, the same in every period (Swevers).

    For each joint, with ω = 2π/T:

        q(t) = q₀ + Σ_k  a_k/(kω) sin kωt − b_k/(kω) cos kωt        k = 1 … H
        q̇(t) =      Σ_k  a_k cos kωt + b_k sin kωt

    It rests at t = 0 where Σ a_k = 0 and Σ k b_k = 0, and so at the end of every period.
    """

    period: float  # [s]
    offset: np.ndarray  # q₀, shape (n,), [rad] or [m]
    a: np.ndarray  # shape (H, n), [rad/s] or [m/s]
    b: np.ndarray  # shape (H, n)

    @property
    def n(self) -> int:
        """How many joints."""
        return len(self.offset)

    @property
    def harmonics(self) -> int:
        """How many harmonics, H."""
        return len(self.a)

    @property
    def frequency(self) -> float:
        """The base frequency ω [rad/s]."""
        return 2 * np.pi / self.period

    def at(self, t: Any) -> Motion:
        """Return q, q̇ and q̈ at any times [s], each of shape (*t.shape, n).

        At one instant, of any kind of scalar, so that a controller can record it.
        """
        if np.asarray(t).dtype.kind not in "fiu":
            return harmonics(t, self.offset, self.a, self.b, self.frequency)
        k = self.frequency * np.arange(1, self.harmonics + 1)
        angle = np.multiply.outer(np.asarray(t, dtype=float), k)
        s, c = np.sin(angle), np.cos(angle)
        q = self.offset + (s / k) @ self.a - (c / k) @ self.b
        return q, c @ self.a + s @ self.b, (c * k) @ self.b - (s * k) @ self.a

    def nodes(self, count: int) -> tuple[np.ndarray, float]:
        """Return times in one period, and how much a peak can be above the largest value there.

        For a trigonometric polynomial p of degree H at N > 2H equal steps (Ehlich, Zeller, 1964):

            max |p| ≤ max_j |p(t_j)| / cos(πH/N)
        """
        count = max(count, 8 * self.harmonics)
        times = np.arange(count) * (self.period / count)
        return times, float(1 / np.cos(np.pi * self.harmonics / count))

    def facts(self) -> dict[str, Any]:
        """Return what a file needs to hold."""
        arrays = {name: getattr(self, name).tolist() for name in ("offset", "a", "b")}
        return {"kind": "fourier", "period": self.period} | arrays

    @staticmethod
    def of(facts: dict[str, Any]) -> FourierSeries:
        """Return the series that `facts` came from."""
        offset, a, b = (np.array(facts[name], dtype=float) for name in ("offset", "a", "b"))
        if offset.ndim != 1 or a.ndim != 2 or a.shape != b.shape or a.shape[1:] != offset.shape:
            raise ValueError("coefficients of different shapes")
        return FourierSeries(float(facts["period"]), offset, a, b)


@dataclass(frozen=True)
class FourierBasis:
    """All series of so many harmonics that begin at rest, as a linear space.

    A member is X of shape (m, n), m = 2H − 1: where the joints rest, then what moves them.
    """

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

    def matrices(self, t: np.ndarray) -> Motion:
        """Return B₀, B₁, B₂ of shape (k, m) with q = B₀ X, q̇ = B₁ X and q̈ = B₂ X."""
        q, qd, qdd = (x[:, 1:] for x in self._moving.at(t))
        start = self._moving.at(0.0)[0][1:]
        still = np.zeros((len(t), 1))
        return np.hstack([still + 1, q - start]), np.hstack([still, qd]), np.hstack([still, qdd])

    def curve(self, X: np.ndarray) -> FourierSeries:
        """Return the motion that a member stands for."""
        half, (a, b) = self.harmonics, self.resting
        series = FourierSeries(self.period, 0 * X[0], a @ X[1:half], b @ X[half:])
        return FourierSeries(self.period, X[0] - series.at(0.0)[0], series.a, series.b)

    @cached_property
    def _moving(self) -> FourierSeries:
        """One joint a member, each with one entry of X that is 1."""
        half, (a, b) = self.harmonics, self.resting
        X = np.eye(self.size)
        return FourierSeries(self.period, np.zeros(self.size), a @ X[1:half], b @ X[half:])
