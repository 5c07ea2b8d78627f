"""The colour of noise: what a model leaves of a joint's torque, as an autoregression.

It is rarely white: friction, ripple and filters make it last. With w white, of deviation σ,

    e(t) = Σₖ aₖ e(t − k) + w(t)

The coefficients of all orders by Levinson's recursion, the order by Schwarz's criterion.

What is left is less than the noise: parameters take the part of it that looks like their columns,
most of all slow noise. In a short log that counts. With H the hat matrix, residuals have the
covariance (1 − H) Ω (1 − H)ᵀ in place of Ω, so the autocovariances are raised by what that lacks.

A colour in time does not know what goes with position: the ripple of a gear, if it is no column,
comes back at the same angle. With one of half the size of the noise, deviations of single
parameters are up to a quarter too small, though the autoregression is right to 2 %.

Ljung: L. Ljung, *System Identification*, 2nd ed., 1999, §16.4.
Priestley: M. Priestley, *Spectral Analysis and Time Series*, 1981, §7.9: a spectrum from k rows by
an autoregression of order p is as sure as one of k/p degrees of freedom, of k/2p where it is slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qddot.identification.log import CHUNK, Log
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.solution import LastingNoise, Solution

HIGHEST_ORDER = 10
FEW = 50  # rows for every parameter: with more, what parameters take of the noise is nothing
ROUNDS = 4  # of the colour, and of what parameters take of such noise
PAIRS = 20  # of rows for every coefficient
UNEVEN = 0.01  # of a step: rows further from their place do not follow each other
ALMOST = 0.999  # a reflection coefficient from which on the noise would never end


@dataclass(frozen=True)
class Colour:
    """An autoregression: its coefficients, and the share of the power that they leave."""

    predictor: np.ndarray  # (order,)
    left: float

    @property
    def order(self) -> int:
        return len(self.predictor)

    def collected(self, x: np.ndarray, after: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return z with zᵀz = xᵀ Ω x, Ω the covariance of noise of this colour and deviation 1.

        Noise of a row goes on into those after it, so each row collects those after it:

            z(t) = √left x(t) + Σ aₖ z(t + k)

        Rows x of one run, (k, m), are evenly apart, zero where they do not count. With z comes what
        is left for the rows before, which is given as `after` with them.
        """
        from scipy.signal import lfilter

        a = np.concatenate([[1.0], -self.predictor])
        if after is None:
            after = np.zeros((self.order, x.shape[1]))
        z, left = lfilter([np.sqrt(self.left)], a, x[::-1], axis=0, zi=after)
        return z, left

    def spread(self, z: np.ndarray) -> np.ndarray:
        """Return Ω x from what `collected` made of x, in the order of time: noise goes on."""
        from scipy.signal import lfilter

        a = np.concatenate([[1.0], -self.predictor])
        return np.asarray(lfilter([np.sqrt(self.left)], a, z, axis=0))


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


