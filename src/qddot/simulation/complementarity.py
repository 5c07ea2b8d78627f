"""Forces that hold what they can: a linear complementarity problem with bounds.

A joint at rest is held by friction or by a stop, with whatever force that takes, up to a bound;
beyond, the force stays at its bound and the joint moves. All joints decide at once, because each
one's force moves the others.
"""

from __future__ import annotations

import numpy as np

HELD, AT_LOW, AT_HIGH = 0, -1, 1


def bounded_forces(
    A: np.ndarray, b: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the forces λ and, of each, whether it holds (0) or is at its low (−1) or high (1).

    For a symmetric positive definite A there is exactly one solution of:

        w = A λ + b        w = 0 and low ≤ λ ≤ high,  or  λ = low and w ≥ 0,  or  λ = high and w ≤ 0

    Found by exchanging the first variable that is wrong until none is, which ends for such
    matrices (K. Murty, *Note on a Bard-type scheme for solving the complementarity problem*, 1974).
    """
    n = len(b)
    where = np.full(n, HELD)
    force = np.zeros(n)
    size = max(np.abs(b).max(initial=0), np.finfo(float).tiny)
    slack = 1e-13
    for _ in range(3**n + 1):
        holds = where == HELD
        force = np.where(where == AT_LOW, low, high)
        force[holds] = 0
        force[holds] = np.linalg.solve(A[np.ix_(holds, holds)], -(b + A @ force)[holds])
        w = A @ force + b
        margin = slack * np.abs(force)
        too_low, too_high = holds & (force < low - margin), holds & (force > high + margin)
        returns = (where == AT_LOW) & (w < -slack * size) | (where == AT_HIGH) & (w > slack * size)
        wrong = np.flatnonzero(too_low | too_high | returns)
        if not len(wrong):
            break
        i = wrong[0]
        where[i] = HELD if returns[i] else AT_LOW if too_low[i] else AT_HIGH
    return force, where
