"""What an arm is drawn as: lines from joint to joint and to the tip, and a solid for each link.

Every point of the skeleton is fixed to one body, or lies between two that are; so all of them are
one small program of q, compiled, for as many q as there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.dynamics.capsules import TINY, tip
from qddot.dynamics.kinematics import body_poses
from qddot.model.tree import BASE, Tree
from qddot.present.figures.springs import tied
from qddot.program.optimise import optimised
from qddot.program.recorder import record

THIN, WIDE = 0.032, 0.07  # least and most half axis of a body, in parts of the size of the arm


@dataclass(frozen=True)
class DrawnJoint:
    """Where a joint is drawn."""

    point: int
    name: str
    index: int  # the entry of q that moves it
    turns: bool


@dataclass(frozen=True)
class Skeleton:
    """Points that move with the arm, and the polylines between them."""

    lines: tuple[tuple[int, ...], ...]  # one or more a body, as numbers of points
    thin: tuple[tuple[int, ...], ...]  # springs and dampers
    shifts: np.ndarray  # (bodies, 3), how far off each body is drawn, in its own axes [m]
    joints: tuple[DrawnJoint, ...]  # one a body
    tips: tuple[int, ...]  # the points at the ends
    traced: dict[str, int]  # the points of the frames that were asked for
    kernel: Kernel

    def points(self, q: Any) -> np.ndarray:
        """Return where the points are in the base [m], shape (..., points, 3)."""
        q = np.asarray(q, float)
        return self.kernel(q) if q.ndim > 1 else self.kernel.program(q)  # one is soon computed


def skeleton(tree: Tree, frames: Sequence[str] = ()) -> Skeleton:
    """Return the skeleton of an arm, with the points of further frames.

    A body is drawn from its own joint to the joints it carries, first along its own axis and then
    away from it, as links are built; then to its frame "tool", or at the end of a branch to the
    frame that is farthest out, or to the centre of mass where there is none.
    """
    points: list[tuple[int, np.ndarray]] = []  # the body, and where on it
    origins: dict[int, int] = {}  # the points at which bodies have their own joints
    on_springs = tied(tree)
    shifts = np.zeros((len(tree.bodies), 3))
    for i, far in (on_springs.shift if on_springs else {}).items():
        shifts[i] = far * np.array(tree.bodies[i].axis, dtype=float)

    def point(body: int, where: Any) -> int:
        at = np.array(where, dtype=float)
        if body in origins and np.abs(at).max() < TINY:
            return origins[body]
        at = at if body == BASE else at + shifts[body]
        for k, (other, known) in enumerate(points):
            if other == body and np.abs(known - at).max() < TINY:
                return k
        points.append((body, at))
        return len(points) - 1

    def line(body: int, end: Any) -> list[int]:
        """Return the points from a body's joint, over the bend, to the end."""
        return list(dict.fromkeys(point(body, where) for where in link_path(tree, body, end)))

    lines, joints, tips = [], [], []
    for i, body in enumerate(tree.bodies):
        route = line(body.parent, body.X_PJ.p)
        slides = any(u.any() for _, u in body.columns)
        # one that slides leaves its place on the parent
        origins[i] = point(i, (0, 0, 0)) if slides else route[-1]
        at = origins[i] if on_springs else route[-1]
        joints.append(DrawnJoint(at, body.name, tree.drives[i].index, body.turns))
        if not on_springs:
            lines.append([*route, origins[i]] if slides else route)
    for i, end in branch_ends(tree):
        lines.append(line(i, end))
        tips.append(lines[-1][-1])
    between: list[tuple[int, int, float, np.ndarray]] = []  # two points, how far, and from there
    thin: list[list[int]] = []
    if on_springs:
        lines += [[point(b, at) for at in line] for b, line in on_springs.outlines(tree)]
        for tie in on_springs.ties:
            first, second = origins.get(tie.first, BASE), origins[tie.second]
            if first == BASE:
                first = point(BASE, tree.bodies[tie.second].X_PJ.p)
            for places in on_springs.lines(tie):
                thin.append([len(between) + k for k in range(len(places))])
                for s, along, aside in places:
                    off = along * on_springs.along + aside * on_springs.aside
                    between.append((first, second, s, off))
    traced = {name: point(b, X_BF.p) for name, (b, X_BF) in ((f, tree.frame(f)) for f in frames)}

    def where(q: Any) -> np.ndarray:
        X_W = body_poses(tree, q)
        found = [X_W[body].point(at) for body, at in points]
        found += [found[a] + s * (found[b] - found[a]) + off for a, b, s, off in between]
        return np.array(found, dtype=object)

    return Skeleton(
        tuple(tuple(route) for route in lines if len(route) > 1),
        tuple(tuple(len(points) + k for k in route) for route in thin),
        shifts,
        tuple(joints),
        tuple(dict.fromkeys(tips)),
        traced,
        Kernel(optimised(record(where, "skeleton", q=(tree.nq,)))),
    )


def link_path(tree: Tree, body: int, end: Any) -> list[np.ndarray]:
    """Return where a link goes: from its joint along the axis, then away from it, to the end."""
    end = np.array(end, dtype=float)
    if body == BASE:
        return [np.zeros(3), end]
    axis = np.array(tree.bodies[body].axis, dtype=float)
    return [np.zeros(3), axis * (axis @ end), end]


def branch_ends(tree: Tree) -> Iterator[tuple[int, Any]]:
    """Yield where arms end: a body, and on it its frame "tool", or its tip if it carries none."""
    carriers = {body.parent for body in tree.bodies}
    for i in range(len(tree.bodies)):
        tools = [X_BF.p for name, (b, X_BF) in tree.frames.items() if b == i and name == "tool"]
        if tools or i not in carriers:
            yield i, tools[0] if tools else tip(tree, i)


def half_axes(tree: Tree, size: float) -> np.ndarray:
    """Return the half axes of each body, drawn as an ellipsoid, one a column, (bodies, 3, 3).

    A solid ellipsoid of mass m has these moments if its half axes are:

        aₖ² = 5 / (2m) (Iᵢ + Iⱼ − Iₖ)

    Bodies of textbooks may be points, and measured ones wider than their links: each half axis is
    kept between one that can be seen and a slender one, in parts of the size of the arm [m]; the
    longest may reach from end to end. A body without mass has none.
    """
    found = np.zeros((len(tree.bodies), 3, 3))
    for i, body in enumerate(tree.bodies):
        if not float(body.inertia.m) > 0:
            continue
        mass, com, I = body.inertia.com_form()
        # ascending, so that the first half axis is the longest
        moments, directions = np.linalg.eigh(np.array(I, dtype=float))
        half = np.sqrt(np.maximum(2.5 / float(mass) * (moments.sum() - 2 * moments), 0))
        slender = WIDE * size
        most = [max(slender, farthest(tree, i, np.array(com, dtype=float))), slender, slender]
        found[i] = directions * np.clip(half, THIN * size, most)
    return found


def farthest(tree: Tree, body: int, point: np.ndarray) -> float:
    """Return how far a body's joints and frames are at most from a point of it [m]."""
    ends = [(0, 0, 0), *(X_BF.p for b, X_BF in tree.frames.values() if b == body)]
    ends += [child.X_PJ.p for child in tree.bodies if child.parent == body]
    return max(float(np.linalg.norm(np.array(end, dtype=float) - point)) for end in ends)
