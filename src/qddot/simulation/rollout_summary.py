"""A batch of motions in a notebook: how they start and end, and the band they stay in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qddot.model.units import unit_of
from qddot.plot import style
from qddot.plot.motion import show_range
from qddot.plot.quantities import drawable
from qddot.web.notebook import figure, rows, shown
from qddot.web.page import facts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from qddot.simulation.rollout import Rollout

MOST = 200  # trajectories that are looked at


def as_html(run: Rollout) -> str:
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
    from matplotlib.lines import Line2D

    flat = run.q.reshape(-1, len(run.t), run.robot.n)[run.finite.reshape(-1)]
    chosen = np.unique(np.linspace(0, len(flat) - 1, MOST).astype(int))
    q = drawable(flat[chosen])
    drawn = style.figure(7.0, 3.2)
    axes = drawn.add_subplot()
    style.dress(axes)
    for i in range(run.robot.n):
        low, middle, high = np.nanmin(q, 0), np.nanmedian(q, 0), np.nanmax(q, 0)
        axes.fill_between(run.t, low[:, i], high[:, i], color=style.colour(i), alpha=0.2, lw=0)
        axes.plot(run.t, middle[:, i], **style.curve(i))
    axes.set_xlabel("time [s]")
    unit = unit_of(run.robot.model.free_joints, "position")
    axes.set_ylabel(f"q [{unit}]: median, lowest, highest")
    show_range(axes, run.t)
    entries = [
        (Line2D([], [], **style.curve(i)), style.label(name))
        for i, name in enumerate(run.robot.joint_names)
    ]
    style.legend(drawn, entries, style.legend_columns(entries, 90), loc="outside upper left")
    return drawn


def between(x: np.ndarray) -> str:
    low, high = float(x.min()), float(x.max())
    return f"{low:.4g}" if low == high else f"{low:.4g} … {high:.4g}"
