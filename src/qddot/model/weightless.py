"""Joints that move nothing heavy: the mass matrix is singular there, and accelerations infinite."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qddot.errors import Problem, QddotError
from qddot.model.model import Model
from qddot.model.structure import depth_first, place
from qddot.model.tree import Tree, fold
from qddot.spatial.vector import split

MOST_JOINTS = 200  # looked at; each is moved by itself
ROUNDING = 1e-12  # of the inertia about any axis: what is left about one on which all mass lies
TINY = 1e-100  # [kg·m²] or [kg]; products of less are no numbers any more
LOOKS = 2  # positions, at random: M_kk may vanish at one by chance


def weightless_joints(model: Model) -> Iterator[Problem]:
    """Yield the joints whose own entry of the mass matrix is zero, wherever the robot stands.

    Symbols stand for any number, so they are given some.
    """
    if not 0 < model.n <= MOST_JOINTS:
        return
    values = {name: 0.6 + 0.137 * k for k, name in enumerate(model.symbols)}
    try:
        tree = fold(depth_first(model.with_values(values)))
    except (QddotError, ArithmeticError, ValueError):  # a formula that these numbers do not fit
        return
    q = np.random.default_rng(0).uniform(0.3, 1.2, (LOOKS, tree.n))
    felt = np.array([[inertia_felt(tree, row, k) for k in range(tree.n)] for row in q])
    for joint, inertia, most, mass in zip(model.free_joints, *felt.max(axis=0).T, strict=True):
        if inertia > max(TINY, ROUNDING * most):
            continue
        what = "inertia"
        if not mass and not most:
            why, what = "nothing beyond it has mass", "mass"
        elif mass > TINY:
            why = "all mass beyond it lies on its axis"
        else:
            why = f"what it moves has next to no inertia ({inertia:.3g})"
        message = f"{why}, so the mass matrix is singular"
        remedy = f"Give the link its {what}, give the joint a rotor inertia, or make it fixed."
        yield Problem("warning", place("joint", joint.name), message, remedy, joint.line)


def inertia_felt(tree: Tree, q: np.ndarray, k: int) -> tuple[float, float, float]:
    """Return M_kk, the most that it could be if the axis lay otherwise, and the mass moved.

    M_kk is twice the kinetic energy when joint k alone moves, at a rate of 1:

        M_kk = Σ vᵢ · Iᵢ vᵢ + Iₐ
    """
    rotor = float(tree.rotor_inertia[k])
    inertia, most, mass = rotor, rotor, 0.0
    moving: dict[int, np.ndarray] = {}  # the bodies that move, and how
    for i, body in enumerate(tree.bodies):
        v = np.zeros(6)
        if body.parent in moving:
            v = body.X_PB(q).motion_inv(moving[body.parent])
        if body.index == k:
            v = v + body.ratio * body.joint.S
        if not v.any():
            continue
        moving[i] = v
        w, u = (float(np.linalg.norm(part)) for part in split(v.astype(float)))
        I = body.inertia
        inertia += float(v @ (I @ v))
        first = float(np.linalg.norm(np.asarray(I.h, dtype=float)))
        most += float(np.trace(I.I)) * w * w + 2 * first * w * u + float(I.m) * u * u
        mass += float(I.m)
    return inertia, most, mass
