"""Columns as straight lines and sines: filtered, differentiated, shifted and thinned in one step.

With L the length of the log, its ends on the straight line, the rest in sines that vanish there:

    x(t) = x₀ + v t + Σₖ cₖ sin ωₖt        ωₖ = πk/L

That is the column continued beyond its ends by point reflection, for ever. A filter without phase
multiplies cₖ by its gain at ωₖ (and leaves straight lines alone), a derivative by ωₖ, and a shift
turns some of each sine into a cosine. The transform is done once; every cut-off, derivative and
delay that is tried costs a short transform back, at as few rows as are wanted. q, q̇, q̈ and τ of a
log all go through one Butterworth filter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from qddot.identification.log import Log
from qddot.model.tree import by_rows

NOTHING = 1e-10  # a gain below which a sine is left out
SMOOTH = (2, 3, 5)  # prime factors with which transforms are quick
ORDER = 4  # of the Butterworth filter, run forwards and backwards

INSTANT = 0.1  # of a step, over which velocities of joints with several numbers are compared

Gain = Callable[[np.ndarray], np.ndarray]  # of frequencies [rad/s]


def butterworth(cutoff: float, step: float) -> Gain:
    """Return what a Butterworth filter of order four, run forwards and backwards, leaves.

    Half of the amplitude at the cut-off [Hz], for rows every `step` seconds:

        1 / (1 + (tan ½ωh / tan ½ω_c h)⁸)
    """
    return lambda w: 1 / (1 + (np.tan(w * step / 2) / np.tan(np.pi * cutoff * step)) ** (2 * ORDER))


@dataclass(frozen=True, eq=False)
class SineSeries:
    """A column for each joint as a straight line and sines."""

    step: float  # [s] between two rows
    rows: int  # of the columns
    start: np.ndarray  # x₀, (n,)
    slope: np.ndarray  # v, (n,) per second
    sines: np.ndarray  # c, (n, m): sine k is entry k, entry 0 is nothing

    @property
    def steps(self) -> int:
        """How many steps from end to end, those added for quick transforms included."""
        return self.sines.shape[1]

    @staticmethod
    def of(x: np.ndarray, step: float, every: int = 1) -> SineSeries:
        """Return columns x (k, n), a row every `step` seconds, as sines.

        One of so many rows may be asked for, times powers of 2, 3 and 5.
        """
        from scipy.fft import dst, next_fast_len

        k, n = x.shape
        quick: Any = next_fast_len(-(-(k - 1) // every), real=True)
        m = every * quick  # steps from end to end
        sines = np.empty((n, m))
        start, slope = np.array(x[0], dtype=float), np.empty(n)
        for i in range(n):
            y = np.empty(m + 1)
            y[:k] = x[:, i]
            more = m + 1 - k  # continued by reflection, to a length with which it is quick
            y[k:] = 2 * y[k - 1] - y[k - 2 : k - 2 - more : -1] if more else 0
            slope[i] = (y[-1] - y[0]) / (m * step)
            y -= y[0] + slope[i] * step * np.arange(m + 1)
            sines[i, 0] = 0
            sines[i, 1:] = np.asarray(dst(y[1:-1], type=1, overwrite_x=True))
            sines[i] /= m
        return SineSeries(step, k, start, slope, sines)

    def at(
        self,
        gain: Gain | None = None,
        derivative: int = 0,
        every: int = 1,
        later: float | np.ndarray = 0.0,
    ) -> np.ndarray:
        """Return the columns at every so many rows, filtered and differentiated, shape (rows, n).

        The gain is what the filter leaves of each frequency [rad/s]; `every` divides the number of
        steps. A value may be taken later than its row [s], by one time or one per joint.
        """
        n, m = self.sines.shape
        w, weights = _weights(gain, m, np.pi / (m * self.step))
        few, steps = len(w), m // every
        rows = (self.rows - 1) // every + 1
        t = self.step * every * np.arange(rows)
        result = np.empty((rows, n))
        size = weights if derivative == 0 else weights * w**derivative
        for i, late in enumerate(np.broadcast_to(later, n)):
            c = size * self.sines[i, :few]
            if late:
                angle = w * late + derivative * np.pi / 2
                y = _sines(c * np.cos(angle), steps)[:rows]
                y += _cosines(c * np.sin(angle), steps)[:rows]
            else:
                y = (_cosines if derivative % 2 else _sines)(c, steps)[:rows]
                y *= (1, 1, -1, -1)[derivative % 4]
            if derivative == 0:
                y += self.start[i] + self.slope[i] * (t + late)
            elif derivative == 1:
                y += self.slope[i]
            result[:, i] = y
        return result


@lru_cache(maxsize=2)  # positions and velocities, and their derivatives, go through one filter
def _weights(gain: Gain | None, m: int, first: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the first frequencies of m, multiples of one [rad/s], and what is left of each."""
    if gain is None:
        return first * np.arange(m), np.ones(m)
    low, few = 0, m  # the gain falls: from `few` on there is nothing left
    while low < few:
        middle = (low + few) // 2
        if gain(np.array([first * middle]))[0] > NOTHING:
            low = middle + 1
        else:
            few = middle
    w = first * np.arange(few)
    return w, gain(w)


def _sines(c: np.ndarray, steps: int) -> np.ndarray:
    """Return Σ cₖ sin(πkj/steps), j from 0 to steps."""
    from scipy.fft import dst

    there, back = _folded(c, steps)
    y = np.zeros(steps + 1)
    if steps > 1:
        y[1:-1] = np.asarray(dst((there - back)[1:-1], type=1, overwrite_x=True)) / 2
    return y


def _cosines(c: np.ndarray, steps: int) -> np.ndarray:
    """Return Σ cₖ cos(πkj/steps), j from 0 to steps."""
    from scipy.fft import dct

    there, back = _folded(c, steps)
    there += back
    there[1:-1] /= 2
    return np.asarray(dct(there, type=1, overwrite_x=True))


def _folded(c: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the waves that look alike at few rows, added: those of k and those of 2·steps − k."""
    turns = -(-len(c) // (2 * steps))
    whole = np.zeros(2 * steps * turns)
    whole[: len(c)] = c
    once = whole.reshape(turns, 2 * steps).sum(axis=0)
    there, back = once[: steps + 1].copy(), np.zeros(steps + 1)
    back[1:-1] = once[:steps:-1]
    return there, back


def few_for(rows: int, wanted: int) -> int:
    """Return of how many rows one is taken for about `wanted`: a product of 2, 3 and 5."""
    most = max(1, rows // wanted)
    powers = [[factor**b for b in range(most.bit_length())] for factor in SMOOTH]
    return max(a * b * c for a, b, c in product(*powers) if a * b * c <= most)


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
