"""Runs with adaptive steps, dry friction with true sticking, and an energy balance.

As `qddot.simulate` has it, one run after the other, but the arm's parameters are inputs of the
compiled programs: arms that differ in numbers alone are compiled once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.model.friction import LINEAR, Friction
from qddot.simulation.acting import Forces
from qddot.simulation.contact import Restraints, grips, restraints
from qddot.simulation.energy import audit, energy_of
from qddot.simulation.equation import System
from qddot.simulation.plant import Plant
from qddot.simulation.run import Run
from qddot.simulation.run_arguments import whole_state
from qddot.simulation.simulation import begun
from qddot.simulation.varied import varied_friction
from qddot.sweeps.controller_runs import ControllerRuns
from qddot.sweeps.motions import Motions, torque_of
from qddot.sweeps.runs import Values

LEAST = 1e-6  # [J]: what counts as exchanged at least


@dataclass(frozen=True, eq=False)
class ExactRuns:
    """Runs of one controller, each integrated for itself."""

    case: ControllerRuns

    @cached_property
    def system(self) -> System:
        """The arm under its law."""
        arm = self.case.study.arm
        switched = self._holding.any or self._rubbing
        return System(arm.robot.model, Forces(self.case.law, switched=switched), arm.names)

    def motions(self, runs: np.ndarray, values: Values, constants: np.ndarray) -> Motions:
        """Return the motions of these runs; see `Rollouts.motions`."""
        clock, n = self.case.study.clock, self.case.n
        count, rows = len(runs), clock.rows + 1
        q, qd = np.full((2, count, rows, n), np.nan)
        x = np.full((count, rows, self.case.controller.states), np.nan)
        ended, audits = np.zeros(count), np.full(count, np.nan)
        inputs = self.case.inputs(values, constants)
        for i in range(count):
            own = {name: array[i] for name, array in inputs.items()}
            run = self._run(values.some(np.array([i])), constants[i], own)
            if run is None:
                continue
            Y = self._rows(run)
            parts = self.system.layout.parts(Y)
            q[i], qd[i], x[i] = parts["q"], parts["qd"], parts["x"]
            ended[i] = run.t
            audits[i] = self._audit(parts, constants[i], own)
        if self.case.program is None:
            return Motions(q, qd, None, ended, audits)
        given = {name: array[:, None] for name, array in inputs.items()}
        given |= {"t": clock.t, "q": q, "qd": qd, "x": x}
        tau = np.broadcast_to(torque_of(self.case, given), q.shape)
        return Motions(q, qd, tau, ended, audits)

    # inside

    @cached_property
    def _holding(self) -> Restraints:
        """What can hold the joints where nothing varies: dry friction."""
        nominal = self.case.study.nominal
        return restraints(nominal, True, stops=False)

    @property
    def _rubbing(self) -> bool:
        """Whether runs differ in dry friction."""
        dry = (p.name for p in LINEAR if replace(Friction(), **{p.name: 1}).is_dry)
        return any(f"friction.{name}" in self.case.study.runs.varied for name in dry)

    def _run(self, values: Values, parameters: np.ndarray, inputs: dict[str, Any]) -> Run | None:
        """Return one finished run; None where it could not begin."""
        study, law = self.case.study, self.case.law
        clock, robot = study.clock, study.arm.robot
        q0, qd0 = values["q0"][0], values["qd0"][0]
        holding = self._holding
        if self._rubbing:
            given = dict(zip(study.arm.names, parameters, strict=True))
            each = zip(robot.joint_names, study.nominal.tree.friction, strict=True)
            rubbing = [varied_friction(joint, friction, given) for joint, friction in each]
            holding = replace(holding, grip=grips(rubbing))
        more = {port.name: inputs[port.name] for port in (law.more if law else ())}
        plant = Plant(robot, self.system, {}, more, holding, clock.duration, parameters)
        x0 = self.case.starts(q0[None], qd0[None])[0]
        y0 = whole_state(robot, plant.layout, q0, qd0, x0)
        try:
            run, _ = begun(plant, y0, clock.method, clock.tolerance, None, (clock.spacing,))
        except BadArgument:
            return None
        run.go()
        return run

    def _rows(self, run: Run) -> np.ndarray:
        """Return the states at the instants of the clock; NaN after the end of the run."""
        clock = self.case.study.clock
        found = np.full((clock.rows + 1, self.system.layout.size), np.nan)
        for piece in run.pieces:
            number = np.array(piece.t) / clock.spacing
            whole = np.rint(number).astype(int)
            on = np.abs(number - whole) < 1e-9 * clock.rows
            found[whole[on]] = np.array(piece.y)[on]
        return found

    def _audit(
        self, parts: dict[str, np.ndarray], parameters: np.ndarray, inputs: dict[str, Any]
    ) -> float:
        """Return the share of the exchanged energy that is unaccounted for."""
        good = np.isfinite(parts["q"]).all(axis=1)
        parts = {name: np.ascontiguousarray(x[good]) for name, x in parts.items()}
        given = {"t": self.case.study.clock.t[good], "q": parts["q"], "qd": parts["qd"]}
        kinetic, potential = self.case.looked_at(inputs | given | {"arm": parameters})[:2]
        energy = energy_of(parts, kinetic, potential, np.zeros(good.sum()))
        return audit(energy, least=LEAST).number
