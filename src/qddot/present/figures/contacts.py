"""The figure of what pushed an arm: external torques, their thresholds, and contacts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qddot.identification.observer import ExternalTorque
from qddot.present.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, ROW = 10.0, 1.5  # [inch]
POINTS = 4000  # of a curve: a push of few rows is still drawn


@style.savable
def external_torque_figure(found: ExternalTorque, path: str | Path | None = None) -> Figure:
    """Return the external torque of each joint, its threshold dashed, contacts shaded."""
    n = len(found.joint_names)
    columns = 1 if n < 4 else 2
    rows = -(-n // columns)
    result = style.figure(WIDTH, ROW * rows + 0.6)
    grid = result.add_gridspec(rows, columns)
    few = slice(None, None, max(1, len(found.t) // POINTS))
    for i, name in enumerate(found.joint_names):
        axes = result.add_subplot(grid[i % rows, i // rows])
        axes.plot(found.t[few], found.torque[few, i], color=style.colour(0), linewidth=style.LINE)
        for level in (-found.threshold[i], found.threshold[i]):
            axes.axhline(level, color=style.QUIET, linestyle=style.DASHES[1], linewidth=0.9)
        for contact in found.contacts:
            shade = style.colour(1) if name in contact.joints else style.FAINT
            axes.axvspan(contact.start, contact.end, color=shade, alpha=0.35, linewidth=0, zorder=0)
        axes.set_xlim(float(found.t[0]), float(found.t[-1]))
        largest = max(float(np.abs(found.torque[:, i]).max()), float(found.threshold[i]))
        axes.set_ylim(-1.1 * largest, 1.1 * largest)
        axes.set_ylabel(f"τ ext [{found.units[i]}]")
        style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), style.label(name, 40))
        if i % rows == rows - 1 or i == n - 1:
            axes.set_xlabel("time [s]")
        style.dress(axes)
    return result
