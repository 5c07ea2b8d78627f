"""Inverse dynamics by the recursive Newton-Euler algorithm.

The recursion is the classical one in three-vectors (J. Luh, M. Walker, R. Paul, *On-line
computational scheme for mechanical manipulators*, 1980), about the joints instead of the centres
of mass: it records a quarter fewer operations than the one in six-vectors (RBDA §5.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.dynamics.friction import friction_torque
from qddot.dynamics.kinematics import body_poses
from qddot.model.joint import Revolute
from qddot.model.tree import BASE, Tree
from qddot.scalars import Force, JointVec, Mat3, Motion, Vec3
from qddot.spatial.moments import Moments, spread
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.vector import cross, split, vector


@dataclass(frozen=True)
class BaseMotion:
    """How the base itself moves: its twist and the rate of that twist, in base axes."""

    velocity: Motion  # [ω; u]
    acceleration: Motion  # d/dt [ω; u]


@dataclass(frozen=True)
class Movement:
    """How one body moves, in its own axes: what its origin and its other points do."""

    w: Vec3  # angular velocity
    alpha: Vec3  # angular acceleration
    U: Mat3  # [α]× + [ω]×²: a point at r has the acceleration a + U r
    a: Vec3  # acceleration of the origin, less gravity


def inverse_dynamics(
    tree: Tree,
    q: JointVec,
    qd: JointVec,
    qdd: JointVec,
    *,
    wrenches: Mapping[str, Force] | None = None,
    base_motion: BaseMotion | None = None,
    direction: JointVec | None = None,
) -> JointVec:
    """Return the joint torques that produce the accelerations qdd.

    The equation of motion, evaluated in O(n) without forming M or C:

        τ = M(q) q̈ + C(q, q̇) q̇ + g(q) + Fᵥ q̇ + Fₛ sgn(q̇) + f₀ + K (q − q₀) − Jᵀ f_ext

    Args:
        tree: The robot.
        q, qd, qdd: Joint positions [rad or m], rates and accelerations, shape (n,).
        wrenches: By frame name, what the environment applies to the robot: [moment; force] in
            world axes at the frame's origin.
        base_motion: How the base moves; it stands still if not given.
        direction: What stands for sgn(q̇) in dry friction, shape (n,).

    Returns:
        Joint torques [N·m] or forces [N], shape (n,), of the scalar type of the inputs.
    """
    tau = rigid_body_torque(tree, q, qd, qdd, wrenches=wrenches, base_motion=base_motion)
    return tau + friction_torque(tree, qd, direction) + elastic_torque(tree, q, qd)


def rigid_body_torque(
    tree: Tree,
    q: JointVec,
    qd: JointVec,
    qdd: JointVec,
    *,
    wrenches: Mapping[str, Force] | None = None,
    base_motion: BaseMotion | None = None,
) -> JointVec:
    """Return M q̈ + C q̇ + g − Jᵀ f_ext: inverse dynamics without friction and springs.

    Motion runs out from the base, force runs back; every vector is in its own body's axes, λ is
    the parent of i, z the joint's axis, p where its origin is in λ:

        ωᵢ = ωλ + z q̇ᵢ                       αᵢ = αλ + z q̈ᵢ + ωλ × z q̇ᵢ         (it turns)
        aᵢ = aλ + Uλ p  (+ z q̈ᵢ + 2 ωᵢ × z q̇ᵢ if it slides)                    a₀ = −gravity
        fᵢ = mᵢ aᵢ + Uᵢ hᵢ + Σ f             nᵢ = hᵢ × aᵢ + ∫r × Uᵢ r dm + Σ (n + p × f)
        τᵢ = z · nᵢ  (or z · fᵢ)
    """
    X = [body.X_PB(q) for body in tree.bodies]
    movement = {BASE: movement_of_base(tree, base_motion)}
    n, f = {BASE: ORIGIN}, {BASE: ORIGIN}

    # base to tips: motion
    for i, body in enumerate(tree.bodies):
        before, R, z = movement[body.parent], X[i].R, vector(list(body.joint.axis))
        rate, acceleration = body.rate(qd), body.rate(qdd)
        w, alpha = R.T @ before.w, R.T @ before.alpha
        a = R.T @ (before.a + before.U @ X[i].p)
        if isinstance(body.joint, Revolute):
            alpha = alpha + z * acceleration + cross(w, z) * rate
            w = w + z * rate
        else:
            a = a + z * acceleration + cross(2 * w, z) * rate
        movement[i] = Movement(w, alpha, spread(alpha, w, w), a)
        n[i], f[i] = Moments.of(body.inertia).force(movement[i].U, a)
    for i, moment, force in external_forces(tree, q, wrenches or {}):
        n[i], f[i] = n[i] - moment, f[i] - force

    # tips to base: force
    rotors = [Ia * acceleration for Ia, acceleration in zip(tree.rotor_inertia, qdd, strict=True)]
    return vector(rotors) + joint_torques(tree, X, n, f)


def joint_torques(tree: Tree, X: list[Pose], n: dict[int, Vec3], f: dict[int, Vec3]) -> JointVec:
    """Return the torque at each joint that holds moments n and forces f on the bodies."""
    tau = [0] * tree.n
    n, f = dict(n), dict(f)
    for i, body in reversed(list(enumerate(tree.bodies))):
        z = vector(list(body.joint.axis))
        load = n[i] if isinstance(body.joint, Revolute) else f[i]
        tau[body.index] = tau[body.index] + body.ratio * (z @ load)
        turned = X[i].R @ f[i]
        f[body.parent] = f[body.parent] + turned
        n[body.parent] = n[body.parent] + X[i].R @ n[i] + cross(X[i].p, turned)
    return vector(tau)


def movement_of_base(tree: Tree, motion: BaseMotion | None) -> Movement:
    """Return how the base moves; gravity enters as an acceleration upwards."""
    up = vector([-g for g in tree.gravity])
    if motion is None:
        return Movement(ORIGIN, ORIGIN, 0 * np.eye(3, dtype=int), up)
    (w, u), (alpha, a) = split(motion.velocity), split(motion.acceleration)
    # the twist is that of the point at the origin now: its acceleration has a further term
    return Movement(w, alpha, spread(alpha, w, w), a + cross(w, u) + up)


def external_forces(
    tree: Tree, q: JointVec, wrenches: Mapping[str, Force]
) -> list[tuple[int, Vec3, Vec3]]:
    """Return which body each wrench acts on, its moment about the body's origin and its force."""
    if not wrenches:
        return []
    X_W = body_poses(tree, q)
    parts = []
    for name, wrench in wrenches.items():
        i, X_BF = tree.frame(name)
        moment, force = (X_W[i].R.T @ part for part in split(wrench))
        parts.append((i, moment + cross(X_BF.p, force), force))
    return [part for part in parts if part[0] != BASE]


def gravity_torque(tree: Tree, q: JointVec) -> JointVec:
    """Return g(q), the torque that holds the arm still against gravity: τ at q̇ = q̈ = 0."""
    still = np.zeros(tree.n, dtype=int)
    return rigid_body_torque(tree, q, still, still)


def bias_torque(
    tree: Tree,
    q: JointVec,
    qd: JointVec,
    **acting: Any,
) -> JointVec:
    """Return c + g + friction + springs − Jᵀ f_ext: the torque at q̈ = 0.

    `acting` is what inverse dynamics takes besides the state: wrenches, base_motion, direction.
    """
    still = np.zeros(tree.n, dtype=int)
    return inverse_dynamics(tree, q, qd, still, **acting)


def elastic_torque(tree: Tree, q: JointVec, qd: JointVec) -> JointVec:
    """Return the torque that holds the springs and dampers: K (q − q₀) + D q̇."""
    tau = vector([0] * tree.n)
    for elastic in tree.elastics:
        tau = tau + elastic.torque(q, qd)
    return tau
