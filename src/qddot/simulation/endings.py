"""What ends a piece of motion, and what stops a run that would not reach its end.

A piece ends where something that is guarded first becomes negative, without stepping over it. What
a solver gives between two steps is a polynomial of degree 7 at most. Its coefficients in
Bernstein's basis enclose it: where they are all positive, so is the polynomial, all along the step.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from typing import Any

import numpy as np

from qddot.errors import SimulationWarning, printable
from qddot.robot import Robot
from qddot.simulation.contact import ROUNDING, Modes, holding_bounds
from qddot.simulation.plant import Plant
from qddot.simulation.signals import Stopped, seen

DEGREE = 7
DEEPEST = 12  # halvings of a step in which to look for two crossings close to each other
STILL = 1e-12  # [rad/s or m/s] a velocity that has crossed zero by less has not crossed it
MOST_STEPS = 1_000_000
LOOK = 2000  # steps between two checks of how far the run is
HOPELESS = 100  # times as many steps as it may take: a run that would need more stops at once
FARTHEST = 1e14  # [rad]: beyond, kernels give NaN, as a double is known to no more than 0.01 rad

Guards = Callable[[np.ndarray], np.ndarray]  # times (k,) to values (k, guards)


@dataclass(frozen=True)
class Watch:
    """Something to watch for: when a function of (t, q, qd) crosses zero.

    Example:
        >>> landing = Watch("lands", lambda t, q, qd: q[0], direction=-1, stop=True)
    """

    name: str
    function: Callable[[float, np.ndarray, np.ndarray], float]
    direction: int = 0  # 1: rising only, −1: falling only, 0: both
    stop: bool = False  # whether the run ends there

    def at(self, t: float, q: np.ndarray, qd: np.ndarray) -> float:
        """Return the function's value, or say what is wrong with it."""
        try:
            value = float(self.function(t, seen(q), seen(qd)))
        except Exception as error:
            why = printable(f"{type(error).__name__}: {error}")
            raise Stopped(t, f"the watched function {self.name!r} raised {why}") from error
        if not np.isfinite(value):
            raise Stopped(t, f"the watched function {self.name!r} is {value}")
        return value


@dataclass(frozen=True)
class Crossing:
    """What ended a piece early: which guard, of which joint or watched function."""

    kind: str  # "still", "loose", "stop", "watch"
    index: int


