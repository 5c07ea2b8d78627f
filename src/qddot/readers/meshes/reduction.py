"""Fewer triangles for the same shape: edges are collapsed where the surface changes least.

How far a point is from the planes around it is a quadratic form (`quadrics.py`). An edge becomes
one point where the sum of the two forms at its ends is least. All edges that are cheaper than those
around them collapse at once, so that a round is a few array operations. A collapse that would turn
a triangle over is not made. Rims and borders between colours have planes of their own, across the
surface, so that they stay.

A surface far too large is first thinned on a grid: the points of a cell become one, again where
the sum of their forms is least (Lindstrom, *Out-of-Core Simplification*, 2000).
"""

from __future__ import annotations

import numpy as np

from qddot.checks import whole
from qddot.readers.meshes.quadrics import best, keys, normals_of, quadrics
from qddot.readers.meshes.triangles import TriangleMesh, joined

THINNED = 4  # times the triangles that are wanted: what the grid leaves to the edges
FEW = 15_000  # triangles that are collapsed without being thinned before
SHORT = 1e-4  # what the length of an edge counts: on a flat surface the short ones go first
MOST_ROUNDS = 200
CHEAPEST = 0.5  # of the edges, which may collapse in a round
PASSES = 3  # in which edges are chosen for a round
TURNED = 0.2  # the cosine by which a triangle may turn in a round
SLOW = 0.002  # of the triangles: a round with fewer collapses begins again with what it refused
TRIES = 4


def reduced(mesh: TriangleMesh, triangles: int) -> TriangleMesh:
    """Return the surface with at most so many triangles, of a shape as near as can be.

    Args:
        mesh: The surface.
        triangles: How many it may have, at least 4.
    """
    most = whole("triangles", triangles, least=4)
    if len(mesh.triangles) <= most:
        return mesh
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    size = float((high - low).max()) or 1.0
    small = TriangleMesh((mesh.points - low) / size, mesh.triangles, mesh.colours)
    if len(small.triangles) > max(2 * THINNED * most, FEW):
        small = thinned(small, THINNED * most)
    for care in (2, 1, 0):  # less where there are many small pieces, or sheets that meet
        small = collapsed(small, most, care)
    if len(small.triangles) > most:
        small = thinned(small, most)
    return TriangleMesh(small.points * size + low, small.triangles, small.colours)


