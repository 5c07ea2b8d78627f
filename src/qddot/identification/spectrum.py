"""What a log is made of by frequency: where the motion ends and the noise begins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.log import Log
from qddot.plain_text import fitted

PIECES = 3  # of the log, half overlapping, over which spectra are averaged
FEWEST = 32  # rows
FLOOR_BAND = (0.5, 0.95)  # of the Nyquist frequency, where only noise is left
SMOOTH = 9  # lines of the spectrum
MOST = 0.999  # of the velocity's power: the band of the motion
BULK, TWICE = 0.95, 2.0  # of the velocity's power: a band that noise does not widen
MARGIN = 10.0  # bands of the motion that are kept, the usual rule for joint accelerations
HIGHEST = 0.4  # of the rate


@dataclass(frozen=True)
class Spectrum:
    """How the power of a quantity is spread over frequencies, a column a joint."""

    joint_names: tuple[str, ...]
    what: str  # "q", "tau", ...
    frequency: np.ndarray  # (m,) [Hz]
    power: np.ndarray  # (m, n), the quantity's unit squared per Hz

    @property
    def floor(self) -> np.ndarray:
        """The noise floor (n,): the median between 0.5 and 0.95 of the Nyquist frequency."""
        low, high = (share * self.frequency[-1] for share in FLOOR_BAND)
        return np.median(self.power[(low <= self.frequency) & (self.frequency <= high)], axis=0)

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
        from scipy.ndimage import uniform_filter1d

        below = uniform_filter1d(self.power, SMOOTH, axis=0, mode="nearest") <= 2 * self.floor
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


def spectrum(log: Log, what: str = "q") -> Spectrum:
    """Return the power spectrum of a quantity of an evenly sampled log.

    Welch's average over half-overlapping thirds of the log under a Nuttall window, whose side
    lobes (−93 dB, falling) let a motion of radians stand beside noise of microradians.

    Args:
        log: The log; `resampled` makes its steps even.
        what: "q", "qd", "qdd" or "tau".
    """
    from scipy.signal import welch

    x = dict(log.arrays()).get(what)
    if x is None:
        raise BadArgument(f"The log has no {what}; it has {', '.join(dict(log.arrays()))}.")
    check_even(log)
    if len(log) < FEWEST:
        raise BadArgument(
            f"The log has {len(log)} rows; a spectrum needs at least {FEWEST}.\n"
            "  Record for longer, or give a cut-off of your own: cutoff=10."
        )
    piece = max(len(log) // PIECES, FEWEST // 2)
    f, power = welch(
        x, log.rate, window="nuttall", nperseg=piece, detrend="linear", axis=0, scaling="density"
    )
    names = log.joint_names if what != "q" else log.positions or log.joint_names
    return Spectrum(names, what, f, power)


def suggested(log: Log) -> Cutoff:
    """Return the cut-off frequency that the spectrum of the positions suggests.

    Ten times the band that holds 99.9 % of the velocity's power, of the joint that needs most; at
    most where noise and signal have the same power, of the joint where that is highest. It takes
    noise for white: noise that a controller has low-passed is taken for motion.
    """
    positions = spectrum(log)
    band, crossing = float(positions.band.max()), float(positions.crossing.max())
    lowest, highest = 4 / log.duration, HIGHEST * log.rate
    chosen = min(MARGIN * band, crossing)
    if chosen == crossing:
        why = f"beyond it every joint has more noise than motion (motion up to {band:.3g} Hz)"
    else:
        why = f"{MARGIN:.0f} × the band of the motion, {band:.3g} Hz (noise from {crossing:.3g} Hz)"
    if not lowest <= chosen <= highest:
        chosen = min(max(chosen, lowest), highest)
        why += f"; kept within {lowest:.3g} and {highest:.3g} Hz, which this log allows"
    return Cutoff(chosen, positions, why)


def cutoff(log: Log, robot: Any = None, terms: Any = (), extra: Any = ()) -> Cutoff:
    """Return the cut-off frequency for a log: the spectrum suggests one, prediction decides.

    The suggestion is kept if no other cut-off predicts the torques of pieces that were not fitted
    clearly better; else the lowest that predicts them as well as the best.
    Without a robot the prediction is rough: the suggestion is kept unless it is far off, and none
    is taken below twice the band of 95 % of the velocity's power.

    Args:
        log: The log, evenly sampled; without torques the spectrum decides alone.
        robot: By whose model torques are predicted.
        terms, extra: What `identify` is to add to it.
    """
    from qddot.identification.held_out import CLEARLY, GROSSLY, can_judge, candidates, held_out

    first = suggested(log)
    if not can_judge(log):
        return replace(first, why=f"{first.why}; by the spectrum of the positions alone")
    tried = np.union1d(candidates(log), [first.frequency])
    if robot is None:
        tried = tried[tried >= min(TWICE * first.spectrum.bulk, first.frequency)]
    judged = held_out(log, robot, terms, extra, tried)
    at, lowest = int(np.searchsorted(tried, first.frequency)), judged.lowest
    if judged.alike(*(GROSSLY if robot is None else CLEARLY))[at]:
        why = f"{first.why}; no other predicts held-out torques better ({judged.by})"
        return replace(first, why=why)
    error, other = (100 * float(judged.relative[k]) for k in (lowest, at))
    why = (
        f"the lowest that predicts held-out torques as well as any, to {error:.3g} % "
        f"({judged.by}); at {first.frequency:.3g} Hz, which the spectrum suggests, it is "
        f"{other:.3g} %"
    )
    return Cutoff(float(tried[lowest]), first.spectrum, why)


def check_even(log: Log) -> None:
    """Refuse rows that are not equally far apart."""
    if not log.even:
        steps = np.diff(log.t)
        row = int(np.abs(steps - log.step).argmax())
        raise BadArgument(
            f"The rows of the log are {steps.min():.4g} to {steps.max():.4g} s apart (row "
            f"{row + 1} to {row + 2}: {steps[row]:.4g} s).\n  Make them even first: resampled(log)."
        )
