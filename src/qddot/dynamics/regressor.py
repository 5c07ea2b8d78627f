"""The dynamics as a linear function of its parameters: τ = Y(q, q̇, q̈) φ.

The parameters are the ten numbers of every moving body, about its frame's origin, then of each
joint whatever the model has of rotor inertia Ia, viscous friction fv, Coulomb friction fs and
offset f0. Springs and the Stribeck effect are not linear in their parameters and stay outside.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qddot.dynamics.rnea import inverse_dynamics, rigid_body_torque
from qddot.model.joint import Friction
from qddot.model.tree import Tree
from qddot.scalars import JointVec, Scalar, sign
from qddot.spatial.inertia import NAMES, Inertia
from qddot.spatial.vector import vector

EXTRAS = ("Ia", "fv", "fs", "f0")
NOTHING = Inertia.from_parameters([0] * 10)


def parameters(tree: Tree) -> dict[str, Scalar]:
    """Return the parameters by name, "<joint>.<p>", in the order of the regressor's columns."""
    values: dict[str, Scalar] = {}
    for body in tree.bodies:
        for name, value in zip(NAMES, body.inertia.parameters, strict=True):
            values[f"{body.name}.{name}"] = value
    for i, joint in enumerate(tree.joint_names):
        for name, value in zip(EXTRAS, extras(tree, i), strict=True):
            if value:
                values[f"{joint}.{name}"] = value
    return values


def extras(tree: Tree, i: int) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Return Ia, fv, fs and f0 of a coordinate."""
    friction = tree.friction[i]
    return tree.rotor_inertia[i], friction.viscous, friction.coulomb, friction.offset


def regressor(tree: Tree, q: JointVec, qd: JointVec, qdd: JointVec) -> np.ndarray:
    """Return Y, with Y φ the torques of inverse dynamics less those of springs.

    A column is the torque of a robot that has nothing but that one parameter, of size 1:

        Y_k = τ(q, q̇, q̈; φ = e_k)

    Args:
        tree: The robot.
        q, qd, qdd: Joint positions [rad or m], rates and accelerations, shape (n,).

    Returns:
        The regressor, shape (n, p), in the order of `parameters`.
    """
    columns = []
    bare = replace(
        tree,
        bodies=tuple(replace(body, inertia=NOTHING) for body in tree.bodies),
        rotor_inertia=(0,) * tree.n,
        friction=(Friction(),) * tree.n,
        elastics=(),
    )
    for i, body in enumerate(bare.bodies):
        for unit in np.eye(len(NAMES), dtype=int):
            one = replace(body, inertia=Inertia.from_parameters(list(unit)))
            others = (*bare.bodies[:i], one, *bare.bodies[i + 1 :])
            columns.append(rigid_body_torque(replace(bare, bodies=others), q, qd, qdd))
    for i, e in enumerate(np.eye(tree.n, dtype=int)):
        Ia, fv, fs, f0 = extras(tree, i)
        columns += [e * qdd[i]] if Ia else []
        columns += [e * qd[i]] if fv else []
        columns += [e * sign(qd[i])] if fs else []
        columns += [e] if f0 else []
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0), dtype=int)


def unparameterised_torque(tree: Tree, q: JointVec, qd: JointVec) -> JointVec:
    """Return what Y φ leaves out of inverse dynamics: springs, dampers and the Stribeck effect."""
    still = vector([0] * tree.n)
    free = replace(tree, bodies=(), rotor_inertia=(0,) * tree.n)
    linear = [replace(f, viscous=0, offset=0) for f in tree.friction]
    rest = inverse_dynamics(replace(free, friction=tuple(linear)), q, qd, still)
    return rest - vector([f.coulomb * sign(v) for f, v in zip(tree.friction, qd, strict=True)])
