"""What estimators work on: positions, rates, accelerations and torques at many times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from qddot.errors import BadArgument, listing, shorten

FIELDS = ("q", "qd", "qdd", "tau")
CHUNK = 4096  # states looked at together: their regressor fits into the processor's cache


@dataclass(frozen=True)
class Samples:
    """Measured states, one a row, in the order of the robot's joints."""

    t: np.ndarray  # [s], shape (k,)
    q: np.ndarray  # shape (k, n)
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray  # [N·m] or [N]
    counts: np.ndarray | None = None  # (k, n), where τ is to be used; None: all
    Y: np.ndarray | None = None  # (k, n, p), where the regressor itself was filtered

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, part: slice | np.ndarray) -> Samples:
        """Return some of the rows."""
        counts = None if self.counts is None else self.counts[part]
        Y = None if self.Y is None else self.Y[part]
        q, qd, qdd, tau = (x[part] for x in (self.q, self.qd, self.qdd, self.tau))
        return Samples(self.t[part], q, qd, qdd, tau, counts, Y)

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[slice, Samples]]:
        """Yield the samples in pieces, with where each lies."""
        for at in range(0, len(self), size):
            part = slice(at, min(at + size, len(self)))
            yield part, self[part]


def as_samples(robot: Any, log: Any, *, torque: bool = True) -> Samples:
    """Return a log, or (q, qd, qdd, tau), as samples in the order of the robot's joints.

    Args:
        robot: Whose joints they are.
        log: Anything with `t`, `q`, `qd`, `qdd`, `tau` and `joint_names`, and maybe `counts`, or a
            tuple of arrays of shape (k, n).
        torque: Whether torques are needed.
    """
    if isinstance(log, Samples):
        return log
    if log is None or isinstance(log, (str, PurePath)):
        path = repr(str(log)) if log else "path"
        raise BadArgument(
            f"The log is {shorten(repr(log))}, which is not a log yet.\n"
            f"  Read it with qddot.load_log({path}, robot), and make it ready with prepared(log)."
        )
    wanted = FIELDS if torque else FIELDS[:3]
    if isinstance(log, (tuple, list)):
        if len(log) not in (len(wanted), 4):
            raise BadArgument(f"Give ({', '.join(wanted)}), not {len(log)} arrays.")
        parts = dict(zip(FIELDS, log, strict=False))
        order, t, counts = None, None, None
    else:
        missing = [name for name in wanted if getattr(log, name, None) is None]
        if missing:
            raise BadArgument(
                f"The log has no {' and no '.join(missing)}.\n"
                "  Take prepared(log), which filters and differentiates, or give (q, qd, qdd, tau)."
            )
        parts = {name: getattr(log, name) for name in wanted}
        order, t = _order(robot, getattr(log, "joint_names", None)), getattr(log, "t", None)
        counts = getattr(log, "counts", None)
    arrays = {name: _rows(robot, name, parts[name], order) for name in wanted}
    k = len(arrays["q"])
    for name, array in arrays.items():
        if len(array) != k:
            raise BadArgument(f"{name} has {len(array)} rows, but q has {k}; give as many.")
    times = np.arange(k, dtype=float) if t is None else np.asarray(t, dtype=float)
    if times.shape != (k,):
        raise BadArgument(f"t has shape {times.shape}, but q has {k} rows; give one time a row.")
    if counts is not None:
        counts = _rows(robot, "counts", counts, order) != 0
    tau = arrays.get("tau", np.zeros((k, robot.n)))
    return Samples(times, arrays["q"], arrays["qd"], arrays["qdd"], tau, counts)


def _order(robot: Any, names: Any) -> list[int] | None:
    """Return where in the log each joint of the robot is."""
    if names is None or tuple(names) == tuple(robot.joint_names):
        return None
    names = list(names)
    missing = [name for name in robot.joint_names if name not in names]
    if missing:
        raise BadArgument(
            f"The log does not have joint {missing[0]!r} of robot {robot.name!r}.\n"
            f"  It has: {listing(names)}."
        )
    return [names.index(name) for name in robot.joint_names]


def _rows(robot: Any, name: str, x: Any, order: list[int] | None) -> np.ndarray:
    try:
        array = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        raise BadArgument(f"{name} is not an array of numbers.") from None
    if array.ndim == 1 and robot.n == 1:
        array = array[:, None]
    if order is not None and array.ndim == 2 and array.shape[1] > max(order):
        array = array[:, order]
    if array.ndim != 2 or array.shape[1] != robot.n:
        raise BadArgument(
            f"{name} has shape {array.shape}, but robot {robot.name!r} has {robot.n} joints, so "
            f"{name} must have shape (k, {robot.n}): one row a time."
        )
    bad = ~np.isfinite(array)
    if bad.any():
        row, column = (int(i[0]) for i in np.nonzero(bad))
        raise BadArgument(
            f"{name} has {int(bad.sum())} entries that are NaN or infinite, the first in row {row} "
            f"of joint {robot.joint_names[column]!r}.\n  Leave those rows out, or fill the gaps."
        )
    return np.ascontiguousarray(array)
