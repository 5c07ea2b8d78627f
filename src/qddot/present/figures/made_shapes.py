"""The shapes of an arm whose file has none: tapered links, drums about the axes, a flange, a foot.

They show what the equations know: where the joints are, which way they turn or slide, where links
begin and end. How thick they are is chosen, as parts of the length of the arm.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from qddot.dynamics.capsules import TINY
from qddot.model.tree import BASE, Tree
from qddot.present.figures import style
from qddot.present.figures.shells import Shell, box, capsule, cone, cylinder, joined
from qddot.present.figures.skeleton import branch_ends, link_path
from qddot.present.figures.springs import HIGH, WIDE, tied
from qddot.present.figures.view import across, mounted_on, unit

MadePart = tuple[int, Shell, str]  # the body that carries it, its surface, its colour

LINK, DRUM, DARK = "#e9ebee", "#d3d7dc", "#454c55"
THICK = 0.036  # radius of the first drum, in parts of the length of the arm
SLIMMEST = 0.5  # of the last drum beside the first
TUBE = 0.74  # of a link beside its drum
LONG = 1.16  # half the length of a drum, in its radii
CAP, RAISED = 0.66, 0.07  # of the coloured caps of a drum, in radii: how wide, how high
FOOT, FOOT_HIGH = 1.9, 0.75  # of the plate an arm stands on, in radii of the first drum
MOST_TRAVEL = 1.5  # of a slide whose ends are not told, in parts of the length of the arm


def made_shapes(tree: Tree, travel: np.ndarray, sides: int) -> Iterator[MadePart]:
    """Yield the parts of an arm, with so many sides to a whole turn.

    The travel is the least and largest position of each joint, shape (n, 2) [rad or m].
    """
    springs = tied(tree)
    if springs:
        for body, far in springs.shift.items():
            R = np.array(tree.bodies[body].X_PJ.R, dtype=float)
            deep = np.cross(springs.along, springs.aside)
            axes = R.T @ np.column_stack([springs.aside, springs.along, deep])
            block = box((2 * WIDE, 2 * HIGH, 2 * HIGH))
            middle = far * np.array(tree.bodies[body].axis, dtype=float)
            yield body, block.placed(axes, middle), style.colour(tree.drives[body].index)
            if far:
                wall = box((2.6 * WIDE, 0.06, 3.2 * HIGH))
                at = np.array(tree.bodies[body].X_PJ.p, dtype=float) - 0.03 * springs.along
                base = np.column_stack([springs.aside, springs.along, deep])
                yield BASE, wall.placed(base, at), DARK
        return
    routes = [*_routes(tree)]
    length = max((far for _, _, far in routes), default=1.0) or 1.0
    radius = _Radius(THICK * length, length)
    depth = {BASE: 0.0}  # [m], how far along the arm the joint of each body is
    for i, body in enumerate(tree.bodies):
        depth[i] = depth[body.parent] + float(np.linalg.norm(np.array(body.X_PJ.p, dtype=float)))
    for k, (body, corners, far) in enumerate(routes):
        if k >= len(tree.bodies) and len(corners) > 1:  # its round end must not pass the flange
            last = corners[-1] - corners[-2]
            short = max(1 - TUBE * radius(far) / float(np.linalg.norm(last)), 0.1)
            corners = [*corners[:-1], corners[-2] + short * last]
        yield from _link(body, corners, depth[body], radius, sides)
    for i in range(len(tree.bodies)):
        drawn = _drum if tree.bodies[i].turns else _slide
        drive, most = tree.drives[i], MOST_TRAVEL * length
        ends = np.sort(float(drive.ratio) * travel[drive.index] + float(drive.offset))
        yield from drawn(tree, i, radius(depth[i]), np.clip(ends, -most, most), sides)
    yield from _ends(tree, routes, depth, radius, sides)
    r = radius(0)
    plate = cone(FOOT * r, 0.86 * FOOT * r, FOOT_HIGH * r, sides)
    up = mounted_on(tree)
    yield BASE, plate.placed(_frame(up), (0.5 * FOOT_HIGH - 0.55) * r * up), DARK


class _Radius:
    """The radius of the drums [m] as it falls along an arm."""

    def __init__(self, first: float, length: float) -> None:
        self.first, self.length = first, length

    def __call__(self, depth: float) -> float:
        return self.first * (1 - (1 - SLIMMEST) * min(depth / self.length, 1.0))


def _routes(tree: Tree) -> Iterator[tuple[int, list[np.ndarray], float]]:
    """Yield the way of each link: its body, the corners in its axes, and how far it gets [m]."""
    far = {BASE: 0.0}
    for i, body in enumerate(tree.bodies):
        p = np.array(body.X_PJ.p, dtype=float)
        far[i] = far[body.parent] + float(np.linalg.norm(p))
        yield body.parent, _bends(tree, body.parent, p), far[i]
    for i, end in branch_ends(tree):
        if tree.frames.get("tool", (BASE, None))[0] == i or not tree.bodies[i].spins:
            p = np.array(end, dtype=float)
            yield i, _bends(tree, i, p), far[i] + float(np.linalg.norm(p))


def _bends(tree: Tree, body: int, end: np.ndarray) -> list[np.ndarray]:
    """Return the corners of a link without those that are in one place."""
    found = link_path(tree, body, end)
    return [found[0], *(b for a, b in pairwise(found) if np.abs(a - b).max() > TINY)]


def _link(
    body: int, corners: list[np.ndarray], depth: float, radius: _Radius, sides: int
) -> Iterator[MadePart]:
    tubes, at = [], depth
    for a, b in pairwise(corners):
        far = float(np.linalg.norm(b - a))
        low, high = TUBE * radius(at), TUBE * radius(at + far)
        tube = capsule(low, far, sides, upper=high)
        tubes.append(tube.placed(_frame(b - a), (a + b) / 2))
        at += far
    if tubes:
        yield body, joined(tubes), LINK


def _drum(tree: Tree, i: int, r: float, _: np.ndarray, sides: int) -> Iterator[MadePart]:
    """Yield a drum about the axis of a joint that turns, with caps in the joint's colour."""
    axis = _frame(np.array(tree.bodies[i].axis, dtype=float))
    yield i, cylinder(r, 2 * LONG * r, sides).placed(axis, np.zeros(3)), DRUM
    cap = cylinder(CAP * r, 2 * (LONG + RAISED) * r, sides)
    yield i, cap.placed(axis, np.zeros(3)), style.colour(tree.drives[i].index)


