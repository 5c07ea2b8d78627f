"""The derivatives of inverse dynamics, by mechanics instead of by differentiating a program.

A joint with the motion [w; u] takes every point that it carries along w × ρ + u, where ρ is seen
from its body's origin. The motion is fixed to the body, and a point may be moved first by the joint
and then by time, or the other way round. So its acceleration r̈ changes by

    ∂r̈/∂q = ẅ × ρ + 2 ẇ × ρ̇ + w × ρ̈ + ü            ∂r̈/∂q̇ = 2 (ẇ × ρ + w × ρ̇ + u̇)

Summed over everything that the joint carries, this needs the moments m, h, Σ of a composite body,
as the mass matrix does, and products of its velocities and places, which `Flow` has.

The results are those of Singh: S. Singh, R. Russell, P. Wensing, *Efficient analytical derivatives
of rigid-body dynamics using spatial vector algebra*, IEEE Robotics and Automation Letters 7(2),
2022. Here they are in three-vectors, and no velocity of an origin is needed: each is seen from the
body itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.dynamics.movement import Movement, inertial_forces, movements
from qddot.model.coordinates import Drives
from qddot.model.tree import BASE, Body, Tree
from qddot.scalars import ConfigVec, JointMat, JointVec, Mat3, Scalar, Vec3
from qddot.spatial.moments import Moments
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.vector import cross, skew, vector

Wrench = tuple[Vec3, Vec3]  # moment about the body's origin, and force


@dataclass(frozen=True)
class Flow:
    """How fast the points of a body move, about its frame's origin and in its axes.

    The products of velocity and place, with ρ from the origin and ρ̇ seen from a point that is said:

        P = ∫ρ̇ dm        K = ∫ρ̇ ρᵀ dm
    """

    P: Vec3
    K: Mat3

    @staticmethod
    def of(body: Moments, w: Vec3) -> Flow:
        """Return the flow of a body that turns at w, seen from its origin: ρ̇ = w × ρ."""
        return Flow(cross(w, body.h), skew(w) @ body.S)

    def __add__(self, other: Flow) -> Flow:
        return Flow(self.P + other.P, self.K + other.K)

    def faster(self, body: Moments, u: Vec3) -> Flow:
        """Return the flow of the same body when all of it moves at u more."""
        return Flow(self.P + body.m * u, self.K + np.outer(u, body.h))

    def seen_from(self, X_AB: Pose) -> Flow:
        """Return the same flow about A's origin and in A's axes, of a body in B."""
        P = X_AB.R @ self.P
        return Flow(P, X_AB.R @ self.K @ X_AB.R.T + np.outer(P, X_AB.p))

    def turned(self, w: Vec3) -> Wrench:
        """Return moment ∫ρ × (w × ρ̇) dm and force of the accelerations w × ρ̇."""
        return _trace_less(self.K) @ w, cross(w, self.P)

    def felt_by(self, w: Vec3, u: Vec3) -> Vec3:
        """Return the vector whose product with any x is the power of `turned(x)` at [w; u]."""
        return _trace_less(self.K.T) @ w + cross(self.P, u)


@dataclass(frozen=True)
class MovingAxis:
    """The motion [w; u] of a joint at unit velocity, and how it changes as its body moves.

    With ω, U and a of the body, in its axes:

        ẇ = ω × w        u̇ = ω × u        ẅ = U w        ü = U u + a × w
    """

    motion: tuple[Vec3, Vec3]
    rate: tuple[Vec3, Vec3]  # ẇ, u̇
    second: tuple[Vec3, Vec3]  # ẅ, ü

    @staticmethod
    def of(body: Body, moving: Movement) -> MovingAxis:
        ((w, u),) = body.columns
        rate = cross(moving.w_u, w), cross(moving.w_u, u)
        return MovingAxis((w, u), rate, (moving.U @ w, moving.U @ u + cross(moving.a, w)))


@dataclass(frozen=True)
class Carried:
    """Everything that a joint carries, as one composite body: its moments, flow and wrench."""

    n: Vec3
    f: Vec3
    moments: Moments
    flow: Flow

    def __add__(self, other: Carried) -> Carried:
        n, f = self.n + other.n, self.f + other.f
        return Carried(n, f, self.moments + other.moments, self.flow + other.flow)

    def with_child(self, child: Carried, X: Pose, speed: Vec3) -> Carried:
        """Return this and what a child carries, which is at X and whose origin moves at a speed."""
        body = child.moments.seen_from(X)
        n, f = X.wrench(child.n, child.f)
        n, f, moments = self.n + n, self.f + f, self.moments + body
        flow = self.flow + child.flow.seen_from(X).faster(body, speed)
        return Carried(n, f, moments, flow)


_ZEROS = 0 * np.eye(3, dtype=int)
NOTHING = Carried(ORIGIN, ORIGIN, Moments(0, ORIGIN, _ZEROS), Flow(ORIGIN, _ZEROS))


@dataclass(frozen=True)
class SlopeColumn:
    """What the motion of a joint j changes, as a body has it that carries j, or moves with it."""

    moved: Wrench  # ∂/∂qⱼ of the wrench of what j carries
    sped: Wrench  # ∂/∂q̇ⱼ
    taken: Wrench  # what it takes to move that along j
    b: Vec3

    @staticmethod
    def of(axis: MovingAxis, carried: Carried, times: int) -> SlopeColumn:
        body, flow = carried.moments, carried.flow
        turned = flow.turned(times * axis.rate[0]), _turned(axis.motion, carried.n, carried.f)
        moved = _sum(body.momentum(*axis.second), *turned)
        sped = _sum(body.momentum(*_scaled(times, axis.rate)), flow.turned(times * axis.motion[0]))
        taken, b = body.momentum(*axis.motion), times * flow.felt_by(*axis.motion)
        return SlopeColumn(moved, sped, taken, b)

    def felt_by(self, body: Body) -> tuple[Scalar, Scalar]:
        """Return ∂τᵢ/∂qⱼ and ∂τᵢ/∂q̇ⱼ of the joint i of a body."""
        return body.feels(*self.moved)[0], body.feels(*self.sped)[0]

    def felt_of(self, axis: MovingAxis, times: int) -> tuple[Scalar, Scalar]:
        """Return ∂τⱼ/∂qᵢ and ∂τⱼ/∂q̇ᵢ of another joint i, whose axis is given."""
        by_q = _power(self.taken, axis.second) + self.b @ axis.rate[0]
        return by_q, _power(self.taken, _scaled(times, axis.rate)) + self.b @ axis.motion[0]

    def handed_on(self, X: Pose, speed: Vec3, times: int) -> SlopeColumn:
        """Return the same as the parent has it."""
        moved, sped, taken = (X.wrench(*x) for x in (self.moved, self.sped, self.taken))
        return SlopeColumn(moved, sped, taken, X.R @ self.b + cross(times * speed, taken[1]))


def rigid_body_slopes(
    tree: Tree, q: ConfigVec, qd: JointVec, qdd: JointVec
) -> tuple[JointMat, JointMat]:
    """Return ∂τ/∂q and ∂τ/∂q̇ of M q̈ + C q̇ + g, each (n, n), by q along unit velocities.

    What a joint j carries is one composite body with moments m, h, Σ and flow P, K. Its own motion
    changes the wrench [n; f] of that body, which every joint i from j to the base feels:

        ∂/∂qⱼ: [I ẅ + h × ü + 2 B ẇ + w × n + u × f;  m ü + ẅ × h + 2 ẇ × P + w × f]
        ∂/∂q̇ⱼ: 2 [I ẇ + h × u̇ + B w;  m u̇ + ẇ × h + w × P]            B = tr(K) E − K

    And it feels itself the motions of all joints i before it, all of which turn the body as a
    whole: with [n; f] what it takes to move the body along [w; u], and b = Bᵀ w + P × u,

        ∂τⱼ/∂qᵢ = n · ẅᵢ + f · üᵢ + 2 b · ẇᵢ        ∂τⱼ/∂q̇ᵢ = 2 (n · ẇᵢ + f · u̇ᵢ + b · wᵢ)

    `applies` is true of the tree.
    """
    return _slopes(tree, q, qd, qdd, times=2)


def coriolis_matrix(tree: Tree, q: ConfigVec, qd: JointVec) -> JointMat:
    """Return the Coriolis matrix of Christoffel symbols: half of ∂c/∂q̇, as c is quadratic in q̇.

    c_k = Σ Γ_kij q̇ᵢ q̇ⱼ        ∂c_k/∂q̇ⱼ = 2 Σ Γ_kij q̇ᵢ = 2 C_kj
    """
    return _slopes(tree, q, qd, np.zeros(tree.n, dtype=int), times=1)[1]


def _slopes(
    tree: Tree, q: ConfigVec, qd: JointVec, qdd: JointVec, times: int
) -> tuple[JointMat, JointMat]:
    """Return ∂τ/∂q and ∂τ/∂q̇; with times=1 the first is wrong and the second is its half."""
    moving, bodies, size = movements(tree, q, qd, qd, qdd), tree.bodies, len(tree.bodies)
    X, qd_J = moving.X, tree.coordinates.velocities(q, qd)
    n, f = inertial_forces(tree, moving)
    moments = [Moments.of(body.inertia) for body in bodies]
    carried = [
        Carried(n[i], f[i], moments[i], Flow.of(moments[i], moving.of[i].w_u)) for i in range(size)
    ]
    axes = [MovingAxis.of(body, moving.of[i]) for i, body in enumerate(bodies)]
    speeds = [
        speed_of_origin(body, X[i], moving.of[body.parent].w_u, qd_J)
        for i, body in enumerate(bodies)
    ]
    by_q, by_qd = (np.zeros((size, size), dtype=object) for _ in range(2))
    for j in reversed(range(size)):
        column, parent, i = SlopeColumn.of(axes[j], carried[j], times), bodies[j].parent, j
        while i != BASE:
            by_q[i, j], by_qd[i, j] = column.felt_by(bodies[i])
            if i != j:
                by_q[j, i], by_qd[j, i] = column.felt_of(axes[i], times)
            column = column.handed_on(X[i], speeds[i], times)
            i = bodies[i].parent
        if parent != BASE:
            carried[parent] = carried[parent].with_child(carried[j], X[j], speeds[j])
    return of_coordinates(tree, q, by_q, by_qd)


def speed_of_origin(body: Body, X: Pose, w: Vec3, qd_J: JointVec) -> Vec3:
    """Return how fast a body's origin moves, seen from its parent, which turns at w."""
    return cross(w, X.p) + X.R @ body.moves(qd_J)[1]


