"""Certified bounds of a robot's dynamics: M, c, C, g and D over a box of joint positions.

A point where a value is attained bounds a supremum from one side; a proof that covers the box with
cells bounds it from the other. Every step is a proof, rounding included:

- the numbers of the robot are balls, folded to seventy digits (`rounding`)
- what rounding can do to a kernel's results is known before it runs (`rounding`)
- how much they can curve between corners follows from all their Fourier modes (`curvature`)
- so that finitely many points decide about a whole box (`search`, and one file per kind of bound)
- and what is attained is evaluated on balls (`rounding.enclosure`)
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.certificate.bound import Bound, Box, box_of
from qddot.certificate.problems import QUANTITIES, RECIPROCAL, SAME, BoundProblems, ends_of, unit
from qddot.certificate.search import Refined, narrow_enough, proved, refine
from qddot.certificate.sums_of_squares import form_of
from qddot.checks import joint_index, not_negative, number
from qddot.errors import NotProved, QddotError
from qddot.progress import percent_done
from qddot.robot import Robot

__all__ = ["QUANTITIES", "bound", "bounds", "bounds_over_joint", "check"]

SMALL = 3  # joints that matter, up to which a bound is closed to six digits
CLOSE, WIDE = (0.01, 0.05), (0.05, 0.2)  # norms and gravity, and the rest; up to 6 joints, beyond
LONGEST = 600.0  # [s] that a search is taken to have lasted, whatever a file says


def bound(
    robot: Robot, quantity: str, *, box: Any = None, gap: float = 0.01, seconds: float = 60.0
) -> Bound:
    """Return the certified bound of one quantity of a robot whose parameters are numbers.

    It is one of `QUANTITIES`, or "g.<joint>" for the gravity torque of one joint; if that is the
    name of another, as of a joint called "norm1", it is "g.joint.<joint>". The box is as `box_of`
    takes it. The two sides shall be as close as the relative gap; what is not closed after so many
    seconds is valid, only wider.
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

    Names and box are as `bound` takes them. The relative gap is by default 1e-6 where up to three
    joints matter, 1 % or 5 % for up to six, 5 % or 20 % beyond; the seconds are for all together.
    Stopped from the keyboard, it returns the bounds that it has.
    """
    where = box_of(robot, box)
    if gap is not None:
        number("gap", gap, least=1e-9)
    not_negative("seconds", seconds, "s")
    problems = BoundProblems(robot, where)
    names = problems.applicable() if quantities is None else list(dict.fromkeys(quantities))
    for name in names:
        problems.problem(name)  # all names are checked before any work
    done: dict[str, Refined] = {}
    found: dict[str, Bound] = {}
    deadline = time.monotonic() + seconds
    with percent_done(f"bounds of {robot.name}", len(names)) as advance:
        for k, name in enumerate(sorted(names, key=_cost)):
            key = SAME.get(name, RECIPROCAL.get(name, name))
            asked = _gap(problems, key) if gap is None else gap
            started = time.monotonic()
            if key not in done:
                left = max(0.0, deadline - started)
                share = max(left / (len(names) - k), 0.35 * left)
                try:
                    done[key] = refine(problems.problem(name), asked, share)
                except KeyboardInterrupt:
                    if not found:
                        raise
                    break
            spent = time.monotonic() - started
            found[name] = _bound(problems, name, done[key], asked, spent)
            advance()
            if done[key].more.get("stopped"):
                break
    return {name: found[name] for name in names if name in found}


def bounds_over_joint(
    robot: Robot, quantity: str, joint: str, values: Iterable[float], *, box: Any = None, **how: Any
) -> list[Bound]:
    """Return the bound as a function of one coordinate: one for each of its values.

    Each is a bound over the box of the other joints, such as by how far a sliding joint is out.

    Args:
        robot: The robot.
        quantity: The bound's name.
        joint: The joint that is held at each value in turn.
        values: Its positions [rad or m].
        box: The positions of the others, as for `certify`.
        how: `gap` and `seconds` of each bound.
    """
    i = joint_index(robot, joint)
    found = []
    for value in values:
        given = {joint: float(value)} if box is None else box
        whole = box_of(robot, given)
        lower, upper = list(whole.lower), list(whole.upper)
        lower[i] = upper[i] = float(value)
        held = Box(tuple(lower), tuple(upper))
        found.append(bounds(robot, [quantity], box=held, **how)[quantity])
    return found


def _cost(name: str) -> int:
    """Return which quantities come first: those whose entries are quick to make."""
    return ("D", "g", "dg", "M", "Minv", "C", "c").index(name.partition(".")[0])


def check(robot: Robot, bound: Bound) -> Bound:
    """Prove a saved bound again, from nothing but its two numbers; raise if that fails.

    Curvatures and roundings are computed anew from the robot, the attained value is evaluated
    anew, and the cells are tested at the T that is claimed; nothing is searched for. The one thing
    taken from the proof are forms that are zero by construction (`sums_of_squares`).
    """
    try:
        return _checked(robot, bound)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        if isinstance(error, QddotError):
            raise
        why = f"its proof is not one ({type(error).__name__})"
        raise NotProved(str(bound.quantity), why) from None


def _checked(robot: Robot, bound: Bound) -> Bound:
    started, proof = time.monotonic(), bound.proof
    try:
        pairs = list(zip(proof["box"]["lower"], proof["box"]["upper"], strict=True))
        inner, T, asked = (float(proof[key]) for key in ("inner", "T", "asked"))
        forms = [form_of(form) for form in proof.get("forms", ())]
    except (KeyError, TypeError, ValueError):
        raise NotProved(bound.quantity, "its proof is not complete") from None
    problem = BoundProblems(robot, box_of(robot, pairs), forms).problem(bound.quantity)
    if ends_of(bound.quantity, problem.sense, inner, T) != (bound.lower, bound.upper, bound.end):
        raise NotProved(bound.quantity, "its numbers are not those of its proof")
    closed = narrow_enough(problem.sense, Refined(inner, T, np.zeros(0)), asked)
    if bound.closed is not closed or bound.unit != unit(robot, bound.quantity):
        raise NotProved(bound.quantity, "its unit, or whether it is as narrow as asked, is wrong")
    attained = problem.attained(np.array([float(x) for x in bound.attained_at]), proof.get("qd"))
    if not problem.sense * inner <= problem.sense * attained:
        raise NotProved(bound.quantity, f"the value attained is {attained:.9g}, not {inner:.9g}")
    if not proved(problem, T, 60.0 + 20.0 * min(max(0.0, bound.seconds), LONGEST)):
        raise NotProved(bound.quantity, f"it could not be shown to stay on its side of {T:.9g}")
    return replace(bound, seconds=time.monotonic() - started)


def _gap(problems: BoundProblems, name: str) -> float:
    """Return how close a bound shall be if the caller does not say it."""
    if problems.problem(name).m <= SMALL:
        return 1e-6
    near, far = CLOSE if problems.n <= 6 else WIDE
    # the largest eigenvalue is ‖M‖₂
    return near if name.startswith(("g.", "M.norm", "M.eigenvalue.max")) else far


def _bound(
    problems: BoundProblems, name: str, refined: Refined, gap: float, seconds: float
) -> Bound:
    """Return what was found as a bound."""
    problem = problems.problem(name)
    lower, upper, end = ends_of(name, problem.sense, refined.inner, refined.outer)
    return Bound(
        quantity=name,
        lower=lower,
        upper=upper,
        end=end,
        attained_at=tuple(float(x) for x in refined.at),
        unit=unit(problems.robot, name),
        closed=narrow_enough(problem.sense, refined, gap),
        seconds=seconds,
        proof=_proof(problems, name, refined) | {"asked": gap},
    )


def _proof(problems: BoundProblems, name: str, refined: Refined) -> dict[str, Any]:
    problem = problems.problem(name)
    found: dict[str, Any] = {
        "box": {"lower": list(problems.box.lower), "upper": list(problems.box.upper)},
        "inner": refined.inner,
        "T": refined.outer,
        "cells": refined.cells,
        "method": refined.more.get("method", problem.method),
    }
    if "qd" in refined.more:
        found["qd"] = refined.more["qd"]
    return found | problem.evidence(refined.cells > 0)
