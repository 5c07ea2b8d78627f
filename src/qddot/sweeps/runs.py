"""The runs of a study: which there are, and what each of them differs in.

Runs are counted controller by controller, point by point of the grid (the last axis quickest), draw
by draw. Every controller and every point meets the same draws, so that differences between them
are not differences of luck.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from qddot.sweeps.draws import drawn
from qddot.sweeps.quantities import PlanQuantity
from qddot.sweeps.variations import Variation


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

    def controller(self, runs: np.ndarray) -> np.ndarray:
        """Return which controller each run has."""
        return runs // (self.total // self.controllers)

    @cached_property
    def varied(self) -> tuple[str, ...]:
        """The names of the quantities that vary."""
        return tuple(dict.fromkeys(each.quantity.name for each in self.variations))

    def values(self, runs: np.ndarray) -> Values:
        """Return what these runs have of every quantity."""
        rest, draw = np.divmod(runs, self.draws)
        where = list(np.unravel_index(rest % prod(self.axes), self.axes)) if self.axes else []
        which = self.controller(runs)
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
