"""One unit of a sweep: from its number to the bytes of its Parquet part, the same every time."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from qddot.errors import MissingExtra
from qddot.sweeps.columns import Column
from qddot.sweeps.controller_runs import ControllerRuns
from qddot.sweeps.controllers import unit_of_error
from qddot.sweeps.motions import Motions, Rollouts, SampledLoops
from qddot.sweeps.runs import Values
from qddot.sweeps.study import Study

BATCH = 32_000_000  # [bytes] of motions that are in memory at once
MOST_TOGETHER = 4096  # runs
SLACK = 1e-9  # relative: on a limit is not beyond it


def pyarrow() -> Any:
    """Return pyarrow, or say how to install it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(
            "A sweep, which is kept as Parquet files,", "pyarrow", "sweeps"
        ) from None
    return pyarrow


class Units:
    """The units of a study, computed on one thread; what is compiled serves all of them."""

    def __init__(self, study: Study):
        self.study = study
        self.cases = [ControllerRuns(study, k) for k in range(len(study.controllers))]
        self.engines = [self._engine(case) for case in self.cases]

    @cached_property
    def columns(self) -> list[Column]:
        """The columns of every part."""
        study = self.study
        quantities = [study.runs.quantities[name] for name in study.runs.varied]
        return study.kept.columns(
            study.nominal.joint_names,
            study.nominal.limits.units,
            unit_of_error(study.controllers, study.nominal),
            study.clock.exact,
            [(name, each.unit) for each in quantities for name in each.columns],
            len(study.controllers) > 1,
        )

    def part(self, unit: int) -> bytes:
        """Return the Parquet file of a unit."""
        pa = pyarrow()
        runs = self.study.runs.of_unit(unit)
        columns = self._computed(runs)
        arrays = [_array(pa, each, columns[each.name]) for each in self.columns]
        fields = [pa.field(c.name, a.type) for c, a in zip(self.columns, arrays, strict=True)]
        about = {"qddot.sweep": self.study.digest, "qddot.unit": str(unit)}
        table = pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=about))
        sink = pa.BufferOutputStream()
        texts = [each.name for each in self.columns if each.kind == "text"]
        pa.parquet.write_table(
            table,
            sink,
            row_group_size=len(runs),
            version="2.6",
            compression="zstd",
            compression_level=3,
            use_dictionary=texts,
            write_page_checksum=True,
            store_schema=True,
        )
        return sink.getvalue().to_pybytes()

    def _engine(self, case: ControllerRuns) -> Any:
        if self.study.clock.exact:
            from qddot.sweeps.exact import ExactRuns  # which loads SciPy's integrators

            return ExactRuns(case)
        return Rollouts(case) if case.controller.rate is None else SampledLoops(case)

    def _computed(self, runs: np.ndarray) -> dict[str, np.ndarray]:
        """Return the columns of a unit, batch after batch of one controller's runs."""
        study = self.study
        values = study.runs.values(runs)
        found: dict[str, list[np.ndarray]] = {each.name: [] for each in self.columns}
        for rows in self._batches(values):
            case, some = self.cases[values.controller[rows[0]]], values.some(rows)
            constants = study.arm.constants(some, len(rows))
            engine = self.engines[case.number]
            motions = engine.motions(runs[rows], some, constants)
            columns = measured(case, motions, some, constants)
            columns |= {"run": runs[rows], "control": np.full(len(rows), case.controller.name)}
            for name in study.runs.varied:
                parts = study.runs.quantities[name].columns
                columns |= dict(zip(parts, some[name].T, strict=True))
            for name, pieces in found.items():
                pieces.append(columns[name])
        return {name: np.concatenate(pieces) for name, pieces in found.items()}

    def _batches(self, values: Values) -> list[np.ndarray]:
        """Return rows that are computed together: of one controller, as many as memory allows."""
        n, rows = self.study.nominal.n, self.study.clock.rows + 1
        found = []
        for number in np.unique(values.controller):
            own = np.flatnonzero(values.controller == number)
            states = 5 * n + 4 + self.cases[number].controller.states
            together = max(1, min(MOST_TOGETHER, BATCH // (8 * rows * states)))
            found += [own[k : k + together] for k in range(0, len(own), together)]
        return found


def _array(pa: Any, column: Column, values: np.ndarray) -> Any:
    """Return a column as Arrow has it; from its memory, since `pa.array` would load pandas."""
    if column.kind == "text":
        return pa.array([str(x) for x in values], pa.string())
    if column.kind == "list":
        flat = _array(pa, Column("", "", ""), values.reshape(-1))
        return pa.FixedSizeListArray.from_arrays(flat, values.shape[1])
    if column.kind == "bool":
        return _from_memory(pa, pa.bool_(), len(values), np.packbits(values, bitorder="little"))
    kind, dtype = (pa.int64(), "<i8") if column.kind == "int" else (pa.float64(), "<f8")
    return _from_memory(pa, kind, len(values), np.ascontiguousarray(values, dtype))


def _from_memory(pa: Any, kind: Any, count: int, values: np.ndarray) -> Any:
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(values)])


