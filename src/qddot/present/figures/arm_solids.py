"""Links as the solids that have their inertia."""

from __future__ import annotations

import numpy as np

from qddot.model.tree import Tree

THIN, WIDE = 0.032, 0.07  # least and most half axis of a body, in parts of the size of the arm


def half_axes(tree: Tree, size: float) -> np.ndarray:
    """Return the half axes of each body, drawn as an ellipsoid, one a column, (bodies, 3, 3).

    A solid ellipsoid of mass m has these moments if its half axes are:

        aₖ² = 5 / (2m) (Iᵢ + Iⱼ − Iₖ)

    Bodies of textbooks may be points, and measured ones wider than their links: each half axis is
    kept between one that can be seen and a slender one; the longest may reach from end to end. A
    body without mass has none.

    Args:
        tree: The robot's moving bodies.
        size: How large the arm is drawn to be [m].
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
