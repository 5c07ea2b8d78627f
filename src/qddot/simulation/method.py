"""Which method integrates a run, and what makes its solvers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.simulation.motion import Layout
from qddot.simulation.plant import Plant
from qddot.simulation.run_arguments import positive
from qddot.simulation.solvers import ADAPTIVE, FIXED, IMPLICIT, Midpoint, sensitivity

TIGHT = 1e-5  # below, a method of high order takes fewer evaluations
TIGHTEST = 3e-14  # below, rounding decides
STIFF = 1e5  # the fastest decay of the model times the duration, from which on it is stiff
METHODS = ("auto", *ADAPTIVE, *FIXED)


def chosen_method(
    method: str,
    tolerance: float,
    step: float | None,
    rate: Callable,
    y0: np.ndarray,
    layout: Layout,
    duration: float,
) -> str:
    """Return the name of the method to use, checked against what goes with it."""
    if method in FIXED:
        if step is None:
            raise BadArgument(
                f"Method {method!r} takes fixed steps: say how long, with step=0.001."
            )
        positive("step", step)
        return method
    if step is not None:
        positive("step", step)
    positive("tolerance", tolerance)
    if not TIGHTEST <= tolerance < 1:
        raise BadArgument(
            f"tolerance is {tolerance:g}; it must lie between {TIGHTEST:g}, below which rounding "
            "decides, and 1."
        )
    if method != "auto":
        return method
    k = 2 * layout.n
    J = sensitivity(rate, k)(0.0, y0)[:k, :k]
    decay = -np.linalg.eigvals(J).real.min() if np.isfinite(J).all() and k else 0.0
    if decay * duration > STIFF:
        return "Radau"
    return "DOP853" if tolerance <= TIGHT else "RK45"


def solver_of(
    name: str, tolerance: float, step: float | None, plant: Plant
) -> tuple[Callable, dict[str, Any]]:
    """Return what makes a solver of a rate from (t, y) to an end, and how it is described."""
    layout = plant.layout
    if name in FIXED:
        more: dict[str, Any] = {"step": step, "n": layout.n}
        if FIXED[name] is Midpoint:
            robot = plant.robot
            more["momentum"] = lambda q, qd: (
                robot.mass_matrix(q),
                robot.mass_matrix_rate(q, qd) @ qd,
            )
        return partial(_call, FIXED[name], more), {"method": name, "step": step}
    # SciPy takes the mean over all entries; the works are left out of it
    own = tolerance * np.sqrt(layout.tracked / layout.size)
    atol = np.full(layout.size, np.inf)
    atol[: layout.tracked] = own
    more = {"rtol": own, "atol": atol, "max_step": step or np.inf}
    if name in IMPLICIT:
        more["jac"] = layout.tracked
    return partial(_call, ADAPTIVE[name], more), {"method": name, "tolerance": tolerance}


def _call(solver: Any, more: dict[str, Any], rate: Any, t: float, y: np.ndarray, end: float) -> Any:
    if "jac" in more:
        more = more | {"jac": sensitivity(rate, more["jac"])}
    return solver(rate, t, y, end, **more)
