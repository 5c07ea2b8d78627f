"""Closed loops and references as figures: what the laws' classes hold, made into plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument
from qddot.present.figures import control as draw
from qddot.present.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from qddot.control.closed_loop import ClosedLoop
    from qddot.control.references.path import AlongPath
    from qddot.robot import Robot

XYZ = "xyz"
INSTANTS = 1500  # of a profile


@style.savable
def plot_closed_loop(run: ClosedLoop, path: str | Path | None = None) -> Figure:
    """Return a figure of a run, and write it if a path is given.

    Panels: the error, torques with limits, the law's Lyapunov function with its rate if it has
    one, and the path of the frame, or positions beside their reference.

    Args:
        run: What `closed_loop` returned.
        path: A .png, .svg or .pdf file.
    """
    places = places_of(run)
    wanted = None if places is not None else _wanted(run.law, run.t)
    return draw.figure(loop_of(run, places, wanted))


def loop_of(
    run: ClosedLoop, places: draw.Places | None = None, wanted: np.ndarray | None = None
) -> draw.Loop:
    """Return what is drawn of a run.

    Args:
        run: What `closed_loop` returned.
        places: Where the frame of its law went, if that is to be drawn.
        wanted: Where the joints should have been, likewise.
    """
    from qddot.control.references.limits import bounds_of

    motion = run.trajectory
    turning = sorted(set(motion.units))
    return draw.Loop(
        title=f"{run.report.law} of {run.robot.name}",
        t=motion.t,
        error=draw.Rows(run.error, run.report.error_names, _error_label(run)),
        torque=draw.Rows(motion.tau, motion.joint_names, f"torque [{_units(turning, 'tau')}]"),
        limits=bounds_of(run.robot).effort,
        positions=draw.Rows(motion.q, motion.joint_names, f"position [{_units(turning, 'q')}]"),
        references=wanted,
        V=run.V,
        V_rate=run.V_rate,
        places=places,
    )


@style.savable
def plot_comparison(runs: Mapping[str, ClosedLoop], path: str | Path | None = None) -> Figure:
    """Return the sizes of the errors of several runs in one figure, and the paths of their frames.

    Args:
        runs: By name.
        path: A .png, .svg or .pdf file.
    """
    if not runs:
        raise BadArgument("There is no run to draw; give at least one, by name.")
    labels = {_error_label(run, size=True) for run in runs.values()}
    label = labels.pop() if len(labels) == 1 else "size of the error"
    found = {
        name: (run.t, np.linalg.norm(run.error, axis=1), places_of(run))
        for name, run in runs.items()
    }
    return draw.compared(found, label)


@style.savable
def plot_fastest(
    robot: Robot, reference: AlongPath, path: str | Path | None = None, **limits: Any
) -> Figure:
    """Return how fast a time-optimal motion goes along its path, and what it takes of the motors.

    Args:
        robot: Whose motors.
        reference: What `time_optimal` returned.
        path: A .png, .svg or .pdf file.
        limits: effort=..., where it is not the robot's.
    """
    from qddot.control.references.arguments import most
    from qddot.control.references.limits import bounds_of

    given = limits.pop("effort", None)
    if limits:
        raise BadArgument(f"plot_fastest knows no {', '.join(limits)}; there is effort.")
    effort = most("effort", bounds_of(robot).effort if given is None else given, robot.n)
    t = np.linspace(0, reference.duration, INSTANTS)[:-1]
    q, qd, qdd = reference.sampled(t)
    used = robot.inverse_dynamics(q, qd, qdd) / effort
    s, speed = reference.profile.curve.values(t)[:2]
    rates = np.abs(qd / bounds_of(robot).velocity).max(axis=1)
    rows = draw.Rows(used, robot.joint_names, "torque / limit")
    title = f"{robot.name}: the fastest way along the path, {reference.duration:.4g} s"
    return draw.fastest(s[:, 0], speed[:, 0], t, rows, rates, title)


def places_of(run: ClosedLoop) -> draw.Places | None:
    """Return where the frame of a law went and should have been; None for a law of joints."""
    law = getattr(run.law, "law", run.law)  # an observer stands beside a law
    frame, axes = getattr(law, "frame", None), getattr(law, "axes", None)
    if frame is None or axes is None:
        return None
    went = run.trajectory.tip_path(frame)
    wanted = np.full_like(went, np.nan)
    wanted[:, [XYZ.index(axis) for axis in axes]] = _wanted(law, run.t)
    return draw.Places(went, wanted)


def _wanted(law: Any, t: np.ndarray) -> np.ndarray | None:
    """Return where a law's reference is at every instant."""
    from qddot.backends.kernel import Kernel
    from qddot.program.recorder import record

    reference = getattr(law, "reference", None)
    if reference is None:
        return None

    def place(t: Any) -> Any:
        return np.asarray(reference.at(t)[0], dtype=object) + 0 * t

    return Kernel(record(place, "place", t=()))(t)


def _error_label(run: ClosedLoop, size: bool = False) -> str:
    sign = "‖e‖" if size else "error"
    law = getattr(run.law, "law", run.law)
    if getattr(law, "frame", None) is None:
        return f"{sign} [{_units(sorted(set(run.trajectory.units)), 'q')}]"
    turns = getattr(law, "orientation", None) is not None
    return f"{sign} [{'m, rad' if turns else 'm'}]"


def _units(kinds: list[str], quantity: str) -> str:
    from qddot.present.figures.quantities import unit

    return " or ".join(unit(quantity, kind) for kind in reversed(kinds))
