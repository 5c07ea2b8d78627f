"""The nearest of all solutions of a pose, where a closed form gives them all: one program."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.kinematics.damped_step import TARGET, PoseTask, within_half_a_turn
from qddot.kinematics.solutions import CLOSED, SINGULAR, SLACK, Solutions
from qddot.program.operations import select
from qddot.program.optimise import optimised
from qddot.program.recorder import record
from qddot.scalars import Scalar

NOWHERE = 1e300  # farther than any solution


@dataclass(frozen=True)
class KnownSolutions:
    """Chooses among all solutions of poses, for a task that asks for the whole pose."""

    task: PoseTask
    closed_form: Callable[[np.ndarray], Solutions]  # from poses (r, 4, 4)
    threads: int = 1

    def nearest(self, constants: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest solution within limits, (r, m), and where it is sure to be.

        Elsewhere it is `near`: where there is none, or one stands for a family of them. Constants
        are poses and `near` of the joints that carry the frame, (r, 12 + m).
        """
        X = np.zeros((len(constants), 4, 4))
        X[:, :3, :3], X[:, :3, 3] = constants[:, :9].reshape(-1, 3, 3), constants[:, 9:TARGET]
        X[:, 3, 3] = 1
        q, sure = self._kernel(*self.closed_form(X), constants[:, TARGET:])
        return q, sure > 0

    @cached_property
    def _kernel(self) -> Kernel:
        k, nq = self.closed_form(np.eye(4)[None]).q.shape[1:]
        shapes = {"q": (k, nq), "miss": (k,), "margin": (k,), "near": (len(self.task.joints),)}
        program = optimised(record(self._chosen, f"nearest of {self.task.frame}", **shapes))
        return Kernel(program, threads=self.threads)

    def _chosen(self, q: Any, miss: Any, margin: Any, near: Any) -> dict[str, Any]:
        best, least, regular = list(near), NOWHERE, 1
        for row, far, clear in zip(q, miss, margin, strict=True):
            found = far <= CLOSED**2
            moved, distance, inside = self._moved(row, near)
            nearer = found * inside * (distance < least)
            best = [select(nearer, x, y) for x, y in zip(moved, best, strict=True)]
            least = select(nearer, distance, least)
            regular = regular * (1 - found * (clear <= SINGULAR))
        sure = regular * (least < NOWHERE)
        return {"q": [select(sure, x, y) for x, y in zip(best, near, strict=True)], "sure": sure}

    def _moved(self, q: Any, near: Any) -> tuple[list[Scalar], Scalar, Scalar]:
        """Return a solution, nearest by whole turns, its distance, and whether it is inside."""
        task, found, distance = self.task, [], 0
        inside: Scalar = 1
        for k, i in enumerate(task.joints):
            x, low, high = q[i], task.lower[i], task.upper[i]
            if task.angles[k]:
                x = near[k] + within_half_a_turn(x - near[k])
                if math.isfinite(high):
                    x = x - select(x > high + SLACK, 2 * math.pi, 0)
                if math.isfinite(low):
                    x = x + select(x < low - SLACK, 2 * math.pi, 0)
            if math.isfinite(low):
                inside = inside * (x >= low - SLACK)
            if math.isfinite(high):
                inside = inside * (x <= high + SLACK)
            distance = distance + task.joint_weights[i] * (x - near[k]) * (x - near[k])
            found.append(np.minimum(np.maximum(x, low), high))
        return found, distance, inside
