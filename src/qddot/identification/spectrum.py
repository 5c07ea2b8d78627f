"""Which cut-off frequency a log needs: its spectrum suggests one, prediction decides.

The spectrum shows where the motion ends and the noise begins. A filter that is too low takes motion
away. One that is too high lets noise of the positions into q̈, and parameters come out too small
(errors in variables). Both make the torques of pieces that were not fitted come out wrong, whatever
colour the noise has. All cut-offs are judged by the same torques, those that were measured, so that
none wins by smoothing them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.grouping import one_thread, triangle
from qddot.identification.log import Log, check_even
from qddot.plain_text import fitted

if TYPE_CHECKING:
    from qddot.identification.problem import Blocks

PIECES = 3  # of the log, half overlapping, over which spectra are averaged
FEWEST = 32  # rows
FLOOR_BAND = (0.5, 0.95)  # of the Nyquist frequency, where only noise is left
SMOOTH = 9  # lines of the spectrum
MOST = 0.999  # of the velocity's power: the band of the motion
BULK, TWICE = 0.95, 2.0  # of the velocity's power: a band that noise does not widen
MARGIN = 10.0  # bands of the motion that are kept, the usual rule for joint accelerations
HIGHEST = 0.4  # of the rate, a cut-off
STEP = 1.6  # from one candidate to the next
ROWS = 3000  # of the log, by which cut-offs are judged
BLOCKS = 10  # pieces of time
FEWEST_JUDGED = 200  # rows
ENDS = 0.05  # of the log, at each end, where filters ring
SLOWEST = 4.0  # periods of the lowest cut-off in the log
SLOW = 0.01  # of a joint's top speed
FINE = 1e-3  # of a torque
SEEN = 1e-8  # what the other pieces do not show is left at zero
CLEARLY = 1.05, 1.0  # worse: a squared error so many times the best, and standard errors away
GROSSLY = 3.0, 2.0  # the same without a model, whose predictions are rough


@dataclass(frozen=True)
class Spectrum:
    """How the power of a quantity is spread over frequencies, one column per joint."""

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
    first = suggested(log)
    # torques, and rows enough to hold some of them back, of a motion
    if log.tau is None or len(log) < FEWEST_JUDGED or not np.ptp(log.q, axis=0).any():
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


@dataclass(frozen=True)
class HeldOut:
    """How well each cut-off predicts pieces of a log that were not fitted."""

    frequencies: np.ndarray  # (c,) [Hz], rising
    errors: np.ndarray  # (c, blocks), squared, of all joints; 1 is the least of each joint
    relative: np.ndarray  # (c,), ‖τ − τ̂‖/‖τ‖
    by: str  # what predicted

    @property
    def best(self) -> int:
        return int(self.errors.mean(axis=1).argmin())

    def alike(self, times: float = 1.0, deviations: float = 1.0) -> np.ndarray:
        """Return which are not worse than the best, by so much, shape (c,)."""
        worse = self.errors - self.errors[self.best]
        sure = worse.std(axis=1, ddof=1) / np.sqrt(worse.shape[1])
        mean = self.errors.mean(axis=1)
        return (worse.mean(axis=1) <= deviations * sure) | (mean < times * mean[self.best])

    @property
    def lowest(self) -> int:
        """The lowest that is as good as the best: it lets the least noise in."""
        return int(self.alike().argmax())


def held_out(
    log: Log, robot: Any = None, terms: Any = (), extra: Any = (), frequencies: Any = None
) -> HeldOut:
    """Return how well cut-offs predict the torques of pieces of time that were not fitted.

    Args:
        log: The log, evenly sampled, with torques.
        robot: By whose regressor; without one, by sin q, cos q, q̇, sgn q̇ and q̈ of all joints.
        terms, extra: As for `identify`.
        frequencies: The cut-offs [Hz], rising; by default from 4 periods in the log to 0.4 of its
            rate, each 1.6 times the one before.
    """
    from qddot.identification.base_parameters import structural
    from qddot.identification.problem import block_edges, factors
    from qddot.identification.regression import Regression
    from qddot.identification.signals import differentiated, filtered

    f = candidates(log) if frequencies is None else np.asarray(frequencies, dtype=float)
    rows = np.arange(int(ENDS * len(log)), int((1 - ENDS) * len(log)), max(1, len(log) // ROWS))
    edges = list(pairwise(block_edges(len(rows), BLOCKS)))
    with one_thread():
        states = [differentiated(filtered(log, cutoff, ("q", "qd")))[rows] for cutoff in f]
        speed = np.median([np.abs(each.qd) for each in states], axis=0)
        counts = speed > SLOW * speed.max(axis=0)
        torque, found = log.tau[rows], []
        regression = None if robot is None else Regression.of(robot, terms, extra)
        columns = None if regression is None else structural(regression)
        for each in states:
            part = replace(each, counts=counts)
            if regression is None or columns is None:
                blocks = _without_model(part, edges)
            else:
                blocks = factors(regression, columns, part, blocks=BLOCKS)["blocks"]
            found.append([[_unseen(blocks, b, i) for i in range(log.n)] for b in range(BLOCKS)])
    squares = np.array(found)  # (c, blocks, n)
    size = np.array([counts[a:b].sum(axis=0) for a, b in edges])
    # a thousandth of the torque more or less is no difference
    mean = squares / np.maximum(size, 1) + FINE**2 * np.mean(torque**2, axis=0)
    least = mean.mean(axis=1).min(axis=0)
    errors = (mean / np.where(least > 0, least, 1)).mean(axis=2)
    total = float(np.sum(torque[counts] ** 2)) or 1.0
    name = "without a model" if robot is None else f"by the model of {robot.name!r}"
    return HeldOut(f, errors, np.sqrt(squares.sum(axis=(1, 2)) / total), name)


def allowed(log: Log) -> tuple[float, float]:
    """Return the lowest and the highest cut-off that a log allows [Hz]."""
    return SLOWEST / log.duration, HIGHEST * log.rate


def candidates(log: Log) -> np.ndarray:
    low, high = allowed(log)
    return np.geomspace(low, high, 2 + max(0, int(np.log(high / low) / np.log(STEP))))


def _without_model(log: Log, edges: list[tuple[Any, Any]]) -> Blocks:
    """Return the factors of a regression that knows no robot, a piece and a joint each."""
    q, qd, qdd, counts = log.q, log.qd, log.qdd, log.counts
    X = np.column_stack([np.sin(q), np.cos(q), qd, np.sign(qd), qdd, np.ones(len(q))])
    return tuple(
        tuple(
            triangle(np.column_stack([X[a:b], log.tau[a:b, i]])[counts[a:b, i]])
            for i in range(q.shape[1])
        )
        for a, b in edges
    )


def _unseen(blocks: Blocks, b: int, i: int) -> float:
    """Return the squares left of a joint's torque in a piece, predicted from all the others."""
    R = np.vstack([block[i] for k, block in enumerate(blocks) if k != b])
    length = np.linalg.norm(R[:, :-1], axis=0)
    length[length == 0] = 1
    beta = np.linalg.lstsq(R[:, :-1] / length, R[:, -1], rcond=SEEN)[0] / length
    own = blocks[b][i]
    return float(np.sum((own[:, -1] - own[:, :-1] @ beta) ** 2))