def autocovariances(e: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the mean of e(t) e(t − k) for k = 0, 1, ..., over rows that belong together.

    So many rows as are known, see `stretches`, are just before each.
    """
    most = min(HIGHEST_ORDER, int((known >= 0).sum()) // PAIRS)
    pairs = [np.flatnonzero(known >= k) for k in range(most + 1)]
    means = [float(np.mean(e[t] * e[t - k])) if len(t) else 0.0 for k, t in enumerate(pairs)]
    return np.array(means)


def colour_of(r: np.ndarray, count: int) -> Colour:
    """Return the autoregression that has autocovariances r, or the lower order that `count` rows
    ask for."""
    predictors, left = [np.zeros(0)], [1.0]
    if not r[0] > 0:
        return Colour(np.zeros(0), 1.0)
    rho = r / r[0]
    for m in range(1, len(r)):
        a = predictors[-1]
        reflection = (rho[m] - a @ rho[m - 1 : 0 : -1]) / left[-1] if m > 1 else rho[1]
        if abs(reflection) > ALMOST:
            break
        predictors.append(np.append(a - reflection * a[::-1], reflection))
        left.append(left[-1] * (1 - reflection**2))
    schwarz = count * np.log(left) + np.log(count) * np.arange(len(left))
    best = int(np.argmin(schwarz))
    return Colour(predictors[best], left[best])


def lasting_noise(
    problem: LeastSquaresProblem, solution: Solution, residual: np.ndarray
) -> LastingNoise:
    """Return what noise that lasts makes of the rows of each joint, by what is left of the torques.

    The rows of the problem are evenly apart in each run; the solution is that by least squares.
    """
    log = problem.log
    known = [stretches(log, i) for i in range(problem.n)]
    counts = [int((each >= 0).sum()) for each in known]
    r = [autocovariances(residual[:, i], known[i]) for i in range(problem.n)]
    colours = [colour_of(*each) for each in zip(r, counts, strict=True)]
    if len(log) > FEW * problem.rank:
        found = _information(problem, colours)
    else:
        colours, found = _with_what_was_taken(problem, solution, known, r, colours)
    freedom = [count / max(2 * c.order, 1) for count, c in zip(counts, colours, strict=True)]
    return LastingNoise(found, np.maximum(freedom, 1.0))


def _information(problem: LeastSquaresProblem, colours: Sequence[Colour]) -> np.ndarray:
    """Return YᵢᵀΩᵢYᵢ of each joint, Ωᵢ the correlation of its noise, shape (n, rank, rank)."""
    log, regression = problem.log, problem.regression
    kept = np.array(problem.base.columns.kept, dtype=int)
    result = np.zeros((problem.n, problem.rank, problem.rank))
    for run in log.parts():
        after: list[np.ndarray | None] = [None] * problem.n
        for at in reversed(range(0, len(run), CHUNK)):
            part = run[at : at + CHUNK]
            Y = regression.columns(part)[..., kept]
            share = np.ones(len(part)) if part.weight is None else part.weight
            for i, columns in enumerate(problem.seen):
                if not len(columns):  # of a joint that no parameter acts on, as one that is held
                    continue
                x = Y[:, i, columns] * (share * part.used[:, i])[:, None]
                z, after[i] = colours[i].collected(x, after[i])
                result[i][np.ix_(columns, columns)] += z.T @ z
    return result


def _with_what_was_taken(
    problem: LeastSquaresProblem,
    solution: Solution,
    known: Sequence[np.ndarray],
    measured: Sequence[np.ndarray],
    colours: Sequence[Colour],
) -> tuple[list[Colour], np.ndarray]:
    """Return colours and YᵢᵀΩᵢYᵢ, raised by the noise that parameters have taken, see above."""
    log, weights = problem.log, solution.joint_weights
    kept = np.array(problem.base.columns.kept, dtype=int)
    whole = problem.regression.columns(log)[..., kept]
    share = log.used if log.weight is None else log.used * log.weight[:, None]
    # all other columns of a joint are zero
    Y = [np.ascontiguousarray(whole[:, i, columns]) for i, columns in enumerate(problem.seen)]
    x = [each * share[:, i, None] for i, each in enumerate(Y)]
    N_inv = np.linalg.inv(np.tensordot(weights, problem.information, axes=1))
    ends = np.cumsum([0, *map(len, log.parts())])
    colours, r = list(colours), list(measured)
    result = np.zeros((problem.n, problem.rank, problem.rank))
    for _ in range(ROUNDS):
        spread = [np.empty_like(each) for each in x]  # Ω x, of deviation 1
        for i, c in enumerate(colours):
            z = np.empty_like(x[i])
            for rows in map(slice, ends[:-1], ends[1:]):
                z[rows] = c.collected(x[i][rows], None)[0][::-1]
                spread[i][rows] = c.spread(z[rows])
            result[i][np.ix_(problem.seen[i], problem.seen[i])] = z.T @ z
        power = np.array([max(each[0], 0) for each in r])
        C = N_inv @ np.tensordot(weights**2 * power, result, axes=1) @ N_inv
        for i, columns in enumerate(problem.seen):
            here = np.ix_(columns, columns)
            own, twice = Y[i] @ N_inv[here], Y[i] @ C[here]
            r[i] = r[i].copy()
            for k in range(len(r[i])):
                taken = _products(own, spread[i], k) + _products(spread[i], own, k)
                more = weights[i] * power[i] * taken - _products(twice, Y[i], k)
                more = more[known[i][k:] >= k]
                r[i][k] = measured[i][k] + (float(np.mean(more)) if len(more) else 0.0)
            colours[i] = colour_of(r[i], int((known[i] >= 0).sum()))
    raised = np.array([max(each[0], 0) for each in r]) / solution.noise**2
    return colours, result * raised[:, None, None]


def _products(a: np.ndarray, b: np.ndarray, k: int) -> np.ndarray:
    """Return a(t)·b(t − k) for every row t ≥ k, shape (rows − k,)."""
    return np.einsum("tc,tc->t", a[k:], b[: len(b) - k])
