"""How near two results are, and how near they have to be.

A torque that is the small difference of large ones cannot be better than the large ones' last
digits; so whoever compares with `assert_near` says which terms there were. `assert_close` compares
every entry, with itself or with 1.

A tolerance has a name for what the error is made of. What belongs to one test alone (the decimals
that a book prints, what a page is rounded to) is said there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# float64, whose ε is 2.2e-16: relative to the largest term
LAST_DIGIT = 1e-15  # two or three operations
HANDFUL = 1e-14  # about ten operations
ACCURATE = 1e-13  # some hundred operations: the project's target for every quantity
ROUND_OFF = 1e-12  # some thousand operations
DIVIDED = 1e-11  # the same, in another order or divided by a mass matrix of an arm (κ below 1e5)
CANCELLED = 1e-10  # sums whose terms are about a hundred times as large as the result
SOLVED = 1e-9  # systems of equations of condition 1e3 to 1e6 solved on the way, a fit without noise
# float32, whose ε is 1.2e-7
SINGLE = 1e-5  # some hundred operations
SINGLE_DIVIDED = 2e-4  # some thousand operations, divided by a mass matrix
# of a method, not of rounding
CENTRAL_DIFFERENCE = 1e-7  # steps of 1e-5 or 1e-6: h² times the third derivative, and ε/h
SOLVER = 1e-6  # what an interior point method leaves


def of_solution(M: Any, tolerance: float = ACCURATE) -> float:
    """Return how near a solution of M x = b has to be: κ(M) times what M and b themselves lost."""
    return tolerance * float(np.linalg.cond(np.asarray(M, dtype=float)).max())


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


def assert_close(mine: Any, other: Any, tolerance: float = ROUND_OFF) -> None:
    """Assert that every entry agrees with the other, relative to itself or, if that is more, to 1.

    NumPy's own adds the two, and where only one is given it takes 1e-7 or 0 for the other.
    """
    mine, other = np.asarray(mine, dtype=float), np.asarray(other, dtype=float)
    size = np.where(np.isfinite(other), np.maximum(np.abs(other), 1), 1)
    np.testing.assert_allclose(mine / size, other / size, rtol=0, atol=tolerance)
