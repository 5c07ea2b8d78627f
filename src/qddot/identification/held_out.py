"""Which cut-off predicts: a filter is right when the motion that it leaves explains the torques.

A filter that is too low takes motion away. One that is too high lets noise of the positions into q̈,
and parameters come out too small (errors in variables). Both make the torques of pieces that were
not fitted come out wrong, whatever colour the noise has. All cut-offs are judged by the same
torques, those that were measured, so that none wins by smoothing them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from qddot.identification.base_parameters import structural
from qddot.identification.grouping import one_thread, triangle
from qddot.identification.log import Log
from qddot.identification.problem import Blocks, block_edges, factors
from qddot.identification.regression import Regression

STEP = 1.6  # from one candidate to the next
ROWS = 3000  # of the log that are looked at
BLOCKS = 10  # pieces of time
FEWEST = 200  # rows, to be judged at all
ENDS = 0.05  # of the log, at each end, where filters ring
SLOWEST = 4.0  # periods of the lowest candidate in the log
FASTEST = 0.4  # of the rate
SLOW = 0.01  # of a joint's top speed
FINE = 1e-3  # of a torque
SEEN = 1e-8  # what the other pieces do not show is left at zero
CLEARLY = 1.05, 1.0  # worse: a squared error so many times the best, and standard errors away
GROSSLY = 3.0, 2.0  # the same without a model, whose predictions are rough


@dataclass(frozen=True)
class HeldOut:
    """How well each cut-off predicts pieces of a log that were not fitted."""

    frequencies: np.ndarray  # (c,) [Hz], rising
    errors: np.ndarray  # (c, blocks), squared, of all joints; 1 is the least of each joint
    relative: np.ndarray  # (c,), ‖τ − τ̂‖/‖τ‖
    by: str  # what predicted

    @property
    def best(self) -> int:
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


def held_out(
    log: Log,
    robot: Any = None,
    terms: Any = (),
    extra: Any = (),
    frequencies: Any = None,
) -> HeldOut:
    """Return how well cut-offs predict the torques of pieces of time that were not fitted.

    Args:
        log: The log, evenly sampled, with torques.
        robot: By whose regressor; without one, by sin q, cos q, q̇, sgn q̇ and q̈ of all joints.
        terms, extra: As for `identify`.
        frequencies: The cut-offs [Hz], rising; by default from 4 periods in the log to 0.4 of its
            rate, each 1.6 times the one before.
    """
    f = candidates(log) if frequencies is None else np.asarray(frequencies, dtype=float)
    rows = np.arange(int(ENDS * len(log)), int((1 - ENDS) * len(log)), max(1, len(log) // ROWS))
    with one_thread():
        states = [_states(log, cutoff, rows) for cutoff in f]
        speed = np.median([np.abs(v) for _, v, _ in states], axis=0)
        counts = speed > SLOW * speed.max(axis=0)
        torque, found = log.tau[rows], []
        regression = None if robot is None else Regression.of(robot, terms, extra)
        columns = None if regression is None else structural(regression)
        for q, qd, qdd in states:
            more = {"counts": counts, "positions": log.positions, "tree": log.tree}
            part = Log(log.joint_names, log.t[rows], q, qd, qdd, torque, **more)
            if regression is None or columns is None:
                blocks = _without_model(part)
            else:
                blocks = factors(regression, columns, part, blocks=BLOCKS)["blocks"]
            found.append([[_unseen(blocks, b, i) for i in range(log.n)] for b in range(BLOCKS)])
    squares = np.array(found)  # (c, blocks, n)
    size = np.array([counts[a:b].sum(axis=0) for a, b in pairwise(block_edges(len(rows), BLOCKS))])
    # a thousandth of the torque more or less is no difference
    mean = squares / np.maximum(size, 1) + FINE**2 * np.mean(torque**2, axis=0)
    least = mean.mean(axis=1).min(axis=0)
    errors = (mean / np.where(least > 0, least, 1)).mean(axis=2)
    total = float(np.sum(torque[counts] ** 2)) or 1.0
    name = "without a model" if robot is None else f"by the model of {robot.name!r}"
    return HeldOut(f, errors, np.sqrt(squares.sum(axis=(1, 2)) / total), name)


def can_judge(log: Log) -> bool:
    """Return whether a log has torques, and rows enough to hold some of them back."""
    return log.tau is not None and len(log) >= FEWEST and bool(np.ptp(log.q, axis=0).max() > 0)


def candidates(log: Log) -> np.ndarray:
    low, high = SLOWEST / log.duration, FASTEST * log.rate
    return np.geomspace(low, high, 2 + max(0, int(np.log(high / low) / np.log(STEP))))


def _states(log: Log, cutoff: float, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from qddot.identification.signals import differentiated, filtered

    there = differentiated(filtered(log, cutoff, ("q", "qd")))
    return there.q[rows], there.qd[rows], there.qdd[rows]


def _without_model(log: Log) -> Blocks:
    """Return the factors of a regression that knows no robot, a piece and a joint each."""
    q, qd, qdd, counts = log.q, log.qd, log.qdd, log.counts
    X = np.column_stack([np.sin(q), np.cos(q), qd, np.sign(qd), qdd, np.ones(len(q))])
    return tuple(
        tuple(
            triangle(np.column_stack([X[a:b], log.tau[a:b, i]])[counts[a:b, i]])
            for i in range(q.shape[1])
        )
        for a, b in pairwise(block_edges(len(log), BLOCKS))
    )


def _unseen(blocks: Blocks, b: int, i: int) -> float:
    """Return the squares left of a joint's torque in a piece, predicted from all the others."""
    R = np.vstack([block[i] for k, block in enumerate(blocks) if k != b])
    length = np.linalg.norm(R[:, :-1], axis=0)
    length[length == 0] = 1
    beta = np.linalg.lstsq(R[:, :-1] / length, R[:, -1], rcond=SEEN)[0] / length
    own = blocks[b][i]
    return float(np.sum((own[:, -1] - own[:, :-1] @ beta) ** 2))
