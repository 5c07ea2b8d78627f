"""Figures over time: a log as it was read, gaps in grey; external torques and contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qddot.identification.log import GAP, Log
from qddot.identification.observer import ExternalTorque
from qddot.present.figures import style
from qddot.present.figures.fits import POINTS, WIDTH, FigureFile
from qddot.present.figures.trajectory import SIGNS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNITS = {"q": "rad or m", "qd": "rad/s or m/s", "qdd": "rad/s² or m/s²", "tau": "N·m or N"}
ROW, TORQUE_ROW = 2.2, 1.5  # [inch]
CONTACT_POINTS = 4000  # of a curve: a push of few rows is still drawn


@style.savable
def plot_log(log: Log, *, path: FigureFile = None) -> Figure:
    """Return a figure of a log, a panel per quantity; each curve shows its highs and lows.

    Args:
        log: What `load_log` or `prepared` returned.
        path: Where to save the figure (.png, .svg, .pdf); nowhere if None.
    """
    from matplotlib.patches import Patch

    there = [(name, x) for name, x in log.arrays() if x.shape[1] == log.n]
    result = style.figure(WIDTH, ROW * len(there) + 0.8)
    panels = result.subplots(len(there), 1, sharex=True, squeeze=False)[:, 0]
    steps = np.diff(log.t)
    gaps = np.flatnonzero(steps > GAP * np.median(steps))
    for axes, (name, x) in zip(panels, there, strict=True):
        style.dress(axes)
        for j in range(log.n):
            t, values = outline(log.t, x[:, j], gaps)
            axes.plot(t, values, **style.curve(j))
        for k in gaps:
            axes.axvspan(float(log.t[k]), float(log.t[k + 1]), color=style.FAINT, linewidth=0)
        axes.set_ylabel(f"{SIGNS[name]} [{UNITS[name]}]")
        axes.set_xlim(float(log.t[0]), float(log.t[-1]))
    panels[-1].set_xlabel("time [s]")
    entries: list = style.legend_entries([style.label(name) for name in log.joint_names])
    if len(gaps):
        entries.append((Patch(color=style.FAINT), "rows missing"))
    style.legend(result, entries, style.legend_columns(entries, 130), loc="outside upper left")
    return result


def outline(t: np.ndarray, x: np.ndarray, gaps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a curve of few points that keeps the highs and lows, broken at gaps."""
    size = max(1, len(t) // POINTS)
    if size > 2:  # the highest and the lowest of each piece
        pieces = np.arange(0, len(t), size)
        rows = []
        for at in pieces:
            piece = x[at : at + size]
            rows += sorted({at + int(piece.argmin()), at + int(piece.argmax())})
        rows = np.union1d(rows, [0, len(t) - 1, *gaps, *(gaps + 1)]).astype(int)
    else:
        rows = np.arange(len(t))
    breaks = np.searchsorted(rows, gaps) + 1
    return np.insert(t[rows], breaks, np.nan), np.insert(x[rows], breaks, np.nan)


@style.savable
def external_torque_figure(found: ExternalTorque, path: FigureFile = None) -> Figure:
    """Return the external torque of each joint, its threshold dashed, contacts shaded."""
    n = len(found.joint_names)
    columns = 1 if n < 4 else 2
    rows = -(-n // columns)
    result = style.figure(WIDTH, TORQUE_ROW * rows + 0.6)
    grid = result.add_gridspec(rows, columns)
    few = slice(None, None, max(1, len(found.t) // CONTACT_POINTS))
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
