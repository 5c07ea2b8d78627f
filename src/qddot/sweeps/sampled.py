"""Laws on computers: asked at a rate, on late and noisy measurements, torques held in between.

As `qddot.control.closed_loop` has it, but all runs at once: one call of the compiled law and one of
the compiled steps for each sample of the whole batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from qddot.backends.iterated import Given, IteratedKernel
from qddot.simulation.equation import Forces, System
from qddot.simulation.sampled import Past, sampled
from qddot.simulation.steps import iteration
from qddot.sweeps.cases import Case
from qddot.sweeps.draws import generator
from qddot.sweeps.motions import Motions
from qddot.sweeps.runs import Values

AT_ONCE = 64  # samples of noise that are drawn together
ROUNDING = 1e-9  # of a step


@dataclass(frozen=True, eq=False)
class SampledLoops:
    """Runs of a law that is asked at a rate."""

    case: Case

    @cached_property
    def kernel(self) -> IteratedKernel:
        """The compiled steps of an arm whose torque is held."""
        study = self.case.study
        forces = Forces(driven=True, smoothing=study.clock.smoothing)
        system = System(study.arm.robot.model, forces, study.arm.names)
        return IteratedKernel(iteration(system, study.clock.method), np.dtype(np.float64), 1)

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


class Noise:
    """The errors of a batch's measurements, drawn for many samples at once."""

    def __init__(self, case: Case, runs: np.ndarray, values: Values):
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
