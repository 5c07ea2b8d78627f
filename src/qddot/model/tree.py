"""What the algorithms see: moving bodies only, each with the ten numbers of its inertia.

Fixed and locked joints are folded into the body that carries them, payloads into the body that
holds them, and a joint that follows another shares its coordinate. Frames stay addressable by
name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from qddot.errors import BadArgument, UnknownName
from qddot.model.coordinates import CoordinateMap, Drive, Drives
from qddot.model.friction import Friction
from qddot.model.joints import Coordinate, JointMotion, OneCoordinate
from qddot.model.model import mapped
from qddot.model.shaft import Shaft, unit_direction
from qddot.scalars import ConfigVec, JointVec, Scalar, Vec3, sincos
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.rotation import IDENTITY
from qddot.spatial.vector import join, split, vector

BASE = -1  # the parent of the bodies that hang from the base
NO_INERTIA = Inertia(0, ORIGIN, 0 * IDENTITY)


@dataclass(frozen=True)
class Body:
    """A moving body: what carries it, how it moves, what it weighs."""

    name: str  # the joint's
    parent: int  # index of the body that carries it, or BASE
    X_PJ: Pose  # where its joint is, in the parent body
    joint: JointMotion
    inertia: Inertia
    # its joint's part of q_J, where all joints stand, and of v_J: `in_order` gives them
    q: slice = field(default_factory=lambda: slice(0))
    v: slice = field(default_factory=lambda: slice(0))

    def X_PB(self, q_J: ConfigVec) -> Pose:
        """Return the pose of the body in its parent."""
        return self.X_PJ @ self.joint.pose(q_J[self.q])

    def moves(self, v_J: JointVec) -> tuple[Vec3, Vec3]:
        """Return S v of its joint, [ω; u]: how it moves in its parent, in its own axes."""
        return split(self.joint.S @ v_J[self.v])

    def feels(self, n: Vec3, f: Vec3) -> JointVec:
        """Return Sᵀ [n; f], what of a moment and a force its joint feels."""
        return self.joint.S.T @ join(n, f)

    @property
    def columns(self) -> list[tuple[Vec3, Vec3]]:
        """The columns of S, [ω; u] each: what its joint does at a velocity of 1."""
        return [split(column) for column in self.joint.S.T]

    @property
    def turns(self) -> bool:
        """Whether its joint turns; else it slides only."""
        return any(w.any() for w, _ in self.columns)

    @property
    def spins(self) -> bool:
        """Whether its joint's pose leaves its angle out: then so must its inertia."""
        return self.joint.configuration[0].role == "spin"

    def counted(self, inertia: Inertia) -> Inertia:
        """Return what of an inertia the equations count: of one that spins, its mean."""
        return inertia.about_axis(self.axis) if self.spins else inertia

    @property
    def axis(self) -> Vec3:
        """The axis of a joint with one degree of freedom: that of its turn, or of its slide."""
        ((w, u),) = self.columns
        return w if w.any() else u


@dataclass(frozen=True)
class Elastic:
    """A spring and damper along one direction e of joint space.

    It stores ½ k (e·q − rest)², and the torque that holds it is:

        e [k (e·q − rest) + d e·q̇]
    """

    direction: np.ndarray  # (n,)
    stiffness: Scalar = 0
    damping: Scalar = 0
    rest: Scalar = 0

    def numbers(self, change: Callable[[Scalar], Scalar] = lambda x: x) -> dict[str, Scalar]:
        """Return its numbers by name, each changed."""
        names = (item.name for item in fields(self) if item.name not in ("direction", "number"))
        return {name: change(getattr(self, name)) for name in names}

    @property
    def linear(self) -> tuple[Scalar, ...]:
        """The numbers in which its torque is linear."""
        return self.stiffness, self.stiffness * self.rest, self.damping

    def torque(self, q: JointVec, qd: JointVec) -> JointVec:
        e = self.direction
        return e * (self.stiffness * (e @ q - self.rest) + self.damping * (e @ qd))

    def energy(self, q: JointVec) -> Scalar:
        stretch = self.direction @ q - self.rest
        return self.stiffness * stretch * stretch / 2


