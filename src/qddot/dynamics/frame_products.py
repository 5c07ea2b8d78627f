"""Products with the Jacobian of a frame, J q̇ and Jᵀ f, in O(n) and without forming J.

One way along the bodies between the base and the frame. What is asked in the frame's own axes goes
from body to body in the bodies' axes; what is asked in world axes is turned once a body, as the
vector that it is, instead of building up a matrix.
"""

from __future__ import annotations

import numpy as np

from qddot.dynamics.kinematics import Axes, path
from qddot.dynamics.movement import velocities
from qddot.model.tree import Tree
from qddot.scalars import ConfigVec, Force, JointVec, Motion, Vec3
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.vector import cross, join, split, vector


def jacobian_product(
    tree: Tree, q: ConfigVec, qd: JointVec, frame: str, axes: Axes = "world"
) -> Motion:
    """Return J q̇ = [ω; u], the velocity of a frame, in the axes of `jacobian`.

    In world axes, from the frame towards the base: with r from a body's origin to the frame's and
    [w; s] what its joint does, all turned into the axes of the body before as it is reached,

        ω += w        u += w × r + s
    """
    tip, X_BF = tree.frame(frame)
    X = tree.poses(q)
    if axes == "local":
        return X_BF.motion_inv(join(*velocities(tree, q, X, qd)[tip]))
    qd_J = tree.coordinates.velocities(q, qd)
    r, omega, u = X_BF.p, ORIGIN, ORIGIN
    for i in reversed(path(tree, tip)):
        w, s = tree.bodies[i].moves(qd_J)
        omega, u = X[i].R @ (omega + w), X[i].R @ (u + cross(w, r) + s)
        r = X[i].point(r)
    return join(omega, u if axes == "world" else u + cross(r, omega))


def jacobian_transposed_product(
    tree: Tree, q: ConfigVec, wrench: Force, frame: str, axes: Axes = "world"
) -> JointVec:
    """Return Jᵀ f, the torques that balance a wrench given as `jacobian` gives velocities.

    In the frame's own axes, from the frame towards the base, as forces are handed on; in world
    axes the other way, with the moment about the origin of each body as it is reached.
    """
    tip, X_BF = tree.frame(frame)
    X, bodies = tree.poses(q), path(tree, tip)
    felt = {i: vector([0] * body.joint.nv) for i, body in enumerate(tree.bodies)}
    if axes == "local":
        wrench = X_BF.force(wrench)
        for i in reversed(bodies):
            felt[i] = tree.bodies[i].feels(*split(wrench))
            wrench = X[i].force(wrench)
    else:
        n, f = split(wrench)
        if axes == "world":
            n = n + cross(_place(X, bodies, X_BF.p), f)
        for i in bodies:
            n, f = X[i].R.T @ (n - cross(X[i].p, f)), X[i].R.T @ f
            felt[i] = tree.bodies[i].feels(n, f)
    return tree.coordinates.torques(q, vector([x for i in sorted(felt) for x in felt[i]]))


def _place(X: list[Pose], bodies: list[int], p: Vec3) -> np.ndarray:
    """Return where a point of the last body is in the base."""
    for i in reversed(bodies):
        p = X[i].point(p)
    return p