@dataclass(frozen=True)
class PieceGuards:
    """What can end a piece of motion in which nothing switches."""

    plant: Plant
    modes: Modes
    start: float  # [s]
    end: float  # [s], where the piece is to end
    watches: tuple[Watch, ...]
    signs: np.ndarray  # of the watched functions; may change on the way

    @cached_property
    def kinds(self) -> tuple[Crossing, ...]:
        """What is guarded."""
        given, modes, found = self.plant.restraints, self.modes, []
        for i in range(len(modes.held)):
            if modes.direction[i]:
                found.append(Crossing("still", i))
            if modes.held[i]:
                found.append(Crossing("loose", i))
            elif np.isfinite(given.lower[i]) or np.isfinite(given.upper[i]):
                found.append(Crossing("stop", i))
        return (*found, *(Crossing("watch", k) for k in range(len(self.watches))))

    def first(self, path: Any, start: float, end: float) -> tuple[float, Crossing] | None:
        """Return when a step along a path first crosses one of them, and which; None if none."""
        if not self.kinds:
            return None
        found = first_crossing(lambda times: self._values(path, times), start, end)
        return None if found is None else (found[0], self.kinds[found[1]])

    @cached_property
    def _bounds(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The least and largest force that holds each joint, and how far they are apart."""
        low, high = holding_bounds(self.plant.restraints, self.modes)
        return low, high, np.where(np.isfinite(high - low), high - low, 1.0)

    def _values(self, path: Any, times: np.ndarray) -> np.ndarray:
        """Return what is positive as long as nothing switches, shape (k, guards)."""
        at, given, modes = self.plant.layout, self.plant.restraints, self.modes
        low, high, widths = self._bounds
        Y = path(times).T
        q, qd, ends = Y[:, at.q], Y[:, at.v], self.plant.ends(Y)
        reaction = self.plant.rows(times, Y, modes, self.end)[2] if modes.held.any() else None
        columns = []
        for kind in self.kinds:
            i = kind.index
            if kind.kind == "still":
                column = modes.direction[i] * qd[:, i] + STILL
            elif kind.kind == "stop":
                column = np.minimum(ends[:, i] - given.lower[i], given.upper[i] - ends[:, i])
                column = column + ROUNDING * (1 + np.abs(ends[0, i]))
            elif kind.kind == "loose" and reaction is not None:
                force, slack = reaction[:, i], 1e-12 * widths[i]
                column = np.minimum(force - low[i], high[i] - force) + slack
            else:
                watched = [self.watches[i].at(*row) for row in zip(times, q, qd, strict=True)]
                column = (self.signs[i] or 1.0) * np.array(watched)
                # what crossed zero here has just been reported
                column[times == self.start] = np.maximum(column[times == self.start], 0)
            columns.append(column)
        return np.stack(columns, axis=1)


def first_crossing(guards: Guards, start: float, end: float) -> tuple[float, int] | None:
    """Return when the first of several functions becomes negative, and which; None if none does.

    What is negative at the very start of the step counts as crossing there.
    """
    values = guards(nodes(start, end))
    # for a step of no change at all the coefficients are the values, up to rounding
    least = (bernstein() @ values).min(axis=0)
    suspects = np.flatnonzero((least < 0) | (values.min(axis=0) < 0))
    found: tuple[float, int] | None = None
    for i in suspects:
        one = _only(guards, int(i))
        t = _first(one, start, end if found is None else found[0])
        if t is not None and (found is None or t < found[0]):
            found = (t, int(i))
    return found


def _only(guards: Guards, i: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda t: guards(t)[:, i]


def _first(
    guard: Callable[[np.ndarray], np.ndarray], start: float, end: float, depth: int = 0
) -> float | None:
    """Return the first time in [start, end] from which on one function is negative."""
    if end <= start:
        return None
    times = nodes(start, end)
    values = guard(times)
    if values[0] < 0:
        return start
    coefficients = bernstein() @ values
    if coefficients.min() >= 0 and values.min() >= 0:
        return None
    well = np.flatnonzero(values > 0)
    changes = int(np.count_nonzero(np.diff(np.signbit(coefficients))))
    if values[-1] < 0 and len(well) and (changes == 1 or depth == DEEPEST):
        return _root(guard, float(times[well[-1]]), end)
    if depth == DEEPEST:  # zero at the start and negative ever after, or but touching zero
        return start if values[-1] < 0 else None
    middle = (start + end) / 2
    left = _first(guard, start, middle, depth + 1)
    return left if left is not None else _first(guard, middle, end, depth + 1)


def _root(guard: Callable[[np.ndarray], np.ndarray], start: float, end: float) -> float:
    """Return where a function that is positive at the start and negative at the end crosses."""
    from scipy.optimize import brentq

    def one(t: float) -> float:
        return float(guard(np.array([t]))[0])

    # evaluated alone, a value may round to the other side of zero
    if one(end) >= 0:
        return end
    if one(start) <= 0:
        return start
    solve: Any = brentq  # whose stubs promise more than it returns
    return float(solve(one, start, end, xtol=1e-15, rtol=1e-15))


def nodes(start: float, end: float) -> np.ndarray:
    """Return DEGREE + 1 instants of a step, both ends among them."""
    return start + (end - start) * (1 - np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)) / 2


@cache
def bernstein() -> np.ndarray:
    """Return the matrix that makes Bernstein coefficients of the values at the nodes."""
    s = nodes(0.0, 1.0)[:, None]
    k = np.arange(DEGREE + 1)
    basis = np.array([comb(DEGREE, int(j)) for j in k]) * s**k * (1 - s) ** (DEGREE - k)
    return np.linalg.inv(basis)


@dataclass
class Pace:
    """How fast a run advances."""

    duration: float  # [s]
    most: int  # steps
    names: tuple[str, ...]
    units: tuple[str, ...]
    mark: float = 0.0  # [s], where it was at the last look
    warned: bool = False

    def look(self, steps: int, t: float, qd: np.ndarray) -> None:
        """Stop a run that has taken as many steps as it may, or that would not end.

        `Stopped` says how far it got, and why probably no further.
        """
        if steps % LOOK and steps < self.most:
            return
        h = (t - self.mark) / (steps % LOOK or LOOK)
        self.mark = t
        if t >= self.duration:
            return
        ahead = (self.duration - t) / h if h > 0 else np.inf
        share = f"{100 * t / self.duration:.2g} % of {self.duration:g} s"
        if steps >= self.most:
            raise Stopped(
                t,
                f"it has taken max_steps={self.most:,} steps and come to {share}; "
                f"{self._why(h, qd)}; about {ahead:.1g} steps more would be needed",
            )
        if ahead > HOPELESS * max(self.most, MOST_STEPS):
            raise Stopped(
                t,
                f"{steps:,} steps took it to {share}, and at this pace it would take {ahead:.1g} "
                f"more: {self._why(h, qd)}",
            )
        if steps + ahead > self.most and not self.warned:
            self.warned = True
            warnings.warn(
                f"After {steps:,} steps the run is at {share}; at this pace it will stop at "
                f"max_steps={self.most:,}, before its end: {self._why(h, qd)}.",
                SimulationWarning,
                stacklevel=5,
            )

    def _why(self, h: float, qd: np.ndarray) -> str:
        """Return why steps of h [s] are so short for the run."""
        fastest = int(np.abs(qd).argmax())
        rate = abs(qd[fastest])
        if h < 1e-5 and h * rate < 1e-3:
            return (
                "something that acts probably jumps back and forth with the state, like sgn(q̇): "
                "give the robot friction instead, or smooth it"
            )
        if h < 1e-3:
            return (
                f"joint {printable(self.names[fastest])!r} moves at {rate:.3g} "
                f"{self.units[fastest]}/s, and a step follows it for {h:.1g} s only"
            )
        return f"{self.duration:g} s are long for a motion that takes steps of {h:.1g} s"


def far_angle(robot: Robot, q: np.ndarray, share: float = 1.0) -> str:
    """Return in words which joint has turned too far, or this share of it, if one has."""
    entries = zip(robot.model.position_names, robot.tree.configuration, q, strict=True)
    for name, entry, angle in entries:
        if entry.unit == "rad" and abs(angle) > share * FARTHEST:
            return (
                f"joint {printable(name)!r} stands at {angle:.3g} rad, and sines are "
                f"computed up to {FARTHEST:g} rad (2π more is the same place)"
            )
    return ""
