"""Maps: a quantity over the workspace of a planar arm, or over the positions of two joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.present.figures import style
from qddot.present.figures.arm import draw_arm
from qddot.present.figures.skeleton import Skeleton

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELLS = 220  # along the longer side
LEVELS = 12  # of contours
SHADES = ("#DCEDF7", "#56B4E9", "#0072B2", "#06304A")  # the palette's blues, light to dark


def shades() -> Any:
    """Return a scale of colours for numbers above zero."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("blues of the palette", SHADES)


def least_in_cells(
    points: np.ndarray, values: np.ndarray, cells: int = CELLS
) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """Return the least value of the points in every cell of a plane.

    Args:
        points: Where, shape (m, 2).
        values: What, shape (m,).
        cells: How many along the longer side.

    Returns:
        The values, shape (rows, columns), NaN where there is no point; and the left, right, bottom
        and top end.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    side = max(float((high - low).max()), 1e-9) / cells
    columns, rows = (int(np.ceil(x)) + 1 for x in (high - low) / side)
    column, row = np.floor((points - low) / side + 0.5).astype(int).T
    found = np.full((rows, columns), np.inf)
    np.minimum.at(found, (row, column), values)
    seen = np.zeros((rows, columns), dtype=bool)
    seen[row, column] = True
    left, bottom = low - side / 2
    extent = (float(left), float(left + columns * side))
    return np.where(seen, found, np.nan), (*extent, float(bottom), float(bottom + rows * side))


def over_workspace(
    cells: np.ndarray,
    extent: tuple[float, float, float, float],
    *,
    label: str,
    names: tuple[str, ...],
    title: str,
    arm: tuple[Skeleton, np.ndarray] | None = None,
) -> Figure:
    """Return a map over a plane; the largest hundredth, which may be infinite, shares a colour.

    Args:
        cells: Values above zero, shape (rows, columns), the lowest row first; NaN is left white.
        extent: Left, right, bottom, top [m].
        label: What the values are, with their unit.
        names: What the two directions are called.
        title: Of the figure.
        arm: A skeleton and where its points are, shape (points, 2), to draw on top.
    """
    from matplotlib.colors import LogNorm

    result = style.figure(6.6, 5.4)
    axes = result.subplots()
    style.dress(axes)
    axes.grid(False)
    finite = cells[np.isfinite(cells)]
    low, high = np.quantile(finite, [0.0, 0.97]) if len(finite) else (1.0, 10.0)
    high = max(float(high), 2 * float(low))
    picture = axes.imshow(
        np.where(np.isposinf(cells), 10 * high, cells),
        extent=extent,
        origin="lower",
        cmap=shades(),
        norm=LogNorm(float(low), high),
        interpolation="nearest",
        interpolation_stage="data",
    )
    bar = result.colorbar(picture, ax=axes, extend="max", shrink=0.9)
    round_numbers = np.outer(10.0 ** np.arange(-12, 13), (1, 2, 3, 5)).ravel()
    ticks = round_numbers[(round_numbers >= 0.999 * low) & (round_numbers <= high)]
    bar.set_ticks(ticks.tolist(), labels=[f"{x:g}" for x in ticks])
    bar.minorticks_off()
    _dress_bar(bar, label)
    if arm is not None:
        draw_arm(axes, *arm, width=0.6)
    axes.set_xlabel(f"{names[0]} [m]")
    axes.set_ylabel(f"{names[1]} [m]")
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), title)
    return result


def over_joints(
    x: np.ndarray,
    y: np.ndarray,
    values: np.ndarray,
    *,
    labels: tuple[str, str, str],
    title: str,
    limit: float | None = None,
) -> Figure:
    """Return filled contours over the positions of two joints.

    Args:
        x, y: Positions [rad or m], shapes (columns,) and (rows,).
        values: Shape (rows, columns).
        labels: Of x, of y and of the values, with units.
        title: Of the figure.
        limit: A value whose contour is drawn, such as what the joint's motor can give.
    """
    from matplotlib.ticker import MaxNLocator

    result = style.figure(6.4, 5.0)
    axes = result.subplots()
    style.dress(axes)
    top = float(values.max())
    if top <= 1e-9:  # nothing but rounding
        values, top = np.zeros_like(values), 1.0
    levels: Sequence[float] = MaxNLocator(LEVELS).tick_values(0.0, top)
    filled = axes.contourf(x, y, values, levels=levels, cmap=shades())
    axes.contour(x, y, values, levels=levels, colors="white", linewidths=0.4)
    if limit is not None and values.min() < limit < top:
        axes.contour(x, y, values, levels=[limit], colors=style.colour(1), linewidths=1.8)
        note = axes.text(0.99, 1.01, "", transform=axes.transAxes, ha="right", fontsize=style.SMALL)
        style.write(note, f"orange: the joint's limit, {limit:g}")
    _dress_bar(result.colorbar(filled, ax=axes), labels[2])
    for set_label, words in ((axes.set_xlabel, labels[0]), (axes.set_ylabel, labels[1])):
        style.write(set_label(""), words)
    style.write(axes.set_title("", loc="left", fontsize=style.NORMAL), title)
    return result


def _dress_bar(bar: Any, label: str) -> None:
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=style.SMALL, colors=style.INK, length=3)
    style.write(bar.ax.yaxis.label, label)
    bar.ax.yaxis.label.set_fontsize(style.NORMAL)
