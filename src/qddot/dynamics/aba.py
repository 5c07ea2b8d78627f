"""Forward dynamics by the articulated body algorithm (RBDA §7.3), in O(n)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.dynamics.friction import friction_torque
from qddot.dynamics.rnea import elastic_torque
from qddot.model.coordinates import Drives
from qddot.model.tree import BASE, Tree
from qddot.scalars import ConfigVec, Force, JointVec, Mat3, Motion, Scalar
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.vector import cross_force, cross_motion, join, skew, split, vector

ZERO6 = np.zeros(6, dtype=int)


@dataclass(frozen=True)
class Articulated:
    """The inertia that a body seems to have while what it carries is free to move.

    A symmetric 6×6 matrix in blocks, which a turn and a shift leave symmetric:

        [n]   [A   B] [α]
        [l] = [Bᵀ  C] [a]
    """

    A: Mat3
    B: Mat3
    C: Mat3

    @staticmethod
    def of(I: Inertia) -> Articulated:
        """Return a body alone: nothing hangs on it yet."""
        return Articulated(I.I, skew(I.h), I.m * np.eye(3, dtype=int))

    def __add__(self, other: Articulated) -> Articulated:
        return Articulated(self.A + other.A, self.B + other.B, self.C + other.C)

    def __matmul__(self, m: Motion) -> Force:
        w, u = split(m)
        return join(self.A @ w + self.B @ u, self.B.T @ w + self.C @ u)

    def without(self, U: Force, D: Scalar) -> Articulated:
        """Return the inertia less what the joint gives way: I − U Uᵀ / D."""
        n, l = split(U)
        nD, lD = n * (1 / D), l * (1 / D)
        return Articulated(
            _symmetric(self.A, n, nD), self.B - np.outer(n, lD), _symmetric(self.C, l, lD)
        )

    def seen_from(self, X: Pose) -> Articulated:
        """Return the same inertia about the parent's origin and in its axes.

        With the blocks turned first, and P = [p]×:

            C' = C        B' = B + P C        A' = A − B P + P B'ᵀ
        """
        R, P = X.R, skew(X.p)
        A, C = _congruent(R, self.A), _congruent(R, self.C)
        B = R @ self.B @ R.T
        B_new = B + P @ C
        return Articulated(_mirrored(A - B @ P + P @ B_new.T), B_new, C)


def forward_dynamics(tree: Tree, q: ConfigVec, qd: JointVec, tau: JointVec) -> JointVec:
    """Return the joint accelerations that the torques produce, for joints that follow no other.

    Out: velocities. Back: what each body and all it carries seem to weigh. Out: accelerations:

        Uᵢ = I^Aᵢ Sᵢ        Dᵢ = Sᵢ · Uᵢ + Iₐ        uᵢ = τᵢ − Sᵢ · p^Aᵢ
        I^Aλ += I^A − U Uᵀ/D        p^Aλ += p^A + (I^A − U Uᵀ/D) c + U u/D
        q̈ᵢ = (uᵢ − Uᵢ · a')/Dᵢ        aᵢ = a' + Sᵢ q̈ᵢ        a' = aλ + cᵢ

    The columns of S of a joint with several degrees of freedom are taken one after the other.
    """
    tau = tau - friction_torque(tree, qd) - elastic_torque(tree, q, qd)
    X, v, c = tree.poses(q), {BASE: ZERO6}, {}
    inertia: dict[int, Articulated] = {}
    bias: dict[int, Force] = {}
    for i, body in enumerate(tree.bodies):
        vJ = join(*body.moves(qd))
        v[i] = X[i].motion_inv(v[body.parent]) + vJ
        c[i] = cross_motion(v[i], vJ)
        inertia[i] = Articulated.of(body.inertia)
        bias[i] = cross_force(v[i], body.inertia @ v[i])

    U: dict[int, Force] = {}  # by entry of v, as D and u
    D: dict[int, Scalar] = {}
    u: dict[int, Scalar] = {}
    for i, body in reversed(list(enumerate(tree.bodies))):
        left, force = inertia[i], bias[i]
        for k, S in enumerate(body.joint.S.T, body.v.start):
            U[k] = left @ S
            D[k] = S @ U[k] + tree.rotor_inertia[k]
            u[k] = tau[k] - S @ force
            left = left.without(U[k], D[k])
            force = force + U[k] * (u[k] / D[k])
        if body.parent != BASE:
            inertia[body.parent] = inertia[body.parent] + left.seen_from(X[i])
            bias[body.parent] = bias[body.parent] + X[i].force(force + left @ c[i])

    qdd = [0] * tree.n
    a = {BASE: join(ORIGIN, vector([-g for g in tree.gravity]))}
    for i, body in enumerate(tree.bodies):
        a[i] = X[i].motion_inv(a[body.parent]) + c[i]
        for k, S in reversed(list(enumerate(body.joint.S.T, body.v.start))):
            qdd[k] = (u[k] - U[k] @ a[i]) / D[k]
            a[i] = a[i] + S * qdd[k]
    return vector(qdd)


def applies(tree: Tree) -> bool:
    """Return whether every joint has its own coordinates and motor, as this algorithm needs."""
    own = isinstance(tree.coordinates, Drives) and tree.coordinates.identity
    return own and not any(shaft.rotor_inertia for shaft in tree.shared)


def _symmetric(A: Mat3, x: np.ndarray, y: np.ndarray) -> Mat3:
    """Return A − x yᵀ for y parallel to x: one triangle computed, the other copied."""
    return _mirrored(A - np.outer(x, y))


def _congruent(R: Mat3, A: Mat3) -> Mat3:
    return _mirrored(R @ A @ R.T)


def _mirrored(A: Mat3) -> Mat3:
    return vector([[A[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])
