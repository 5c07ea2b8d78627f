"""Pictures of robots without a graphics card.

A z-buffer finds the triangle that each of four samples a pixel sees, one lamp lights it. Surfaces
that turn away from the camera are darker, so that edges are seen on white paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.present.figures.eye import Eye
from qddot.present.figures.surfaces import Surfaces

FINE = 2  # samples in a pixel, in each direction
ABOVE, BELOW, LAMP = 0.72, 0.28, 0.5  # light from above, from below and of the lamp
EDGE = 0.7  # of its light, what a surface lacks that is seen along itself
GHOST = 0.42  # how dense a ghost is
MOST_LAYERS = 60  # triangles behind one another, on average
MOST_LINES = 20_000  # triangles that a line of the picture meets, on average
ROWS_AT_ONCE = 1_000_000  # samples that are painted together
SAMPLES_AT_ONCE = 1_000_000  # of triangles that are looked at together
NEAREST = 1e-3  # [m], what is nearer to the camera, or behind it, is not drawn
NOTHING = -1


@dataclass(frozen=True)
class Triangles:
    """Triangles in the world, each with its colour."""

    points: np.ndarray  # (k, 3) [m]
    normals: np.ndarray  # (k, 3)
    corners: np.ndarray  # (m, 3), numbers of points
    colours: np.ndarray  # (m, 3), red, green, blue from 0 to 1, as light


def triangles_of(surfaces: Surfaces, poses: np.ndarray) -> Triangles:
    """Return a robot's surfaces at poses of its bodies, shape (bodies, 3, 4)."""
    parts = surfaces.parts
    at = [np.eye(3, 4) if part.body < 0 else poses[part.body] for part in parts]
    starts = np.cumsum([0, *(len(part.points) for part in parts[:-1])])
    return Triangles(
        np.concatenate([x.points @ X[:, :3].T + X[:, 3] for x, X in zip(parts, at, strict=True)]),
        np.concatenate([x.normals @ X[:, :3].T for x, X in zip(parts, at, strict=True)]),
        np.concatenate([x.triangles + k for x, k in zip(parts, starts, strict=True)]),
        np.repeat([linear(x.colour) for x in parts], [len(x.triangles) for x in parts], axis=0),
    )


def linear(colour: str) -> np.ndarray:
    """Return "#rrggbb" as light, three numbers from 0 to 1."""
    return np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]) ** 2.2


