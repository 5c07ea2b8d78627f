"""The runs of a study: which there are, what each of them differs in, and the arm that it has.

Runs are counted controller by controller, point by point of the grid (the last axis quickest), draw
by draw. Every controller and every point meets the same draws, so that differences between them
are not differences of luck.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from qddot.model.friction import LINEAR
from qddot.model.shapes import sphere
from qddot.model.tree import Tree
from qddot.program.recorder import record
from qddot.robot import Robot
from qddot.simulation.varied import GRAVITY, varied_tree
from qddot.spatial.inertia import NAMES, Inertia
from qddot.spatial.vector import vector
from qddot.sweeps.quantities import PlanQuantity, drawn
from qddot.sweeps.variations import Variation

BALL = sphere(1, 1).inertia[0]  # [kg·m²], of a ball of 1 kg and 1 m


@dataclass(frozen=True, eq=False)
class Runs:
    """All runs of a study, and how they are cut into units."""

    quantities: Mapping[str, PlanQuantity]
    variations: tuple[Variation, ...]
    controllers: int
    draws: int
    seed: int
    unit: int  # runs per unit

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """How many points every axis of the grid has."""
        return tuple(len(each.grid) for each in self.variations if each.grid is not None)

    @property
    def total(self) -> int:
        return self.controllers * prod(self.axes) * self.draws

    @property
    def units(self) -> int:
        return -(-self.total // self.unit)

    def of_unit(self, unit: int) -> np.ndarray:
        """Return the numbers of a unit's runs."""
        return np.arange(unit * self.unit, min((unit + 1) * self.unit, self.total))

    @cached_property
    def varied(self) -> tuple[str, ...]:
        """The names of the quantities that vary."""
        return tuple(dict.fromkeys(each.quantity.name for each in self.variations))

    def values(self, runs: np.ndarray) -> Values:
        """Return what these runs have of every quantity."""
        rest, draw = np.divmod(runs, self.draws)
        where = list(np.unravel_index(rest % prod(self.axes), self.axes)) if self.axes else []
        which = runs // (self.total // self.controllers)  # controller each run has
        found: dict[str, np.ndarray] = {}
        for each in self.variations:
            quantity = each.quantity
            if quantity.name not in found:
                found[quantity.name] = of_controller(quantity, which)
            if each.distribution is not None:
                numbers = drawn(each.distribution, self.seed, each.key, draw, each.width)
            else:
                numbers = each.points[where.pop(0)]
            part = slice(None) if each.part is None else slice(each.part, each.part + 1)
            nominal = of_controller(quantity, which)[:, part]
            found[quantity.name][:, part] = each.applied(nominal, numbers)
        return Values(self.quantities, found, which)


@dataclass(frozen=True, eq=False)
class Values(Mapping[str, np.ndarray]):
    """What some runs have of every quantity, shape (runs, width): varied, or nominal."""

    quantities: Mapping[str, PlanQuantity]
    varied: Mapping[str, np.ndarray]
    controller: np.ndarray  # (runs,)

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.varied:
            return self.varied[name]
        return of_controller(self.quantities[name], self.controller)

    def __iter__(self):
        return iter(self.quantities)

    def __len__(self) -> int:
        return len(self.quantities)

    def some(self, rows: np.ndarray) -> Values:
        """Return what some of these runs have."""
        varied = {name: x[rows] for name, x in self.varied.items()}
        return Values(self.quantities, varied, self.controller[rows])


def of_controller(quantity: PlanQuantity, which: np.ndarray) -> np.ndarray:
    """Return the nominal values for runs with these controllers, shape (runs, width)."""
    rows = quantity.nominal
    return rows[which] if len(rows) > 1 else np.repeat(rows, len(which), axis=0)


