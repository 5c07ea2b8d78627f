"""q, q̇, q̈ and τ of what was measured, all through one Butterworth filter without phase."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.identification.log import Log
from qddot.identification.sine_series import Gain, SineSeries, butterworth
from qddot.model.tree import by_rows

INSTANT = 0.1  # of a step, over which velocities of joints with several numbers are compared


@dataclass(frozen=True)
class Way:
    """How q, q̇ and q̈ are made of what was measured: derivatives of what the filter leaves."""

    cutoff: float  # [Hz]
    of: str = "q"  # or "qd": velocities as measured

    def __str__(self) -> str:
        return f"derivatives of {self.of}"


class Smoother:
    """The columns of an even log as sines; each is made when it is first needed."""

    def __init__(self, log: Log, every: int = 1) -> None:
        self.log, self.every = log, every
        self._series: dict[str, SineSeries] = {}

    def column(self, name: str) -> SineSeries:
        """Return q, qd or tau as sines."""
        if name not in self._series:
            self._series[name] = SineSeries.of(getattr(self.log, name), self.log.step, self.every)
        return self._series[name]

    def gain(self, way: Way) -> Gain:
        """Return what is left of a motion, and of torques."""
        return butterworth(way.cutoff, self.log.step)

    def states(self, way: Way, every: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, q̇ and q̈ at every so many rows."""
        q, tree, H = self.column("q"), self.log.tree, self.gain(way)
        if way.of == "qd":
            v = self.column("qd")
            found = q.at(H, 0, every), v.at(H, 0, every), v.at(H, 1, every)
        elif tree is None:
            return q.at(H, 0, every), q.at(H, 1, every), q.at(H, 2, every)
        else:
            h = INSTANT * self.log.step

            def velocity(later: float) -> np.ndarray:
                x, xd = (q.at(H, p, every, later) for p in range(2))
                return by_rows(tree.velocity_of, by_rows(tree.project, x), xd)

            found = q.at(H, 0, every), velocity(0.0), (velocity(h) - velocity(-h)) / (2 * h)
        x, xd, xdd = found
        return x if tree is None else by_rows(tree.project, x), xd, xdd

    def torque(
        self, way: Way | None = None, every: int = 1, later: float | np.ndarray = 0.0
    ) -> np.ndarray:
        """Return τ at every so many rows, taken later [s]; filtered as states are, if so said."""
        return self.column("tau").at(None if way is None else self.gain(way), 0, every, later)
