"""The effective mass of a frame, and its principal masses, with a word on whether they are right.

With M = Lᵀ D L and W = J L⁻¹ D^(−½), whose condition is not squared, orthonormal vectors are made
of the rows of W (of its columns, if these are fewer), W = T Q or Wᵀ = T Q with a triangle T:

    J M⁻¹ Jᵀ = W Wᵀ        (J M⁻¹ Jᵀ)⁻¹ = T⁻ᵀ T⁻¹        or, the pseudoinverse, (T⁻ᵀ Q)ᵀ (T⁻ᵀ Q)

The least singular value of W is at least 1/‖T⁻¹‖. Where that is above what rounding can make of a
zero, the frame can move in all directions in which it ever can, and this is the effective mass.
Elsewhere, and where M is singular, these definitions say so, and others have to be asked.
"""

from __future__ import annotations

from math import inf, nan

import numpy as np

from qddot.dynamics.forward import factored
from qddot.scalars import JointMat, Scalar, sqrt

PLAIN = (int, float, np.number)
TINY = 1e-150
SWEEPS = 5  # over all pairs of columns
MIXED = 1e-26  # squared cosine of an angle that is right to rounding
PIVOT = 1e-11  # parts of its diagonal entry that a pivot of M has at least where all is well


def effective_mass(M: JointMat, J: np.ndarray, rounding: float) -> tuple[np.ndarray, Scalar]:
    """Return (J M⁻¹ Jᵀ)⁻¹, shape (k, k), and 1 where it is right, else 0.

    M is (n, n), and J are rows of the Jacobian, (k, n). Where all of a row is a plain 0, the frame
    never moves that way; there the result is 0. The rounding is that of an entry of J, in parts of
    all of J.
    """
    rows = [i for i, row in enumerate(J) if not all(is_zero(x) for x in row)]
    result = np.zeros((len(J), len(J)), dtype=object)
    N, regular = _inverse_root(M)
    if not rows:
        return result, regular
    W = J @ N
    joints = [i for i, column in enumerate(J.T) if not all(is_zero(x) for x in column)]
    if len(joints) < min(len(rows), len(N)):  # others do not move it: W Wᵀ with fewer columns
        W = J[:, joints] @ _orthonormal(N[joints])[0]
    wide = len(rows) <= len(joints)
    T, Q = _orthonormal(W[rows] if wide else W[rows].T)
    if is_zero(regular) or any(is_zero(x) for x in np.diagonal(T)):
        return result + nan, 0
    T_inv = _inverse(T)
    P = T_inv if wide else T_inv.T @ Q
    result[np.ix_(rows, rows)] = P.T @ P
    least = (2 * rounding) ** 2 * _square(J) * _square(N) * _square(T_inv)
    return result, regular * (least < 1)


def principal_masses(
    M: JointMat, J: np.ndarray, rounding: float
) -> tuple[np.ndarray, np.ndarray, Scalar]:
    """Return the principal masses, ascending, shape (k,), their axes, one per column, and 1 or 0.

    1 stands where they are right. Turns of pairs of columns of T, T Θ = U Σ, make them orthogonal
    (Hestenes: one-sided Jacobi); their squared lengths are 1/m, and U are the axes. A direction in
    which the frame never moves is an axis of infinite mass.
    """
    k = len(J)
    rows = [i for i, row in enumerate(J) if not all(is_zero(x) for x in row)]
    masses, axes = np.full(k, inf, dtype=object), np.zeros((k, k), dtype=object)
    for at, i in enumerate([i for i in range(k) if i not in rows], len(rows)):
        axes[i, at] = 1
    N, regular = _inverse_root(M)
    if not rows:
        return masses, axes, regular
    joints = [column for column in J.T if not all(is_zero(x) for x in column)]
    if len(rows) > len(joints) or is_zero(regular):  # never as many directions as rows
        return masses * nan, axes * nan, 0
    T = _orthonormal(J[rows] @ N)[0]
    if any(is_zero(x) for x in np.diagonal(T)):
        return masses * nan, axes * nan, 0
    columns, mixed = _turned(list(T.T))
    pairs = [(x @ x, x) for x in columns]
    least = (2 * rounding) ** 2 * _square(J) * _square(N)
    for i in range(len(pairs)):  # the longest first, by neighbours
        for j in range(i % 2, len(pairs) - 1, 2):
            pairs[j], pairs[j + 1] = _longer_first(pairs[j], pairs[j + 1])
    for at, (square, column) in enumerate(pairs):
        masses[at], axes[rows, at] = 1 / square, column / sqrt(square)
        regular = regular * (square > least)
    return masses, axes, regular * (mixed < MIXED)


