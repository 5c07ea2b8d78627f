"""What friction resists with at each joint, by the law of `qddot.model.friction`.

Dry friction has a direction, sgn(q̇), which jumps where a joint stands still. What stands for it can
be given instead: the direction in which a joint is known to slip, or one without the jump.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from qddot.model.friction import Friction
from qddot.model.tree import Tree
from qddot.scalars import JointVec, Scalar
from qddot.spatial.vector import vector


def friction_torque(
    tree: Tree, qd: JointVec, direction: JointVec | None = None, wanted: JointVec | None = None
) -> JointVec:
    """Return what friction resists with at each joint, shape (n,).

    With the Stribeck part where the model has one:

        Fᵥ q̇ + [Fₛ + (F_static − Fₛ) exp(−(q̇/v_s)²)] sgn(q̇) + f₀

    Where joints that follow one another share a coordinate, each has its own v_s. Of motors that
    turn with several joints, at w = e·q̇, each joint feels e f(w).

    Args:
        tree: The robot.
        qd: Joint velocities, shape (n,).
        direction: What stands for the sign of each of `rubbing_velocities`.
        wanted: The velocities that viscous friction is taken at, if not q̇, shape (n,).
    """
    laws = [*tree.friction, *(shaft.friction for shaft in tree.shared)]
    signs = [None] * len(laws) if direction is None else direction
    rates = rubbing_velocities(tree, qd)
    at = rates if wanted is None else rubbing_velocities(tree, wanted)
    each = zip(laws, rates, signs, at, strict=True)
    torques = [friction.torque(rate, way, v) for friction, rate, way, v in each]
    tau = vector(torques[: tree.n])
    for shaft, torque in zip(tree.shared, torques[tree.n :], strict=True):
        tau = tau + shaft.torques(torque)
    return tau


def rubbing_velocities(tree: Tree, qd: JointVec) -> JointVec:
    """Return the velocities that friction has: q̇, then w of motors that several joints share."""
    return vector([*qd, *(shaft.speed(qd) for shaft in tree.shared)]) if tree.shared else qd


def offset_torque(tree: Tree) -> JointVec:
    """Return the constant part of friction at each joint, f₀, shape (n,)."""
    tau = vector([friction.offset for friction in tree.friction])
    for shaft in tree.shared:
        tau = tau + shaft.torques(shaft.friction.offset)
    return tau


def with_friction_laws(tree: Tree, change: Callable[[Friction], Friction]) -> Tree:
    """Return the tree with every friction changed, also of motors that several joints share."""
    shared = tuple(replace(shaft, friction=change(shaft.friction)) for shaft in tree.shared)
    return replace(tree, friction=tuple(map(change, tree.friction)), shared=shared)


def smooth_direction(tree: Tree, qd: JointVec, velocity: Scalar) -> JointVec:
    """Return tanh(w/v) of each of `rubbing_velocities`.

    It stands for their signs where derivatives or fixed steps are wanted. At v it is 0.76, at 3v
    0.995. A joint under load does not stop but creeps, at less than v.
    """
    return np.tanh(vector(list(rubbing_velocities(tree, qd))) / velocity)
