"""Joints with three degrees of freedom, which no robot has: one on a plane, and a ball in a socket.

They are here because terms of the recursions vanish where a joint has one degree of freedom:
without these terms everything else passes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qddot.model.coordinates import Drive, Drives
from qddot.model.folding import in_order
from qddot.model.joints import Coordinate, Prismatic, Revolute
from qddot.model.tree import NO_INERTIA, Body, Tree
from qddot.scalars import sincos
from qddot.spatial.pose import ORIGIN, STILL, Pose
from qddot.spatial.rotation import IDENTITY, Z, about_axis
from qddot.spatial.vector import cross, skew, vector

AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@dataclass(frozen=True)
class Planar:
    """q = (x, y, θ) in the parent's axes; v = (ω, u_x, u_y) in the axes of the body that moves."""

    nq = nv = 3
    neutral = (0, 0, 0)
    configuration = (
        Coordinate("length", "m", ".x"),
        Coordinate("length", "m", ".y"),
        Coordinate("angle", "rad", ".turn"),
    )
    velocity = (
        Coordinate("angle", "rad/s", ".turn"),
        Coordinate("length", "m/s", ".x"),
        Coordinate("length", "m/s", ".y"),
    )

    @property
    def S(self):
        S = np.zeros((6, 3), dtype=int)
        S[2, 0] = S[3, 1] = S[4, 2] = 1
        return S

    def pose(self, q):
        x, y, angle = q
        return Pose(about_axis(Z, angle), vector([x, y, 0]))

    def rate(self, q, v):
        (s, c), (w, x, y) = sincos(q[2]), v
        return vector([c * x - s * y, s * x + c * y, w])

    def along_z(self):
        return IDENTITY, self


@dataclass(frozen=True)
class Ball:
    """q = a unit quaternion (w, x, y, z); v = ω in the axes of the body that moves."""

    nq, nv = 4, 3
    neutral = (1, 0, 0, 0)
    configuration = tuple(Coordinate("sine", "", f".{name}") for name in "wxyz")
    velocity = tuple(Coordinate("angle", "rad/s", f".{name}") for name in "xyz")

    @property
    def S(self):
        return np.eye(6, 3, dtype=int)

    def pose(self, q):
        w, K = q[0], skew(q[1:])
        return Pose(IDENTITY + 2 * (w * K + K @ K), ORIGIN)

    def rate(self, q, v):
        w, r = q[0], q[1:]
        return np.concatenate([[-(r @ v) / 2], (w * v + cross(r, v)) / 2])

    def along_z(self):
        return IDENTITY, self


def on_a_ball(tree: Tree) -> Tree:
    """Return the arm with a ball in a socket for its first joint."""
    first = replace(tree.bodies[0], joint=Ball())
    bodies = in_order([first, *tree.bodies[1:]])
    return replace(
        tree,
        bodies=bodies,
        coordinates=Drives(tuple(Drive(body.q, body.v) for body in bodies), tree.n + 2),
        joint_names=("x", "y", "z", *tree.joint_names[1:]),
        rotor_inertia=(0,) * 3 + tuple(tree.rotor_inertia[1:]),
        friction=(tree.friction[0],) * 3 + tree.friction[1:],
        elastics=(),
    )


def on_a_plane(tree: Tree) -> tuple[Tree, Tree]:
    """Return the arm on a plane: moved by one joint, and by two slides and a turn."""
    base = replace(tree.bodies[0].inertia, m=tree.bodies[0].inertia.m + 3.0)

    def carried(first: list[Body], nv: int) -> Tree:
        first[-1] = replace(first[-1], inertia=base)
        count = len(first)
        arm = [replace(b, parent=b.parent + count) for b in tree.bodies]
        bodies = in_order([*first, *arm])
        drives = tuple(Drive(body.q, body.v) for body in bodies)
        names = (*(f"base{k}" for k in range(nv)), *tree.joint_names)
        return replace(
            tree,
            bodies=bodies,
            coordinates=Drives(drives, len(names)),
            joint_names=names,
            frames={name: (i + count, X) for name, (i, X) in tree.frames.items()},
            rotor_inertia=(0,) * nv + tuple(tree.rotor_inertia),
            friction=(replace(tree.friction[0], viscous=0, coulomb=0),) * nv + tree.friction,
            elastics=(),
        )

    one = [Body("base", -1, STILL, Planar(), NO_INERTIA)]
    joints = (Prismatic(AXES[0]), Prismatic(AXES[1]), Revolute(AXES[2]))
    three = [Body(f"b{k}", k - 1, STILL, joint, NO_INERTIA) for k, joint in enumerate(joints)]
    return carried(one, 3), carried(three, 3)
