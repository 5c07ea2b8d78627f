"""Certified bounds of a robot's dynamics: M, c, C, g and D over a box of joint positions.

A point where a value is attained bounds a supremum from one side; a proof that covers the box with
cells bounds it from the other. Every step is a proof, rounding included:

- the numbers of the robot are balls, folded to seventy digits (`exact`)
- what rounding can do to a kernel's results is known before it runs (`rounding`)
- how much they can curve between corners follows from all their Fourier modes (`curvature`)
- so that finitely many points decide about a whole box (`search`, and a file a kind of bound)
- and what is attained is evaluated on balls (`rounding.enclosure`)
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

from qddot.certificate.bound import Bound
from qddot.certificate.box import box_of
from qddot.certificate.closing import Closed, close, closed_enough
from qddot.certificate.study import QUANTITIES, RECIPROCAL, SAME, Study, joint_bounds
from qddot.errors import BadArgument
from qddot.model.joint import Joint
from qddot.model.units import units_of
from qddot.progress import percent_done
from qddot.robot import Robot

__all__ = ["QUANTITIES", "bound", "bounds", "check"]

SMALL = 3  # joints that matter, up to which a bound is closed to six digits
CLOSE, WIDE = (0.01, 0.05), (0.05, 0.2)  # norms and gravity, and the rest; up to 6 joints, beyond

# which of a joint's units each quantity has
UNIT = {
    "M": "inertia",
    "Minv": "mobility",
    "c": "coriolis",
    "C": "coriolis",
    "g": "effort",
    "dg": "stiffness",
    "D": "damping",
}


def bound(
    robot: Robot, quantity: str, *, box: Any = None, gap: float = 0.01, seconds: float = 60.0
) -> Bound:
    """Return the certified bound of one quantity.

    Args:
        robot: The robot, all its parameters numbers.
        quantity: One of `QUANTITIES`, or "g.<joint>" for the gravity torque of one joint. If that
            is the name of another, as of a joint called "norm1", it is "g.joint.<joint>".
        box: The joint positions, as `box_of` takes them.
        gap: How close the two sides shall be, relative.
        seconds: How long to search. What is not closed by then is valid, only wider.
    """
    return bounds(robot, [quantity], box=box, gap=gap, seconds=seconds)[quantity]


def bounds(
    robot: Robot,
    quantities: Iterable[str] | None = None,
    *,
    box: Any = None,
    gap: float | None = None,
    seconds: float = 300.0,
) -> dict[str, Bound]:
    """Return the certified bounds of several quantities by name; all that the robot has if None.

    Args:
        robot: The robot, all its parameters numbers.
        quantities: Names, as `bound` takes them.
        box: The joint positions, as `box_of` takes them.
        gap: How close the two sides shall be, relative; None for 1e-6 where up to three joints
            matter, 1 % or 5 % for up to six, 5 % or 20 % beyond.
        seconds: How long to search in all.

    Stopped from the keyboard, it returns the bounds that it has.
    """
    where = box_of(robot, box)
    positive(gap, "gap", 1e-9)
    positive(seconds, "seconds", 0.0)
    study = Study(robot, where)
    names = study.applicable() if quantities is None else list(dict.fromkeys(quantities))
    for name in names:
        study.problem(name)  # all names are checked before any work
    done: dict[str, Closed] = {}
    found: dict[str, Bound] = {}
    deadline = time.monotonic() + seconds
    with percent_done(f"bounds of {robot.name}", len(names)) as advance:
        for k, name in enumerate(sorted(names, key=_cost)):
            key = SAME.get(name, RECIPROCAL.get(name, name))
            asked = _gap(study, key) if gap is None else gap
            started = time.monotonic()
            if key not in done:
                left = max(0.0, deadline - started)
                share = max(left / (len(names) - k), 0.35 * left)
                try:
                    done[key] = close(study.problem(name), asked, share)
                except KeyboardInterrupt:
                    if not found:
                        raise
                    break
            spent = time.monotonic() - started
            found[name] = _bound(study, name, done[key], asked, spent)
            advance()
            if done[key].more.get("stopped"):
                break
    return {name: found[name] for name in names if name in found}


def _cost(name: str) -> int:
    """Return which quantities come first: those whose field is quick to make."""
    return ("D", "g", "dg", "M", "Minv", "C", "c").index(name.partition(".")[0])


def check(robot: Robot, bound: Bound) -> Bound:
    """Prove a saved bound again, from nothing but its two numbers; raise if that fails.

    Curvatures and roundings are computed anew from the robot, the attained value is evaluated
    anew, and the cells are tested at the T that is claimed; nothing is searched for. The one thing
    taken from the proof are forms that are zero by construction (`null_forms`).
    """
    from qddot.certificate.checking import checked

    return checked(robot, bound)


def positive(x: Any, what: str, least: float) -> None:
    """Raise unless x is a number of at least that much, or None."""
    if x is None:
        return
    good = isinstance(x, (int, float)) and not isinstance(x, bool) and math.isfinite(x)
    if not good or x < least:
        raise BadArgument(f"{what} is {x!r}; it must be a number of at least {least:g}.")


def _gap(study: Study, name: str) -> float:
    """Return how close a bound shall be where nobody says."""
    problem = study.problem(name)
    m = len(problem.field.lo) if hasattr(problem, "field") else 0
    if m <= SMALL:
        return 1e-6
    near, far = CLOSE if study.n <= 6 else WIDE
    # the largest eigenvalue is ‖M‖₂
    return near if name.startswith(("g.", "M.norm", "M.eigenvalue.max")) else far


def _bound(study: Study, name: str, closed: Closed, gap: float, seconds: float) -> Bound:
    """Return what was found as a bound."""
    problem = study.problem(name)
    lower, upper, end = ends_of(name, problem.sense, closed.inner, closed.outer)
    return Bound(
        quantity=name,
        lower=lower,
        upper=upper,
        end=end,
        attained_at=tuple(float(x) for x in closed.at),
        unit=unit(study.robot, name),
        closed=closed_enough(problem.sense, closed, gap),
        seconds=seconds,
        proof=_proof(study, name, closed) | {"asked": gap},
    )


def ends_of(name: str, sense: int, inner: float, outer: float) -> tuple[float, float, str]:
    """Return the lower and the upper number of a bound, and whether it is of a sup or an inf."""
    lower, upper = (inner, outer) if sense > 0 else (outer, inner)
    if name in RECIPROCAL:
        sense = -sense
        down = math.nextafter(1 / upper, -math.inf) if upper > 0 else 0.0
        up = math.nextafter(1 / lower, math.inf) if lower > 0 else math.inf
        lower, upper = down, up
    return lower, upper, "sup" if sense > 0 else "inf"


def _proof(study: Study, name: str, closed: Closed) -> dict[str, Any]:
    problem = study.problem(name)
    field = getattr(problem, "field", None)
    inner = getattr(problem, "above_it", problem)
    found: dict[str, Any] = {
        "box": {"lower": list(study.box.lower), "upper": list(study.box.upper)},
        "inner": closed.inner,
        "T": closed.outer,
        "cells": closed.cells,
        "method": closed.more.get("method") or METHOD.get(type(inner).__name__, "direct"),
    }
    if "qd" in closed.more:
        found["qd"] = closed.more["qd"]
    if field is not None:
        found["field"] = field.kind
        found["rounding"] = float(field.rounding.error.max(initial=0.0))
        found["program"] = field.program.digest
    if closed.cells and field is not None:
        found["curvature"] = [float(row.max(initial=0.0)) for row in field.R]
    if getattr(inner, "forms", None):
        found["forms"] = inner.forms
    return found


METHOD = {
    "AbsoluteNorm": "the norm of the moduli and the remainder, at the corners of all cells",
    "JointGravity": "the modulus and the remainder, at the corners of all cells",
    "NormBelow": "a linear function below the norm, at the corners of each cell",
    "SpectralBelow": "a quadratic form below the largest eigenvalue, at the corners of each cell",
    "SmallestEigenvalue": "verified Cholesky factors of A − T E less the remainder, at the corners",
    "Eigenvalue": "verified Cholesky factors of T E − A less the remainder, at the corners",
    "SignNorm": "the largest of all vectors of signs, at the corners of all cells",
    "SquareNorm": "verified Cholesky factors of T² W − UᵀU − N, at the corners of all cells",
    "Damping": "verified Cholesky factors of T E − D",
}


def unit(robot: Robot, name: str) -> str:
    """Return the unit of a quantity: nothing where joints of both kinds make it mixed."""
    if name in (own := joint_bounds(robot)):
        joint: Joint = robot.model.joint(own[name])
        return joint.units.effort
    if name == "g.effort":
        return "of the limit"
    units = units_of(robot.model.free_joints)
    return getattr(units[0], UNIT[name.partition(".")[0]]) if len(units) == 1 else ""
