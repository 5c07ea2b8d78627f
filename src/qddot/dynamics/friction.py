"""What friction resists with at each joint: viscous, Coulomb, Stribeck, and a constant offset.

Dry friction has a direction, sgn(q̇), which jumps where a joint stands still. What stands for it can
be given instead: the direction in which a joint is known to slip, or one without the jump.
"""

from __future__ import annotations

import numpy as np

from qddot.errors import BadArgument
from qddot.model.joint import Friction
from qddot.model.tree import Tree
from qddot.scalars import JointVec, Scalar, exp, sign
from qddot.spatial.vector import vector


def friction_torque(tree: Tree, qd: JointVec, direction: JointVec | None = None) -> JointVec:
    """Return what friction resists with at each joint.

    With the Stribeck part where the model has one:

        Fᵥ q̇ + [Fₛ + (F_static − Fₛ) exp(−(q̇/v_s)²)] sgn(q̇) + f₀

    Where joints that follow one another share a coordinate, each has its own v_s.

    Args:
        tree: The robot.
        qd: Joint rates, shape (n,).
        direction: What stands for sgn(q̇), shape (n,).
    """
    signs = [None] * tree.n if direction is None else direction
    return vector(
        [
            friction.viscous * rate + dry_friction(friction, rate, way) + friction.offset
            for friction, rate, way in zip(tree.friction, qd, signs, strict=True)
        ]
    )


def dry_friction(friction: Friction, rate: Scalar, direction: Scalar | None = None) -> Scalar:
    """Return the part of friction that does not go to zero with the rate."""
    if not has_dry_friction(friction):
        return 0
    size = friction.coulomb
    if friction.static is not None:
        first = friction.static - friction.coulomb - sum(above for above, _ in friction.further)
        for above, speed in ((first, friction.stribeck_velocity), *friction.further):
            size = size + above * exp(-((rate / speed) ** 2))
    return size * (sign(rate) if direction is None else direction)


def has_dry_friction(friction: Friction) -> bool:
    """Return whether a joint resists also when it barely moves."""
    try:
        return bool(friction.coulomb or friction.static or friction.further)
    except BadArgument:  # a size that is recorded: not known before it is used
        return True


def smooth_direction(qd: JointVec, velocity: Scalar) -> JointVec:
    """Return tanh(q̇/v), which stands for sgn(q̇) where derivatives or fixed steps are wanted.

    At v it is 0.76, at 3v 0.995. A joint under load does not stop but creeps, at less than v.
    """
    return np.tanh(vector(list(qd)) / velocity)
