"""Contacts in external torques: where |r| of a joint is above its threshold.

No model is exact, so thresholds come from a motion in which nothing touches the arm: the largest
|r| in each of its blocks of time follow Gumbel's law of extremes, which gives the level that a log
as long as this one exceeds with a stated probability only.

Coles: S. Coles, *An Introduction to Statistical Modeling of Extreme Values*, Springer, 2001,
section 3.3: block maxima and their levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

UNSURE = 0.78  # of β/√N, the deviation of Gumbel's β from N maxima (Coles, section 3.3)
CAUTION = 1.0  # of these deviations


@dataclass(frozen=True)
class Contact:
    """A time in which something pushed the arm."""

    start: float  # [s]
    end: float
    joint: str  # whose torque is farthest above its threshold
    size: float  # that torque where it is largest [N·m or N], with its sign
    torque: np.ndarray  # of all joints then, shape (n,)
    joints: tuple[str, ...]  # all that are above their threshold; it touches at the last or beyond

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        plain = {key: getattr(self, key) for key in ("start", "end", "joint", "size")}
        return plain | {"torque": self.torque.tolist(), "joints": list(self.joints)}


def block_maxima(quiet: np.ndarray, block: int) -> np.ndarray:
    """Return the largest |r| of each joint in each block of so many rows, shape (blocks, n)."""
    count = len(quiet) // max(block, 1)
    return np.abs(quiet[: count * block]).reshape(count, block, quiet.shape[1]).max(axis=1)


def threshold(maxima: np.ndarray, blocks: float, false_alarms: float) -> np.ndarray:
    """Return the level of each joint that a log without contact stays below, shape (n,).

    With N blocks in the log and n joints, any of the N n maxima is above with probability

        1 − G(level)^(N n) = false_alarms        G(x) = exp(−exp(−(x − μ)/β))

    μ and β are fitted to the maxima of free motion; β is taken one of its deviations too large.

    Args:
        maxima: Of free motion, as `block_maxima` gives them, shape (k, n).
        blocks: How many blocks the log has, N.
        false_alarms: The probability.
    """
    from scipy.stats import gumbel_r

    count, n = maxima.shape
    share = 1 - (1 - false_alarms) ** (1 / (max(1.0, blocks) * n))
    levels = []
    for column in maxima.T:
        mu, beta = gumbel_r.fit(column) if np.ptp(column) > 0 else (column[0], 0.0)
        beta *= 1 + CAUTION * UNSURE / np.sqrt(count)
        levels.append(mu - beta * np.log(-np.log1p(-share)))
    return np.array(levels)


def found_contacts(
    joints: Sequence[str], t: np.ndarray, torque: np.ndarray, level: np.ndarray, apart: float
) -> tuple[Contact, ...]:
    """Return the times in which a joint's torque is above its level; near ones are one contact."""
    above = np.abs(torque) > level
    rows = np.flatnonzero(above.any(axis=1))
    if not len(rows):
        return ()
    found = []
    for part in np.split(rows, np.flatnonzero(np.diff(t[rows]) > apart) + 1):
        span = slice(part[0], part[-1] + 1)
        times = np.abs(torque[span]) / level
        row, j = map(int, np.unravel_index(int(times.argmax()), times.shape))
        felt = tuple(joints[int(i)] for i in np.flatnonzero(above[span].any(axis=0)))
        peak = torque[part[0] + row]
        start, end = (float(t[k]) for k in (part[0], part[-1]))
        found.append(Contact(start, end, joints[j], float(peak[j]), peak, felt))
    return tuple(found)
