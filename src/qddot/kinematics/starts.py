"""Where a search may start: positions spread evenly over the room of the joints, best ones first.

The spread is an additive recurrence (M. Roberts, 2018; R. Kronecker): u_k = frac(½ + k a) with
a_i = g^(−i) and g the root of g^(m+1) = g + 1, the same at every call and without gaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import pi

import numpy as np

from qddot.dynamics.kinematics import pose
from qddot.kinematics.damped_step import AXES, LENGTH, TARGET, PoseTask
from qddot.program.recorder import record

COUNT = 256
GROUPS = 8  # of each of which the best is taken, so that they differ
TOGETHER = 96  # poses: their scores stay in the processor, and NumPy starts no threads for them
NEARNESS = 0.3  # what 1 rad² from `near` counts beside 1 rad² of the pose


@dataclass(frozen=True)
class Starts:
    """Starting positions of a task."""

    task: PoseTask

    @cached_property
    def positions(self) -> np.ndarray:
        """Of the joints that carry the frame, (COUNT, m) [rad or m], within limits."""
        low, high = self.room
        return low + self.spread(COUNT) * (high - low)

    def spread(self, count: int) -> np.ndarray:
        """Return the first points of the recurrence, (count, m), from 0 to 1."""
        m = len(self.task.joints)
        g = 1.5
        for _ in range(64):
            g = (1 + g) ** (1 / (m + 1))
        return (0.5 + np.outer(np.arange(1, count + 1), g ** -np.arange(1.0, m + 1))) % 1

    @property
    def room(self) -> tuple[np.ndarray, np.ndarray]:
        """Between what they lie: the limits; of a joint that turns round, one turn."""
        task = self.task
        low, high = (np.array([x[k] for k in task.joints]) for x in (task.lower, task.upper))
        low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0) - pi)
        high = np.where(np.isfinite(high), high, low + 2 * pi)
        return np.where(task.turning, -pi, low), np.where(task.turning, pi, high)

    @cached_property
    def _scoring(self) -> np.ndarray:
        task, m = self.task, len(self.task.joints)

        def place(q: np.ndarray) -> np.ndarray:
            full = np.zeros(task.tree.n, dtype=object)
            full[task.joints] = q
            X = pose(task.tree, full, task.frame)
            return np.concatenate([X.R.reshape(-1), X.p])

        program = record(place, "place", q=(m,))
        places = np.array(program(self.positions), dtype=float)
        features = self.features(places, self.positions)
        squares = (features * features).sum(axis=1, keepdims=True)
        return np.concatenate([-2 * features, squares], axis=1).T.copy()

    def features(self, target: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return numbers whose squared differences say how far two poses and positions are."""
        scaled, parts = np.concatenate([target, q], axis=1) * self._scales, []
        angles = q[:, self.task.turning]
        if angles.size:
            weight = self._scales[TARGET:][self.task.turning]
            parts = [np.cos(angles) * weight, np.sin(angles) * weight]
        return np.concatenate([scaled[:, self._plain], *parts], axis=1, dtype=np.float32)

    @cached_property
    def _scales(self) -> np.ndarray:
        """What the numbers of a pose and of q count."""
        task = self.task
        weights = np.array([task.joint_weights[k] for k in task.joints])
        lengths = np.full(3, 1 / (LENGTH * task.reach))
        return np.concatenate([np.ones(9), lengths, np.sqrt(NEARNESS * weights)])

    @cached_property
    def _plain(self) -> np.ndarray:
        """Which of these numbers count as they are."""
        match, R = self.task.match, np.ones((3, 3), dtype=bool)
        if match in AXES:
            R = np.tile([axis == match for axis in AXES], (3, 1))
        turns, moves = match != "position", match != "rotation"
        return np.concatenate([R.reshape(9) & turns, [moves] * 3, ~self.task.turning])

    def ranked(self, constants: np.ndarray) -> np.ndarray:
        """Return which positions to start from for poses and `near`, best first, (r, GROUPS)."""
        own = self.features(constants[:, :TARGET], constants[:, TARGET:])
        own = np.concatenate([own, np.ones((len(own), 1), dtype=own.dtype)], axis=1)
        best = np.empty(len(own) * GROUPS, dtype=int)
        least = np.empty(len(best), dtype=own.dtype)
        for first in range(0, len(own), TOGETHER):
            scores = own[first : first + TOGETHER] @ self._scoring
            scores = scores.reshape(-1, COUNT // GROUPS)
            part = slice(first * GROUPS, first * GROUPS + len(scores))
            best[part], least[part] = scores.argmin(axis=1), scores.min(axis=1)
        best = best.reshape(-1, GROUPS) + np.arange(GROUPS) * (COUNT // GROUPS)
        order = least.reshape(-1, GROUPS).argsort(axis=1, kind="stable")
        return np.take_along_axis(best, order, axis=1)
