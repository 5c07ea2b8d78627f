"""A log: what was measured on an arm, on the joints' side, in SI units, one row per instant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, BadLog, Problem, listing, printable, shorten
from qddot.model.tree import Tree, by_rows
from qddot.plain_text import fitted
from qddot.results import in_notebook
from qddot.timeseries import QUANTITIES

if TYPE_CHECKING:
    import pandas

    from qddot.motions.spline import Spline
    from qddot.robot import Robot
    from qddot.simulation.trajectory import Trajectory

UNEVEN = 1e-3  # steps: more is jitter
GAP = 2.5  # median steps: a row or more is missing
REASONS = ("gap", "saturated", "slow")  # why a torque does not count
CHUNK = 4096  # rows looked at together: their regressor fits into the processor's cache


@dataclass(frozen=True)
class LogOrigin:
    """Where the numbers of a log come from, as they were understood."""

    columns: Mapping[str, tuple[str, ...]]  # by quantity, "t" too, one per joint; names in the file
    units: Mapping[str, tuple[str, ...]]  # of those columns; "" where they are SI
    first: int  # the row of the file, from 1, that is the first one taken
    taken: int  # rows
    total: int  # rows of the file
    unused: tuple[str, ...] = ()  # columns that were not read


@dataclass(frozen=True, repr=False)
class Log:
    """A measured motion. What was not measured is None; `notes` says what was mended."""

    joint_names: tuple[str, ...]
    t: np.ndarray  # (k,) [s], rising
    q: np.ndarray  # (k, n)
    qd: Any = None  # (k, n), as those below; None where it was not measured
    qdd: Any = None
    tau: Any = None
    source: str = ""
    notes: tuple[Problem, ...] = ()
    counts: Any = None  # (k, n), where τ is to be used; None: all
    why: Any = None  # (k, n), 0 or which of REASONS it is, from 1; None: not said
    bandwidth: float | None = None  # [Hz], of torques that were filtered
    Y: np.ndarray | None = None  # (k, n, p), the regressor, where it was filtered as τ was
    positions: tuple[str, ...] = ()  # the names behind the columns of q; none: those of the joints
    known: np.ndarray | None = None  # (k, n), torque beside Y: of springs, of known loads
    run: np.ndarray | None = None  # (k,), of which of `runs` a row is; None: of one
    runs: tuple[str, ...] = ()  # the names of logs that were joined
    load: np.ndarray | None = None  # (k,), which load of a regression was carried; -1: none
    weight: np.ndarray | None = None  # (k,), what a row counts, 1 on average; None: all alike
    tree: Tree | None = field(default=None, compare=False)  # where dq/dt is not the velocity
    origin: LogOrigin | None = field(default=None, compare=False)  # of a log from a file

    def __post_init__(self) -> None:
        others = {name: getattr(self, name) for name in ("counts", "why")}
        for name, values in (*self.arrays(), *others.items()):
            columns = self.joint_names if name != "q" else self.positions or self.joint_names
            shape = len(self.t), len(columns)
            if values is not None and values.shape != shape:
                raise BadArgument(
                    f"{name} of a log has shape {values.shape}; it must have shape {shape}: "
                    "a row per instant, a column per joint."
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
        names = ("counts", "why", "Y", "known", "run", "load", "weight")
        more = {name: getattr(self, name) for name in names}
        parts = {name: x[rows] for name, x in (*self.arrays(), *more.items()) if x is not None}
        return replace(self, t=self.t[rows], **parts)

    def chunks(self, size: int = CHUNK) -> Iterator[tuple[slice, Log]]:
        """Yield the log in pieces, with where each lies."""
        for at in range(0, len(self), size):
            part = slice(at, min(at + size, len(self)))
            yield part, self[part]

    def parts(self) -> list[Log]:
        """Return the logs that were joined, those of one run each."""
        if self.run is None:
            return [self]
        there = [(r, self.run == r) for r in range(len(self.runs))]
        return [self._part(r, rows) for r, rows in there if rows.any()]

    def _part(self, r: int, rows: np.ndarray) -> Log:
        name = self.runs[r]
        notes = [
            replace(note, place=note.place.removeprefix(f"{name}: "))
            for note in self.notes
            if note.place.startswith(f"{name}: ")
        ]
        return replace(self[rows], run=None, runs=(), source=name, notes=tuple(notes))

    @property
    def used(self) -> np.ndarray:
        """Where torques count, shape (k, n)."""
        return np.ones((len(self), self.n), bool) if self.counts is None else self.counts

    @property
    def why_not(self) -> np.ndarray:
        """Why torques do not count: which of REASONS, from 1, shape (k, n); 0 where not said."""
        return np.zeros((len(self), self.n), np.uint8) if self.why is None else self.why

    @property
    def reasons(self) -> dict[str, np.ndarray]:
        """Where torques do not count, by the reason, each of shape (k, n)."""
        out, why = ~self.used, self.why_not
        named = ((reason, out & (why == k)) for k, reason in enumerate(("other", *REASONS)))
        return {reason: where for reason, where in named if where.any()}

    def left_out(self, where: np.ndarray, reason: str) -> Log:
        """Return the log in which torques do not count, at (k, n), for one of REASONS."""
        why = np.where(where & self.used, 1 + REASONS.index(reason), self.why_not)
        return replace(self, counts=self.used & ~where, why=why.astype(np.uint8))

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
        """How many rows per second [Hz], gaps left out."""
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
    robot: Robot | str | Path | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    units: Mapping[str, Any] | None = None,
    gear: Any = None,
    coupling: Any = None,
    joints: Sequence[str] | Mapping[str, str] | None = None,
    offset: Any = None,
    torque_constants: Any = None,
    rate: float | None = None,
    topic: str = "",
    rows: slice | tuple[int, int | None] | None = None,
    time: str | Path | None = None,
) -> Log:
    """Return a log, on the joints' side and in SI units, with notes of what was mended.

    Motor-side values become joint-side ones so that the power q̇ · τ stays the same:

        q = A (q_motor / N) + q₀          τ = A⁻ᵀ (N τ_motor)

    Args:
        source: A file of text (.csv, .txt, .dat), NumPy (.npz, .npy), MATLAB (.mat), HDF5 (.h5) or
            Parquet, a ROS bag (folder, .db3, .mcap, .bag), a pandas table, a simulated motion; or
            a file per quantity, or several for its joints:
            {"q": "positions.csv", "tau": ["current1.txt", "current2.txt"]}.
        robot: The arm; its joints are looked for by name, and the log is in their order.
        columns: Where the names of the columns do not say: {"t": "stamp", "q": ["a1", "a2"],
            "tau": "current_{number}"}; {joint} stands for a joint's name, {number} counts from 1.
            A number is the place of a column, from 1, and "1-7" are seven; the name of an array
            ("data.q") stands for all of its columns.
        units: {"t": "ms", "q": "deg", "qd": "deg/s", "tau": "A"}, or a list with one per joint; a
            number is what one of that unit is in SI.
        gear: N, turns of the motor per turn of the joint, one per joint, signs included; or
            {"tau": N} where only that is measured at the motors.
        coupling: A, shape (n, n), where motors move several joints; or {"tau": A}.
        joints: {joint of the robot: its name in the log}; or a list: the robot's own joints, in the
            order in which the log has them, or their names in the log, in the robot's order.
        offset: q₀, added to the positions last [rad] or [m], one per joint.
        torque_constants: N·m (or N) per ampere, one per joint, where τ is in "A" or "mA".
        rate: Rows a second [Hz], for logs without a column of times.
        topic: The topic of a bag; by default that of the joint states.
        rows: The rows taken: (1, 10000) for the first ten thousand, (10001, None) for the others;
            or a slice, which counts from 0.
        time: A file of the times, where they have one of their own.

    Raises:
        BadLog: If it cannot be used, with every problem found, by row and column.
    """
    from qddot.identification.log_checks import checked
    from qddot.identification.log_columns import mapped
    from qddot.identification.log_files import tables
    from qddot.identification.log_units import joint_side
    from qddot.robot import robot_of

    if isinstance(source, Log):
        return source
    robot = None if robot is None else robot_of(robot)
    raw = mapped(tables(source, topic, time), robot, columns or {}, joints, rate, rows)
    there = joint_side(raw, robot, units or {}, gear, coupling, offset, torque_constants)
    return checked(there, robot)


def bad_log(source: object, why: str, remedy: str, line: int | None = None):
    """Return the exception for a log with one problem."""
    # the message begins with the source, so it repeats the file only for a line
    file = str(source) if line else ""
    return BadLog(str(source), [Problem("error", "", why, remedy, line, file)])


def named(joints: Sequence[str], wrong: np.ndarray) -> str:
    """Return the names of the joints for which something is so."""
    return listing([joint for joint, bad in zip(joints, wrong, strict=True) if bad], 8)


def several_numbers(robot: Any) -> dict[str, Any]:
    """Return the fields of a log of a robot whose positions are several numbers per joint."""
    if robot is None or robot.nq == robot.n:
        return {}
    return {"positions": robot.model.position_names, "tree": robot.tree}


def check_even(log: Log) -> None:
    """Refuse rows that are not equally far apart."""
    if not log.even:
        steps = np.diff(log.t)
        row = int(np.abs(steps - log.step).argmax())
        raise BadArgument(
            f"The rows of the log are {steps.min():.4g} to {steps.max():.4g} s apart (row "
            f"{row + 1} to {row + 2}: {steps[row]:.4g} s).\n  Make them even first: resampled(log)."
        )
