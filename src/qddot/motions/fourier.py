"""A sum of harmonics, for ever: the motion that excites an arm for identification.

Swevers: Swevers, Ganseman, Tükel, De Schutter, Van Brussel, Optimal Robot Excitation and
Identification, IEEE Transactions on Robotics and Automation 13(5), 1997.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.checks import numbers, positive
from qddot.errors import BadArgument
from qddot.motions.description import MIDDLE, PLACE, MotionKind, Situation, count
from qddot.motions.description import positive as above_zero
from qddot.motions.motion import Reference, Triple, check_limits, keep, vector
from qddot.robot import Robot
from qddot.scalars import Scalar, sincos


@dataclass(frozen=True, eq=False)
class Fourier(Reference):
    """A periodic motion of every joint, with velocity amplitudes a and b (Swevers).

    With ω = 2π · base_frequency and harmonics k = 1, 2, …:

        q(t) = offset + Σₖ (aₖ sin kωt − bₖ cos kωt)/(kω)
        q̇(t) = Σₖ aₖ cos kωt + bₖ sin kωt

    It rests at t = 0, and so after every period, where Σ aₖ = 0 and Σ k bₖ = 0.
    """

    offset: Any  # (n,) [rad or m]
    a: Any  # (n, harmonics) [rad/s or m/s]
    b: Any  # (n, harmonics) [rad/s or m/s]
    base_frequency: float = 0.1  # [Hz]
    robot: Robot | None = field(default=None, repr=False)  # whose limits it is held against

    def __post_init__(self) -> None:
        offset = vector("offset", self.offset)
        a, b = (numbers(key, getattr(self, key), "numbers, one row per joint") for key in "ab")
        n = len(offset)
        if a.ndim != 2 or a.shape != b.shape or len(a) != n or not a.size:
            raise BadArgument(
                f"a has shape {a.shape} and b {b.shape}; with {n} numbers in offset both must have "
                f"shape ({n}, harmonics), a row for each joint."
            )
        frequency = positive("base_frequency", self.base_frequency, "Hz")
        keep(self, offset=offset, a=a, b=b, base_frequency=frequency, n=n, duration=np.inf)
        check_limits(self.robot, self)

    @property
    def period(self) -> float:
        """After which it repeats itself [s]."""
        return 1 / self.base_frequency

    @property
    def harmonics(self) -> int:
        """How many harmonics."""
        return self.a.shape[1]

    def at(self, t: Scalar) -> Triple:
        """Return q, q̇ and q̈."""
        q, qd, qdd = self.offset, np.zeros(self.n), np.zeros(self.n)
        for k, (a, b) in enumerate(zip(self.a.T, self.b.T, strict=True), start=1):
            w = 2 * np.pi * self.base_frequency * k
            s, c = sincos(w * t)
            q = q + (a * s - b * c) / w
            qd = qd + (a * c + b * s)
            qdd = qdd + (b * c - a * s) * w
        return q, qd, qdd

    def values(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the same at many instants without compiling, shape (*t.shape, n) each."""
        w = 2 * np.pi * self.base_frequency * np.arange(1, self.harmonics + 1)
        angle, a, b = np.multiply.outer(t, w), self.a.T, self.b.T
        s, c = np.sin(angle), np.cos(angle)
        return self.offset + (s / w) @ a - (c / w) @ b, c @ a + s @ b, (c * w) @ b - (s * w) @ a

    def nodes(self, count: int) -> tuple[np.ndarray, float]:
        """Return times in one period, and how much a peak can be above the largest value there.

        For a trigonometric polynomial p of degree H at N > 2H equal steps (Ehlich, Zeller, 1964):

            max |p| ≤ max_j |p(t_j)| / cos(πH/N)
        """
        count = max(count, 8 * self.harmonics)
        times = np.arange(count) * (self.period / count)
        return times, float(1 / np.cos(np.pi * self.harmonics / count))


SIZE = 0.3  # [rad/s or m/s] of waves whose size is not given, where limits allow it
ROOM = 0.8  # of what limits leave, used by such waves
MOST = 50  # harmonics


def waves(
    at: Situation,
    middle: np.ndarray | None,
    amplitude: float | None,
    frequency: float,
    harmonics: int,
    seed: int,
) -> Fourier:
    """Return waves at random; of no given size, made smaller until they keep within the limits."""
    if harmonics > MOST:
        raise BadArgument(f"harmonics is {harmonics}; give {MOST} at most.")
    robot, middle = at.robot, at.q if middle is None else middle
    size = SIZE if amplitude is None else amplitude
    a, b = size * np.random.default_rng(seed).uniform(-1, 1, (2, robot.n, harmonics))
    if amplitude is None:
        limits, size = robot.limits, np.hypot(a, b)
        swing = (size / (2 * np.pi * frequency * np.arange(1, harmonics + 1))).sum(axis=1)
        room = np.minimum(limits.upper - middle, middle - limits.lower)
        fit = np.minimum(ROOM * room / swing, ROOM * limits.velocity / size.sum(axis=1))
        share = np.clip(fit, 0, 1)[:, None]
        a, b = share * a, share * b
    return Fourier(middle, a, b, frequency, robot)


def sine(
    at: Situation, amplitude: np.ndarray, frequency: float, middle: np.ndarray | None
) -> Fourier:
    """Return q(t) = middle + amplitude sin(2π f t), one amplitude per joint."""
    fastest = (2 * np.pi * frequency * amplitude)[:, None]
    return Fourier(at.q if middle is None else middle, fastest, 0 * fastest, frequency, at.robot)


SINE = MotionKind(
    "sine",
    "sine 0.3,0.2 0.5",
    "swing by so much [rad or m]; how often [Hz]",
    {"amplitude": PLACE, "frequency": above_zero(0.2, "a frequency [Hz]"), "middle": MIDDLE},
    sine,
)
FOURIER = MotionKind(
    "fourier",
    "fourier 0,0 amplitude=0.3 frequency=0.2 harmonics=3 seed=1",
    "waves around a place",
    {
        "middle": MIDDLE,
        "amplitude": above_zero(None, "a velocity [rad/s or m/s]"),
        "frequency": above_zero(0.2, "a frequency [Hz]"),
        "harmonics": count(3, 1),
        "seed": count(1, 0),
    },
    waves,
)
