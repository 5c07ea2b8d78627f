"""Both sides' M and g at the same configurations, and what a change of the robot does to them.

Differences are relative, joint by joint, so that a finger counts as much as a shoulder. By the
Cauchy–Schwarz inequality, with m the robot's mass and γ gravity:

    |M_ij| ≤ √(M_ii M_jj)        |g_i| ≤ √(M_ii m) |γ|

and each difference is given as a part of its bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qddot.doctor.peers import Answer
from qddot.dynamics.kinematics import body_poses
from qddot.dynamics.rnea import gravity_torque
from qddot.model.folding import coordinates, fold
from qddot.model.model import Model
from qddot.model.tree import BASE, Tree
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import ORIGIN
from qddot.spatial.vector import join

TOLERANCE = 1e-9  # rounding is a thousand times smaller, any real difference larger
EARTH = 9.81  # [m/s²]


@dataclass(frozen=True)
class Evidence:
    """What both sides say, and the peer's own facts about the robot, in our order of joints."""

    model: Model
    q: np.ndarray  # (k, n)
    M: np.ndarray  # (k, n, n), ours
    g: np.ndarray  # (k, n)
    M_peer: np.ndarray
    g_peer: np.ndarray
    gravity: np.ndarray  # the peer's
    rotor_inertia: np.ndarray  # (n,), the peer's
    zero: np.ndarray  # (n,), the peer's joint positions in the drawn configuration
    axes: dict[str, np.ndarray]  # the peer's, by joint: a direction, (3,)
    mass: float  # the peer's
    damping: dict[str, float]  # the peer's, by joint

    @staticmethod
    def of(model: Model, q: np.ndarray, M: np.ndarray, g: np.ndarray, answer: Answer) -> Evidence:
        """Return the evidence: the peer's joints in our order, its followers made to follow.

        With E the part that each coordinate has in each of its joints:

            M = Eᵀ M_peer E        g = Eᵀ g_peer
        """
        places = coordinates(model)
        E = np.zeros((len(answer.joints), model.n))
        zero = np.zeros(model.n)
        for row, name in enumerate(answer.joints):
            index, ratio, _ = places.get(name, (None, 0, 0))  # others are held still
            if index is not None:
                E[row, index] = ratio
                if name == model.joint_names[index]:
                    zero[index] = answer.zero[row]
        return Evidence(
            model,
            q,
            M,
            g,
            E.T @ np.array(answer.M) @ E,
            np.array(answer.g) @ E,
            np.array(answer.gravity),
            (E * E).T @ np.array(answer.rotor_inertia),
            zero,
            {n: np.array(axis) for n, axis in zip(answer.joints, answer.axes, strict=True)},
            answer.mass,
            dict(zip(answer.joints, answer.damping, strict=True)),
        )

    @cached_property
    def tree(self) -> Tree:
        return fold(self.model)

    @cached_property
    def sizes(self) -> np.ndarray:
        """√M_ii of each joint at each configuration, the larger of both sides; shape (k, n)."""
        diagonals = [np.einsum("kii->ki", M) for M in (self.M, self.M_peer)]
        sizes = np.sqrt(np.maximum(np.max(diagonals, axis=0), 0))
        return np.maximum(sizes, 1e-9 * sizes.max() or 1.0)

    def relative(self, dM: np.ndarray, dg: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return differences of M and g as parts of their bounds."""
        s = self.sizes
        moving = max(sum(body.inertia.m for body in self.tree.bodies), 1e-12)
        fall = max(np.linalg.norm(self.gravity), EARTH)
        return dM / (s[:, :, None] * s[:, None, :]), dg / (s * np.sqrt(moving) * fall)

    def differences(self) -> tuple[float, float]:
        """Return the largest relative differences of M and of g."""
        dM, dg = self.relative(self.M_peer - self.M, self.g_peer - self.g)
        return float(np.abs(dM).max()), float(np.abs(dg).max())

    def residual(self) -> np.ndarray:
        """Return all relative differences as one vector."""
        return self.flat(self.M_peer - self.M, self.g_peer - self.g)

    def flat(self, dM: np.ndarray, dg: np.ndarray) -> np.ndarray:
        """Return differences of M and g as one vector of relative ones."""
        dM, dg = self.relative(dM, dg)
        i, j = np.triu_indices(self.model.n)
        return np.concatenate([dM[:, i, j].ravel(), dg.ravel()])

    def with_facts(self) -> Evidence:
        """Return the same, with ours computed for the peer's rotors and gravity."""
        M = self.M + np.diag(self.rotor_inertia) - np.array(self.tree.rotor_matrix, dtype=float)
        tree = replace(self.tree, gravity=tuple(self.gravity))
        g = np.array([gravity_torque(tree, row) for row in self.q], dtype=float)
        return replace(self, M=M, g=g)

    @cached_property
    def _jacobians(self) -> list[list[tuple[np.ndarray, np.ndarray]]]:
        """Of each body at each configuration: its Jacobian, and how it accelerates upwards."""
        return [body_jacobians(self.tree, row, self.gravity) for row in self.q]

    def effect(self, body: int, change: np.ndarray) -> np.ndarray:
        """Return what a change of one body's inertia (6×6) adds to `residual`, if a peer has it.

        The body's part of M and g, with a how the body accelerates when it stands on Earth:

            ΔM = Jᵀ ΔI J        Δg = Jᵀ ΔI a
        """
        parts = [row[body] for row in self._jacobians]
        dM = np.array([J.T @ change @ J for J, _ in parts])
        dg = np.array([J.T @ change @ a for J, a in parts])
        return self.flat(dM, dg)


def vanishes(residual: np.ndarray) -> bool:
    """Return whether relative differences are no more than rounding."""
    return bool(np.abs(residual).max(initial=0) <= TOLERANCE)


def body_jacobians(
    tree: Tree, q: np.ndarray, gravity: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, of each body in its own axes, the Jacobian and the acceleration against gravity."""
    X_W = body_poses(tree, q)
    up = join(ORIGIN, -np.asarray(gravity, dtype=float))
    jacobians = {BASE: np.zeros((6, tree.n))}
    parts = []
    X_PB = tree.poses(q)
    for i, (body, drive) in enumerate(zip(tree.bodies, tree.drives, strict=True)):
        J = X_PB[i].motion_inv(jacobians[body.parent])
        J[:, drive.v] += float(drive.ratio) * np.asarray(body.joint.S, dtype=float)
        jacobians[i] = J
        parts.append((J, X_W[i].motion_inv(up)))
    return parts


def matrix(inertia: Inertia) -> np.ndarray:
    """Return the 6×6 matrix that takes a motion of the body to its momentum."""
    return np.column_stack([inertia @ motion for motion in np.eye(6)])
