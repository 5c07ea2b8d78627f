"""Energies and the centre of mass of everything that moves."""

from __future__ import annotations

import numpy as np

from qddot.dynamics.kinematics import body_poses
from qddot.dynamics.movement import velocities
from qddot.model.tree import Tree
from qddot.scalars import ConfigVec, JointVec, Scalar, Vec3
from qddot.spatial.moments import Moments
from qddot.spatial.pose import ORIGIN
from qddot.spatial.vector import vector


def kinetic_energy(tree: Tree, q: ConfigVec, qd: JointVec) -> Scalar:
    """Return the kinetic energy [J], that of the rotors included.

    The sum over the bodies, each moving at [ω; u] about its own frame:

        K = ½ Σ (ω · n + u · l) + ½ Σ Iₐ (e·q̇)²        [n; l] = I [ω; u]
    """
    energy: Scalar = 0
    velocity = velocities(tree, q, tree.poses(q), qd)
    for i, body in enumerate(tree.bodies):
        w, u = velocity[i]
        n, l = Moments.of(body.inertia).momentum(w, u)
        energy = energy + (w @ n + u @ l) / 2
    for rotor, rate in zip(tree.rotor_inertia, qd, strict=True):
        energy = energy + rotor * rate * rate / 2
    for shaft in tree.shared:
        energy = energy + shaft.rotor_inertia * shaft.speed(qd) ** 2 / 2
    return energy


def potential_energy(tree: Tree, q: ConfigVec) -> Scalar:
    """Return the potential energy [J] of gravity and springs; zero height is the base's origin.

    Of masses at c and springs along e:

        P = −Σ m gᵀc + ½ Σ k (e·q − rest)²
    """
    energy: Scalar = 0
    gravity = vector(list(tree.gravity))
    X_W = body_poses(tree, q)
    for i, body in enumerate(tree.bodies):
        h_W = body.inertia.m * X_W[i].p + X_W[i].R @ body.inertia.h
        energy = energy - gravity @ h_W
    for elastic in tree.elastics:
        energy = energy + elastic.energy(q)
    return energy


def center_of_mass(tree: Tree, q: ConfigVec) -> Vec3:
    """Return the centre of mass [m] of everything that moves, in the base frame.

    Where nothing that moves has mass there is none, and the result is NaN.
    """
    X_W = body_poses(tree, q)
    total: Vec3 = ORIGIN
    mass: Scalar = 0
    for i, body in enumerate(tree.bodies):
        total = total + body.inertia.m * X_W[i].p + X_W[i].R @ body.inertia.h
        mass = mass + body.inertia.m
    return total * (1 / mass) if mass else vector([np.nan] * 3)
