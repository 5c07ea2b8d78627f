"""Whether a surface bounds a solid: what has a mass must be closed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from qddot.errors import BadFile
from qddot.readers.meshes.triangles import numbered

NEARLY = 1e-6  # of the size: corners as near as this are the same
EXPORT = "Export it again as one closed solid, or repair it in a mesh editor."


def closed(path: Path, corners: np.ndarray) -> np.ndarray:
    """Return the triangles, turned outwards, if they enclose a volume.

    Every edge must belong to as many triangles in one direction as in the other.
    """
    span = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    for grid in (0.0, NEARLY * span):
        points = corners.reshape(-1, 3)
        points = np.round(points / grid) if grid else points
        wrong = unbalanced(numbered(points).reshape(-1, 3))
        if not len(wrong):
            break
    else:
        k, holes, many = wrong[0, 0], wrong[:, 1].astype(bool), len(wrong)
        edges = f"{many} edge{'s' if many > 1 else ''}"
        near = np.array2string(corners[k].mean(axis=0), precision=4, separator=", ")
        if holes.any():
            why = f"its surface has a hole: {edges} without a neighbour, one at triangle {k}"
        else:
            why = f"its triangles do not face the same way: {edges} disagree, one at triangle {k}"
        raise BadFile(path, f"{why}, near {near}", EXPORT)
    volume = float(np.linalg.det(corners).sum()) / 6
    if abs(volume) <= 1e-12 * span**3:
        raise BadFile(path, "its surface encloses no volume", EXPORT)
    return corners if volume > 0 else corners[:, ::-1]


def unbalanced(triangles: np.ndarray) -> np.ndarray:
    """Return the edges that are not passed as often forwards as backwards.

    A row each: a triangle that has it, and whether the number of its triangles is odd, a hole.
    """
    a, b, c = triangles.T
    ids = np.flatnonzero((a != b) & (b != c) & (c != a))  # one that is a line has no edges
    kept = triangles[ids]
    edges = np.concatenate([kept[:, (0, 1)], kept[:, (1, 2)], kept[:, (2, 0)]])
    owners = np.tile(ids, 3)
    forwards = np.where(edges[:, 0] < edges[:, 1], 1, -1)
    inverse = numbered(np.sort(edges, axis=1))
    balance, times = np.bincount(inverse, forwards), np.bincount(inverse)
    wrong = balance[inverse] != 0
    first = np.unique(inverse[wrong], return_index=True)[1]
    return np.stack([owners[wrong][first], times[inverse[wrong][first]] % 2], axis=1)
