"""From where an arm is looked at: across its plane if it has one, else from a corner; upright."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.dynamics.kinematics import body_poses
from qddot.model.tree import Tree

PARALLEL = 1e-4  # [rad], what files that write 1.5708 for π/2 mean by a right angle
LETTERS = ("x", "y", "z")


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
