"""A log made ready for regression: even, filtered, differentiated, trimmed, with a record of it.

Parallel decimation: τ = Y φ stays true when both sides are filtered alike, whatever the filter does
to them; what it takes out is noise that the model does not explain, and rows that say the same
again.

Gautier: M. Gautier, "Dynamic identification of robots with power model", ICRA, 1997.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.checks import not_negative, positive, spread
from qddot.errors import BadArgument
from qddot.identification.log import Log, check_even
from qddot.identification.regression import USUAL_TERMS
from qddot.identification.signals import cut, differentiated, filtered, resampled, shifted
from qddot.identification.spectrum import Cutoff
from qddot.identification.spectrum import cutoff as found_cutoff

SLOW = 0.01  # of a joint's top speed: below it sgn(q̇) and dry friction are not what models say
RINGING = 1.0  # periods of the cut-off, at each end
HALF = 5  # rows kept to each side of which the filter reaches
HARDLY = 0.1  # of the rows that would count
PASS = 0.8  # of the new Nyquist frequency
AT_ONCE = 2**24  # numbers of the regressor that are in memory at a time


def trimmed(log: Log, speed: Any = None, ends: float = 0.0) -> Log:
    """Return the log without its ends and with the slow parts of each joint not counting.

    Cut off are the ends where filters ring and where no joint moves. Inside, the torque of a joint
    does not count (`log.counts`) while the joint is slow: there dry friction is not Fₛ sgn(q̇).

    Args:
        log: The log, with velocities.
        speed: How slow [rad/s] or [m/s], one per joint; by default 1 % of each one's top speed.
        ends: How much of either end to cut off [s].
    """
    if log.qd is None:
        raise BadArgument("The log has no velocities; take differentiated(log) first.")
    not_negative("ends", ends, wanted="seconds, not negative")
    inside = (log.t - log.t[0] >= ends) & (log.t[-1] - log.t >= ends)
    fast = np.abs(log.qd[inside]).max(axis=0, initial=0)
    slow = SLOW * fast
    if speed is not None:
        slow = spread("speed", speed, log.joint_names, "a speed", least=0, finite=False)
    moving = np.abs(log.qd) > slow
    rows = np.flatnonzero(inside & moving.any(axis=1))
    if not len(rows):
        raise BadArgument(
            "No joint of the log moves faster than "
            f"{np.max(slow):.3g}, so nothing is left of it.\n  Give a lower speed."
        )
    first, last = int(rows[0]), int(rows[-1]) + 1
    counts = moving & log.used
    said = []
    if last - first < len(log):
        said.append(f"cut to {log.t[first]:.4g} … {log.t[last - 1]:.4g} s")
    share = 100 * (1 - counts[first:last].mean())
    limits = ", ".join(f"{v:.3g}" for v in slow)
    said.append(f"{share:.1f} % of the torques do not count: slower than {limits}")
    return cut(replace(log, counts=counts), first, last, *said)


def prepared(
    log: Log,
    robot: Any = None,
    *,
    terms: Any = USUAL_TERMS,
    extra: Any = (),
    delay: float = 0.0,
    rate: float | None = None,
    cutoff: float | Cutoff | None = None,
    by: str = "differences",
    of: str | None = None,
    speed: Any = None,
    keep: float | None = None,
) -> Log:
    """Return the log ready for regression: q, qd, qdd and tau, with a record in its notes.

    Resampled where its steps are uneven or another rate is wanted; filtered without a shift in
    time; differentiated; its ends and slow parts trimmed; where wanted, decimated.

    Args:
        log: The log as loaded.
        robot: Whose log it is: the cut-off is then the one by which its model predicts torques
            that were not fitted. Without it, sines, rates and accelerations stand for the model.
        terms, extra: What `identify` is to add to the robot.
        delay: How much later torques were written down than positions [s].
        rate: Rows a second [Hz]; by default as it is.
        cutoff: Of the filter [Hz]; by default chosen, and the notes say how.
        by: "differences" or "splines".
        of: What is differentiated, "q" or "qd"; by default "qd" where it was measured.
        speed: Below which a joint's torque does not count; by default 1 % of its top speed.
        keep: About how many rows per second to keep [Hz], filtered alike; by default all.
    """
    if rate is not None or not log.even:
        log = resampled(log, rate)
    if delay:
        log = shifted(log, delay)
    chosen = found_cutoff(log, robot, terms, extra) if cutoff is None else cutoff
    log = filtered(log, chosen)
    log = differentiated(log, by, of, chosen)
    log = trimmed(log, speed, RINGING / float(chosen))
    return log if keep is None else decimated(log, keep)


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
    positive("rate", rate, wanted="rows per second, a positive number")
    return max(1, round(log.rate / rate))


def nothing_left(log: Log, rate: float | None) -> str:
    return f"Of {len(log)} rows none is left at {rate:.4g} Hz.\n  Keep more rows per second."


def equations(log: Log, columns: Callable[[Log], np.ndarray], rate: float | None = None) -> Log:
    """Return the equations τ = Y φ of a prepared log at few instants, both sides filtered alike.

    Args:
        log: The log, evenly sampled, with q, qd, qdd and tau.
        columns: The regressor of a log, shape (k, n, p). It is asked for a piece at a time, so that
            memory stays small.
        rate: About how many rows per second to keep [Hz]; by default all, unfiltered.

    Returns:
        These rows of the log, with Y and τ filtered.
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
    return replace(
        log[reach + np.arange(kept) * factor],
        tau=few_rows(log.tau, factor),
        counts=log.used if factor == 1 else counting_rows(log.used, factor),
        Y=np.concatenate(Y),
    )
