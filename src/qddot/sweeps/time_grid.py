"""How runs are stepped: by which engine, how long, in which steps, and when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.readers import fields
from qddot.readers.document_table import DocumentTable
from qddot.simulation.steps import LEAST_TOLERANCE
from qddot.simulation.steps import METHODS as FIXED
from qddot.sweeps.controllers import Controller

ENGINES = ("rollout", "exact")
# of `simulation.method`, which loads SciPy's integrators
EXACT = ("auto", "RK45", "DOP853", "Radau", "BDF")
STEP = 1e-3  # [s]
ROWS = 100  # at which a run is looked at, about, if the plan does not say
MOST_STEPS = 10**9
WHOLE_NUMBER_TOLERANCE = 1e-9  # relative


@dataclass(frozen=True)
class TimeGrid:
    """The instants of a run."""

    engine: str
    method: str
    duration: float  # [s]
    step: float  # [s], of rollouts
    steps: int
    every: int  # steps from one row to the next
    tolerance: float  # of the exact engine
    smoothing: float  # of dry friction in rollouts [rad/s or m/s]

    @property
    def exact(self) -> bool:
        return self.engine == "exact"

    @property
    def rows(self) -> int:
        """How many rows there are after the first."""
        return self.steps // self.every

    @property
    def spacing(self) -> float:
        """How far apart rows are [s]."""
        return self.duration / self.rows

    @property
    def t(self) -> np.ndarray:
        """When a run is looked at [s]."""
        return np.arange(self.rows + 1) * self.spacing


def read_time_grid(table: DocumentTable, controllers: Sequence[Controller]) -> TimeGrid:
    """Return how the runs of a plan are stepped."""
    engine = fields.one_of(table, "engine", ENGINES, "rollout")
    exact = engine == "exact"
    method = fields.one_of(table, "method", EXACT if exact else FIXED, "auto" if exact else "rk4")
    if not table.has("duration"):
        table.problem("duration", "it is not given", "Add how long a run lasts [s].")
    duration = fields.positive(table, "duration", 1.0, "how long a run lasts [s]")
    step = fields.positive(table, "step", STEP, "how long a step is [s]")
    tolerance = fields.number(table, "tolerance", 1e-10 if exact else 0.0)
    smoothing = fields.positive(table, "smoothing", 0.01, "a velocity [rad/s or m/s]")
    for key in ("step", "smoothing") if exact else ("tolerance",):
        if table.has(key):
            table.problem(key, f"the {engine} engine has none", "Remove it.")
    if exact and not LEAST_TOLERANCE <= tolerance < 1:
        table.problem(
            "tolerance", f"it is {tolerance:g}", f"Give one from {LEAST_TOLERANCE:g} to 1."
        )
    rates = [each.rate for each in controllers if each.rate is not None]
    if exact and rates:
        table.problem(
            "engine", "it runs laws continuously, not sampled", "Remove rate, noise and delay."
        )
    every = fields.positive(table, "every", None, "the time between two looks at a run [s]")
    if exact:
        rows = ROWS if every is None else _whole(table, "every", duration, every) or ROWS
        return TimeGrid(engine, method, duration, duration / rows, rows, 1, tolerance, smoothing)
    steps = _whole(table, "step", duration, step)
    counts = [_samples(table, duration, rate) for rate in rates]
    if steps is None or None in counts:
        return TimeGrid(engine, method, duration, duration, 1, 1, tolerance, smoothing)
    if steps > MOST_STEPS:
        table.problem("step", f"that makes {steps:.1g} steps per run", "Take longer ones.")
    rows = _rows(table, duration, every, [steps, *counts])
    return TimeGrid(
        engine, method, duration, step, steps, steps // (rows or 1), tolerance, smoothing
    )


def _whole(table: DocumentTable, key: str, duration: float, length: float) -> int | None:
    """Return how many times a length goes into the duration, a whole number."""
    count = round(duration / length)
    if count < 1 or abs(count * length / duration - 1) > WHOLE_NUMBER_TOLERANCE:
        near = duration / max(1, count)
        table.problem(
            key,
            f"{length:g} s does not go into {duration:g} s a whole number of times",
            f"Take {near:.6g}.",
        )
        return None
    return count


def _samples(table: DocumentTable, duration: float, rate: float) -> int | None:
    count = round(duration * rate)
    if count < 1 or abs(count / (duration * rate) - 1) > WHOLE_NUMBER_TOLERANCE:
        table.problem(
            "duration",
            f"{duration:g} s is no whole number of samples at {rate:g} Hz",
            f"Take {max(1, count) / rate:.6g}.",
        )
        return None
    return count


def _rows(
    table: DocumentTable, duration: float, every: float | None, counts: list[Any]
) -> int | None:
    """Return how many rows a run has; steps and samples fall on all of them."""
    if every is not None:
        rows = _whole(table, "every", duration, every)
        if rows is not None and any(count % rows for count in counts):
            near = next(k for k in range(rows, 0, -1) if not any(c % k for c in counts))
            table.problem(
                "every",
                "it is no whole number of steps, or of samples of a law",
                f"Take {duration / near:.6g}.",
            )
            return None
        return rows
    fewest = min(counts)
    common = [k for k in range(1, min(fewest, 20 * ROWS) + 1) if not any(c % k for c in counts)]
    return next((k for k in common if k >= ROWS), common[-1])
