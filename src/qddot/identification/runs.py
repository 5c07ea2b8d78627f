"""Several logs in one fit: how they are joined, what the arm carried in each, what each counts.

A load that the arm carried in a run adds its ten numbers to the body that holds it. Where they are
known, its torque is taken off the rows of that run. Where they are not, they are ten parameters
more, which only these rows show: with X the matrix that turns ten numbers about the load's frame
into those about its body's, and Y_b the ten columns of that body,

    τ = Y φ + Y_b X φ_load
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from qddot.checks import frame_name, positive
from qddot.errors import BadArgument, listing, printable, shorten
from qddot.identification.log import Log
from qddot.model.link import Inertial, Payload
from qddot.model.tree import BASE
from qddot.spatial.inertia import NAMES, Inertia
from qddot.spatial.pose import Pose

EMPTY = -1  # the load of a run in which nothing was carried
SAME_RATE = 1.5  # times: rates that differ by less count the same
# what a joined log has if all do
SOME_HAVE = ("counts", "why", "Y", "known", "load", "weight")
APART = 10  # rows between the times of two runs


@dataclass(frozen=True)
class MeasuredRun:
    """One log of a fit of several.

    Args:
        log: A `Log`, or a file that `load_log` reads.
        carries: A frame, with an unknown load at it; or a `Payload`, whose numbers are known.
            Nothing if not given.
        weight: What a second of it counts beside one of the other runs.
        name: What it is called; by default after its file.
    """

    log: Any
    carries: str | Payload | None = None
    weight: float = 1.0
    name: str = ""


@dataclass(frozen=True)
class CarriedLoad:
    """What the arm carried in some runs."""

    frame: str
    body: int
    X: np.ndarray  # (10, 10), from numbers about the frame to those about the body
    known: np.ndarray | None = None  # (10,), about the frame

    @staticmethod
    def of(robot: Any, carries: str | Payload) -> CarriedLoad:
        """Return the load of a run; refuse a frame that is not there, or does not move."""
        known = carries if isinstance(carries, Payload) else None
        frame = frame_name(robot, carries if known is None else known.frame)
        body, X_BF = robot.tree.frames[frame]
        if body == BASE:
            raise BadArgument(
                f"Frame {frame!r} of robot {robot.name!r} does not move, so no torque feels what "
                "it carries.\n  Name a frame that a joint moves."
            )
        inertia = None if known is None else np.array(_parameters(known.inertial), dtype=float)
        return CarriedLoad(frame, body, seen_in_body(X_BF), inertia)

    def columns(self, Y: np.ndarray) -> np.ndarray:
        """Return what ten numbers about the frame add to torques, shape (k, n, 10)."""
        return Y[..., 10 * self.body : 10 * self.body + 10] @ self.X


def _parameters(inertial: Inertial) -> list[Any]:
    return list(inertial.about_origin().parameters)


def seen_in_body(X_BF: Pose) -> np.ndarray:
    """Return what turns the ten numbers in a frame into those in its body, shape (10, 10)."""
    columns = [
        Inertia.from_parameters(unit).seen_from(X_BF).parameters for unit in np.eye(10).tolist()
    ]
    return np.array(columns, dtype=float).T


def is_several(log: Any) -> bool:
    """Return whether this is a list of logs, and not (q, qd, qdd, tau)."""
    return isinstance(log, (list, tuple)) and (
        not log
        or any(
            isinstance(one, (str, Path, MeasuredRun)) or hasattr(one, "joint_names") for one in log
        )
    )


def runs_of(robot: Any, log: Any) -> tuple[list[MeasuredRun], list[CarriedLoad], list[int]]:
    """Return the runs of a fit by name, the different loads in them, and each run's load.

    There may be one log, or a list of logs, of files and of runs.
    """
    given = list(log) if is_several(log) else [log]
    if not given:
        raise BadArgument("There is no log to fit; give one, or a list of them.")
    runs = [one if isinstance(one, MeasuredRun) else MeasuredRun(one) for one in given]
    loads: list[CarriedLoad] = []
    carried: list[int] = []
    which: dict[Any, int] = {}
    for run in runs:
        positive("weight", run.weight, wanted="a weight above 0")
        if run.carries is None:
            carried.append(EMPTY)
            continue
        # a frame stands for one unknown load, whichever runs name it
        if run.carries not in which:
            which[run.carries] = len(loads)
            loads.append(CarriedLoad.of(robot, run.carries))
        carried.append(which[run.carries])
    return _by_name(runs), loads, carried


def load_names(loads: Sequence[CarriedLoad]) -> list[str]:
    """Return what the numbers of unknown loads are called."""
    unknown = [load.frame for load in loads if load.known is None]
    return [f"load at {frame}.{name}" for frame in unknown for name in NAMES]


def joined(logs: Sequence[Log], runs: Sequence[MeasuredRun] = ()) -> Log:
    """Return prepared logs as one, in which every row knows its run and its weight.

    Times go on from run to run. One log alone is returned as it is.
    """
    if len(logs) == 1:
        return logs[0]
    sizes = [len(log) for log in logs]
    start, times = 0.0, []
    for log in logs:
        times.append(log.t - log.t[0] + start)
        start = float(times[-1][-1]) + APART * log.step
    together: dict[str, Any] = {}
    for name in ("q", "qd", "qdd", "tau", "Y", "known", "load", "weight"):
        if all(getattr(log, name) is not None for log in logs):
            together[name] = np.concatenate([getattr(log, name) for log in logs])
    if any(log.counts is not None for log in logs):
        together["counts"] = np.concatenate([log.used for log in logs])
        together["why"] = np.concatenate([log.why_not for log in logs])
    # a second of one run counts as much as a second of another, whatever their rates
    seconds = np.array([log.step for log in logs])
    alike = seconds.max() <= SAME_RATE * seconds.min()
    weights = np.array([run.weight for run in runs] or np.ones(len(logs)), dtype=float)
    weights = weights if alike else weights * seconds
    if np.ptp(weights) > 0:
        each = np.repeat(weights, sizes)
        together["weight"] = each / each.mean()
    names = [run.name for run in runs] or [log.source for log in logs]
    notes = [
        replace(note, place=f"{name}: {note.place}")
        for name, log in zip(names, logs, strict=True)
        for note in log.notes
    ]
    return replace(
        logs[0],
        t=np.concatenate(times),
        run=np.repeat(np.arange(len(logs)), sizes),
        runs=tuple(names),
        source=listing(names, 8),
        notes=tuple(notes),
        bandwidth=None,
        **(dict.fromkeys(SOME_HAVE) | together),
    )


def file_names(source: str) -> str:
    """Return the files of a log without their folders, and a bag without its topic.

    A source reads "logs/run1.csv", "q.csv and tau.csv" or "bags/run1 /joint_states".
    """
    return " and ".join(PurePath(part.split(" /")[0]).name for part in source.split(" and "))


def _by_name(runs: Sequence[MeasuredRun]) -> list[MeasuredRun]:
    """Return the runs, each with a name of its own."""
    names: list[str] = []
    for k, run in enumerate(runs):
        source = getattr(run.log, "source", run.log)
        said = file_names(str(source)) if isinstance(source, (str, Path)) else ""
        name = shorten(printable(run.name or said or f"run {k + 1}"), 60)
        count = sum(other.split(" #")[0] == name for other in names)
        names.append(f"{name} #{count + 1}" if count else name)
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]