@dataclass(frozen=True)
class Lever(Elastic):
    """A spring or a weight on a lever, along one direction e of joint space.

    It stores (a sin mx − b cos mx) / m with x = e·q, and the torque that holds it is:

        e (a cos mx + b sin mx)
    """

    number: int = 1  # m
    cosine: Scalar = 0  # a
    sine: Scalar = 0  # b

    @property
    def linear(self) -> tuple[Scalar, ...]:
        return self.cosine, self.sine

    def torque(self, q: JointVec, qd: JointVec) -> JointVec:
        s, c = sincos(self.number * (self.direction @ q))
        return self.direction * (self.cosine * c + self.sine * s)

    def energy(self, q: JointVec) -> Scalar:
        s, c = sincos(self.number * (self.direction @ q))
        return (self.cosine * s - self.sine * c) / self.number


@dataclass(frozen=True)
class Tree:
    """A robot without its fixed joints: its coordinates and the bodies they move, depth-first."""

    name: str
    joint_names: tuple[str, ...]  # one for each entry of v
    bodies: tuple[Body, ...]
    coordinates: CoordinateMap  # how q and v move the joints of the bodies
    base: Inertia  # of everything that does not move
    frames: dict[str, tuple[int, Pose]]  # which body, and X_BF
    gravity: tuple[Scalar, Scalar, Scalar]
    rotor_inertia: tuple[Scalar, ...]  # one a coordinate, reflected
    friction: tuple[Friction, ...]  # one a coordinate
    elastics: tuple[Elastic, ...]
    shared: tuple[Shaft, ...] = ()  # motors that turn with several coordinates

    @property
    def n(self) -> int:
        """How many degrees of freedom: the entries of v, of accelerations and torques."""
        return len(self.joint_names)

    @property
    def nq(self) -> int:
        """How many numbers a configuration q has."""
        return sum(joint.nq for joint, _ in self.own_joints())

    @property
    def shafts(self) -> tuple[Shaft, ...]:
        """What turns and rubs: at each coordinate, then along several."""
        each = zip(self.joint_names, self.rotor_inertia, self.friction, strict=True)
        own = [Shaft(x[0], unit_direction(i, self.n), *x[1:]) for i, x in enumerate(each)]
        return (*own, *self.shared)

    def rotor_torques(self, a: JointVec) -> JointVec:
        """Return Σ Iₐ e (e·a), what the rotors take at accelerations a."""
        tau = vector([Ia * x for Ia, x in zip(self.rotor_inertia, a, strict=True)])
        for shaft in self.shared:
            tau = tau + shaft.torques(shaft.rotor_inertia * shaft.speed(a))
        return tau

    @property
    def rotor_matrix(self) -> np.ndarray:
        """What the rotors add to the mass matrix, Σ Iₐ e eᵀ, shape (n, n)."""
        Ia = self.rotor_inertia
        M = vector([[Ia[i] if i == j else 0 for j in range(self.n)] for i in range(self.n)])
        for shaft in self.shared:
            M = M + shaft.rotor_inertia * np.outer(shaft.direction, shaft.direction)
        return M

    @property
    def has_rotors(self) -> bool:
        """Whether the mass matrix has more than that of the bodies."""
        return any(self.rotor_inertia) or any(shaft.rotor_inertia for shaft in self.shared)

    @property
    def drives(self) -> tuple[Drive, ...]:
        """Which coordinates move each body's joint."""
        if not isinstance(self.coordinates, Drives):
            raise BadArgument(f"The joints of {self.name!r} do not each follow one coordinate.")
        return self.coordinates.of

    def poses(self, q: ConfigVec) -> list[Pose]:
        """Return X_PB of every body."""
        q_J = self.coordinates.joints(q)
        return [body.X_PB(q_J) for body in self.bodies]

    def own_joints(self) -> Iterator[tuple[JointMotion, Drive]]:
        """Yield the joints that q and v belong to, with their parts of these."""
        for body, drive in zip(self.bodies, self.drives, strict=True):
            if drive.own:
                yield body.joint, drive

    @property
    def configuration(self) -> tuple[Coordinate, ...]:
        """What the entries of q are."""
        return tuple(entry for joint, _ in self.own_joints() for entry in joint.configuration)

    @property
    def neutral(self) -> ConfigVec:
        """The configuration at which every joint that q belongs to is where its frame is."""
        return _joined([joint.neutral for joint, _ in self.own_joints()])

    def from_neutral(self, dv: np.ndarray) -> np.ndarray:
        """Return where displacements of all joints from `neutral` lead: (..., nq) of (..., n)."""
        if self.flat:
            return dv
        return by_rows(self.step, np.broadcast_to(self.neutral, (*dv.shape[:-1], self.nq)), dv)

    @cached_property
    def positions(self) -> np.ndarray:
        """Of each entry of v, the entry of q that its joint's position begins with, (n,)."""
        first = [d.q.start for joint, d in self.own_joints() for _ in range(joint.nv)]
        return np.array(first, dtype=int)

    @cached_property
    def flat(self) -> bool:
        """Whether every joint has one coordinate, so that v is dq/dt."""
        return all(isinstance(joint, OneCoordinate) for joint, _ in self.own_joints())

    def rates(self, q: ConfigVec) -> np.ndarray:
        """Return N of dq/dt = N(q) v, (nq, n)."""
        return np.stack([self.rate(q, e) for e in np.eye(self.n, dtype=int)], axis=1)

    def rate(self, q: ConfigVec, v: JointVec) -> ConfigVec:
        """Return dq/dt at velocity v."""
        if self.flat:
            return v
        return _joined([joint.rate(q[d.q], v[d.v]) for joint, d in self.own_joints()])

    def velocity_of(self, q: ConfigVec, dq: ConfigVec) -> JointVec:
        """Return the velocity v that has the dq/dt given."""
        if self.flat:
            return dq
        return _joined([joint.velocity_of(q[d.q], dq[d.q]) for joint, d in self.own_joints()])

    def step(self, q: ConfigVec, dv: JointVec) -> ConfigVec:
        """Return where the velocity dv leads to in a unit of time."""
        if self.flat:
            return q + dv
        return _joined([joint.step(q[d.q], dv[d.v]) for joint, d in self.own_joints()])

    def difference(self, q: ConfigVec, other: ConfigVec) -> JointVec:
        """Return the shortest dv with `step(q, dv)` the other configuration."""
        if self.flat:
            return other - q
        parts = [joint.difference(q[d.q], other[d.q]) for joint, d in self.own_joints()]
        return _joined(parts)

    def project(self, q: ConfigVec) -> ConfigVec:
        """Return the nearest configuration."""
        if self.flat:
            return q
        return _joined([joint.project(q[d.q]) for joint, d in self.own_joints()])

    def map(self, change: Callable[[Scalar], Scalar]) -> Tree:
        """Return the tree with every number and expression in it changed."""

        def array(x: np.ndarray) -> np.ndarray:
            entries = np.asarray(x, dtype=object)
            result = np.empty(entries.shape, dtype=object)
            result.reshape(-1)[:] = [change(entry) for entry in entries.reshape(-1)]
            return result

        def pose(X: Pose) -> Pose:
            return Pose(array(X.R), array(X.p))

        def inertia(I: Inertia) -> Inertia:
            return Inertia(change(I.m), array(I.h), array(I.I))

        return replace(
            self,
            bodies=tuple(
                replace(
                    body,
                    X_PJ=pose(body.X_PJ),
                    joint=mapped(body.joint, change),
                    inertia=inertia(body.inertia),
                )
                for body in self.bodies
            ),
            coordinates=Drives(
                tuple(
                    replace(d, ratio=change(d.ratio), offset=change(d.offset)) for d in self.drives
                ),
                self.n,
            ),
            base=inertia(self.base),
            frames={name: (i, pose(X)) for name, (i, X) in self.frames.items()},
            gravity=tuple(change(x) for x in self.gravity),
            rotor_inertia=tuple(change(x) for x in self.rotor_inertia),
            friction=mapped(self.friction, change),
            shared=mapped(self.shared, change),
            elastics=tuple(
                replace(e, direction=array(e.direction), **e.numbers(change)) for e in self.elastics
            ),
        )

    def frame(self, name: str) -> tuple[int, Pose]:
        """Return the body that carries a frame, and where on it."""
        if name not in self.frames:
            raise UnknownName("frame", name, self.name, self.frames)
        return self.frames[name]


def by_rows(function: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
    """Return what a tree's `step`, `project`, ... give, for arrays with an entry per column."""
    found = function(*(np.moveaxis(x, -1, 0) for x in arrays))
    return np.ascontiguousarray(np.moveaxis(np.asarray(found, dtype=float), 0, -1))


def _joined(parts: list) -> JointVec:
    return vector([x for part in parts for x in part])
