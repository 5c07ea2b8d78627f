"""Derivatives by complex step: exact to round-off, with no step size to tune.

It works because the definitions take any scalar:

    d/dt f(x(t)) = imag f(x + i h ẋ)/h
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

STEP = 1e-30  # so small that its square is nothing beside 1


def rate(f: Callable[..., Any], *pairs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return how fast f(x, y, ...) changes, given (x, ẋ), (y, ẏ), ..."""
    stepped = (np.asarray(x) + 1j * STEP * np.asarray(xd) for x, xd in pairs)
    return np.imag(np.asarray(f(*stepped), dtype=complex)) / STEP


def slope(f: Callable[[np.ndarray], Any], x: np.ndarray) -> np.ndarray:
    """Return ∂f/∂x, the index of x last."""
    return np.stack([rate(f, (x, e)) for e in np.eye(len(x))], axis=-1)
