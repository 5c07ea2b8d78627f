"""What every formulation returns: the terms of the equation, and how it got there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.scalars import JointMat, JointVec


@dataclass(frozen=True)
class Quantity:
    """One intermediate result of a derivation, as a lecturer would write it on the board."""

    title: str  # in words: "Pseudo-inertia of link 1"
    symbol: str  # in LaTeX: "J_1"
    value: Any  # a scalar, a vector or a matrix
    formula: str = ""  # in LaTeX, how it comes about: "\\sum_i ..."


@dataclass(frozen=True)
class Derivation:
    """The rigid-body equation τ = M q̈ + c + g by one formulation, rotor inertia in M.

    Friction and springs are added to every formulation alike, where they are not part of it.
    """

    formulation: str
    M: JointMat
    c: JointVec  # centrifugal and Coriolis torques
    g: JointVec  # gravity torques
    steps: tuple[Quantity, ...] = field(default=(), repr=False)

    def torque(self, qdd: JointVec) -> JointVec:
        """Return M q̈ + c + g."""
        return np.asarray(self.M) @ qdd + self.c + self.g
