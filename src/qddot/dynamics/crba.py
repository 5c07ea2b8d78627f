"""The mass matrix by the composite rigid body algorithm (RBDA §6.2)."""

from __future__ import annotations

import numpy as np

from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, JointMat
from qddot.spatial.moments import Moments
from qddot.spatial.vector import cross, vector


def mass_matrix(tree: Tree, q: ConfigVec) -> JointMat:
    """Return M(q), rotor inertia included.

    M_ij is the torque at joint j when joint i alone accelerates: it then moves everything that it
    carries, as one composite body with inertia I^c:

        I^cᵢ = Iᵢ + Σ I^c_children
        M_ij = Sⱼᵀ ⱼ(I^cᵢ Sᵢ)            for j between i and the base          RBDA (6.20)

    Args:
        tree: The robot.
        q: Joint positions [rad or m], shape (n,).

    Returns:
        The mass matrix [kg·m² | kg·m | kg], shape (n, n).
    """
    X, bodies = tree.poses(q), tree.bodies
    composite = [Moments.of(body.inertia) for body in bodies]
    size = sum(body.joint.nv for body in bodies)
    of_joints = np.zeros((size, size), dtype=object)
    for i in reversed(range(len(bodies))):
        body = bodies[i]
        if body.parent != BASE:
            composite[body.parent] = composite[body.parent] + composite[i].seen_from(X[i])

        for k, column in enumerate(body.columns, body.v.start):
            # the momentum that joint i gives the composite body, carried towards the base
            n, f = composite[i].momentum(*column)
            j = i
            while j != BASE:
                other = bodies[j]
                of_joints[other.v, k] = of_joints[k, other.v] = other.feels(n, f)
                f = X[j].R @ f
                n = X[j].R @ n + cross(X[j].p, f)
                j = other.parent

    G = tree.coordinates
    folded = G.torques(q, G.torques(q, of_joints).T)  # Gᵀ M_J G
    # rounding would make what several joints add up to different on both sides of the diagonal
    M = [[folded[max(i, j)][min(i, j)] for j in range(tree.n)] for i in range(tree.n)]
    for i, rotor in enumerate(tree.rotor_inertia):
        M[i][i] = M[i][i] + rotor
    for shaft in tree.shared:
        for i, a in enumerate(shaft.direction):
            for j, b in enumerate(shaft.direction):
                M[i][j] = M[i][j] + a * b * shaft.rotor_inertia
    return vector(M).reshape(tree.n, tree.n)
