"""Pictures of triangles without a graphics card: what each pixel sees, and the light on it.

Light is that of the pages: a lamp, the sky and the ground, a little shine; mixed as light, and as
on film the brightest fades into white.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.present.figures.eye import Eye
from qddot.present.figures.view import across, unit

AIR, GROUND, KEY, EXPOSURE = 0.62, 0.28, 2.0, 0.74
AT_ONCE = 1_500_000  # pixels of triangles that are looked at together
SHADOW = 700  # [px], width of the picture that the lamp sees
BIAS = 0.012  # of its reach: nearer surfaces are one
NOTHING = -1


@dataclass(frozen=True)
class Triangles:
    """Triangles in the world, each with its colour."""

    points: np.ndarray  # (k, 3) [m]
    normals: np.ndarray  # (k, 3)
    corners: np.ndarray  # (m, 3), numbers of points
    colours: np.ndarray  # (m, 3), red, green, blue from 0 to 1, as light
    casts: np.ndarray  # (m,), whether each throws a shadow


def gathered(parts: Sequence[tuple[Any, np.ndarray, str, bool]]) -> Triangles:
    """Return the triangles of surfaces.

    Args:
        parts: A surface with points, normals and triangles; its pose, shape (3, 4); a colour
            "#rrggbb"; whether it throws a shadow.
    """
    starts = np.cumsum([0, *(len(part.points) for part, *_ in parts)])
    corners = [part.triangles + start for (part, *_), start in zip(parts, starts, strict=False)]
    counts = [len(part.triangles) for part, *_ in parts]
    return Triangles(
        np.concatenate([part.points @ X[:, :3].T + X[:, 3] for part, X, *_ in parts]),
        np.concatenate([part.normals @ X[:, :3].T for part, X, *_ in parts]),
        np.concatenate(corners).astype(np.int64),
        np.repeat([linear(colour) for *_, colour, _ in parts], counts, axis=0),
        np.repeat([casts for *_, casts in parts], counts),
    )


def linear(colour: str) -> np.ndarray:
    """Return "#rrggbb" as light, three numbers from 0 to 1."""
    return np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]) ** 2.2


def shown(light: np.ndarray) -> np.ndarray:
    """Return light as a screen takes it, from 0 to 1."""
    x = np.maximum(light * EXPOSURE, 0)
    x = x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)
    return np.minimum(x, 1) ** (1 / 2.2)


def lit(
    eye: Eye, at: np.ndarray, normals: np.ndarray, colours: np.ndarray, lamp: Any
) -> np.ndarray:
    """Return what surfaces look like, shape (k, 3), from 0 to 1.

    Args:
        eye: From where they are seen.
        at: Where they are, shape (k, 3) [m].
        normals: Which way they face, shape (k, 3).
        colours: As light, shape (k, 3).
        lamp: How much of the lamp each gets, from 0 to 1, shape (k,) or one number.
    """
    view = eye.at - at
    view = view / np.linalg.norm(view, axis=1, keepdims=True)
    n = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    facing = np.einsum("ij,ij->i", n, view)
    n = np.where(facing[:, None] < -0.2, -n, n)
    facing = np.clip(np.abs(facing), 0, 1)
    key = np.maximum((n @ eye.lamp + 0.12) / 1.12, 0)
    high = 0.5 + 0.5 * (n @ eye.up)
    side = unit(-0.75 * eye.right + 0.35 * eye.ahead + 0.25 * eye.up)
    light = GROUND + (AIR - GROUND) * high**2 * (3 - 2 * high)
    light = light + KEY * key * (0.12 + 0.88 * lamp) + 0.22 * np.maximum(n @ side, 0)
    half = view + eye.lamp
    half = half / np.linalg.norm(half, axis=1, keepdims=True)
    shine = 0.34 * np.maximum(np.einsum("ij,ij->i", n, half), 0) ** 70 * lamp
    rim = (0.04 + 0.5 * (1 - facing) ** 5) * AIR * (0.3 + 0.5 * high)
    rim = rim + 0.18 * (1 - facing) ** 3 * AIR * high
    return shown(0.62 * colours * light[:, None] + (shine + rim)[:, None])


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


def weights_at(seen: np.ndarray, corners: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return how much of each corner is in a pixel, shape (k, 3, 1), for k pixels of triangles."""
    planes, _ = _planes(seen[corners])
    u = planes[:, 0] * x + planes[:, 1] * y + planes[:, 2]
    v = planes[:, 3] * x + planes[:, 4] * y + planes[:, 5]
    return np.stack([u, v, 1 - u - v], axis=1)[..., None]


class Lamp:
    """What the lamp sees of triangles, so that shadows can be told."""

    def __init__(self, eye: Eye, triangles: Triangles) -> None:
        corners = triangles.corners[triangles.casts]
        points = triangles.points[np.unique(corners)]
        self.along = eye.lamp
        self.right = across(self.along)
        self.over = np.cross(self.along, self.right)
        self.middle = (points.min(axis=0) + points.max(axis=0)) / 2
        self.reach = 1.05 * float(np.linalg.norm(points - self.middle, axis=1).max())
        seen = self.seen(triangles.points)
        _, self.depth = nearest(seen, corners, (SHADOW, SHADOW))

    def seen(self, points: np.ndarray) -> np.ndarray:
        away = points - self.middle
        scale = SHADOW / 2 / self.reach
        depth = 2 * self.reach - away @ self.along
        return np.column_stack(
            [
                SHADOW / 2 + scale * (away @ self.right),
                SHADOW / 2 + scale * (away @ self.over),
                depth,
            ]
        )

    def light(self, points: np.ndarray, soft: float = 1.2, taps: int = 8) -> np.ndarray:
        """Return how much of the lamp points get, from 0 to 1, shape (k,).

        Args:
            points: Shape (k, 3) [m].
            soft: How far round each is looked [px of the lamp's picture].
            taps: In how many places.
        """
        seen, found = self.seen(points), np.zeros(len(points))
        for k in range(taps):
            r, w = soft * np.sqrt((k + 0.5) / taps), 2.399963 * k
            x, y = (np.floor(seen[:, i] + r * f(w)) for i, f in ((0, np.cos), (1, np.sin)))
            out = (x < 0) | (y < 0) | (x >= SHADOW) | (y >= SHADOW)
            at = np.where(out, 0, y * SHADOW + x).astype(np.int64)
            found += out | (self.depth[at] > seen[:, 2] - BIAS * self.reach)
        return found / taps
