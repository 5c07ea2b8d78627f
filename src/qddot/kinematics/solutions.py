"""What inverse kinematics finds: joint positions, and which of them are solutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from qddot.model.units import all_for_people
from qddot.plain_text import fitted
from qddot.results import in_notebook

ROWS = 32  # shown
# how far a solution may miss its pose: [rad], and [m] in parts of the arm's length
CLOSED = 5e-13
SLACK = 1e-9  # [rad or m], how far beyond a limit rounding may put a position
SINGULAR = 1e-24  # the margin of a solution within about 1e-6 of a singular one


class Solutions(NamedTuple):
    """Joint positions that put a frame where it should be, for one pose or many.

    Of every solution of a pose there are k places along the last axis but one, whose solutions are
    in no particular order; those that hold none have NaN in `q` and are not `found`.
    """

    q: np.ndarray  # (..., k, n) [rad or m]
    miss: np.ndarray  # the square of `closure`
    margin: np.ndarray  # the fourth power of how far each is from one that is `singular`

    @property
    def n(self) -> int:
        """How many joint positions a solution has."""
        return self.q.shape[-1]

    @property
    def closure(self) -> np.ndarray:
        """How far each puts the frame from its pose [rad; m in parts of the arm's length]."""
        return np.sqrt(self.miss)

    @property
    def found(self) -> np.ndarray:
        """Which are solutions: those that put the frame where it should be, to rounding."""
        return self.miss <= CLOSED**2

    @property
    def singular(self) -> np.ndarray:
        """Which solutions are singular, or within about 1e-6 of it.

        Two solutions meet there, or the one that is given stands for a family of them.
        """
        return self.found & (self.margin <= SINGULAR)

    @property
    def counts(self) -> np.ndarray:
        """How many solutions each pose has."""
        return np.asarray(self.found.sum(axis=-1))

    @fitted
    def __repr__(self) -> str:
        """Return how many there are, and those of one pose as rows."""
        if self.q.ndim > 2:
            counts = self.counts
            few = f"{counts.min()} to {counts.max()}" if counts.size else "no"
            return f"<{counts.size:,} poses, {few} solutions each, q {self.q.shape}>"
        return self.text()

    def text(self, units: Sequence[str] = (), degrees: bool = False) -> str:
        """Return the solutions of one pose as rows.

        Args:
            units: Of the entries of q, "rad" or "m"; without them, the words say "rad or m".
            degrees: Write angles in degrees; needs `units`.
        """
        unit, factors = all_for_people(units, degrees) if units else ("rad or m", [1.0] * self.n)
        rows = self._replace(q=self.q * factors).rows()
        lines = [f"{len(rows)} solution{'' if len(rows) == 1 else 's'} [{unit}]"]
        lines += [
            "  ".join(f"{x:>10.{4 if degrees else 6}f}" for x in row[:-1]) + row[-1]
            for row in rows[:ROWS]
        ]
        return "\n".join(lines)

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the solutions of one pose: joint positions, and a word on those singular."""
        found = self.found
        pairs = zip(self.q[found], self.singular[found], strict=True)
        return [(*map(float, row), "  singular" if mark else "") for row, mark in pairs]

    _repr_html_ = in_notebook("kinematics.solutions_html")