@dataclass(frozen=True, eq=False)
class VariedArm:
    """A robot whose parameters are one row of numbers per run."""

    robot: Robot  # without the payloads that vary; numeric, or with the symbols that vary
    varied: Collection[str]  # the quantities that vary

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters of `qddot.rollout` that runs differ in, in order."""
        if self.robot.symbols:
            return self.robot.symbols
        tree = self.robot.tree
        inertial = [
            f"{body.name}.{p}"
            for k, body in enumerate(tree.bodies)
            for p in NAMES
            if k in self._whole or f"{body.name}.{p}" in self.varied
        ]
        joints = tree.joint_names
        rotors = [f"{joint}.Ia" for joint in joints if f"{joint}.Ia" in self.varied]
        rubbing = [
            f"{joint}.{p.column}"
            for p in LINEAR
            if f"friction.{p.name}" in self.varied
            for joint in joints
        ]
        return (*inertial, *rotors, *rubbing, *(GRAVITY if "gravity" in self.varied else ()))

    def constants(self, values: Values, count: int) -> np.ndarray:
        """Return the parameters of these runs, shape (runs, parameters)."""
        columns = self._columns(values, count)
        found = np.empty((count, len(self.names)))
        for k, name in enumerate(self.names):
            found[:, k] = columns[name]
        return found

    def tree(self, constants: Sequence[Any]) -> Tree:
        """Return the tree of one run, in as few numbers as its torques allow."""
        return varied_tree(self.robot.model, dict(zip(self.names, constants, strict=True)))

    def whole_tree(self, constants: Sequence[Any]) -> Tree:
        """Return the tree of one run with nothing regrouped: its energies are the robot's."""
        values = dict(zip(self.names, constants, strict=True))
        if not self.robot.symbols:
            body = self.robot.tree.bodies[0]
            # a mass that is given, if only as what it is, is left where it is
            values = {f"{body.name}.m": float(body.inertia.m)} | values
        return varied_tree(self.robot.model, values)

    # inside

    @cached_property
    def _loads(self) -> tuple[str, ...]:
        """The frames whose payloads vary."""
        frames = self.robot.tree.frames if not self.robot.symbols else {}
        return tuple(
            frame
            for frame in frames
            if {f"payload.{frame}", f"payload.{frame}.com", f"payload.{frame}.radius"}
            & set(self.varied)
        )

    @cached_property
    def _whole(self) -> frozenset[int]:
        """The bodies all of whose inertia varies."""
        if "scale" in self.varied:
            return frozenset(range(len(self.robot.tree.bodies)))
        return frozenset(self.robot.tree.frames[frame][0] for frame in self._loads)

    def _columns(self, values: Values, count: int) -> dict[str, np.ndarray]:
        """Return every parameter by name, shape (runs,)."""
        if self.robot.symbols:
            return {name: values[name][:, 0] for name in self.robot.symbols}
        tree = self.robot.tree
        found: dict[str, np.ndarray] = {}
        for k, body in enumerate(tree.bodies):
            own = np.tile(np.array([float(x) for x in body.inertia.parameters]), (count, 1))
            for j, p in enumerate(NAMES):
                if f"{body.name}.{p}" in self.varied:
                    own[:, j] = values[f"{body.name}.{p}"][:, 0]
            if "scale" in self.varied:
                own *= values["scale"][:, k, None]
            for frame in self._loads:
                if tree.frames[frame][0] == k:
                    own += self._carried(frame, values)
            found |= {f"{body.name}.{p}": own[:, j] for j, p in enumerate(NAMES)}
        for i, joint in enumerate(tree.joint_names):
            if f"{joint}.Ia" in self.varied:
                found[f"{joint}.Ia"] = values[f"{joint}.Ia"][:, 0]
            for p in LINEAR:
                if f"friction.{p.name}" in self.varied:
                    found[f"{joint}.{p.column}"] = values[f"friction.{p.name}"][:, i]
        if "gravity" in self.varied:
            found |= dict(zip(GRAVITY, values["gravity"].T, strict=True))
        return found

    def _carried(self, frame: str, values: Values) -> np.ndarray:
        """Return the ten numbers of balls at a frame, about the origin of the body that has it."""
        _, X = self.robot.tree.frames[frame]

        def ten(mass: Any, com: Any, radius: Any) -> Any:
            # NumPy multiplies entry by entry: a run's numbers do not depend on how many there are
            I_com = mass * radius**2 * BALL * np.eye(3, dtype=int)
            return vector(list(Inertia.about_com(mass, X.p + X.R @ com, I_com).parameters))

        mass, radius = (values[f"payload.{frame}{end}"][:, 0] for end in ("", ".radius"))
        program = record(ten, "payload", mass=(), com=(3,), radius=())
        return np.asarray(program(mass, values[f"payload.{frame}.com"], radius))
