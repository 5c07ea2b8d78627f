"""An equal robot with fewer numbers in it: frames along the joints, inertias regrouped.

Before a definition is recorded, the tree is rewritten twice. Neither rewriting changes any torque,
energy difference or mass matrix; both only make the recorded program shorter.

Khalil: W. Khalil, E. Dombre, *Modeling, Identification and Control of Robots*, 2002, chapter 9.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qddot.model.tree import BASE, Body, Tree
from qddot.spatial.inertia import Inertia, euler, from_euler
from qddot.spatial.pose import ORIGIN, STILL, Pose
from qddot.spatial.vector import skew, vector


def aligned(tree: Tree) -> Tree:
    """Return the same robot with every joint along the z axis of its body's frame.

    Each body's frame B is replaced by B' with X_BB' a constant turn that takes z to the joint's
    axis; a turn about z is the cheapest of all.
    """
    motions = [body.joint.along_z() for body in tree.bodies]
    turns = [Pose(R, ORIGIN) for R, _ in motions]  # X_BB'
    X_BB = dict(enumerate(turns)) | {BASE: STILL}
    bodies = [
        replace(
            body,
            X_PJ=X_BB[body.parent].inverse() @ body.X_PJ @ turn,
            joint=joint,
            inertia=body.inertia.seen_from(turn.inverse()),
        )
        for body, turn, (_, joint) in zip(tree.bodies, turns, motions, strict=True)
    ]
    frames = {name: (i, X_BB[i].inverse() @ X) for name, (i, X) in tree.frames.items()}
    return replace(tree, bodies=tuple(bodies), frames=frames)


def regrouped(tree: Tree) -> Tree:
    """Return the tree of `aligned`, with as few inertial numbers as its torques allow (Khalil).

    What a joint's motion leaves as it is, seen from the body before, belongs to either body: for a
    joint that turns about z, a mass on the axis and equal second moments across it; for a joint
    that slides, every second moment about the frame's origin. These are moved towards the base
    until they fall off it, so m, mz and ∫z² dm of a turning body and I of a sliding one vanish.
    """
    tree = aligned(tree)
    inertias = [body.inertia for body in tree.bodies]
    for i in reversed(range(len(inertias))):
        body = tree.bodies[i]
        moved = movable(body, inertias[i])
        inertias[i] = inertias[i] + scaled(moved, -1)
        if body.parent != BASE:
            # the same at every position of the joint, so seen from where it stands at zero
            inertias[body.parent] = inertias[body.parent] + moved.seen_from(body.X_PJ)
    bodies = [replace(b, inertia=cleaned(I)) for b, I in zip(tree.bodies, inertias, strict=True)]
    return replace(tree, bodies=tuple(bodies))


def movable(body: Body, inertia: Inertia) -> Inertia:
    """Return the part of a body's inertia that its own joint's motion does not change."""
    left = left_alone(body)
    moments = np.where(np.outer(left, left)[:3, :3], euler(inertia.I), 0)
    h = [x if stays and left[3] else 0 for x, stays in zip(inertia.h, left, strict=False)]
    return Inertia(inertia.m if left[3] else 0, vector(h), from_euler(moments))


def left_alone(body: Body) -> np.ndarray:
    """Return which of x, y, z and 1 a joint's motion leaves as they are, four booleans.

    The moments ∫ r̄ r̄ᵀ dm of r̄ = [r; 1] change by Ŝ, which takes a point to its velocity. What lies
    in the kernel of Ŝ stays, for every column of S:

        Ŝ = [[w]×  u]        k is left alone where Ŝ eₖ = 0
            [ 0    0]
    """
    parts = [(*skew(w).T, u) for w, u in body.columns]
    return np.array([not any(part[k].any() for part in parts) for k in range(4)])


def scaled(inertia: Inertia, factor: float) -> Inertia:
    """Return the inertia of the same body with all its mass multiplied."""
    return Inertia(factor * inertia.m, factor * inertia.h, factor * inertia.I)


def cleaned(inertia: Inertia) -> Inertia:
    """Return the inertia without the rounding residue that differences have left.

    An entry below 1e-15 of the largest is a zero that was computed.
    """
    phi = np.array(inertia.parameters, dtype=float)
    phi[np.abs(phi) < 1e-15 * np.abs(phi).max(initial=0)] = 0
    return Inertia.from_parameters([float(x) for x in phi])