def _slide(tree: Tree, i: int, r: float, ends: np.ndarray, sides: int) -> Iterator[MadePart]:
    """Yield a sleeve on what carries a joint that slides, and the rod that goes through it."""
    body = tree.bodies[i]
    axis = np.array(body.axis, dtype=float)
    R, p = (np.array(x, dtype=float) for x in (body.X_PJ.R, body.X_PJ.p))
    sleeve = box((1.9 * r, 1.9 * r, 2.6 * r))
    yield body.parent, sleeve.placed(R @ _frame(axis), p), DRUM
    ring = cylinder(CAP * r, 2.9 * r, sides)
    yield body.parent, ring.placed(R @ _frame(axis), p), style.colour(tree.drives[i].index)
    # seen from the rod, the sleeve is at −q
    low, high = min(-ends[1], 0.0) - 1.6 * r, max(-ends[0], 0.0) + 0.2 * r
    rod = cylinder(0.5 * r, high - low, sides)
    yield i, rod.placed(_frame(axis), (low + high) / 2 * axis), "#b4bac2"


def _ends(
    tree: Tree, routes: list[Any], depth: dict[int, float], radius: _Radius, sides: int
) -> Iterator[MadePart]:
    """Yield a flange where links end in nothing."""
    for body, corners, _ in routes[len(tree.bodies) :]:
        if body == BASE or len(corners) < 2:
            continue
        way = unit(corners[-1] - corners[-2])
        r = 0.92 * radius(depth[body] + float(np.linalg.norm(corners[-1])))
        flange = cylinder(r, 0.5 * r, sides)
        yield body, flange.placed(_frame(way), corners[-1] - 0.25 * r * way), DARK


def _frame(axis: np.ndarray) -> np.ndarray:
    """Return a rotation that takes z to an axis."""
    z = unit(np.asarray(axis, dtype=float))
    x = across(z)
    return np.column_stack([x, np.cross(z, x), z])
