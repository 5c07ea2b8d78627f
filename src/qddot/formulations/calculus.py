"""Derivatives for the formulations that need them, of whatever kind the numbers are.

Floats are differentiated by complex step, exact to round-off; other kinds of number register
themselves here with a way of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np

from qddot.model.tree import Tree
from qddot.scalars import ConfigVec

STEP = 1e-30  # nothing is subtracted, so it can be as small as one likes


def gradient(f: Callable[[Any], Any], x: np.ndarray) -> np.ndarray:
    """Return ∂f/∂x_k for every k, stacked along a first axis; f is written over any scalar."""
    return _gradient(x[0] if len(x) else 0.0, f, x)


def along_joints(tree: Tree, f: Callable[[Any], Any], q: ConfigVec) -> np.ndarray:
    """Return how f changes along each entry of the velocity, stacked along a first axis.

    With dq/dt = N(q) v; where the joints have one coordinate each, v is dq/dt and N the identity:

        Σᵢ N[i, k] ∂f/∂qᵢ
    """
    by_q = gradient(f, q)
    return by_q if tree.flat else np.tensordot(tree.rates(q).T, by_q, axes=1)


@singledispatch
def _gradient(kind: Any, f: Callable[[Any], Any], x: np.ndarray) -> np.ndarray:
    x = np.asarray(x, dtype=complex)
    steps = 1j * STEP * np.eye(len(x))
    return np.array([np.imag(np.asarray(f(x + step), dtype=complex)) / STEP for step in steps])


register = _gradient.register
