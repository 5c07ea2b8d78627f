"""Surfaces as triangles, and what every reader of them checks.

Nothing in a mesh file is trusted: counts are compared with what is there before anything of that
size is made, every index must name a point, and every number must be finite and of a sensible size.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qddot.errors import BadFile

LARGEST_FILE = 100_000_000  # [bytes]
LARGEST_TEXT = 50_000_000  # [bytes] of a file of words, which take much more memory than they have
MOST = 2_000_000  # triangles, and points
LARGEST = 1e9  # a kilometre in micrometres
EXPORT = "Export it again, as STL if nothing else helps."
# odd numbers without a pattern, so that hardly two rows have the same sum of products
MIXERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
PLAIN = (0.7, 0.7, 0.7)  # of a part without a colour in a mesh that has some


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """A surface: points, and triangles counter-clockwise from outside."""

    points: np.ndarray  # (n, 3) [m, or whatever the file is in]
    triangles: np.ndarray  # (m, 3), int, each a point's number
    colours: np.ndarray | None = None  # (m, 3) red, green, blue from 0 to 1; None: it has none

    @property
    def corners(self) -> np.ndarray:
        """The corners of every triangle, (m, 3, 3)."""
        return self.points[self.triangles]

    def only(self, kept: np.ndarray) -> TriangleMesh:
        """Return the surface with these triangles alone."""
        colours = None if self.colours is None else self.colours[kept]
        return TriangleMesh(self.points, self.triangles[kept], colours)


@dataclass(frozen=True)
class MeshPart:
    """One piece of a surface while it is read."""

    points: np.ndarray  # (n, 3)
    triangles: np.ndarray  # (m, 3)
    colour: Sequence[float] | None = None

    def compact(self) -> MeshPart:
        """Return the piece with the points alone that it uses."""
        used, new = np.unique(self.triangles, return_inverse=True)
        return MeshPart(self.points[used], new.reshape(-1, 3), self.colour)

    def moved(self, X: np.ndarray) -> MeshPart:
        """Return the piece moved by a homogeneous matrix; a mirrored one is turned outwards."""
        points = self.points @ X[:3, :3].T + X[:3, 3]
        mirrored = np.linalg.det(X[:3, :3]) < 0
        return MeshPart(points, self.triangles[:, :: -1 if mirrored else 1], self.colour)


def whole_mesh(path: Path, parts: Sequence[MeshPart]) -> TriangleMesh:
    """Return the pieces of a file as one surface, equal points joined and empty triangles dropped.

    Raises:
        BadFile: If it is none that can be shown.
    """
    check_count(path, sum(len(part.triangles) for part in parts))
    check_count(path, sum(len(part.points) for part in parts), "points")
    for part in parts:
        check_indices(path, part.triangles, len(part.points))
    if not any(len(part.triangles) for part in parts):
        raise BadFile(path, "it has no triangles", EXPORT)
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    points = np.concatenate([part.points for part in parts])
    triangles = np.concatenate(
        [part.triangles + start for part, start in zip(parts, starts, strict=False)]
    )
    used = points[triangles]
    if not np.isfinite(used).all():
        where = int(np.argwhere(~np.isfinite(used))[0][0])
        raise BadFile(path, f"triangle {where} has a corner that is no number", EXPORT)
    if np.abs(used).max() > LARGEST:
        raise BadFile(path, "its numbers are out of all proportion", EXPORT)
    colours = None
    if any(part.colour is not None for part in parts):
        each = np.clip([PLAIN if part.colour is None else part.colour for part in parts], 0, 1)
        colours = np.repeat(each, [len(part.triangles) for part in parts], axis=0)
    return joined(TriangleMesh(points, triangles, colours))


def joined(mesh: TriangleMesh) -> TriangleMesh:
    """Return the surface with equal points joined, and without unused points and empty triangles.

    At least one triangle is kept.
    """
    used = np.zeros(len(mesh.points), dtype=bool)
    used[mesh.triangles.ravel()] = True
    points = mesh.points[used]
    same = numbered(points)
    first = np.empty(int(same.max()) + 1, dtype=np.int64)
    first[same[::-1]] = np.arange(len(same))[::-1]
    new = np.empty(len(mesh.points), dtype=np.int64)
    new[used] = same
    triangles = new[mesh.triangles]
    a, b, c = triangles.T
    kept = np.flatnonzero((a != b) & (b != c) & (c != a))
    kept = kept if len(kept) else np.array([0])
    return TriangleMesh(points[first], triangles, mesh.colours).only(kept)


def distinct(mesh: TriangleMesh) -> TriangleMesh:
    """Return the surface with each triangle once, however often a file has it."""
    turned = mesh.triangles.argmin(axis=1)[:, None] + np.arange(3)
    same = numbered(np.take_along_axis(mesh.triangles, turned % 3, axis=1).astype(float))
    first = np.sort(np.unique(same, return_index=True)[1])
    return mesh if len(first) == len(same) else mesh.only(first)


def numbered(rows: np.ndarray) -> np.ndarray:
    """Return a number per row, of two or three, the same for equal rows, counted from 0."""
    bits = np.ascontiguousarray(rows + 0.0, dtype=float).view(np.uint64)  # -0 is 0
    bits = bits ^ (bits >> np.uint64(31))  # single precision has zeros at its end
    mixed = (bits * MIXERS[: rows.shape[1]]).sum(axis=1, dtype=np.uint64)
    _, one, first = np.unique(mixed, return_index=True, return_inverse=True)
    if np.array_equal(rows[one[first]], rows):
        return first
    first, *more = (np.unique(column, return_inverse=True)[1] for column in rows.T)
    for column in more:  # two rows had the same mixture: one column after another
        pairs = first.astype(np.int64) * (int(column.max()) + 1) + column
        first = np.unique(pairs, return_inverse=True)[1]
    return first


def fans(path: Path, corners: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the triangles of polygons, each cut from its first corner on, (m, 3).

    `corners` are the points of one polygon after another, `counts` how many each has.
    """
    if len(counts) and (counts.min() < 0 or counts.sum() != len(corners)):
        raise BadFile(path, "its polygons have other counts of corners than it says", EXPORT)
    starts = np.cumsum(counts) - counts
    inner = np.maximum(counts - 2, 0)
    check_count(path, int(inner.sum()))
    first = np.repeat(starts, inner)
    step = np.arange(len(first)) - np.repeat(np.cumsum(inner) - inner, inner)
    return corners[np.stack([first, first + step + 1, first + step + 2], axis=1)]


