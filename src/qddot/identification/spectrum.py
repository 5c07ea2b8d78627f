"""The spectrum of a log: where its motion ends and its noise begins, and what that suggests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.log import Log, check_even
from qddot.plain_text import fitted

PIECES = 3  # of the log, half overlapping, over which spectra are averaged
LONG_PIECE = 2**16  # rows: longer pieces only to hold a minute
LOOKED_AT = 20_000  # rows, for steps of an encoder
ROUNDING, WHOLE, MOST_STEPS = 1e-13, 0.01, 1e5  # of the values; of a step; from row to row
MOST_PIECES = 9  # that are looked at
NUTTALL = 0.3635819, -0.4891775, 0.1365995, -0.0106411  # the window, by cosines
FEWEST = 32  # rows
FLOOR_BAND = (0.5, 0.95)  # of the Nyquist frequency, where only noise is left
SMOOTH = 9  # lines of the spectrum
MOST = 0.999  # of the velocity's power: the band of the motion
BULK = 0.95  # of the velocity's power: a band that noise does not widen
MARGIN = 10.0  # bands of the motion that are kept, the usual rule for joint accelerations
HIGHEST = 0.4  # of the rate, a cut-off
STEP = 1.6  # from one candidate to the next
SLOWEST = 4.0  # periods of the lowest cut-off in the log


@dataclass(frozen=True)
class Spectrum:
    """How the power of positions is spread over frequencies, one column per joint."""

    joint_names: tuple[str, ...]
    frequency: np.ndarray  # (m,) [Hz]
    power: np.ndarray  # (m, n) [rad²/Hz] or [m²/Hz]
    resolution: np.ndarray | float = 0.0  # (n,), the step in which values come; 0: none was seen

    @property
    def floor(self) -> np.ndarray:
        """The noise floor (n,): the median between 0.5 and 0.95 of the Nyquist frequency.

        Not less than what a resolution alone gives, step²/12 over all frequencies.
        """
        low, high = (share * self.frequency[-1] for share in FLOOR_BAND)
        inside = (low <= self.frequency) & (self.frequency <= high)
        rounding = np.square(self.resolution) / 12 / self.frequency[-1]
        return np.maximum(np.median(self.power[inside], axis=0), rounding)

    @property
    def band(self) -> np.ndarray:
        """Up to where the motion goes (n,) [Hz]: 99.9 % of the rate's power above the floor."""
        rate = self.frequency[:, None] ** 2 * np.clip(self.power - self.floor, 0, None)
        # above the crossing what exceeds the floor is chance, which f² would make large
        rate[self.frequency[:, None] > self.crossing] = 0
        total = np.cumsum(rate, axis=0)
        return self.frequency[(total >= MOST * total[-1]).argmax(axis=0)]

    @property
    def bulk(self) -> float:
        """Up to where 95 % of the velocity's power is, of the joint that needs most [Hz]."""
        total = np.cumsum(self.frequency[:, None] ** 2 * self.power, axis=0)
        return float(self.frequency[(total >= BULK * total[-1]).argmax(axis=0)].max())

    @property
    def crossing(self) -> np.ndarray:
        """Where the noise has as much power as the signal (n,) [Hz]: the power is twice the floor.

        Beyond it a filter that opens further adds more noise to q̈ than motion.
        """
        half = SMOOTH // 2
        total = np.cumsum(np.pad(self.power, ((half + 1, half), (0, 0)), "edge"), axis=0)
        below = (total[SMOOTH:] - total[:-SMOOTH]) / SMOOTH <= 2 * self.floor
        below[-1] = True
        return self.frequency[below.argmax(axis=0)]


@dataclass(frozen=True)
class Cutoff:
    """A cut-off frequency, and how it was found."""

    frequency: float  # [Hz]
    spectrum: Spectrum
    why: str

    def __float__(self) -> float:
        return self.frequency

    @fitted
    def __str__(self) -> str:
        s = self.spectrum
        lines = [f"cut-off {self.frequency:.3g} Hz: {self.why}"]
        for j, name in enumerate(s.joint_names):
            lines.append(
                f"  {name:24s} motion up to {min(s.band[j], self.frequency):.3g} Hz, noise from "
                f"{min(s.crossing[j], self.frequency):.3g} Hz "
                f"(floor {np.sqrt(s.floor[j]):.2g} /√Hz)"
            )
        return "\n".join(lines)


