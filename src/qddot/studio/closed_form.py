"""One entry of M, C, c or g in closed form: whole where people can read it, else its largest terms.

Runs in a helper, which keeps the equations of the robot it derived last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from qddot.equations.deriving import derive
from qddot.equations.equations import Equations
from qddot.equations.forms import expanded
from qddot.equations.layout import aligned
from qddot.equations.polynomial import Polynomial
from qddot.equations.readable import Entry, counted
from qddot.equations.terms import polynomial_of, terms_of
from qddot.equations.text import TextWriter
from qddot.robot import Robot
from qddot.scalars import Scalar

READABLE = 60  # terms; a screen holds them
LARGEST = 12  # terms shown of a longer entry
MOST_WRITTEN = 2500  # terms of a whole entry that is sent along
SCREEN = 100  # terms that a sum of lines may have

_derived: list[tuple[Robot, Equations]] = []


def entry(
    robot: Robot,
    name: str,
    place: Sequence[int],
    q: np.ndarray,
    qd: np.ndarray,
    *,
    tell: Callable[..., None],
) -> dict[str, Any]:
    """Return an entry of a quantity as LaTeX and text.

    The quantity is M, C, c or g, its place row and column from 0, or the row alone. Which terms are
    the largest is said for q and qd.
    """
    if not _derived or _derived[0][0].model != robot.model:
        tell("Deriving the equations of motion, exactly", None)
        _derived[:] = [(robot, derive(robot))]
    equations = _derived[0][1]
    value = np.asarray(equations.quantity(name), dtype=object)[tuple(place)]
    whole = Entry(value)
    found: dict[str, Any] = {"terms": whole.terms if value else 0, "note": ""}
    if whole.terms <= READABLE:
        lines, found["text"] = whole.lines(SCREEN), whole.text
    else:
        short = Entry(largest(value, q, qd))
        *lines, last = short.lines(SCREEN)
        lines.append(rf"{last} + \cdots")
        found["text"] = f"{short.text} + …"
        found["note"] = f"The {LARGEST} largest of {counted(whole.terms)} where the arm stands now."
        if whole.terms <= MOST_WRITTEN:
            found["whole"] = TextWriter(value).write(expanded(value))
        else:
            found["note"] += " `qddot derive` writes all of them to a file."
    return found | {"lines": lines, "latex": aligned([("", line) for line in lines])}


def largest(x: Polynomial, q: np.ndarray, qd: np.ndarray) -> Scalar:
    """Return the few terms of a polynomial that are largest at a state."""
    values = {
        **{("sine", i): abs(np.sin(angle)) for i, angle in enumerate(q)},
        **{("cosine", i): abs(np.cos(angle)) for i, angle in enumerate(q)},
        **{("position", i): abs(place) for i, place in enumerate(q)},
        # at rest every rate counts alike
        **{("rate", i): abs(rate) if qd.any() else 1.0 for i, rate in enumerate(qd)},
    }

    def size(term: tuple) -> float:
        monomial, coefficient = term
        result = abs(float(coefficient))
        for factor, exponent in monomial:
            joints = getattr(factor, "joints", ())
            place = (getattr(factor, "kind", ""), joints[0][0] if joints else -1)
            result *= values.get(place, 1.0) ** exponent
        return result

    ordered = sorted(terms_of(x).items(), key=size, reverse=True)
    return polynomial_of(x.ring, dict(ordered[:LARGEST]))
