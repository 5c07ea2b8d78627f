"""The nearest joint positions that put a frame at a pose, found by searches from several starts.

A search is a fixed number of damped steps, compiled as one loop for as many searches at once as the
processor has lanes. The first search of a pose starts at `near`; where what it finds is not close
to that, further ones start elsewhere, and the nearest solution of all is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from qddot.backends.iterated import Given, IteratedKernel
from qddot.backends.kernel import Kernel
from qddot.kinematics.damped_step import LENGTH, TARGET, PoseTask
from qddot.kinematics.hindrance import Hindrances
from qddot.kinematics.known_solutions import KnownSolutions
from qddot.kinematics.poses import ALMOST
from qddot.kinematics.starts import COUNT, GROUPS, Starts

TOGETHER = 8192  # poses, so that what belongs to them stays in the processor's memory
PULL = 0.6  # towards `near`: with more, a search would overshoot where that is far
PULLING, CLOSING = 10, 4  # steps of a search, and those at its end that go to the pose alone
PATIENT = 16  # steps of a search where others found nothing
CLOSEST = 300  # steps towards a pose that is not reached
STAY = 1e30  # κ of a step that goes nowhere
OUT_OF_REACH = 4.0  # κ of these: |∂²x/∂q²| of an arm, in its own lengths, is about 3
NEARLY_THERE = 1e-6  # [rad and m] from where Newton's method goes on
ROUGH, POLISHING = 1e-13, 20  # [rad and m] beyond which a solution gets so many steps more
CLOSE = 0.25  # Σ w (q − near)² below which no other start is tried
FEW = 256  # searches at once, of poses that are no more than that
KICK = 0.05  # [rad or m], how far from where it is a drag tries to begin too
ALIKE = 1e-4  # relative: positions that are as close to a pose out of reach
MOST = 96  # starts of a pose that is not found
MISSED = 1e9  # what it costs to be no solution

# q, what `PoseTask` keeps beside it, the cost
SearchEnds = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class PoseSearch:
    """The searches of one task."""

    task: PoseTask
    threads: int = 1
    known: KnownSolutions | None = None  # where there is a closed form

    @cached_property
    def kernel(self) -> IteratedKernel:
        """The loop, compiled."""
        return IteratedKernel(self.task.iteration(), threads=self.threads)

    @cached_property
    def alone(self) -> Kernel:
        """One search from `near`, for one pose, where a call of the loop would take longer."""
        return Kernel(self.task.alone([PULL] * PULLING + [0.0] * CLOSING))

    def quickly(
        self, X: np.ndarray, near: np.ndarray, tolerance: float
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Return q (n,) and what is missing (2,) of one pose, if one search finds it close by.

        None where it does not, or where something is not as it should be.
        """
        q, numbers = self.alone(X, near)
        turn, away, far, off = numbers.tolist()
        # NaN is none of these
        if off <= ALMOST and far <= CLOSE and turn + away <= ROUGH * ROUGH:
            missing = np.array([sqrt(turn), sqrt(away)])
            return (q, missing) if missing.max() <= tolerance else None
        return None

    @cached_property
    def hindrances(self) -> Hindrances:
        """What looks for what hinders it."""
        return Hindrances(self.task)

    @cached_property
    def starts(self) -> Starts:
        """Where searches start, `near` apart."""
        return Starts(self.task)

    def nearest(
        self, poses: np.ndarray, near: np.ndarray, tolerance: np.ndarray, starts: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q (r, n), which are solutions (r,), and what is missing [rad, m] (r, 2).

        Of poses (r, 12), R row by row and p, and `near` (r, n) within limits. A pose gets so many
        searches at least, unless what is found is close; with 0, the one from `near` and no other.
        """
        joints, limit = self.task.joints, tolerance * tolerance
        q, squares = near.copy(), np.empty((len(poses), 3))
        constants = np.concatenate([poses, near[:, joints]], axis=1)
        for first in range(0, len(poses), TOGETHER):
            part = slice(first, first + TOGETHER)
            q[part, joints], squares[part] = self._searched(constants[part], limit, starts)
        return q, *self._ended(squares, limit)

    def dragged(
        self, pose: np.ndarray, near: np.ndarray, tolerance: np.ndarray, most: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the same as `nearest` of one pose, by searches that begin at `near` or beside it.

        `most` is how far a joint may go [rad or m]; if one would go farther, all stop on the way.
        """
        joints, limit = self.task.joints, tolerance * tolerance
        constants = np.concatenate([pose, near[:, joints]], axis=1)
        low, high = (x[joints] for x in self.task.bounds)
        # as many at once as cost no more than one: where J is singular, no step leads anywhere
        beside = self.starts.spread(self.kernel.lanes) * (2 * KICK) - KICK
        beside[0] = 0
        starts = np.clip(constants[:, TARGET:] + beside, low, high)
        each = np.repeat(constants, len(starts), axis=0)
        found = self._from(starts, each, limit, PULLING, CLOSING)
        for damping in (0.0, OUT_OF_REACH):
            if found[2].min() >= MISSED:
                _keep_better(found, self._from(found[0], each, limit, 0, CLOSEST, damping))
        # of those that are as close, the nearest
        close = found[2] <= found[2].min() * (1 + ALIKE)
        best = np.where(close, found[1][:, 2], np.inf).argmin()
        end = [x[best : best + 1] for x in found]
        far = np.abs(end[0] - near[:, joints]).max()
        if far > most:
            part = near[:, joints] + (end[0] - near[:, joints]) * (most / far)
            end = self._from(part, constants, limit, 0, 1, STAY)
        q = near.copy()
        q[:, joints] = end[0]
        return q, *self._ended(end[1], limit)

    def ends(self, poses: np.ndarray, starts: np.ndarray, steps: int) -> np.ndarray:
        """Return where searches from starts (m, k, j) for poses (m, 12) end; NaN if not there.

        Both are of the joints that carry the frame; where a start is NaN, there is none.
        """
        known = np.isfinite(starts).all(axis=-1)
        each = np.broadcast_to(poses[:, None], (*known.shape, TARGET))[known]
        constants = np.concatenate([each, starts[known]], axis=1)
        found = self._from(starts[known], constants, np.full(2, NEARLY_THERE**2), 0, steps)
        ends = np.full(starts.shape, np.nan)
        ends[known] = np.where((found[2] < MISSED)[:, None], found[0], np.nan)
        return ends

    def _ended(self, squares: np.ndarray, limit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which are solutions, and what is missing [rad, m], of what `PoseTask` keeps."""
        missing = np.sqrt(squares[:, :2])
        # of a turn by θ it is 2 sin(θ/2)
        missing[:, 0] = 2 * np.arcsin(np.minimum(missing[:, 0] / 2, 1))
        return (squares[:, 0] <= limit[0]) & (squares[:, 1] <= limit[1]), missing

    def _searched(
        self, constants: np.ndarray, limit: np.ndarray, starts: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return q of the joints that carry the frame, and what `PoseTask` keeps beside it.

        Where all solutions are known, that is the nearest of them. Searches are for the others: a
        pose that has none, and one where a solution stands for a whole family.
        """
        if self.known is None or not starts:
            return self._by_search(constants, limit, starts)[:2]
        q, sure = self.known.nearest(constants)
        best = self._from(q, constants, limit, 0, CLOSING)
        left = np.flatnonzero(~sure | (best[2] >= MISSED))
        if left.size:
            _keep_better(best, self._by_search(constants[left], limit, starts), left)
        return best[:2]

    def _by_search(self, constants: np.ndarray, limit: np.ndarray, starts: int) -> SearchEnds:
        """Return the best ends of searches from `near` and from elsewhere."""
        best = self._from(constants[:, TARGET:], constants, limit, PULLING, CLOSING)
        cost, order = best[2], None
        pending, done, most = np.arange(len(cost)), 1, max(MOST, starts) if starts else 1
        while done < most:
            patient = done >= starts
            enough = MISSED if patient else CLOSE
            going = cost[pending] >= enough
            pending = pending[going]
            if not pending.size:
                break
            those = constants[pending]
            order = self.starts.ranked(those) if order is None else order[going]
            # as many searches at once as cost hardly more than one
            left = min(GROUPS, most - done) if patient else starts - done
            width = max(1, min(left, FEW // len(pending)))
            some = self._next(order, done - 1, width)
            steps = (0, PATIENT) if patient else (PULLING, CLOSING)
            found = self._first_of(those, some, limit, steps, enough)
            hits = np.flatnonzero(found[2] < MISSED)
            if patient and hits.size:  # what was found without a pull
                pulled = self._from(found[0][hits], those[hits], limit, PULLING, CLOSING)
                _keep_better(found, pulled, hits)
            _keep_better(best, found, pending)
            done += width
        else:
            # at a singular position a search is slow; out of reach it goes as close as it gets
            for damping in (0.0, OUT_OF_REACH):
                missed = np.flatnonzero(cost >= MISSED)
                if missed.size:
                    steps = 0, CLOSEST, damping
                    closer = self._from(best[0][missed], constants[missed], limit, *steps)
                    _keep_better(best, closer, missed)
        self._polish(best, constants, limit)
        return best

    def _polish(self, best: SearchEnds, constants: np.ndarray, limit: np.ndarray) -> None:
        """Take solutions that are within the tolerance and no more to rounding, where it goes."""
        q, squares, cost = best
        missing = squares[:, 0] + squares[:, 1]
        rough = np.flatnonzero((missing > ROUGH**2) & (cost < MISSED))
        if not rough.size:
            return
        found = self._from(q[rough], constants[rough], limit, 0, POLISHING)
        better = (found[2] < MISSED) & (found[1][:, :2].sum(axis=1) < missing[rough])
        for old, new in zip(best, found, strict=True):
            old[rough[better]] = new[better]

    def _next(self, order: np.ndarray, first: int, count: int) -> np.ndarray:
        """Return the starts from one on, (r, count, m): the best ones, then one after the other."""
        some = np.arange(first, first + count)
        ranked = order[:, np.minimum(some, GROUPS - 1)]
        return self.starts.positions[np.where(some < GROUPS, ranked, some % COUNT)]

    def _first_of(
        self,
        constants: np.ndarray,
        starts: np.ndarray,
        limit: np.ndarray,
        steps: tuple[int, int],
        enough: float,
    ) -> SearchEnds:
        """Return what searches from several starts per pose find, as if one came after the other.

        That is the first that costs less than `enough`, or the best one: so a pose has the same
        answer among many as alone.
        """
        rows, count, m = starts.shape
        each = np.repeat(constants, count, axis=0) if count > 1 else constants
        found = self._from(starts.reshape(-1, m), each, limit, *steps)
        if count == 1:
            return found
        cost = found[2].reshape(rows, count)
        well = cost < enough
        best = np.where(well.any(axis=1), well.argmax(axis=1), cost.argmin(axis=1))
        best += np.arange(rows) * count
        return found[0][best], found[1][best], found[2][best]

    def _from(
        self,
        q: np.ndarray,
        constants: np.ndarray,
        limit: np.ndarray,
        pulling: int,
        closing: int,
        out_of_reach: float = 0.0,
    ) -> SearchEnds:
        """Return where searches end, what is kept of them, and their costs."""
        rows, m = q.shape
        state = np.ones((rows, 2 * m))
        state[:, :m] = q
        found, squares = np.empty((rows, 1, m)), np.empty((rows, 1, 3))
        steps = np.zeros((pulling + closing, 2))
        steps[:pulling, 0], steps[:, 1] = PULL, out_of_reach
        given = Given(steps, np.zeros(rows, dtype=np.int64), steps.strides[0])
        self.kernel.run(state, constants, given, [found, squares], every=len(steps), h=1.0)
        return found[:, 0], squares[:, 0], self._cost(squares[:, 0], limit)

    def _cost(self, squares: np.ndarray, limit: np.ndarray) -> np.ndarray:
        """Return how far a solution is from `near`; of what is none, more, and what it misses."""
        turn, away, far = squares.T
        missing = turn + away / (LENGTH * self.task.reach) ** 2
        solved = (turn <= limit[0]) & (away <= limit[1])
        return np.where(solved, far, MISSED * (1 + missing))


def _keep_better(best: SearchEnds, found: SearchEnds, rows: np.ndarray | None = None) -> None:
    """Put what costs less in the place of what is there, in some rows or in all."""
    rows = np.arange(len(found[2])) if rows is None else rows
    better = found[2] < best[2][rows]
    for old, new in zip(best, found, strict=True):
        old[rows[better]] = new[better]
