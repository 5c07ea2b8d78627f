"""Parallel decimation: the regressor and the torques through one low-pass, then fewer rows.

τ = Y φ stays true when both sides are filtered alike, whatever the filter does to them; what it
takes out is noise that the model does not explain, and rows that say the same again.

Gautier: M. Gautier, "Dynamic identification of robots with power model", ICRA, 1997.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from qddot.errors import BadArgument, shorten
from qddot.identification.log import Log
from qddot.identification.spectrum import check_even

HALF = 5  # rows kept to each side of which the filter reaches
HARDLY = 0.1  # of the rows that would count
PASS = 0.8  # of the new Nyquist frequency
AT_ONCE = 2**24  # numbers of the regressor that are in memory at a time

Regressor = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Rows:
    """The equations τ = Y φ at a few instants, both sides filtered alike."""

    joint_names: tuple[str, ...]
    t: np.ndarray  # (m,) [s]
    Y: np.ndarray  # (m, n, p)
    tau: np.ndarray  # (m, n)
    counts: np.ndarray  # (m, n), whether an equation is to be used

    def __len__(self) -> int:
        return len(self.t)


def low_pass(factor: int) -> np.ndarray:
    """Return the weights (2·5·factor + 1,) of the filter: symmetric, so without phase."""
    from scipy.signal import firwin

    if factor == 1:
        return np.ones(1)
    return np.asarray(firwin(2 * HALF * factor + 1, PASS / factor))


def decimated(log: Log, rate: float) -> Log:
    """Return the log with fewer rows, all its channels through one low-pass.

    The regressor of the filtered states stands for the filtered regressor, which `equations` takes
    itself; the two differ little where the motion is slow against the filter.

    Args:
        log: The log, evenly sampled.
        rate: About how many rows a second to keep [Hz]; a whole number of rows is skipped.
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
        changes["counts"] = counting_rows(log.counts, factor)
    said = f"one of {factor} rows kept, {log.rate / factor:.4g} Hz, after a low-pass at "
    said += f"{PASS * log.rate / factor / 2:.4g} Hz on q, qd, qdd and tau alike"
    return log.noted(said, place="rows", t=log.t[rows], **changes)


def few_rows(x: np.ndarray, factor: int) -> np.ndarray:
    """Return every factor-th row of x, filtered; rows that the filter does not fill are left out.

    Row m of the result is at row (5 + m)·factor of x; with factor 1, all rows as they are.
    """
    from scipy.signal import upfirdn

    if factor == 1:
        return x
    if len(x) < 2 * HALF * factor + 1:
        return x[:0]
    flat = x.reshape(len(x), -1)
    rows = (len(x) - 2 * HALF * factor - 1) // factor + 1
    y = upfirdn(low_pass(factor), flat, down=factor, axis=0)[2 * HALF : 2 * HALF + rows]
    return y.reshape(rows, *x.shape[1:])


def counting_rows(counts: np.ndarray, factor: int) -> np.ndarray:
    """Return which of the kept rows count, shape (m, n).

    Those whose own torque counts, and into which the filter brings no rest: while a joint stands
    still for longer than the filter reaches to one side, sgn(q̇) is noise, and no turn of the
    motion. Where that would leave hardly any, the first is enough.

    Args:
        counts: Whether the torque of a row counts, shape (k, n).
        factor: Of how many rows one is kept.
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
    if not (np.ndim(rate) == 0 and np.isfinite(rate) and rate > 0):
        raise BadArgument(f"rate is {shorten(repr(rate))}; give rows a second, a positive number.")
    return max(1, round(log.rate / rate))


def nothing_left(log: Log, rate: float | None) -> str:
    return f"Of {len(log)} rows none is left at {rate:.4g} Hz.\n  Keep more rows a second."


def chunks(log: Log, regressor: Regressor, rate: float | None = None) -> Iterator[Rows]:
    """Yield the equations of a prepared log piece by piece, so that memory stays small.

    Args:
        log: The log, evenly sampled, with q, qd, qdd and tau.
        regressor: A function of (q, qd, qdd), of shape (k, n) each, that gives Y (k, n, p), such
            as robot.regressor.
        rate: About how many rows a second to keep [Hz]; by default all, unfiltered.
    """
    if log.qd is None or log.qdd is None or log.tau is None:
        missing = [name for name in ("qd", "qdd", "tau") if getattr(log, name) is None]
        raise BadArgument(f"The log has no {', '.join(missing)}; take prepared(log) first.")
    check_even(log)
    factor = 1 if rate is None else factor_for(log, rate)
    reach = 0 if factor == 1 else HALF * factor
    kept = (len(log) - 2 * reach - 1) // factor + 1 if len(log) > 2 * reach else 0
    if kept < 1:
        raise BadArgument(nothing_left(log, rate))
    every = np.ones((len(log), log.n), bool) if log.counts is None else log.counts
    counts = every if factor == 1 else counting_rows(every, factor)
    p = np.shape(regressor(log.q[:1], log.qd[:1], log.qdd[:1]))[-1]
    size = max(1, AT_ONCE // (log.n * p * factor) - 2 * HALF)
    for first in range(0, kept, size):
        last = min(first + size, kept)
        use = slice(first * factor, (last - 1) * factor + 2 * reach + 1)
        centre = reach + np.arange(first, last) * factor
        yield Rows(
            log.joint_names,
            log.t[centre],
            few_rows(regressor(log.q[use], log.qd[use], log.qdd[use]), factor),
            few_rows(log.tau[use], factor),
            counts[first:last],
        )


def equations(log: Log, regressor: Regressor, rate: float | None = None) -> Rows:
    """Return the equations τ = Y φ of a prepared log, all at once; see `chunks`."""
    parts = list(chunks(log, regressor, rate))
    return Rows(
        log.joint_names,
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("t", "Y", "tau")),
        counts=np.concatenate([part.counts for part in parts]),
    )
