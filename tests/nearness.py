"""How near two results are: measured by the largest term that went into them.

A torque that is the small difference of large ones cannot be better than the large ones' last
digits; so whoever compares says which terms there were.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ROUND_OFF = 1e-12  # float64, some thousand operations


def error(mine: Any, other: Any, *terms: Any) -> float:
    """Return the largest difference, relative to the largest entry of anything given."""
    mine, other = np.asarray(mine, dtype=float), np.asarray(other, dtype=float)
    assert mine.shape == other.shape
    entries = [np.abs(np.asarray(x, dtype=float)).max(initial=0) for x in (mine, other, *terms)]
    difference = np.abs(mine - other).max(initial=0)
    return 0.0 if difference == 0 else float(difference / max(entries))


def assert_near(mine: Any, other: Any, *terms: Any, tolerance: float = ROUND_OFF) -> None:
    """Assert that two results agree. NaN agrees with nothing."""
    assert error(mine, other, *terms) <= tolerance
