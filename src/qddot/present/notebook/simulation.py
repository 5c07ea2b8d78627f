"""Motions in a notebook: one with its figure, a batch with its band, a sweep with its summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qddot.errors import printable
from qddot.model.units import unit_of
from qddot.present.figures import style
from qddot.present.figures.trajectory import figure as motion_figure
from qddot.present.figures.trajectory import show_range, unit
from qddot.present.notebook.cell import figure, guarded, rows, shown
from qddot.present.notebook.viewer import motion_view
from qddot.present.pages.page import bullets, facts
from qddot.robot import Robot
from qddot.simulation.rollouts import Rollout
from qddot.simulation.trajectory import Trajectory, lines, one_line
from qddot.sweeps.result import Sweep
from qddot.sweeps.summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = ("q", "qd", "tau", "energy")
MOST = 200  # trajectories that are looked at
MOST_RUNS = 1_000_000  # of which a notebook shows a summary unasked
MOST_FAILURES = 5
POINTS = 250  # of a curve


def trajectory_html(motion: Trajectory) -> str:
    """Return the lines, a table and the figure for a notebook; every name is escaped."""
    first, *rest = (line.strip() for line in lines(motion))
    parts = [bullets(rest)]
    if len(motion):
        parts += [joints_table(motion), picture(motion)]
    moves = isinstance(motion.robot, Robot) and len(motion) > 1
    return shown(first, *parts) + (guarded(lambda: motion_view(motion)) or "" if moves else "")


def joints_table(motion: Trajectory) -> str:
    """Return where every joint starts and ends, how far, how fast and how hard it goes."""
    columns = {
        "q": ("q at first", "at last", "least", "most"),
        "qd": ("largest |q̇|",),
        "tau": ("largest |τ|",),
    }
    head = ["joint"]
    for quantity, names in columns.items():
        units = " or ".join(dict.fromkeys(unit(quantity, kind) for kind in motion.units))
        head += [f"{name} [{units}]" for name in names]
    of_joints = motion.joint_positions.T, motion.qd.T, motion.tau.T
    joints = zip(motion.joint_names, *of_joints, strict=True)
    body = []
    for name, q, qd, tau in joints:
        ends = (q[0], q[-1], q.min(), q.max(), np.abs(qd).max(), np.abs(tau).max())
        body.append((one_line(name), *(f"{x:.4g}" for x in ends)))
    return rows(head, body)


def picture(motion: Trajectory) -> str:
    """Return the figure as an element, or nothing where it cannot be drawn."""
    try:
        return figure(motion_figure(motion, SHOWN), f"Motion of {motion.robot_name}")
    except (ArithmeticError, ValueError, MemoryError):
        return ""


def rollout_html(run: Rollout) -> str:
    """Return the facts, a table of the ends and a figure of the positions."""
    known = {
        "trajectories": " × ".join(map(str, run.finite.shape)) or "1",
        "instants": f"{len(run.t)}, from {run.t[0]:g} to {run.t[-1]:g} s",
        "finite to the end": f"{int(run.finite.sum())} of {run.finite.size}",
        "status": run.status,
    }
    parts = [facts(known)]
    if isinstance(run.q, np.ndarray) and run.finite.any():  # else they lie on a GPU
        parts += [ends(run), figure(bands(run), "positions over time")]
    return shown(f"Rollout of {run.robot.name}", *parts)


def ends(run: Rollout) -> str:
    """Return between which values every joint starts and ends."""
    joints = run.robot.model.free_joints
    where, fast = unit_of(joints, "position"), unit_of(joints, "velocity")
    head = ["joint", f"q at first [{where}]", f"q at last [{where}]", f"q̇ at last [{fast}]"]
    kept = run.finite.reshape(-1)
    q, qd = (x.reshape(-1, len(run.t), run.robot.n)[kept] for x in (run.q, run.qd))
    columns = (q[:, 0], q[:, -1], qd[:, -1])
    body = [
        (name, *(between(x[:, i]) for x in columns)) for i, name in enumerate(run.robot.joint_names)
    ]
    return rows(head, body)


def bands(run: Rollout) -> Figure:
    """Return a figure of the positions: from the lowest to the highest, and the median."""
    few = slice(None, None, max(1, len(run.t) // POINTS))
    flat = run.q.reshape(-1, len(run.t), run.robot.n)[run.finite.reshape(-1)][:, few]
    chosen = np.unique(np.linspace(0, len(flat) - 1, MOST).astype(int))
    q = style.drawable(flat[chosen])
    drawn = style.figure(7.0, 3.2)
    axes = drawn.add_subplot()
    style.dress(axes)
    for i in range(run.robot.n):
        low, middle, high = np.nanmin(q, 0), np.nanmedian(q, 0), np.nanmax(q, 0)
        axes.fill_between(run.t[few], low[:, i], high[:, i], color=style.colour(i), alpha=0.2, lw=0)
        axes.plot(run.t[few], middle[:, i], **style.curve(i))
    axes.set_xlabel("time [s]")
    unit = unit_of(run.robot.model.free_joints, "position")
    axes.set_ylabel(f"q [{unit}]: median, lowest, highest")
    show_range(axes, run.t)
    entries = style.legend_entries(run.robot.joint_names)
    style.legend(drawn, entries, style.legend_columns(entries, 90), loc="outside upper left")
    return drawn


def between(x: np.ndarray) -> str:
    low, high = float(x.min()), float(x.max())
    return f"{low:.4g}" if low == high else f"{low:.4g} … {high:.4g}"


def sweep_html(sweep: Sweep) -> str:
    """Return what there is to say of a sweep; every name is escaped."""
    name = printable(str(sweep.manifest["robot"].get("name", "")))
    known = [
        f"{sweep.done:,} of {sweep.units:,} units are finished",
        f"runs differ in {', '.join(map(printable, sweep.varied)) or 'nothing'}",
        f"kept in {printable(str(sweep.folder))}",
    ]
    known += [f"unit {unit} failed: {words}" for unit, words in
              list(sweep.failed.items())[:MOST_FAILURES]]  # fmt: skip
    parts = [bullets(known)]
    if sweep.parts and sweep.runs <= MOST_RUNS:
        head, *body = sweep.summary().lines()
        parts.append(rows(head, body))
    return shown(f"Sweep of {name}: {sweep.runs:,} runs", *parts)


def summary_html(summary: Summary) -> str:
    """Return how columns are spread."""
    head, *body = summary.lines()
    return shown("Summary", rows(head, body))
