"""Forward dynamics: the accelerations that torques produce.

Two ways to the same result: through the mass matrix, which is shorter for arms, and by the
articulated body algorithm (`aba.py`), which is shorter for long chains.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.rnea import bias_torque
from qddot.model.tree import Tree
from qddot.scalars import ConfigVec, JointMat, JointVec, Scalar


def forward_dynamics(
    tree: Tree, q: ConfigVec, qd: JointVec, tau: JointVec, **acting: Any
) -> JointVec:
    """Return the joint accelerations that the torques produce.

    The equation of motion, solved for q̈:

        q̈ = M(q)⁻¹ (τ − c − g − friction − springs − τ_dist + Jᵀ f_ext)

    Args:
        tree: The robot.
        q, qd, tau: Joint positions [rad or m], rates, and torques [N·m] or forces [N], shape (n,).
        acting: What inverse dynamics takes besides: wrenches, a disturbance, base_motion, ...
    """
    return solve(mass_matrix(tree, q), tau - bias_torque(tree, q, qd, **acting))


def solve(M: JointMat, b: np.ndarray) -> np.ndarray:
    """Return M⁻¹ b for a symmetric positive definite M and a vector or a matrix b.

    By the factorisation that starts at the tips, so that what is zero in the mass matrix of a
    branched robot stays zero (RBDA §6.5):

        M = Lᵀ D L
    """
    L, D = factored(M)
    n = len(D)
    x = [b[i] for i in range(n)]
    for i in reversed(range(n)):
        for j in range(i):
            x[j] = x[j] - L[i][j] * x[i]
    x = [_over(x[i], D[i]) for i in range(n)]
    for i in range(n):
        for j in range(i):
            x[i] = x[i] - L[i][j] * x[j]
    return np.stack([np.asarray(row, dtype=object) for row in x]) if n else np.asarray(b)


def inverse(M: JointMat) -> JointMat:
    """Return M⁻¹ of a symmetric positive definite M, each entry of a symmetric pair once.

    With W = L⁻¹ of the factorisation of `solve`:

        M⁻¹ = W D⁻¹ Wᵀ
    """
    L, D = factored(M)
    n = len(D)
    W: list[list[Scalar]] = [[0] * i + [1] for i in range(n)]
    for i in range(n):
        for j in reversed(range(i)):
            W[i][j] = -sum(L[i][k] * W[k][j] for k in range(j, i))
    V = [[_over(x, D[k]) for k, x in enumerate(row)] for row in W]
    full = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(i + 1):
            full[i, j] = full[j, i] = sum(W[i][k] * V[j][k] for k in range(j + 1))
    return full


def factored(M: JointMat) -> tuple[list[list[Scalar]], list[Scalar]]:
    """Return L, unit lower triangular, and D with M = Lᵀ D L."""
    n = len(M)
    H = [[M[i, j] for j in range(n)] for i in range(n)]
    L: list[list[Scalar]] = [[0] * n for _ in range(n)]
    for k in reversed(range(n)):
        for i in range(k):
            L[k][i] = _over(H[k][i], H[k][k])
        for i in range(k):
            for j in range(i + 1):
                H[i][j] = H[i][j] - L[k][i] * H[k][j]
    return L, [H[i][i] for i in range(n)]


def inverse_effective_mass(tree: Tree, q: ConfigVec, J: np.ndarray) -> np.ndarray:
    """Return J M⁻¹ Jᵀ, what a force at a frame accelerates the frame by."""
    return J @ solve(mass_matrix(tree, q), J.T)


def _over(a: Scalar, b: Scalar) -> Scalar:
    """Return a/b; over a plain zero, where the mass matrix is singular, infinite or NaN."""
    singular = isinstance(b, (int, float)) and b == 0
    return a * float("inf") if singular else a / b
