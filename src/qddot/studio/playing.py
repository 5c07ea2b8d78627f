"""What happens when somebody presses play: the arm falls, or repeats a log. `controlling` has laws.

Runs in a helper. Each function gives the answer "motion" and the same as a CSV file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadArgument, one_of, printable
from qddot.robot import Robot
from qddot.simulation.trajectory import Trajectory
from qddot.studio.dropped import ENDINGS, OUR_NAME, ending_of, shown_name
from qddot.studio.exports import csv_of
from qddot.timeseries import QUANTITIES, by_joint

ROWS = 1500  # at most; a page draws no more
MOST_EVENTS = 200
LOG_ENDINGS = (".csv", ".tsv", ".txt", ".npz", ".parquet")
STOP = 0.2  # restitution of stops at the joints' limits

MotionAnswer = tuple[dict[str, Any], bytes]


def drop(
    robot: Robot,
    q: np.ndarray,
    qd: np.ndarray,
    duration: float,
    stops: bool,
    *,
    tell: Callable[..., None],
) -> MotionAnswer:
    """Let the arm go, with the stops that it has, and stops at its limits if asked for."""
    from qddot.simulation.simulation import simulate

    tell(f"Simulating {duration:g} s", None)
    run = simulate(robot, q, qd, duration=duration, stops=STOP if stops else None)
    return motion("drop", run), saved(run)


def motion(what: str, run: Trajectory) -> dict[str, Any]:
    """Return a simulated motion as the answer "motion"."""
    rows = shown_rows(run.t)
    energy = run.energy
    return {
        "is": "motion",
        "what": what,
        **{name: getattr(run, name)[rows] for name in ("t", "q", "qd", "qdd", "tau")},
        **{name: getattr(energy, name)[rows] for name in ("kinetic", "potential", "total")},
        "status": printable(run.status),
        "good": bool(run.good),
        "events": events(
            (event.t, f"{event.joint} {event.name} {event.detail}") for event in run.events
        ),
    }


def events(found: Any) -> list[dict[str, Any]]:
    told = [{"t": float(t), "text": printable(" ".join(text.split()))} for t, text in found]
    if len(told) > MOST_EVENTS:
        last = told[MOST_EVENTS - 1]["t"]
        more = f"... and {len(told) - MOST_EVENTS + 1} more"
        return [*told[: MOST_EVENTS - 1], {"t": last, "text": more}]
    return told


def shown_rows(t: np.ndarray) -> np.ndarray:
    """Return which rows a page gets: all, or as many as it can show, evenly in time."""
    if len(t) <= ROWS:
        return np.arange(len(t))
    wanted = np.linspace(t[0], t[-1], ROWS)
    return np.unique(np.clip(np.searchsorted(t, wanted), 0, len(t) - 1))


def saved(run: Trajectory) -> bytes:
    """Return a motion as a CSV file, which `Trajectory.load` reads."""
    path = Path("motion.csv")
    try:
        run.save(path)
        return path.read_bytes()
    finally:
        path.unlink(missing_ok=True)


def log(robot: Robot, name: str, data: bytes, *, tell: Callable[..., None]) -> MotionAnswer:
    """Repeat what was measured, with what the model makes of it."""
    from qddot.identification.log import load_log

    words = shown_name(name)
    path = Path(f"{OUR_NAME}{log_ending(name)}")
    tell(f"Reading {words}", None)
    try:
        path.write_bytes(data)
        found = load_log(path, robot)
    except ValueError as error:
        raise BadArgument(str(error).replace(path.name, words)) from None
    finally:
        path.unlink(missing_ok=True)
    rows = shown_rows(found.t)
    t, q = found.t[rows] - found.t[0], found.q[rows]
    qd = slope(found.qd, found.q, found.t)[rows]
    qdd = slope(found.qdd, slope(found.qd, found.q, found.t), found.t)[rows]
    kinetic, potential = robot.kinetic_energy(q, qd), robot.potential_energy(q)
    tau = None if found.tau is None else found.tau[rows]
    rate = f"{found.rate:.6g} Hz" if len(found) > 1 else ""
    status = f"{words}: {len(found)} rows, {found.duration:.6g} s at {rate}"
    answer = {
        "is": "motion",
        "what": "log",
        "name": words,
        "t": t,
        "q": q,
        "qd": qd,
        "qdd": qdd,
        "tau": tau,
        "tau_model": robot.inverse_dynamics(q, qd, qdd),
        "kinetic": kinetic,
        "potential": potential,
        "total": kinetic + potential,
        "status": status,
        "good": True,
        "events": events((0.0, str(note).replace(path.name, words)) for note in found.notes),
    }
    columns = {"t": t}
    for what in (*QUANTITIES, "tau_model"):
        if answer[what] is not None:
            columns |= by_joint(what, robot.joint_names, answer[what])
    return answer, csv_of(columns)


def log_ending(name: str) -> str:
    """Return the ending of a log's name."""
    ending = ending_of(name)
    if ending not in LOG_ENDINGS:
        raise BadArgument(
            f"{shown_name(name)} does not end like a log: {', '.join(LOG_ENDINGS)}.\n"
            f"  A robot file ends in {one_of(ENDINGS)}."
        )
    return ending


def slope(known: np.ndarray | None, x: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return what was measured, or differences where it was not."""
    if known is not None:
        return known
    return np.gradient(x, t, axis=0) if len(t) > 1 else np.zeros_like(x)
