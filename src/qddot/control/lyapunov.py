"""A Lyapunov function along a motion: its value, and its rate by the chain rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.model.tree import Tree
from qddot.program.differentiate import gradient
from qddot.program.optimise import optimised
from qddot.program.program import Program, flat
from qddot.program.recorder import record


def rate_program(V: Program, tree: Tree) -> Program:
    """Return the program of V̇ from that of V(t, q, q̇[, x]), the accelerations and ẋ as inputs.

    The chain rule, no differencing, with dq/dt what the tree says (q̇, of most joints):

        V̇ = ∂V/∂t + ∂V/∂q · dq/dt + ∂V/∂q̇ · q̈ + ∂V/∂x · ẋ
    """
    shapes = {port.name: port.shape for port in V.inputs}
    slope = gradient(V, list(shapes))
    rates = {"qdd": shapes["qd"]} | ({"xd": shapes["x"]} if "x" in shapes else {})

    def rate(*arrays: Any) -> dict[str, Any]:
        given = dict(zip([*shapes, *rates], arrays, strict=True))
        entries = flat(given[name] for name in shapes)
        slopes = slope.pack(slope.results_at([*entries, 1.0]))
        moving = tree.rate(given["q"], given["qd"])
        along = {"t": 1.0, "q": moving, "qd": given["qdd"], "x": given.get("xd")}
        terms = [np.dot(g, along[name]) for name, g in zip(shapes, slopes, strict=True)]
        return {"rate": sum(terms[1:], terms[0])}

    return optimised(record(rate, f"rate of {V.name}", **shapes, **rates))


def along(
    V: Program,
    tree: Tree,
    t: np.ndarray,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    x: np.ndarray | None = None,
    xd: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return V and V̇ at every row of a motion, shape (k,) each."""
    state = [t, q, qd] + ([] if x is None else [x])
    rates = [qdd] + ([] if xd is None else [xd])
    return Kernel(V)(*state), Kernel(rate_program(V, tree))(*state, *rates)
