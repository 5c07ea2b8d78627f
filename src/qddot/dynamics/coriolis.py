"""Velocity torques and the Coriolis matrix, without taking a derivative.

The velocity torque c(q, q̇) is a quadratic form in q̇. Its polar form Γ(u, v), symmetric and linear
in u and in v with Γ(q̇, q̇) = c, comes out of the same recursion as inverse dynamics, run with two
sets of rates at once. Every quantity of this file is Γ on some pair of vectors.
"""

from __future__ import annotations

import numpy as np

from qddot.dynamics.rnea import joint_torques
from qddot.model.joint import Revolute
from qddot.model.tree import BASE, Tree
from qddot.scalars import JointMat, JointVec
from qddot.spatial.moments import Moments, spread
from qddot.spatial.pose import ORIGIN
from qddot.spatial.vector import cross, vector

STILL = (ORIGIN, ORIGIN, ORIGIN, 0 * np.eye(3, dtype=int), ORIGIN)


def velocity_coupling(tree: Tree, q: JointVec, u: JointVec, v: JointVec) -> JointVec:
    """Return Γ(u, v), the symmetric bilinear form with Γ(q̇, q̇) = C(q, q̇) q̇.

    Inverse dynamics at q̈ = 0 without gravity, each product of two velocities made symmetric:

        αᵢ = αλ + ½ (ωλ(u) × z vᵢ + ωλ(v) × z uᵢ)
        Uᵢ = [αᵢ]× + ½ ([ω(u)]×[ω(v)]× + [ω(v)]×[ω(u)]×)
    """
    same = u is v
    X = [body.X_PB(q) for body in tree.bodies]
    moving = {BASE: STILL}
    n, f = {BASE: ORIGIN}, {BASE: ORIGIN}
    for i, body in enumerate(tree.bodies):
        w_u, w_v, alpha, U, a = moving[body.parent]
        R, z = X[i].R, vector(list(body.joint.axis))
        a = R.T @ (a + U @ X[i].p)
        w_u, w_v, alpha = R.T @ w_u, R.T @ w_v, R.T @ alpha
        w_v = w_u if same else w_v
        rate_u, rate_v = body.rate(u), body.rate(v)
        both = cross(w_u, z) * rate_v
        both = both if same else (both + cross(w_v, z) * rate_u) / 2
        if isinstance(body.joint, Revolute):
            alpha = alpha + both
            w_u = w_u + z * rate_u
            w_v = w_u if same else w_v + z * rate_v
        else:
            a = a + 2 * both
        moving[i] = (w_u, w_v, alpha, spread(alpha, w_u, w_v), a)
        n[i], f[i] = Moments.of(body.inertia).force(moving[i][3], a)
    return joint_torques(tree, X, n, f)


def velocity_torque(tree: Tree, q: JointVec, qd: JointVec) -> JointVec:
    """Return c(q, q̇) = C(q, q̇) q̇: centrifugal and Coriolis torques."""
    return velocity_coupling(tree, q, qd, qd)


def coriolis_matrix(tree: Tree, q: JointVec, qd: JointVec) -> JointMat:
    """Return the Coriolis matrix for which Ṁ − 2C is skew-symmetric.

    It is the one made of Christoffel symbols:

        C_kj = Σ_i Γ_kij q̇ᵢ,     Γ_kij = ½ (∂_i M_kj + ∂_j M_ki − ∂_k M_ij)

    Its columns are those of the bilinear form, C eⱼ = Γ(q̇, eⱼ). Many matrices satisfy C q̇ = c;
    passivity-based control needs this one.
    """
    columns = [velocity_coupling(tree, q, qd, e) for e in np.eye(tree.n, dtype=int)]
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0), dtype=int)


def christoffel(tree: Tree, q: JointVec) -> np.ndarray:
    """Return the Christoffel symbols of the first kind, output index first.

    They give the velocity torque and are symmetric in the last two indices:

        c_k = Σ_ij Γ[k, i, j] q̇ᵢ q̇ⱼ
    """
    units = np.eye(tree.n, dtype=int)
    gamma = np.zeros((tree.n, tree.n, tree.n), dtype=object)
    for i, e_i in enumerate(units):
        for j, e_j in enumerate(units[: i + 1]):
            gamma[:, i, j] = gamma[:, j, i] = velocity_coupling(tree, q, e_i, e_j)
    return gamma


def mass_matrix_rate(tree: Tree, q: JointVec, qd: JointVec) -> JointMat:
    """Return Ṁ, the rate at which the mass matrix changes: C + Cᵀ for the Christoffel C."""
    C = coriolis_matrix(tree, q, qd)
    return C + C.T
