"""What is wrong with a log, read or given as arrays: mended with a note, or refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, BadLog, Problem, listing, printable, shorten
from qddot.identification.log import GAP, UNEVEN, Log, bad_log, named, several_numbers
from qddot.identification.log_columns import Raw
from qddot.model.tree import by_rows
from qddot.timeseries import QUANTITIES
from qddot.timeseries.csv_file import MOST_PROBLEMS

if TYPE_CHECKING:
    from qddot.robot import Robot

STILL = 1e-3  # [rad] or [m]: a joint that moves less shows nothing
DEGREE, THOUSAND = np.pi / 180, 1e-3
SEVERAL_TURNS = 8 * np.pi  # [rad]: few joints go so far
FAINTEST = 1e-100  # [N·m] or [N]
ALIKE = 0.1  # relative, between a factor found and one that units explain
DISORDER = 0.01  # of the rows: more out of order is not a slip of the clock
SLOWEST = 0.5  # [s] between rows: nobody records an arm so slowly


def checked(raw: Raw, robot: Robot | None) -> Log:
    """Return the log, its times rising, with notes; refuse what cannot be mended."""
    if len(raw.t) < 2:
        rows = "one row" if len(raw.t) else "no rows"
        raise bad_log(
            raw.source, f"it has {rows}", "A motion needs many: record at 100 Hz or more."
        )
    check_finite(raw)
    taken, keep = len(raw.t), in_time(raw)
    raw.t = raw.t[keep] - raw.t[keep][0]
    raw.values = {name: values[keep] for name, values in raw.values.items()}
    if len(raw.t) < 2:
        raise bad_log(raw.source, "all its rows have the same time", "Check the column of times.")
    look_at_steps(raw, np.flatnonzero(keep))
    look_at_motion(raw, robot)
    if "tau" not in raw.values:
        raw.note(
            "warning",
            "torque",
            "there is none, so no mass can be found from this log",
            "Record torques, or currents with their torque constants.",
        )
    measured: dict[str, Any] = dict(raw.values) | several_numbers(robot)
    if "tree" in measured:
        measured["q"] = by_rows(measured["tree"].project, measured["q"])
    measured |= {"notes": tuple(raw.notes), "origin": raw.origin(taken)}
    return Log(raw.joints, raw.t, **measured, source=raw.source)


def check_finite(raw: Raw) -> None:
    """Refuse numbers that are none; a quantity that is never there is missing, not wrong."""
    for name in [name for name, x in raw.values.items() if name != "q" and np.isnan(x).all()]:
        del raw.values[name]
        raw.note("note", name, "it is nan in every row, so it counts as not measured")
    problems = []
    for name, values in {"t": raw.t[:, None], **raw.values}.items():
        for row, j in np.argwhere(~np.isfinite(values))[:MOST_PROBLEMS]:
            column = raw.columns.get(name, [name])[min(j, len(raw.columns.get(name, [name])) - 1)]
            what = f"{raw.row(row)}, column {printable(column)!r} is {values[row, j]}"
            remedy = "Take the rows before or after it: rows=(first, last)."
            if name not in ("t", "q"):
                remedy = f"{remedy[:-1]}, or do without: columns={{{name!r}: None}}."
            problems.append(Problem("error", "", what, remedy))
    if problems:
        raise BadLog(str(raw.source), problems)


def look_at_motion(raw: Raw, robot: Robot | None) -> None:
    """Warn of joints that never move, of angles in degrees, of velocities in other units."""
    q, several = raw.values["q"], robot is not None and robot.nq != robot.n
    if robot is not None and several:  # how far it is from where it starts
        q = by_rows(robot.tree.difference, np.broadcast_to(q[0], q.shape), q)
    still = np.ptp(q, axis=0) < STILL
    for joint, _ in filter(lambda pair: pair[1], zip(raw.joints, still, strict=True)):
        raw.note(
            "warning",
            f"joint {joint!r}",
            "it never moves, so its friction and the inertia about its axis cannot be known",
            "Move it, or lock it: robot.locked({...}).",
        )
    turns = [joint.turns for joint in robot.model.free_joints] if robot else [True] * q.shape[1]
    far = (np.abs(q).max(axis=0) > SEVERAL_TURNS) & np.array(turns)
    if robot and far.any():
        raw.note(
            "warning",
            "q",
            f"{named(raw.joints, far)} would be at {np.abs(q[:, far]).max() / (2 * np.pi):.0f} "
            "turns",
            'If these are degrees: units={"q": "deg"}; if motor angles: gear=[...].',
        )
    if "qd" in raw.values:
        own = np.gradient(raw.values["q"], raw.t, axis=0)
        if robot is not None and several:
            own = by_rows(robot.tree.velocity_of, raw.values["q"], own)
        compare_velocity(raw, q, own)


def compare_velocity(raw: Raw, q: np.ndarray, own: np.ndarray) -> None:
    """Warn where the velocities measured are not `own`, those of the positions measured."""
    measured = raw.values["qd"]
    moving = np.abs(own) >= 0.05 * np.abs(own).max(axis=0, initial=0)
    for j, joint in enumerate(raw.joints):
        use = moving[:, j]
        power = float(own[use, j] @ own[use, j])
        if np.ptp(q[:, j]) < STILL or not power:
            continue
        ratio = float(measured[use, j] @ own[use, j]) / power
        why = explained(ratio, (len(raw.t) - 1) / float(raw.t[-1] - raw.t[0]))
        if why:
            said = f"its velocity is {ratio:.4g} times the rate of its position"
            raw.note("warning", f"joint {joint!r}", said, why)


def explained(ratio: float, rate: float) -> str:
    """Return why a velocity may be `ratio` times that of the position; `rate`: of the rows [Hz]."""
    causes = {
        1 / DEGREE: 'It may be in degrees: units={"qd": "deg/s"}.',
        DEGREE: 'The position may be in degrees: units={"q": "deg"}.',
        30 / np.pi: 'It may be in turns per minute: units={"qd": "rpm"}.',
        1 / THOUSAND: "The times or lengths may be in thousandths: units={...}.",
        THOUSAND: "The times may be in milliseconds: units={'t': 'ms'}.",
        -1.0: "Its sign is the other: gear=-1 for one of the two.",
    }
    if abs(ratio - 1) < 2 * ALIKE:
        return ""
    for value, why in causes.items():
        if abs(ratio / value - 1) < ALIKE:
            return why
    if ratio > 0:
        return (
            f"Rows that come at {ratio * rate:.4g} Hz and not at {rate:.4g} Hz would explain it: "
            f"rate={ratio * rate:.4g}, or the unit of the times; else units and gears."
        )
    return "Check units, gears and signs."


def as_log(robot: Any, log: Any, *, torque: bool = True) -> Log:
    """Return a log, or (q, qd, qdd, tau), checked and in the order of the robot's joints.

    A log has `t`, `q`, `qd`, `qdd`, `tau` and `joint_names`, and maybe `counts`; arrays are (k, n).
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
        order, t, counts, why = None, None, None, None
    else:
        missing = [name for name in wanted if getattr(log, name, None) is None]
        if missing:
            advice = "Take prepared(log), which filters and differentiates."
            if "tau" in missing:
                advice = "Give columns={'tau': ...} where its file is read."
            raise BadArgument(f"The log has no {' and no '.join(missing)}.\n  {advice}")
        parts = {name: getattr(log, name) for name in wanted}
        order, t = _order(robot, getattr(log, "joint_names", None)), getattr(log, "t", None)
        if order is not None and robot.nq != robot.n:
            raise BadArgument(
                f"The log has the joints of robot {robot.name!r} in another order, and their "
                "positions are several numbers each.\n  Read it for this robot: "
                "qddot.load_log(path, robot)."
            )
        counts, why = getattr(log, "counts", None), getattr(log, "why", None)
    arrays = {name: _rows(robot, name, parts[name], order) for name in wanted}
    if torque:
        check_size(arrays["tau"])
    k = len(arrays["q"])
    for name, array in arrays.items():
        if len(array) != k:
            raise BadArgument(f"{name} has {len(array)} rows, but q has {k}; give as many.")
    times = np.arange(k, dtype=float) if t is None else np.asarray(t, dtype=float)
    if times.shape != (k,):
        raise BadArgument(f"t has shape {times.shape}, but q has {k} rows; give one time per row.")
    if counts is not None:
        counts = _rows(robot, "counts", counts, order) != 0
    if why is not None:
        why = _rows(robot, "why", why, order).astype(np.uint8)
    about = ["source", "notes", "bandwidth", "run", "runs", "load", "weight"]
    about += [] if order else ["Y", "known"]
    said = {name: getattr(log, name) for name in about if hasattr(log, name)}
    said |= several_numbers(robot)
    return Log(tuple(robot.joint_names), times, **arrays, counts=counts, why=why, **said)


