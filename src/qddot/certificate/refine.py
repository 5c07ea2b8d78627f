"""From a value that is attained to a bound that is proved: T is brought closer, level by level.

Every level that is proved is a bound already, so stopping at any time leaves a valid one. The
levels get finer by a constant factor, and the finest one costs more than all others together.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.certificate.problem import BoundProblem

AIM = 0.97  # of the gap, so that rounding inward does not spoil it
COARSEST = {1: 1.0, -1: 0.8}
TINY = 1e-9  # of the trivial bound: what is below this counts as zero


@dataclass
class Refined:
    """What was attained, what was proved, and how."""

    inner: float
    outer: float
    at: np.ndarray
    more: dict[str, Any] = field(default_factory=dict)
    cells: int = 0


def refine(problem: BoundProblem, gap: float, seconds: float) -> Refined:
    """Return bounds of a problem from both sides, as close as asked for if time allows."""
    deadline = time.monotonic() + seconds
    inner, at, more = problem.attain()
    found = Refined(inner, problem.trivial, at, more)
    if narrow_enough(problem.sense, found, gap):
        return found
    try:
        attempt(problem, found, gap, deadline)
    except KeyboardInterrupt:
        found.more["stopped"] = True
    return found


def attempt(problem: BoundProblem, found: Refined, gap: float, deadline: float) -> None:
    """Bring the outer side closer until the gap, the deadline or the method ends it."""
    sense, routes = problem.sense, problem.routes()
    refuted = 0
    levels = list(finer(gap, len(problem.lo), sense))
    while levels and routes and time.monotonic() < deadline:
        T = target(sense, found.inner, problem.trivial, levels[0])
        route = next((r for r in routes if sense * r.limit < sense * T), None)
        if route is None:  # what can be proved is not as close as what is asked for
            route = min(routes, key=lambda r: sense * r.limit)
            T = route.limit * (1 + sense * AIM * min(gap, 0.05))
            levels = levels[:1]
        if sense * T >= sense * found.outer:
            levels.pop(0)
            continue
        outcome = route.prove(T, deadline)
        if outcome.status == "proved":
            found.outer, found.cells = T, outcome.cells
            found.more["method"] = route.method
            levels.pop(0)
        elif outcome.status == "refuted" and outcome.at is not None and refuted < 20:
            refuted += 1
            inner, at, more = problem.attain()
            if sense * inner > sense * found.inner:
                found.inner, found.at = inner, at
                found.more |= more
        else:
            return


def proved(problem: BoundProblem, T: float, seconds: float) -> bool:
    """Return whether a bound T can be proved; nothing is searched for."""
    sense = problem.sense
    if sense * T >= sense * problem.trivial:
        return True
    deadline = time.monotonic() + seconds
    return any(
        route.prove(T, deadline).status == "proved"
        for route in problem.routes()
        if sense * route.limit < sense * T
    )


def target(sense: int, inner: float, trivial: float, level: float) -> float:
    """Return the T of a level."""
    if sense < 0:
        return inner * (1 - level)
    return max(inner * (1 + level), TINY * trivial)


def finer(gap: float, m: int, sense: int) -> Iterator[float]:
    """Yield the levels, coarse to fine; the last is the gap asked for."""
    factor = 4.0 if m > 3 else 32.0
    # of an infimum a little more, so that its reciprocal is as close
    last = min(AIM * gap / (1 if sense > 0 else 1 + gap), COARSEST[sense])
    count = 0
    while last * factor ** (count + 1) <= COARSEST[sense]:
        count += 1
    for k in range(count, -1, -1):
        yield last * factor**k


def narrow_enough(sense: int, found: Refined, gap: float) -> bool:
    """Return whether the two sides are as close as asked for."""
    width = sense * (found.outer - found.inner)
    return width <= gap * abs(found.inner)
