"""Between two rows of a motion: the polynomial with their positions, rates and accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.program.recorded import Recorded

State = tuple[np.ndarray, np.ndarray, np.ndarray]


def interpolated(t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, at: Any) -> State:
    """Return q, q̇ and q̈ at instants between the rows of a motion.

    On each interval, with s from 0 to 1 and h its length, the quintic that agrees with both rows:

        q(s) = q₀ + h s q̇₀ + ½ h² s² q̈₀
             + s³ (10A − 4B + ½C) + s⁴ (−15A + 7B − C) + s⁵ (6A − 3B + ½C)
        A = q₁ − q₀ − h q̇₀ − ½ h² q̈₀      B = h (q̇₁ − q̇₀ − h q̈₀)      C = h² (q̈₁ − q̈₀)

    Its error falls with h⁶, that of its derivatives with h⁵ and h⁴. Where two rows share an
    instant, the motion jumps: nothing is drawn across, and the later row counts.

    Args:
        t: The instants of the rows [s], never falling, shape (k,).
        q, qd, qdd: The rows, shape (k, n).
        at: The instants wanted [s], of any shape.

    Returns:
        Three arrays of shape (*at.shape, n).
    """
    x = instants(t, at)
    i = np.searchsorted(t, x, side="right") - 1  # the last row that is not later
    j = np.minimum(i + 1, len(t) - 1)
    on_a_row = t[i] == x
    h = np.where(on_a_row, 1.0, t[j] - t[i])
    s = ((x - t[i]) / h)[..., None]
    h = h[..., None]
    # what is not finite is data here, as in the rows themselves
    with np.errstate(all="ignore"):
        v0, a0 = h * qd[i], h * h * qdd[i]
        A = q[j] - q[i] - v0 - a0 / 2
        B = h * qd[j] - v0 - a0
        C = h * h * qdd[j] - a0
        c3, c4, c5 = 10 * A - 4 * B + C / 2, -15 * A + 7 * B - C, 6 * A - 3 * B + C / 2
        p = q[i] + s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5))))
        v = (v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h
        a = (a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (h * h)
    row = on_a_row[..., None]
    return np.where(row, q[i], p), np.where(row, qd[i], v), np.where(row, qdd[i], a)


def instants(t: np.ndarray, at: Any) -> np.ndarray:
    """Return the instants asked for, checked to lie within the motion."""
    if isinstance(at, Recorded):
        raise BadArgument(
            "A motion in rows is looked up, which a controller cannot record.\n"
            "  As a reference take quintics through some of its rows: "
            "Quintic(run.q[::50], run.t[::50])."
        )
    try:
        x = np.asarray(at)
        if x.dtype.kind not in "fiu" and x.size:
            raise TypeError
        x = x.astype(float)
    except (TypeError, ValueError):
        raise BadArgument(
            f"t is {at!r}; give an instant, or an array of them, in seconds."
        ) from None
    if not len(t):
        raise BadArgument("The motion has no rows, so there is no instant to look at.")
    outside = x[~((x >= t[0]) & (x <= t[-1]))]
    if outside.size:
        raise BadArgument(
            f"t = {outside.flat[0]:g} s is outside of the motion, which lasts from {t[0]:g} s to "
            f"{t[-1]:g} s.\n  Ask for an instant in between; what is beyond was not simulated."
        )
    return x