def applies(tree: Tree) -> bool:
    """Return whether each joint has one velocity, a constant multiple of a coordinate's."""
    return isinstance(tree.coordinates, Drives) and all(b.joint.nv == 1 for b in tree.bodies)


def _turned(motion: tuple[Vec3, Vec3], n: Vec3, f: Vec3) -> Wrench:
    """Return how fast a wrench changes that is carried along a motion: [w; u] ×* [n; f]."""
    w, u = motion
    return cross(w, n) + cross(u, f), cross(w, f)


def _sum(*wrenches: Wrench) -> Wrench:
    return sum(n for n, _ in wrenches), sum(f for _, f in wrenches)


def _scaled(times: int, motion: tuple[Vec3, Vec3]) -> tuple[Vec3, Vec3]:
    return times * motion[0], times * motion[1]


def _power(wrench: Wrench, motion: tuple[Vec3, Vec3]) -> Scalar:
    return wrench[0] @ motion[0] + wrench[1] @ motion[1]


def _trace_less(K: Mat3) -> Mat3:
    """Return tr(K) E − K."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = K
    return np.stack([[yy + zz, -xy, -xz], [-yx, xx + zz, -yz], [-zx, -zy, xx + yy]])


def of_coordinates(
    tree: Tree, q: ConfigVec, by_q: np.ndarray, by_qd: np.ndarray
) -> tuple[JointMat, JointMat]:
    """Return slopes of the joints' torques as those of the robot's own: Gᵀ A G of each."""
    for j, body in enumerate(tree.bodies):
        if body.spins:  # nothing depends on its angle
            by_q[:, j] = 0
    G = tree.coordinates
    both = [G.torques(q, G.torques(q, A).T).T for A in (by_q, by_qd)]
    by_q, by_qd = (vector([list(row) for row in A]).reshape(tree.n, tree.n) for A in both)
    return by_q, by_qd
