"""The motions of some runs, all stepped together by compiled code, whatever they differ in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.iterated import Given, IteratedKernel
from qddot.simulation.equation import Forces, System
from qddot.simulation.steps import iteration
from qddot.sweeps.cases import Case
from qddot.sweeps.runs import Values


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

    case: Case

    @cached_property
    def kernel(self) -> IteratedKernel:
        """The compiled loop."""
        study = self.case.study
        arm, clock = study.arm, study.clock
        forces = Forces(self.case.law, smoothing=clock.smoothing)
        system = System(arm.robot.model, forces, arm.names)
        return IteratedKernel(iteration(system, clock.method), np.dtype(np.float64), 1)

    def motions(self, runs: np.ndarray, values: Values, constants: np.ndarray) -> Motions:
        """Return the motions of these runs.

        Args:
            runs: Their numbers.
            values: What they differ in.
            constants: The parameters of their arms, shape (runs, parameters).
        """
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


def torque_of(case: Case, given: dict[str, Any]) -> np.ndarray:
    """Return τ alone, of a law with a state too."""
    found = case.torques(given)
    return found[0] if case.controller.states else found
