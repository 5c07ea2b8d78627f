"""Torques that cannot be used: at the end of their range where they stand still, and slips.

A slip of the recording is a value or two far beyond everything else in its column. A torque that
was cut off is flat at its largest or smallest value. So is the peak of a smooth one
that was rounded, or written more often than measured; but then the values below are as long.
"""

from __future__ import annotations

import numpy as np

SHORTEST = 4  # rows of a plateau
LONGER = 3.0  # times the runs of equal values that are usual in the column
OFTENER = 5.0  # times as many rows as at the next value
EQUAL = 1e-9  # of the range
WILD = 2.0  # times the range of nearly all other values
NEARLY = 0.5, 99.5  # percentiles: the range of nearly all values
SHORT = 2  # rows of a slip
TIMES = 10  # its own length, by which a gap is widened at most


def saturated(tau: np.ndarray) -> np.ndarray:
    """Return where torques are at the end of their range, shape (k, n).

    Args:
        tau: Torques as they were measured, shape (k, n).
    """
    found = np.zeros(tau.shape, bool)
    for i, x in enumerate(tau.T):
        span = float(np.ptp(x))
        if not span:
            continue
        changes = np.flatnonzero(np.abs(np.diff(x)) > EQUAL * span)
        edges = np.concatenate([[0], changes + 1, [len(x)]])
        lengths, values = np.diff(edges), x[edges[:-1]]
        long = lengths >= max(SHORTEST, LONGER * float(np.percentile(lengths, 95)))
        for end in (x.max(), x.min()):
            flat = np.abs(values - end) <= EQUAL * span
            others = np.abs(values - end)[~flat]
            following = np.abs(np.abs(values - end) - others.min(initial=np.inf)) <= EQUAL * span
            rows = lengths[flat & long].sum()
            if rows and rows >= OFTENER * lengths[following].sum():
                for k in np.flatnonzero(flat & long):
                    found[edges[k] : edges[k + 1], i] = True
    return found


def widened(where: np.ndarray, rows: int) -> np.ndarray:
    """Return where something is so at most so many rows before or after, shape (k, n).

    A single row or two that are missing say little of those around them: a gap is widened by no
    more than ten times itself.
    """
    found = np.zeros_like(where)
    for i in range(where.shape[1]):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], where[:, i].astype(int), [0]])))
        for start, stop in edges.reshape(-1, 2):
            far = min(rows, TIMES * (stop - start))
            found[max(0, start - far) : stop + far, i] = True
    return found


def slips(x: np.ndarray) -> np.ndarray:
    """Return where one value or two are far from those around them, shape (k, n).

    Further than twice the range of nearly all values of their column.
    """
    from scipy.ndimage import median_filter

    low, high = np.percentile(x, NEARLY, axis=0)
    off = np.abs(x - median_filter(x, size=(2 * SHORT + 1, 1), mode="nearest"))
    return (off > WILD * (high - low)) & (high > low)


def bridged(x: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Return columns with straight lines in place of some of their values."""
    result, rows = x.astype(float), np.arange(len(x))
    for i in np.flatnonzero(where.any(axis=0)):
        bad = where[:, i]
        result[bad, i] = np.interp(rows[bad], rows[~bad], x[~bad, i])
    return result
