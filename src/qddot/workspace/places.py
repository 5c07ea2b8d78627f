"""The places that a frame reaches: cells of space, with what was found in each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.certificate.bound import outward, rounded_up
from qddot.certificate.mobility import vector_text
from qddot.checks import number, numbers, one_of
from qddot.errors import BadArgument, printable
from qddot.plain_text import fitted
from qddot.results import in_notebook, look
from qddot.robot import Robot
from qddot.workspace.cells import Cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW = 1e-3  # share of cells that a round adds at which the search ends
LETTERS = "xyz"
QUANTITIES = ("manipulability", "dexterity")


@dataclass(frozen=True, eq=False, repr=False)
class Workspace:
    """The cells that a frame reaches, each with a q that gets there. Sampled, not certified."""

    robot: Robot
    frame: str
    cell: float  # [m], the side of a cell
    axes: np.ndarray  # (d, 3), the directions of the cells' sides in the base: 3, of a plane 2
    offset: np.ndarray  # (3,) [m], where the plane is; zero in space
    dimension: int  # of the set: 3 a body, 2 a surface, 1 a curve
    samples: int  # how many joint positions were tried
    added: float  # share of the cells that the last round of search added
    turned: float  # share of the directions that the second half of the samples added
    approach: str  # "x", "y" or "z" of the frame, whose directions are counted in `dexterity`
    cells: Cells

    @property
    def positions(self) -> np.ndarray:
        """The middles of the cells that were reached, in the base [m], shape (m, 3)."""
        return self.offset + (self.cells.places + 0.5) * self.cell @ self.axes

    @property
    def q(self) -> np.ndarray:
        """Joint positions that put the frame into each cell [rad or m], shape (m, n).

        Of those that were tried, that with the largest manipulability.
        """
        return self.cells.q

    @property
    def manipulability(self) -> np.ndarray:
        """The largest manipulability, of linear velocity, that was found in each cell, (m,)."""
        return self.cells.best

    @property
    def dexterity(self) -> np.ndarray:
        """The share of directions of the `approach` axis that was found in each cell, (m,).

        Of 64 parts of the sphere with equal area; of an arm in a plane, of 64 parts of a turn. Many
        samples are needed to meet them all, and more can only raise it: `turned` is how much the
        second half of them did.
        """
        return np.bitwise_count(self.cells.seen) / 64

    @property
    def volume(self) -> float:
        """The volume [m³] of the set, of an arm in a plane its area [m²]; 0 if it is thinner.

        Cells at the rim count half; `volume_range` has them all, or none.
        """
        return sum(self.volume_range) / 2

    @property
    def volume_range(self) -> tuple[float, float]:
        """The volume of the cells with neighbours all around, and that of all cells.

        If no cell was missed, the volume is between the two, and where its surface is flat beside a
        cell, in their middle.
        """
        if self.dimension < len(self.axes):
            return 0.0, 0.0
        grid = np.pad(self.grid[0], 1)
        inner = grid
        for axis in range(grid.ndim):  # one axis after the other: all 3ᵈ cells around
            inner = inner & np.roll(inner, 1, axis) & np.roll(inner, -1, axis)
        size = self.cell**grid.ndim
        return float(inner.sum() * size), float(grid.sum() * size)

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest corner of the set, along the sides of its cells [m], (d,)."""
        places = self.cells.places
        return places.min(axis=0) * self.cell, (places.max(axis=0) + 1) * self.cell

    @property
    def grid(self) -> tuple[np.ndarray, np.ndarray]:
        """Which cells of the box were reached, bool of d axes, and its lowest corner [m], (d,)."""
        low, high = self.cells.places.min(axis=0), self.cells.places.max(axis=0) + 1
        inside = tuple(map(slice, low - self.cells.low, high - self.cells.low))
        return self.cells.row[inside] >= 0, low * self.cell

    def contains(self, points: Any) -> np.ndarray:
        """Return of points in the base [m], shape (..., 3), whether their cells were reached."""
        p = numbers("points", points, "numbers of shape (..., 3)")
        if p.shape[-1:] != (3,):
            raise BadArgument(f"points has shape {p.shape}; it must have shape (..., 3).")
        inside = self.cells.holds(np.floor((p - self.offset) @ self.axes.T / self.cell))
        across = np.eye(3) - self.axes.T @ self.axes
        return inside & (np.abs((p - self.offset) @ across).max(axis=-1) <= self.cell)

    def slice(
        self, across: str = "y", at: float = 0.0, quantity: str = "manipulability"
    ) -> tuple[np.ndarray, tuple[float, float, float, float]]:
        """Return one layer of cells, cut across an axis of the base.

        Args:
            across: "x", "y" or "z".
            at: Where on that axis [m].
            quantity: "manipulability" or "dexterity".

        Returns:
            Its values, NaN where no cell was reached: rows along the later of the other two axes,
            columns along the earlier; and the left, right, bottom and top end [m].
        """
        axis = LETTERS.index(one_of("across", across, tuple(LETTERS)))
        if len(self.axes) < 3:
            raise BadArgument(
                "This workspace is not of three dimensions, and has no slices.\n  Ask for layer()."
            )
        level = int(np.floor(number("at", at) / self.cell))
        chosen = self.cells.places[:, axis] == level
        return self._layer(quantity, [k for k in range(3) if k != axis], chosen)

    def layer(
        self, quantity: str = "manipulability"
    ) -> tuple[np.ndarray, tuple[float, float, float, float]]:
        """Return the values of all cells of an arm that moves in a plane, as `slice` does."""
        if len(self.axes) != 2:
            raise BadArgument(
                'This workspace is not in a plane.\n  Ask for a slice: slice("z", 0.5).'
            )
        return self._layer(quantity, [0, 1], np.ones(len(self.cells), dtype=bool))

    def plot(self, quantity: str = "manipulability", path: str | Path | None = None) -> Figure:
        """Return the figure of it; saved to a .png, .svg or .pdf path."""
        return look("figures.workspace.plot_workspace")(self, quantity, path=path)

    @property
    def settled(self) -> bool:
        """Whether the search ended because hardly any cell was added, not for want of samples."""
        return self.added < FEW

    @property
    def facts(self) -> dict[str, str]:
        """What there is to say, by name."""
        inner, outer = self.volume_range
        units, thin = ("m", "m²", "m³"), ("a curve", "a surface")
        size = f"none: it is {thin[min(self.dimension, 2) - 1]}"
        if self.dimension == len(self.axes):
            size = f"{self.volume:.4g} {units[self.dimension - 1]}"
            size += ", {} without the rim, {} with all of it".format(*outward(inner, outer, 4))
        found = {"cells": f"{len(self.cells):,} of {1000 * self.cell:.4g} mm", "volume": size}
        if len(self.axes) == 3:
            found["from"], found["to"] = (f"{vector_text(x)} m" for x in self.box)
        best = int(self.manipulability.argmax())
        at = vector_text(self.q[best])
        most = rounded_up(self.manipulability[best], 4)
        found["manipulability"] = f"at most {most}, at q = {at}"
        found["directions"] = (
            f"{100 * self.dexterity.mean():.2g} % of those of {self.approach} in a cell; the "
            f"second half of the samples added {100 * self.turned:.2g} %"
        )
        found["how"] = (
            f"{self.samples:,} joint positions, the last round added {100 * self.added:.2g} % of "
            f"the cells{'' if self.settled else ': more samples find more'}. "
            "Sampled, not certified."
        )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return its numbers for machines, without the cells."""
        best = int(self.manipulability.argmax())
        return {
            "robot": self.robot.name,
            "frame": self.frame,
            "cell": self.cell,
            "cells": len(self.cells),
            "dimension": self.dimension,
            "volume": self.volume,
            "volume_range": self.volume_range,
            "axes": self.axes,
            "box": self.box,
            "manipulability": {"largest": self.manipulability[best], "q": self.q[best]},
            "directions": self.dexterity.mean(),
            "samples": self.samples,
            "added": self.added,
            "settled": self.settled,
            "turned": self.turned,
        }

    @fitted
    def __str__(self) -> str:
        frame, robot = printable(self.frame), printable(self.robot.name)
        width = max(map(len, self.facts))
        lines = [f"  {name:{width}}  {words}" for name, words in self.facts.items()]
        return "\n".join([f"Where {frame!r} of {robot!r} gets to:", *lines])

    __repr__ = __str__
    _repr_html_ = in_notebook("kinematics.workspace_html")

    def values(self, quantity: str) -> np.ndarray:
        """Return a quantity of each cell by its name, shape (m,)."""
        return getattr(self, one_of("quantity", quantity, QUANTITIES))

    def _layer(self, quantity: str, sides: list[int], chosen: np.ndarray) -> Any:
        where, values = self.cells.places[:, sides], self.values(quantity)
        low, high = where.min(axis=0), where.max(axis=0) + 1
        found = np.full(high - low, np.nan)
        found[tuple((where[chosen] - low).T)] = values[chosen]
        (left, bottom), (right, top) = low * self.cell, high * self.cell
        return found.T, (float(left), float(right), float(bottom), float(top))
