"""Everything of one state at once, so that what the terms share is computed once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qddot.dynamics.coriolis import velocity_torque
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.friction import friction_torque
from qddot.dynamics.kinematics import frame_acceleration, jacobian, pose
from qddot.dynamics.rnea import elastic_torque, gravity_torque
from qddot.model.tree import Tree
from qddot.scalars import ConfigVec, JointVec


def all_terms(tree: Tree, q: ConfigVec, qd: JointVec, frame: str = "") -> dict[str, Any]:
    """Return the terms of the equation of motion, and with a frame what maps them to it.

        M(q) q̈ + bias(q, q̇) = τ        bias = c + g + friction + springs
        J q̇ = [ω; u]                    J q̈ + drift = [α; a]        drift = J̇ q̇

    J and the drift are of the frame's origin, in world axes. The movement of the bodies that gives
    the drift is the one that gives c.
    """
    c, g = velocity_torque(tree, q, qd), gravity_torque(tree, q)
    terms = {
        "mass_matrix": mass_matrix(tree, q),
        "velocity_torque": c,
        "gravity_torque": g,
        "bias_torque": c + g + friction_torque(tree, qd) + elastic_torque(tree, q, qd),
    }
    if not frame:
        return terms
    still, falling = np.zeros(tree.n, dtype=int), replace(tree, gravity=(0, 0, 0))
    return terms | {
        "pose": pose(tree, q, frame).matrix(),
        "jacobian": jacobian(tree, q, frame),
        "drift": frame_acceleration(falling, q, qd, still, frame),
    }
