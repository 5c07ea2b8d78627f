"""How a log is prepared: its spectrum suggests a cut-off, torques that were not fitted decide.

A filter that is too low takes motion away. One that is too high lets noise of the positions into
q̈, and parameters come out too small (errors in variables). Both make the torques of pieces that
were not fitted come out wrong, whatever colour the noise has. All are judged by the same torques,
those that were measured, so that none wins by smoothing them.

The log is cut into pieces of time. The torques of each piece, as they were measured, are predicted
from a fit of all the others. Some thousand rows are looked at, whatever the length of the log, and
of each piece only the normal matrix of [Y τ] is kept, joint by joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from qddot.blas_threads import one_thread
from qddot.identification.base_parameters import structural
from qddot.identification.log import Log
from qddot.identification.problem import block_edges
from qddot.identification.regression import Regression
from qddot.identification.sine_series import Smoother, Way, few_for
from qddot.identification.spectrum import Cutoff, candidates, suggested

ROWS = 3000  # of the log, by which cut-offs are judged
BLOCKS = 10  # pieces of time
ENDS = 0.05  # of the log, at each end, where filters ring
SLOW = 0.01  # of a joint's top speed
FINE = 1e-3  # of a torque
FAINT = 1e-10  # of a column's square: what the other pieces do not show stays near zero
FEWEST_JUDGED = 200  # rows
NEAR = 2  # cut-offs beyond the good ones, at which other ways are tried
TWICE, THRICE = 2.0, 3.0  # the band of the bulk of the motion: no cut-off below it
CLEARLY = 1.05, 1.0  # worse: a squared error so many times the best, and standard errors away
GROSSLY = 3.0, 2.0  # the same without a model, whose predictions are rough


@dataclass(frozen=True)
class HeldOut:
    """How well each way predicts pieces of a log that were not fitted."""

    ways: tuple[Way, ...]  # c of them
    squares: np.ndarray  # (c, blocks, n), of what is left
    torques: np.ndarray  # (blocks, n), squared
    counts: np.ndarray  # (blocks, n), how many
    by: str  # what predicted

    def __getitem__(self, chosen: np.ndarray) -> HeldOut:
        """Return some of the ways."""
        ways = tuple(self.ways[k] for k in np.arange(len(self.ways))[chosen])
        return replace(self, ways=ways, squares=self.squares[chosen])

    def and_also(self, other: HeldOut) -> HeldOut:
        """Return both, of the same rows."""
        squares = np.concatenate([self.squares, other.squares])
        return replace(self, ways=self.ways + other.ways, squares=squares)

    @property
    def frequencies(self) -> np.ndarray:
        """The cut-offs [Hz], shape (c,)."""
        return np.array([way.cutoff for way in self.ways])

    @cached_property
    def errors(self) -> np.ndarray:
        """Squared errors of all joints, shape (c, blocks); 1 is the least of each joint."""
        # a thousandth of the torque more or less is no difference
        size = self.torques.sum(axis=0) / np.maximum(self.counts.sum(axis=0), 1)
        mean = self.squares / np.maximum(self.counts, 1) + FINE**2 * size
        least = mean.mean(axis=1).min(axis=0)
        return (mean / np.where(least > 0, least, 1)).mean(axis=2)

    @property
    def relative(self) -> np.ndarray:
        """‖τ − τ̂‖/‖τ‖ of each way, shape (c,)."""
        return np.sqrt(self.squares.sum(axis=(1, 2)) / (self.torques.sum() or 1.0))

    @property
    def best(self) -> int:
        """The way that predicts best."""
        return int(self.errors.mean(axis=1).argmin())

    def alike(self, times: float = 1.0, deviations: float = 1.0) -> np.ndarray:
        """Return which are not worse than the best, by so much, shape (c,)."""
        worse = self.errors - self.errors[self.best]
        sure = worse.std(axis=1, ddof=1) / np.sqrt(worse.shape[1])
        mean = self.errors.mean(axis=1)
        return (worse.mean(axis=1) <= deviations * sure) | (mean < times * mean[self.best])

    @property
    def lowest(self) -> int:
        """The lowest that is as good as the best: it lets the least noise in."""
        return int(self.alike().argmax())


class LogJudge:
    """Some rows of a log, by which ways of preparing it are judged."""

    def __init__(self, log: Log, robot: Any = None, terms: Any = (), extra: Any = ()) -> None:
        self.log, self.robot, self.model = log, robot, (robot, terms, extra)
        self.counts: Any = None  # (rows, n), those that count
        self.every = few_for(len(log), ROWS)
        self.smoother = Smoother(log, self.every)
        k = (len(log) - 1) // self.every + 1
        self.rows = slice(int(ENDS * k), int((1 - ENDS) * k))
        self.by = "without a model" if robot is None else f"by the model of {robot.name!r}"

    @cached_property
    def regression(self) -> tuple[Regression, np.ndarray]:
        """The robot's columns, and which of them are base parameters."""
        regression = Regression.of(*self.model)
        return regression, np.array(structural(regression).kept, dtype=int)

    @cached_property
    def suggested(self) -> Cutoff:
        """The cut-off that the spectrum of the positions suggests."""
        return suggested(self.log)

    def torques(self, later: float | np.ndarray = 0.0) -> np.ndarray:
        """Return the torques of the rows as measured, taken later [s]."""
        if np.any(later):
            return self.smoother.torque(None, self.every, later)[self.rows]
        return self.log.tau[:: self.every][self.rows]

    def states(self, way: Way) -> Log:
        """Return the rows as a way makes them, with torques as measured."""
        q, qd, qdd = (x[self.rows] for x in self.smoother.states(way, self.every))
        rows = self.log[np.arange(0, len(self.log), self.every)][self.rows]
        return replace(rows, q=q, qd=qd, qdd=qdd)

    def judged(self, ways: Sequence[Way], later: float | np.ndarray = 0.0) -> HeldOut:
        """Return how well ways predict torques, taken later [s], of pieces that were not fitted."""
        with one_thread():
            states = [self.states(way) for way in ways]
            if self.counts is None:  # the same ones, whatever is tried later
                speed = np.median([np.abs(each.qd) for each in states], axis=0)
                self.counts = (speed > SLOW * speed.max(axis=0)) & states[0].used
            counts, tau = self.counts, self.torques(later)
            found = [
                [unseen(G) for G in normal(*self.columns(replace(each, tau=tau)), counts)]
                for each in states
            ]
        squares = np.array(found).transpose(0, 2, 1)
        torques = np.array([np.sum((tau * counts)[b] ** 2, axis=0) for b in pieces_of(len(tau))])
        sizes = np.array([counts[b].sum(axis=0) for b in pieces_of(len(tau))])
        return HeldOut(tuple(ways), squares, torques, sizes, self.by)

    def columns(self, rows: Log) -> tuple[np.ndarray, np.ndarray]:
        """Return Y of some rows, shape (k, n, r), and their torques without what is not linear."""
        if self.robot is not None:
            regression, kept = self.regression
            return regression.columns(rows)[..., kept], rows.tau - regression.rest(rows)
        q, qd, qdd = rows.q, rows.qd, rows.qdd
        X = np.column_stack([np.sin(q), np.cos(q), qd, np.sign(qd), qdd, np.ones(len(q))])
        return np.broadcast_to(X[:, None, :], (len(X), rows.n, X.shape[1])), rows.tau


