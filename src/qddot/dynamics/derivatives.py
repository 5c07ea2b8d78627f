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
from qddot.spatial.pose import Pose
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

    Args:
        tree: The robot, of which `applies` is true.
        q, qd, qdd: Joint positions [rad or m], velocities and accelerations, shape (n,).
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
    flows = [Flow.of(moments[i], moving.of[i].w_u) for i in range(size)]
    axes = [MovingAxis.of(body, moving.of[i]) for i, body in enumerate(bodies)]
    # how fast a body's origin moves, seen from that of the body before and in its axes
    speeds = [
        cross(moving.of[body.parent].w_u, X[i].p) + X[i].R @ body.moves(qd_J)[1]
        for i, body in enumerate(bodies)
    ]
    by_q, by_qd = (np.zeros((size, size), dtype=object) for _ in range(2))
    for j in reversed(range(size)):
        axis, parent = axes[j], bodies[j].parent
        turned = flows[j].turned(times * axis.rate[0]), _turned(axis.motion, n[j], f[j])
        moved = _sum(moments[j].momentum(*axis.second), *turned)
        sped = _sum(
            moments[j].momentum(*_scaled(times, axis.rate)), flows[j].turned(times * axis.motion[0])
        )
        taken, b = moments[j].momentum(*axis.motion), times * flows[j].felt_by(*axis.motion)
        i = j
        while i != BASE:
            by_q[i, j], by_qd[i, j] = (bodies[i].feels(*x)[0] for x in (moved, sped))
            if i != j:
                by_q[j, i] = _power(taken, axes[i].second) + b @ axes[i].rate[0]
                by_qd[j, i] = _power(taken, _scaled(times, axes[i].rate)) + b @ axes[i].motion[0]
            moved, sped, taken = (_handed_on(X[i], *x) for x in (moved, sped, taken))
            b = X[i].R @ b + cross(times * speeds[i], taken[1])
            i = bodies[i].parent
        if parent != BASE:
            body, (n_j, f_j) = moments[j].seen_from(X[j]), _handed_on(X[j], n[j], f[j])
            n[parent], f[parent] = n[parent] + n_j, f[parent] + f_j
            moments[parent] = moments[parent] + body
            flows[parent] = flows[parent] + flows[j].seen_from(X[j]).faster(body, speeds[j])
    for j, body in enumerate(bodies):
        if body.spins:  # nothing depends on its angle
            by_q[:, j] = 0
    return _of_coordinates(tree, q, by_q), _of_coordinates(tree, q, by_qd)


def applies(tree: Tree) -> bool:
    """Return whether each joint has one velocity, a constant multiple of a coordinate's."""
    return isinstance(tree.coordinates, Drives) and all(b.joint.nv == 1 for b in tree.bodies)


def _handed_on(X: Pose, n: Vec3, f: Vec3) -> Wrench:
    """Return a wrench on a body as its parent has it."""
    turned = X.R @ f
    return X.R @ n + cross(X.p, turned), turned


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


def _of_coordinates(tree: Tree, q: ConfigVec, of_joints: np.ndarray) -> JointMat:
    """Return Gᵀ A G of a matrix A of the joints."""
    G = tree.coordinates
    rows = G.torques(q, G.torques(q, of_joints).T).T
    return vector([list(row) for row in rows]).reshape(tree.n, tree.n)
