"""A law whose gains are inputs: they can be turned while it runs, and nothing is compiled again.

tunable = Tunable(law, arm)
law = tunable.with_gains(stiffer)   # evaluated by the code that is there already
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.control.laws.law import ControlLaw, lyapunov, outputs, recorded
from qddot.robot import Robot


class Tunable:
    """A compiled law, and its V, with those gains as inputs that are numbers on a diagonal.

    Other gains (single numbers, whole matrices, and Γ, which V divides by and whose entries have
    several units) are part of the program; `fits` says whether a law differs from this one in its
    inputs alone.
    """

    def __init__(self, law: ControlLaw, robot: Robot):
        """Record and compile a law, and its V for an arm under control."""
        self.pattern = law
        self.names = tuple(name for name in law.gain_names if _diagonal(law, name) is not None)
        self.torque = Kernel(recorded(law, type(law).__name__, outputs, self.names))
        V = lyapunov(law, robot.tree, self.names)
        self.V = None if V is None else Kernel(V)

    def gains(self, law: ControlLaw) -> list[np.ndarray]:
        """Return the gains of a law that are inputs here."""
        return [np.ascontiguousarray(np.diag(getattr(law, name))) for name in self.names]

    def fits(self, law: ControlLaw) -> bool:
        """Return whether a law with the same model and reference differs in these gains alone."""
        others = [name for name in law.gain_names if name not in self.names]
        return (
            type(law) is type(self.pattern)
            and all(_diagonal(law, name) is not None for name in self.names)
            and all(
                np.array_equal(getattr(law, name), getattr(self.pattern, name)) for name in others
            )
        )

    def with_gains(self, law: ControlLaw) -> ControlLaw:
        """Return a law that fits, evaluated by the code of this one."""
        kernel, gains, array = self.torque.call, self.gains(law), np.array

        def evaluated(t: Any, *state: Any) -> Any:
            return kernel(array(t), *state, *gains)

        other = copy.copy(self.pattern)  # with what it has computed already
        other.__dict__.update({name: getattr(law, name) for name in self.names})
        other.__dict__["evaluated"] = evaluated
        return other

    def lyapunov(self, law: ControlLaw, *state: np.ndarray) -> np.ndarray | None:
        """Return V of a law that fits along the rows of a state t, q, q̇[, x]; None: it has none."""
        if self.V is None:
            return None
        rows = len(state[0])
        gains = [np.tile(each, (rows, 1)) for each in self.gains(law)]
        return self.V(*state, *gains)


def _diagonal(law: ControlLaw, name: str) -> np.ndarray | None:
    """Return the entries of a gain that is a diagonal matrix; None if it is another thing."""
    value = np.asarray(getattr(law, name))
    unit = law.gain_units.get(name, "")
    if not unit or value.ndim != 2 or not np.array_equal(value, np.diag(np.diag(value))):
        return None
    return np.diag(value)
