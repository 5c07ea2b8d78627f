"""A motion known by its rows, such as a log or a simulated run: between them, and made smooth.

A law records what it follows, and a program cannot look up rows: so a quintic spline of few pieces
takes their place, four times differentiable, as near to all rows as was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import factorial
from typing import Any

import numpy as np

from qddot.checks import numbers, positive
from qddot.errors import BadArgument
from qddot.model.tree import Tree, by_rows
from qddot.motions.motion import Reference, Triple, check_limits, keep
from qddot.motions.piecewise import Piecewise, horner, quintic_between, resting_outside
from qddot.program.recorded import Recorded
from qddot.robot import Robot
from qddot.scalars import Scalar

DEGREE = 5
PIECES = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # those tried; each one is a comparison in the program
ROWS = 3  # per piece at least: with fewer, a spline swings between them


@dataclass(frozen=True, eq=False)
class Spline(Reference):
    """The quintic spline of least squares through rows, with as few pieces as a tolerance allows.

    Its time begins with the first row. Outside of the rows it rests.

    Example:
        >>> Spline([0.0, 0.1, ...], q, tolerance=1e-3)      # q of shape (k, n)
    """

    t: Any  # (k,) [s], rising
    q: Any = field(repr=False)  # (k, n) [rad or m]
    tolerance: float = 1e-3  # how far a row may be off [rad or m]
    robot: Robot | None = field(default=None, repr=False)  # whose limits it is held against
    curve: Piecewise = field(init=False, repr=False)
    error: float = field(init=False)  # how far a row is off at most [rad or m]

    def __post_init__(self) -> None:
        t = numbers("t", self.t, "numbers, one per row")
        q = numbers("q", self.q, "numbers, one row per instant")
        if t.ndim != 1 or q.ndim != 2 or len(t) != len(q) or not q.shape[1]:
            raise BadArgument(
                f"t has shape {t.shape} and q {q.shape}; they must have shapes (k,) and (k, n), a "
                "row per instant."
            )
        if len(t) < DEGREE + 1 or (np.diff(t) <= 0).any():
            raise BadArgument(
                f"The times of {len(t)} rows do not make a motion: it takes {DEGREE + 1} rows or "
                "more, each later than the one before it."
            )
        tolerance = positive("tolerance", self.tolerance, "rad or m")
        keep(self, tolerance=tolerance, n=q.shape[1], duration=float(t[-1] - t[0]))
        curve, error = fitted(t - t[0], q, tolerance)
        keep(self, t=t, q=q, curve=resting_outside(curve, self.duration), error=error)
        check_limits(self.robot, self)

    @property
    def breaks(self) -> np.ndarray:
        """Where its pieces begin and end [s]."""
        return self.curve.starts[1:]

    def at(self, t: Scalar) -> Triple:
        """Return q, q̇ and q̈."""
        return self.curve.at(t)


def fitted(t: np.ndarray, q: np.ndarray, tolerance: float) -> tuple[Piecewise, float]:
    """Return the spline of as few equal pieces as a tolerance allows, and by how much it is off."""
    from scipy.interpolate import make_lsq_spline

    error, tried = np.inf, 0
    for pieces in PIECES:
        if pieces > 1 and len(t) < ROWS * pieces + DEGREE:
            break
        inner = np.quantile(t, np.linspace(0, 1, pieces + 1)[1:-1])
        ends = np.full(DEGREE + 1, t[0]), np.full(DEGREE + 1, t[-1])
        spline = make_lsq_spline(t, q, np.concatenate([ends[0], inner, ends[1]]), k=DEGREE)
        error, tried = float(np.abs(spline(t) - q).max()), pieces
        if error <= tolerance:
            starts = np.concatenate([t[:1], inner])
            taylor = [spline(starts, nu=k) / factorial(k) for k in range(DEGREE + 1)]
            return Piecewise(starts, np.stack(taylor, axis=1)), error
    raise BadArgument(
        f"A spline of {tried} piece{'s' * (tried != 1)} is {error:.2g} off its {len(t)} rows, and "
        f"{tolerance:.2g} was asked for: they are noisy, they jump, or they are too many for one "
        "motion.\n  Give a larger tolerance, as in as_motion(tolerance=0.01), filtered rows, or a "
        "shorter stretch of them."
    )


def interpolated(
    t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, at: Any, tree: Tree | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, q̇ and q̈ at instants between the rows of a motion, shape (*at.shape, n) each.

    On each interval the quintic that agrees with both rows (`quintic_between`), (k, n) each; with a
    tree, whose q may have other numbers than dq/dt = q̇, that of the way from the earlier row.
    Its error falls with h⁶, that of its derivatives with h⁵ and h⁴. Where two rows share an
    instant, the motion jumps: nothing is drawn across, and the later row counts.
    """
    x = instants(t, at)
    i = np.searchsorted(t, x, side="right") - 1  # the last row that is not later
    j = np.minimum(i + 1, len(t) - 1)
    on_a_row = t[i] == x
    h = np.where(on_a_row, 1.0, t[j] - t[i])[..., None]
    # what is not finite is data here, as in the rows themselves
    start, end = (q[i], q[j]) if tree is None else (0 * qd[i], by_rows(tree.difference, q[i], q[j]))
    with np.errstate(all="ignore"):
        pieces = quintic_between(h, (start, qd[i], qdd[i]), (end, qd[j], qdd[j]))
        p, v, a = horner(pieces, (x - t[i])[..., None])
    p = p if tree is None else by_rows(tree.step, q[i], p)
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
