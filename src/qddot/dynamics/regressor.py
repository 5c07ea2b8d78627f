"""The dynamics as a linear function of its parameters: τ = Y(q, q̇, q̈) φ.

The parameters are the ten numbers of every moving body, about its frame's origin, then of each
joint whatever the model has of rotor inertia Ia, viscous friction fv, Coulomb friction fs and
offset f0 (`LINEAR` of `model.friction`), then those of motors that several joints share. Springs
and the Stribeck effect are not linear in their parameters and stay outside.
"""

from __future__ import annotations

import numpy as np

from qddot.dynamics.movement import joint_torques, movements
from qddot.model.friction import LINEAR
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, JointVec, Scalar, sign
from qddot.spatial.inertia import NAMES, Inertia
from qddot.spatial.moments import Moments
from qddot.spatial.pose import ORIGIN

EXTRAS = ("Ia", *(p.column for p in LINEAR))
UNITS = tuple(map(Inertia.from_parameters, np.eye(len(NAMES), dtype=int).tolist()))  # size 1


def parameters(tree: Tree) -> dict[str, Scalar]:
    """Return the parameters by name, "<joint>.<p>", in the order of the regressor's columns."""
    values: dict[str, Scalar] = {}
    for body in tree.bodies:
        for name, value in zip(NAMES, body.inertia.parameters, strict=True):
            values[f"{body.name}.{name}"] = value
    for shaft in tree.shafts:
        for name, value in zip(EXTRAS, shaft.parameters, strict=True):
            if value:
                values[f"{shaft.name}.{name}"] = value
    return values


def regressor(
    tree: Tree, q: ConfigVec, qd: JointVec, qdd: JointVec, qd_r: JointVec | None = None
) -> np.ndarray:
    """Return Y, with Y φ the torques of inverse dynamics less those of springs.

    A column is the torque of a robot that has nothing but that one parameter, of size 1:

        Y_k = τ(q, q̇, q̈; φ = e_k)

    Args:
        tree: The robot.
        q, qd, qdd: Joint positions [rad or m], velocities and accelerations, shape (n,).
        qd_r: Reference velocities, shape (n,), which give Slotine and Li's regressor:
            Y φ = M q̈ + C(q, q̇) q̇_r + g + Fᵥ q̇_r + Fₛ sgn(q̇) + f₀.

    Returns:
        The regressor, shape (n, p), in the order of `parameters`.
    """
    qd_r = qd if qd_r is None else qd_r
    moving = movements(tree, q, qd, qd_r, qdd)
    columns = []
    for i, body in enumerate(tree.bodies):
        for unit in map(body.counted, UNITS):
            n = dict.fromkeys(range(BASE, len(tree.bodies)), ORIGIN)
            f = dict(n)
            n[i], f[i] = Moments.of(unit).force(moving.of[i].U, moving.of[i].a)
            columns.append(joint_torques(tree, q, moving.X, n, f))
    for shaft in tree.shafts:
        columns += [shaft.torques(x) for x in shaft.columns(qd, qd_r, qdd, sign)]
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0), dtype=int)
