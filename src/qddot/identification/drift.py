"""Torques whose offset drifts: seen in what a fit leaves, and said; never taken out silently."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qddot.errors import Problem
from qddot.identification.regression import DRIFT
from qddot.identification.rough_fit import RoughFit

DRIFTS = 0.9  # of a joint's error that is left with a drift of its offset
PIECES, STEADY = 10, 6.0  # of time; deviations of the slope of what is left in them
TINY = 1e-9


def drifts(look: RoughFit) -> Iterator[Problem]:
    """Yield torques whose offset changes with time, as sensors that warm up have it.

    Args:
        look: The rough fit of a log that `doubts` looks at.
    """
    log, n = look.log, len(look.names)
    if (
        len(log) < 2 * PIECES
        or log.duration <= 0
        or any(name.endswith(DRIFT) for name in look.regression.names)
    ):
        return
    time = (log.t - log.t[0]) / log.duration - 0.5
    look.of(log)
    before, steady = look.each, _steadiness(time, look.left)
    look.of(log, time[:, None, None] * np.eye(n))
    after, sizes = look.each, look.beyond
    for i, joint in enumerate(look.regression.robot.model.free_joints):
        if after[i] < DRIFTS * before[i] and steady[i] > STEADY:
            yield Problem(
                "warning",
                f"joint {look.names[i]!r}",
                f"its torque drifts, by {sizes[i]:.2g} {joint.units.effort} from the first row to "
                f"the last: {look.helps(before[i], after[i])}",
                'If a sensor warms up, find that too: terms=(..., "drift").',
            )


def _steadiness(time: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Return how surely residuals grow with time: the slope of their means in tenths, by its error.

    What a model lacks changes from tenth to tenth as well, but not steadily.
    """
    pieces = np.array_split(np.arange(len(time)), PIECES)
    t = np.array([time[piece].mean() for piece in pieces])
    means = np.array([left[piece].mean(axis=0) for piece in pieces])
    t, means = t - t.mean(), means - means.mean(axis=0)
    slope = t @ means / (t @ t)
    scatter = np.sum((means - np.outer(t, slope)) ** 2, axis=0) / (PIECES - 2)
    return np.abs(slope) / np.sqrt(np.maximum(scatter, TINY**2) / (t @ t))
