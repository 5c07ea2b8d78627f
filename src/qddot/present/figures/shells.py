"""Shapes as triangles with smooth normals: turned on a lathe, or boxes with rounded edges.

A shell is what a picture needs of a solid: points, the outward direction at each, and triangles
whose corners go round anticlockwise when they are looked at from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

CREASE = np.cos(np.radians(32))  # edges sharper than this stay sharp
BEVEL = 0.12  # radius of an edge, in parts of the thinnest measure; edges catch the light
LARGEST_BEVEL = 0.012  # [m]
ARC = 3  # pieces of a rounded edge

AT_ONCE = 1000  # corners in one place


class Shell(NamedTuple):
    """A surface: lengths in metres, in the axes of whatever carries it."""

    points: np.ndarray  # (k, 3)
    normals: np.ndarray  # (k, 3), of length one
    triangles: np.ndarray  # (m, 3), numbers of points

    def placed(self, R: Any, p: Any) -> Shell:
        """Return it turned by R, shape (3, 3), and moved by p, shape (3,)."""
        R, p = np.asarray(R, dtype=float), np.asarray(p, dtype=float)
        return Shell(self.points @ R.T + p, self.normals @ R.T, self.triangles)


def joined(shells: Sequence[Shell]) -> Shell:
    """Return several shells as one."""
    starts = np.cumsum([0, *(len(shell.points) for shell in shells[:-1])])
    parts = zip(shells, starts, strict=True)
    return Shell(
        np.concatenate([shell.points for shell in shells]),
        np.concatenate([shell.normals for shell in shells]),
        np.concatenate([shell.triangles + start for shell, start in parts]),
    )


def turned(profile: Any, sides: int) -> Shell:
    """Return what a lathe makes of a profile, with so many sides to a whole turn.

    The profile is distance from the axis z and height [m], shape (k, 2), from the lower end to the
    upper one. Where it bends sharply, the edge is sharp.
    """
    profile = np.asarray(profile, dtype=float)
    along = np.diff(profile, axis=0)
    along = along[np.linalg.norm(along, axis=1) > 1e-9]
    profile = np.concatenate([profile[:1], profile[:1] + np.cumsum(along, axis=0)])
    out = np.column_stack([along[:, 1], -along[:, 0]])
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    # the rows of points: a piece shares its ends with its neighbours where the bend is gentle
    soft = np.einsum("ij,ij->i", out[1:], out[:-1]) > CREASE
    rows, facing, pieces = [profile[0]], [out[0]], []
    for k in range(len(out)):
        last = k == len(out) - 1
        rows.append(profile[k + 1])
        facing.append(out[k] + out[k + 1] if not last and soft[k] else out[k])
        pieces.append(len(rows) - 1)
        if not last and not soft[k]:
            rows.append(profile[k + 1])
            facing.append(out[k + 1])
    angles = 2 * np.pi * np.arange(sides + 1) / sides
    c, s = np.cos(angles), np.sin(angles)
    rows, facing = np.array(rows), np.array(facing)
    facing = facing / np.linalg.norm(facing, axis=1, keepdims=True)
    points = np.stack([np.outer(rows[:, 0], c), np.outer(rows[:, 0], s)], axis=-1)
    normals = np.stack([np.outer(facing[:, 0], c), np.outer(facing[:, 0], s)], axis=-1)
    high = np.repeat(rows[:, 1:], sides + 1, axis=1)[..., None]
    flat = np.repeat(facing[:, 1:], sides + 1, axis=1)[..., None]
    upper = np.array(pieces)[:, None] * (sides + 1) + np.arange(sides)
    lower = upper - (sides + 1)
    quads = [(lower, lower + 1, upper + 1), (lower, upper + 1, upper)]
    triangles = np.concatenate([np.stack(quad, axis=-1).reshape(-1, 3) for quad in quads])
    points = np.concatenate([points, high], axis=-1).reshape(-1, 3)
    normals = np.concatenate([normals, flat], axis=-1).reshape(-1, 3)
    return Shell(points, normals, _with_area(points, triangles))


def cylinder(radius: float, length: float, sides: int, bevel: float | None = None) -> Shell:
    """Return a cylinder about z with rounded edges, its middle at the origin [m]."""
    return cone(radius, radius, length, sides, bevel)


def cone(
    lower: float, upper: float, length: float, sides: int, bevel: float | None = None
) -> Shell:
    """Return a cylinder that narrows from the radius `lower` to `upper`, with rounded edges."""
    b = _bevel(min(lower, upper), length / 2, given=bevel)
    w = np.linspace(0, np.pi / 2, ARC + 1)
    rise, run = b * (1 - np.cos(w)), b * (1 - np.sin(w))
    low = np.column_stack([lower - run, rise - length / 2])
    high = np.column_stack([upper - run, length / 2 - rise])[::-1]
    return turned([(0, -length / 2), *low, *high, (0, length / 2)], sides)


def capsule(radius: float, length: float, sides: int, upper: float | None = None) -> Shell:
    """Return a rod about z with round ends, `length` from the middle of one to that of the other.

    The radius [m] is that of both ends; of the lower one, where the upper one has its own. A whole
    turn has so many sides.
    """
    upper = radius if upper is None else upper
    # where the straight part touches both spheres
    lean = np.arcsin(np.clip((upper - radius) / max(length, 1e-9), -0.9, 0.9))
    steps = max(sides // 4, 3)
    low = np.linspace(-np.pi / 2, -lean, steps + 1)
    high = np.linspace(-lean, np.pi / 2, steps + 1)
    return turned(
        [
            *np.column_stack([radius * np.cos(low), radius * np.sin(low) - length / 2]),
            *np.column_stack([upper * np.cos(high), upper * np.sin(high) + length / 2]),
        ],
        sides,
    )


def box(size: Any, bevel: float | None = None, arc: int = ARC) -> Shell:
    """Return a box with rounded edges, its middle at the origin.

    Its size is along x, y and z [m]. The bevel is the radius of the edges [m], by default what
    suits the size; `arc` is the number of pieces of a rounded edge.
    """
    half = np.asarray(size, dtype=float) / 2
    r = _bevel(*half, given=bevel)
    part = r * (1 - np.cos(np.linspace(0, np.pi / 2, arc + 1)))
    shells = []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        u, v = (np.concatenate([part - half[m], half[m] - part[::-1]]) for m in (i, j))
        U, V = np.meshgrid(u, v, indexing="ij")
        for side in (1, -1):
            grid = np.empty((*U.shape, 3))
            grid[..., i], grid[..., j], grid[..., k] = U, V, side * half[k]
            inner = np.clip(grid, r - half, half - r)
            out = grid - inner
            out /= np.linalg.norm(out, axis=-1, keepdims=True)
            a = np.arange(U.size).reshape(U.shape)
            a, b, c, d = (x.ravel() for x in (a[:-1, :-1], a[1:, :-1], a[1:, 1:], a[:-1, 1:]))
            faces = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
            points = (inner + r * out).reshape(-1, 3)
            shells.append(Shell(points, out.reshape(-1, 3), faces[:, ::side]))
    return joined(shells)


def from_triangles(points: np.ndarray, triangles: np.ndarray) -> Shell:
    """Return a mesh with normals that are smooth but for its sharp edges.

    The points have the shape (k, 3) [m]; the triangles, shape (m, 3), are numbers of points,
    anticlockwise seen from outside.
    """
    corners = points[triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(area, axis=1)
    area, triangles = area[size > 0], triangles[size > 0]
    flat = area / size[size > 0, None]
    # points in one place are one, however often the file says them
    _, place = np.unique(np.round(points, 7), axis=0, return_inverse=True)
    place = place.reshape(-1)
    at, face = place[triangles].ravel(), np.repeat(np.arange(len(triangles)), 3)
    order = np.argsort(at, kind="stable")
    starts = np.flatnonzero(np.diff(at[order], prepend=-1))
    normals = np.empty((len(at), 3))
    for group in np.split(order, starts[1:]):
        own, weights = flat[face[group]], area[face[group]]
        for k in range(0, len(group), AT_ONCE):  # thousands may meet at the tip of a cone
            normals[group[k : k + AT_ONCE]] = (own[k : k + AT_ONCE] @ own.T > CREASE) @ weights
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(lengths > 0, normals / np.where(lengths > 0, lengths, 1), flat[face])
    # corners alike in place and normal are one point again
    corner = np.column_stack([at, np.round(normals * 127)]).astype(np.int64)
    _, first, same = np.unique(corner, axis=0, return_index=True, return_inverse=True)
    where = points[triangles.ravel()]
    return Shell(where[first], normals[first], same.reshape(-1, 3))


def _bevel(*halves: float, given: float | None) -> float:
    thinnest = min(float(half) for half in halves)
    wanted = min(2 * BEVEL * thinnest, LARGEST_BEVEL) if given is None else given
    return max(min(wanted, 0.98 * thinnest), 1e-9)


def _with_area(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    corners = points[triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return triangles[np.linalg.norm(area, axis=1) > 1e-16]
