"""Quadratic forms in the products v_i v_j that are zero for every v, and the best of them.

With z_ij = v_i v_j, each way to pair four indices gives the same product:

    z_ab z_cd = z_ac z_bd = z_ad z_bc
"""

from __future__ import annotations

import itertools
import math
from typing import TypeAlias

import numpy as np

from qddot.certificate.fields import whole

Pair: TypeAlias = tuple[int, int]
Form: TypeAlias = tuple[list[int], float]  # numerators and their unit
DIGITS = 2.0**30  # numerators stay below this, so that sums of them are exact
ACCURATE = {True: 1e-9, False: 2e-3}  # how near the best form is looked for: for few joints, many
FEW = 6  # products


def null_pairs(n: int) -> list[tuple[Pair, Pair]]:
    """Return pairs of products of two entries of z that are equal: p r = s t."""
    index, found = whole(n), []
    for a, b, c, d in itertools.combinations_with_replacement(range(n), 4):
        ways = {
            tuple(sorted((int(index[i, j]), int(index[k, l]))))
            for i, j, k, l in ((a, b, c, d), (a, c, b, d), (a, d, b, c))
        }
        first, *others = sorted(ways)
        found += [(first, other) for other in others]
    return found  # type: ignore[return-value]  # sorted pairs are pairs


def null_form(n: int, numerators: list[int], unit: float) -> np.ndarray:
    """Return the lower triangle of N = Σ ν (z_p z_r − z_s z_t), ν = numerator · unit, exactly."""
    size = n * (n + 1) // 2
    doubled = np.zeros((size, size), dtype=np.int64)
    for number, (plus, minus) in zip(numerators, null_pairs(n), strict=True):
        for (p, r), sign in ((plus, 1), (minus, -1)):
            doubled[p, r] += sign * number
            doubled[r, p] += sign * number
    return (doubled * (unit / 2))[np.tril_indices(size)]


def fitted(rows: np.ndarray, times: np.ndarray, pairs: list[tuple[Pair, Pair]]) -> Form:
    """Return the form that brings λ_max of UᵀU + N, weighed by W, lowest, as near as it is found.

    With s an upper bound of the eigenvalue, all weighed so that W is E, Newton's method minimises

        s/μ − log det(s E − UᵀU − Σ ν N)

    for smaller and smaller μ. What is found need not be right: every form is valid.
    """
    size, scale = len(times), 1 / np.sqrt(times)
    Q = (rows * scale).T @ (rows * scale)
    top = max(float(np.trace(Q)), 1e-300)
    basis = np.zeros((1 + len(pairs), size, size))  # of s, then of each ν
    basis[0] = -np.eye(size)
    for k, (plus, minus) in enumerate(pairs, 1):
        for (p, r), sign in ((plus, 0.5), (minus, -0.5)):
            basis[k, p, r] += sign * scale[p] * scale[r]
            basis[k, r, p] += sign * scale[p] * scale[r]
    flat = basis.reshape(len(basis), -1)
    y, mu = np.zeros(len(basis)), 1.0
    y[0] = 2.0
    while mu * size > ACCURATE[size <= FEW]:
        mu *= 0.25
        for _ in range(6):
            inverse = np.linalg.inv(-Q / top - (y @ flat).reshape(size, size))
            turned = inverse @ basis @ inverse
            slope = flat @ inverse.reshape(-1)
            slope[0] += 1 / mu
            hessian = turned.reshape(len(basis), -1) @ flat.T
            hessian += 1e-14 * np.trace(hessian) * np.eye(len(hessian))
            step = np.linalg.solve(hessian, -slope)
            decrement = float(-slope @ step)
            y = y + step / (1 + np.sqrt(max(decrement, 0.0)))  # damped: stays inside
            if decrement < 0.1:
                break
    nu = y[1:] * top
    largest = max(float(np.abs(nu).max(initial=0.0)), 1e-300)
    unit = 2.0 ** math.ceil(math.log2(largest / DIGITS))
    return [int(k) for k in np.rint(nu / unit)], unit