def spectrum(log: Log) -> Spectrum:
    """Return the power spectrum of the positions of an evenly sampled log.

    Welch's average over half-overlapping thirds of the log under a Nuttall window, whose side lobes
    (−93 dB, falling) let a motion of radians stand beside noise of microradians. `resampled` makes
    the steps of a log even.
    """
    from scipy.fft import rfft

    check_even(log)
    if len(log) < FEWEST:
        raise BadArgument(
            f"The log has {len(log)} rows; a spectrum needs at least {FEWEST}.\n"
            "  Record for longer, or give a cut-off of your own: cutoff=10."
        )
    longest = max(LONG_PIECE, int(60 * log.rate))
    piece = min(max(len(log) // PIECES, FEWEST // 2), longest)
    f = np.arange(piece // 2 + 1) * log.rate / piece
    power = np.zeros((len(f), log.q.shape[1]))
    angle = 2 * np.pi * np.arange(piece) / piece
    window = sum(a * np.cos(k * angle) for k, a in enumerate(NUTTALL))
    line = np.linspace(-1, 1, piece)
    starts = np.arange(0, len(log) - piece + 1, piece - piece // 2)
    starts = starts[:: -(-len(starts) // MOST_PIECES)]
    for start in starts:
        for j, column in enumerate(np.ascontiguousarray(log.q[start : start + piece].T)):
            part = column - column.mean()
            part -= line * (line @ part) / (line @ line)
            waves: Any = rfft(window * part)
            power[:, j] += waves.real**2 + waves.imag**2
    power *= 2 / (len(starts) * log.rate * np.sum(window**2))
    power[0] /= 2
    if piece % 2 == 0:
        power[-1] /= 2
    return Spectrum(log.positions or log.joint_names, f, power, resolution(log.q))


def resolution(x: np.ndarray) -> np.ndarray:
    """Return the steps in which columns come, as those of encoders do; 0 where there are none.

    Every change from row to row is then a multiple of one step.
    """
    found = np.zeros(x.shape[1])
    for j in range(x.shape[1]):
        changes = np.abs(np.diff(x[:LOOKED_AT, j]))
        tiny = ROUNDING * max(float(np.abs(x[:LOOKED_AT, j]).max(initial=0)), 1e-300)
        changes = np.sort(changes[changes > tiny])
        apart = np.diff(changes, prepend=0)
        apart = apart[apart > tiny]
        if len(changes) < FEWEST or not len(apart):
            continue
        many = changes / apart.min()
        if np.abs(many - np.round(many)).max() < WHOLE and many.max() < MOST_STEPS:
            found[j] = float(np.sum(changes) / np.sum(np.round(many)))
    return found


def suggested(log: Log) -> Cutoff:
    """Return the cut-off frequency that the spectrum of the positions suggests.

    Ten times the band that holds 99.9 % of the velocity's power, of the joint that needs most; at
    most where noise and signal have the same power, of the joint where that is highest. It takes
    noise for white: noise that a controller has low-passed is taken for motion.
    """
    positions = spectrum(log)
    band, crossing = float(positions.band.max()), float(positions.crossing.max())
    lowest, highest = allowed(log)
    chosen = min(MARGIN * band, crossing)
    if chosen == crossing:
        why = f"beyond it every joint has more noise than motion (motion up to {band:.3g} Hz)"
    else:
        why = f"{MARGIN:.0f} × the band of the motion, {band:.3g} Hz (noise from {crossing:.3g} Hz)"
    if not lowest <= chosen <= highest:
        chosen = min(max(chosen, lowest), highest)
        why += f"; kept within {lowest:.3g} and {highest:.3g} Hz, which this log allows"
    return Cutoff(chosen, positions, why)


def allowed(log: Log) -> tuple[float, float]:
    """Return the lowest and the highest cut-off that a log allows [Hz]."""
    return SLOWEST / log.duration, HIGHEST * log.rate


def candidates(log: Log) -> np.ndarray:
    """Return cut-offs to try [Hz], rising, each about 1.6 times the one before."""
    low, high = allowed(log)
    return np.geomspace(low, high, 2 + max(0, int(np.log(high / low) / np.log(STEP))))
