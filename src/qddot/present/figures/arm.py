"""An arm in the axes of a figure: links, and joints in the colours of their curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.present.figures import style
from qddot.present.figures.skeleton import Skeleton

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FAR, NEAR = 0.25, 0.9  # how strongly an arm is drawn beside others, and alone
MARGIN = 0.08  # round everything, in parts of its size
FLATTEST = 0.25  # least side of a box, in parts of the longest
ROOM = 1.38  # width for height, inside flat axes
GAP = -1  # where the pen is lifted


def draw_arm(
    axes: Any, skeleton: Skeleton, points: np.ndarray, strength: float = NEAR, width: float = 1.0
) -> list[Any]:
    """Draw an arm through points [m], shape (points, 2 or 3), and return the artists.

    The axes have as many dimensions as the points. The strength is between 0, invisible, and 1; the
    width of the links is in parts of the usual one.
    """
    links = axes.plot(
        *drawn_lines(skeleton.lines, points).T,
        color=style.INK,
        linewidth=width * style.LINK,
        alpha=strength,
        solid_capstyle="round",
        solid_joinstyle="round",
    )
    links += axes.plot(
        *drawn_lines(skeleton.thin, points).T,
        color=style.INK,
        linewidth=width * style.LINE,
        alpha=strength,
    )
    for joint in skeleton.joints:
        links += axes.plot(
            *points[[joint.point]].T,
            color=style.colour(joint.index),
            marker="o" if joint.turns else "s",
            markersize=2 + 6 * width,
            markeredgecolor="white",
            linestyle="none",
            alpha=strength,
        )
    return links


def drawn_lines(lines: Sequence[Sequence[int]], points: np.ndarray) -> np.ndarray:
    """Return several lines as one, with NaN where the pen is lifted, shape (k, 2 or 3)."""
    pen = [k for route in lines for k in (*route, GAP)]
    return np.vstack([points, np.full(points.shape[-1], np.nan)])[pen]


def box_around(points: np.ndarray) -> np.ndarray:
    """Return the lower and upper corner of all points (..., d) that are finite, with a margin."""
    seen = points.reshape(-1, points.shape[-1])
    low, high = np.nanmin(seen, axis=0), np.nanmax(seen, axis=0)
    size = max(float((high - low).max()), 1e-3)
    middle = (low + high) / 2
    half = np.maximum((high - low) / 2, FLATTEST * size / 2) + MARGIN * size
    return np.array([middle - half, middle + half])


def arm_axes(figure: Any, box: np.ndarray, names: tuple[str, ...]) -> Any:
    """Return axes for arms in a figure or a part of one, whose directions have these names.

    The box is the lower and the upper corner of what is in view [m], shape (2, 2 or 3).
    """
    return (flat_axes if box.shape[-1] == 2 else deep_axes)(figure, box, names)


def flat_axes(figure: Figure, box: np.ndarray, names: tuple[str, ...]) -> Axes:
    axes = figure.add_subplot()
    style.dress(axes)
    low, high = box
    middle, (width, height) = (low + high) / 2, high - low
    # as wide for its height as the picture has room
    width, height = max(width, ROOM * height), max(height, width / ROOM)
    axes.set_xlim(middle[0] - width / 2, middle[0] + width / 2)
    axes.set_ylim(middle[1] - height / 2, middle[1] + height / 2)
    axes.set_aspect("equal", adjustable="box")
    axes.set(xlabel=f"{names[0]} [m]", ylabel=f"{names[1]} [m]")
    return axes


def deep_axes(figure: Figure, box: np.ndarray, names: tuple[str, ...]) -> Axes:
    from matplotlib.ticker import MaxNLocator

    axes: Any = figure.add_subplot(projection="3d")
    low, high = box
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low, zoom=0.95)
    axes.view_init(elev=22, azim=-60)
    for axis, name in zip((axes.xaxis, axes.yaxis, axes.zaxis), names, strict=True):
        axis.set_label_text(f"{name} [m]", fontsize=style.NORMAL, color=style.INK)
        axis.set_pane_color((0.97, 0.97, 0.97, 1.0))
        axis._axinfo["grid"].update(color=style.FAINT, linewidth=style.THIN)
        axis.set_major_locator(MaxNLocator(5))
    axes.tick_params(labelsize=style.SMALL, colors=style.INK)
    return axes