def check_size(tau: np.ndarray) -> None:
    """Refuse torques so small that their squares are no numbers."""
    if 0 < (largest := float(np.abs(tau).max(initial=0))) < FAINTEST:
        raise BadArgument(
            f"The largest torque is {largest:.3g} N·m, which nothing measures.\n"
            "  Check the column of torques and its unit."
        )


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
            f"{name} must have shape (k, {len(names)}): one row per time."
        )
    bad = ~np.isfinite(array)
    if bad.any():
        row, column = (int(i[0]) for i in np.nonzero(bad))
        raise BadArgument(
            f"{name} has {int(bad.sum())} entries that are NaN or infinite, the first in row {row} "
            f"of joint {names[column]!r}.\n  Leave those rows out, or fill the gaps."
        )
    return np.ascontiguousarray(array)


def in_time(raw: Raw) -> np.ndarray:
    """Return which rows to keep so that the times rise."""
    t = raw.t
    latest = np.maximum.accumulate(t)
    back = np.append(False, t[1:] < latest[:-1])
    if back.sum() > max(1, DISORDER * len(t)):
        row = int(back.argmax())
        restarts = int((np.diff(t) < 0).sum())
        remedy = f"They may be several logs in one file: take one, {pieces(raw)}."
        if restarts > DISORDER * len(t):
            remedy = "Check the column of times and its unit."
        raise bad_log(
            raw.source,
            f"its times go back {restarts} times, first in {raw.row(row)}, from {t[row - 1]:.6g} s "
            f"to {t[row]:.6g} s, and {int(back.sum())} of {len(t)} rows are then out of order",
            remedy,
        )
    if back.any():
        rows = ", ".join(raw.row(int(row)) for row in np.flatnonzero(back)[:5])
        raw.note("warning", "time", f"it goes back at {rows}: {int(back.sum())} rows left out")
    keep = ~back
    risen = np.flatnonzero(keep)
    # of rows with one time the last is kept: in a simulated motion it is the one after a jump
    again = np.append(np.diff(t[risen]) == 0, False)
    if again.any():
        rows = ", ".join(raw.row(int(risen[k])) for k in np.flatnonzero(again)[:5])
        more = " and others" if again.sum() > 5 else ""
        raw.note(
            "note", "time", f"it stands still after {rows}{more}: {int(again.sum())} rows left out"
        )
        keep[risen[again]] = False
    return keep


