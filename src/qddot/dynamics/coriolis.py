"""Velocity torques and the Coriolis matrix, without taking a derivative.

The velocity torque c(q, q̇) is a quadratic form in q̇. C(q, u) v, linear in u and in v, comes out of
the same recursion as inverse dynamics, run with two sets of velocities at once. Every quantity of
this file is that product for some pair of vectors. For joints with one degree of freedom it is
symmetric in u and v: C is then made of Christoffel symbols.

Passivity-based control evaluates C at the measured velocity and multiplies it by a reference
velocity: C(q, q̇) q̇_r.

Slotine: J.-J. Slotine, W. Li, *On the adaptive control of robot manipulators*, Int. J. Robotics
Research 6(3), 1987.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qddot.dynamics.movement import Movements, inertial_forces, joint_torques, movements, velocities
from qddot.model.tree import Tree
from qddot.scalars import ConfigVec, JointMat, JointVec, Scalar
from qddot.spatial.inertia import Inertia
from qddot.spatial.moments import Moments


def velocity_coupling(tree: Tree, q: ConfigVec, u: JointVec, v: JointVec) -> JointVec:
    """Return C(q, u) v, bilinear in u and v, with C(q, q̇) q̇ = c: no acceleration, no gravity."""
    still = np.zeros(tree.n, dtype=int)
    moving = movements(replace(tree, gravity=(0, 0, 0)), q, u, v, still)
    return joint_torques(tree, q, moving.X, *inertial_forces(tree, moving))


def velocity_torque(tree: Tree, q: ConfigVec, qd: JointVec) -> JointVec:
    """Return c(q, q̇) = C(q, q̇) q̇: centrifugal and Coriolis torques."""
    return velocity_coupling(tree, q, qd, qd)


def coriolis_matrix(tree: Tree, q: ConfigVec, qd: JointVec) -> JointMat:
    """Return the Coriolis matrix for which Ṁ − 2C is skew-symmetric.

    It is the one made of Christoffel symbols:

        C_kj = Σ_i Γ_kij q̇ᵢ,     Γ_kij = ½ (∂_i M_kj + ∂_j M_ki − ∂_k M_ij)

    Its columns are those of the bilinear form, C(q, q̇) eⱼ. Many matrices satisfy C q̇ = c;
    passivity-based control needs this one.
    """
    columns = [velocity_coupling(tree, q, qd, e) for e in np.eye(tree.n, dtype=int)]
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0), dtype=int)


def christoffel(tree: Tree, q: ConfigVec) -> np.ndarray:
    """Return Γ with C(q, v) = Σᵢ Γ[:, i, :] vᵢ, output index first.

    It gives the velocity torque. Of joints with one degree of freedom these are the Christoffel
    symbols of the first kind, symmetric in the last two indices:

        c_k = Σ_ij Γ[k, i, j] q̇ᵢ q̇ⱼ
    """
    units = np.eye(tree.n, dtype=int)
    gamma = np.zeros((tree.n, tree.n, tree.n), dtype=object)
    for i, e_i in enumerate(units):
        for j, e_j in enumerate(units[: i + 1]):
            gamma[:, i, j] = gamma[:, j, i] = velocity_coupling(tree, q, e_i, e_j)
            if not tree.flat:
                gamma[:, j, i] = velocity_coupling(tree, q, e_j, e_i)
    return gamma


def mass_matrix_slopes(tree: Tree, q: ConfigVec) -> np.ndarray:
    """Return dM[k, i, j], how M_ij changes along joint k: C(q, eₖ) + C(q, eₖ)ᵀ, as Ṁ = C + Cᵀ."""
    along = christoffel(tree, q).swapaxes(0, 1)
    return along + along.swapaxes(1, 2)


def mass_matrix_rate(tree: Tree, q: ConfigVec, qd: JointVec) -> JointMat:
    """Return Ṁ, the rate at which the mass matrix changes: C + Cᵀ for the Christoffel C."""
    C = coriolis_matrix(tree, q, qd)
    return C + C.T


def reference_torque(
    tree: Tree, q: ConfigVec, qd: JointVec, qd_r: JointVec, qdd_r: JointVec
) -> JointVec:
    """Return M(q) q̈_r + C(q, q̇) q̇_r + g(q), with the Christoffel C.

    Args:
        tree: The robot; its friction and springs are not in the result.
        q, qd: Joint positions [rad or m] and rates, shape (n,).
        qd_r, qdd_r: Reference rates and accelerations, shape (n,).
    """
    moving = movements(tree, q, qd, qd_r, qdd_r)
    held = joint_torques(tree, q, moving.X, *inertial_forces(tree, moving))
    return tree.rotor_torques(qdd_r) + held


def powers(
    tree: Tree, moving: Movements, s: JointVec, directions: list[tuple[int, Inertia]]
) -> list[Scalar]:
    """Return sᵀ Y of inertial parameters without forming Y, in O(n).

    The power that each direction of a body's inertia takes when the joints move at s, with [ω; u]
    the velocity of the body that s makes:

        sᵀ Y_k = ω · n_k + u · f_k

    Args:
        tree: The robot.
        moving: Its `movements` at the state and the references.
        s: What Y is multiplied by, shape (n,).
        directions: For each parameter, which body it belongs to and its inertia at size 1.
    """
    at = velocities(tree, moving.q, moving.X, s)
    found = []
    for i, unit in directions:
        n, f = Moments.of(unit).force(moving.of[i].U, moving.of[i].a)
        w, u = at[i]
        found.append(w @ n + u @ f)
    return found
