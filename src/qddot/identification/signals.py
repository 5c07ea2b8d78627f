"""From measured positions to velocities and accelerations, without a shift in time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qddot.checks import one_of, positive
from qddot.errors import BadArgument, shorten
from qddot.identification.log import GAP, Log, check_even
from qddot.identification.spectrum import Cutoff, cutoff, spectrum
from qddot.model.tree import by_rows
from qddot.timeseries import QUANTITIES

__all__ = ["cutoff", "differentiated", "filtered", "resampled", "shifted", "spectrum"]

ORDER = 4  # of the Butterworth filter, run forwards and backwards
SHARPER = 0.4  # of a lower rate: what is faster would come back as something slower

# five-point stencils over t₋₂ … t₂, for the first two rows and for those inside;
# the last two are the first two, mirrored
FIRST = np.array([[-25, 48, -36, 16, -3], [-3, -10, 18, -6, 1], [1, -8, 0, 8, -1]]) / 12
SECOND = np.array([[35, -104, 114, -56, 11], [11, -20, 6, 4, -1], [-1, 16, -30, 16, -1]]) / 12


def resampled(log: Log, rate: float | None = None) -> Log:
    """Return the log with equally spaced rows, by cubic splines through the measured ones.

    Exact for cubic polynomials. To a lower rate, what would alias is filtered out first. What falls
    into a gap does not count.

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
    changes: dict[str, Any] = {name: CubicSpline(log.t, x, axis=0)(t) for name, x in log.arrays()}
    after = np.clip(np.searchsorted(log.t, t, side="right"), 1, len(log) - 1)
    nearest = np.where(t - log.t[after - 1] < log.t[after] - t, after - 1, after)
    apart = np.abs(t - log.t[nearest]) > log.step / 2
    missing = apart & (np.diff(log.t)[after - 1] > GAP * log.step)
    if log.counts is not None or missing.any():
        changes["counts"] = log.used[nearest] & ~missing[:, None]
    said = f"resampled from {len(log)} to {k} rows at {rate:.6g} Hz by cubic splines"
    if missing.any():
        said += f"; {int(missing.sum())} rows in gaps do not count"
    return log.noted(said, place="time", t=t, **changes)


def shifted(log: Log, delay: float) -> Log:
    """Return the log with its torques earlier by a delay [s], by cubic splines.

    Rows whose torque would lie outside the log are cut off.
    """
    from scipy.interpolate import CubicSpline

    if not (np.ndim(delay) == 0 and np.isfinite(delay) and abs(delay) < log.duration / 2):
        raise BadArgument(f"delay is {shorten(repr(delay))}; give seconds, less than half the log.")
    if log.tau is None:
        raise BadArgument("The log has no torques to shift.")
    tau = CubicSpline(log.t, log.tau, axis=0)(log.t + delay)
    inside = np.flatnonzero((log.t + delay >= log.t[0]) & (log.t + delay <= log.t[-1]))
    said = f"torques taken {abs(delay):.4g} s {'later' if delay > 0 else 'earlier'} in the log"
    return cut(replace(log, tau=tau), int(inside[0]), int(inside[-1]) + 1, said)


def filtered(log: Log, cutoff: float | Cutoff | None = None, what: Any = QUANTITIES) -> Log:
    """Return the log with its noise filtered out, without a shift in time.

    A Butterworth filter of order four, run forwards and then backwards: its phase is zero at every
    frequency, and at the cut-off half of the amplitude is left.

    Args:
        log: The log, evenly sampled.
        cutoff: The cut-off frequency [Hz]; by default chosen, as
            `qddot.identification.spectrum.cutoff` says.
        what: The quantities to filter, of those there are.
    """
    from scipy.signal import butter, sosfiltfilt

    from qddot.identification.spectrum import cutoff as from_spectrum

    check_even(log)
    check_rows(log, 16)
    chosen = from_spectrum(log) if cutoff is None else cutoff
    f = positive("cutoff", float(chosen), "Hz")
    if f >= log.rate / 2:
        raise BadArgument(
            f"The cut-off is {f:.4g} Hz, but at {log.rate:.4g} Hz only what is slower than "
            f"{log.rate / 2:.4g} Hz can be seen.\n  Choose a lower one."
        )
    sections = butter(ORDER, f, fs=log.rate, output="sos")
    pad = min(len(log) - 1, int(3 * log.rate / f) + 1)
    changes = {
        name: sosfiltfilt(sections, x, axis=0, padlen=pad)
        for name, x in log.arrays()
        if name in what
    }
    why = f": {chosen.why}" if isinstance(chosen, Cutoff) else ""
    said = f"{', '.join(changes)} filtered at {f:.4g} Hz, Butterworth {ORDER}, zero phase{why}"
    found = log.noted(said, place="filter", **changes)
    if "tau" not in changes:
        return found
    return replace(found, bandwidth=min(f, log.bandwidth or f))


