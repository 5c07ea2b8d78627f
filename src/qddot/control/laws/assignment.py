"""What a law is made for, and what its gains are chosen from where nobody gives them.

Chosen gains bring the arm back like springs of ω = 10 rad/s, critically damped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from qddot.robot import Robot

STIFF, DAMP = 100.0, 20.0  # ω² [1/s²] and 2ω [1/s] of the motion that gains are chosen for
LEAN = 5.0  # Λ [1/s]


@dataclass(frozen=True)
class Assignment:
    """An arm, what a law takes it for, what it follows, and the gains that are given."""

    arm: Robot
    model: Robot  # what the law takes the arm for
    lengths: Robot  # whose Jacobian a law takes that has an approximate one
    reference: Any
    q: np.ndarray  # where gains are chosen, (n,) [rad or m]
    seconds: float  # how long the run lasts
    frame: str
    axes: str
    gains: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def M(self) -> np.ndarray:
        """The mass matrix, shape (n, n)."""
        return self.model.mass_matrix(self.q)

    @property
    def inertia(self) -> np.ndarray:
        """The inertia about every joint, the others locked, shape (n,)."""
        return np.diag(self.M)

    @property
    def mass(self) -> float:
        """The mass that the frame seems to have, over its axes [kg]."""
        rows = [3 + "xyz".index(axis) for axis in self.axes]
        J = self.model.jacobian(self.q, self.frame)[rows]
        return 1 / max(float(np.trace(J @ np.linalg.solve(self.M, J.T))) / len(rows), 1e-9)