def measured(
    case: ControllerRuns, motions: Motions, values: Values, constants: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the columns of some runs of one controller."""
    study = case.study
    kept, clock, joints = study.kept, study.clock, study.nominal.joint_names
    q, qd, tau = motions.q, motions.qd, motions.tau
    found: dict[str, Any] = {"finite": motions.finite}
    if motions.ended is not None and motions.audit is not None:
        found |= {"ended": motions.ended, "audit": motions.audit}
    given = {name: x[:, None] for name, x in case.inputs(values, constants).items()}
    given |= {"t": clock.t, "q": q, "qd": qd, "arm": constants[:, None]}
    with np.errstate(all="ignore"):  # a column of its own shows what is not finite
        if "final" in kept.families:
            found |= {f"final.q.{name}": q[:, -1, i] for i, name in enumerate(joints)}
            found |= {f"final.qd.{name}": qd[:, -1, i] for i, name in enumerate(joints)}
        if {"energy", "error"} & set(kept.families):
            kinetic, potential, *error = case.looked_at(given)
            if "energy" in kept.families:
                found |= energies(kinetic, potential)
            if "error" in kept.families:
                found |= errors(clock.t, error[0] if error else None, len(q), kept.settled)
        if "torque" in kept.families:
            found |= torques(clock.t, np.zeros_like(q) if tau is None else tau, joints)
        if "limits" in kept.families:
            found["limits.kept"] = within_limits(case, motions)
    if kept.stride:
        for i, name in enumerate(joints):
            found[f"motion.q.{name}"] = q[:, :: kept.stride, i]
            found[f"motion.qd.{name}"] = qd[:, :: kept.stride, i]
    return found


def energies(kinetic: np.ndarray, potential: np.ndarray) -> dict[str, np.ndarray]:
    """Return the energies at the end, and how far their sum strayed from the start's."""
    total = kinetic + potential
    return {
        "energy.kinetic": kinetic[:, -1],
        "energy.potential": potential[:, -1],
        "energy.strayed": np.abs(total - total[:, :1]).max(axis=1),
    }


def errors(
    t: np.ndarray, error: np.ndarray | None, count: int, within: float | None
) -> dict[str, np.ndarray]:
    """Return RMS, worst and final ‖e‖, and when it had settled; NaN for runs without a law."""
    from qddot.control.report import SETTLED

    names = ("error.rms", "error.worst", "error.final", "error.settled")
    if error is None:
        return {name: np.full(count, np.nan) for name in names}
    size = np.sqrt(sum(error[..., i] ** 2 for i in range(error.shape[-1])))  # (runs, rows)
    worst = size.max(axis=1)
    rms = np.sqrt(np.trapezoid(size**2, t, axis=1) / (t[-1] - t[0]))
    bound = SETTLED * worst if within is None else np.full(count, within)
    outside = ~(size <= bound[:, None])  # NaN is outside
    # how many rows there are up to the last one that is outside
    last = np.where(outside.any(axis=1), len(t) - np.argmax(outside[:, ::-1], axis=1), 0)
    settled = np.where(last < len(t), t[np.minimum(last, len(t) - 1)], np.nan)
    return dict(zip(names, (rms, worst, size[:, -1], settled), strict=True))


def torques(t: np.ndarray, tau: np.ndarray, joints: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Return the largest and the RMS torque of every joint."""
    peak = np.abs(tau).max(axis=1)
    rms = np.sqrt(np.trapezoid(tau**2, t, axis=1) / (t[-1] - t[0]))
    found = {f"torque.peak.{name}": peak[:, i] for i, name in enumerate(joints)}
    return found | {f"torque.rms.{name}": rms[:, i] for i, name in enumerate(joints)}


def within_limits(case: ControllerRuns, motions: Motions) -> np.ndarray:
    """Return whether positions, velocities and torques kept to the robot's limits."""
    limits = case.study.nominal.limits
    good = motions.finite
    for array, low, high in (
        (motions.q, limits.lower, limits.upper),
        (motions.qd, -limits.velocity, limits.velocity),
        (motions.tau, -limits.effort, limits.effort),
    ):
        if array is not None:
            slack = SLACK * np.where(np.isfinite(high - low), high - low, 0.0)
            good &= ((array >= low - slack) & (array <= high + slack)).all(axis=(1, 2))
    return good
