"""Proving a saved bound again."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.certificate.bound import Bound
from qddot.certificate.box import box_of
from qddot.certificate.closing import Closed, closed_enough, limit, routes, run
from qddot.certificate.study import Study
from qddot.errors import BadArgument, NotProved, QddotError
from qddot.robot import Robot

LONGEST = 600.0  # [s] that a search is taken to have lasted, whatever a file says


def checked(robot: Robot, bound: Bound) -> Bound:
    """Return the bound, if all that it claims can be proved."""
    try:
        return _checked(robot, bound)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        if isinstance(error, QddotError):
            raise
        why = f"its proof is not one ({type(error).__name__})"
        raise NotProved(str(bound.quantity), why) from None


def _checked(robot: Robot, bound: Bound) -> Bound:
    from qddot.certificate.bounds import ends_of, unit

    started, proof = time.monotonic(), bound.proof
    try:
        pairs = list(zip(proof["box"]["lower"], proof["box"]["upper"], strict=True))
        inner, T, asked = (float(proof[key]) for key in ("inner", "T", "asked"))
        forms = [_form(form) for form in proof.get("forms", ())]
    except (KeyError, TypeError, ValueError):
        raise NotProved(bound.quantity, "its proof is not complete") from None
    study = Study(robot, box_of(robot, pairs), forms)
    problem = study.problem(bound.quantity)
    if ends_of(bound.quantity, problem.sense, inner, T) != (bound.lower, bound.upper, bound.end):
        raise NotProved(bound.quantity, "its numbers are not those of its proof")
    closed = closed_enough(problem.sense, Closed(inner, T, np.zeros(0)), asked)
    if bound.closed is not closed or bound.unit != unit(robot, bound.quantity):
        raise NotProved(bound.quantity, "its unit, or whether it is as narrow as asked, is wrong")
    attained = _attained(problem, bound.attained_at, proof.get("qd"))
    if not problem.sense * inner <= problem.sense * attained:
        raise NotProved(bound.quantity, f"the value attained is {attained:.9g}, not {inner:.9g}")
    if not proved(problem, T, 60.0 + 20.0 * min(max(0.0, bound.seconds), LONGEST)):
        raise NotProved(bound.quantity, f"it could not be shown to stay on its side of {T:.9g}")
    return replace(bound, seconds=time.monotonic() - started)


def proved(problem: Any, T: float, seconds: float) -> bool:
    """Return whether a problem is proved at T."""
    if problem.sense * T >= problem.sense * problem.trivial:
        return True
    deadline = time.monotonic() + seconds
    return any(
        run(route, T, deadline).status == "proved"
        for route in routes(problem)
        if problem.sense * limit(route) < problem.sense * T
    )


def _attained(problem: Any, at: Sequence[float], qd: Any) -> float:
    """Return the value at the point that is claimed."""
    field = getattr(problem, "field", None)
    if field is None:
        return problem.attain()[0]
    q = np.array([float(x) for x in at])
    if q.shape != (field.n,) or not np.isfinite(q).all():
        return math.nan
    x = q[field.active]
    if np.any(x < field.lo) or np.any(x > field.hi):
        return math.nan
    if qd is None:
        return problem.inner(x) if not hasattr(problem, "above_it") else math.nan
    return problem.inner(np.append(x, [float(v) for v in qd]))


def _form(form: Any) -> dict[str, Any]:
    """Return a null form from a file, if it is one to the last bit."""
    numerators, unit = [int(k) for k in form["numerators"]], float(form["unit"])
    if math.frexp(unit)[0] != 0.5 or any(abs(k) > 2**40 for k in numerators):
        raise BadArgument("A null form has whole numerators and a power of two as its unit.")
    return {"numerators": numerators, "unit": unit}
