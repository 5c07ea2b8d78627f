"""Runs with adaptive steps, dry friction that holds, and an account of their energy.

As `qddot.simulate` has it, one run after the other, but the arm's parameters are inputs of the
compiled programs: arms that differ in numbers alone are compiled once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.program.optimise import optimised
from qddot.program.recorder import record
from qddot.simulation.audit import audit
from qddot.simulation.energy import Energy
from qddot.simulation.method import Method, chosen_method
from qddot.simulation.motion import WORKS, Forces, Layout, motion
from qddot.simulation.plant import Plant
from qddot.simulation.run import Run
from qddot.simulation.run_arguments import whole_state
from qddot.simulation.signals import Signal, Stopped, signal
from qddot.simulation.switching import Modes, Restraints, undecided
from qddot.sweeps.cases import Case
from qddot.sweeps.motions import Motions, torque_of
from qddot.sweeps.runs import Values

WANTED = {"rate": ("rate",), "row": ("qdd", "tau", "reaction"), "free": ("qdd", "M")}
LEAST = 1e-6  # [J]: what counts as exchanged at least


@dataclass(frozen=True)
class VariedPlant(Plant):
    """A plant whose programs take the arm's parameters as one more input."""

    parameters: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def inputs(self, t: float, y: np.ndarray, modes: Modes, end: float = np.inf) -> list[Any]:
        """Return the inputs of a program besides y."""
        found = super().inputs(t, y, modes, end)
        return [*found, self.parameters] if len(self.parameters) else found


@dataclass(frozen=True, eq=False)
class ExactRuns:
    """Runs of one controller, each integrated for itself."""

    case: Case

    @cached_property
    def forces(self) -> Forces:
        """What the programs are made of."""
        study = self.case.study
        layout = Layout(self.case.n, self.case.controller.states)
        dry = [f.coulomb or f.static for f in self._friction]
        switched = any(dry) or "friction.coulomb" in study.runs.varied
        return Forces(layout, self.case.law, switched=switched)

    @cached_property
    def kernels(self) -> dict[str, Kernel]:
        """The programs of the motion, compiled when first asked."""
        return {name: self._kernel(name, wanted) for name, wanted in WANTED.items()}

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
            parts = self.forces.layout.parts(Y)
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

    @property
    def _friction(self) -> tuple[Any, ...]:
        arm = self.case.study.arm.robot
        return self.case.study.nominal.tree.friction if arm.symbols else arm.tree.friction

    def _kernel(self, name: str, wanted: tuple[str, ...]) -> Kernel:
        arm, forces = self.case.study.arm, self.forces
        names = [*forces.inputs]
        more = {"parameters": (len(arm.names),)} if arm.names else {}

        def function(*arrays: Any) -> dict[str, Any]:
            tree = arm.tree(list(arrays[-1]) if more else [])
            found = motion(tree, forces, dict(zip(names, arrays, strict=False)))
            return {key: found[key] for key in wanted}

        return Kernel(optimised(record(function, name, **forces.inputs | more)))

    def _run(self, values: Values, parameters: np.ndarray, inputs: dict[str, Any]) -> Run | None:
        """Return one run, gone through; None where it could not begin."""
        clock, robot, layout = self.case.study.clock, self.case.study.nominal, self.forces.layout
        q0, qd0 = values["q0"][0], values["qd0"][0]
        signals: dict[str, Signal] = {}
        if self.case.law is None:
            names = robot.joint_names
            signals["tau"] = signal("the torque", np.zeros(layout.n), names, clock.duration)
        ports = self.case.law.more if self.case.law else ()
        more = {port.name: inputs[port.name] for port in ports}
        holding = self._restraints(values)
        plant = VariedPlant(
            robot, self.forces, signals, more, holding, clock.duration, self.kernels, parameters
        )
        x0 = self.case.starts(q0[None], qd0[None])[0]
        y0 = whole_state(robot, layout, q0, qd0, x0)
        try:
            if not np.isfinite(plant.rate_in(plant.modes(0.0, y0))(0.0, y0)).all():
                return None
            unheld = plant.rate_in(undecided(holding, q0, qd0))
            name = chosen_method(
                clock.method, clock.tolerance, None, unheld, y0, layout, clock.duration
            )
            method = Method(name, plant, clock.tolerance, None)
            run = Run(plant, method.solver, y0, clock.duration, clock.spacing)
        except Stopped:
            return None
        run.go()
        return run

    def _restraints(self, values: Values) -> Restraints:
        """Return what can hold the joints of one run: its dry friction."""
        n = self.case.n
        if "friction.coulomb" in self.case.study.runs.varied:
            coulomb = values["friction.coulomb"][0]
        else:
            coulomb = np.array([float(f.coulomb) for f in self._friction])
        static = [f.static for f in self._friction]
        holding = [c if s is None else float(s) for c, s in zip(coulomb, static, strict=True)]
        return Restraints(np.array(holding), np.full(n, -np.inf), np.full(n, np.inf))

    def _rows(self, run: Run) -> np.ndarray:
        """Return the states at the instants of the clock; NaN after the end of the run."""
        clock = self.case.study.clock
        found = np.full((clock.rows + 1, self.forces.layout.size), np.nan)
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
        q, qd = (np.ascontiguousarray(parts[name]) for name in ("q", "qd"))
        good = np.isfinite(q).all(axis=1)
        given = {"t": self.case.study.clock.t, "q": q, "qd": qd, "arm": parameters}
        kinetic, potential = self.case.looked_at(inputs | given)[:2]
        nothing = np.zeros(len(q))
        energy = Energy(
            kinetic=kinetic[good],
            potential=potential[good],
            actuators=parts["actuators"][good],
            friction=parts["friction"][good],
            impacts=nothing[good],
            **{name: parts[name][good, 0] for name in WORKS},
        )
        return audit(energy, least=LEAST).number
