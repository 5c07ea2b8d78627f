"""States of a while ago, as a controller sees them whose measurements are late."""

from __future__ import annotations

import numpy as np


class Past:
    """The last states of some arms, kept at equal steps of time.

    Between two of them, with s from 0 to 1 and h the step, positions follow the cubic that has
    their positions and velocities:

        q = q₀ + s a + s (s − 1) b        a = q₁ − q₀        b = (1 − 2 s) a + (s − 1) h q̇₀ + s h q̇₁
    """

    def __init__(self, q: np.ndarray, qd: np.ndarray, h: float, delay: np.ndarray):
        """Keep where the arms start.

        Args:
            q, qd: Positions and velocities, shape (arms, n).
            h: The time from one kept state to the next [s].
            delay: How old the states are that are seen [s], shape (arms,).
        """
        self.h, self.behind = h, delay / h
        self.length = int(np.ceil(self.behind.max(initial=0.0))) + 2
        self.states = np.empty((self.length, 2, *q.shape))
        self.states[0] = q, qd
        self.last = 0

    def keep(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Keep the states a step later."""
        self.last += 1
        self.states[self.last % self.length] = q, qd

    def seen(self) -> tuple[np.ndarray, np.ndarray]:
        """Return q and q̇ of a delay ago; before the start, those of the start."""
        if not self.behind.any():
            q, qd = self.states[self.last % self.length]
            return q, qd
        where = np.maximum(self.last - self.behind, 0.0)
        before = np.floor(where).astype(int)
        after = np.minimum(before + 1, self.last)
        arms, h = np.arange(len(where)), self.h
        (q0, v0), (q1, v1) = (
            self.states[k % self.length, :, arms].swapaxes(0, 1) for k in (before, after)
        )
        s = (where - before)[:, None]
        way = q1 - q0
        bend = (1 - 2 * s) * way + (s - 1) * h * v0 + s * h * v1
        turn = h * v0 + h * v1 - 2 * way
        q = q0 + s * way + s * (s - 1) * bend
        return q, (way + (2 * s - 1) * bend + s * (s - 1) * turn) / h
