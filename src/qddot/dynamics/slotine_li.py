"""The equation of motion with two velocities, linear in the parameters: Slotine and Li's regressor.

Passivity-based control evaluates the Coriolis matrix at the measured velocity and multiplies it by
another one, the reference velocity. With the Christoffel C that product is the polar form of the
velocity torque, C(q, q̇) q̇_r = Γ(q̇, q̇_r), so it comes out of the recursion of inverse dynamics.

Slotine: J.-J. Slotine, W. Li, *On the adaptive control of robot manipulators*, Int. J. Robotics
Research 6(3), 1987.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.dynamics.regressor import extras
from qddot.dynamics.rnea import joint_torques
from qddot.model.joint import Revolute
from qddot.model.tree import BASE, Tree
from qddot.scalars import JointVec, Mat3, Scalar, Vec3, sign
from qddot.spatial.inertia import NAMES, Inertia
from qddot.spatial.moments import Moments, spread
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.vector import cross, vector

UNITS = tuple(Inertia.from_parameters(list(row)) for row in np.eye(len(NAMES), dtype=int))


@dataclass(frozen=True)
class Movements:
    """How every body would have to move: the point at r has the acceleration a + U r."""

    X: list[Pose]  # X_PB
    alpha: list[Vec3]  # angular acceleration
    U: list[Mat3]
    a: list[Vec3]  # less gravity


def reference_torque(
    tree: Tree, q: JointVec, qd: JointVec, qd_r: JointVec, qdd_r: JointVec
) -> JointVec:
    """Return M(q) q̈_r + C(q, q̇) q̇_r + g(q), with the Christoffel C.

    Args:
        tree: The robot; its friction and springs are not in the result.
        q, qd: Joint positions [rad or m] and rates, shape (n,).
        qd_r, qdd_r: Reference rates and accelerations, shape (n,).
    """
    moving = movements(tree, q, qd, qd_r, qdd_r)
    n, f = {BASE: ORIGIN}, {BASE: ORIGIN}
    for i, body in enumerate(tree.bodies):
        n[i], f[i] = Moments.of(body.inertia).force(moving.U[i], moving.a[i])
    rotors = [Ia * acceleration for Ia, acceleration in zip(tree.rotor_inertia, qdd_r, strict=True)]
    return vector(rotors) + joint_torques(tree, moving.X, n, f)


def movements(tree: Tree, q: JointVec, u: JointVec, v: JointVec, qdd: JointVec) -> Movements:
    """Return how the bodies move at accelerations q̈, products of two velocities made symmetric.

    As in `velocity_coupling`, with q̈ and gravity besides:

        αᵢ = αλ + z q̈ᵢ + ½ (ωλ(u) × z vᵢ + ωλ(v) × z uᵢ)        a₀ = −gravity
        Uᵢ = [αᵢ]× + ½ ([ω(u)]×[ω(v)]× + [ω(v)]×[ω(u)]×)
    """
    same = u is v
    X = [body.X_PB(q) for body in tree.bodies]
    up = vector([-g for g in tree.gravity])
    at: dict[int, tuple] = {BASE: (ORIGIN, ORIGIN, ORIGIN, 0 * np.eye(3, dtype=int), up)}
    for i, body in enumerate(tree.bodies):
        w_u, w_v, alpha, U, a = at[body.parent]
        R, z = X[i].R, vector(list(body.joint.axis))
        a = R.T @ (a + U @ X[i].p)
        w_u, w_v, alpha = R.T @ w_u, R.T @ w_v, R.T @ alpha
        w_v = w_u if same else w_v
        rate_u, rate_v, acceleration = body.rate(u), body.rate(v), body.rate(qdd)
        both = cross(w_u, z) * rate_v
        both = both if same else (both + cross(w_v, z) * rate_u) / 2
        if isinstance(body.joint, Revolute):
            alpha = alpha + z * acceleration + both
            w_u = w_u + z * rate_u
            w_v = w_u if same else w_v + z * rate_v
        else:
            a = a + z * acceleration + 2 * both
        at[i] = (w_u, w_v, alpha, spread(alpha, w_u, w_v), a)
    alphas, Us, accelerations = ([at[i][k] for i in range(len(X))] for k in (2, 3, 4))
    return Movements(X, alphas, Us, accelerations)


def slotine_li_regressor(
    tree: Tree, q: JointVec, qd: JointVec, qd_r: JointVec, qdd_r: JointVec
) -> np.ndarray:
    """Return Y(q, q̇, q̇_r, q̈_r), in the order of `regressor.parameters`.

    Linear in the parameters, friction that acts along the rates included:

        Y φ = M q̈_r + C(q, q̇) q̇_r + g + Fᵥ q̇_r + Fₛ sgn(q̇) + f₀

    With q̇_r = q̇ and q̈_r = q̈ it is the regressor of inverse dynamics.

    Args:
        tree: The robot.
        q, qd: Joint positions [rad or m] and rates, shape (n,).
        qd_r, qdd_r: Reference rates and accelerations, shape (n,).

    Returns:
        The regressor, shape (n, p).
    """
    moving = movements(tree, q, qd, qd_r, qdd_r)
    columns = []
    for i in range(len(tree.bodies)):
        for unit in UNITS:
            n = dict.fromkeys(range(BASE, len(tree.bodies)), ORIGIN)
            f = dict(n)
            n[i], f[i] = Moments.of(unit).force(moving.U[i], moving.a[i])
            columns.append(joint_torques(tree, moving.X, n, f))
    for i, e in enumerate(np.eye(tree.n, dtype=int)):
        columns += [e * x for x in extra_columns(tree, i, qd, qd_r, qdd_r)]
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0), dtype=int)


def extra_columns(
    tree: Tree, i: int, qd: JointVec, qd_r: JointVec, qdd_r: JointVec, dry: Any = sign
) -> list[Scalar]:
    """Return what multiplies Ia, fv, fs and f0 of a coordinate, of those that the model has."""
    shown = (qdd_r[i], qd_r[i], dry(qd[i]), 1)
    return [x for x, value in zip(shown, extras(tree, i), strict=True) if value]


def powers(
    tree: Tree,
    moving: Movements,
    s: JointVec,
    directions: list[tuple[int, Inertia]],
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
    at = {BASE: (ORIGIN, ORIGIN)}
    for i, body in enumerate(tree.bodies):
        w, u = at[body.parent]
        X, z = moving.X[i], vector(list(body.joint.axis))
        w, u = X.R.T @ w, X.R.T @ (u + cross(w, X.p))
        if isinstance(body.joint, Revolute):
            w = w + z * body.rate(s)
        else:
            u = u + z * body.rate(s)
        at[i] = (w, u)
    found = []
    for i, unit in directions:
        n, f = Moments.of(unit).force(moving.U[i], moving.a[i])
        w, u = at[i]
        found.append(w @ n + u @ f)
    return found
