"""How much later than positions torques were written down, to a fraction of a row.

Torques that come late by d are τ(t + d) ≈ τ + d τ̇ where they belong, so the rate of the torques is
a column like any other. With d known so far, least squares finds what is missing, for each joint,

    τᵢ(t + dᵢ) = Yᵢ β − δᵢ τ̇ᵢ(t + dᵢ)

and d + δ is tried next. What is found without each piece of time says how sure it is (jackknife).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.blas_threads import one_thread
from qddot.checks import spread
from qddot.errors import BadArgument
from qddot.identification.decimation import HALF, equations, factor_for, few_rows
from qddot.identification.held_out import HeldOut, LogJudge, normal, pieces_of, unseen, without_each
from qddot.identification.log import Log
from qddot.identification.sine_series import SineSeries, Way

ROUNDS = 8
SETTLED = 0.05  # deviations
SURE = 4.0  # deviations, from nothing or from the other joints
CLEARLY = 1.05, 1.0  # worse: a squared error so many times the best, and standard errors away
MUCH = 1.3, 2.0  # the same, for a delay of each joint's own
LONGEST = 0.1, 0.02  # [s], and of the log: recorders are not that far apart
POOR = 0.2  # of the torques: what is left of them where something else is wrong with a log
MOST_ROWS = 100_000  # that are looked at
FEWEST = 4.0  # torques per parameter, below which no row is left out
NOISELESS = 1e-9  # of squared torques; and [s], a delay that nobody knows better


@dataclass(frozen=True)
class Delay:
    """By how much later than positions torques were written down."""

    seconds: float | np.ndarray = 0.0  # one, or one per joint (n,)
    words: str = ""  # what was found, where it was looked for

    @staticmethod
    def given(seconds: Any, log: Log) -> Delay:
        """Return a delay that somebody knows: one number [s], or one per joint."""
        each = spread("delay", seconds, log.joint_names, "seconds", least=-np.inf)
        if not np.all(np.abs(each) < log.duration / 2):
            raise BadArgument(f"delay is {seconds!r}; give seconds, less than half the log.")
        return Delay(float(each[0]) if np.ptp(each) == 0 else each)


def delay_of(judge: LogJudge, way: Way, log: Log) -> Delay:
    """Return the delay that torques have, nothing if removing it does not predict clearly better.

    The equations are those that are fitted, columns and torques through the same low-pass: what
    only the faster parts of the torques show is no delay, but dynamics that the model lacks.
    """
    with one_thread():
        late = _Late(judge, way, log)
        each, sure = late.each()
        weights = 1 / sure**2
        if not weights.any():
            return Delay(words="no torque changes, so no delay is seen")
        d, s = float(weights @ each / weights.sum()), float(weights.sum() ** -0.5)
        apart = bool(np.any(np.abs(each - d) > SURE * np.hypot(sure, s)))
        apart = apart and bool(np.all(np.abs(each) < late.longest))
        # joints that do not agree say that it is not known better than they differ
        s *= max(1.0, float(np.sqrt(np.mean(((each - d) / sure) ** 2))))
        told = f"{1000 * d:.3g} ± {1000 * s:.2g} ms"
        if abs(d) < SURE * s and not apart:
            return Delay(words=f"no delay of the torques is seen ({told})")
        both = late.judged([0.0, d, *([each] if apart else [])])
    best = int(both[np.arange(2)].alike(*CLEARLY).argmax())  # nothing, if that is as good
    if apart and not both.alike(*MUCH)[best]:
        best = 2
    gain = "; torques of pieces that were not fitted are then predicted to "
    gain += f"{100 * both.relative[best]:.3g} % instead of {100 * both.relative[0]:.3g} %"
    if both.relative[best] > POOR:
        return Delay(words="torques are explained too badly to tell a delay")
    if best == 0:
        return Delay(words=f"torques seem late by {told}, which would not predict clearly better")
    if best == 1:
        return Delay(d, f"torques come {told} after the positions and were shifted back{gain}")
    told = ", ".join(
        f"{1000 * a:.3g} ± {1000 * b:.2g}" if np.isfinite(b) else "-"
        for a, b in zip(each, sure, strict=True)
    )
    return Delay(each, f"torques come {told} ms after the positions and were shifted back{gain}")


class _Late:
    """The equations of a log, with torques that are taken later."""

    def __init__(self, judge: LogJudge, way: Way, log: Log) -> None:
        middle = max(0, len(log) - MOST_ROWS) // 2  # of a long log, what suffices
        log, measured = log[middle : middle + MOST_ROWS], judge.log
        self.way, self.every = way, round(log.step / measured.step)
        first = round((log.t[0] - measured.t[0]) / measured.step)
        tau = measured.tau[first : first + (len(log) - 1) * self.every + 1]
        self.tau = SineSeries.of(tau, measured.step, self.every)
        self.gain = judge.smoother.gain(way)
        self.longest = min(LONGEST[0], LONGEST[1] * log.duration)
        regression, kept = judge.regression
        factor, enough = factor_for(log, way.cutoff), FEWEST * len(kept) / log.n
        self.factor = factor if len(log) / factor - 2 * HALF > enough else 1
        rate = None if self.factor == 1 else log.rate / self.factor
        few = equations(log, lambda part: regression.columns(part)[..., kept], rate)
        self.Y: Any = few.Y
        self.counts = few.used
        self.rest = regression.rest(log)

    def torques(self, late: float | np.ndarray, rate: bool) -> np.ndarray:
        """Return torques, or their rates, through the low-pass of the equations."""
        tau = self.tau.at(self.gain, int(rate), self.every, late)
        return few_rows(tau if rate else tau - self.rest, self.factor)

    def each(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the delay of each joint and its deviation [s], shapes (n,)."""
        n, r = self.counts.shape[1], self.Y.shape[2]
        d, sure = np.zeros(n), np.full(n, np.inf)
        for _ in range(ROUNDS):
            tau, rate = self.torques(d, False), self.torques(d, True)
            joints = normal(self.Y, tau, self.counts, rate)
            together = np.zeros((len(joints[0]), r + n + 1, r + n + 1))
            for i, G in enumerate(joints):  # [Y, of each joint the rate of its torque, τ]
                rows, columns = np.ix_([*range(r), r + i, r + n], [*range(r), r + i, r + n])
                together[:, rows, columns] += G / _noise(G)
            x, _, s = without_each(together)
            found = -x[:, r:] * s[-1] / s[r : r + n]
            change = found.mean(axis=0)
            sure = np.maximum(np.sqrt(len(found) - 1) * found.std(axis=0), NOISELESS)
            shown = np.einsum("bii->i", together)[r : r + n] > 0
            sure = np.where(shown, sure, np.inf)  # a torque that is always zero is never late
            d = np.clip(d + change, -self.longest, self.longest)
            if np.all(np.abs(change) < SETTLED * sure):
                break
        return d, sure

    def judged(self, tried: list[Any]) -> HeldOut:
        """Return how well all joints together predict torques of pieces, for some delays."""
        found, noise = [], None
        for late in tried:
            joints = normal(self.Y, self.torques(late, False), self.counts)
            noise = [_noise(G) for G in joints] if noise is None else noise
            found.append(sum(G / size for G, size in zip(joints, noise, strict=True)))
        squares = np.array([unseen(G) for G in found])[..., None]
        sizes = np.array([self.counts[piece].sum() for piece in pieces_of(len(self.Y))])
        torques = found[0][:, -1, -1]
        return HeldOut((self.way,) * len(tried), squares, torques[:, None], sizes[:, None], "")


def _noise(G: np.ndarray) -> float:
    """Return the squares that are left of a joint's torques."""
    return float(unseen(G).sum() + NOISELESS * G[:, -1, -1].sum()) or 1.0
