"""From measured positions to velocities and accelerations, without a shift in time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qddot.checks import positive, spread
from qddot.errors import BadArgument, shorten
from qddot.identification.held_out import cutoff as chosen_cutoff
from qddot.identification.held_out import usual
from qddot.identification.log import GAP, Log, check_even
from qddot.identification.sine_series import ORDER, SineSeries, Smoother, Way, butterworth
from qddot.identification.spectrum import HIGHEST, Cutoff
from qddot.timeseries import QUANTITIES

BRIDGE = 5, 40  # rows on either side of a gap, by which it is filled
SHARPER = 0.4  # of a lower rate: what is faster would come back as something slower


def resampled(log: Log, rate: float | None = None) -> Log:
    """Return the log with equally spaced rows, by cubic splines through the measured ones.

    Exact for cubic polynomials. To a lower rate, what would alias is filtered out first. What falls
    into a gap does not count; it is bridged by values and slopes of parabolas through the rows on
    either side, because noise of two rows would make a spline swing far out.

    Args:
        log: The log.
        rate: Rows a second [Hz]; by default its own.
    """
    from scipy.interpolate import CubicSpline

    check_rows(log, 4)
    check_rising(log)
    rate = log.rate if rate is None else positive("rate", rate, "Hz")
    if rate < 0.99 * log.rate:
        even = log if log.even else resampled(log)
        log = filtered(even, SHARPER * rate)
    k = int(np.floor(log.duration * rate * (1 + 1e-12))) + 1
    t = log.t[0] + np.arange(k) / rate
    changes: dict[str, Any] = {  # a column at a time, for the sake of memory
        name: np.column_stack([CubicSpline(log.t, column)(t) for column in x.T])
        for name, x in log.arrays()
    }
    for gap in np.flatnonzero(np.diff(log.t) > GAP * log.step):
        _bridge(log, changes, t, int(gap))
    after = np.clip(np.searchsorted(log.t, t, side="right"), 1, len(log) - 1)
    nearest = np.where(t - log.t[after - 1] < log.t[after] - t, after - 1, after)
    apart = np.abs(t - log.t[nearest]) > log.step / 2
    missing = apart & (np.diff(log.t)[after - 1] > GAP * log.step)
    if log.counts is not None:
        changes |= {"counts": log.used[nearest]}
    if log.why is not None:
        changes |= {"why": log.why[nearest]}
    said = f"resampled from {len(log)} to {k} rows at {rate:.6g} Hz by cubic splines"
    if missing.any():
        said += f"; {int(missing.sum())} rows in gaps do not count"
    found = log.noted(said, place="time", t=t, **changes)
    if not missing.any():
        return found
    return found.left_out(np.repeat(missing[:, None], log.n, axis=1), "gap")


def _bridge(log: Log, columns: dict[str, Any], t: np.ndarray, gap: int) -> None:
    """Fill the rows of new columns, at times t, that lie in the gap after a row of the log."""
    from scipy.interpolate import CubicHermiteSpline

    ends = log.t[gap : gap + 2]
    inside = (t > ends[0]) & (t < ends[1])
    rows = int(np.clip(np.diff(ends)[0] / log.step, *BRIDGE))  # as far back as the gap is long
    sides = slice(max(0, gap + 1 - rows), gap + 1), slice(gap + 1, gap + 1 + rows)
    if not inside.any() or min(len(log.t[side]) for side in sides) < BRIDGE[0]:
        return
    for name, x in log.arrays():
        fits = [
            np.polyfit(log.t[side] - end, x[side], 2) for side, end in zip(sides, ends, strict=True)
        ]
        values, slopes = (np.array([fit[k] for fit in fits]) for k in (2, 1))
        columns[name][inside] = CubicHermiteSpline(ends, values, slopes)(t[inside])


def shifted(log: Log, delay: Any) -> Log:
    """Return the log with its torques earlier by a delay [s], one or one per joint, by splines.

    Rows whose torque would lie outside the log are cut off.
    """
    from scipy.interpolate import CubicSpline

    late = spread("delay", delay, log.joint_names, "seconds")
    if not np.all(np.abs(late) < log.duration / 2):
        raise BadArgument(f"delay is {shorten(repr(delay))}; give seconds, less than half the log.")
    if log.tau is None:
        raise BadArgument("The log has no torques to shift.")
    columns = zip(log.tau.T, late, strict=True)
    tau = np.column_stack([CubicSpline(log.t, x)(log.t + d) for x, d in columns])
    first, last = log.t[0] - min(0, late.min()), log.t[-1] - max(0, late.max())
    inside = np.flatnonzero((log.t >= first) & (log.t <= last))
    said = f"torques taken later in the log, by {', '.join(f'{d:.4g}' for d in np.unique(late))} s"
    return replace(log, tau=tau)[inside[0] : inside[-1] + 1].noted(said, place="rows")


def filtered(log: Log, cutoff: float | Cutoff | None = None, what: Any = QUANTITIES) -> Log:
    """Return the log with its noise filtered out, without a shift in time.

    A Butterworth filter of order four, run forwards and then backwards: its phase is zero at every
    frequency, and at the cut-off half of the amplitude is left.

    Args:
        log: The log, evenly sampled.
        cutoff: The cut-off frequency [Hz]; by default chosen.
        what: The quantities to filter, of those there are.
    """
    check_even(log)
    check_rows(log, 16)
    chosen = chosen_cutoff(log) if cutoff is None else cutoff
    f = check_cutoff(log, chosen)
    gain = butterworth(f, log.step)
    changes = {
        name: SineSeries.of(x, log.step).at(gain) for name, x in log.arrays() if name in what
    }
    return with_filter(log, f, chosen, changes)


def smoothed(
    smoother: Smoother, way: Way, cutoff: Any, delay: float | np.ndarray = 0.0, every: int = 1
) -> Log:
    """Return a log with q, qd, qdd and tau from one filter, as `Way` says.

    Torques are taken from `delay` later in the log [s], one or one per joint, and one in `every`
    rows is kept; the cut-off has its reason where it has one.
    """
    log = smoother.log
    check_rows(log, 16)
    f = check_cutoff(log, cutoff)
    changes: dict[str, Any] = dict(zip(QUANTITIES, smoother.states(way, every), strict=False))
    if log.tau is not None:
        changes["tau"] = smoother.torque(way, every, delay)
    few = log if every == 1 else log[::every]
    few = with_filter(few, f, cutoff, changes)
    rates = "qdd" if way.of == "qd" else "qd and qdd"
    few = few.noted(f"{rates} are {way}, of its filtered sines", place="derivatives")
    if every == 1:
        return few
    said = (
        f"one of {every} rows kept, {few.rate:.4g} Hz: {few.rate / f:.3g} per period of the cut-off"
    )
    return few.noted(said, place="rows")


def check_cutoff(log: Log, cutoff: Any) -> float:
    """Return a cut-off [Hz] that the log allows."""
    f = positive("cutoff", float(cutoff), "Hz")
    if f >= log.rate / 2:
        raise BadArgument(
            f"The cut-off is {f:.4g} Hz, but at {log.rate:.4g} Hz only what is slower than "
            f"{log.rate / 2:.4g} Hz can be seen.\n  Choose a lower one."
        )
    return f


def with_filter(log: Log, f: float, cutoff: Any, changes: dict[str, np.ndarray]) -> Log:
    """Return a log with columns filtered at f [Hz], and a note of how and why."""
    why = f": {cutoff.why}" if isinstance(cutoff, Cutoff) else ""
    said = f"{', '.join(changes)} filtered at {f:.4g} Hz, Butterworth {ORDER}, zero phase{why}"
    found = log.noted(said, place="filter", **changes)
    if "tau" not in changes:
        return found
    return replace(found, bandwidth=min(float(cutoff), log.bandwidth or float(cutoff)))


def differentiated(log: Log) -> Log:
    """Return the log with velocities and accelerations.

    Those of its columns as sines, up to 0.4 of the rate: of the measured velocities where there are
    some, else of the positions. Noise is not taken out, so filter first: `filtered`. In the rows
    next to either end the accelerations are not those of the motion; they go to zero there.

    Args:
        log: The log, evenly sampled.
    """
    check_even(log)
    check_rows(log, 5)
    way = Way(HIGHEST * log.rate, usual(log))
    found = dict(zip(QUANTITIES, Smoother(log).states(way), strict=False))
    changes = {name: found[name] for name in (("qdd",) if way.of == "qd" else ("qd", "qdd"))}
    return log.noted(f"{' and '.join(changes)} are {way}", place="derivatives", **changes)


def check_rows(log: Log, fewest: int) -> None:
    if len(log) < fewest:
        raise BadArgument(
            f"The log has {len(log)} rows; at least {fewest} are needed for this.\n"
            "  Record for longer."
        )


def check_rising(log: Log) -> None:
    bad = np.flatnonzero(~(np.diff(log.t) > 0))
    if len(bad):
        row = int(bad[0])
        raise BadArgument(
            f"The times of the log do not rise: {log.t[row]:.6g} s in row {row + 1}, "
            f"{log.t[row + 1]:.6g} s in row {row + 2}.\n"
            "  Leave out rows with the same time; qddot.load_log does that."
        )
