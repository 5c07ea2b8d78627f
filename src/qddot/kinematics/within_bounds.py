"""Least squares within bounds, as a program: so many passes of the active-set method, no branches.

Of ½ zᵀ H z + gᵀ z over low ≤ z ≤ high, a pass goes from z towards the least value that the free
entries can reach, and stops at the first bound on its way. That entry is held from then on; where
none is in the way, every held entry that H z + g would pull inside is let go (J. Nocedal, S.
Wright, *Numerical Optimization*, 2006, Algorithm 16.3). Whatever the number of passes,

- z is within the bounds, since every pass ends with a cut at them;
- the value never rises from pass to pass, since a pass goes down a parabola no farther than to its
  lowest point.

With enough passes z is the solution: some more than entries are at a bound.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from qddot.dynamics.forward import solve
from qddot.program.blocks import Block
from qddot.program.optimise import optimised
from qddot.program.recorder import record


def least_within(H: Any, slope: Any, z: Any, low: Any, high: Any, passes: int) -> Any:
    """Return z after so many passes from z (n,) within the bounds, where H z + g is the slope.

    H (n, n) is symmetric and positive definite, a matrix of recorded values.
    """
    n = len(z)
    free = (z > low) * 1 * (z < high)
    packed = np.array([H[i, j] for i in range(n) for j in range(i + 1)], dtype=object)
    for _ in range(passes):
        z, slope, free = _pass(n)(packed, slope, z, free, low, high)
    return z


@cache
def _pass(n: int) -> Block:
    vector = dict.fromkeys(("slope", "z", "free", "low", "high"), (n,))
    shapes = {"packed": (n * (n + 1) // 2,), **vector}
    return Block(optimised(record(_one_pass, f"pass within bounds of {n}", **shapes)))


def _one_pass(packed: Any, slope: Any, z: Any, free: Any, low: Any, high: Any) -> dict[str, Any]:
    n, entries = len(z), iter(packed)
    H = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(i + 1):
            H[i, j] = H[j, i] = next(entries)
    still = np.diag(1 - free)
    d = -solve(H * np.outer(free, free) + still, slope * free)
    above, below = z + d > high, z + d < low
    beyond, bound = above + below, np.where(above, high, low)
    share = np.where(beyond, (bound - z) / np.where(beyond, d, 1.0), 1.0)
    least = share[0]
    for each in share[1:]:
        least = np.minimum(least, each)
    stopped = beyond * (share <= least)
    there = np.where(stopped, bound, np.minimum(np.maximum(z + least * d, low), high))
    slope = slope + least * (H @ d)
    held = (there <= low) * (slope > 0) + (there >= high) * (slope < 0)
    return {
        "z": there,
        "slope": slope,
        "free": np.where(least >= 1, 1 - held, free * (1 - stopped)),
    }
