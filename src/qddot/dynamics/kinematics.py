"""Where everything is and how it moves: poses, Jacobians and their rates, motions of points."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from qddot.dynamics.movement import movements, velocities
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, JointVec, Motion, Vec3
from qddot.spatial.pose import ORIGIN, STILL, Pose
from qddot.spatial.vector import cross, join, skew, vector

Axes = Literal["world", "local", "base"]
AXES = get_args(Axes)


def body_poses(tree: Tree, q: ConfigVec) -> dict[int, Pose]:
    """Return X_WB of every body, by index; the base is at `BASE`.

    One body after the other, λ the parent of i:

        X_Wi = X_Wλ X_λi(qᵢ)
    """
    X_W = {BASE: STILL}
    for i, X in enumerate(tree.poses(q)):
        X_W[i] = X_W[tree.bodies[i].parent] @ X
    return X_W


def pose(tree: Tree, q: ConfigVec, frame: str) -> Pose:
    """Return X_WF, the pose of a named frame in the base.

    Args:
        tree: The robot.
        q: Joint positions [rad or m], shape (n,).
        frame: The name of a link or a frame.
    """
    body, X_BF = tree.frame(frame)
    return body_poses(tree, q)[body] @ X_BF


def path(tree: Tree, body: int) -> list[int]:
    """Return the bodies between the base and a body, itself included."""
    bodies = []
    while body != BASE:
        bodies.append(body)
        body = tree.bodies[body].parent
    return bodies[::-1]


def jacobian(tree: Tree, q: ConfigVec, frame: str, axes: Axes = "world") -> np.ndarray:
    """Return J with J q̇ the velocity [ω; u] of a frame.

    The column of a joint at p_i, [z; s] its S in world axes, turns and slides all that is beyond:

        [z; z × (p_F − p_i) + s]

    Args:
        tree: The robot.
        q: Joint positions [rad or m], shape (n,).
        frame: The name of a link or a frame.
        axes: "world": the velocity of the frame's origin in world axes; "local": in the frame's
            own axes; "base": the spatial velocity, at the base's origin in world axes.

    Returns:
        The Jacobian, shape (6, n), angular part first.
    """
    still = np.zeros(tree.n, dtype=int)
    return jacobian_and_rate(tree, q, still, frame, axes)[0]


def jacobian_rate(
    tree: Tree, q: ConfigVec, qd: JointVec, frame: str, axes: Axes = "world"
) -> np.ndarray:
    """Return J̇, how fast `jacobian` changes when the joints move at qd; shape (6, n)."""
    return jacobian_and_rate(tree, q, qd, frame, axes)[1]


def jacobian_and_rate(
    tree: Tree, q: ConfigVec, qd: JointVec, frame: str, axes: Axes = "world"
) -> tuple[np.ndarray, np.ndarray]:
    """Return J and J̇.

    Axes turn with the body that carries them and points move with theirs:

        ż = ω × z        d/dt [z × (p_F − p_i) + s] = ż × (p_F − p_i) + z × (u_F − u_i) + ω × s
    """
    tip, X_BF = tree.frame(frame)
    X_W = body_poses(tree, q)
    X_WF = X_W[tip] @ X_BF
    bodies = path(tree, tip)
    v_J = tree.coordinates.velocities(q, qd)
    velocity = {BASE: (ORIGIN, ORIGIN)}  # [ω; velocity of the origin] of each body, world axes
    for i in bodies:
        body = tree.bodies[i]
        w, u = velocity[body.parent]
        u = u + cross(w, X_W[i].p - X_W[body.parent].p)
        wJ, uJ = (X_W[i].R @ part for part in body.moves(v_J))
        velocity[i] = w + wJ, u + uJ
    w_F, u_tip = velocity[tip]
    u_F = u_tip + cross(w_F, X_WF.p - X_W[tip].p)
    target, u_target = (ORIGIN, ORIGIN) if axes == "base" else (X_WF.p, u_F)

    size = sum(body.joint.nv for body in tree.bodies)
    of_joints, changes = np.zeros((2, size, 6), dtype=object)  # Jᵀ of all joints, and J̇ᵀ
    for i in bodies:
        (w, u), arm, first = velocity[i], target - X_W[i].p, tree.bodies[i].v.start
        for k, column in enumerate(tree.bodies[i].columns, first):
            z, s = (X_W[i].R @ part for part in column)
            zd = cross(w, z)
            of_joints[k] = join(z, cross(z, arm) + s)
            changes[k] = join(zd, cross(zd, arm) + cross(z, u_target - u) + cross(w, s))
    J, rate = (_columns(tree, q, x) for x in (of_joints, changes))
    if axes != "local":
        return J, rate
    R = X_WF.R.T
    return _turned(R, J), _turned(R, rate - _turned(skew(w_F), J))


def _columns(tree: Tree, q: ConfigVec, of_joints: np.ndarray) -> np.ndarray:
    """Return Jᵀ of all joints as J of the robot's coordinates, (6, n)."""
    rows = tree.coordinates.torques(q, of_joints)
    return np.array(rows, dtype=object).reshape(tree.n, 6).T


def _turned(R: np.ndarray, J: np.ndarray) -> np.ndarray:
    return np.concatenate([R @ J[:3], R @ J[3:]])


def frame_acceleration(tree: Tree, q: ConfigVec, qd: JointVec, qdd: JointVec, frame: str) -> Motion:
    """Return J q̈ + J̇ q̇, how a frame's origin and axes accelerate: [α; a] in world axes.

    It is that of a point of the body that carries it, without gravity's share:

        J q̈ + J̇ q̇ = [R α; R (a + U p) + gravity]
    """
    body, X_BF = tree.frame(frame)
    moving = movements(tree, q, qd, qd, qdd).of[body]
    R = body_poses(tree, q)[body].R
    along = R @ (moving.a + moving.U @ X_BF.p) + vector(list(tree.gravity))
    return join(R @ moving.alpha, along)


def point_motion(
    tree: Tree, q: ConfigVec, qd: JointVec, qdd: JointVec, frame: str, point: Vec3 = (0, 0, 0)
) -> tuple[Vec3, Vec3, Vec3]:
    """Return position, velocity and acceleration of a point fixed to a frame, in world axes.

    Args:
        tree: The robot.
        q, qd, qdd: Joint positions [rad or m], rates and accelerations, shape (n,).
        frame: The name of the link or frame that carries the point.
        point: Where it is in that frame [m].
    """
    body, X_BF = tree.frame(frame)
    X_WB = body_poses(tree, q)[body]
    r = X_WB.R @ (X_BF.R @ vector(list(point)))
    w_B, u_B = velocities(tree, q, tree.poses(q), qd)[body]
    w, u = X_WB.R @ w_B, X_WB.R @ (u_B + cross(w_B, X_BF.p))
    acceleration = frame_acceleration(replace(tree, gravity=(0, 0, 0)), q, qd, qdd, frame)
    a = acceleration[3:] + cross(acceleration[:3], r) + cross(w, cross(w, r))
    return (X_WB @ X_BF).p + r, u + cross(w, r), a
