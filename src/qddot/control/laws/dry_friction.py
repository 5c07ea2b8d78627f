"""Dry friction: what laws do about it, what error it leaves, and what a proof can still say.

A law may compensate dry friction by the velocity that it measures, or by the velocity w that it
wants. The sign of the measured one must be smooth, tanh(q̇/v), and is 0 at rest: an arm that sticks
stays stuck, and V may rise. That of the wanted one is sharp, w/v limited to −1 and 1 for a small v.
Coulomb friction F sgn(q̇) rises with q̇, so that the rest of it pushes away from the wanted
velocity by hardly anything, also for any force of a joint that sticks:

    (q̇ − w)ᵀ F (sgn q̇ − sgn w) ≥ 0        so that        (q̇ − w)ᵀ F (sgn q̇ − sharp w) ≥ −Σ F v/4
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.certificate.bound import rounded_up
from qddot.checks import one_of
from qddot.control.laws.assumption import Assumption
from qddot.dynamics.friction import (
    friction_torque,
    rubbing_velocities,
    smooth_direction,
    with_friction_laws,
)
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar
from qddot.spatial.vector import vector

SMOOTHING = 0.01  # [rad/s or m/s], width of a measured velocity's change of sign, as in rollouts
LAYER = 1e-3  # [rad/s or m/s] within which the sign of a wanted velocity is not ±1
WAYS = {"measured": "by q̇, smoothly", "desired": "by the velocity that the law wants, sharply"}
STATEMENT = "Dry friction is none or outweighed"


def way(name: str) -> str:
    """Return the velocity by which a law compensates dry friction; refuse an unknown name."""
    return one_of("friction", name, WAYS)


def compensated(
    tree: Tree, qd: JointVec, wanted: JointVec, friction: str, viscous_at: JointVec | None = None
) -> JointVec:
    """Return the friction torque of a model, its dry part in the direction that a law takes.

    Wanted are the law's own velocities, q̇_d or q̇_r; viscous friction is of those measured, unless
    others are given.
    """
    if friction == "measured":
        return friction_torque(tree, qd, smooth_direction(tree, qd, SMOOTHING), viscous_at)
    steady = with_friction_laws(tree, lambda law: law.steady)
    signs = vector([sharp_sign(w) for w in rubbing_velocities(tree, wanted)])
    return friction_torque(steady, qd, signs, viscous_at)


def sign_of(friction: str) -> Any:
    """Return what stands for the sign of one velocity in a regressor."""
    return sharp_sign if friction == "desired" else smooth_sign


def sharp_sign(rate: Scalar) -> Scalar:
    """Return w/v held within −1 and 1, which stands for the sign of a wanted velocity."""
    return np.clip(rate / LAYER, -1, 1)


def smooth_sign(rate: Scalar) -> Scalar:
    """Return tanh(q̇/v), which stands for the sign of a velocity."""
    return np.tanh(rate / SMOOTHING)


def sizes(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Return Coulomb and static friction of every joint [N·m or N], shape (n,) each.

    It is the most that there can be: of a motor that joints share, each joint has its whole share.
    """
    shares = np.abs(np.array([shaft.direction for shaft in robot.tree.shafts], float)).T
    coulomb, static = (shares @ sizes for sizes in _grips(robot))
    return coulomb, static


def _grips(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Return Coulomb and static friction of joints, then of motors that several share."""
    each = [shaft.friction for shaft in robot.tree.shafts]
    coulomb, static = (
        np.array([np.abs(f.grip).max() for f in parts], float)
        for parts in ([f.steady for f in each], each)
    )
    return coulomb, np.maximum(coulomb, static)


def dry_joints(robot: Robot) -> str:
    """Return the names of the joints that have dry friction, in one line; "" if none has."""
    _, static = sizes(robot)
    return ", ".join(name for name, F in zip(robot.joint_names, static, strict=True) if F)


def none_at_all(robot: Robot) -> Assumption | None:
    """Return that an arm has no dry friction; None if it has."""
    return None if dry_joints(robot) else Assumption(STATEMENT, True, "the arm has none")


def left(law: Any, robot: Robot, q: np.ndarray) -> Assumption:
    """Return what dry friction leaves of the error of an arm that stands still at q.

    A law pushes an arm that stands still back by S e (`stiffness`); it does not move where

        |S e| ≤ F_static,        so that        |e| ≤ |S⁺| F_static
    """
    if (found := none_at_all(robot)) is not None:
        return found
    S, (_, static) = law.stiffness(q), sizes(robot)
    why = f"at {dry_joints(robot)} the arm sticks near its target, and V may rise while it moves"
    if S is not None:
        most = np.abs(np.linalg.pinv(S)) @ static
        why += f"; it may stop where |S e| ≤ F, up to |e| = {in_short(most)}"
    return Assumption(STATEMENT, False, why)


def fed_by_the_layer(robot: Robot) -> float:
    """Return Σ F v/4, the largest power that sharp instead of true signs feed into V [W]."""
    return float(_grips(robot)[0].sum()) * LAYER / 4


def in_short(most: np.ndarray) -> str:
    """Return upper bounds with two digits, which are bounds still but for round-off."""
    shown = ", ".join(rounded_up(x, 2) for x in most[:8] * (1 - 1e-12))
    return shown + (", …" if len(most) > 8 else "")
