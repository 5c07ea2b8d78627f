"""The effective mass of a frame by division, and whether that is right: it may be singular.

With M = Lᵀ D L and W = J L⁻¹ D^(−½), whose condition is not squared, orthonormal vectors are made
of the rows of W (of its columns, if these are fewer), W = T Q or Wᵀ = T Q with a triangle T:

    J M⁻¹ Jᵀ = W Wᵀ        (J M⁻¹ Jᵀ)⁻¹ = T⁻ᵀ T⁻¹        or, the pseudoinverse, (T⁻ᵀ Q)ᵀ (T⁻ᵀ Q)

The least singular value of W is at least 1/‖T⁻¹‖. Where that is above what rounding can make of a
zero, the frame can move in all directions in which it ever can, and this is the effective mass.
"""

from __future__ import annotations

from math import nan

import numpy as np

from qddot.dynamics.forward import factored
from qddot.scalars import JointMat, Scalar, sqrt

PLAIN = (int, float, np.number)
PIVOT = 1e-11  # parts of its diagonal entry that a pivot of M has at least where all is well


def effective_mass(M: JointMat, J: np.ndarray, rounding: float) -> tuple[np.ndarray, Scalar]:
    """Return (J M⁻¹ Jᵀ)⁻¹, shape (k, k), and 1 where it is right, else 0.

    Args:
        M: The mass matrix, shape (n, n).
        J: Rows of the Jacobian, shape (k, n). Where all of a row is a plain 0, the frame never
            moves that way; there the result is 0.
        rounding: Of an entry of J, in parts of all of J.
    """
    rows = [i for i, row in enumerate(J) if not all(_is_zero(x) for x in row)]
    result = np.zeros((len(J), len(J)), dtype=object)
    if not rows:
        return result, 1
    W, N, regular = _weighted(M, J)
    joints = [i for i, column in enumerate(J.T) if not all(_is_zero(x) for x in column)]
    if len(joints) < min(len(rows), len(N)):  # others do not move it: W Wᵀ with fewer columns
        W = J[:, joints] @ _orthonormal(N[joints])[0]
    wide = len(rows) <= len(joints)
    T, Q = _orthonormal(W[rows] if wide else W[rows].T)
    if _is_zero(regular) or any(_is_zero(x) for x in np.diagonal(T)):
        return result + nan, 0
    T_inv = _inverse(T)
    P = T_inv if wide else T_inv.T @ Q
    result[np.ix_(rows, rows)] = P.T @ P
    least = (2 * rounding) ** 2 * _square(J) * _square(N) * _square(T_inv)
    return result, regular * (least < 1)


def weighted_jacobian(
    M: JointMat, J: np.ndarray, rounding: float
) -> tuple[np.ndarray, Scalar, Scalar]:
    """Return W with J M⁻¹ Jᵀ = W Wᵀ, shape (k, n), and what makes its singular values known.

    That is up to which size one is only rounding, and 1 where M is not singular, else 0.
    """
    W, N, regular = _weighted(M, J)
    return W, rounding * sqrt(_square(J) * _square(N)), regular


def _weighted(M: JointMat, J: np.ndarray) -> tuple[np.ndarray, np.ndarray, Scalar]:
    """Return W = J N, N with M⁻¹ = N Nᵀ, and 1 where M is clearly not singular, else 0."""
    L, D = factored(M)
    if any(isinstance(d, PLAIN) and d <= 0 for d in D):
        return np.full(J.shape, nan), np.full(M.shape, nan), 0
    unit = np.eye(len(D), dtype=int) + np.array(L, dtype=object).reshape(len(D), len(D))
    N = _inverse(unit) / np.array([sqrt(d) for d in D], dtype=object)
    regular = 1
    for i, d in enumerate(D):
        regular = regular * (d > PIVOT * M[i, i])
    return J @ N, N, regular


def _orthonormal(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return T, lower triangular, and Q with orthonormal rows, vectors = T Q (Gram and Schmidt)."""
    T, Q = np.zeros((len(vectors), len(vectors)), dtype=object), list(vectors)
    for j, vector in enumerate(Q):
        T[j, j] = sqrt(vector @ vector)
        if _is_zero(T[j, j]):
            break
        Q[j] = vector / T[j, j]
        for i in range(j + 1, len(Q)):
            T[i, j] = Q[i] @ Q[j]
            Q[i] = Q[i] - T[i, j] * Q[j]
    return T, np.stack(Q)


def _inverse(T: np.ndarray) -> np.ndarray:
    """Return the inverse of a lower triangle."""
    result = np.zeros(T.shape, dtype=object)
    for i in range(len(T)):
        result[i, i] = 1 / T[i, i]
        for j in range(i):
            result[i, j] = -result[i, i] * (T[i, j:i] @ result[j:i, j])
    return result


def _square(x: np.ndarray) -> Scalar:
    """Return the sum of the squares of the entries."""
    return sum(entry * entry for entry in x.reshape(-1))


def _is_zero(x: Scalar) -> bool:
    return isinstance(x, PLAIN) and x == 0
