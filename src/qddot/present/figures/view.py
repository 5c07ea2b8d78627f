"""From where an arm is looked at, upright, and what it stands on.

A picture in the plane is seen across the plane of the arm, if it has one, else from a corner. A
page that draws in three dimensions gets its stage: what is up, what must be in view, the floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.dynamics.kinematics import body_poses
from qddot.model.tree import Tree
from qddot.robot import Robot

PARALLEL = 1e-4  # [rad], what files that write 1.5708 for π/2 mean by a right angle
LETTERS = ("x", "y", "z")

SAMPLES = 200  # random q that tell where an arm gets to
MOST = 0.08  # share of the points on either side that need not be in view
FARTHEST = 4  # half turns or half metres that joints are moved, however wide their limits
BELOW = 0.12  # how far under its floor an arm is in view, in parts of its size
FOOT = 0.06  # radius of what it stands on, the same
SCALE = 0.78  # what thicknesses are parts of, in parts of its size
FILLED = 0.76  # of a box that pages bring into view; FILLED of arm_view/view.js
DIGITS = 5  # of metres: nobody sees more

FROM_A_CORNER = {"azimuth": -0.9, "elevation": 0.32}  # [rad]
FROM_ABOVE = {"azimuth": -0.9, "elevation": 0.7}
ASIDE, RAISED = -0.35, 0.16  # [rad], from the front of an arm that moves in an upright plane


@dataclass(frozen=True)
class View:
    """The directions of a picture in base axes, one a row: right, up; or right, back, up."""

    axes: np.ndarray  # (2, 3) or (3, 3)

    @property
    def flat(self) -> bool:
        return len(self.axes) == 2

    @property
    def names(self) -> tuple[str, ...]:
        """What the directions are called: "x", "−y", or "e1" where they are no axis."""
        return tuple(direction_name(row, k) for k, row in enumerate(self.axes))

    def seen(self, points: np.ndarray) -> np.ndarray:
        """Return points of the base in the directions of the picture, shape (..., 2 or 3)."""
        return points @ self.axes.T


def view_of(tree: Tree) -> View:
    """Return the view that suits an arm: up is against gravity."""
    gravity = np.array([float(x) for x in tree.gravity])
    normal = plane_normal(tree)
    if normal is None:
        up = unit(-gravity) if gravity.any() else np.array([0.0, 0.0, 1.0])
        right = across(up)
        return View(np.array([right, np.cross(up, right), up]))
    up = -gravity - normal * (normal @ -gravity)
    if np.linalg.norm(up) > PARALLEL * max(np.linalg.norm(gravity), 1):
        up = unit(up)
        right = np.cross(up, normal)
        # look at the plane from the side from which the axis points to the right
        return View(np.array([right if right[np.abs(right).argmax()] > 0 else -right, up]))
    # gravity pulls through the plane, or there is none: the arm lies on a table
    right = across(normal)
    up = np.cross(normal, right)
    return View(np.array([right, up if up[np.abs(up).argmax()] > 0 else -up]))


def plane_normal(tree: Tree) -> np.ndarray | None:
    """Return the normal of the plane in which all bodies move whatever q is, or None.

    They do if every joint that turns does so about the normal and every joint that slides does so
    across it. Such turns leave the normal where it is, so that one q tells it for all.
    """
    X_W = body_poses(tree, np.zeros(tree.n))
    turning, sliding = [], []
    for i, body in enumerate(tree.bodies):
        for w, u in body.columns:
            for axis, kind in ((w, turning), (u, sliding)):
                if axis.any():
                    kind.append(unit(np.array(X_W[i].R @ axis, dtype=float)))
    if turning:
        normal = turning[0]
    elif sliding:
        normal = across_all(sliding, np.array([float(x) for x in tree.gravity]))
    else:
        return None
    flat = all(np.linalg.norm(np.cross(normal, axis)) < PARALLEL for axis in turning)
    flat = flat and all(abs(normal @ axis) < PARALLEL for axis in sliding)
    return normal if flat else None


def across_all(axes: list[np.ndarray], gravity: np.ndarray) -> np.ndarray:
    """Return a direction across all of these, and across gravity too if there is a choice."""
    down = unit(gravity) if gravity.any() else np.array([0.0, 0.0, -1.0])
    for second in [*axes[1:], down, *np.eye(3)[[1, 0]]]:
        normal = np.cross(axes[0], second)
        if np.linalg.norm(normal) > PARALLEL:
            return unit(normal)
    return across(axes[0])


def across(direction: np.ndarray) -> np.ndarray:
    """Return the direction across this one that is nearest to x, or to y."""
    for letter in np.eye(3):
        rest = letter - direction * (direction @ letter)
        if np.linalg.norm(rest) > 0.5:
            return unit(rest)
    return unit(np.cross(direction, [0, 0, 1]))


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x)


def direction_name(direction: np.ndarray, k: int) -> str:
    i = int(np.abs(direction).argmax())
    if abs(direction[i]) < 1 - PARALLEL:
        return f"e{k + 1}"
    return LETTERS[i] if direction[i] > 0 else f"−{LETTERS[i]}"


def typical(robot: Robot) -> np.ndarray:
    """Return q from all over where the robot gets to, its home first, shape (k, n)."""
    ends = robot.limits.span(most=FARTHEST)
    found = np.random.default_rng(0).uniform(*ends, (SAMPLES, robot.n))
    found[0] = robot.home
    return found


def box_of(tree: Tree, points: np.ndarray) -> np.ndarray:
    """Return the box of where an arm usually is, and of all of it at first, shape (2, 3).

    The points are those of the arm at many q, shape (k, points, 3) [m]. An arm that moves in a
    plane swings all through it: there it is the box of every place.
    """
    rare = MOST if plane_normal(tree) is None else 0.0
    low, high = np.quantile(points.reshape(-1, 3), [rare, 1 - rare], axis=0)
    first = np.vstack([points[0], np.zeros(3)])
    return np.array([np.minimum(low, first.min(axis=0)), np.maximum(high, first.max(axis=0))])


def stage(tree: Tree, box: np.ndarray, first: np.ndarray, size: float) -> dict[str, Any]:
    """Return what stands still: up is against gravity, a planar arm is seen from its front.

    The box is what must be in view, shape (2, 3) [m]; the first points are the arm's, shape
    (points, 3) [m]; the arm is drawn as large as the size [m].
    """
    up, normal = upright(tree)
    if normal is not None and abs(normal @ up) < 0.5:
        # its plane is upright, as on a wall: the floor is under everything it reaches
        right = across(up)
        front = float(np.arctan2(normal @ np.cross(up, right), normal @ right))
        look = {"azimuth": front + ASIDE, "elevation": RAISED}
        corners = np.array(np.meshgrid(*box.T)).reshape(3, -1)
        floor = float((up @ corners).min()) - FOOT * size
    else:
        look = FROM_A_CORNER if normal is None else FROM_ABOVE
        lowest = float((first @ up).min())
        floor = lowest if lowest < -FOOT * size else 0.0
        box = kept_above(box, up, floor - BELOW * size)
    return {
        "up": plain(up),
        "floor": round(floor, DIGITS),
        "box": plain(box),
        "scale": round(SCALE * size, DIGITS),
        "look": {name: round(angle, 4) for name, angle in look.items()},
    }


def upright(tree: Tree) -> tuple[np.ndarray, np.ndarray | None]:
    """Return what is up, and the normal of the plane in which an arm moves, or None."""
    view, gravity = view_of(tree), np.array([float(x) for x in tree.gravity])
    up = unit(-gravity) if gravity.any() else view.axes[-1]
    return up, np.cross(*view.axes) if view.flat else None


def mounted_on(tree: Tree) -> np.ndarray:
    """Return the direction away from what an arm is fixed to: up, or the normal of a wall."""
    up, normal = upright(tree)
    return normal if normal is not None and abs(normal @ up) < 0.5 else up


def all_in_view(box: np.ndarray) -> np.ndarray:
    """Return a box so large that all of this one is in view, corners included.

    Pages leave the corners out: of where an arm can get to, they are empty.
    """
    middle = box.mean(axis=0)
    return middle + (box - middle) / FILLED


def kept_above(box: np.ndarray, up: np.ndarray, height: float) -> np.ndarray:
    """Return the box without what is lower, where up is along one of its sides."""
    k = int(np.abs(up).argmax())
    if abs(up[k]) < 1 - PARALLEL:
        return box
    low, high = box.copy()
    if up[k] > 0:
        low[k] = max(low[k], height)
    else:
        high[k] = min(high[k], -height)
    return np.array([low, high])


def plain(x: np.ndarray) -> list[Any]:
    """Return an array as lists of rounded numbers."""
    return (np.round(x, DIGITS) + 0.0).tolist()  # + 0.0, so that no zero is negative
