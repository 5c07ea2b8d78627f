"""The nearest joint positions that put a frame at a pose, found by searches from several starts.

A search is a fixed number of damped steps, compiled as one loop for as many searches at once as the
processor has lanes. The first search of a pose starts at `near`; where what it finds is not close
to that, further ones start elsewhere, and the nearest solution of all is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import pi, sqrt

import numpy as np

from qddot.backends.iterated import Given, IteratedKernel
from qddot.backends.kernel import Kernel
from qddot.kinematics.damped_step import LENGTH, TARGET, PoseTask
from qddot.kinematics.poses import ALMOST
from qddot.kinematics.solutions import Solutions
from qddot.kinematics.starts import COUNT, GROUPS, Starts

TOGETHER = 8192  # poses, so that what belongs to them stays in the processor's memory
PULL = 0.6  # towards `near`: with more, a search would overshoot where that is far
PULLING, CLOSING = 10, 4  # steps of a search, and those at its end that go to the pose alone
PATIENT = 16  # steps of a search where others found nothing
CLOSEST = 300  # steps towards a pose that is not reached
OUT_OF_REACH = 4.0  # κ of these: |∂²x/∂q²| of an arm, in its own lengths, is about 3
SLACK = 1e-9  # [rad or m], how far beyond a limit rounding may put a solution
ROUGH, POLISHING = 1e-13, 20  # [rad and m] beyond which a solution gets so many steps more
CLOSE = 0.25  # Σ w (q − near)² below which no other start is tried
FEW = 256  # searches at once, of poses that are no more than that
MOST = 96  # starts of a pose that is not found
MISSED = 1e9  # what it costs to be no solution

SearchEnds = tuple[
    np.ndarray, np.ndarray, np.ndarray
]  # q, what `PoseTask` keeps beside it, the cost


@dataclass(frozen=True)
class PoseSearch:
    """The searches of one task."""

    task: PoseTask
    threads: int = 1
    # from poses (r, 4, 4) to all solutions of them, where there is a closed form
    closed_form: Callable[[np.ndarray], Solutions] | None = None

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
        turn, away, far, off, beyond = numbers.tolist()
        # NaN is none of these
        if off <= ALMOST and beyond <= 0 and far <= CLOSE and turn + away <= ROUGH * ROUGH:
            missing = np.array([sqrt(turn), sqrt(away)])
            return (q, missing) if missing.max() <= tolerance else None
        return None

    @cached_property
    def starts(self) -> Starts:
        """Where searches start, `near` apart."""
        return Starts(self.task)

    def nearest(
        self, poses: np.ndarray, near: np.ndarray, tolerance: np.ndarray, starts: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q (r, n), which are solutions (r,), and what is missing [rad, m] (r, 2).

        Args:
            poses: R row by row and p, (r, 12).
            near: Positions of all joints, (r, n), within limits.
            tolerance: What may be missing [rad, m].
            starts: How many searches a pose gets at least, unless what is found is close; 0: the
                one from `near` and no other.
        """
        joints, limit = self.task.joints, tolerance * tolerance
        q, squares = near.copy(), np.empty((len(poses), 3))
        constants = np.concatenate([poses, near[:, joints]], axis=1)
        for first in range(0, len(poses), TOGETHER):
            part = slice(first, first + TOGETHER)
            q[part, joints], squares[part] = self._searched(constants[part], limit, starts)
        missing = np.sqrt(squares[:, :2])
        # of a turn by θ it is 2 sin(θ/2)
        missing[:, 0] = 2 * np.arcsin(np.minimum(missing[:, 0] / 2, 1))
        found = (squares[:, 0] <= limit[0]) & (squares[:, 1] <= limit[1])
        return q, found, missing

    def _searched(
        self, constants: np.ndarray, limit: np.ndarray, starts: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return q of the joints that carry the frame, and what `PoseTask` keeps beside it.

        Where all solutions are known, that is the nearest of them. Searches are for the others: a
        pose that has none, and one where a solution stands for a whole family.
        """
        if self.closed_form is None or not starts:
            return self._by_search(constants, limit, starts)[:2]
        q, sure = self._nearest_known(constants, self.closed_form)
        best = self._from(q, constants, limit, 0, CLOSING)
        left = np.flatnonzero(~sure | (best[2] >= MISSED))
        if left.size:
            _keep_better(best, self._by_search(constants[left], limit, starts), left)
        return best[:2]

    def _nearest_known(
        self, constants: np.ndarray, closed_form: Callable[[np.ndarray], Solutions]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest of all solutions within limits, (r, m), and where it is sure to be.

        Elsewhere it is `near`.
        """
        task, near = self.task, constants[:, None, TARGET:]
        X = np.zeros((len(constants), 4, 4))
        X[:, :3, :3], X[:, :3, 3] = constants[:, :9].reshape(-1, 3, 3), constants[:, 9:TARGET]
        X[:, 3, 3] = 1
        solutions = closed_form(X)
        q = solutions.q[..., task.joints]
        low, high = (x[task.joints] for x in task.bounds)
        turned = near + (q - near + pi) % (2 * pi) - pi
        turned = turned - 2 * pi * (turned > high + SLACK) + 2 * pi * (turned < low - SLACK)
        q = np.where(task.angles, turned, q)
        inside = ((q >= low - SLACK) & (q <= high + SLACK)).all(axis=-1) & solutions.found
        weights = np.array([task.joint_weights[k] for k in task.joints])
        far = np.where(inside, (weights * (q - near) ** 2).sum(axis=-1), np.inf)
        best = far.argmin(axis=1)
        rows = np.arange(len(best))
        sure = np.isfinite(far[rows, best]) & ~solutions.singular.any(axis=-1)
        return np.where(sure[:, None], np.clip(q[rows, best], low, high), near[:, 0]), sure

    def _by_search(self, constants: np.ndarray, limit: np.ndarray, starts: int) -> SearchEnds:
        """Return the best ends of searches from `near` and from elsewhere."""
        best = self._from(constants[:, TARGET:], constants, limit, PULLING, CLOSING)
        cost, order = best[2], None
        pending, done = np.arange(len(cost)), 1
        while done < (MOST if starts else 1):
            patient = done >= starts
            going = cost[pending] >= (MISSED if patient else CLOSE)
            pending = pending[going]
            if not pending.size:
                break
            those = constants[pending]
            order = self.starts.ranked(those) if order is None else order[going]
            # as many searches at once as cost hardly more than one
            left, few = GROUPS if patient else starts - done, FEW // len(pending)
            width = max(1, self.kernel.lanes // len(pending), min(left, few))
            some = self._next(order, done - 1, width)
            steps = (0, PATIENT) if patient else (PULLING, CLOSING)
            found = self._best_of(those, some, limit, steps)
            if patient and (found[2] < MISSED).any():  # what was found without a pull
                _keep_better(found, self._from(found[0], those, limit, PULLING, CLOSING))
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

    def _best_of(
        self, constants: np.ndarray, starts: np.ndarray, limit: np.ndarray, steps: tuple[int, int]
    ) -> SearchEnds:
        """Return the best that searches from several starts per pose find."""
        rows, count, m = starts.shape
        each = np.repeat(constants, count, axis=0) if count > 1 else constants
        found = self._from(starts.reshape(-1, m), each, limit, *steps)
        if count == 1:
            return found
        best = np.arange(rows) * count + found[2].reshape(rows, count).argmin(axis=1)
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
