"""When something first becomes negative along a step, without stepping over it.

What a solver gives between two steps is a polynomial of degree 7 at most. Its coefficients in
Bernstein's basis enclose it: where they are all positive, so is the polynomial, all along the step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb
from typing import Any

import numpy as np

DEGREE = 7
DEEPEST = 12  # halvings of a step in which to look for two crossings close to each other

Guards = Callable[[np.ndarray], np.ndarray]  # times (k,) to values (k, guards)


def first_crossing(guards: Guards, start: float, end: float) -> tuple[float, int] | None:
    """Return when the first of several functions becomes negative, and which; None if none does.

    Args:
        guards: The functions, all at once; positive or zero where all is well.
        start, end: The step. What is negative at its very start counts as crossing there.
    """
    values = guards(nodes(start, end))
    # for a step of no change at all the coefficients are the values, up to rounding
    least = (bernstein() @ values).min(axis=0)
    suspects = np.flatnonzero((least < 0) | (values.min(axis=0) < 0))
    found: tuple[float, int] | None = None
    for i in suspects:
        one = _only(guards, int(i))
        t = _first(one, start, end if found is None else found[0])
        if t is not None and (found is None or t < found[0]):
            found = (t, int(i))
    return found


def _only(guards: Guards, i: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda t: guards(t)[:, i]


def _first(
    guard: Callable[[np.ndarray], np.ndarray], start: float, end: float, depth: int = 0
) -> float | None:
    """Return the first time in [start, end] from which on one function is negative."""
    if end <= start:
        return None
    times = nodes(start, end)
    values = guard(times)
    if values[0] < 0:
        return start
    coefficients = bernstein() @ values
    if coefficients.min() >= 0 and values.min() >= 0:
        return None
    well = np.flatnonzero(values > 0)
    changes = int(np.count_nonzero(np.diff(np.signbit(coefficients))))
    if values[-1] < 0 and len(well) and (changes == 1 or depth == DEEPEST):
        return _root(guard, float(times[well[-1]]), end)
    if depth == DEEPEST:  # zero at the start and negative ever after, or but touching zero
        return start if values[-1] < 0 else None
    middle = (start + end) / 2
    left = _first(guard, start, middle, depth + 1)
    return left if left is not None else _first(guard, middle, end, depth + 1)


def _root(guard: Callable[[np.ndarray], np.ndarray], start: float, end: float) -> float:
    """Return where a function that is positive at the start and negative at the end crosses."""
    from scipy.optimize import brentq

    def one(t: float) -> float:
        return float(guard(np.array([t]))[0])

    # evaluated alone, a value may round to the other side of zero
    if one(end) >= 0:
        return end
    if one(start) <= 0:
        return start
    solve: Any = brentq  # whose stubs promise more than it returns
    return float(solve(one, start, end, xtol=1e-15, rtol=1e-15))


def nodes(start: float, end: float) -> np.ndarray:
    """Return DEGREE + 1 instants of a step, both ends among them."""
    return start + (end - start) * (1 - np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)) / 2


@cache
def bernstein() -> np.ndarray:
    """Return the matrix that makes Bernstein coefficients of the values at the nodes."""
    s = nodes(0.0, 1.0)[:, None]
    k = np.arange(DEGREE + 1)
    basis = np.array([comb(DEGREE, int(j)) for j in k]) * s**k * (1 - s) ** (DEGREE - k)
    return np.linalg.inv(basis)
