"""What to say about an inertia that no body has: the inequality, and the slip that explains it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from qddot.errors import Problem
from qddot.expressions import free_symbols
from qddot.model.link import Inertial
from qddot.spatial.inertia import symmetric, why_impossible

ENTRIES = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


def inertia_problems(inertial: Inertial, where: str, line: int | None) -> Iterator[Problem]:
    """Yield what is impossible about a body's mass and inertia, with a suggested fix."""
    values = [inertial.mass, *inertial.com, *inertial.inertia]
    if any(free_symbols(x) for x in values) or not np.all(np.isfinite([float(x) for x in values])):
        return
    mass, inertia = float(inertial.mass), [float(x) for x in inertial.inertia]
    why = why_impossible(mass, symmetric(inertia))
    if why is None:
        return
    if mass < 0:
        yield Problem("error", where, why, "Give a positive mass.", line)
    elif mass == 0:
        remedy = "Give the mass too, or declare the inertia as the joint's rotor inertia."
        yield Problem("warning", where, why, remedy, line)
    else:
        size = violation(inertia)
        # some published inertias are off in their last printed digit: doubtful, but usable
        severity = "error" if size > 0.02 else "warning"
        yield Problem(severity, where, why, suggestion(mass, inertia), line)


def violation(inertia: Sequence[float]) -> float:
    """Return by how much the largest moment exceeds the other two's sum, relative to itself."""
    a, b, c = np.linalg.eigvalsh(symmetric(list(inertia)))
    return float(max(-min(a, 0), c - a - b) / c) if c > 0 else 1.0


def suggestion(mass: float, inertia: Sequence[float]) -> str:
    """Return the likeliest slip behind an impossible inertia, as an instruction."""

    def possible(six: Sequence[float]) -> bool:
        return why_impossible(mass, symmetric(list(six))) is None

    xx, a, b, c, d, zz = inertia
    # written as Ixx Iyy Izz Ixy Ixz Iyz, read as Ixx Ixy Ixz Iyy Iyz Izz
    if possible(reordered := (xx, c, d, a, zz, b)) and max(abs(c), abs(d), abs(zz)) < min(xx, a, b):
        values = ", ".join(f"{n}={x:g}" for n, x in zip(ENTRIES, reordered, strict=True))
        return f"The six numbers may be in the wrong order; possible would be {values}."
    for place in (0, 3, 5):
        for factor, words in ((0.1, "10 times smaller"), (10, "10 times larger")):
            slipped = [x * factor if i == place else x for i, x in enumerate(inertia)]
            if possible(slipped):
                return (
                    f"A decimal slip? {ENTRIES[place]} = {slipped[place]:g} ({words}) would be "
                    "possible."
                )
    for place in (1, 2, 4):
        slipped = [x / 10 if i == place else x for i, x in enumerate(inertia)]
        if possible(slipped):
            return f"A decimal slip? {ENTRIES[place]} = {slipped[place]:g} would be possible."
    return (
        "Usual causes: a decimal slip, the inertia about another point or in other axes, "
        "products of inertia mixed up, or grams and millimetres."
    )
