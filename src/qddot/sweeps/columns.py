"""How runs are stepped, when they are looked at, and what is kept: a table's rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import did_you_mean, listing
from qddot.model.units import JointUnits
from qddot.readers import fields
from qddot.readers.document_table import DocumentTable
from qddot.simulation.steps import LEAST_TOLERANCE
from qddot.simulation.steps import METHODS as FIXED
from qddot.sweeps.controllers import Controller
from qddot.sweeps.variations import Variation

ENGINES = ("rollout", "exact")
# of `simulation.method`, which loads SciPy's integrators
EXACT = ("auto", "RK45", "DOP853", "Radau", "BDF")
STEP = 1e-3  # [s]
ROWS = 100  # at which a run is looked at, about, if the plan does not say
MOST_STEPS = 10**9  # of a run
MOST_ROWS = 10**6  # at which a run is looked at
WHOLE_NUMBER_TOLERANCE = 1e-9  # relative

FAMILIES = {
    "final": "where it ended: q and q̇",
    "energy": "kinetic and potential energy at the end, and how far the total strayed",
    "error": "tracking error: RMS, worst, final, and when it had settled",
    "torque": "largest and RMS torque of every joint",
    "limits": "whether positions, velocities and torques kept to the robot's limits",
    "motion": "q and q̇ over time, thinned out",
}
GIVEN = "what the run was given"
OWN = ("run", "control", "finite", "ended", "audit")  # columns that are always called so
MOTION_ROWS = 20  # about, if the plan does not say


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
    rows = _rows(table, duration, every, [steps, *counts])
    return TimeGrid(
        engine, method, duration, step, steps, steps // (rows or 1), tolerance, smoothing
    )


def _whole(table: DocumentTable, key: str, duration: float, length: float) -> int | None:
    """Return how many times a length goes into the duration, a whole number."""
    most = MOST_ROWS if key == "every" else MOST_STEPS
    count = duration / length
    if count > most:
        what = "looks at each run" if key == "every" else "steps per run"
        message = f"{length:g} s makes more than {most:g} {what}"
        table.problem(key, message, f"Take {duration / most:.6g} or more, or a shorter duration.")
        return None
    apart = f"{length:g} s does not go into {duration:g} s a whole number of times"
    return _rounded(table, key, count, apart, duration / max(1, round(count)))


def _samples(table: DocumentTable, duration: float, rate: float) -> int | None:
    count = duration * rate
    if count > MOST_STEPS:
        what = f"it is more than {MOST_STEPS:g} samples at {rate:g} Hz"
        table.problem("duration", what, "Take a shorter one, or a lower rate.")
        return None
    apart = f"{duration:g} s is no whole number of samples at {rate:g} Hz"
    return _rounded(table, "duration", count, apart, max(1, round(count)) / rate)


def _rounded(table: DocumentTable, key: str, count: float, apart: str, near: float) -> int | None:
    """Return a count that is whole but for rounding; else say what it is, and what is near."""
    if abs(max(1, round(count)) - count) <= WHOLE_NUMBER_TOLERANCE * count:
        return round(count)
    table.problem(key, apart, f"Take {near:.6g}.")
    return None


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


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    unit: str
    words: str
    kind: str = "float"  # or "int", "bool", "text", "list"


@dataclass(frozen=True)
class KeptColumns:
    """What is kept of a run."""

    families: tuple[str, ...]
    settled: float | None  # [rad or m] below which an error counts as settled; None: 2 %
    stride: int  # rows from one of a motion to the next; 0: no motions are kept

    def columns(
        self,
        joints: Sequence[str],
        units: Sequence[JointUnits],
        error: str,
        exact: bool,
        varied: Sequence[tuple[str, str]],
        named: bool,
    ) -> list[Column]:
        """Return the columns in order, with the units of the robot's joints.

        `error` is the unit of what laws are off by, "" where there is no law; `exact` says whether
        energy was audited, `varied` has columns and units of what runs differ in, and with several
        controllers they are `named`.
        """

        def each(name: str, quantity: str, words: str, kind: str = "float") -> list[Column]:
            pairs = zip(joints, units, strict=True)
            return [Column(f"{name}.{j}", getattr(own, quantity), words, kind) for j, own in pairs]

        found = [Column("run", "", "the number of the run", "int")]
        if named:
            found.append(Column("control", "", "the controller", "text"))
        found += [Column(name, unit, GIVEN) for name, unit in varied]
        found.append(Column("finite", "", "whether it is finite to the end", "bool"))
        if exact:
            found.append(Column("ended", "s", "how far it came"))
            found.append(Column("audit", "", "energy unaccounted for, of what changed hands"))
        if "final" in self.families:
            found += each("final.q", "position", "position at the end")
            found += each("final.qd", "velocity", "velocity at the end")
        if "energy" in self.families:
            found += [
                Column("energy.kinetic", "J", "at the end"),
                Column("energy.potential", "J", "at the end"),
                Column("energy.strayed", "J", "largest |E − E(0)|"),
            ]
        if "error" in self.families and error:
            found += [
                Column("error.rms", error, "root mean square of ‖e‖ over time"),
                Column("error.worst", error, "largest ‖e‖"),
                Column("error.final", error, "‖e‖ at the end"),
                Column("error.settled", "s", "after which ‖e‖ stays small; NaN: never"),
            ]
        if "torque" in self.families:
            found += each("torque.peak", "effort", "largest |τ|")
            found += each("torque.rms", "effort", "RMS of τ")
        if "limits" in self.families:
            found.append(Column("limits.kept", "", "whether all limits were kept", "bool"))
        if self.stride:
            found += each("motion.q", "position", "position over time", "list")
            found += each("motion.qd", "velocity", "velocity over time", "list")
        return found


def read_columns(
    table: DocumentTable,
    controllers: Sequence[Controller],
    clock: TimeGrid,
    variations: Sequence[Variation],
) -> KeptColumns:
    """Return what a plan keeps of its runs."""
    driven = any(each.law is not None for each in controllers)
    pushed = table.has("torque") or any(v.quantity.name == "torque" for v in variations)
    default = ["final", "energy"] + ["error", "torque"] * driven
    value = table.get("keep")
    names = default if value is None else [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(x, str) for x in names):
        table.problem("keep", f"it is {fields.shown(value)}", f"Name some of: {listing(FAMILIES)}.")
        names = default
    for name in names:
        if name not in FAMILIES:
            near = did_you_mean(name, FAMILIES).strip() or f"There are: {listing(FAMILIES)}."
            table.problem("keep", f"there is no {name!r}", near)
        elif name == "error" and not driven:
            table.problem("keep", "there is no error without a law", "Remove it, or add [control].")
        elif name == "torque" and not driven and not pushed:
            table.problem("keep", "nothing gives a torque", "Remove it, or add [control].")
    settled = fields.positive(table, "settled", None, "a size of the error [rad or m]")
    apart = fields.positive(table, "motion_every", None, "how far apart rows are [s]")
    if apart is not None and "motion" not in names:
        table.problem("motion_every", "no motion is kept", 'Add "motion" to keep, or remove it.')
    stride = 0
    if "motion" in names:
        stride = max(1, clock.rows // MOTION_ROWS)
        if apart is not None:
            stride = max(1, round(min(apart, clock.duration) / clock.spacing))
            if abs(stride * clock.spacing / apart - 1) > 1e-9:
                table.problem(
                    "motion_every",
                    f"it is no multiple of every, {clock.spacing:g} s",
                    f"Take {stride * clock.spacing:.6g}.",
                )
    return KeptColumns(tuple(name for name in FAMILIES if name in names), settled, stride)
