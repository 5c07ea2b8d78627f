"""Between two rows of a motion: the quintic with their positions, velocities, accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.motions.piecewise import horner, quintic_between
from qddot.program.recorded import Recorded

State = tuple[np.ndarray, np.ndarray, np.ndarray]


def interpolated(t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, at: Any) -> State:
    """Return q, q̇ and q̈ at instants between the rows of a motion.

    On each interval the quintic that agrees with both rows (`quintic_between`).
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
    h = np.where(on_a_row, 1.0, t[j] - t[i])[..., None]
    # what is not finite is data here, as in the rows themselves
    with np.errstate(all="ignore"):
        pieces = quintic_between(h, (q[i], qd[i], qdd[i]), (q[j], qd[j], qdd[j]))
        p, v, a = horner(pieces, (x - t[i])[..., None])
    row = on_a_row[..., None]
    return np.where(row, q[i], p), np.where(row, qd[i], v), np.where(row, qdd[i], a)


def instants(t: np.ndarray, at: Any) -> np.ndarray:
    """Return the instants asked for, checked to lie within the motion."""
    if isinstance(at, Recorded):
        raise BadArgument(
            "A motion in rows is looked up, which a controller cannot record.\n"
            "  Take its smooth form: run.as_motion()."
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
