"""An arm that stands still, drawn into axes: links, and joints in the colours of their curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.present.figures import style
from qddot.present.figures.scene import Scene
from qddot.present.figures.skeleton import Skeleton

FAR, NEAR = 0.25, 0.9  # how strongly an arm is drawn beside others, and alone


def draw_arm(
    axes: Any, skeleton: Skeleton, points: np.ndarray, strength: float = NEAR, width: float = 1.0
) -> None:
    """Draw an arm.

    Args:
        axes: Of two dimensions or three, as the points.
        skeleton: Which points are joined.
        points: Where they are [m], shape (points, 2 or 3).
        strength: From 0, invisible, to 1.
        width: Of the links, in parts of the usual one.
    """
    for route in skeleton.lines:
        axes.plot(
            *points[list(route)].T,
            color=style.INK,
            linewidth=width * style.LINK,
            alpha=strength,
            solid_capstyle="round",
            solid_joinstyle="round",
        )
    for joint in skeleton.joints:
        axes.plot(
            *points[[joint.point]].T,
            color=style.colour(joint.index),
            marker="o" if joint.turns else "s",
            markersize=2 + 6 * width,
            markeredgecolor="white",
            linestyle="none",
            alpha=strength,
        )


def stage(skeleton: Skeleton, points: np.ndarray, names: tuple[str, ...]) -> Scene:
    """Return a scene without time that has room for all of these points, shape (..., d)."""
    flat = points.reshape(1, -1, points.shape[-1])
    return Scene(
        "", np.zeros(1), flat[:, np.isfinite(flat).all(axis=(0, 2))], skeleton, {}, names, 1
    )
