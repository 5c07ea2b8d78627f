"""Staying where one is told to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.control.references.arguments import keep, vector
from qddot.control.references.limits import check_limits
from qddot.control.references.reference import Motion, Reference
from qddot.robot import Robot
from qddot.scalars import Scalar


@dataclass(frozen=True, eq=False)
class Setpoint(Reference):
    """One position for ever: q(t) = q.

    Example:
        >>> Setpoint([0.5, 1.0]).at(3.0)[0]
        array([0.5, 1. ])
    """

    q: Any  # (n,) [rad or m]
    robot: Robot | None = field(default=None, repr=False)  # whose limits it is held against

    def __post_init__(self) -> None:
        q = vector("q", self.q)
        keep(self, q=q, n=len(q), duration=np.inf)
        check_limits(self.robot, self)

    def at(self, t: Scalar) -> Motion:
        """Return q, 0 and 0."""
        return self.q, np.zeros(self.n), np.zeros(self.n)
