"""Ways to make q, q̇, q̈ and τ of what was measured, all through one filter.

"sines": a Butterworth filter without phase, and the derivatives of what it leaves.

"kalman": what a Kalman filter and its backward pass (Rauch, Tung and Striebel) give on a long even
log, if the jerk is white noise and positions and velocities are measured with white noise of
deviations σ and σ̇. With b = σ²/σ̇² (0 where velocities were not measured) and c such that half of
the amplitude is left at the cut-off,

    q̂ = (q − b dq̇/dt) / D        D(ω) = 1 + b ω² + c ω⁶

so velocities are those of the positions. Torques go through (1 + b ω²)/D, what is left of a motion.

Anderson: B. Anderson, J. Moore, *Optimal Filtering*, 1979, chapter 7: the steady state.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qddot.identification.log import Log
from qddot.identification.sine_series import Gain, SineSeries, butterworth
from qddot.identification.spectrum import spectrum
from qddot.model.tree import by_rows

INSTANT = 0.1  # of a step, over which velocities of joints with several numbers are compared


@dataclass(frozen=True)
class Way:
    """How q, q̇ and q̈ are made of what was measured."""

    cutoff: float  # [Hz]
    by: str = "sines"  # or "kalman"
    of: str = "q"  # "qd": velocities as measured; for "kalman": that they are used

    def __str__(self) -> str:
        if self.by == "kalman":
            return f"Kalman smoothing of {'q and qd' if self.of == 'qd' else 'q'}"
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

    @cached_property
    def ratio(self) -> float:
        """The noise of positions over that of velocities, squared [s²]: b."""
        floors = [np.maximum(spectrum(self.log, name).floor, 1e-300) for name in ("q", "qd")]
        return float(np.median(floors[0] / floors[1]))

    def gain(self, way: Way) -> Gain:
        """Return what is left of a motion, and of torques."""
        if way.by == "sines":
            return butterworth(way.cutoff, self.log.step)
        b, below = self._kalman(way)
        return lambda w: (1 + b * w**2) * below(w)

    def _kalman(self, way: Way) -> tuple[float, Gain]:
        b, wc = self.ratio if way.of == "qd" else 0.0, 2 * np.pi * way.cutoff
        return b, lambda w: 1 / (1 + b * w**2 + (1 + b * wc**2) * (w / wc) ** 6)

    def states(self, way: Way, every: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, q̇ and q̈ at every so many rows."""
        q, tree = self.column("q"), self.log.tree
        if way.by == "kalman":
            b, H = self._kalman(way)
            found = [q.at(H, p, every) for p in range(3)]
            if b:
                v = self.column("qd")
                found = [x - b * v.at(H, p + 1, every) for p, x in enumerate(found)]
            return found[0], found[1], found[2]
        H = self.gain(way)
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
