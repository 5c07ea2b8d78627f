"""The equation of motion with two velocities, as Slotine and Li's control needs it.

Passivity-based control evaluates the Coriolis matrix at the measured velocity and multiplies it by
another one, the reference velocity: C(q, q̇) q̇_r, which the recursion of `movement` gives.

Slotine: J.-J. Slotine, W. Li, *On the adaptive control of robot manipulators*, Int. J. Robotics
Research 6(3), 1987.
"""

from __future__ import annotations

from qddot.dynamics.movement import (
    Movements,
    inertial_forces,
    joint_torques,
    movements,
    rotor_torques,
    velocities,
)
from qddot.model.tree import Tree
from qddot.scalars import ConfigVec, JointVec, Scalar
from qddot.spatial.inertia import Inertia
from qddot.spatial.moments import Moments


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
    return rotor_torques(tree, qdd_r) + held


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
    at = velocities(tree, moving.q, moving.X, s)
    found = []
    for i, unit in directions:
        n, f = Moments.of(unit).force(moving.of[i].U, moving.of[i].a)
        w, u = at[i]
        found.append(w @ n + u @ f)
    return found