def _turned(columns: list[np.ndarray]) -> tuple[list[np.ndarray], Scalar]:
    """Return columns that were turned in pairs until orthogonal, and how far they are from it.

    That is the sum of the squared cosines of the angles between them. Pairs that share no column
    stand next to each other, as in a round robin, so that a processor works on several at once.
    """
    count = len(columns)
    squares = [x @ x for x in columns]
    order = list(range(count + count % 2))
    for _ in range(SWEEPS * (len(order) - 1)):
        for i, j in zip(order[: len(order) // 2], reversed(order), strict=False):
            if max(i, j) < count:
                x, y = columns[i], columns[j]
                cosine, sine, step = _turn(x @ y, squares[i], squares[j])
                columns[i], columns[j] = cosine * x - sine * y, sine * x + cosine * y
                squares[i], squares[j] = squares[i] - step, squares[j] + step
        order = [order[0], order[-1], *order[1:-1]]
    mixed: Scalar = 0
    for i, x in enumerate(columns):
        for y in columns[:i]:
            mixed = mixed + (x @ y) ** 2 / ((x @ x) * (y @ y))
    return columns, mixed


def _turn(product: Scalar, before: Scalar, behind: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Return cosine and sine of the turn that makes two vectors orthogonal.

    It is at most an eighth of a turn. And by how much it makes the square of the first smaller, and
    that of the second larger. `product` is that of the two vectors, `before` and `behind` are their
    squares.
    """
    twice, difference = 2 * product, behind - before
    along = abs(difference) + sqrt(difference * difference + twice * twice)
    along = np.maximum(along, TINY)  # two equal orthogonal vectors stay where they are
    one = 1 / sqrt(along * along + twice * twice)
    across = np.where(difference < 0, -twice, twice)
    return along * one, across * one, product * across / along


def _longer_first(a: tuple, b: tuple) -> tuple[tuple, tuple]:
    """Return two columns with their squared lengths, the longer one first."""
    swapped = a[0] < b[0]
    first = tuple(np.where(swapped, y, x) for x, y in zip(a, b, strict=True))
    second = tuple(np.where(swapped, x, y) for x, y in zip(a, b, strict=True))
    return first, second


def _inverse_root(M: JointMat) -> tuple[np.ndarray, Scalar]:
    """Return N with M⁻¹ = N Nᵀ, and 1 where M is clearly not singular, else 0."""
    L, D = factored(M)
    if any(isinstance(d, PLAIN) and d <= 0 for d in D):
        return np.full(M.shape, nan), 0
    unit = np.eye(len(D), dtype=int) + np.array(L, dtype=object).reshape(len(D), len(D))
    N = _inverse(unit) / np.array([sqrt(d) for d in D], dtype=object)
    regular = 1
    for i, d in enumerate(D):
        regular = regular * (d > PIVOT * M[i, i])
    return N, regular


def _orthonormal(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return T, lower triangular, and Q with orthonormal rows, vectors = T Q (Gram and Schmidt)."""
    T, Q = np.zeros((len(vectors), len(vectors)), dtype=object), list(vectors)
    for j, vector in enumerate(Q):
        T[j, j] = sqrt(vector @ vector)
        if is_zero(T[j, j]):
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


def is_zero(x: Scalar) -> bool:
    """Return whether x is a plain 0, which no position makes anything else."""
    return isinstance(x, PLAIN) and x == 0