def render(
    eye: Eye, robot: Triangles, *ghosts: Triangles, background: np.ndarray | None = None
) -> np.ndarray:
    """Return a picture of a robot, shape (height, width, 3), bytes.

    The ghosts are the robot elsewhere, translucent. The background has the shape (FINE height, FINE
    width, 1 or 3); it is white by default.
    """
    fine, (wide, high) = eye.scaled(FINE), eye.size
    layers = [(Layer(fine, robot), 1.0), *((Layer(fine, ghost), GHOST) for ghost in ghosts)]
    picture = np.empty((high, wide, 3), np.uint8)
    step = max(ROWS_AT_ONCE // (FINE**2 * wide), 1)
    for top in range(0, high, step):
        rows = slice(top * FINE, min(top + step, high) * FINE)
        samples = np.ones((rows.stop - rows.start, wide * FINE, 3), np.float32)
        if background is not None:
            samples *= background[rows]
        depth = np.full(samples.shape[:2], np.inf, np.float32)
        for layer, dense in layers:
            of, z = layer.nearest(rows)
            y, x = there = np.nonzero(z < depth)
            colours = layer.shades(of[there], x, y + rows.start)
            samples[there] += dense * (colours - samples[there])
            depth[there] = z[there]
        mean = sum(samples[i::FINE, j::FINE] for i in range(FINE) for j in range(FINE)) / FINE**2
        picture[top : top + step] = np.rint(255 * mean)
    return picture


class Layer:
    """Triangles where a camera sees them."""

    def __init__(self, eye: Eye, triangles: Triangles) -> None:
        self.eye, self.triangles = eye, triangles
        self.corners = eye.seen(triangles.points)[triangles.corners]  # (m, 3, 3)
        # at (x, y), each corner counts as much as its row of `inverse @ (x, y, 1)` says
        places = np.swapaxes(self.corners, 1, 2).copy()
        places[:, 2] = 1
        flat = np.abs(np.linalg.det(places)) < 1e-9
        places[flat] = np.eye(3)
        self.inverse = np.linalg.inv(places)
        self.planes = np.einsum("ki,kij->kj", self.corners[..., 2], self.inverse)  # of the depth
        self.hidden = flat | (self.corners[..., 2].min(axis=1) < NEAREST)

    def nearest(self, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        """Return which triangle samples of these rows see, NOTHING where none, and how far away."""
        wide, high = self.eye.size[0], rows.stop - rows.start
        of, depth = np.full(high * wide, NOTHING, np.int32), np.full(high * wide, np.inf, "f4")
        ends = self.corners[..., 1]
        first = np.maximum(np.ceil(ends.min(axis=1) - 0.5), rows.start).astype(int)
        last = np.minimum(np.floor(ends.max(axis=1) - 0.5), rows.stop - 1).astype(int)
        lines = np.where(self.hidden, 0, np.maximum(last - first + 1, 0))
        check_layers(lines.sum() / high, MOST_LINES)
        k, y = _counted(lines)
        y += first[k]
        # of a row, a triangle covers what all three weights leave: a x + b ≥ 0 each
        a, b = self.inverse[k, :, 0], self.weights(k, -0.5, y)
        with np.errstate(divide="ignore", invalid="ignore"):
            end = -b / a - 0.5
        left = np.ceil(np.where(a > 0, end, 0).max(axis=1).clip(0, wide)).astype(int)
        right = np.floor(np.where(a < 0, end, wide - 1).min(axis=1).clip(-1, wide - 1))
        right = np.where(((a == 0) & (b < 0)).any(axis=1), -1, right).astype(int)
        count = np.maximum(right - left + 1, 0)
        check_layers(count.sum() / (high * wide), MOST_LAYERS)
        cuts = np.flatnonzero(np.diff(np.cumsum(count) // SAMPLES_AT_ONCE)) + 1
        for group in np.split(np.arange(len(k)), cuts):
            row, x = _counted(count[group])
            row = group[row]
            x += left[row]
            plane = self.planes[k[row]]
            z = plane[:, 0] * (x + 0.5) + plane[:, 1] * (y[row] + 0.5) + plane[:, 2]
            z, sample = z.astype("f4"), (y[row] - rows.start) * wide + x
            before = depth[sample]
            np.minimum.at(depth, sample, z)
            seen = (z < before) & (z == depth[sample])
            of[sample[seen]] = k[row[seen]]
        return of.reshape(high, wide), depth.reshape(high, wide)

    def shades(self, k: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return what triangles k look like at samples, shape (k, 3), from 0 to 1."""
        weights, corners = self.weights(k, x, y), self.triangles.corners[k]
        at = np.einsum("ki,kij->kj", weights, self.triangles.points[corners])
        normals = np.einsum("ki,kij->kj", weights, self.triangles.normals[corners])
        return lit(self.eye, at, normals, self.triangles.colours[k])

    def weights(self, k: np.ndarray, x: Any, y: np.ndarray) -> np.ndarray:
        """Return how much each corner of triangles k counts in the middle of samples, (k, 3)."""
        middle = np.stack(np.broadcast_arrays(x + 0.5, y + 0.5, 1.0), axis=-1)
        return np.einsum("kij,kj->ki", self.inverse[k], middle)


def check_layers(count: float, most: int) -> None:
    """Raise BadArgument if triangles lie over one another too many times to be drawn."""
    if count > most:
        raise BadArgument(
            f"Its surfaces lie {count:.0f} deep over one another; at most {most} are drawn.\n"
            "  Leave out what is hidden, or simplify the meshes."
        )


def _counted(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whose turn it is, 0 0 0 1 1 ..., and how often it has been before, 0 1 2 0 1 ..."""
    whose = np.repeat(np.arange(len(counts)), counts)
    return whose, np.arange(len(whose)) - np.repeat(np.cumsum(counts) - counts, counts)


def lit(eye: Eye, at: np.ndarray, normals: np.ndarray, colours: np.ndarray) -> np.ndarray:
    """Return the colours of surfaces as they are seen, shape (k, 3), from 0 to 1.

    The surfaces are at places (k, 3) [m] and have normals and colours, as light, of the same shape.
    """
    view = eye.at - at
    n = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    facing = np.einsum("ij,ij->i", n, view) / np.linalg.norm(view, axis=1)
    side = np.where(facing < -0.2, -1.0, 1.0)  # a surface that shows its back is lit from there
    high, key = 0.5 + 0.5 * side * (n @ eye.up), np.maximum(side * (n @ eye.lamp), 0)
    light = BELOW + (ABOVE - BELOW) * high + LAMP * key
    light *= 1 - EDGE * (1 - np.minimum(np.abs(facing), 1)) ** 2
    return np.minimum(colours * light[:, None], 1) ** (1 / 2.2)
