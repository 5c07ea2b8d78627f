"""A loop that is sampled, linearised: does holding the torques, and seeing late, keep it stable?

About a point of the reference the arm is ẏ = A y + B u with y = (q, q̇), and the law

    u = K y + L x        ẋ = G y + H x

At a rate 1/T, u is held for T and y is seen d late. Between samples the motion is exact:

    y(t + s) = Φ(s) y(t) + Γ(s) u        [Φ Γ; 0 E] = exp(s [A B; 0 0])

so that the whole loop is one matrix from sample to sample, whose spectral radius decides.

Åström: K. J. Åström, B. Wittenmark, *Computer-Controlled Systems*, Prentice Hall, 1997, §3.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.control.laws.law import ControlLaw
from qddot.control.sampled import HeldPlant
from qddot.model.tree import by_rows

STABLE = 1 + 1e-6  # spectral radius up to which a loop counts as stable: 1, and what rounding makes
LARGEST = 400  # rows of the loop's matrix up to which it is looked at: a tenth of a second
PRECISE = 1.01  # the ratio to which a largest step or delay is found
STEP = 1e-6  # of differences [rad, rad/s]


@dataclass(frozen=True, eq=False)
class Linear:
    """An arm under a law, linearised."""

    A: np.ndarray
    B: np.ndarray
    K: np.ndarray
    L: np.ndarray
    G: np.ndarray
    H: np.ndarray

    def radius(self, period: float, delay: float = 0.0) -> float:
        """Return the spectral radius of the sampled loop, above 1 unstable; NaN if too large."""
        step = self.one_sample(period, delay)
        if step is None:
            return np.nan
        if not np.isfinite(step).all():
            return np.inf
        return float(np.abs(np.linalg.eigvals(step)).max())

    def one_sample(self, period: float, delay: float) -> np.ndarray | None:
        """Return the matrix from one sample to the next; None if it would be too large.

        Its state is y at this sample and the last ones, as far as the delay reaches, the torques
        that were held in between, and x.
        """
        N, n, m = len(self.A), self.B.shape[1], len(self.H)
        whole = floor(delay / period * (1 + 1e-12))
        rest = max(delay - whole * period, 0.0)
        past = whole + (rest > 0)  # samples before this one that are needed
        size = (past + 1) * N + past * n + m
        if size > LARGEST:
            return None
        seen = np.zeros((N, size))
        if rest > 0:  # the state of `past` samples ago, moved on by what is left of its period
            Phi, Gamma = self.moved(period - rest)
            seen[:, past * N : (past + 1) * N] = Phi
            at = (past + 1) * N + (past - 1) * n
            seen[:, at : at + n] = Gamma
        else:
            seen[:, past * N : (past + 1) * N] = np.eye(N)
        own = np.zeros((m, size))
        own[:, size - m :] = np.eye(m)
        u = self.K @ seen + self.L @ own
        Phi, Gamma = self.moved(period)
        step = np.zeros((size, size))
        step[:N] = Gamma @ u
        step[:N, :N] += Phi
        for k in range(past):  # what was new gets older by one sample
            step[(k + 1) * N : (k + 2) * N, k * N : (k + 1) * N] = np.eye(N)
        start = (past + 1) * N
        if past:
            step[start : start + n] = u
        for k in range(past - 1):
            rows, columns = start + (k + 1) * n, start + k * n
            step[rows : rows + n, columns : columns + n] = np.eye(n)
        step[size - m :] = own + period * (self.G @ seen + self.H @ own)
        return step

    def moved(self, s: float) -> tuple[np.ndarray, np.ndarray]:
        """Return Φ(s) and Γ(s)."""
        from scipy.linalg import expm

        N, n = self.B.shape
        both = np.zeros((N + n, N + n))
        both[:N, :N], both[:N, N:] = self.A, self.B
        found = expm(s * both)
        return found[:N, :N], found[:N, N:]

    def growth(self) -> float:
        """Return the largest real part of the loop that is not sampled [1/s]: above 0, unstable."""
        whole = np.block([[self.A + self.B @ self.K, self.B @ self.L], [self.G, self.H]])
        return float(np.linalg.eigvals(whole).real.max())

    def largest_period(self, period: float, delay: float) -> float | None:
        """Return the longest period below a given one at which the loop is stable [s]; None: no."""
        return _largest(lambda T: self.radius(T, delay), period)

    def largest_delay(self, period: float, delay: float) -> float | None:
        """Return the longest delay below a given one at which the loop is stable [s]; None: no."""
        return _largest(lambda d: self.radius(period, d), delay)


def _largest(radius: Callable[[float], float], too_large: float) -> float | None:
    """Return by halving up to where a radius is stable, from a number at which it is not."""
    low, high = too_large / 1e3, too_large
    if not radius(low) <= STABLE:
        return None
    while high / low > PRECISE:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if radius(middle) <= STABLE else (low, middle)
    return low


def linearised(
    plant: HeldPlant, law: ControlLaw, t: float, q: np.ndarray, qd: np.ndarray, x: np.ndarray
) -> Linear:
    """Return arm and law about a state, by central differences of their compiled code."""
    tree, layout = plant.robot.tree, plant.layout
    n, m = len(qd), len(x)
    whole = Kernel(law.whole)

    def moved(d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and velocities that are off by d, (k, 2n) and more."""
        return by_rows(tree.step, np.tile(q, (len(d), 1)), d[:, :n]), qd + d[:, n : 2 * n]

    def asked(d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        state = [np.full(len(d), t), *moved(d), *([x + d[:, 2 * n :]] if m else [])]
        out = whole(*(np.ascontiguousarray(each) for each in state))
        return out if m else (out, np.zeros((len(d), 0)))

    at = np.concatenate([q[tree.positions], qd, x])
    tau = asked(np.zeros((1, 2 * n + m)))[0][0]
    outside = [each[None] for each in plant.acting(t, np.concatenate([q, qd]))]

    def accelerated(d: np.ndarray) -> np.ndarray:
        rows = np.zeros((len(d), layout.size))
        rows[:, layout.q], rows[:, layout.v] = moved(d)
        more = [np.repeat(each, len(d), axis=0) for each in outside]
        return plant.row(rows, np.ascontiguousarray(tau + d[:, 2 * n :]), *more)[0]

    slopes = _slopes(accelerated, np.concatenate([at[: 2 * n], tau]))
    zero, one = np.zeros((n, n)), np.eye(n)
    A = np.block([[zero, one], [slopes[:, : 2 * n]]])
    B = np.vstack([zero, slopes[:, 2 * n :]])
    torque, own = (_slopes(lambda d, k=k: asked(d)[k], at) for k in (0, 1))
    return Linear(A, B, torque[:, : 2 * n], torque[:, 2 * n :], own[:, : 2 * n], own[:, 2 * n :])


def _slopes(function: Any, at: np.ndarray) -> np.ndarray:
    """Return the derivatives of a function of how far off one is, at numbers of this size."""
    step = STEP * np.maximum(1.0, np.abs(at))
    values = np.asarray(function(np.concatenate([np.diag(step), -np.diag(step)])))
    k = len(at)
    return ((values[:k] - values[k:]) / (2 * step[:, None])).T
