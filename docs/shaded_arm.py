"""An arm as a solid thing on paper: tubes and drums in a light from above, the farthest first."""

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.spatial import ConvexHull

LINK = "#5d6b7c"
LIGHT = np.array([-0.35, 0.55])  # where it comes from, in the picture
AZIMUTH, ELEVATION = np.radians(-80), np.radians(14)
THICK = 0.052  # [m], radius of the links
DRUM = 0.07  # [m], half the length of a joint
PLATE = 0.03  # [m], how high the plate is that it stands on
LAYERS = 7  # of colour, from the edge of a tube to its light


def draw_arm(axes: Axes, scene: dict[str, Any]) -> list[np.ndarray]:
    """Draw links as tubes and joints as drums, the farthest first; return where they are."""
    pieces, seen = [], []
    lines, joints = scene["lines"], scene["joints"]
    # arms grow thinner towards the hand
    sizes = np.linspace(1.0, 0.66, len(joints) + 1)
    for k, line in enumerate(lines):
        for a, b in pairwise(line):
            # what is inside of the plate is not seen
            a = [*a[:2], max(a[2], PLATE + THICK)]
            (start, end), depth = projected(np.array([a, b]))
            seen.append(np.array([start, end]))
            radius = THICK * sizes[min(k, len(joints))]
            pieces.append((depth.mean(), tube, (start, end, radius, LINK)))
    for k, joint in enumerate(joints):
        at, axis = np.array(joint["at"]), np.array(joint["axis"])
        ends = np.array([at - DRUM * sizes[k] * axis, at + DRUM * sizes[k] * axis])
        points, depth = projected(ends)
        far, near = np.argsort(depth)
        radius = 1.28 * THICK * sizes[k]
        pieces.append((depth.mean() + 0.03, drum, (points[far], points[near], radius, joint)))
    ground(axes)
    for _, draw, what in sorted(pieces, key=lambda piece: piece[0]):
        draw(axes, *what)
    return seen


def ground(axes: Axes) -> None:
    """Draw the plate that the arm stands on, and its shadow."""
    angle = np.linspace(0, 2 * np.pi, 60)
    ring = np.column_stack([0.15 * np.cos(angle), 0.15 * np.sin(angle), 0 * angle + PLATE])
    top, _ = projected(ring)
    low, _ = projected(ring - [0, 0, 0.05])
    shadow = np.column_stack([0.27 * np.cos(angle), 0.04 * np.sin(angle)]) + low.mean(axis=0)
    axes.fill(*(shadow + np.array([0.05, -0.025])).T, color="#e6ebf0", zorder=0.5, linewidth=0)
    axes.fill(*outline(np.vstack([top, low])).T, color="#8593a3", zorder=3, linewidth=0)
    axes.fill(*top.T, color="#b9c3ce", zorder=3, linewidth=0)


def tube(axes: Axes, a: np.ndarray, b: np.ndarray, radius: float, colour: str) -> None:
    """Draw a round tube: stripes that grow narrower and lighter towards the light."""
    along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
    side = np.array([-along[1], along[0]])
    side = side if side @ LIGHT > 0 else -side
    for k in range(LAYERS):
        part = k / (LAYERS - 1)
        shift = 0.42 * radius * part * side
        shade = mixed(mixed(colour, "#000000", 0.45), mixed(colour, "#ffffff", 0.62), part**1.2)
        capsule(axes, a + shift, b + shift, radius * (1 - 0.86 * part), shade)


def drum(axes: Axes, far: np.ndarray, near: np.ndarray, radius: float, joint: dict) -> None:
    """Draw a joint: a short tube along its axis, with a lid in its colour."""
    axis, colour = np.array(joint["axis"]), joint["colour"]
    lid, rim = disc(near, axis, radius), disc(far, axis, radius)
    body = mixed(colour, "#000000", 0.25)
    hull = np.vstack([lid, rim])
    axes.fill(*outline(hull).T, color=mixed(body, "#333a44", 0.35), zorder=4, linewidth=0)
    for k in range(LAYERS):
        part = k / (LAYERS - 1)
        shift = 0.35 * radius * part * LIGHT / np.linalg.norm(LIGHT)
        inner = (
            np.vstack(
                [near + (lid - near) * (1 - 0.8 * part), far + (rim - far) * (1 - 0.8 * part)]
            )
            + shift
        )
        shade = mixed(mixed(body, "#333a44", 0.35), mixed(colour, "#ffffff", 0.35), part)
        axes.fill(*outline(inner).T, color=shade, zorder=4, linewidth=0)
    axes.fill(*lid.T, color=mixed(colour, "#ffffff", 0.12), zorder=4, linewidth=0)
    axes.fill(
        *(near + (lid - near) * 0.62).T, color=mixed(colour, "#ffffff", 0.55), zorder=4, linewidth=0
    )


def disc(at: np.ndarray, axis: np.ndarray, radius: float) -> np.ndarray:
    """Return the outline of a disc across an axis, seen."""
    u = np.cross(axis, [1, 0, 0] if abs(axis[0]) < 0.9 else [0, 1, 0])
    u /= np.linalg.norm(u)
    v = np.cross(axis, u)
    angle = np.linspace(0, 2 * np.pi, 33)[:, None]
    points, _ = projected(radius * (np.cos(angle) * u + np.sin(angle) * v))
    return at + points


def outline(points: np.ndarray) -> np.ndarray:
    return points[ConvexHull(points).vertices]


def capsule(
    axes: Axes, a: np.ndarray, b: np.ndarray, radius: float, colour: str, zorder: float = 4
) -> None:
    angle = np.linspace(0, 2 * np.pi, 21)
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    axes.fill(*outline(np.vstack([a + ring, b + ring])).T, color=colour, zorder=zorder, linewidth=0)


def projected(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points as they are seen, and how near they are."""
    ca, sa, ce, se = np.cos(AZIMUTH), np.sin(AZIMUTH), np.cos(ELEVATION), np.sin(ELEVATION)
    right = np.array([-sa, ca, 0])
    up = np.array([-ca * se, -sa * se, ce])
    towards = np.array([ca * ce, sa * ce, se])
    return np.column_stack([points @ right, points @ up]), points @ towards


def mixed(colour: str, other: str, share: float) -> str:
    """Return a colour with a share of another one."""
    a, b = (np.array([int(c[k : k + 2], 16) for k in (1, 3, 5)]) for c in (colour, other))
    return "#" + "".join(f"{round(float(x)):02x}" for x in a + (b - a) * min(max(share, 0), 1))
