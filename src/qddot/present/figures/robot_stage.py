"""A robot's surfaces where its bodies are, on their floor, as a picture of pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.ndimage import uniform_filter

from qddot.present.figures.eye import Eye
from qddot.present.figures.raster import (
    NOTHING,
    Lamp,
    Triangles,
    gathered,
    lit,
    nearest,
    weights_at,
)
from qddot.present.figures.shells import Shell, cone, cylinder, joined
from qddot.present.figures.surfaces import Surfaces
from qddot.present.figures.view import across

AXES = ("#d62f2f", "#2c9f45", "#2b6fd6")  # x, y, z of a frame
FINE = 2  # rays through a pixel, in each direction
GHOST = 0.42  # how dense a ghost is
DARK = 0.32  # how dark a shadow is on the floor
COARSE = 4  # rays to one point of the shadow on the floor
SOFT, LOOKS = 16.0, 20  # how soft that shadow is [px of the lamp's picture], and looks at it
STILL = np.eye(3, 4)
GRID = 0.82  # how bright lines on the floor are


class RobotStage:
    """What is drawn of a robot: its surfaces, axes of frames, a floor."""

    def __init__(self, surfaces: Surfaces, still: Mapping[str, Any], size: float) -> None:
        self.surfaces, self.floor, self.size = surfaces, still["floor"], size

    def triangles(self, poses: np.ndarray, frames: Sequence[np.ndarray] = ()) -> Triangles:
        """Return the robot at poses (bodies, 3, 4), and axes at poses of frames (4, 4)."""
        parts: list[tuple[Any, np.ndarray, str, bool]] = [
            (part.shell, STILL if part.body < 0 else poses[part.body], part.colour, True)
            for part in self.surfaces.parts
        ]
        for X in frames:
            for k, colour in enumerate(AXES):
                parts.append((_arrow(k, 0.17 * self.size), X[:3], colour, False))
        return gathered(parts)

    def raster(
        self,
        eye: Eye,
        shown: Triangles,
        ghost: Triangles | None = None,
        background: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the picture, shape (height, width, 3), bytes.

        Args:
            eye: From where it is seen.
            shown: The robot.
            ghost: The robot elsewhere, translucent.
            background: What is behind it, (FINE height, FINE width, 1 or 3); white by default.
        """
        fine, (wide, high) = eye.scaled(FINE), eye.size
        lamp = Lamp(fine, shown)
        floor = (1 - DARK * self._dark(fine, lamp)).astype(np.float32)
        picture = np.repeat(floor[..., None], 3, axis=-1)
        picture = (picture if background is None else picture * background).reshape(-1, 3)
        depth = np.full(len(picture), np.inf)
        for triangles, dense in ((shown, 1.0), (ghost, GHOST)):
            if triangles is None:
                continue
            seen = fine.seen(triangles.points)
            of, z = nearest(seen, triangles.corners, fine.size)
            there = np.flatnonzero((of != NOTHING) & (z < depth))
            k, (y, x) = of[there], np.divmod(there, fine.size[0])
            corners = triangles.corners[k]
            w = weights_at(seen, corners, x + 0.5, y + 0.5)
            at = (w * triangles.points[corners]).sum(axis=1)
            normals = (w * triangles.normals[corners]).sum(axis=1)
            lamps = lamp.light(at + 0.008 * lamp.reach * normals) if dense == 1 else 1.0
            colour = lit(fine, at, normals, triangles.colours[k], lamps)
            picture[there] += dense * (colour - picture[there])
            if dense == 1:
                depth[there] = z[there]
        mean = picture.reshape(high, FINE, wide, FINE, 3).mean(axis=(1, 3))
        return np.rint(255 * mean.clip(0, 1)).astype(np.uint8)

    def shadow(self, eye: Eye, shown: Triangles) -> np.ndarray | None:
        """Return the shadow on the floor as triangles in the picture, or None.

        Each has its first corner twice, at the beginning and at the end: shape (k, 4, 2).
        """
        if self.floor is None or eye.at @ eye.up <= self.floor:
            return None
        points = shown.points[shown.corners[shown.casts]]
        a, b, c = np.moveaxis(points, 1, 0)
        points = points[np.cross(b - a, c - a) @ eye.lamp > 0][:, [0, 1, 2, 0]]  # towards the lamp
        down = (points @ eye.up - self.floor) / (eye.lamp @ eye.up)
        return np.round(eye.seen(points - down[..., None] * eye.lamp)[..., :2], 1)

    def grid(self, eye: Eye, middle: np.ndarray, reach: float) -> np.ndarray:
        """Return a white background with lines on the floor, (FINE height, FINE width, 1).

        Args:
            eye: From where it is seen.
            middle: Where the lines are strongest, shape (3,) [m].
            reach: How far they go [m].
        """
        fine = eye.scaled(FINE)
        at, hit = self._on_floor(fine, 1)
        first = across(eye.up)
        step = _nice(reach / 7)
        dense = np.zeros(hit.shape)
        for axis in (first, np.cross(eye.up, first)):
            x = at @ axis / step
            wide = np.maximum(np.abs(np.gradient(x, axis=0)) + np.abs(np.gradient(x, axis=1)), 1e-9)
            off = np.abs(x - np.rint(x)) / wide
            dense = np.maximum(dense, np.clip(1.3 - off, 0, 1) * np.clip(0.25 / wide, 0, 1))
        far = np.linalg.norm(at - middle - ((at - middle) @ eye.up)[..., None] * eye.up, axis=-1)
        dense *= np.clip(1 - (far / reach) ** 2, 0, 1) * hit
        return (1 - (1 - GRID) * dense)[..., None].astype(np.float32)

    def _dark(self, fine: Eye, lamp: Lamp) -> np.ndarray:
        """Return how much of the lamp is missing on the floor, shape (height, width)."""
        wide, high = fine.size
        if self.floor is None:
            return np.zeros((high, wide))
        at, hit = self._on_floor(fine, COARSE)
        below = lamp.middle + (self.floor - lamp.middle @ fine.up) * fine.up
        near = hit & (np.linalg.norm(at - below, axis=-1) < 2.5 * lamp.reach)
        dark = np.zeros(hit.shape)
        dark[near] = 1 - lamp.light(at[near], soft=SOFT, taps=LOOKS)
        return enlarged(uniform_filter(dark.astype(np.float32), 5, mode="nearest"), (high, wide))

    def _on_floor(self, eye: Eye, step: int) -> tuple[np.ndarray, np.ndarray]:
        """Return which point of the floor each pixel sees, and whether it sees one."""
        wide, high = eye.size
        x, y = np.meshgrid(np.arange(0, wide, step) + step / 2, np.arange(0, high, step) + step / 2)
        rays = eye.ahead + ((x - wide / 2) / eye.focal)[..., None] * eye.right
        rays = rays - ((y - high / 2) / eye.focal)[..., None] * eye.over
        down = -(rays @ eye.up)
        above = float(eye.at @ eye.up) - (self.floor or 0.0)
        hit = (down > 1e-6) & (above > 0)
        return eye.at + np.where(hit, above / np.where(hit, down, 1), 0)[..., None] * rays, hit