def pieces(raw: Raw) -> str:
    """Return the rows between which the times go back, as they are asked for."""
    ends = [0, *(np.flatnonzero(np.diff(raw.t) < 0) + 1).tolist(), len(raw.t)]
    said = [f"rows=({raw.first + a + 1}, {raw.first + b})" for a, b in pairwise(ends)]
    return " or ".join(said[:3]) + (" or another" if len(said) > 3 else "")


def look_at_steps(raw: Raw, rows: np.ndarray) -> None:
    """Note gaps and jitter."""
    steps = np.diff(raw.t)
    usual = float(np.median(steps))
    if usual > SLOWEST:
        raw.note(
            "warning",
            "time",
            f"rows are {usual:.4g} s apart",
            'If the times are in other units: units={"t": "ms"}, "us" or "ns".',
        )
    gaps = np.flatnonzero(steps > GAP * usual)
    if len(gaps):
        said = ", ".join(f"{steps[k]:.4g} s after {raw.row(int(rows[k]))}" for k in gaps[:4])
        more = f" and {len(gaps) - 4} more" if len(gaps) > 4 else ""
        raw.note(
            "warning",
            "time",
            f"{'a gap' if len(gaps) == 1 else 'gaps'} of {said}{more}, where rows are "
            f"{usual:.4g} s apart",
            "What lies in it is not measured, so `resampled` lets it not count.",
        )
    ordinary = steps[steps <= GAP * usual]
    spread = float(np.abs(ordinary - usual).max())
    if spread > UNEVEN * usual:
        raw.note(
            "note",
            "time",
            f"steps of {ordinary.min():.4g} to {ordinary.max():.4g} s, {usual:.4g} s as a rule; "
            "`resampled` makes them even",
        )
