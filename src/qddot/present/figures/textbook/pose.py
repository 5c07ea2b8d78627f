"""The pose in which an arm is drawn, and from where it is seen.

A planar arm is bent; a spatial one stands with its joints at right angles, where the points of its
skeleton are best apart on paper.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from qddot.dynamics.capsules import TINY, tip
from qddot.dynamics.kinematics import body_poses
from qddot.model.model import Model
from qddot.model.tree import Tree
from qddot.present.figures.view import view_of
from qddot.scalars.expressions import free_symbols

WIDE, TALL = 9.0, 5.5  # [cm] that an arm's joints may take on paper
BENDS = tuple(math.radians(angle) for angle in (40, 35, -60, 50))  # of a planar arm
TURN, RAISE = math.radians(32), math.radians(24)  # from where a spatial arm is seen
NEAR = 1.5  # [cm] joints that are nearer on paper are in each other's way
SWEEPS = 2  # over all joints
# beside two links that cross: all of the arm below the floor, or left of its base; a right angle; a
# centimetre of size
BELOW, LEFT, TURNED, LARGE = 4.0, 2.0, 0.1, 0.1
RIGHT = math.pi / 2


def seen_from_a_corner(view: np.ndarray) -> np.ndarray:
    """Return the directions of the paper, (2, 3), of those to the right, to the back and up."""
    right, back, up = view
    toward = math.sin(TURN) * right - math.cos(TURN) * back
    return np.array(
        [
            math.cos(TURN) * right + math.sin(TURN) * back,
            math.cos(RAISE) * up - math.sin(RAISE) * toward,
        ]
    )


def pose_and_view(model: Model, tree: Tree) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return q, the directions of the paper in base axes (2, 3), and whether the arm is planar."""
    view = view_of(tree)
    if view.flat:
        return bent(model, tree), view.axes, True
    axes = seen_from_a_corner(view.axes)
    return upright(model, tree, axes, view.axes[2]), axes, False


def reach(tree: Tree) -> float:
    """Return a typical length of a link [m]."""
    sizes = [float(np.linalg.norm(floats(b.X_PJ.p))) for b in tree.bodies]
    sizes += [float(np.linalg.norm(floats(X.p))) for _, X in tree.frames.values()]
    known = [size for size in sizes if size > TINY]
    return float(np.mean(known)) if known else 1.0


def _within(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


def spans(model: Model) -> list[tuple[float, float]]:
    """Return how far each joint goes; without limits, and where these are symbols, for ever."""
    found = []
    for joint in model.free_joints:
        low, high = (x if x is None or not free_symbols(x) else None for x in joint.ends)
        found.append(
            (-math.inf if low is None else float(low), math.inf if high is None else float(high))
        )
    return found


def slid(tree: Tree, span: tuple[float, float]) -> float:
    """Return where a joint that slides is drawn: in the middle of its way, or as far as a link."""
    low, high = span
    return (low + high) / 2 if math.isfinite(high - low) else _within(reach(tree), low, high)


def bent(model: Model, tree: Tree) -> np.ndarray:
    """Return the pose of a planar arm."""
    bends, q = 0, []
    for joint, span in zip(model.free_joints, spans(model), strict=True):
        q.append(_within(BENDS[bends % len(BENDS)], *span) if joint.turns else slid(tree, span))
        bends += joint.turns
    return np.array(q)


def upright(model: Model, tree: Tree, axes: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return a pose with every joint at a right angle; one after the other turns, if it helps."""
    joints, ends = model.free_joints, spans(model)
    q = np.array(
        [
            _right_angle(0, *span) if joint.turns else slid(tree, span)
            for joint, span in zip(joints, ends, strict=True)
        ]
    )
    best = crowding(tree, axes, up, q)
    for _ in range(SWEEPS):
        for i, (joint, span) in enumerate(zip(joints, ends, strict=True)):
            for turns in (1, -1, 0) if joint.turns else ():
                other = q.copy()
                other[i] = _right_angle(turns, *span)
                if (found := crowding(tree, axes, up, other)) < best - 1e-9:
                    q, best = other, found
    return q


def _right_angle(turns: float, low: float, high: float) -> float:
    """Return the multiple of 90° nearest to the wanted one between two limits, or their middle."""
    least, most = math.ceil(low / RIGHT - 1e-9) if math.isfinite(low) else -9, 9
    most = math.floor(high / RIGHT + 1e-9) if math.isfinite(high) else most
    return _within(turns, least, most) * RIGHT if least <= most else (low + high) / 2


def crowding(tree: Tree, axes: np.ndarray, up: np.ndarray, q: np.ndarray) -> float:
    """Return how badly an arm can be drawn: points close, links crossed, below the floor."""
    poses = body_poses(tree, q)
    lines: list[tuple[np.ndarray, np.ndarray]] = []
    for i, body in enumerate(tree.bodies):
        carried = floats(poses[body.parent].p), floats((poses[body.parent] @ body.X_PJ).p)
        lines += [carried, (carried[1], floats(poses[i].p))]
    carriers = {body.parent for body in tree.bodies}
    ends = [i for i in range(len(tree.bodies)) if i not in carriers]
    lines += [(floats(poses[i].p), floats(poses[i].point(tip(tree, i)))) for i in ends]
    flat = np.array(lines) @ axes.T  # (lines, 2, 2)
    wide, tall = np.maximum(np.ptp(flat.reshape(-1, 2), axis=0), 1e-9)
    scale = min(WIDE / wide, TALL / tall)
    places = np.array(list(dict.fromkeys(tuple(p.round(6)) for line in lines for p in line)))
    apart = scale * np.linalg.norm((places[:, None] - places) @ axes.T, axis=2)
    close = float((np.maximum(0, NEAR - apart[np.triu_indices(len(places), 1)]) ** 2).sum())
    below = max(0.0, -float((places @ up).min())) / float(np.ptp(places, axis=0).max() or 1)
    crossed = sum(crosses(*a, *b) for k, a in enumerate(flat) for b in flat[:k])
    to_the_left = float(((places @ axes[0]) < -TINY).mean())
    turned = float(np.abs(q).sum()) / RIGHT
    costs = close + crossed + BELOW * below + LEFT * to_the_left + TURNED * turned
    return costs - LARGE * scale * math.sqrt(wide * tall)


def crosses(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> bool:
    """Return whether the lines ab and cd cut each other between their ends."""
    return left(a, b, c) * left(a, b, d) < -1e-12 and left(c, d, a) * left(c, d, b) < -1e-12


def left(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """Return twice the area of a triangle, positive where c is to the left of ab."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def floats(x: Any) -> np.ndarray:
    return np.array(x, dtype=float)