def differentiated(
    log: Log, by: str = "differences", of: str | None = None, cutoff: float | Cutoff | None = None
) -> Log:
    """Return the log with velocities and accelerations.

    "differences" are five-point central differences; for a sine of frequency f at steps h they err
    by (2πfh)⁴/30 of a velocity and (2πfh)⁴/90 of an acceleration. "splines" are quintic splines,
    fitted by least squares with a knot every half period of the cut-off, which smooths; q becomes
    the spline's too.

    Args:
        log: The log, evenly sampled (for splines, not necessarily).
        by: "differences" or "splines".
        of: "q", or "qd" to keep the measured velocities; by default "qd" where they are.
        cutoff: For splines: the highest frequency kept [Hz]; by default from the spectrum.
    """
    of = ("q" if log.qd is None else "qd") if of is None else of
    if of not in ("q", "qd") or getattr(log, of) is None:
        raise BadArgument(f"of is {of!r}; it must be 'q', or 'qd' where velocities were measured.")
    if one_of("by", by, ("differences", "splines")) == "differences":
        return by_differences(log, of)
    if log.tree is not None:
        raise BadArgument(
            "by='splines' is for positions of one number per joint; by='differences'."
        )
    return by_splines(log, of, cutoff)


def by_differences(log: Log, of: str) -> Log:
    check_even(log)
    check_rows(log, 5)
    h = log.duration / (len(log) - 1)
    if (of == "q" or log.qd is None) and log.tree is not None:
        qd = by_rows(log.tree.velocity_of, log.q, stencilled(log.q, FIRST, -1) / h)
        changes = {"qd": qd, "qdd": stencilled(qd, FIRST, -1) / h}
    elif of == "q" or log.qd is None:
        changes = {
            "qd": stencilled(log.q, FIRST, -1) / h,
            "qdd": stencilled(log.q, SECOND, 1) / h**2,
        }
    else:
        changes = {"qdd": stencilled(log.qd, FIRST, -1) / h}
    said = f"{' and '.join(changes)} by five-point central differences of {of}"
    return log.noted(said, place="derivatives", **changes)


def stencilled(x: np.ndarray, weights: np.ndarray, mirror: int) -> np.ndarray:
    """Return a derivative times a power of the step, by five rows each.

    Args:
        x: The values (k, n).
        weights: Of the first row, the second and those inside, shape (3, 5).
        mirror: The sign that the derivative takes when time runs backwards.
    """
    y = np.empty_like(x)
    y[2:-2] = sum(w * x[k : len(x) - 4 + k] for k, w in enumerate(weights[2]))
    for row in (0, 1):
        y[row] = weights[row] @ x[:5]
        y[-1 - row] = mirror * (weights[row] @ x[:-6:-1])
    return y


def by_splines(log: Log, of: str, cutoff: float | Cutoff | None) -> Log:
    from scipy.interpolate import make_lsq_spline

    from qddot.identification.spectrum import cutoff as from_spectrum

    check_rows(log, 16)
    if cutoff is None:
        cutoff = from_spectrum(log if log.even else resampled(log))
    f = positive("cutoff", float(cutoff), "Hz")
    # a knot needs rows on both sides, so not more than one every second row
    spans = max(1, min(int(np.ceil(2 * f * log.duration)), (len(log) - 6) // 2))
    inside = np.linspace(log.t[0], log.t[-1], spans + 1)[1:-1]
    knots = np.concatenate([[log.t[0]] * 6, inside, [log.t[-1]] * 6])
    spline = make_lsq_spline(log.t, getattr(log, of), knots, k=5)
    order = QUANTITIES.index(of)
    changes = {name: spline(log.t, nu=k) for k, name in enumerate(QUANTITIES[order:3])}
    said = f"{', '.join(changes)} by quintic splines with {spans} pieces, up to {f:.4g} Hz"
    return log.noted(said, place="derivatives", **changes)


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


def cut(log: Log, first: int, last: int, *words: str) -> Log:
    """Return the rows from `first` up to `last`, not included."""
    return log[first:last].noted(*words, place="rows")
