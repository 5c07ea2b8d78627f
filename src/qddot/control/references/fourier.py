"""A sum of harmonics, for ever: the motion that excites an arm for identification."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.control.references.arguments import keep, numbers, positive, vector
from qddot.control.references.limits import check_limits
from qddot.control.references.reference import Motion, Reference
from qddot.errors import BadArgument
from qddot.harmonics import harmonics
from qddot.robot import Robot
from qddot.scalars import Scalar


@dataclass(frozen=True, eq=False)
class Fourier(Reference):
    """A periodic motion of every joint, with velocity amplitudes a and b.

    With ω = 2π · base_frequency and harmonics k = 1, 2, …:

        q(t) = offset + Σₖ (aₖ sin kωt − bₖ cos kωt)/(kω)
        q̇(t) = Σₖ aₖ cos kωt + bₖ sin kωt
    """

    offset: Any  # (n,) [rad or m]
    a: Any  # (n, harmonics) [rad/s or m/s]
    b: Any  # (n, harmonics) [rad/s or m/s]
    base_frequency: float = 0.1  # [Hz]
    robot: Robot | None = field(default=None, repr=False)  # whose limits it is held against

    def __post_init__(self) -> None:
        offset = vector("offset", self.offset)
        a, b = (numbers(key, getattr(self, key), "one row a joint") for key in "ab")
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

    def at(self, t: Scalar) -> Motion:
        """Return q, q̇ and q̈."""
        frequency = 2 * np.pi * self.base_frequency
        return harmonics(t, self.offset, self.a.T, self.b.T, frequency)
