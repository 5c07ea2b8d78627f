"""The momenta of the joints, p = M q̇, and how they change by the motion itself."""

from __future__ import annotations

from qddot.dynamics.movement import joint_torques, velocities
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, JointVec, Vec3
from qddot.spatial.moments import Moments
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.vector import cross, vector


def momentum(tree: Tree, q: ConfigVec, qd: JointVec) -> JointVec:
    """Return p = M(q) q̇ in O(n): the momentum of all that a joint carries, along its axis.

    The same recursion as `centrifugal_rate`, so that a program with both has it once:

        pᵢ = Sᵢ · hᵢ + Iₐ q̇ᵢ        hᵢ = Iᵢ vᵢ + Σ h_children
    """
    X, _, n, l = body_momenta(tree, q, qd)
    return tree.rotor_torques(qd) + joint_torques(tree, q, X, n, l)


def centrifugal_rate(tree: Tree, q: ConfigVec, qd: JointVec) -> JointVec:
    """Return ∂K/∂q at fixed q̇, which is C(q, q̇)ᵀ q̇: the part of ṗ that is no force.

    The momentum of joint i is that of everything it carries, along its axis, pᵢ = Sᵢ · hᵢ. Forces
    change h; the axis, carried along, changes by v × S:

        ∂K/∂qᵢ = (vᵢ × Sᵢ) · hᵢ          hᵢ = Iᵢ vᵢ + Σ h_children

    In three-vectors, [n; l] for h, [ω; u] for v and [w; s] for S:

        (ω × w) · n + (u × w + ω × s) · l
    """
    X, velocity, n, l = body_momenta(tree, q, qd)

    # tips to base: momentum of everything carried
    rate: dict[int, list] = {}
    for i, body in reversed(list(enumerate(tree.bodies))):
        w, u = velocity[i]
        rate[i] = [
            cross(w, wJ) @ n[i] + (cross(u, wJ) + cross(w, uJ)) @ l[i] for wJ, uJ in body.columns
        ]
        turned = X[i].R @ l[i]
        l[body.parent] = l[body.parent] + turned
        n[body.parent] = n[body.parent] + X[i].R @ n[i] + cross(X[i].p, turned)
    of_joints = vector([x for i in range(len(tree.bodies)) for x in rate[i]])
    return tree.coordinates.torques(q, of_joints)


def body_momenta(
    tree: Tree, q: ConfigVec, qd: JointVec
) -> tuple[list[Pose], dict[int, tuple[Vec3, Vec3]], dict[int, Vec3], dict[int, Vec3]]:
    """Return where each body is in its parent, its velocity [ω; u] and its momentum n and l."""
    X = tree.poses(q)
    velocity = velocities(tree, q, X, qd)
    n, l = {BASE: ORIGIN}, {BASE: ORIGIN}
    for i, body in enumerate(tree.bodies):
        n[i], l[i] = Moments.of(body.inertia).momentum(*velocity[i])
    return X, velocity, n, l
