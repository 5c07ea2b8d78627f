"""The squared distance to the planes around a point, as a quadratic form of ten numbers.

Garland and Heckbert, *Surface Simplification Using Quadric Error Metrics*, 1997:

    Q(x) = xᵀ A x + 2 bᵀ x + c = Σ area · (n·x − d)²

Forms add up: where two points become one, its form is the sum of theirs.
"""

from __future__ import annotations

import numpy as np

RIM = 30.0  # what the planes along a rim count, compared with those of the surface
PULL = 1e-5  # towards the middle, where the forms leave a point free


def quadrics(points: np.ndarray, triangles: np.ndarray, colours: np.ndarray | None) -> np.ndarray:
    """Return the form of every point: A as six numbers, b as three, and c, (n, 10)."""
    corners, normals = points[triangles], normals_of(points, triangles)
    double = np.linalg.norm(normals, axis=1)
    n = normals / np.where(double > 0, double, 1)[:, None]
    Q = np.zeros((len(points), 10))
    add(Q, triangles.ravel(), np.repeat(planes(n, corners[:, 0], double / 6), 3, axis=0))
    first, second, of = rims(triangles, colours)
    along = points[second] - points[first]
    across = np.cross(along, n[of])
    length = np.linalg.norm(across, axis=1)
    across = across / np.where(length > 0, length, 1)[:, None]
    rim = planes(across, points[first], RIM * length**2)
    for ends in (first, second):
        add(Q, ends, rim)
    return Q


def planes(n: np.ndarray, p: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the forms of planes with normals n through points p, (k, 10)."""
    x, y, z = n.T
    d = (n * p).sum(axis=1)
    form = (x * x, x * y, x * z, y * y, y * z, z * z, -d * x, -d * y, -d * z, d * d)
    return np.stack(form, axis=1) * weight[:, None]


def add(Q: np.ndarray, at: np.ndarray, forms: np.ndarray) -> None:
    """Add forms to those of some points."""
    for k in range(10):
        Q[:, k] += np.bincount(at, forms[:, k], len(Q))


def rims(
    triangles: np.ndarray, colours: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the edges of one triangle alone, or between two colours: ends, and their triangle."""
    first, second = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    of = np.repeat(np.arange(len(triangles)), 3)
    _, same, times = np.unique(
        keys(first, second, int(triangles.max()) + 1), return_inverse=True, return_counts=True
    )
    alone = times[same] != 2
    if colours is not None:
        shade = (colours * [1.0, 3.0, 7.0]).sum(axis=1)[of]
        mean = np.bincount(same, shade) / times
        alone |= np.abs(shade - mean[same]) > 1e-6
    return first[alone], second[alone], of[alone]


def keys(a: np.ndarray, b: np.ndarray, count: int) -> np.ndarray:
    """Return a number per edge, the same in both directions."""
    return np.minimum(a, b).astype(np.int64) * count + np.maximum(a, b)


def best(Q: np.ndarray, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where forms are least, (k, 3), and how much they are there.

    The minimum is the solution of A x = −b, by Cramer's rule; a small pull towards the middle
    decides where a form leaves x free.
    """
    form = Q.T.copy()
    pull = PULL * (form[0] + form[3] + form[5]) + 1e-12
    right = -form[6:9] + pull * middle.T
    a, b, c, d, e, f = form[0] + pull, form[1], form[2], form[3] + pull, form[4], form[5] + pull
    A, B, C = d * f - e * e, c * e - b * f, b * e - c * d  # the adjugate
    D, E, F = a * f - c * c, b * c - a * e, a * d - b * b
    u, v, w = right / (a * A + b * B + c * C)
    x, y, z = A * u + B * v + C * w, B * u + D * v + E * w, C * u + E * v + F * w
    xx, xy, xz, yy, yz, zz, bx, by, bz, rest = form
    cost = xx * x * x + yy * y * y + zz * z * z + 2 * (xy * x * y + xz * x * z + yz * y * z)
    cost += 2 * (bx * x + by * y + bz * z) + rest
    return np.stack([x, y, z], axis=1), np.maximum(cost, 0)


def normals_of(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return the normals of triangles, as long as twice their areas."""
    corners = points[triangles]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
