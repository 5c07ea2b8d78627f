"""Laws on computers: asked at a rate, on late and noisy measurements, torques held in between.

As `qddot.control.closed_loop` has it, but all runs at once: one call of the compiled law and one of
the compiled steps for each sample of the whole batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from qddot.backends.iterated import Given, IteratedKernel
from qddot.simulation.equation import Forces, System
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
        q, qd = values["q0"].copy(), values["qd0"].copy()
        x, tau, xd = case.starts(q, qd), np.zeros((count, n)), np.zeros((count, 0))
        shape = (count, clock.rows + 1, n)
        kept = {name: np.empty(shape) for name in ("q", "qd", "tau")}
        seen = Measurements(case, runs, values, q, qd, period)
        with np.errstate(all="ignore"):
            state = self.kernel.start.general(q, qd, np.zeros((count, 0)), constants)
        offsets = np.arange(count, dtype=np.int64) * (n * 8)
        after = [np.empty((count, 1, n)) for _ in range(2)]
        for k in range(samples):
            measured = dict(zip(("q", "qd"), seen.at(k), strict=True))
            given = inputs | measured | {"t": np.array(k * period), "x": x}
            found = case.torques(given)
            if case.controller.states:
                tau, xd = found
                x = x + period * xd
            else:
                tau = found
            tau = np.ascontiguousarray(np.broadcast_to(tau, (count, n)))
            if k % stride == 0:
                for name, array in (("q", q), ("qd", qd), ("tau", tau)):
                    kept[name][:, k // stride] = array
            held = Given(tau, offsets)
            self.kernel.run(state, constants, held, after, every=pieces, h=period / pieces)
            q, qd = after[0][:, 0].copy(), after[1][:, 0].copy()
            seen.keep(k + 1, q, qd)
        for name, array in (("q", q), ("qd", qd), ("tau", tau)):
            kept[name][:, -1] = array
        return Motions(**kept)


class Measurements:
    """What the laws of a batch see: states of a while ago, with noise."""

    def __init__(
        self,
        case: Case,
        runs: np.ndarray,
        values: Values,
        q: np.ndarray,
        qd: np.ndarray,
        period: float,
    ):
        study = case.study
        self.behind = values["delay"][:, 0] / period  # in samples
        self.period = period
        self.length = int(np.ceil(self.behind.max(initial=0.0))) + 2
        self.past = np.empty((self.length, 2, *q.shape))
        self.past[0] = q, qd
        self.spread = np.stack([values["noise.q"], values["noise.qd"]], axis=1)  # (runs, 2, 1)
        # runs of one draw meet the same noise, whatever they are compared in
        draws = (runs % study.runs.draws).tolist() if self.spread.any() else []
        self.rngs = [generator(study.runs.seed, "noise", draw) for draw in draws]
        self.noise = np.empty((AT_ONCE, len(runs), 2, q.shape[1]))

    def keep(self, k: int, q: np.ndarray, qd: np.ndarray) -> None:
        """Keep the states at a sample."""
        self.past[k % self.length] = q, qd

    def at(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and rates as they are measured at a sample."""
        q, qd = self._late(k)
        if not self.rngs:
            return q, qd
        if k % AT_ONCE == 0:
            for i, rng in enumerate(self.rngs):
                self.noise[:, i] = rng.standard_normal((AT_ONCE, *self.noise.shape[2:]))
        errors = self.spread * self.noise[k % AT_ONCE]
        return q + errors[:, 0], qd + errors[:, 1]

    def _late(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the states of a while before sample k, between samples by cubics."""
        if not self.behind.any():
            return self.past[k % self.length]
        where = np.maximum(k - self.behind, 0.0)
        before = np.floor(where).astype(int)
        after = np.minimum(before + 1, k)
        runs, h = np.arange(len(where)), self.period
        (q0, v0), (q1, v1) = (self.past[j % self.length, :, runs].swapaxes(0, 1)
                              for j in (before, after))  # fmt: skip
        s = (where - before)[:, None]
        way = q1 - q0
        bend = (1 - 2 * s) * way + (s - 1) * h * v0 + s * h * v1
        turn = h * v0 + h * v1 - 2 * way
        q = q0 + s * way + s * (s - 1) * bend
        return q, (way + (2 * s - 1) * bend + s * (s - 1) * turn) / h
