"""A controller on a computer: sampled at a fixed rate, on late and noisy measurements.

Its torques are held in between. One loop, for one arm or for many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from qddot.model.tree import Tree, by_rows
from qddot.motions.piecewise import cubic_at


class Past:
    """The last states of some arms, kept at equal steps of time.

    Between two of them positions follow the cubic that has their positions and velocities.
    """

    def __init__(
        self,
        q: np.ndarray,
        qd: np.ndarray,
        h: float,
        delay: np.ndarray,
        tree: Tree | None = None,
    ):
        """Keep where the arms start.

        Args:
            q, qd: Positions and velocities, shape (arms, nq) and (arms, n).
            h: The time from one kept state to the next [s].
            delay: How old the states are that are seen [s], shape (arms,).
            tree: The arm where q has other numbers than dq/dt = q̇: a is then the way from q₀.
        """
        self.h, self.behind = h, delay / h
        self.length = int(np.ceil(self.behind.max(initial=0.0))) + 2
        self.tree = None if tree is None or tree.flat else tree
        self.q, self.qd = (np.empty((self.length, *x.shape)) for x in (q, qd))
        self.q[0], self.qd[0] = q, qd
        self.last = 0

    def keep(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Keep the states a step later."""
        self.last += 1
        self.q[self.last % self.length], self.qd[self.last % self.length] = q, qd

    @property
    def now(self) -> tuple[np.ndarray, np.ndarray]:
        """The states kept last: q and q̇."""
        return self.q[self.last % self.length], self.qd[self.last % self.length]

    def moved(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """Return positions, moved by displacements."""
        return q + dv if self.tree is None else by_rows(self.tree.step, q, np.atleast_2d(dv))

    def seen(self) -> tuple[np.ndarray, np.ndarray]:
        """Return q and q̇ of a delay ago; before the start, those of the start."""
        if not self.behind.any():
            return self.now
        where = np.maximum(self.last - self.behind, 0.0)
        before = np.floor(where).astype(int)
        after = np.minimum(before + 1, self.last)
        arms = np.arange(len(where))
        (q0, v0), (q1, v1) = (
            (self.q[k % self.length, arms], self.qd[k % self.length, arms]) for k in (before, after)
        )
        s = (where - before)[:, None]
        way = q1 - q0 if self.tree is None else by_rows(self.tree.difference, q0, q1)
        gone, qd = cubic_at(s, self.h, (0.0, v0), (way, v1))
        return self.moved(q0, gone), qd


def sampled(
    past: Past,
    asked: Callable[..., tuple[Any, Any]],
    moved: Callable[[float, Any, float], bool],
    x: Any,
    *,
    period: float,
    count: int,
    end: float = np.inf,
    noise: Callable[[int], tuple[Any, Any]] | None = None,
) -> Iterator[tuple[float, Any, Any, Any]]:
    """Yield t, τ, x and ẋ at every sample, before the arms move on, and once more at the end.

    The controller's own state is stepped as a computer would: x⁺ = x + ẋ · period.

    Args:
        past: The states so far.
        asked: From t, measured q and q̇, and x, to τ and ẋ.
        moved: Moves the arms from t by a time, under torques, and keeps their states in `past`;
            returns whether that went well. The loop ends where it did not.
        x: Where the controller's own state starts.
        period: From sample to sample [s].
        count: How many samples there are.
        end: When the last one ends [s], if sooner than a period later.
        noise: From the number of a sample to the errors of its q and q̇.
    """
    tau = xd = None
    for k in range(count):
        t = k * period
        q, qd = past.seen()
        if noise is not None:
            off, off_rate = noise(k)
            q, qd = past.moved(q, off), qd + off_rate
        tau, xd = asked(t, q, qd, x)
        yield t, tau, x, xd
        length = min(period, end - t)
        if not moved(t, tau, length):
            return
        x = x + length * xd
    yield min(count * period, end), tau, x, xd
