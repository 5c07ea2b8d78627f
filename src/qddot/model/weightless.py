"""Joints that move nothing heavy: the mass matrix is singular there, and accelerations infinite."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from qddot.errors import Problem, QddotError
from qddot.model.coordinates import Drive
from qddot.model.folding import fold
from qddot.model.model import Model
from qddot.model.structure import depth_first, place
from qddot.model.tree import Body, Tree
from qddot.spatial.pose import Pose
from qddot.spatial.vector import skew

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
    left, felt = list(range(tree.n)), {}
    for q in tree.from_neutral(np.random.default_rng(0).uniform(0.3, 1.2, (LOOKS, tree.n))):
        felt = inertia_felt(tree, q, left) if left else {}
        left = [k for k in left if felt[k][0] <= max(TINY, ROUNDING * felt[k][1])]
    for k in left:
        joint, (inertia, most, mass) = model.free_joints[k], felt[k]
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


def inertia_felt(
    tree: Tree, q: np.ndarray, which: Sequence[int]
) -> dict[int, tuple[float, float, float]]:
    """Return M_kk, the most that it could be if the axis lay otherwise, and the mass moved.

    M_kk is twice the kinetic energy when joint k alone moves, at a rate of 1:

        M_kk = Σ vᵢ · Iᵢ vᵢ + Iₐ
    """
    everything = zip(tree.bodies, tree.drives, tree.poses(q), strict=True)
    parts = [_Part.of(*each) for each in everything]
    found = {}
    for k in which:
        rotor = float(tree.rotor_inertia[k])
        inertia, most, mass = rotor, rotor, 0.0
        moving: dict[int, np.ndarray] = {}  # the bodies that move, and how
        for i, (body, part) in enumerate(zip(tree.bodies, parts, strict=True)):
            own = part.S if part.index == k else None
            if body.parent in moving:
                carried = part.X @ moving[body.parent]
                own = carried if own is None else carried + own
            if own is None:
                continue
            moving[i] = v = own
            w, u = math.hypot(*v[:3]), math.hypot(*v[3:])
            inertia += float(v @ part.I @ v)
            most += part.second * w * w + 2 * part.first * w * u + part.mass * u * u
            mass += part.mass
        found[k] = inertia, most, mass
    return found


@dataclass(frozen=True)
class _Part:
    """A body at one q, in numbers: its parent's motions as its own, its joint's, its inertia."""

    index: int  # the coordinate that moves it
    X: np.ndarray  # (6, 6)
    S: np.ndarray  # (6,), times the ratio at which it follows
    I: np.ndarray  # (6, 6)
    mass: float
    first: float  # |h|
    second: float  # tr I

    @staticmethod
    def of(body: Body, drive: Drive, X: Pose) -> _Part:
        inertia = body.inertia
        m, h, I = float(inertia.m), np.asarray(inertia.h, float), np.asarray(inertia.I, float)
        H = np.asarray(skew(h), float)
        return _Part(
            drive.index,
            np.column_stack([X.motion_inv(e) for e in np.eye(6)]).astype(float),
            float(drive.ratio) * np.asarray(body.joint.S[:, 0], float),
            np.block([[I, H], [-H, m * np.eye(3)]]),
            *(m, math.hypot(*h), float(np.trace(I))),
        )
