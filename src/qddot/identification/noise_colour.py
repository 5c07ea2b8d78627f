"""The colour of noise: what a model leaves of a joint's torque, as an autoregression.

It is rarely white: friction, ripple and filters make it last. With w white, of deviation σ,

    e(t) = Σₖ aₖ e(t − k) + w(t)

The coefficients of all orders by Levinson's recursion, the order by Schwarz's criterion.

Ljung: L. Ljung, *System Identification*, 2nd ed., 1999, §16.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.identification.log import CHUNK, Log
from qddot.identification.problem import LeastSquaresProblem

HIGHEST_ORDER = 10
PAIRS = 20  # of rows for every coefficient
UNEVEN = 0.01  # of a step: rows further from their place do not follow each other
ALMOST = 0.999  # a reflection coefficient from which on the noise would never end


@dataclass(frozen=True)
class Colour:
    """An autoregression: its predictors of order 0, 1, ..., and what each leaves of the power."""

    predictors: tuple[np.ndarray, ...]
    left: np.ndarray  # (order + 1,), 1 first

    @property
    def order(self) -> int:
        return len(self.predictors) - 1

    def whitened(self, x: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Return rows less what those before them predict, all of the last one's size.

        Args:
            x: Shape (k, m).
            known: How many rows before each one it may be predicted from, shape (k,).
        """
        result = np.empty_like(x)
        for m, a in enumerate(self.predictors):
            rows = np.flatnonzero(known >= m if m == self.order else known == m)
            value = x[rows]
            for k, coefficient in enumerate(a, start=1):
                value = value - coefficient * x[rows - k]
            result[rows] = value * np.sqrt(self.left[-1] / self.left[m])
        return result

    def collected(self, x: np.ndarray, after: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return z with zᵀz = xᵀ Ω x, Ω the covariance of noise of this colour and deviation 1.

        Noise of a row goes on into those after it, so each row collects those after it:

            z(t) = √left x(t) + Σ aₖ z(t + k)

        Args:
            x: Rows of one run, evenly apart, zero where they do not count, shape (k, m).
            after: What the rows after these have left, as returned for them; None: there are none.

        Returns:
            z, shape (k, m), and what is left for the rows before.
        """
        from scipy.signal import lfilter

        a = np.concatenate([[1.0], -self.predictors[-1]])
        if after is None:
            after = np.zeros((self.order, x.shape[1]))
        z, left = lfilter(np.sqrt(self.left[-1:]), a, x[::-1], axis=0, zi=after)
        return z, left


def stretches(log: Log, i: int) -> np.ndarray:
    """Return how many rows that count are just before each row of a joint, -1 where it does not.

    A stretch ends where torques do not count, where a run ends, and where rows are missing.
    """
    use, step = log.used[:, i], np.diff(log.t)
    usual = float(np.median(step)) if len(step) else 0.0
    run = np.zeros(len(log), int) if log.run is None else log.run
    for r in np.unique(run) if log.run is not None else ():
        step[run[1:] == r] /= float(np.median(step[run[1:] == r])) / usual  # each has its rate
    next_to = (np.abs(step - usual) <= UNEVEN * abs(usual)) & (run[1:] == run[:-1])
    follows = np.concatenate([[False], use[:-1] & next_to])
    at = np.arange(len(log))
    begins = np.maximum.accumulate(np.where(follows, 0, at))
    return np.where(use, at - begins, -1)


def colour(e: np.ndarray, known: np.ndarray, order: int | None = None) -> Colour:
    """Return the autoregression of a residual, by Levinson's recursion.

    Args:
        e: The residual, shape (k,).
        known: How many rows are just before each, see `stretches`.
        order: How many coefficients; by Schwarz's criterion if not given.
    """
    count = int((known >= 0).sum())
    most = min(HIGHEST_ORDER, count // PAIRS) if order is None else order
    r = [_lagged(e, known, k) for k in range(most + 1)]
    predictors, left = [np.zeros(0)], [1.0]
    if not r[0] > 0:
        return Colour((np.zeros(0),), np.ones(1))
    rho = np.array(r) / r[0]
    for m in range(1, most + 1):
        a = predictors[-1]
        reflection = (rho[m] - a @ rho[m - 1 : 0 : -1]) / left[-1] if m > 1 else rho[1]
        if abs(reflection) > ALMOST:
            break
        predictors.append(np.append(a - reflection * a[::-1], reflection))
        left.append(left[-1] * (1 - reflection**2))
    if order is None:
        schwarz = count * np.log(left) + np.log(count) * np.arange(len(left))
        best = int(np.argmin(schwarz)) + 1
        predictors, left = predictors[:best], left[:best]
    return Colour(tuple(predictors), np.array(left))


def _lagged(e: np.ndarray, known: np.ndarray, k: int) -> float:
    """Return the mean of e(t) e(t − k) over rows of which both count and belong together."""
    rows = np.flatnonzero(known >= k)
    return float(np.mean(e[rows] * e[rows - k])) if len(rows) else 0.0


def lasting_information(problem: LeastSquaresProblem, residual: np.ndarray) -> np.ndarray:
    """Return YᵢᵀΩᵢYᵢ of each joint, Ωᵢ the correlation of its noise, shape (n, rank, rank).

    Where noise is white these are YᵢᵀYᵢ. The deviations of least squares need them:

        cov β = N⁻¹ (Σ YᵢᵀΩᵢYᵢ/σᵢ²) N⁻¹        N = Σ YᵢᵀYᵢ/σᵢ²

    Args:
        problem: The problem, its rows evenly apart in each run.
        residual: What is left of the torques, shape (k, n).
    """
    log, regression = problem.log, problem.regression
    kept = np.array(problem.base.columns.kept, dtype=int)
    colours = [colour(residual[:, i], stretches(log, i)) for i in range(problem.n)]
    result = np.zeros((problem.n, problem.rank, problem.rank))
    for run in log.parts():
        after: list[np.ndarray | None] = [None] * problem.n
        for at in reversed(range(0, len(run), CHUNK)):
            part = run[at : at + CHUNK]
            Y = regression.columns(part)[..., kept]
            share = np.ones(len(part)) if part.weight is None else part.weight
            for i, columns in enumerate(problem.seen):
                x = Y[:, i, columns] * (share * part.used[:, i])[:, None]
                z, after[i] = colours[i].collected(x, after[i])
                result[i][np.ix_(columns, columns)] += z.T @ z
    return result
