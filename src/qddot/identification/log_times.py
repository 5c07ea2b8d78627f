"""The times of a log: rows out of order, gaps and jitter; mended with a note, or refused."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from qddot.identification.log import GAP, UNEVEN, bad_log
from qddot.identification.log_columns import Raw

DISORDER = 0.01  # of the rows: more out of order is not a slip of the clock
SLOWEST = 0.5  # [s] between rows: nobody records an arm so slowly


def in_time(raw: Raw) -> np.ndarray:
    """Return which rows to keep so that the times rise."""
    t = raw.t
    latest = np.maximum.accumulate(t)
    back = np.append(False, t[1:] < latest[:-1])
    if back.sum() > max(1, DISORDER * len(t)):
        row = int(back.argmax())
        restarts = int((np.diff(t) < 0).sum())
        remedy = f"They may be several logs in one file: take one, {pieces(raw)}."
        if restarts > DISORDER * len(t):
            remedy = "Check the column of times and its unit."
        raise bad_log(
            raw.source,
            f"its times go back {restarts} times, first in {raw.row(row)}, from {t[row - 1]:.6g} s "
            f"to {t[row]:.6g} s, and {int(back.sum())} of {len(t)} rows are then out of order",
            remedy,
        )
    if back.any():
        rows = ", ".join(raw.row(int(row)) for row in np.flatnonzero(back)[:5])
        raw.note("warning", "time", f"it goes back at {rows}: {int(back.sum())} rows left out")
    keep = ~back
    risen = np.flatnonzero(keep)
    # of rows with one time the last is kept: in a simulated motion it is the one after a jump
    again = np.append(np.diff(t[risen]) == 0, False)
    if again.any():
        rows = ", ".join(raw.row(int(risen[k])) for k in np.flatnonzero(again)[:5])
        more = " and others" if again.sum() > 5 else ""
        raw.note(
            "note", "time", f"it stands still after {rows}{more}: {int(again.sum())} rows left out"
        )
        keep[risen[again]] = False
    return keep


def pieces(raw: Raw) -> str:
    """Return the rows between which the times go back, as they are asked for."""
    ends = [0, *(np.flatnonzero(np.diff(raw.t) < 0) + 1).tolist(), len(raw.t)]
    said = [f"rows=({raw.first + a + 1}, {raw.first + b})" for a, b in pairwise(ends)]
    return " or ".join(said[:3]) + (" or another" if len(said) > 3 else "")


def look_at_steps(raw: Raw, rows: np.ndarray) -> None:
    """Note gaps and jitter."""
    steps = np.diff(raw.t)
    usual = float(np.median(steps))
    if usual > SLOWEST:
        raw.note(
            "warning",
            "time",
            f"rows are {usual:.4g} s apart",
            'If the times are in other units: units={"t": "ms"}, "us" or "ns".',
        )
    gaps = np.flatnonzero(steps > GAP * usual)
    if len(gaps):
        said = ", ".join(f"{steps[k]:.4g} s after {raw.row(int(rows[k]))}" for k in gaps[:4])
        more = f" and {len(gaps) - 4} more" if len(gaps) > 4 else ""
        raw.note(
            "warning",
            "time",
            f"{'a gap' if len(gaps) == 1 else 'gaps'} of {said}{more}, where rows are "
            f"{usual:.4g} s apart",
            "What lies in it is not measured, so `resampled` lets it not count.",
        )
    ordinary = steps[steps <= GAP * usual]
    spread = float(np.abs(ordinary - usual).max())
    if spread > UNEVEN * usual:
        raw.note(
            "note",
            "time",
            f"steps of {ordinary.min():.4g} to {ordinary.max():.4g} s, {usual:.4g} s as a rule; "
            "`resampled` makes them even",
        )
