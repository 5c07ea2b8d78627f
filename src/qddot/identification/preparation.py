"""A log made ready for regression: even, filtered, differentiated, trimmed, with a record of it.

Torques at the end of their range where they stand still do not count. A torque that was cut off is
flat at its largest or smallest value. So is the peak of a smooth one that was rounded, or written
more often than measured; but then the values below are as long. A slip of the recording is a value
or two far beyond everything else in its column.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.checks import not_negative, spread
from qddot.errors import BadArgument, IdentificationWarning, printable
from qddot.identification.decimation import decimated
from qddot.identification.delay import Delay, delay_of
from qddot.identification.held_out import LogJudge, can_be_judged, usual, way
from qddot.identification.log import REASONS, Log
from qddot.identification.log_checks import check_size
from qddot.identification.regression import USUAL_TERMS
from qddot.identification.signals import check_rising, check_rows, resampled, smoothed
from qddot.identification.sine_series import Way
from qddot.identification.spectrum import Cutoff

SLOW = 0.01  # of a joint's top speed: below it sgn(q̇) and dry friction are not what models say
RINGING = 1.0  # periods of the cut-off, at each end
BEYOND = 1e100  # nothing that was measured is so large
SHORTEST = 16  # rows that can be filtered
FEWEST = 50  # rows, in which slips are looked for
COARSE = 0.3  # of the noise of positions: what their steps give is said from there on
RICH, MANY = 40.0, 50_000  # rows per period of the cut-off, and in all, that a long log keeps
PLATEAU = 4  # rows of a plateau
LONGER = 3.0  # times the runs of equal values that are usual in the column
OFTENER = 5.0  # times as many rows as at the next value
EQUAL = 1e-9  # of the range
WILD = 2.0  # times the range of nearly all other values
NEARLY = 0.5, 99.5  # percentiles: the range of nearly all values
SHORT = 2  # rows of a slip
TIMES = 10  # its own length, by which a gap is widened at most


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
    moving = np.abs(log.qd) > slow
    if speed is not None:
        slow = spread("speed", speed, log.joint_names, "a speed", least=0, finite=False)
        moving = np.abs(log.qd) >= slow
    rows = np.flatnonzero(inside & moving.any(axis=1))
    if not len(rows):
        raise BadArgument(
            "No joint of the log moves faster than "
            f"{np.max(slow):.3g}, so nothing is left of it.\n  Give a lower speed."
        )
    first, last = int(rows[0]), int(rows[-1]) + 1
    said = []
    if last - first < len(log):
        said.append(f"cut to {log.t[first]:.4g} … {log.t[last - 1]:.4g} s")
    limits = ", ".join(f"{v:.3g}" for v in slow)
    words = {"gap": "in gaps", "saturated": "saturated", "slow": f"slower than {limits}"}
    found = log.left_out(~moving, "slow")[first:last]
    shares = [
        f"{100 * where.mean():.1f} % {words.get(reason, 'as was said before')}"
        for reason, where in found.reasons.items()
    ]
    share = 100 * (1 - found.used.mean())
    said.append(f"{share:.1f} % of the torques do not count: {', '.join(shares) or 'none'}")
    return found.noted(*said, place="rows")


def prepared(
    log: Log,
    robot: Any = None,
    *,
    terms: Any = USUAL_TERMS,
    extra: Any = (),
    delay: Any = None,
    rate: float | None = None,
    cutoff: float | Cutoff | None = None,
    speed: Any = None,
    keep: float | None = None,
) -> Log:
    """Return the log ready for regression: q, qd, qdd and tau, with a record in its notes.

    Resampled where its steps are uneven or another rate is wanted; filtered without a shift in
    time; differentiated; torques that come late shifted back; its ends and slow parts trimmed;
    where wanted, decimated. Torques at the end of their range do not count. Of a long log only as
    many rows are kept as carry what the filter leaves.

    Args:
        log: The log as loaded.
        robot: Whose log it is: the cut-off is then the one by which its model predicts torques
            that were not fitted. Without it, sines, rates and accelerations stand for the model.
        terms, extra: What `identify` is to add to the robot.
        delay: How much later torques were written down than positions [s], one number or one per
            joint; by default found by the robot's model, and removed if torques are then predicted
            clearly better.
        rate: Rows a second [Hz]; by default as it is.
        cutoff: Of the filter [Hz]; by default chosen, and the notes say how.
        speed: Below which a joint's torque does not count; by default 1 % of its top speed.
        keep: About how many rows per second to keep [Hz], filtered alike; by default all.
    """
    check_rows(log, SHORTEST)
    check_rising(log)
    log = _with_numbers(log)
    log = _without_slips(log)
    if rate is not None or not log.even:
        log = resampled(log, rate)
    if log.tau is not None and (flat := saturated(log.tau)).any():
        log = log.left_out(flat, "saturated")
    judge = LogJudge(log, robot, terms, extra)
    late = Delay() if delay is None else Delay.given(delay, log)
    how, ready = _ready(judge, cutoff, speed, late)
    if delay is None and robot is not None and can_be_judged(log):
        late = delay_of(judge, how, ready)
        if np.any(late.seconds):
            ready = _ready(judge, cutoff, speed, late)[1]
        ready = ready.noted(late.words, place="delay")
    ready = _resolution_noted(ready, judge)
    return ready if keep is None else decimated(ready, keep)


def _with_numbers(log: Log) -> Log:
    """Return the log with columns of plain numbers; refuse what is none, or beyond all measure."""
    columns: dict[str, Any] = {name: np.asarray(x, dtype=float) for name, x in log.arrays()}
    for name, x in columns.items():
        bad = np.argwhere(~(np.abs(x) < BEYOND))
        if len(bad):
            row, column = (int(k) for k in bad[0])
            raise BadArgument(
                f"{name} of the log has {len(bad)} entries that are NaN, infinite or too large, "
                f"the first in row {row + 1}, column {column + 1}: {x[row, column]:.3g}.\n"
                "  Leave those rows out: `resampled` fills the gap, which then does not count."
            )
    check_size(columns.get("tau", np.zeros(0)))
    if "qd" in columns and not columns["qd"].any() and np.ptp(log.q, axis=0).any():
        said = "velocities are zero in every row while joints move: they count as not measured"
        columns["qd"] = None
        return replace(log.noted(said, place="velocity"), **columns)
    return replace(log, **columns)


def _without_slips(log: Log) -> Log:
    """Return the log with slips of the recording bridged, and a warning that says which."""
    if log.tree is not None or len(log) < FEWEST:
        return log
    for name, x in tuple(log.arrays()):
        bad = slips(x)
        if not bad.any():
            continue
        row, joint = (int(k) for k in np.argwhere(bad)[0])
        said = (
            f"{bad.sum()} of {bad.size} values of {name} are far beyond all others, the first in "
            f"row {row + 1} of joint {printable(log.joint_names[joint])!r}, {x[row, joint]:.3g}: "
            "taken for slips of the recording, and bridged"
        )
        warnings.warn(f"{printable(log.source)}: {said}.", IdentificationWarning, stacklevel=3)
        log = log.noted(said, place="slips", **{name: bridged(x, bad)})
    return log


def _resolution_noted(log: Log, judge: LogJudge) -> Log:
    """Return the log with a note of the steps in which positions come, where these are noise."""
    positions = judge.suggested.spectrum
    steps = np.broadcast_to(positions.resolution, len(positions.joint_names))
    coarse = steps**2 / 12 / positions.frequency[-1] > COARSE * positions.floor
    if not coarse.any():
        return log
    told = ", ".join(
        f"{name} {step:.3g}"
        for name, step, said in zip(positions.joint_names, steps, coarse, strict=True)
        if said
    )
    return log.noted(f"positions come in steps ({told}), noise of step/√12 each", place="encoder")


def _ready(judge: LogJudge, cutoff: Any, speed: Any, late: Delay) -> tuple[Way, Log]:
    """Return how a log was filtered, and the log, trimmed; torques are taken later."""
    log, later = judge.log, late.seconds
    if cutoff is None:
        how, cutoff = way(judge, later)
    else:
        how = Way(float(cutoff), usual(log))
    every = thinned(judge, how.cutoff)
    found = smoothed(judge.smoother, how, cutoff, later, every)
    around = int(log.rate / how.cutoff)  # rows over which the filter has spread what was wrong
    for reason, where in log.reasons.items():
        if reason in REASONS:
            found = found.left_out(widened(where, around)[::every], reason)
    return how, trimmed(found, speed, RINGING / how.cutoff + float(np.max(np.abs(later))))


def thinned(judge: LogJudge, cutoff: float) -> int:
    """Return of how many rows one is kept, so that many rows per period of the cut-off stay."""
    log = judge.log
    most = max(1, int(min(log.rate / (RICH * cutoff), len(log) / MANY)))
    steps = judge.smoother.column("q").steps
    return next(every for every in range(most, 0, -1) if steps % every == 0)


def saturated(tau: np.ndarray) -> np.ndarray:
    """Return where measured torques are at the end of their range, shape (k, n)."""
    found = np.zeros(tau.shape, bool)
    for i, x in enumerate(tau.T):
        span = float(np.ptp(x))
        if not span:
            continue
        changes = np.flatnonzero(np.abs(np.diff(x)) > EQUAL * span)
        edges = np.concatenate([[0], changes + 1, [len(x)]])
        lengths, values = np.diff(edges), x[edges[:-1]]
        long = lengths >= max(PLATEAU, LONGER * float(np.percentile(lengths, 95)))
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
