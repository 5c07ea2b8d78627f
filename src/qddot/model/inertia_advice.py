"""What to say about an inertia that no body has: the inequality, and the slip that explains it.

Published robots have impossible parts: placeholders on the base, sensors with rounded moments,
feet of no mass. What counts is the body that moves, everything fixed to it included. An impossible
part of a possible body is doubtful; an impossible body is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from qddot.errors import Problem
from qddot.model.folding import fold
from qddot.model.link import Inertial
from qddot.model.model import Model, scalars
from qddot.model.structure import depth_first, place
from qddot.model.tree import BASE
from qddot.scalars.expressions import free_symbols
from qddot.spatial.inertia import Inertia, symmetric, upper, why_impossible

ENTRIES = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
SPREAD = 1e-6  # [m]; a moment of less than mass · SPREAD² is the rounding of a point mass
MOST = 0.2  # relative violation; moving bodies of published robots reach 0.12, their slips 0.7


def inertia_problems(model: Model, sound: bool) -> Iterator[Problem]:
    """Yield what is impossible about the masses and inertias of a model, with a suggested fix.

    Args:
        model: The robot.
        sound: Whether it is one tree of finite numbers, so that fixed joints can be folded.
    """
    parts = [(place("link", x.name), x.name, x.inertial, x.line) for x in model.links]
    parts += [(f"payload at {x.frame!r}", x.frame, x.inertial, x.line) for x in model.payloads]
    wrong = [(*part, why) for part in parts if (why := why_not(part[2]))]
    bodies = _bodies(model) if wrong and sound and not model.symbols else {}
    for where, frame, inertial, line, why in wrong:
        mass, inertia = float(inertial.mass), [float(x) for x in inertial.inertia]
        if mass < 0:
            yield Problem("error", where, why, "Give a positive mass.", line)
        elif mass == 0:
            remedy = "Give the mass too, or declare the inertia as the joint's rotor inertia."
            yield Problem("warning", where, why, remedy, line)
        elif not refused(inertia):
            yield Problem("warning", where, why, suggestion(mass, inertia), line)
        else:
            body = bodies.get(frame, Inertia.about_com(mass, (0, 0, 0), symmetric(inertia)))
            if body is None:
                why = f"{why}; it does not move, so nothing depends on it"
            elif not _refused_body(body):
                why = f"{why}; together with what it is fixed to, it is possible"
            severity = "error" if body is not None and _refused_body(body) else "warning"
            yield Problem(severity, where, why, suggestion(mass, inertia), line)


def refused(inertia: Sequence[float]) -> bool:
    """Return whether an inertia is too far from any body's to be a matter of rounding."""
    a, _, c = np.linalg.eigvalsh(symmetric(list(inertia)))
    return bool(a < -1e-6 * c) or violation(inertia) > MOST


def violation(inertia: Sequence[float]) -> float:
    """Return by how much the largest moment exceeds the other two's sum, relative to itself."""
    a, b, c = np.linalg.eigvalsh(symmetric(list(inertia)))
    return float(max(-min(a, 0), c - a - b) / c) if c > 0 else 1.0


def why_not(inertial: Inertial) -> str | None:
    """Return why no body has this mass and inertia, or None; rounding of a point mass aside."""
    values = list(scalars(inertial))
    if any(free_symbols(x) for x in values) or not np.all(np.isfinite([float(x) for x in values])):
        return None
    mass, inertia = float(inertial.mass), [float(x) for x in inertial.inertia]
    if mass > 0 and max(abs(x) for x in inertia) < mass * SPREAD**2:
        return None
    return why_impossible(mass, symmetric(inertia))


def _bodies(model: Model) -> dict[str, Inertia | None]:
    """Return the moving body that each frame is part of, fixed joints folded; None: the base."""
    tree = fold(depth_first(model))
    return {
        name: None if i == BASE else tree.bodies[i].inertia for name, (i, _) in tree.frames.items()
    }


def _refused_body(body: Inertia) -> bool:
    if body.m <= 0:
        return True
    mass, _, I_com = body.com_form()
    six = [float(x) for x in upper(I_com)]
    return refused(six) and max(abs(x) for x in six) > mass * SPREAD**2


def slenderness(inertia: Sequence[float]) -> float:
    """Return how many times the largest moment exceeds the smallest."""
    a, _, c = np.linalg.eigvalsh(symmetric(list(inertia)))
    return float(c / a) if a > 0 else np.inf


def suggestion(mass: float, inertia: Sequence[float]) -> str:
    """Return the likeliest slip behind an impossible inertia, as an instruction."""

    def possible(six: Sequence[float]) -> bool:
        return why_impossible(mass, symmetric(list(six))) is None

    xx, a, b, c, d, zz = inertia
    # written as Ixx Iyy Izz Ixy Ixz Iyz, read as Ixx Ixy Ixz Iyy Iyz Izz
    if possible(reordered := (xx, c, d, a, zz, b)) and max(abs(c), abs(d), abs(zz)) < min(xx, a, b):
        values = ", ".join(f"{n}={x:g}" for n, x in zip(ENTRIES, reordered, strict=True))
        return f"The six numbers may be in the wrong order; possible would be {values}."
    slips = []
    for at, name in enumerate(ENTRIES):
        for factor, words in ((0.1, "10 times smaller"), (10, "10 times larger")):
            slipped = [x * factor if i == at else x for i, x in enumerate(inertia)]
            if possible(slipped):
                remedy = f"A decimal slip? {name} = {slipped[at]:g} ({words}) would be possible."
                slips.append((slenderness(slipped), remedy))
    if slips:
        return min(slips)[1]  # the slip that leaves the most compact body
    if possible((xx, 0, 0, c, 0, zz)):
        return (
            "Its products of inertia are too large; with Ixy = Ixz = Iyz = 0 it would be possible."
        )
    return (
        "Usual causes: a decimal slip, the inertia about another point or in other axes, "
        "products of inertia mixed up, or grams and millimetres."
    )
