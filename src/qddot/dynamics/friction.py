"""What friction resists with at each joint, by the law of `qddot.model.friction`.

Dry friction has a direction, sgn(q̇), which jumps where a joint stands still. What stands for it can
be given instead: the direction in which a joint is known to slip, or one without the jump.
"""

from __future__ import annotations

import numpy as np

from qddot.model.tree import Tree
from qddot.scalars import JointVec, Scalar
from qddot.spatial.vector import vector


def friction_torque(
    tree: Tree, qd: JointVec, direction: JointVec | None = None, wanted: JointVec | None = None
) -> JointVec:
    """Return what friction resists with at each joint, shape (n,).

    With the Stribeck part where the model has one:

        Fᵥ q̇ + [Fₛ + (F_static − Fₛ) exp(−(q̇/v_s)²)] sgn(q̇) + f₀

    Where joints that follow one another share a coordinate, each has its own v_s.

    Args:
        tree: The robot.
        qd: Joint velocities, shape (n,).
        direction: What stands for sgn(q̇), shape (n,).
        wanted: The velocities that viscous friction is taken at, if not q̇, shape (n,).
    """
    signs = [None] * tree.n if direction is None else direction
    at = qd if wanted is None else wanted
    each = zip(tree.friction, qd, signs, at, strict=True)
    return vector([friction.torque(rate, way, v) for friction, rate, way, v in each])


def smooth_direction(qd: JointVec, velocity: Scalar) -> JointVec:
    """Return tanh(q̇/v), which stands for sgn(q̇) where derivatives or fixed steps are wanted.

    At v it is 0.76, at 3v 0.995. A joint under load does not stop but creeps, at less than v.
    """
    return np.tanh(vector(list(qd)) / velocity)