def collapsed(mesh: TriangleMesh, most: int, care: int) -> TriangleMesh:
    """Return the surface after as many rounds of collapses as are needed and possible.

    Args:
        mesh: The surface.
        most: How many triangles it may have.
        care: 2: no triangle turns over, and the surface stays one; 1: none turns over; 0: none.
    """
    if len(mesh.triangles) <= most:
        return mesh
    points, triangles, colours = mesh.points, mesh.triangles, mesh.colours
    Q = quadrics(points, triangles, colours)
    tries = TRIES
    refused = np.zeros(0, dtype=np.int64)  # edges that would have turned a triangle over
    for _ in range(MOST_ROUNDS):
        before = len(triangles)
        if before <= most:
            break
        a, b, times = edges(triangles)
        free = np.flatnonzero(~np.isin(keys(a, b, len(points)), refused))
        both = Q[a] + Q[b]
        place, cost = best(both, (points[a] + points[b]) / 2)
        long = ((points[a] - points[b]) ** 2).sum(axis=1) * both[:, [0, 3, 5]].sum(axis=1)
        cost = cost + SHORT * long
        wanted = apart(a, b, cost, len(points), (before - most + 1) // 2, free)
        chosen = wanted
        if care > 1:
            chosen = without_pinches(a, b, times, len(points), chosen)
        if care > 0:
            chosen = without_flips(points, triangles, a, b, place, chosen)
        wrong = np.setdiff1d(wanted, chosen)
        refused = np.concatenate([refused, keys(a[wrong], b[wrong], len(points))])
        keep, gone = a[chosen], b[chosen]
        points = points.copy()
        points[keep] = place[chosen]
        Q[keep] += Q[gone]
        new = np.arange(len(points))
        new[gone] = keep
        triangles = new[triangles]
        left = distinct(triangles)
        left = left if len(left) else np.array([0])
        triangles = triangles[left]
        colours = None if colours is None else colours[left]
        if len(chosen) <= SLOW * before:
            refused = refused[:0]  # what is around them may have changed
            tries -= 1
            if not tries:
                break
    return joined(TriangleMesh(points, triangles, colours))


def edges(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ends of every edge, once each, and how many triangles have it."""
    count = int(triangles.max()) + 1
    each = keys(triangles.ravel(), np.roll(triangles, -1, axis=1).ravel(), count)
    once, times = np.unique(each, return_counts=True)
    return *np.divmod(once, count), times


def apart(
    a: np.ndarray, b: np.ndarray, cost: np.ndarray, count: int, most: int, free: np.ndarray
) -> np.ndarray:
    """Return the cheap edges that are cheaper than all others at their ends, the cheapest first."""
    order = free[np.argsort(cost[free], kind="stable")][: int(CHEAPEST * len(free)) + 1]
    chosen, taken = [], np.zeros(count, dtype=bool)
    for _ in range(PASSES):
        rank = np.arange(len(order))
        least = np.full(count, len(order))
        # of several assignments to one place the last stays: that of the cheapest edge
        for ends in (a[order[::-1]], b[order[::-1]]):
            least[ends] = np.minimum(least[ends], rank[::-1])
        alone = (least[a[order]] == rank) & (least[b[order]] == rank)
        chosen.append(order[alone])
        for ends in (a, b):
            taken[ends[order[alone]]] = True
        order = order[~(taken[a[order]] | taken[b[order]])]
    every = np.concatenate(chosen)
    return every[np.argsort(cost[every], kind="stable")][:most]


def without_pinches(
    a: np.ndarray, b: np.ndarray, times: np.ndarray, count: int, chosen: np.ndarray
) -> np.ndarray:
    """Return the collapses that leave the surface a surface.

    The ends of an edge may share no neighbours but those of its own triangles, and an edge inside
    must not join two rims.
    """
    on_rim = np.zeros(count, dtype=bool)
    for ends in (a, b):
        on_rim[ends[times == 1]] = True
    chosen = chosen[~(on_rim[a[chosen]] & on_rim[b[chosen]] & (times[chosen] != 1))]
    # a collapse, by its place in `chosen`, and every neighbour of its ends
    of = np.full(count, -1)
    for ends in (a, b):
        of[ends[chosen]] = np.arange(len(chosen))
    pairs = [(of[one], other) for one, other in ((a, b), (b, a))]
    each = np.concatenate([at[at >= 0] * count + other[at >= 0] for at, other in pairs])
    both, often = np.unique(each, return_counts=True)
    shared = np.bincount(both[often == 2] // count, minlength=len(chosen))
    return chosen[shared == times[chosen]]


def without_flips(
    points: np.ndarray,
    triangles: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    place: np.ndarray,
    chosen: np.ndarray,
) -> np.ndarray:
    """Return the collapses that, made together, turn no triangle over."""
    before = normals_of(points, triangles)
    while len(chosen):
        moved, owner = points.copy(), np.full(len(points), -1)
        for ends in (a[chosen], b[chosen]):
            moved[ends] = place[chosen]
            owner[ends] = chosen
        touched = np.flatnonzero((owner[triangles] >= 0).any(axis=1))
        own = owner[triangles[touched]]
        after = normals_of(moved, triangles[touched])
        turn = (before[touched] * after).sum(axis=1)
        gone = ((own >= 0) & (own == np.roll(own, 1, axis=1))).any(axis=1)
        lengths = np.linalg.norm(before[touched], axis=1) * np.linalg.norm(after, axis=1)
        wrong = ~gone & (turn <= TURNED * lengths)
        if not wrong.any():
            return chosen
        chosen = np.setdiff1d(chosen, own[wrong])
    return chosen


def distinct(triangles: np.ndarray) -> np.ndarray:
    """Return which triangles have three corners, and none the same three as one before."""
    a, b, c = np.sort(triangles, axis=1).T
    whole_ones = np.flatnonzero((a != b) & (b != c))
    count = int(triangles.max()) + 1
    if count < 2_000_000:  # three numbers in 63 bits
        each = (a.astype(np.int64) * count + b) * count + c
        return np.sort(whole_ones[np.unique(each[whole_ones], return_index=True)[1]])
    return whole_ones


def thinned(mesh: TriangleMesh, most: int) -> TriangleMesh:
    """Return the surface with one point in every cell of a grid, as fine as is allowed."""
    normals = normals_of(mesh.points, mesh.triangles)
    area = float(np.linalg.norm(normals, axis=1).sum()) / 2
    facing = sides_of(mesh, normals)
    side = float(np.clip(np.sqrt(2 * area / most), 1e-5, 1.0))  # two triangles in a cell
    coarse = 1.0
    for _ in range(6):
        count = len(distinct(cells_of(mesh.points, side, facing)[0][mesh.triangles]))
        coarse = side if count <= most else coarse
        if 0.9 * most < count <= most:
            break
        # as many triangles as cells, and so many cells as the square of their side allows
        side = float(np.clip(side * np.sqrt(max(count, 1) / (0.95 * most)), 1e-5, 1.0))
    cell, low = cells_of(mesh.points, coarse, facing)
    triangles = cell[mesh.triangles]
    left = distinct(triangles)
    left = left if len(left) else np.array([0])
    Q = quadrics(mesh.points, mesh.triangles, mesh.colours)
    sums = [np.bincount(cell, column) for column in (*Q.T, *mesh.points.T)]
    form, middle = np.stack(sums[:10], axis=1), np.stack(sums[10:], axis=1)
    middle = middle / np.bincount(cell)[:, None]
    place = np.clip(best(form, middle)[0], low, low + coarse)
    triangles = triangles[left]
    over = (normals_of(place, triangles) * normals[left]).sum(axis=1) < 0
    triangles[over] = triangles[over, ::-1]
    colours = None if mesh.colours is None else mesh.colours[left]
    return joined(TriangleMesh(place, triangles, colours))


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
