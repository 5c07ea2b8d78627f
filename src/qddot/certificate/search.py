"""How a bound is proved: by covers of the box with small cells, for a T that comes closer.

**Levels.** From a value that is attained T is brought closer, level by level. Every level that is
proved is a bound already, so stopping at any time leaves a valid one. The levels get finer by a
constant factor, and the finest one costs more than all others together.

**Corner hull.** On a cell with half-widths h, with |∂²A/∂q_k²| ≤ R_k, every value of A is a mean of
its values at the corners, but for a remainder:

    A(q) ∈ Σ w_c A(q_c) + [−R, R]        w ≥ 0,  Σ w = 1,  R = Σ_k ½ h_k² R_k

*Proof.* Linear interpolation in q_k errs by at most ½ h_k² sup|∂²A/∂q_k²|. Interpolate in one
variable after the other: each interpolation has norm 1, so the errors add. ∎

A convex function of A, or a definite matrix, at the corners is thus one in the cell, and it is
enough to test points: a cell is proven when all its corners are. The cells are first those of one
grid, each node tested once; a cell with a corner that fails is halved until it is proven.
Edges are floats that neighbours share, and half-widths are rounded up, so nothing is left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from qddot.certificate.problem import BoundProblem, CellProof

CHUNK = 1 << 16  # points at a time
GRID = 30_000  # cells, from which on one grid is better than halving
MOST_NODES = 40_000_000
MOST_COORDINATES = 14  # a cell has 2^m corners
SAMPLES = 256  # cells that fail, at whose middle the quantity itself is looked at
UP = 1 + 4e-16
AIM = 0.97  # of the gap, so that rounding inward does not spoil it
COARSEST = {1: 1.0, -1: 0.8}
TINY = 1e-9  # of the trivial bound: what is below this counts as zero


@dataclass(frozen=True)
class ProofAttempt:
    """How an attempt at a proof ended."""

    status: str  # "proved", "refuted", "stuck" or "late"
    cells: int
    at: np.ndarray | None = None  # where it was refuted


def prove(problem: CellProof, T: float, deadline: float) -> ProofAttempt:
    """Try to prove that the quantity stays on its side of T.

    The cell without size where the quantity is largest comes first: if that cannot be proved,
    nothing can.
    """
    m, at = len(problem.lo), problem.best_point()
    if m > MOST_COORDINATES:
        return ProofAttempt("stuck", 0)
    if not problem.cells(at[None], at[None], T)[0]:
        return ProofAttempt("stuck", 1)  # too close for rounding, or for the method
    first = grid(problem, T, deadline)
    if isinstance(first, ProofAttempt):
        return first
    lo, hi, count = first
    waiting = [(lo, hi)] if len(lo) else []
    per = max(1, CHUNK >> m)
    while waiting:
        lo, hi = taken(waiting, per)
        ok = problem.cells(lo, hi, T)
        count += len(lo)
        lo, hi = lo[~ok], hi[~ok]
        if not len(lo):
            continue
        middle = lo + (hi - lo) / 2
        some = middle[:: 1 + len(middle) // SAMPLES]
        value = problem.sense * problem.value(some)
        worst = int(np.argmax(value))
        if not value[worst] <= problem.sense * T:  # NaN too
            return ProofAttempt("refuted", count, some[worst])
        if time.monotonic() > deadline:
            return ProofAttempt("late", count)
        if m == 0:
            return ProofAttempt("stuck", count)
        axis = np.argmax((hi - lo) ** 2 * problem.impact(middle, T), axis=1)
        rows = np.arange(len(lo))
        cut = middle[rows, axis]
        if np.any((cut <= lo[rows, axis]) | (cut >= hi[rows, axis])):
            return ProofAttempt("stuck", count)
        left, right = hi.copy(), lo.copy()
        left[rows, axis] = right[rows, axis] = cut
        waiting.append((np.concatenate([lo, right]), np.concatenate([left, hi])))
    return ProofAttempt("proved", count)


def taken(waiting: list[tuple[np.ndarray, np.ndarray]], most: int) -> tuple[np.ndarray, np.ndarray]:
    """Take so many cells from the end of a list of pieces."""
    pieces, count = [], 0
    while waiting and count < most:
        lo, hi = waiting.pop()
        room = most - count
        if len(lo) > room:
            waiting.append((lo[room:], hi[room:]))
        pieces.append((lo[:room], hi[:room]))
        count += len(pieces[-1][0])
    return np.concatenate([lo for lo, _ in pieces]), np.concatenate([hi for _, hi in pieces])


def grid(problem: CellProof, T: float, deadline: float) -> Any:
    """Return the cells that one pass over a grid leaves unproven, and how many it had.

    The grid is as fine as the remainder must be near the extremum, where T is close.
    """
    lo, hi, m = problem.lo, problem.hi, len(problem.lo)
    whole = lo[None], hi[None], 0
    if m < 3:
        return whole
    at = problem.best_point()
    room = abs(T - float(problem.value(at)))
    kappa = problem.impact(at[None], T)[0]
    kappa = np.maximum(kappa, 1e-9 * kappa.max(initial=1e-300))
    half = np.sqrt(2 * 0.8 * room / (m * kappa))
    counts = np.maximum(1, np.ceil((hi - lo) / (2 * np.minimum(half, hi - lo)) - 1e-9))
    while np.prod(counts + 1) > MOST_NODES:
        counts = np.maximum(1, counts // 2)
    if np.prod(counts) < GRID or problem.nodes(at[None], (hi - lo)[None], T) is None:
        return whole
    shape = counts.astype(int) + 1
    axes = [np.linspace(a, b, k) for a, b, k in zip(lo, hi, shape, strict=True)]
    half = np.array([np.diff(axis).max() / 2 * UP for axis in axes])
    total = int(np.prod(shape))
    bad = np.empty(total, dtype=bool)
    for start in range(0, total, CHUNK):
        if time.monotonic() > deadline:
            return ProofAttempt("late", start)
        index = np.unravel_index(np.arange(start, min(total, start + CHUNK)), shape)
        x = np.stack([axis[i] for axis, i in zip(axes, index, strict=True)], -1)
        ok = problem.nodes(x, half, T)
        bad[start : start + CHUNK] = ~np.asarray(ok)
    bad = bad.reshape(shape)
    for k in range(m):
        along = np.moveaxis(bad, k, 0)
        bad = np.moveaxis(along[1:] | along[:-1], 0, k)
    cells = np.nonzero(bad)
    low = np.stack([axis[i] for axis, i in zip(axes, cells, strict=True)], -1)
    high = np.stack([axis[i + 1] for axis, i in zip(axes, cells, strict=True)], -1)
    return low, high, total


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
