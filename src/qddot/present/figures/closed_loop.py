"""Closed loops in pictures: errors, torques and their limits, V and its rate, paths.

A time-optimal motion has the same panels: its speed along the path, and torques by their limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.control.loop import ClosedLoop
from qddot.errors import BadArgument
from qddot.model.units import all_for_people, unit_of
from qddot.motions.motion import limit_of
from qddot.motions.path import AlongPath
from qddot.present.figures import style
from qddot.present.figures.style import drawable
from qddot.present.figures.trajectory import show_range
from qddot.program.recorder import record
from qddot.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

WIDTH, ROW = 10.0, 2.6  # [inch]
SHOWN = 0.6  # the share of a limit from which on it is drawn
DECADES = 1e3  # largest for smallest from which on a scale is logarithmic
ROOM = 130  # characters side by side in the legend
XYZ = "xyz"
INSTANTS = 1500  # of a time-optimal motion


@dataclass(frozen=True)
class FramePlaces:
    """Where a frame went and where it should have been [m], in base axes."""

    went: np.ndarray  # (k, 3)
    wanted: np.ndarray  # (k, 3); not a number along axes that are left free


@style.savable
def plot_closed_loop(
    run: ClosedLoop, path: str | Path | None = None, degrees: bool = False
) -> Figure:
    """Return a figure of a run, and write it if a path is given.

    Panels: the error, torques with limits, the law's Lyapunov function with its rate if it has
    one, and the path of the frame, or positions beside their reference.

    Args:
        run: What `closed_loop` returned.
        path: A .png, .svg or .pdf file.
        degrees: Draw angles in degrees instead of radians.
    """
    places = places_of(run)
    wanted = None if places is not None else _wanted(run.law, run.t)
    return figure(run, places, wanted, degrees)


def figure(
    run: ClosedLoop,
    places: FramePlaces | None = None,
    wanted: np.ndarray | None = None,
    degrees: bool = False,
) -> Figure:
    """Return a figure of a closed loop: errors, torques, V if there is one, and where it went.

    The places of the frame of its law, and the positions wanted of the joints, are drawn where they
    are given.
    """
    t, joints = run.trajectory.t, run.trajectory.joint_names
    panels: list[Callable[[Any], Any]] = [
        lambda axes: draw_errors(axes, run, degrees),
        lambda axes: draw_torques(axes, run),
    ]
    if run.V is not None and run.V_rate is not None:
        V, rate = run.V, run.V_rate
        panels.append(lambda axes: draw_lyapunov(axes, t, V, rate))
    panels.append(
        (lambda axes: draw_places(axes, places))
        if places is not None
        else (lambda axes: draw_positions(axes, run, wanted, degrees))
    )
    rows = -(-len(panels) // 2)
    drawn = style.figure(WIDTH, ROW * rows + 0.7)
    grid = drawn.add_gridspec(rows, 2)
    for k, panel in enumerate(panels):
        alone = k == len(panels) - 1 and k % 2 == 0
        panel(drawn.add_subplot(grid[k // 2, :] if alone else grid[k // 2, k % 2]))
    titled(drawn, joints, f"{run.report.law} of {run.robot.name}")
    return drawn


@style.savable
def plot_comparison(
    runs: Mapping[str, ClosedLoop], path: str | Path | None = None, degrees: bool = False
) -> Figure:
    """Return the sizes of the errors of several runs, by decades, and the paths of their frames.

    Args:
        runs: By name.
        path: A .png, .svg or .pdf file.
        degrees: Draw angles in degrees instead of radians.
    """
    if not runs:
        raise BadArgument("There is no run to draw; give at least one, by name.")
    shown = [all_for_people(run.report.error_units, degrees) for run in runs.values()]
    units = {unit for unit, _ in shown}
    label = f"‖e‖ [{units.pop()}]" if len(units) == 1 else "size of the error"
    went = [places_of(run) for run in runs.values()]
    places = [each for each in went if each is not None]
    both = len(places) == len(runs)
    drawn = style.figure(WIDTH if both else 0.75 * WIDTH, 3.6)
    grid: Any = drawn.subplots(1, 2 if both else 1, squeeze=False)[0]
    entries: list[tuple[Line2D, str]] = []
    style.dress(grid[0])
    for k, (name, run) in enumerate(runs.items()):
        size = np.linalg.norm(run.error * shown[k][1], axis=1)
        positive = np.where(size > 0, drawable(size), np.nan)  # zero has no place on this scale
        line = grid[0].plot(run.t, positive, **style.curve(k))[0]
        entries.append((line, style.label(name, 60)))
        if both:
            draw_places(grid[1], places[k], k, ends=k == len(runs) - 1)
    grid[0].set_yscale("log")
    end = max(float(run.t[-1]) for run in runs.values())
    _labelled(grid[0], np.array([0.0, max(end, 0.0)]), label)
    style.legend(drawn, entries, style.legend_columns(entries, ROOM), loc="outside upper left")
    return drawn


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
    given = limits.pop("effort", None)
    if limits:
        raise BadArgument(f"plot_fastest knows no {', '.join(limits)}; there is effort.")
    effort = limit_of("effort", robot.limits.effort if given is None else given, robot.n)
    t = np.linspace(0, reference.duration, INSTANTS)[:-1]
    q, qd, qdd = reference.sampled(t)
    used = robot.inverse_dynamics(q, qd, qdd) / effort
    s, speed = (column[:, 0] for column in reference.profile.curve.values(t)[:2])
    rates = np.abs(qd / robot.limits.velocity).max(axis=1)
    drawn = style.figure(WIDTH, 3.4)
    left, right = drawn.subplots(1, 2)
    style.dress(left)
    left.plot(s, speed, color=style.colour(0), linewidth=style.LINE)
    left.set_ylim(bottom=0)
    left.set_xlim(float(s[0]), float(s[-1]))
    style.write(left.set_xlabel("", fontsize=style.NORMAL), "s, along the path")
    style.write(left.set_ylabel("", fontsize=style.NORMAL), "ds/dt")
    draw_rows(right, t, used, "torque / limit")
    for side in (-1, 1):
        right.axhline(side, color=style.INK, linestyle=style.DASHES[1], linewidth=style.THIN)
    if rates.any():
        right.plot(t, rates, color=style.INK, linestyle=style.DASHES[2], linewidth=style.LINE)
        note(right, "dashed: limits; dotted: velocity / limit, of the joint nearest to its own")
    title = f"{robot.name}: the fastest way along the path, {reference.duration:.4g} s"
    titled(drawn, robot.joint_names, title)
    return drawn


def draw_errors(axes: Axes, run: ClosedLoop, degrees: bool = False) -> None:
    """Draw errors; where they are not those of joints they have a legend of their own."""
    unit, factors = all_for_people(run.report.error_units, degrees)
    draw_rows(axes, run.trajectory.t, run.error * factors, f"error [{unit}]")
    if run.report.error_names != run.trajectory.joint_names:
        entries = style.legend_entries(run.report.error_names)
        above: dict[str, Any] = dict(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
        style.legend(axes, entries, style.legend_columns(entries, ROOM // 2), **above)


def draw_rows(axes: Axes, t: np.ndarray, values: np.ndarray, label: str) -> None:
    """Draw curves over time, one a column."""
    style.dress(axes)
    axes.axhline(0, color=style.QUIET, linewidth=style.THIN, zorder=0)
    for i, column in enumerate(drawable(values).T):
        axes.plot(t, column, **style.curve(i))
    _labelled(axes, t, label)


def draw_torques(axes: Axes, run: ClosedLoop) -> None:
    """Draw torques, and those of their limits that they come near."""
    motion, limits = run.trajectory, run.robot.limits.effort
    draw_rows(
        axes, motion.t, motion.tau, f"torque [{unit_of(run.robot.model.free_joints, 'effort')}]"
    )
    peaks = np.nanmax(np.abs(drawable(motion.tau)), axis=0, initial=0)
    finite = np.isfinite(limits)
    near = {
        float(limit)
        for limit, peak in zip(limits, peaks, strict=True)
        if np.isfinite(limit) and peak >= SHOWN * limit
    }
    for limit in near:
        for side in (-limit, limit):
            axes.axhline(side, color=style.INK, linestyle=style.DASHES[1], linewidth=style.THIN)
    if finite.any():
        share = float((peaks[finite] / limits[finite]).max())
        drawn = "dashed: limits; " if near else ""
        note(axes, f"{drawn}at most {share:.0%} of a limit is used")


def draw_lyapunov(axes: Axes, t: np.ndarray, V: np.ndarray, rate: np.ndarray) -> None:
    """Draw V, by decades where it falls through many, and its rate on the right."""
    style.dress(axes)
    V, rate = drawable(V), drawable(rate)
    axes.plot(t, V, color=style.colour(0), linewidth=style.LINE)
    floor = np.nanmin(V) if len(V) else 0.0
    if floor > 0 and np.nanmax(V) > DECADES * floor:
        axes.set_yscale("log")
        axes.set_ylim(bottom=max(floor, 1e-14 * float(np.nanmax(V))))
    _labelled(axes, t, "V")
    side: Any = axes.twinx()
    style.dress(side)
    side.grid(False)
    side.spines["right"].set_visible(True)
    side.axhline(0, color=style.QUIET, linewidth=style.THIN, zorder=0)
    side.plot(t, rate, color=style.colour(1), linewidth=style.LINE, linestyle=style.DASHES[1])
    style.write(side.set_ylabel("", fontsize=style.NORMAL), "dV/dt (right, dashed)")
    axes.yaxis.label.set_color(style.colour(0))
    side.yaxis.label.set_color(style.colour(1))


def draw_positions(
    axes: Axes, run: ClosedLoop, wanted: np.ndarray | None, degrees: bool = False
) -> None:
    """Draw positions, and dotted what they should be."""
    t = run.trajectory.t
    unit, factors = all_for_people(run.trajectory.units, degrees)
    draw_rows(axes, t, run.trajectory.joint_positions * factors, f"position [{unit}]")
    if wanted is not None:
        for column in drawable(wanted * factors).T:
            axes.plot(t, column, color=style.INK, linestyle=style.DASHES[2], linewidth=style.THIN)
        note(axes, "dotted: reference")


def draw_places(axes: Axes, places: FramePlaces, k: int = 0, ends: bool = True) -> Line2D:
    """Draw where a frame went, seen along the axis along which it went least."""
    style.dress(axes)
    first, second = sides(places)
    wanted = np.where(np.isnan(places.wanted), places.went, places.wanted)
    moves = np.ptp(wanted, axis=0).max() > 1e-9
    line = axes.plot(places.went[:, first], places.went[:, second], **style.curve(k))[0]
    if ends:
        if moves:
            look: dict[str, Any] = dict(color=style.INK, linestyle=style.DASHES[2])
            axes.plot(wanted[:, first], wanted[:, second], linewidth=style.THIN, **look)
        mark: dict[str, Any] = dict(color=style.INK, linestyle="none", fillstyle="none")
        axes.plot(*places.went[0, [first, second]], marker="o", markersize=6, **mark)
        axes.plot(*wanted[-1, [first, second]], marker="+", markersize=10, **mark)
        note(axes, "○ start   + target" + ("   dotted: reference" if moves else ""))
    axes.set_aspect("equal", adjustable="datalim")
    style.write(axes.set_xlabel("", fontsize=style.NORMAL), f"{XYZ[first]} [m]")
    style.write(axes.set_ylabel("", fontsize=style.NORMAL), f"{XYZ[second]} [m]")
    return line


def sides(places: FramePlaces) -> tuple[int, int]:
    """Return the two base axes along which a frame goes furthest, those that matter first."""
    both = np.concatenate([places.went, places.wanted])
    extent = np.nanmax(both, axis=0) - np.nanmin(both, axis=0)
    free = np.isnan(places.wanted).all(axis=0)
    first, second = sorted(int(i) for i in np.lexsort((-extent, free))[:2])
    return first, second


def places_of(run: ClosedLoop) -> FramePlaces | None:
    """Return where the frame of a law went and should have been; None for a law of joints."""
    law = getattr(run.law, "law", run.law)  # an observer stands beside a law
    frame, axes = getattr(law, "frame", None), getattr(law, "axes", None)
    if frame is None or axes is None:
        return None
    went = run.trajectory.tip_path(frame)
    wanted = np.full_like(went, np.nan)
    wanted[:, [XYZ.index(axis) for axis in axes]] = _wanted(law, run.t)
    return FramePlaces(went, wanted)


def _wanted(law: Any, t: np.ndarray) -> np.ndarray | None:
    """Return where a law's reference is at every instant."""
    reference = getattr(law, "reference", None)
    if reference is None:
        return None

    def place(t: Any) -> Any:
        return np.asarray(reference.at(t)[0], dtype=object) + 0 * t

    return Kernel(record(place, "place", t=()))(t)


def titled(drawn: Figure, names: Sequence[str], title: str) -> None:
    entries = style.legend_entries(names)
    wide = style.legend_columns(entries, ROOM)
    where: dict[str, Any] = dict(loc="outside upper left", alignment="left", title=" ")
    made = style.legend(drawn, entries, wide, **where)
    made.get_title().set_fontsize(style.LARGE)
    style.write(made.get_title(), title)


def _labelled(axes: Axes, t: np.ndarray, label: str) -> None:
    style.write(axes.set_xlabel("", fontsize=style.NORMAL), "time [s]")
    style.write(axes.set_ylabel("", fontsize=style.NORMAL), label)
    show_range(axes, t)


def note(axes: Axes, words: str) -> None:
    text = axes.text(1, 1.01, "", transform=axes.transAxes, ha="right", fontsize=style.SMALL)
    style.write(text, words)
