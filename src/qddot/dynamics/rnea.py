"""Inverse dynamics by the recursive Newton-Euler algorithm, whose recursion is in `movement`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qddot.dynamics.friction import friction_torque
from qddot.dynamics.kinematics import Axes, body_poses
from qddot.dynamics.movement import BaseMotion, inertial_forces, joint_torques, movements
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, Force, JointVec, Vec3
from qddot.spatial.pose import Pose
from qddot.spatial.vector import split, vector


def inverse_dynamics(
    tree: Tree,
    q: ConfigVec,
    qd: JointVec,
    qdd: JointVec,
    *,
    wrenches: Mapping[str, Force] | None = None,
    axes: Axes = "world",
    disturbance: JointVec | None = None,
    base_motion: BaseMotion | None = None,
    direction: JointVec | None = None,
) -> JointVec:
    """Return the joint torques that produce the accelerations qdd.

    The equation of motion, evaluated in O(n) without forming M or C:

        τ = M(q) q̈ + C(q, q̇) q̇ + g(q) + Fᵥ q̇ + Fₛ sgn(q̇) + f₀ + K (q − q₀) + τ_dist − Jᵀ f_ext

    Args:
        tree: The robot.
        q, qd, qdd: Joint positions [rad or m], rates and accelerations, shape (n,).
        wrenches: By frame name, what the environment applies to the robot: [moment; force].
        axes: Those of the wrenches, and of the J in the equation; see `external_forces`.
        disturbance: τ_dist, which takes from the torques as friction does, shape (n,).
        base_motion: How the base moves; it stands still if not given.
        direction: What stands for sgn(q̇) in dry friction, shape (n,).

    Returns:
        Joint torques [N·m] or forces [N], shape (n,), of the scalar type of the inputs.
    """
    loads = {"wrenches": wrenches, "axes": axes, "base_motion": base_motion}
    tau = rigid_body_torque(tree, q, qd, qdd, **loads)
    tau = tau + friction_torque(tree, qd, direction) + elastic_torque(tree, q, qd)
    return tau if disturbance is None else tau + disturbance


def rigid_body_torque(
    tree: Tree,
    q: ConfigVec,
    qd: JointVec,
    qdd: JointVec,
    *,
    wrenches: Mapping[str, Force] | None = None,
    axes: Axes = "world",
    base_motion: BaseMotion | None = None,
) -> JointVec:
    """Return M q̈ + C q̇ + g − Jᵀ f_ext: inverse dynamics without friction and springs."""
    moving = movements(tree, q, qd, qd, qdd, base_motion)
    n, f = inertial_forces(tree, moving)
    for i, moment, force in external_forces(tree, q, wrenches or {}, axes):
        n[i], f[i] = n[i] - moment, f[i] - force
    return tree.rotor_torques(qdd) + joint_torques(tree, q, moving.X, n, f)


def external_forces(
    tree: Tree, q: ConfigVec, wrenches: Mapping[str, Force], axes: Axes = "world"
) -> list[tuple[int, Vec3, Vec3]]:
    """Return which body each wrench acts on, its moment about the body's origin and its force.

    A wrench is given as `jacobian(q, frame, axes)` gives the velocity of its frame F, so that the
    product of the two is the power: "world": at F's origin, in world axes; "local": at F's origin,
    in F's own axes; "base": at the base's origin, in world axes.
    """
    if not wrenches:
        return []
    X_W = {} if axes == "local" else body_poses(tree, q)
    parts = []
    for name, wrench in wrenches.items():
        i, X_B = tree.frame(name)
        if axes == "world":
            X_B = Pose(X_W[i].R.T, X_B.p)
        elif axes == "base":
            X_B = X_W[i].inverse()
        parts.append((i, *split(X_B.force(wrench))))
    return [part for part in parts if part[0] != BASE]


def gravity_torque(tree: Tree, q: ConfigVec) -> JointVec:
    """Return g(q), the torque that holds the arm still against gravity: τ at q̇ = q̈ = 0."""
    still = np.zeros(tree.n, dtype=int)
    return rigid_body_torque(tree, q, still, still)


def bias_torque(tree: Tree, q: ConfigVec, qd: JointVec, **acting: Any) -> JointVec:
    """Return c + g + friction + springs + τ_dist − Jᵀ f_ext: the torque at q̈ = 0.

    `acting` is what inverse dynamics takes besides the state: wrenches, a disturbance, ...
    """
    still = np.zeros(tree.n, dtype=int)
    return inverse_dynamics(tree, q, qd, still, **acting)


def elastic_torque(tree: Tree, q: ConfigVec, qd: JointVec) -> JointVec:
    """Return the torque that holds the springs and dampers: K (q − q₀) + D q̇."""
    tau = vector([0] * tree.n)
    for elastic in tree.elastics:
        tau = tau + elastic.torque(q, qd)
    return tau
