"""Runs of one controller as recorded programs: what drives them, and what is asked of every row.

What runs differ in (gains, targets, the arm that a law knows) are inputs of one program, so that
all runs of a controller are one compiled loop.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.motions import Move, Setpoint
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.program.recorder import array_of, record
from qddot.simulation.acting import Law
from qddot.sweeps.controllers import VARIED_GAINS, Controller
from qddot.sweeps.runs import Values
from qddot.sweeps.study import Study

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class ControllerRuns:
    """The runs of one controller of a study."""

    study: Study
    number: int  # of the controller

    @property
    def controller(self) -> Controller:
        return self.study.controllers[self.number]

    @property
    def n(self) -> int:
        return self.study.nominal.n

    def inputs(self, values: Values, constants: np.ndarray) -> dict[str, np.ndarray]:
        """Return what the program takes besides the state, shape (runs, ...)."""
        return {name: constants if name == "arm" else values[name] for name in self._ports}

    @cached_property
    def program(self) -> Program | None:
        """τ, and ẋ where the law has a state, from t, q, q̇, x and inputs; None without torques."""
        torque = self._torque
        if self.controller.law is None and torque is None:
            return None
        from qddot.control.laws.law import NO_STATE, without_unused

        states = self.controller.states
        shapes = {"t": (), "q": (self.n,), "qd": (self.n,)} | ({"x": (states,)} if states else {})
        names = [*shapes, *self._ports]

        def driven(*arrays: Any) -> dict[str, Any]:
            given = dict(zip(names, arrays, strict=True))
            added = given.get("torque", torque)
            if self.controller.law is None:
                return {"tau": added + 0 * given["qd"]}
            law = self._law(given)
            tau, xd = law.define(given["t"], given["q"], given["qd"], given.get("x", NO_STATE))
            most = self.controller.effort
            if most is not None:
                tau = np.clip(array_of(list(tau)), -most, most)
            tau = tau if added is None else tau + added
            return {"tau": tau} | ({"xd": xd} if states else {})

        name = self.controller.kind or "torque"
        return without_unused(optimised(record(driven, name, **shapes | self._ports)))

    @cached_property
    def law(self) -> Law | None:
        """The program as simulations fuse it."""
        return None if self.program is None else Law(self.program, self.n)

    def driving(self, values: Values, constants: np.ndarray) -> np.ndarray:
        """Return the law's inputs as `System` has them: one row per run, in order."""
        given = self.inputs(values, constants)
        columns = [given[port.name] for port in (self.law.more if self.law else ())]
        return np.concatenate([np.empty((len(constants), 0)), *columns], axis=1)

    @cached_property
    def torque(self) -> Kernel:
        """The compiled program."""
        assert self.program is not None
        return Kernel(self.program)

    def torques(self, given: Arrays) -> Any:
        """Return τ, or τ and ẋ, for arrays by name: t, q, qd, x and the inputs."""
        return self.torque.general(*(given[port.name] for port in self.torque.program.inputs))

    @cached_property
    def rows(self) -> Kernel:
        """The error of the law, if there is one, and the energies, of t, q, q̇, the arm, inputs."""
        arm = self.study.arm
        ports = {name: shape for name, shape in self._ports.items() if name != "arm"}
        shapes: dict[str, tuple[int, ...]] = {"t": (), "q": (self.n,), "qd": (self.n,)}
        shapes |= {"arm": (len(arm.names),)} | ports

        def row(*arrays: Any) -> dict[str, Any]:
            given = dict(zip(shapes, arrays, strict=True))
            tree, q, qd = arm.whole_tree(list(given["arm"])), given["q"], given["qd"]
            found = {"kinetic": kinetic_energy(tree, q, qd), "potential": potential_energy(tree, q)}
            if self.controller.law is None:
                return found
            return found | {"error": self._law(given).error(given["t"], q)}

        return Kernel(optimised(record(row, "row", **shapes)))

    def looked_at(self, given: Arrays) -> tuple[np.ndarray, ...]:
        """Return kinetic energy, potential energy and, of a law, the error."""
        return self.rows.general(*(given[port.name] for port in self.rows.program.inputs))

    def starts(self, q0: np.ndarray, qd0: np.ndarray) -> np.ndarray:
        """Return where the law's own state starts, shape (runs, states)."""
        law = self.controller.law
        if law is None or not self.controller.states:
            return np.zeros((len(q0), 0))
        from qddot.control.laws.law import ControlLaw

        if type(law).start is ControlLaw.start:
            return np.tile(law.x0, (len(q0), 1))
        return np.array([law.start(*row) for row in zip(q0, qd0, strict=True)])

    # inside

    @cached_property
    def _ports(self) -> dict[str, tuple[int, ...]]:
        """What the law takes besides the state, and how many numbers each is."""
        varied, own = self.study.runs.varied, self.controller
        found: dict[str, tuple[int, ...]] = {}
        for gain in VARIED_GAINS:
            if f"control.{gain}" in varied and own.parts(gain):
                found[f"control.{gain}"] = (len(own.parts(gain)),)
        if isinstance(own.reference, (Setpoint, Move)) and "target" in varied:
            found["target"] = (own.reference.n,)
        if isinstance(own.reference, Move) and "q0" in varied:
            found["q0"] = (self.n,)
        if "torque" in varied:
            found["torque"] = (self.n,)
        if own.knows_arm and self.study.arm.names:
            found["arm"] = (len(self.study.arm.names),)
        return found

    @property
    def _torque(self) -> np.ndarray | None:
        """What is added to the law's torque: numbers that an input may replace."""
        nominal = self.study.runs.quantities["torque"].nominal[0]
        return nominal if nominal.any() or "torque" in self._ports else None

    def _law(self, given: Mapping[str, Any]) -> Any:
        """Return the law with what is given in place of what is nominal."""
        law: Any = copy.copy(self.controller.law)
        replaced: dict[str, Any] = {}
        for gain in VARIED_GAINS:
            if f"control.{gain}" in given:
                replaced[gain] = _diagonal(given[f"control.{gain}"])
        reference = self.controller.reference
        if isinstance(reference, Setpoint) and "target" in given:
            replaced["reference"] = Setpoint(given["target"])
        elif isinstance(reference, Move):
            start = self.study.runs.quantities["q0"].nominal
            own = start[self.number] if len(start) > 1 else start[0]
            first = given.get("q0", own)
            if law.moves_frame:
                place = law.task.position(law.short, first)
                first = array_of(list(place)) if "q0" in given else place
            target = given.get("target", reference.end)
            replaced["reference"] = Move(first, target, reference.duration)
        if self.controller.knows_arm and "arm" in given:
            replaced["short"] = self.study.arm.tree(list(given["arm"]))
        for name, value in replaced.items():
            object.__setattr__(law, name, value)
        return law


def _diagonal(entries: Any) -> np.ndarray:
    k = len(entries)
    matrix = np.zeros((k, k), dtype=object)
    matrix[range(k), range(k)] = list(entries)
    return matrix
