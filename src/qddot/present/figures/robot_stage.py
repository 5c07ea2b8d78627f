"""A robot's surfaces where its bodies are, as a picture of pixels; the lines of a floor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qddot.present.figures.eye import Eye
from qddot.present.figures.raster import NOTHING, Triangles, between, gathered, lit, nearest
from qddot.present.figures.surfaces import Surfaces
from qddot.present.figures.view import across

FINE = 2  # rays through a pixel, in each direction
AT_ONCE = 2_000_000  # rays that are looked at together
GHOST = 0.42  # how dense a ghost is
STILL = np.eye(3, 4)
GRID = 0.82  # how bright lines on the floor are


class RobotStage:
    """What is drawn of a robot: its surfaces, and the floor of a film."""

    def __init__(self, surfaces: Surfaces, still: Mapping[str, Any]) -> None:
        self.surfaces, self.floor = surfaces, still["floor"]

    def triangles(self, poses: np.ndarray) -> Triangles:
        """Return the robot at poses of its bodies, shape (bodies, 3, 4)."""
        return gathered(
            [
                (part.shell, STILL if part.body < 0 else poses[part.body], part.colour)
                for part in self.surfaces.parts
            ]
        )

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
        picture = np.empty((high, wide, 3), np.uint8)
        step = max(AT_ONCE // (FINE**2 * wide), 1)
        layers = [
            (triangles, fine.seen(triangles.points), dense)
            for triangles, dense in ((shown, 1.0), (ghost, GHOST))
            if triangles is not None
        ]
        for top in range(0, high, step):
            rows = min(step, high - top)
            dots = np.ones((rows * FINE, wide * FINE, 3), np.float32)
            if background is not None:
                dots *= background[top * FINE : (top + rows) * FINE]
            _paint(dots.reshape(-1, 3), fine, layers, top * FINE)
            mean = sum(dots[i::FINE, j::FINE] for i in range(FINE) for j in range(FINE)) / FINE**2
            picture[top : top + rows] = np.rint(255 * mean)
        return picture

    def grid(self, eye: Eye, middle: np.ndarray, reach: float) -> np.ndarray:
        """Return a white background with lines on the floor, (FINE height, FINE width, 1).

        Args:
            eye: From where it is seen.
            middle: Where the lines are strongest, shape (3,) [m].
            reach: How far they go [m].
        """
        fine = eye.scaled(FINE)
        at, hit = self._on_floor(fine)
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

    def _on_floor(self, eye: Eye) -> tuple[np.ndarray, np.ndarray]:
        """Return which point of the floor each pixel sees, and whether it sees one."""
        wide, high = eye.size
        x, y = np.meshgrid(np.arange(wide) + 0.5, np.arange(high) + 0.5)
        rays = eye.ahead + ((x - wide / 2) / eye.focal)[..., None] * eye.right
        rays = rays - ((y - high / 2) / eye.focal)[..., None] * eye.over
        down = -(rays @ eye.up)
        above = float(eye.at @ eye.up) - (self.floor or 0.0)
        hit = (down > 1e-6) & (above > 0)
        return eye.at + np.where(hit, above / np.where(hit, down, 1), 0)[..., None] * rays, hit


def _paint(
    dots: np.ndarray, eye: Eye, layers: list[tuple[Triangles, np.ndarray, float]], top: int
) -> None:
    """Draw triangles on the rows of a picture from `top` on.

    Args:
        dots: What is there already, shape (rays, 3), from 0 to 1.
        eye: From where the picture is seen.
        layers: Triangles, where their points are in the picture, and how dense they are.
        top: The first row [rays].
    """
    wide = eye.size[0]
    depth = np.full(len(dots), np.inf)
    for triangles, seen, dense in layers:
        places = seen - [0, top, 0]
        of, z = nearest(places, triangles.corners, (wide, len(dots) // wide))
        there = np.flatnonzero((of != NOTHING) & (z < depth))
        k, (y, x) = of[there], np.divmod(there, wide)
        values = triangles.points, triangles.normals
        at, normals = between(values, places, triangles.corners, k, (x + 0.5, y + 0.5))
        dots[there] += dense * (lit(eye, at, normals, triangles.colours[k]) - dots[there])
        depth[there] = z[there]


def _nice(x: float) -> float:
    """Return the largest of 1, 2, 5, 10, ... that is not above x."""
    ten = 10.0 ** np.floor(np.log10(x))
    return float(ten * max(k for k in (1, 2, 5) if k * ten <= x * 1.000001))
