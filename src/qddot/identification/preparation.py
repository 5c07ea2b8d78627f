"""A log made ready for regression: even, filtered, differentiated, trimmed, with a record of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qddot.errors import BadArgument, shorten
from qddot.identification.decimation import decimated
from qddot.identification.log import Log
from qddot.identification.regression import USUAL_TERMS
from qddot.identification.signals import cut, differentiated, filtered, resampled, shifted
from qddot.identification.spectrum import Cutoff
from qddot.identification.spectrum import cutoff as found_cutoff

SLOW = 0.01  # of a joint's top speed: below it sgn(q̇) and dry friction are not what models say
RINGING = 1.0  # periods of the cut-off, at each end


def trimmed(log: Log, speed: Any = None, ends: float = 0.0) -> Log:
    """Return the log without its ends and with the slow parts of each joint not counting.

    Cut off are the ends where filters ring and where no joint moves. Inside, the torque of a joint
    does not count (`log.counts`) while the joint is slow: there dry friction is not Fₛ sgn(q̇).

    Args:
        log: The log, with velocities.
        speed: How slow [rad/s] or [m/s], one a joint; by default 1 % of each one's top speed.
        ends: How much of either end to cut off [s].
    """
    if log.qd is None:
        raise BadArgument("The log has no velocities; take differentiated(log) first.")
    if not (np.ndim(ends) == 0 and np.isfinite(ends) and ends >= 0):
        raise BadArgument(f"ends is {shorten(repr(ends))}; it must be seconds, not negative.")
    inside = (log.t - log.t[0] >= ends) & (log.t[-1] - log.t >= ends)
    fast = np.abs(log.qd[inside]).max(axis=0, initial=0)
    slow = SLOW * fast if speed is None else np.asarray(speed, dtype=float)
    if slow.shape not in ((), (log.n,)) or not (slow >= 0).all():
        raise BadArgument(f"speed is {shorten(repr(speed))}; give one for each of {log.n} joints.")
    moving = np.abs(log.qd) > slow
    rows = np.flatnonzero(inside & moving.any(axis=1))
    if not len(rows):
        raise BadArgument(
            "No joint of the log moves faster than "
            f"{np.max(slow):.3g}, so nothing is left of it.\n  Give a lower speed."
        )
    first, last = int(rows[0]), int(rows[-1]) + 1
    counts = moving if log.counts is None else moving & log.counts
    said = []
    if last - first < len(log):
        said.append(f"cut to {log.t[first]:.4g} … {log.t[last - 1]:.4g} s")
    share = 100 * (1 - counts[first:last].mean())
    limits = ", ".join(f"{v:.3g}" for v in np.broadcast_to(slow, (log.n,)))
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
        keep: About how many rows a second to keep [Hz], filtered alike; by default all.
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


def counting(log: Log) -> Log:
    """Return the rows in which the torque of every joint counts; they are not even any more."""
    if log.counts is None or log.counts.all():
        return log
    rows = log.counts.all(axis=1)
    if not rows.any():
        raise BadArgument(
            "There is no row in which every joint counts.\n"
            "  Let the joints move at the same time, or trim less: trimmed(log, speed=...)."
        )
    changes = {name: x[rows] for name, x in log.arrays()}
    said = f"{int(rows.sum())} of {len(log)} rows kept, in which every joint moves"
    return log.noted(said, place="rows", t=log.t[rows], counts=None, **changes)
