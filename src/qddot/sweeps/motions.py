"""The motions of some runs, all stepped together by compiled code, whatever they differ in.

A law is part of the motion (`Rollouts`), or on a computer that samples it (`SampledLoops`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from qddot.backends.iterated import Given, IteratedKernel
from qddot.simulation.acting import Forces, Past, sampled
from qddot.simulation.equation import System
from qddot.simulation.steps import iteration
from qddot.sweeps.controller_runs import ControllerRuns
from qddot.sweeps.quantities import generator
from qddot.sweeps.runs import Values

AT_ONCE = 64  # samples of noise that are drawn together
ROUNDING = 1e-9  # of a step


@dataclass(frozen=True, eq=False)
class Motions:
    """Runs at the instants of the clock, and the torques that acted there."""

    q: np.ndarray  # (runs, rows, n)
    qd: np.ndarray  # (runs, rows, n)
    tau: np.ndarray | None  # (runs, rows, n); None where nothing gives a torque
    ended: np.ndarray | None = None  # (runs,) [s], of the exact engine
    audit: np.ndarray | None = None  # (runs,)

    @property
    def finite(self) -> np.ndarray:
        """Whether a run is finite to its end, shape (runs,)."""
        last = np.concatenate([self.q[:, -1], self.qd[:, -1]], axis=1)
        return np.asarray(np.isfinite(last).all(axis=1))


@dataclass(frozen=True, eq=False)
class Rollouts:
    """Runs of a law that is part of the motion, or of none."""

    case: ControllerRuns

    @cached_property
    def kernel(self) -> IteratedKernel:
        """The compiled loop."""
        return _kernel(self.case, Forces(self.case.law, smoothing=self.case.study.clock.smoothing))

    def motions(self, runs: np.ndarray, values: Values, constants: np.ndarray) -> Motions:
        """Return the motions of these runs; `constants` has shape (runs, parameters)."""
        case, clock = self.case, self.case.study.clock
        count, n = len(runs), case.n
        q0, qd0 = values["q0"], values["qd0"]
        starts = [q0, qd0, case.starts(q0, qd0)]
        kept = [np.empty((count, clock.rows + 1, x.shape[1])) for x in starts if x.shape[1]]
        for array, start in zip(kept, starts, strict=False):
            array[:, 0] = start
        numbers = np.concatenate([constants, case.driving(values, constants)], axis=1)
        with np.errstate(all="ignore"):
            state = self.kernel.start.general(*starts, numbers)
        nothing = Given(np.zeros(1), np.zeros(count, np.int64))
        later = [array[:, 1:] for array in kept]
        self.kernel.run(state, numbers, nothing, later, every=clock.every, h=clock.step)
        q, qd = kept[:2]
        if case.program is None:
            return Motions(q, qd, None)
        given = {name: x[:, None] for name, x in case.inputs(values, constants).items()}
        given |= {"t": clock.t, "q": q, "qd": qd} | ({"x": kept[2]} if len(kept) > 2 else {})
        return Motions(q, qd, np.broadcast_to(torque_of(case, given), (count, len(clock.t), n)))


def torque_of(case: ControllerRuns, given: dict[str, Any]) -> np.ndarray:
    """Return τ alone, of a law with a state too."""
    found = case.torques(given)
    return found[0] if case.controller.states else found


@dataclass(frozen=True, eq=False)
class SampledLoops:
    """Runs of a law that is sampled at a rate."""

    case: ControllerRuns

    @cached_property
    def kernel(self) -> IteratedKernel:
        """The compiled steps of an arm whose torque is held."""
        return _kernel(self.case, Forces(driven=True, smoothing=self.case.study.clock.smoothing))

    def motions(self, runs: np.ndarray, values: Values, constants: np.ndarray) -> Motions:
        """Return the motions of these runs; see `Rollouts.motions`."""
        case, clock = self.case, self.case.study.clock
        rate, count, n = case.controller.rate or 0.0, len(runs), case.n
        period, samples = 1 / rate, round(clock.duration * rate)
        pieces = max(1, ceil(period / clock.step - ROUNDING))
        stride = samples // clock.rows
        inputs = case.inputs(values, constants)
        q, qd = values["q0"], values["qd0"]
        shape = (count, clock.rows + 1, n)
        kept = {name: np.empty(shape) for name in ("q", "qd", "tau")}
        delay = values["delay"][:, 0]
        rows = pieces if delay.any() else 1  # that are kept of a period
        past, noise = Past(q, qd, period / rows, delay), Noise(case, runs, values)
        with np.errstate(all="ignore"):
            state = self.kernel.start.general(q, qd, np.zeros((count, 0)), constants)
        offsets = np.arange(count, dtype=np.int64) * (n * 8)
        after = [np.empty((count, rows, n)) for _ in range(2)]

        def asked(t: float, q: np.ndarray, qd: np.ndarray, x: np.ndarray) -> tuple:
            found = case.torques(inputs | {"t": np.array(t), "q": q, "qd": qd, "x": x})
            tau, xd = found if case.controller.states else (found, x)
            return np.ascontiguousarray(np.broadcast_to(tau, (count, n))), xd

        def moved(t: float, tau: np.ndarray, length: float) -> bool:
            held, h = Given(tau, offsets), period / pieces
            self.kernel.run(state, constants, held, after, every=pieces // rows, h=h)
            for row in range(rows):
                past.keep(after[0][:, row], after[1][:, row])
            return True

        x = case.starts(q, qd)
        loop = sampled(past, asked, moved, x, period=period, count=samples, noise=noise.at)
        for k, (_, tau, _, _) in enumerate(loop):
            if k % stride == 0 or k == samples:
                for name, array in zip(kept, (*past.now, tau), strict=True):
                    kept[name][:, min(k // stride, clock.rows)] = array
        return Motions(**kept)


def _kernel(case: ControllerRuns, forces: Forces) -> IteratedKernel:
    arm, method = case.study.arm, case.study.clock.method
    system = System(arm.robot.model, forces, arm.names)
    return IteratedKernel(iteration(system, method), np.dtype(np.float64), 1)


class Noise:
    """The errors of a batch's measurements, drawn for many samples at once."""

    def __init__(self, case: ControllerRuns, runs: np.ndarray, values: Values):
        study = case.study
        self.spread = np.stack([values["noise.q"], values["noise.qd"]], axis=1)  # (runs, 2, 1)
        # runs of one draw meet the same noise, whatever they are compared in
        draws = (runs % study.runs.draws).tolist() if self.spread.any() else []
        self.rngs = [generator(study.runs.seed, "noise", draw) for draw in draws]
        self.drawn = np.empty((AT_ONCE, len(runs), 2, case.n))

    def at(self, k: int) -> tuple[Any, Any]:
        """Return the errors of positions and of velocities at sample k, asked one after another."""
        if not self.rngs:
            return 0.0, 0.0
        if k % AT_ONCE == 0:
            for i, rng in enumerate(self.rngs):
                self.drawn[:, i] = rng.standard_normal((AT_ONCE, *self.drawn.shape[2:]))
        errors = self.spread * self.drawn[k % AT_ONCE]
        return errors[:, 0], errors[:, 1]
