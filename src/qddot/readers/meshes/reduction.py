"""Fewer triangles for the same shape, by `fast-simplification` where it is installed.

It collapses edges where the surface changes least (Garland and Heckbert, *Surface Simplification
Using Quadric Error Metrics*, 1997), each colour by itself. Without it, and where it stops early,
the points in each cell of a grid become one, where the squared distance to the planes around them
is least (Lindstrom, *Out-of-Core Simplification*, 2000).
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from qddot.checks import whole
from qddot.errors import BadFile
from qddot.readers.meshes.foreign import MeshWorker
from qddot.readers.meshes.triangles import MeshPart, TriangleMesh, joined, whole_mesh

LEAST = 4  # triangles of a closed surface
THINNED = 4  # times the triangles that are wanted: what the grid leaves to the edges
FEW = 15_000  # triangles that are not thinned before
RIM = 5.0  # what the planes along a rim count, compared with those of the surface
PULL = 1e-3  # towards the middle of a cell, where the planes leave a point free


def reduced(mesh: TriangleMesh, triangles: int, worker: MeshWorker | None = None) -> TriangleMesh:
    """Return the surface with at most so many triangles, of a shape as near as can be."""
    most = whole("triangles", triangles, least=LEAST)
    if len(mesh.triangles) <= most:
        return mesh
    if worker is None:
        with MeshWorker() as own:
            return reduced(mesh, triangles, own)
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    size = float((high - low).max()) or 1.0
    small = TriangleMesh((mesh.points - low) / size, mesh.triangles, mesh.colours)
    if find_spec("fast_simplification") is not None:
        if len(small.triangles) > max(2 * THINNED * most, FEW):
            small = thinned(small, THINNED * most)
        small = simplified(small, most, worker)
    if len(small.triangles) > most:
        small = thinned(small, most)
    return TriangleMesh(small.points * size + low, small.triangles, small.colours)


def simplified(mesh: TriangleMesh, most: int, worker: MeshWorker) -> TriangleMesh:
    """Return the surface with so many triangles, each colour with its share."""
    if mesh.colours is None:
        return joined(one_colour(mesh, most, worker))
    parts = []
    kinds, of = np.unique(mesh.colours, axis=0, return_inverse=True)
    for k, colour in enumerate(kinds):
        own = MeshPart(mesh.points, mesh.triangles[of.reshape(-1) == k]).compact()
        share = max(most * len(own.triangles) // len(mesh.triangles), LEAST)
        part = one_colour(TriangleMesh(own.points, own.triangles), share, worker)
        parts.append(MeshPart(part.points, part.triangles, colour))
    return whole_mesh(Path(), parts)


def one_colour(mesh: TriangleMesh, most: int, worker: MeshWorker) -> TriangleMesh:
    """Return a surface of one colour with so many triangles.

    Rims stay where they are if the rest can be reduced enough.
    """
    for keep_rims in (True, False) if len(mesh.triangles) > most else ():
        part = worker.simplified(MeshPart(mesh.points, mesh.triangles), most, keep_rims)
        try:
            small = whole_mesh(Path(), [part] if part else [])
        except BadFile:  # what came back is no surface
            continue
        if len(small.triangles) <= most:
            return small
    return mesh if len(mesh.triangles) <= most else thinned(mesh, most)


def thinned(mesh: TriangleMesh, most: int) -> TriangleMesh:
    """Return the surface with one point in every cell of a grid, as fine as is allowed."""
    normals = normals_of(mesh.points, mesh.triangles)
    area = float(np.linalg.norm(normals, axis=1).sum()) / 2
    facing = sides_of(mesh, normals)
    side = float(np.clip(np.sqrt(2 * area / most), 1e-5, 1.0))  # two triangles in a cell
    fine, coarse = 1e-5, 2.0
    for _ in range(12):
        count = len(distinct(cells_of(mesh.points, side, facing)[0][mesh.triangles]))
        fine, coarse = (fine, side) if count <= most else (side, coarse)
        if 0.9 * most < count <= most:
            break
        # as many triangles as cells, and so many cells as the square of their side allows
        side *= float(np.sqrt(max(count, 1) / (0.95 * most)))
        if not fine < side < coarse:
            side = float(np.sqrt(fine * coarse))
    cell, low = cells_of(mesh.points, coarse, facing)
    triangles = cell[mesh.triangles]
    left = distinct(triangles)[:most]
    left = left if len(left) else np.array([0])
    place = np.clip(nearest(mesh, normals, cell), low, low + coarse)
    triangles = triangles[left]
    over = (normals_of(place, triangles) * normals[left]).sum(axis=1) < 0
    triangles[over] = triangles[over, ::-1]
    colours = None if mesh.colours is None else mesh.colours[left]
    return joined(TriangleMesh(place, triangles, colours))


def nearest(mesh: TriangleMesh, normals: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """Return for every cell the point that is nearest to the planes of its triangles and rims.

    The sum of (n·(x − c))² with c in the planes is least where Σ n nᵀ x = Σ n nᵀ c.
    """
    count = np.bincount(cell)
    middle = np.stack([np.bincount(cell, p) for p in mesh.points.T], axis=1) / count[:, None]
    ends, of = rims(mesh)
    along = mesh.points[ends[:, 1]] - mesh.points[ends[:, 0]]
    length = np.linalg.norm(normals[of], axis=1)[:, None]
    across = np.cross(along, normals[of]) / np.where(length > 0, length, 1)
    across *= RIM * np.linalg.norm(along, axis=1)[:, None]
    at = cell[np.concatenate([mesh.triangles.ravel(), ends.ravel()])]
    n = np.concatenate([np.repeat(normals, 3, axis=0), np.repeat(across, 2, axis=0)])
    p = np.concatenate([mesh.corners.reshape(-1, 3), mesh.points[ends.ravel()]])
    away = (n * (p - middle[at])).sum(axis=1)
    A = [np.bincount(at, n[:, i] * n[:, j], len(count)) for i in range(3) for j in range(3)]
    b = [np.bincount(at, n[:, i] * away, len(count)) for i in range(3)]
    A, b = np.stack(A, axis=1).reshape(-1, 3, 3), np.stack(b, axis=1)
    pull = PULL * np.trace(A, axis1=1, axis2=2) + 1e-30
    return middle + np.linalg.solve(A + pull[:, None, None] * np.eye(3), b[..., None])[..., 0]


def rims(mesh: TriangleMesh) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of one triangle alone, or between two colours, and their triangle."""
    ends = np.stack([mesh.triangles, np.roll(mesh.triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
    of = np.repeat(np.arange(len(mesh.triangles)), 3)
    _, same, times = np.unique(
        np.sort(ends, axis=1) @ [len(mesh.points), 1], return_inverse=True, return_counts=True
    )
    alone = times[same] != 2
    if mesh.colours is not None:
        shade = (mesh.colours * [1.0, 3.0, 7.0]).sum(axis=1)[of]
        mean = np.bincount(same, shade) / times
        alone |= np.abs(shade - mean[same]) > 1e-6
    return ends[alone], of[alone]


def distinct(triangles: np.ndarray) -> np.ndarray:
    """Return which triangles have three corners, and none the same three as one before."""
    a, b, c = np.sort(triangles, axis=1).T
    whole_ones = np.flatnonzero((a != b) & (b != c))
    count = int(triangles.max()) + 1
    if count < 2_000_000:  # three numbers in 63 bits
        each = (a.astype(np.int64) * count + b) * count + c
        return np.sort(whole_ones[np.unique(each[whole_ones], return_index=True)[1]])
    return whole_ones


def sides_of(mesh: TriangleMesh, normals: np.ndarray) -> np.ndarray:
    """Return which of six ways the surface faces at each point: the sides of a wall differ."""
    at = mesh.triangles.ravel()
    sums = [np.bincount(at, np.repeat(n, 3), len(mesh.points)) for n in normals.T]
    mean = np.stack(sums, axis=1)
    axis = np.abs(mean).argmax(axis=1)
    return 2 * axis + (mean[np.arange(len(mean)), axis] > 0)


def cells_of(points: np.ndarray, side: float, facing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return in which cell of a grid each point is, and the lowest corner of each cell.

    Points of one place that face different ways are in different cells.
    """
    cells = np.floor(points / side).astype(np.int64)
    count = cells.max(axis=0) + 1
    each = ((cells[:, 0] * count[1] + cells[:, 1]) * count[2] + cells[:, 2]) * 6 + facing
    _, first, cell = np.unique(each, return_index=True, return_inverse=True)
    return cell, cells[first] * side


def normals_of(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return the normals of triangles, as long as twice their areas."""
    corners = points[triangles]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
