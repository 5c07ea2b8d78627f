"""Which method integrates a run, and what makes its solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.checks import positive
from qddot.errors import BadArgument
from qddot.simulation.contact import Modes
from qddot.simulation.equation import Layout
from qddot.simulation.plant import Plant
from qddot.simulation.solvers import ADAPTIVE, COMPILED, IMPLICIT, Explicit, Midpoint, sensitivity
from qddot.simulation.steps import EXPLICIT, LEAST_TOLERANCE, check_coordinates
from qddot.simulation.steps import METHODS as FIXED

TIGHT = 1e-5  # below, a method of high order takes fewer evaluations
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
        positive("step", step, "s")
        if method == "midpoint":
            check_coordinates(layout)
        return method
    if step is not None:
        positive("step", step, "s")
    positive("tolerance", tolerance)
    if not LEAST_TOLERANCE <= tolerance < 1:
        raise BadArgument(
            f"tolerance is {tolerance:g}; it must lie between {LEAST_TOLERANCE:g}, below which "
            "rounding decides, and 1."
        )
    if method != "auto":
        return method
    k = layout.v.stop
    J = sensitivity(rate, k)(0.0, y0)[:k, :k]
    decay = -np.linalg.eigvals(J).real.min() if np.isfinite(J).all() and k else 0.0
    if decay * duration > STIFF:
        return "Radau"
    return "DOP853" if tolerance <= TIGHT else "RK45"


@dataclass(frozen=True)
class Method:
    """A way to integrate a plant, by name, with what goes with it."""

    name: str
    plant: Plant
    tolerance: float
    step: float | None

    @property
    def how(self) -> dict[str, Any]:
        """How it is described."""
        if self.name in FIXED:
            return {"method": self.name, "step": self.step}
        return {"method": self.name, "tolerance": self.tolerance}

    def solver(self, modes: Modes, t: float, y: np.ndarray, end: float) -> Any:
        """Return a solver from (t, y) to an end, while nothing switches."""
        rate, layout = self.plant.rate_in(modes, end), self.plant.layout
        if self.name in FIXED:
            more: dict[str, Any] = {"step": self.step}
            if self.name in EXPLICIT:
                return Explicit(
                    rate, t, y, end, method=EXPLICIT[self.name](self.plant.robot.tree), **more
                )
            more |= {"momentum": self._momentum, "free": ~modes.held, "tracked": layout.tracked}
            return Midpoint(rate, t, y, end, **more)
        # SciPy takes the mean over all entries; the works are left out of it
        own = self.tolerance * np.sqrt(layout.tracked / layout.size)
        atol = np.full(layout.size, np.inf)
        atol[: layout.tracked] = own
        longest = min(self.step or np.inf, self.plant.longest_step(modes))
        more = {"rtol": own, "atol": atol, "max_step": longest}
        kind = ADAPTIVE[self.name]
        stages = self.plant.stages_in(modes, kind) if self.name in COMPILED else None
        if stages is not None:
            return COMPILED[self.name](rate, t, y, end, stages=stages, **more)
        if self.name in IMPLICIT:
            more["jac"] = sensitivity(rate, layout.tracked)
        return kind(rate, t, y, end, **more)

    def _momentum(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        robot = self.plant.robot
        return robot.mass_matrix(q), robot.mass_matrix_rate(q, qd) @ qd
