"""A robot and all that acts on it in a run, as functions of time and state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.backends.stages import StagedStep, Stages
from qddot.model.tree import by_rows
from qddot.progress import message_if_slow
from qddot.robot import Robot
from qddot.simulation.acting import Forces
from qddot.simulation.contact import Modes, Restraints, decided, undecided
from qddot.simulation.equation import Layout, System
from qddot.simulation.signals import LOOKS, Signal


@dataclass(frozen=True)
class Plant:
    """A robot in a run: its kernels, its signals, and what can hold its joints."""

    robot: Robot
    system: System
    signals: Mapping[str, Signal]  # by the name of the program's input; both of the base in one
    constants: Mapping[str, np.ndarray]  # further inputs of the controller
    restraints: Restraints
    duration: float  # [s]
    parameters: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of the system

    @property
    def forces(self) -> Forces:
        return self.system.forces

    @cached_property
    def layout(self) -> Layout:
        return self.system.layout

    def kernel(self, which: str) -> Kernel:
        """Return a program of the motion, compiled; robots keep theirs from run to run."""

        def make() -> Kernel:
            with message_if_slow(f"recording the motion of {self.robot.name}"):
                return Kernel(self.system.program(which))

        if which not in self._kernels:
            choice = (which, self.system.forces, self.system.parameters)
            self._kernels[which] = self.robot.cached("motion", choice, make)
        return self._kernels[which]

    def inputs(self, t: float, y: np.ndarray, modes: Modes, end: float = np.inf) -> list[Any]:
        """Return the inputs of a program besides y, at one instant of a piece that ends at `end`.

        A table that jumps there has not jumped yet. Nothing is asked twice in a row for a state.
        """
        key = (y.tobytes(), t, end)  # solvers write into y
        if self._last[0] == key and self._last[1] is modes:
            return self._last[2]
        at = self.layout
        values: dict[str, Any] = {"t": np.float64(t), "direction": modes.direction}
        values |= {"free": modes.free, "parameters": self.parameters}
        values |= {f"law.{name}": value for name, value in self.constants.items()}
        for name, signal in self.signals.items():
            when = min(t, np.nextafter(end, -np.inf)) if signal.breaks else t
            value = signal.at(when, y[at.q], y[at.v])
            if name == "base":
                values |= {"base_velocity": value[:6], "base_acceleration": value[6:]}
            else:
                values[name] = value
        self._last[:] = key, modes, [values[name] for name in self._names]
        return self._last[2]

    def rate_in(self, modes: Modes, end: float = np.inf) -> Any:
        """Return dy/dt as a function of t and y, in given modes, in a piece that ends at `end`."""
        kernel = self.kernel("rate").call
        if self.constant_inputs:
            rest = self.inputs(0.0, np.zeros(self.layout.size), modes)
            return lambda t, y: kernel(y, *rest)
        return lambda t, y: kernel(y, *self.inputs(t, y, modes, end))

    def stages_in(self, modes: Modes, method: Any) -> Callable[[np.ndarray], StagedStep] | None:
        """Return what makes compiled steps of a method of SciPy's; None where Python acts."""
        if not self._compiled_inputs:
            return None

        def make() -> Stages:
            return Stages(self.kernel("rate").program, method.A, method.B, method.C)

        choice = (method.__name__, self.forces, self.system.parameters)
        stages = self.robot.cached("stages", choice, make)
        rest = self.inputs(0.0, np.zeros(self.layout.size), modes)
        return lambda K: StagedStep(stages, rest, K)

    def rows(
        self,
        t: np.ndarray,
        Y: np.ndarray,
        modes: Modes,
        end: float = np.inf,
        each: Sequence[list[Any]] = (),
    ) -> tuple[np.ndarray, ...]:
        """Return q̈, τ, reactions and the torques asked for, at many instants of one piece.

        `each` are the inputs at the instants, where they are known.
        """
        kernel = self.kernel("row")
        if self.constant_inputs:
            return kernel(Y, *self.inputs(0.0, Y[0], modes))
        each = each or [self.inputs(ti, yi, modes, end) for ti, yi in zip(t, Y, strict=True)]
        return kernel(Y, *(np.array(column) for column in zip(*each, strict=True)))

    def modes(self, t: float, y: np.ndarray, loose: int = -1) -> Modes:
        """Return which joints are held at an instant, and which way the others slip."""
        q, qd = self.ends(y), y[self.layout.v]
        before = undecided(self.restraints, q, qd)
        if not self.restraints.any:
            return before
        qdd, M = self.kernel("free")(y, *self.inputs(t, y, before))
        return decided(before, self.restraints, qd, qdd, M, loose)

    def ends(self, y: np.ndarray) -> np.ndarray:
        """Return what is held against the stops of each joint: the entry of q that has them."""
        return y[..., self.robot.tree.positions]

    def projected(self, y: np.ndarray) -> np.ndarray:
        """Return a state, or rows of states, whose q is a configuration, where rounding left it."""
        tree, at = self.robot.tree, self.layout.q
        if tree.flat:
            return y
        return np.concatenate([by_rows(tree.project, y[..., at]), y[..., at.stop :]], axis=-1)

    def longest_step(self, modes: Modes) -> float:
        """Return how long a step may be, so that nothing which acts in time is stepped over.

        While joints are held nothing but time moves, and a solver would take very long steps.
        """
        spacing = min([np.inf, *(signal.spacing for signal in self.signals.values())])
        law = self.forces.law
        if law is not None and any(port.name == "t" for port in law.program.inputs):
            spacing = min(spacing, self.duration / LOOKS)
        return spacing / 10 if modes.held.any() else spacing

    @cached_property
    def _last(self) -> list[Any]:
        """What inputs were asked of last, with the modes, and the inputs."""
        return [None, None, []]

    @cached_property
    def _kernels(self) -> dict[str, Kernel]:
        return {}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """The inputs of the programs besides y."""
        return tuple(name for name in self.system.inputs if name != "y")

    @property
    def _compiled_inputs(self) -> bool:
        """Whether nothing that acts is asked in Python."""
        return all(signal.constant is not None for signal in self.signals.values())

    @cached_property
    def constant_inputs(self) -> bool:
        """Whether nothing that acts changes in time or with the state, but by its mode."""
        return self.forces.law is None and self._compiled_inputs
