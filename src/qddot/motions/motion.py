"""What a motion is: where an arm, or a point of it, is to be at every instant.

Written over any scalar, so that a controller records the motion it follows along with itself.
Before t = 0 it stays at its start, after its duration at its end, at rest; a periodic one goes on
for ever. Where a derivative jumps, the side after the jump.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import numbers, refused
from qddot.errors import WrongValue
from qddot.looks import in_notebook
from qddot.program import Program, record
from qddot.program.recorded_array import RecordedArray
from qddot.scalars import JointVec, Scalar, Vec3

Triple = tuple[JointVec, JointVec, JointVec]  # position, velocity, acceleration


class Timed(ABC):
    """Three arrays over time: a position, its velocity, its acceleration."""

    duration: float  # [s], infinite where it has no end

    @abstractmethod
    def at(self, t: Scalar) -> Triple:
        """Return position, velocity and acceleration at an instant [s], a scalar of any kind."""

    @cached_property
    def program(self) -> Program:
        """The program from t to position, velocity and acceleration."""
        name = type(self).__name__.lower()

        def motion(t: Scalar) -> dict[str, JointVec]:
            return dict(zip(("position", "velocity", "acceleration"), self.at(t), strict=True))

        return record(motion, name, t=())

    @cached_property
    def _kernel(self) -> Kernel:
        return Kernel(self.program)

    def sampled(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return position, velocity and acceleration at many instants, compiled.

        Args:
            t: Instants [s], shape (k,).

        Returns:
            Three arrays with one row per instant.
        """
        wanted = "instants in an array of shape (k,)"
        instants = numbers("t", t, wanted, finite=False)
        if instants.ndim != 1:
            raise refused("t", t, wanted)
        return self._kernel.general(instants)

    def __getstate__(self) -> dict[str, Any]:
        """What is compiled stays behind when a reference is copied or sent to another process."""
        return {key: x for key, x in self.__dict__.items() if key not in ("program", "_kernel")}

    @property
    def period(self) -> float | None:
        """After which it repeats itself [s]; None where it does not."""
        return None

    @property
    def breaks(self) -> np.ndarray:
        """The instants at which a derivative may jump [s]."""
        return np.array([0.0, self.duration] if np.isfinite(self.duration) else [0.0])

    _repr_html_ = in_notebook("control.reference_html")


class Reference(Timed):
    """Where n joints should be: `at(t)` gives q, q̇ and q̈, of shape (n,) each."""

    n: int


class TaskReference(Timed):
    """Where the origin of a frame should be, in base axes: `at(t)` gives x, ẋ and ẍ of shape (3,).

    The orientation of the frame is not part of it.
    """

    frame: str

    @abstractmethod
    def at(self, t: Scalar) -> tuple[Vec3, Vec3, Vec3]:
        """Return position [m], velocity and acceleration at an instant [s]."""


def vector(name: str, given: Any) -> np.ndarray:
    """Return finite numbers of shape (n,), n at least 1; inputs of a program pass as they are."""
    if isinstance(given, RecordedArray):
        return given
    array = numbers(name, given, "numbers, one for each joint")
    if array.ndim != 1 or not len(array):
        wanted = "it must have shape (n,), one number per joint"
        raise WrongValue(name, f"has shape {array.shape}", wanted)
    return array


def keep(owner: Any, **fields: Any) -> None:
    """Set fields of a frozen object while it is being made; its arrays become read-only."""
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            value = value.view()
            value.flags.writeable = False
        object.__setattr__(owner, name, value)