def check_text(path: Path, data: bytes) -> None:
    """Raise BadFile if a file of words is too large."""
    if len(data) > LARGEST_TEXT:
        why = f"it is text and larger than {LARGEST_TEXT // 10**6} MB"
        raise BadFile(path, why, "Export it as a binary file, or with fewer triangles.")


def check_count(path: Path, count: int, what: str = "triangles") -> None:
    """Raise BadFile if there are too many of something."""
    if count > MOST:
        why = f"it has {count} {what}, and at most {MOST} are read"
        raise BadFile(path, why, "Export it with fewer.")


def check_indices(path: Path, triangles: np.ndarray, count: int) -> None:
    """Raise BadFile if a triangle names a point that is not there."""
    if len(triangles) and not 0 <= triangles.min() <= triangles.max() < count:
        wrong = triangles.max() if triangles.max() >= count else triangles.min()
        raise BadFile(path, f"a triangle has the point {wrong}, and there are {count}", EXPORT)


def numbers_in(path: Path, text: str, dtype: type = float, line: int | None = None) -> np.ndarray:
    """Return the numbers of a text that holds nothing else.

    Raises:
        BadFile: If it holds something else.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            return np.fromstring(text, dtype=dtype, sep=" ")
    except (DeprecationWarning, ValueError, OverflowError):
        raise BadFile(
            path, "there is something else where numbers should be", EXPORT, line
        ) from None
