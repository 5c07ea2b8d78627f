"""A figure of an exciting motion: what it does over time, and how it was found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qddot.identification.excitation_result import Excitation
from qddot.present.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, ROW = 10.0, 2.3  # [inch]
POINTS = 1000
LABELS = {
    "q": ("q", "{}"),
    "qd": ("q̇", "{}/s"),
    "qdd": ("q̈", "{}/s²"),
    "tau": ("τ / limit", "1"),
}


@style.savable
def figure(motion: Excitation, path: str | Path | None = None) -> Figure:
    """Return a figure with a panel for q, q̇, q̈, τ and the search; without a robot, no τ."""
    t = np.linspace(0, motion.period, POINTS + 1)
    q, qd, qdd = motion.at(t)
    panels = {"q": q, "qd": qd, "qdd": qdd}
    if motion.robot is not None:
        tau, most = motion.robot.inverse_dynamics(q, qd, qdd), motion.limits.effort
        # where no limit is known, the largest value is the measure
        measure = np.where(np.isfinite(most), most, np.abs(tau).max(axis=0))
        panels["tau"] = tau / np.where(measure > 0, measure, 1)
    rows = (len(panels) + 2) // 2
    result = style.figure(WIDTH, ROW * rows + 0.6)
    grid = result.add_gridspec(rows, 2)
    for k, (name, values) in enumerate(panels.items()):
        axes = result.add_subplot(grid[k // 2, k % 2])
        _curves(axes, motion, name, t, values)
    last = len(panels)
    place = grid[last // 2, :] if last % 2 == 0 else grid[last // 2, last % 2]
    _search(result.add_subplot(place), motion)
    entries = style.legend_entries(motion.joint_names)
    columns = style.legend_columns(entries, 130)
    style.legend(result, entries, columns, loc="outside upper left")
    return result


def _curves(axes: Axes, motion: Excitation, name: str, t: np.ndarray, values: np.ndarray) -> None:
    for i in range(motion.n):
        axes.plot(t, values[:, i], **style.curve(i))
    sign, unit = LABELS[name]
    units = " or ".join(dict.fromkeys(motion.units))
    axes.set_ylabel(f"{sign} [{unit.format(units)}]")
    axes.set_xlabel("time [s]")
    axes.set_xlim(0, motion.period)
    style.dress(axes)


def _search(axes: Axes, motion: Excitation) -> None:
    """Draw the best criterion so far over the evaluations, and the best random motion."""
    steps, best = motion.history[:, 0], motion.history[:, 1]
    end = max(float(motion.how.get("evaluations", 0)), float(steps.max(initial=1)))
    axes.step(np.append(steps, end), np.append(best, best[-1:]), where="post", **style.curve(0))
    if motion.criterion == "condition":
        if best.size and best.min() > 0:
            axes.set_yscale("log")
        if np.isfinite(motion.random_condition):
            axes.axhline(
                motion.random_condition, color=style.QUIET, linestyle=style.DASHES[1], linewidth=1
            )
            axes.annotate(
                "best random motion",
                (1, motion.random_condition),
                xycoords=("axes fraction", "data"),
                ha="right",
                va="bottom",
                fontsize=style.SMALL,
                color=style.INK,
            )
    axes.set_xlabel("evaluations")
    words = {"condition": "condition number", "determinant": "−log det / 2p"}
    axes.set_ylabel(words[motion.criterion])
    style.dress(axes)