def normal(
    Y: np.ndarray, tau: np.ndarray, counts: np.ndarray, more: np.ndarray | None = None
) -> list[np.ndarray]:
    """Return, joint by joint, AᵀA of each piece of time, A = [Y more τ], shape (blocks, c, c).

    Y is of shape (k, n, r); τ, which of them count, and another column of each joint are (k, n).
    """
    found, pieces = [], pieces_of(len(Y))
    for i in range(tau.shape[1]):
        between = () if more is None else (more[:, i],)
        A = np.column_stack([Y[:, i], *between, tau[:, i]])
        A[~counts[:, i]] = 0
        found.append(np.stack([A[piece].T @ A[piece] for piece in pieces]))
    return found


def pieces_of(rows: int) -> list[slice]:
    """Return the pieces of time."""
    return [slice(a, b) for a, b in pairwise(block_edges(rows, BLOCKS))]


def without_each(G: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what least squares finds without each piece, x (blocks, c), G and their scale.

    G are [A τ]ᵀ[A τ] of each piece, (blocks, c + 1, c + 1); all is returned in columns that were
    divided by their lengths s, (c + 1,), the scale.
    """
    s = np.sqrt(np.diagonal(G.sum(axis=0))).copy()
    s[s == 0] = 1
    G = G / np.outer(s, s)
    c = len(s) - 1
    M = G.sum(axis=0) - G
    return np.linalg.solve(M[:, :c, :c] + FAINT * np.eye(c), M[:, :c, c:])[..., 0], G, s


def unseen(G: np.ndarray) -> np.ndarray:
    """Return the squares left of a joint's torque in each piece, predicted from all the others."""
    x, G, s = without_each(G)
    y = np.concatenate([-x, np.ones((len(G), 1))], axis=1)
    return np.maximum(np.einsum("bi,bij,bj->b", y, G, y), 0) * s[-1] ** 2


def cutoff(log: Log, robot: Any = None, terms: Any = (), extra: Any = ()) -> Cutoff:
    """Return the cut-off frequency for a log: the spectrum suggests one, prediction decides.

    The suggestion is kept if no other cut-off predicts the torques of pieces that were not fitted
    clearly better; else the lowest that predicts them as well as the best.
    Without a robot the prediction is rough: the suggestion is kept unless it is far off, and none
    is taken below twice the band of 95 % of the velocity's power.

    The log is evenly sampled; without torques the spectrum decides alone. The robot's model
    predicts torques, with the terms and `extra` that `identify` is to add to it.
    """
    return _cutoff(LogJudge(log, robot, terms, extra), [usual(log)])[1]


def usual(log: Log) -> str:
    """Return what is differentiated: velocities where they were measured."""
    return "q" if log.qd is None else "qd"


def way(judge: LogJudge, later: float | np.ndarray = 0.0) -> tuple[Way, Cutoff]:
    """Return how to prepare a log, and why so, its torques taken so much later [s].

    Derivatives are those of the measured velocities where there are some, unless those of the
    positions predict clearly better.
    """
    log = judge.log
    doubted = judge.robot is not None and log.tree is None and log.qd is not None
    return _cutoff(judge, ["qd", "q"] if doubted else [usual(log)], later)


def can_be_judged(log: Log) -> bool:
    """Return whether there are torques, and rows enough to hold some of them back, of a motion."""
    moves = np.ptp(log.q, axis=0).any()
    return log.tau is not None and len(log) >= FEWEST_JUDGED and bool(moves)


def _cutoff(
    judge: LogJudge, ways: list[str], later: float | np.ndarray = 0.0
) -> tuple[Way, Cutoff]:
    """Return what to differentiate, of "q" and "qd", and the cut-off; the first is the usual."""
    log, robot = judge.log, judge.robot
    first = judge.suggested
    if not can_be_judged(log):
        why = f"{first.why}; by the spectrum of the positions alone"
        return Way(first.frequency, ways[0]), replace(first, why=why)
    tried = np.union1d(candidates(log), [first.frequency])
    if robot is None:
        tried = tried[tried >= min(TWICE * first.spectrum.bulk, first.frequency)]
    own = judge.judged([Way(float(f), ways[0]) for f in tried], later)
    near = tried[max(own.lowest - NEAR, 0) : own.best + NEAR + 1]
    others = [Way(float(f), of) for of in ways[1:] for f in near]
    if not others:
        return _lowest(own, first, robot is None)
    judged = own.and_also(judge.judged(others, later))
    best = judged.ways[judged.best]
    if judged.alike(*CLEARLY)[: len(own.ways)].any():
        return _lowest(own, first, robot is None)
    better = (
        f"; by {best} they are predicted to {100 * judged.relative[judged.best]:.3g} %, by "
        f"{own.ways[0]} to {100 * own.relative[own.best]:.3g} %"
    )
    alike = np.array([way.of == best.of for way in judged.ways])
    return _lowest(judged[alike], first, robot is None, better)


def _lowest(judged: HeldOut, first: Cutoff, rough: bool, better: str = "") -> tuple[Way, Cutoff]:
    """Return the suggested cut-off if it predicts as well as any, else the lowest that does."""
    at = int(np.abs(judged.frequencies - first.frequency).argmin())
    # a filter at the edge of the motion takes some of it, which few pieces of time do not tell
    wide = min(THRICE * first.spectrum.bulk, judged.frequencies[judged.best])
    lowest = int((judged.alike() & (judged.frequencies >= wide)).argmax())
    if judged.alike(*(GROSSLY if rough else CLEARLY))[at]:
        why = f"{first.why}; no other predicts held-out torques better ({judged.by}){better}"
        return judged.ways[at], replace(first, why=why)
    error, other = (100 * float(judged.relative[k]) for k in (lowest, at))
    why = (
        f"the lowest that predicts held-out torques as well as any, to {error:.3g} % "
        f"({judged.by}); at {first.frequency:.3g} Hz, which the spectrum suggests, it is "
        f"{other:.3g} %{better}"
    )
    way = judged.ways[lowest]
    return way, Cutoff(way.cutoff, first.spectrum, why)
