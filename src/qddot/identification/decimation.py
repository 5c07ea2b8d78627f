"""Fewer rows that say the same: columns and torques through one low-pass (parallel decimation).

τ = Y φ stays true when both sides are filtered alike, whatever the filter does to them; what it
takes out is noise that the model does not explain, and rows that say the same again.

Gautier: M. Gautier, "Dynamic identification of robots with power model", ICRA, 1997.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from qddot.checks import positive
from qddot.errors import BadArgument
from qddot.identification.log import REASONS, Log, check_even

HALF = 5  # rows kept to each side of which the filter reaches
HARDLY = 0.1  # of the rows that would count
PASS = 0.8  # of the new Nyquist frequency
TOGETHER = 10  # rows that the filter gives at a time
AT_ONCE = 2**22  # numbers of the regressor that are in memory at a time


def low_pass(factor: int) -> np.ndarray:
    """Return the weights (2·5·factor + 1,) of the filter: symmetric, so without phase.

    Those of an ideal low-pass, under a Hamming window.
    """
    if factor == 1:
        return np.ones(1)
    m = np.arange(-HALF * factor, HALF * factor + 1)
    h = np.sinc(PASS / factor * m) * np.hamming(len(m))
    return h / h.sum()


def decimated(log: Log, rate: float) -> Log:
    """Return the log with fewer rows, all its channels through one low-pass.

    The regressor of the filtered states stands for the filtered regressor, which `equations` takes
    itself; the two differ little where the motion is slow against the filter.

    Args:
        log: The log, evenly sampled.
        rate: About how many rows per second to keep [Hz]; a whole number of rows is skipped.
    """
    check_even(log)
    factor = factor_for(log, rate)
    if factor == 1:
        return log
    changes = {name: few_rows(x, factor) for name, x in log.arrays()}
    rows = HALF * factor + factor * np.arange(len(changes["q"]))
    if len(rows) < 2:
        raise BadArgument(nothing_left(log, rate))
    if log.counts is not None:
        changes |= counting(log, rows, factor)
    said = f"one of {factor} rows kept, {log.rate / factor:.4g} Hz, after a low-pass at "
    said += f"{PASS * log.rate / factor / 2:.4g} Hz on q, qd, qdd and tau alike"
    return log.noted(said, place="rows", t=log.t[rows], **changes)


def few_rows(x: np.ndarray, factor: int) -> np.ndarray:
    """Return every factor-th row of x, filtered; rows that the filter does not fill are left out.

    Row m of the result is at row (5 + m)·factor of x; with factor 1, all rows as they are.
    """
    if factor == 1:
        return x
    if len(x) < 2 * HALF * factor + 1:
        return x[:0]
    flat = x.reshape(len(x), -1)
    rows = (len(x) - 2 * HALF * factor - 1) // factor + 1
    h, y = low_pass(factor), np.empty((rows, flat.shape[1]))
    # some rows together are one product of matrices, which is quick
    H = np.zeros((TOGETHER, (TOGETHER - 1) * factor + len(h)))
    for k in range(TOGETHER):
        H[k, k * factor : k * factor + len(h)] = h
    for first in range(0, rows, TOGETHER):
        last = min(first + TOGETHER, rows)
        part = flat[first * factor : (last - 1) * factor + len(h)]
        np.matmul(H[: last - first, : len(part)], part, out=y[first:last])
    return y.reshape(rows, *x.shape[1:])


def counting_rows(counts: np.ndarray, factor: int) -> np.ndarray:
    """Return which of the kept rows, one in `factor`, count, shape (m, n).

    Those whose own torque counts, (k, n), and into which the filter brings no rest: while a joint
    stands still for longer than the filter reaches to one side, sgn(q̇) is noise, and no turn of
    the motion. Where that would leave hardly any, the first is enough.
    """
    rows = HALF * factor + factor * np.arange(max(0, (len(counts) - 1) // factor - 2 * HALF + 1))
    own = counts[rows]
    free = own.copy()
    for i in range(counts.shape[1]):
        edges = np.flatnonzero(np.diff(np.concatenate([[1], counts[:, i].astype(int), [1]])))
        for start, stop in edges.reshape(-1, 2):
            if stop - start > HALF * factor:
                near = (rows >= start - HALF * factor) & (rows < stop + HALF * factor)
                free[near, i] = False
        if free[:, i].sum() < HARDLY * own[:, i].sum():
            free[:, i] = own[:, i]
    return free


def factor_for(log: Log, rate: float) -> int:
    """Return of how many rows one is kept, for a rate [Hz]."""
    positive("rate", rate, wanted="rows per second, a positive number")
    return max(1, round(log.rate / rate))


def nothing_left(log: Log, rate: float | None) -> str:
    return f"Of {len(log)} rows none is left at {rate:.4g} Hz.\n  Keep more rows per second."


def equations(log: Log, columns: Callable[[Log], np.ndarray], rate: float | None = None) -> Log:
    """Return the equations τ = Y φ of a prepared log at few instants, both sides filtered alike.

    The log is evenly sampled, and about `rate` rows per second [Hz] are kept; by default all,
    unfiltered. The regressor, `columns`, shape (k, n, p), is asked for a piece at a time, so that
    memory stays small.
    """
    missing = [name for name in ("qd", "qdd", "tau") if getattr(log, name) is None]
    if missing:
        raise BadArgument(f"The log has no {', '.join(missing)}; take prepared(log) first.")
    check_even(log)
    factor = 1 if rate is None else factor_for(log, rate)
    reach = 0 if factor == 1 else HALF * factor
    kept = (len(log) - 2 * reach - 1) // factor + 1 if len(log) > 2 * reach else 0
    if kept < 1:
        raise BadArgument(nothing_left(log, rate))
    size = max(1, AT_ONCE // (columns(log[:1]).size * factor) - 2 * HALF)
    Y = []
    for first in range(0, kept, size):
        last = min(first + size, kept)
        part = log[first * factor : (last - 1) * factor + 2 * reach + 1]
        Y.append(few_rows(columns(part), factor))
    rows = reach + np.arange(kept) * factor
    about = {"counts": log.used} if factor == 1 else counting(log, rows, factor)
    return replace(log[rows], tau=few_rows(log.tau, factor), Y=np.concatenate(Y), **about)


def counting(log: Log, rows: np.ndarray, factor: int) -> dict[str, np.ndarray]:
    """Return `counts` and `why` of the rows that are kept."""
    counts, why = counting_rows(log.used, factor), log.why_not[rows]
    near = ~counts & (why == 0)  # the filter brings rest in
    return {"counts": counts, "why": np.where(near, 1 + REASONS.index("slow"), why)}
