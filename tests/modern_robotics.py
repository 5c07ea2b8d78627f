"""Lynch and Park's own formulas, written out once more in NumPy: an oracle that shares no code.

*Modern Robotics* (Cambridge University Press, 2017): forward kinematics (4.14), inverse dynamics
(8.50) to (8.54), and the data of the UR5 and of the three-link arm of its software.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm


def pose(R, p):
    return np.block([[np.array(R, float), np.array(p, float)[:, None]], [0, 0, 0, 1]])


def inertia(x, y, z, m):
    return np.diag([x, y, z, m, m, m])


E3, FORWARD = np.eye(3), [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
UR5_M = [
    pose(E3, [0, 0, 0.089159]),
    pose(FORWARD, [0.28, 0.13585, 0]),
    pose(E3, [0, -0.1197, 0.395]),
    pose(FORWARD, [0, 0, 0.14225]),
    pose(E3, [0, 0.093, 0]),
    pose(E3, [0, 0, 0.09465]),
    pose([[1, 0, 0], [0, 0, 1], [0, -1, 0]], [0, 0.0823, 0]),
]
UR5_G = [
    inertia(0.010267495893, 0.010267495893, 0.00666, 3.7),
    inertia(0.22689067591, 0.22689067591, 0.0151074, 8.393),
    inertia(0.049443313556, 0.049443313556, 0.004095, 2.275),
    inertia(0.111172755531, 0.111172755531, 0.21942, 1.219),
    inertia(0.111172755531, 0.111172755531, 0.21942, 1.219),
    inertia(0.0171364731454, 0.0171364731454, 0.033822, 0.1879),
]
UR5_S = np.array(
    [
        [0, 0, 1, 0, 0, 0],
        [0, 1, 0, -0.089159, 0, 0],
        [0, 1, 0, -0.089159, 0, 0.425],
        [0, 1, 0, -0.089159, 0, 0.81725],
        [0, 0, -1, -0.10915, 0.81725, 0],
        [0, 1, 0, 0.005491, 0, 0.81725],
    ]
)


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def exp6(S, theta):
    """Return exp([S] θ), 4×4."""
    return expm(np.block([[hat(S[:3]), S[3:, None]], [np.zeros((1, 4))]]) * theta)


def Ad(T):
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R, 0 * R], [hat(p) @ R, R]])


def ad(V):
    return np.block([[hat(V[:3]), np.zeros((3, 3))], [hat(V[3:]), hat(V[:3])]])


def forward_kinematics(q, M, S):
    """Return T(q) = exp([S_1] q_1) ··· exp([S_n] q_n) M, with M the product of the home poses."""
    T = np.eye(4)
    for S_i, x in zip(S, q, strict=True):
        T = T @ exp6(S_i, x)
    return T @ np.linalg.multi_dot(M) if len(M) > 1 else T @ M[0]


def inverse_dynamics(q, qd, qdd, gravity, F_tip, M, G, S):
    """Return τ, with M_{i−1,i} of n + 1 frames, and F_tip what the tip applies, in its frame."""
    n, home = len(q), np.eye(4)
    A, X, V, dV = [], [], [np.zeros(6)], [np.r_[0, 0, 0, -np.array(gravity)]]
    for i in range(n):
        home = home @ M[i]
        A.append(Ad(np.linalg.inv(home)) @ S[i])
        X.append(Ad(exp6(A[i], -q[i]) @ np.linalg.inv(M[i])))
        V.append(X[i] @ V[i] + A[i] * qd[i])
        dV.append(X[i] @ dV[i] + ad(V[-1]) @ A[i] * qd[i] + A[i] * qdd[i])
    X.append(Ad(np.linalg.inv(M[n])))
    tau, F = np.zeros(n), np.array(F_tip, float)
    for i in reversed(range(n)):
        F = X[i + 1].T @ F + G[i] @ dV[i + 1] - ad(V[i + 1]).T @ (G[i] @ V[i + 1])
        tau[i] = F @ A[i]
    return tau
