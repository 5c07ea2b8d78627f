"""The mass matrix by the composite rigid body algorithm (RBDA §6.2)."""

from __future__ import annotations

from qddot.model.tree import BASE, Tree
from qddot.scalars import JointMat, JointVec
from qddot.spatial.moments import Moments
from qddot.spatial.vector import cross, split, vector


def mass_matrix(tree: Tree, q: JointVec) -> JointMat:
    """Return M(q), rotor inertia included.

    M_ij is the torque at joint j when joint i alone accelerates: it then moves everything that it
    carries, as one composite body with inertia I^c:

        I^cᵢ = Iᵢ + Σ I^c_children
        M_ij = Sⱼ · ⱼ(I^cᵢ Sᵢ)            for j between i and the base          RBDA (6.20)

    Args:
        tree: The robot.
        q: Joint positions [rad or m], shape (n,).

    Returns:
        The mass matrix [kg·m² | kg·m | kg], shape (n, n).
    """
    X = [body.X_PB(q) for body in tree.bodies]
    composite = [Moments.of(body.inertia) for body in tree.bodies]
    M = [[0] * tree.n for _ in range(tree.n)]
    for i, rotor in enumerate(tree.rotor_inertia):
        M[i][i] = rotor

    for i in reversed(range(len(tree.bodies))):
        body = tree.bodies[i]
        if body.parent != BASE:
            composite[body.parent] = composite[body.parent] + composite[i].seen_from(X[i])

        # the momentum that joint i gives the composite body, carried towards the base
        n, f = composite[i].momentum(*split(body.joint.S))
        j = i
        while j != BASE:
            other = tree.bodies[j]
            entry = body.ratio * other.feels(n, f)
            for row, column in {(i, j), (j, i)}:
                a, b = tree.bodies[row].index, tree.bodies[column].index
                M[a][b] = M[a][b] + entry
            f = X[j].R @ f
            n = X[j].R @ n + cross(X[j].p, f)
            j = other.parent
    return vector(M).reshape(tree.n, tree.n)
