"""An equal robot with fewer numbers in it: frames along the joints, inertias regrouped.

Before a definition is recorded, the tree is rewritten twice. Neither rewriting changes any torque,
energy difference or mass matrix; both only make the recorded program shorter.

Khalil: W. Khalil, E. Dombre, *Modeling, Identification and Control of Robots*, 2002, chapter 9.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qddot.model.tree import BASE, Body, Tree
from qddot.scalars import Mat3, Vec3
from qddot.spatial.inertia import Inertia, euler, from_euler
from qddot.spatial.pose import ORIGIN, STILL, Pose
from qddot.spatial.vector import cross, skew, split, vector

Z = (0, 0, 1)


def aligned(tree: Tree) -> Tree:
    """Return the same robot with every joint along the z axis of its body's frame.

    Each body's frame B is replaced by B' with X_BB' a constant turn that takes z to the joint's
    axis; a turn about z is the cheapest of all.
    """
    turns = [Pose(turn_to(body.joint.axis), ORIGIN) for body in tree.bodies]  # X_BB'
    X_BB = dict(enumerate(turns)) | {BASE: STILL}
    bodies = [
        replace(
            body,
            X_PJ=X_BB[body.parent].inverse() @ body.X_PJ @ turn,
            joint=type(body.joint)(Z),
            inertia=body.inertia.seen_from(turn.inverse()),
        )
        for body, turn in zip(tree.bodies, turns, strict=True)
    ]
    frames = {name: (i, X_BB[i].inverse() @ X) for name, (i, X) in tree.frames.items()}
    return replace(tree, bodies=tuple(bodies), frames=frames)


def turn_to(axis: Vec3) -> Mat3:
    """Return a rotation whose third column is a unit axis: a permutation where possible."""
    x, y, z = axis
    if x == 0 and y == 0:
        return np.diag([1, z, z]) if isinstance(z, int) else np.diag([1.0, z, z])
    # any vector that is not nearly parallel to the axis, turned into a right-handed triad
    other = (0, 0, 1) if abs(z) < 0.9 else (1, 0, 0)
    first = cross(other, axis)
    length = np.sqrt(float(first @ first))
    first = first if length == 1 else first / length
    return np.column_stack([first, cross(axis, first), vector(list(axis))])


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
    """Return the part of a body's inertia that its own joint's motion does not change.

    The moments ∫ r̄ r̄ᵀ dm of r̄ = [r; 1] change by Ŝ, which takes a point to its velocity. What lies
    in the kernel of Ŝ stays:

        Ŝ = [[w]×  u]        k is left alone where Ŝ eₖ = 0
            [ 0    0]
    """
    w, u = split(body.joint.S)
    left = np.array([not column.any() for column in (*skew(w).T, u)])
    moments = np.where(np.outer(left, left)[:3, :3], euler(inertia.I), 0)
    h = [x if stays and left[3] else 0 for x, stays in zip(inertia.h, left, strict=False)]
    return Inertia(inertia.m if left[3] else 0, vector(h), from_euler(moments))


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
