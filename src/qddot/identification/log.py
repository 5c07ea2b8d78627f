"""A log: what was measured on an arm, on the joints' side, in SI units, one row an instant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, BadLog, Problem, listing, printable, shorten
from qddot.looks import in_notebook
from qddot.model.tree import Tree, by_rows
from qddot.plain_text import fitted
from qddot.timeseries import QUANTITIES

if TYPE_CHECKING:
    import pandas

    from qddot.motions.spline import Spline
    from qddot.robot import Robot
    from qddot.simulation.trajectory import Trajectory

UNEVEN = 1e-3  # steps: more is jitter
GAP = 2.5  # median steps: a row or more is missing
CHUNK = 4096  # rows looked at together: their regressor fits into the processor's cache


@dataclass(frozen=True, repr=False)
class Log:
    """A measured motion. What was not measured is None; `notes` tells what was mended."""

    joint_names: tuple[str, ...]
    t: np.ndarray  # (k,) [s], rising
    q: np.ndarray  # (k, n)
    qd: Any = None  # (k, n), as those below; None where it was not measured
    qdd: Any = None
    tau: Any = None
    source: str = ""
    notes: tuple[Problem, ...] = ()
    counts: Any = None  # (k, n), where τ is to be used; None: all
    bandwidth: float | None = None  # [Hz], of torques that were filtered
    Y: np.ndarray | None = None  # (k, n, p), the regressor, where it was filtered as τ was
    positions: tuple[str, ...] = ()  # the names behind the columns of q; none: those of the joints
    tree: Tree | None = field(default=None, compare=False)  # where dq/dt is not the velocity

    def __post_init__(self) -> None:
        for name, values in (*self.arrays(), ("counts", self.counts)):
            columns = self.joint_names if name != "q" else self.positions or self.joint_names
            shape = len(self.t), len(columns)
            if values is not None and values.shape != shape:
                raise BadArgument(
                    f"{name} of a log has shape {values.shape}; it must have shape {shape}: "
                    "a row an instant, a column a joint."
                )

    @property
    def n(self) -> int:
        """How many joints."""
        return len(self.joint_names)

    def __len__(self) -> int:
        """How many rows."""
        return len(self.t)

    def __getitem__(self, rows: slice | np.ndarray) -> Log:
        """Return some of the rows."""
        more = {name: getattr(self, name) for name in ("counts", "Y")}
        parts = {name: x[rows] for name, x in (*self.arrays(), *more.items()) if x is not None}
        return replace(self, t=self.t[rows], **parts)

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[slice, Log]]:
        """Yield the log in pieces, with where each lies."""
        for at in range(0, len(self), size):
            part = slice(at, min(at + size, len(self)))
            yield part, self[part]

    @property
    def used(self) -> np.ndarray:
        """Where torques count, shape (k, n)."""
        return np.ones((len(self), self.n), bool) if self.counts is None else self.counts

    @property
    def duration(self) -> float:
        """From the first row to the last [s]."""
        return float(self.t[-1] - self.t[0])

    @property
    def step(self) -> float:
        """The mean time between two rows [s], gaps left out."""
        steps = np.diff(self.t)
        return float(steps[steps <= GAP * np.median(steps)].mean())

    @property
    def rate(self) -> float:
        """How many rows a second [Hz], gaps left out."""
        return 1 / self.step

    @property
    def even(self) -> bool:
        """Whether the rows are equally far apart, as filters and differences need it."""
        return bool(np.abs(np.diff(self.t) - self.step).max() <= UNEVEN * self.step)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The notes that ask for a decision."""
        return tuple(note for note in self.notes if note.severity == "warning")

    def arrays(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield q, qd, qdd and tau by name, those that are there."""
        for name in QUANTITIES:
            if (values := getattr(self, name)) is not None:
                yield name, values

    def noted(self, *words: str, place: str = "", **changes: Any) -> Log:
        """Return the log with other fields, and with a note of what was done to it."""
        notes = [Problem("note", place, text.rstrip("."), "") for text in words]
        if self.tree is not None and "q" in changes:  # numbers that were smoothed are no position
            changes["q"] = by_rows(self.tree.project, changes["q"])
        return replace(self, notes=(*self.notes, *notes), **changes)

    def as_motion(self, tolerance: float = 1e-3) -> Spline:
        """Return a smooth motion that a law can follow, as near to the rows as a tolerance says.

        Args:
            tolerance: How far a row may be off [rad or m]; more than the noise of the positions.
        """
        from qddot.motions.spline import Spline

        if self.tree is not None:
            raise BadArgument("A log is followed whose positions are one number per joint.")
        return Spline(self.t, self.q, tolerance)

    @fitted
    def __repr__(self) -> str:
        there = ", ".join(name for name, _ in self.arrays())
        lines = [
            f"Log of {self.n} joints: {len(self)} rows, {self.duration:.6g} s at "
            f"{self.rate:.6g} Hz; {there}   ({shorten(printable(self.source))})"
        ]
        for j, name in enumerate(self.joint_names):
            spans = [
                f"{what} {x[:, j].min():9.4g} … {x[:, j].max():9.4g}"
                for what, x in self.arrays()
                if what != "q" or x.shape[1] == self.n
            ]
            lines.append(f"  {shorten(printable(name), 24):24s} {'   '.join(spans)}")
        if self.counts is not None:
            lines.append(f"  {100 * self.counts.mean():.1f} % of the torques count")
        return "\n".join([*lines, *(f"  {note.severity}: {note}" for note in self.notes)])

    _repr_html_ = in_notebook("identification.log_html")


def load_log(
    source: str | Path | Mapping[str, str | Path] | pandas.DataFrame | Trajectory | Log,
    robot: Robot | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    units: Mapping[str, Any] | None = None,
    gear: Any = None,
    coupling: Any = None,
    joints: Sequence[str] | Mapping[str, str] | None = None,
    offset: Any = None,
    torque_constants: Any = None,
    rate: float | None = None,
    topic: str = "/joint_states",
) -> Log:
    """Return a log, on the joints' side and in SI units, with notes of what was mended.

    Motor-side values become joint-side ones so that the power q̇ · τ stays the same:

        q = A (q_motor / N) + q₀          τ = A⁻ᵀ (N τ_motor)

    Args:
        source: A .csv, .parquet or .npz file, a ROS 2 bag (folder, .db3, .mcap), a pandas table, a
            simulated motion; or a file a quantity: {"q": "positions.csv", "tau": "currents.csv"}.
        robot: The arm; its joints are looked for by name, and the log is in their order.
        columns: Where the names of the columns do not tell: {"t": "stamp", "q": ["a1", "a2"],
            "tau": "current_{number}"}; {joint} stands for a joint's name, {number} counts from 1.
        units: {"t": "ms", "q": "deg", "qd": "deg/s", "tau": "A"}, or a list with one a joint.
        gear: N, turns of the motor per turn of the joint, one a joint, signs included; or
            {"tau": N} where only that is measured at the motors.
        coupling: A, shape (n, n), where motors move several joints; or {"tau": A}.
        joints: The joints wanted, in order; or {joint of the robot: its name in the log}.
        offset: q₀, added to the positions last [rad] or [m], one a joint.
        torque_constants: N·m (or N) per ampere, one a joint, where τ is in "A" or "mA".
        rate: Rows a second [Hz], for logs without a column of times.
        topic: The topic of a bag.

    Raises:
        BadLog: If it cannot be used, with every problem found, by row and column.
    """
    from qddot.identification.log_checks import checked
    from qddot.identification.log_columns import mapped
    from qddot.identification.log_files import tables
    from qddot.identification.log_names import joint_side

    if isinstance(source, Log):
        return source
    raw = mapped(tables(source, topic), robot, columns or {}, joints, rate)
    there = joint_side(raw, robot, units or {}, gear, coupling, offset, torque_constants)
    return checked(there, robot)


def bad_log(source: object, why: str, remedy: str, place: str = "", line: int | None = None):
    """Return the exception for a log with one problem."""
    # the message begins with the source, so only a line is told by it again
    file = str(source) if line else ""
    return BadLog(str(source), [Problem("error", place, why, remedy, line, file)])


def named(joints: Sequence[str], wrong: np.ndarray) -> str:
    """Return the names of the joints for which something is so."""
    return listing([joint for joint, bad in zip(joints, wrong, strict=True) if bad], 8)


def as_log(robot: Any, log: Any, *, torque: bool = True) -> Log:
    """Return a log, or (q, qd, qdd, tau), checked and in the order of the robot's joints.

    Args:
        robot: Whose joints they are.
        log: Anything with `t`, `q`, `qd`, `qdd`, `tau` and `joint_names`, and maybe `counts`, or a
            tuple of arrays of shape (k, n).
        torque: Whether torques are needed.
    """
    if log is None or isinstance(log, (str, PurePath)):
        path = repr(str(log)) if log else "path"
        raise BadArgument(
            f"The log is {shorten(repr(log))}, which is not a log yet.\n"
            f"  Read it with qddot.load_log({path}, robot), and make it ready with prepared(log)."
        )
    wanted = QUANTITIES if torque else QUANTITIES[:3]
    if isinstance(log, (tuple, list)):
        if len(log) not in (len(wanted), 4):
            raise BadArgument(f"Give ({', '.join(wanted)}), not {len(log)} arrays.")
        parts = dict(zip(QUANTITIES, log, strict=False))
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
        if order is not None and robot.nq != robot.n:
            raise BadArgument(
                f"The log has the joints of robot {robot.name!r} in another order, and their "
                "positions are several numbers each.\n  Read it for this robot: "
                "qddot.load_log(path, robot)."
            )
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
    about = ("source", "notes", "bandwidth") if order else ("source", "notes", "bandwidth", "Y")
    said = {name: getattr(log, name) for name in about if hasattr(log, name)}
    said |= several_numbers(robot)
    return Log(tuple(robot.joint_names), times, **arrays, counts=counts, **said)


def several_numbers(robot: Any) -> dict[str, Any]:
    """Return the fields of a log of a robot whose positions are several numbers per joint."""
    if robot is None or robot.nq == robot.n:
        return {}
    return {"positions": robot.model.position_names, "tree": robot.tree}


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
    names = robot.model.position_names if name == "q" else robot.joint_names
    if array.ndim != 2 or array.shape[1] != len(names):
        raise BadArgument(
            f"{name} has shape {array.shape}, but robot {robot.name!r} has {robot.n} joints, so "
            f"{name} must have shape (k, {len(names)}): one row a time."
        )
    bad = ~np.isfinite(array)
    if bad.any():
        row, column = (int(i[0]) for i in np.nonzero(bad))
        raise BadArgument(
            f"{name} has {int(bad.sum())} entries that are NaN or infinite, the first in row {row} "
            f"of joint {names[column]!r}.\n  Leave those rows out, or fill the gaps."
        )
    return np.ascontiguousarray(array)
