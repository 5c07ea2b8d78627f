"""Pictures of triangles without a graphics card: the triangle that each pixel sees, and its shade.

A z-buffer finds the nearest triangle, one lamp lights it. Surfaces that turn away from the camera
are darker, so that edges are seen on white paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.present.figures.eye import Eye

ABOVE, BELOW, LAMP = 0.72, 0.28, 0.5  # light from above, from below and of the lamp
EDGE = 0.7  # of its light, what a surface lacks that is seen along itself
AT_ONCE = 1_500_000  # pixels of triangles that are looked at together
NOTHING = -1


@dataclass(frozen=True)
class Triangles:
    """Triangles in the world, each with its colour."""

    points: np.ndarray  # (k, 3) [m]
    normals: np.ndarray  # (k, 3)
    corners: np.ndarray  # (m, 3), numbers of points
    colours: np.ndarray  # (m, 3), red, green, blue from 0 to 1, as light


def gathered(parts: Sequence[tuple[Any, np.ndarray, str]]) -> Triangles:
    """Return the triangles of surfaces.

    Args:
        parts: A surface with points, normals and triangles; its pose, shape (3, 4); a colour
            "#rrggbb".
    """
    starts = np.cumsum([0, *(len(part.points) for part, *_ in parts)])
    corners = [part.triangles + start for (part, *_), start in zip(parts, starts, strict=False)]
    counts = [len(part.triangles) for part, *_ in parts]
    return Triangles(
        np.concatenate([part.points @ X[:, :3].T + X[:, 3] for part, X, *_ in parts]),
        np.concatenate([part.normals @ X[:, :3].T for part, X, *_ in parts]),
        np.concatenate(corners).astype(np.int64),
        np.repeat([linear(colour) for *_, colour in parts], counts, axis=0),
    )


def linear(colour: str) -> np.ndarray:
    """Return "#rrggbb" as light, three numbers from 0 to 1."""
    return np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]) ** 2.2


def lit(eye: Eye, at: np.ndarray, normals: np.ndarray, colours: np.ndarray) -> np.ndarray:
    """Return what surfaces look like, shape (k, 3), from 0 to 1.

    Args:
        eye: From where they are seen.
        at: Where they are, shape (k, 3) [m].
        normals: Which way they face, shape (k, 3).
        colours: As light, shape (k, 3).
    """
    view = eye.at - at
    n = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    facing = np.einsum("ij,ij->i", n, view) / np.linalg.norm(view, axis=1)
    side = np.where(facing < -0.2, -1.0, 1.0)  # a surface that shows its back is lit from there
    high, key = 0.5 + 0.5 * side * (n @ eye.up), np.maximum(side * (n @ eye.lamp), 0)
    light = BELOW + (ABOVE - BELOW) * high + LAMP * key
    light *= 1 - EDGE * (1 - np.minimum(np.abs(facing), 1)) ** 2
    return np.minimum(colours * light[:, None], 1) ** (1 / 2.2)


def nearest(
    seen: np.ndarray, corners: np.ndarray, size: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return which triangle each pixel sees, NOTHING where none, and how far away it is.

    Args:
        seen: Pixels right, pixels down and depth of points, shape (k, 3).
        corners: Shape (m, 3), numbers of points.
        size: Width and height [px].
    """
    wide, high = size
    of = np.full(wide * high, NOTHING, dtype=np.int32)
    depth = np.full(wide * high, np.inf, dtype=np.float32)
    places = seen[corners]
    planes, flat = _planes(places)
    y = places[..., 1]
    low = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, high).astype(np.int64)
    top = np.clip(np.floor(y.max(axis=1) - 0.5), -1, high - 1).astype(np.int64)
    rows = np.where(flat | (places[..., 2].min(axis=1) < 1e-3), 0, np.maximum(top - low + 1, 0))
    k, row = _counted(rows)
    row += low[k]
    # a triangle covers of a row what its three edges leave: a x + b ≥ 0 each
    first, last = np.zeros(len(k)), np.full(len(k), wide - 1.0)
    own = planes[k]
    for edge in (own[:, 0:3], own[:, 3:6], LAST - own[:, 0:3] - own[:, 3:6]):
        a, b = edge[:, 0], edge[:, 1] * (row + 0.5) + edge[:, 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            end = -b / a - 0.5
        first = np.where(a > 0, np.maximum(first, np.ceil(end)), first)
        last = np.where(a < 0, np.minimum(last, np.floor(end)), last)
        last = np.where((a == 0) & (b < 0), -1, last)
    count = np.maximum(last - first + 1, 0).astype(np.int64)
    ends = np.cumsum(count)
    cuts = np.searchsorted(ends, np.arange(AT_ONCE, ends[-1] if len(ends) else 0, AT_ONCE)) + 1
    for group in np.split(np.arange(len(k)), np.unique(cuts)):
        of_row, right = _counted(count[group])
        line = group[of_row]
        x, plane = first[line] + right, own[line, 6:]
        z = (plane[:, 0] * (x + 0.5) + plane[:, 1] * (row[line] + 0.5) + plane[:, 2]).astype("f4")
        pixel = row[line] * wide + x.astype(np.int64)
        before = depth[pixel]
        np.minimum.at(depth, pixel, z)
        seen_now = (z < before) & (z == depth[pixel])
        of[pixel[seen_now]] = k[line[seen_now]]
    return of, depth


LAST = np.array([0.0, 0.0, 1.0])  # the weights of all corners together


def _counted(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whose turn it is, 0 0 0 1 1 ..., and how often it has been before, 0 1 2 0 1 ..."""
    whose = np.repeat(np.arange(len(counts)), counts)
    return whose, np.arange(len(whose)) - np.repeat(np.cumsum(counts) - counts, counts)


def _planes(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of two corners, and the depth, as functions a x + b y + c; and which
    triangles have no width."""
    a, b, c = np.moveaxis(places, 1, 0)
    double = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    flat = np.abs(double) < 1e-9
    double = np.where(flat, 1, double)
    u = [b[:, 1] - c[:, 1], c[:, 0] - b[:, 0], b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]]
    v = [c[:, 1] - a[:, 1], a[:, 0] - c[:, 0], c[:, 0] * a[:, 1] - c[:, 1] * a[:, 0]]
    u, v = np.array(u) / double, np.array(v) / double
    z = u * (a[:, 2] - c[:, 2]) + v * (b[:, 2] - c[:, 2])
    z[2] += c[:, 2]
    return np.concatenate([u, v, z]).T, flat


def between(
    values: Sequence[np.ndarray], seen: np.ndarray, corners: np.ndarray, of: np.ndarray, at: Any
) -> list[np.ndarray]:
    """Return values of points where pixels see triangles between them.

    Args:
        values: Of each point, shape (points, d).
        seen: Pixels right, pixels down and depth of points, shape (points, 3).
        corners: Shape (m, 3), numbers of points.
        of: The triangle that each pixel sees, shape (k,).
        at: How far right and how far down pixels are, shape (2, k).
    """
    planes = _planes(seen[corners])[0][of]
    u = planes[:, 0] * at[0] + planes[:, 1] * at[1] + planes[:, 2]
    v = planes[:, 3] * at[0] + planes[:, 4] * at[1] + planes[:, 5]
    a, b, c = corners[of].T
    weights = tuple(w[:, None] for w in (u, v, 1 - u - v))
    return [weights[0] * x[a] + weights[1] * x[b] + weights[2] * x[c] for x in values]