def enlarged(x: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Return values of every COARSE-th row and column for all of them, linearly between."""
    for axis, count in enumerate(shape):
        at = np.clip((np.arange(count) + 0.5) / COARSE - 0.5, 0, x.shape[axis] - 1)
        low = np.minimum(at.astype(int), max(x.shape[axis] - 2, 0))
        part = (at - low).astype(np.float32).reshape((-1, 1) if axis == 0 else (1, -1))
        high = np.minimum(low + 1, x.shape[axis] - 1)
        x = x.take(low, axis) * (1 - part) + x.take(high, axis) * part
    return x


def _arrow(axis: int, length: float) -> Shell:
    """Return an arrow along an axis of a frame."""
    r = 0.045 * length
    shaft = cylinder(r, 0.74 * length, 14).placed(np.eye(3), [0, 0, 0.37 * length])
    head = cone(2.4 * r, 0.02 * r, 0.3 * length, 14, bevel=0.0)
    arrow = joined([shaft, head.placed(np.eye(3), [0, 0, 0.85 * length])])
    turned = np.roll(np.eye(3), axis + 1, axis=1)  # z becomes that axis
    return arrow.placed(turned, np.zeros(3))


def _nice(x: float) -> float:
    """Return the largest of 1, 2, 5, 10, ... that is not above x."""
    ten = 10.0 ** np.floor(np.log10(x))
    return float(ten * max(k for k in (1, 2, 5) if k * ten <= x * 1.000001))
