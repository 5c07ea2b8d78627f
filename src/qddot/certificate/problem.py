"""What all problems about a field have in common."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from qddot.certificate.field import Field
from qddot.certificate.search import best_point

SURE = 2.0**-40  # relative; above any rounding of a sum of a few hundred terms of one sign


class Of:
    """A problem about a field, on the coordinates that it depends on."""

    sense = 1

    def __init__(self, field: Field):
        self.field, self.lo, self.hi = field, field.lo, field.hi

    def attain(self) -> tuple[float, np.ndarray, dict[str, Any]]:
        """Return a value that is attained, rounded inward, where, and what else belongs to it."""
        x = best_point(self)  # type: ignore[arg-type]  # those that inherit are problems
        return self.inner(x), self.field.full(x), {}

    def inner(self, x: np.ndarray) -> float:
        """Return what the quantity is not below (or above) at one point, proved with balls."""
        raise NotImplementedError

    @cached_property
    def remainder(self) -> np.ndarray:
        """The curvature of every entry by every coordinate, shape (m, size)."""
        return self.field.R * (1 + SURE)
