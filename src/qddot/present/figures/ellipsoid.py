"""Effective mass in space: ellipsoids of forces at the tip of an arm along a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.present.figures import style
from qddot.present.figures.arm import FAR, draw_arm, stage
from qddot.present.figures.ellipse import FORCES, LONGEST, Ellipses
from qddot.present.figures.movie import deep_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

THINNEST = 0.6  # side of the box, in parts of the longest
RINGS, ROUND = 17, 25  # points of a surface, along its longest axis and round it


def surface(masses: np.ndarray, axes: np.ndarray, longest: float) -> np.ndarray:
    """Return an ellipsoid of forces as a surface, open where it is longer than the longest.

    Args:
        masses: Half its axes, ascending, shape (3,).
        axes: Unit vectors, one a column, shape (3, 3).
        longest: How far from its middle it is drawn.

    Returns:
        Points, shape (RINGS, ROUND, 3).
    """
    light, middle, heavy = masses
    if heavy > longest:
        along = np.linspace(-longest, longest, RINGS)
    else:
        along = heavy * np.sin(np.linspace(-np.pi / 2, np.pi / 2, RINGS))
    narrow = np.sqrt(np.maximum(1 - (along / heavy) ** 2, 0))
    angle = np.linspace(0, 2 * np.pi, ROUND)
    local = np.stack(
        [
            np.outer(narrow * min(light, longest), np.cos(angle)),
            np.outer(narrow * min(middle, longest), np.sin(angle)),
            np.outer(along, np.ones(ROUND)),
        ],
        axis=-1,
    )
    return local @ axes.T


def _with_room(places: np.ndarray) -> np.ndarray:
    """Return the points and two more, so that no side of their box is much shorter than another."""
    low, high = places.min(axis=0), places.max(axis=0)
    half = np.maximum(high - low, THINNEST * (high - low).max()) / 2
    return np.vstack([places, (low + high) / 2 - half, (low + high) / 2 + half])


def along_path(shown: Ellipses) -> Figure:
    """Return a figure of an arm at one or several q, each with the ellipsoid at its tip."""
    scale, longest = shown.scale, LONGEST * shown.size
    solids = [
        tip + surface(scale * masses, axes, longest)
        for tip, masses, axes in zip(shown.tips, shown.masses, shown.axes, strict=True)
    ]
    places = np.concatenate([points.reshape(-1, 3) for points in (*shown.points, *solids)])
    result = style.figure(6.4, 5.6)
    axes: Any = deep_axes(result, stage(shown.skeleton, _with_room(places), shown.names))
    count = len(shown.points)
    for k, points in enumerate(shown.points):
        ends = k in (0, count - 1)
        draw_arm(axes, shown.skeleton, points, 0.9 if ends else FAR, 0.8 if ends else 0.5)
    if count > 1:
        axes.plot(*shown.tips.T, color=style.QUIET, linewidth=style.THIN, linestyle="--")
    for solid in solids:
        x, y, z = np.moveaxis(solid, -1, 0)
        axes.plot_surface(
            x, y, z, color=FORCES, alpha=0.25, linewidth=0, shade=False, rasterized=True
        )
        # three sections, so that its shape can be read
        for line in (solid[RINGS // 2], solid[:, 0], solid[:, ROUND // 2]):
            axes.plot(*line.T, color=FORCES, linewidth=style.THIN)
        for k in (ROUND // 4, 3 * ROUND // 4):
            axes.plot(*solid[:, k].T, color=FORCES, linewidth=style.THIN)
    style.write(result.suptitle("", fontsize=style.NORMAL), shown.title)
    note = (
        f"ellipsoids: force at the tip for 1 m/s² in every direction; 0.1 m is {0.1 / scale:.3g} N"
    )
    style.write(result.supxlabel("", fontsize=style.SMALL), note)
    return result
