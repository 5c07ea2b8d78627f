"""Inverse dynamics by the recursive Newton-Euler algorithm (RBDA §5.3)."""

from __future__ import annotations

import numpy as np

from qddot.model.tree import BASE, Tree
from qddot.scalars import JointVec
from qddot.spatial.vector import cross_force, cross_motion, join, vector

ZERO6 = np.zeros(6, dtype=int)  # int, so that symbolic results stay exact
ZERO3 = np.zeros(3, dtype=int)


def rigid_body_torque(tree: Tree, q: JointVec, qd: JointVec, qdd: JointVec) -> JointVec:
    """Return the joint torques that produce the accelerations qdd, friction and springs aside.

    The equation of motion, evaluated in O(n) without forming M or C:

        τ = M(q) q̈ + C(q, q̇) q̇ + g(q)

    Motion runs out from the base, force runs back; every vector is in its own body's axes, and λ
    is the parent of i:

        vᵢ = vλ + Sᵢ q̇ᵢ
        aᵢ = aλ + Sᵢ q̈ᵢ + vᵢ × Sᵢ q̇ᵢ                     a₀ = −gravity
        fᵢ = Iᵢ aᵢ + vᵢ ×* Iᵢ vᵢ + Σ f_children            RBDA (5.9)
        τᵢ = Sᵢ · fᵢ                                       RBDA (5.11)

    Args:
        tree: The robot.
        q, qd, qdd: Joint positions [rad or m], rates and accelerations, shape (n,).

    Returns:
        Joint torques [N·m] or forces [N], shape (n,), of the scalar type of the inputs.
    """
    # keyed by body index; gravity enters as a base that accelerates upwards
    X, f = {}, {BASE: ZERO6}
    v = {BASE: ZERO6}
    a = {BASE: join(ZERO3, vector([-g for g in tree.gravity]))}

    # base to tips: motion
    for i, body in enumerate(tree.bodies):
        S, I, parent = body.joint.S, body.inertia, body.parent
        X[i] = body.X_PB(q)
        vJ = S * body.rate(qd)
        v[i] = X[i].motion_inv(v[parent]) + vJ
        a[i] = X[i].motion_inv(a[parent]) + S * body.rate(qdd) + cross_motion(v[i], vJ)
        f[i] = I @ a[i] + cross_force(v[i], I @ v[i])

    # tips to base: force
    tau = [
        rotor * acceleration for rotor, acceleration in zip(tree.rotor_inertia, qdd, strict=True)
    ]
    for i, body in reversed(list(enumerate(tree.bodies))):
        tau[body.index] = tau[body.index] + body.ratio * (body.joint.S @ f[i])
        f[body.parent] = f[body.parent] + X[i].force(f[i])
    return vector(tau)


def gravity_torque(tree: Tree, q: JointVec) -> JointVec:
    """Return g(q), the torque that holds the arm still against gravity: τ at q̇ = q̈ = 0.

    Args:
        tree: The robot.
        q: Joint positions [rad or m], shape (n,).
    """
    still = np.zeros(tree.n, dtype=int)
    return rigid_body_torque(tree, q, still, still)
