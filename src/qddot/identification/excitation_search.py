"""The search for a motion that shows much: random starts, then descent with penalties.

A motion is a member X of a linear space of curves, so its positions, rates and accelerations at the
instants of the search are B₀ X, B₁ X and B₂ X. Starts are drawn at random and stretched into the
limits in closed form. From the best of them, L-BFGS makes criterion plus penalty small,

    f(X) + μ Σ max(0, |x|/x̂ − 1)² / k        x = q − middle, q̇, q̈, τ, and the workspace

each time sharper and with a larger μ. Whatever is left of a violation is shrunk away.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.identification.excitation_collision import Clearance
from qddot.identification.excitation_criterion import INPUTS, Criterion, States
from qddot.identification.excitation_limits import HalfSpace, MotionLimits
from qddot.identification.excitation_use import torques
from qddot.program.differentiate import gradient
from qddot.robot import Robot

STEPS = 20  # instants in the search for every harmonic
FINE = 10  # times as many, to measure what was found
GUARD = 0.004  # of the limits, kept free in the search for what penalties leave over
HALVES = 10  # of a motion that is made smaller
ROOM = 0.004  # [m], the same of the workspace
DESCENT = 0.9  # of the time; the rest is for what makes a motion keep its limits


@dataclass(frozen=True)
class SearchStage:
    """A part of a descent: how sharp the criterion, how heavy the penalty, how many steps."""

    sharpness: float
    weight: float  # μ
    steps: int


STAGES = (
    SearchStage(1, 1e1, 150),
    SearchStage(3, 1e2, 150),
    SearchStage(8, 1e3, 200),
    SearchStage(24, 1e4, 300),
    SearchStage(60, 1e4, 300),
)

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]


class OutOfTime(Exception):
    """The search has used up its time."""


@dataclass
class Search:
    """A search: what is looked for, within what, and the best so far."""

    robots: tuple[Robot, ...]  # as it is, and with each of the loads
    basis: Any
    criterion: Criterion
    limits: MotionLimits
    spaces: tuple[HalfSpace | Clearance, ...]
    start: np.ndarray | None
    deadline: float  # by time.monotonic()
    tell: Callable[[float], None] = lambda best: None
    best: np.ndarray | None = None
    best_value: float = np.inf
    evaluations: int = 0
    history: list[tuple[int, float]] = field(default_factory=list)
    opened: float = field(default_factory=lambda: time.monotonic())

    @property
    def robot(self) -> Robot:
        """The robot as it is."""
        return self.robots[0]

    @cached_property
    def times(self) -> np.ndarray:
        """The instants of the search."""
        count = STEPS * (self.basis.size // 2 + 1)
        return np.arange(count) * (self.basis.period / count)

    @cached_property
    def coarse(self) -> States:
        """The matrices B₀, B₁, B₂ at the instants of the search."""
        return self.basis.matrices(self.times)

    @cached_property
    def fine(self) -> tuple[States, float]:
        """The same at many instants, and how much peaks can be above the values there."""
        t, factor = self.basis.curve(np.zeros((self.basis.size, 1))).nodes(FINE * len(self.times))
        return self.basis.matrices(t), factor

    @cached_property
    def sizes(self) -> np.ndarray:
        """What an entry of X is measured in, shape (m, n)."""
        matrices, _ = self.fine
        speed = np.abs(matrices[1][:, 1:]).max(axis=0)
        return np.vstack([self.limits.half, self.limits.velocity / speed[:, None]])

    @cached_property
    def _torques_pulled(self) -> list[Kernel]:
        programs = (robot.program("inverse_dynamics") for robot in self.robots)
        return [Kernel(gradient(program, INPUTS)) for program in programs]

    def shrunk(self, X: np.ndarray, *, together: bool = False) -> np.ndarray | None:
        """Return the motion, made smaller about its rest until it keeps every limit.

        All joints shrink together, by the same factor, or each by its own.
        """
        (B0, B1, B2), factor = self.fine
        limits, rest, moves = self.limits, X[0], X[1:]
        q = B0[:, 1:] @ moves
        # q − middle is bounded between the instants too, so the bound's share is kept free
        slack = limits.half * (1 - 1 / factor)
        above, below = limits.upper - slack - rest, rest - limits.lower - slack
        if not (np.minimum(above, below) >= 0).all():
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            scales = [
                above / np.maximum(q.max(axis=0), 0),
                below / np.maximum(-q.min(axis=0), 0),
                limits.velocity / (factor * np.abs(B1[:, 1:] @ moves).max(axis=0)),
                limits.acceleration / (factor * np.abs(B2[:, 1:] @ moves).max(axis=0)),
            ]
        scale = np.fmin.reduce([*scales, np.ones(len(rest))])
        moves = moves * (scale.min() if together else scale)
        if self._fits(np.vstack([rest, moves])):
            return np.vstack([rest, moves])
        if not self._fits(np.vstack([rest, 0 * moves])):
            return None
        # torques and places are not proportional to the motion, so by halves
        fitting, high = 0.0, 1.0
        for _ in range(HALVES):
            middle = (fitting + high) / 2
            fits = self._fits(np.vstack([rest, middle * moves]))
            fitting, high = (middle, high) if fits else (fitting, middle)
        return np.vstack([rest, fitting * moves]) if fitting else None

    def _fits(self, X: np.ndarray) -> bool:
        """Return whether a motion keeps the limits of effort and the workspace."""
        q, qd, qdd = (B @ X for B in self.fine[0])
        tau = np.abs(torques(self.robots, q, qd, qdd))
        fits = (tau <= (1 - GUARD / 4) * self.limits.effort).all()
        # between the instants a frame may be a little closer
        places = (space.room(self.robot, q).min() >= ROOM / 4 for space in self.spaces)
        return bool(fits) and all(places)

    def value(self, X: np.ndarray) -> float:
        """Return the criterion of a motion, at the instants of the search."""
        B0, B1, B2 = self.coarse
        return self.criterion.value(B0 @ X, B1 @ X, B2 @ X)

    def offer(self, X: np.ndarray) -> None:
        """Take a motion for the best if it keeps the limits and is better."""
        for each in (X, self.repaired(X)):
            fitting = None if each is None else self.shrunk(each)
            value = np.inf if fitting is None else self.value(fitting)
            if value < self.best_value:
                self.best, self.best_value = fitting, value
                self.history.append((self.evaluations, value))
        self.tell(self.best_value)

    def repaired(self, X: np.ndarray) -> np.ndarray | None:
        """Return a motion near by that keeps the limits in the search; None: no time is left."""
        B0, B1, B2 = self.coarse

        def penalty(X: np.ndarray) -> tuple[float, np.ndarray]:
            if self.spent():
                raise OutOfTime
            total, bars = self.penalty((B0 @ X, B1 @ X, B2 @ X), 3 * GUARD)
            return 1e3 * total, 1e3 * (B0.T @ bars[0] + B1.T @ bars[1] + B2.T @ bars[2])

        try:
            return self.minimised(penalty, X, 50)
        except OutOfTime:
            return None

    def spent(self, share: float = 1.0) -> bool:
        """Return whether this share of the time that the search has is over."""
        return time.monotonic() >= self.opened + share * max(0.0, self.deadline - self.opened)

    def objective(self, X: np.ndarray, sharpness: float, weight: float) -> tuple[float, np.ndarray]:
        """Return criterion plus penalty, and the gradient by X."""
        if self.spent(DESCENT):
            raise OutOfTime
        self.evaluations += 1
        B0, B1, B2 = self.coarse
        states = B0 @ X, B1 @ X, B2 @ X
        value, bars = self.criterion.smooth(states, sharpness)
        total, more = self.penalty(states, GUARD)
        a, b, c = (bar + weight * extra for bar, extra in zip(bars, more, strict=True))
        return value + weight * total, B0.T @ a + B1.T @ b + B2.T @ c

    def penalty(self, states: States, guard: float) -> tuple[float, States]:
        """Return what limits are exceeded by, squared, and the derivatives by q, q̇ and q̈."""
        q, qd, qdd = states
        limits, k, keep = self.limits, len(q), 1 - guard
        total, a, b, c = 0.0, np.zeros_like(q), np.zeros_like(q), np.zeros_like(q)
        kinds = (
            (q - limits.middle, limits.half, a),
            (qd, limits.velocity, b),
            (qdd, limits.acceleration, c),
        )
        for x, most, bar in kinds:
            excess = np.maximum(np.abs(x) / (keep * most) - 1, 0)
            total += float(np.sum(excess**2)) / k
            bar += 2 / k * excess * np.sign(x) / (keep * most)
        if np.isfinite(limits.effort).any():
            tau, most = torques(self.robots, q, qd, qdd), keep * limits.effort
            excess = np.maximum(np.abs(tau) / most - 1, 0)
            total += float(np.sum(excess**2)) / k
            for run in np.flatnonzero(excess.any(axis=(1, 2))):
                pull = 2 / k * excess[run] * np.sign(tau[run]) / most
                pulled = self._torques_pulled[run].general(*states, pull)
                for bar, more in zip((a, b, c), pulled, strict=True):
                    bar += more
        for space in self.spaces:
            # a decimetre outside counts as much as twice a limit
            excess = np.maximum(ROOM - space.room(self.robot, q), 0) / 0.1
            total += float(np.sum(excess**2)) / k
            a -= space.pulled(self.robot, q, 2 / k * excess / 0.1)
        return total, (a, b, c)

    def descend(self, X: np.ndarray) -> None:
        """Improve a motion in stages, and offer what each has found."""
        last = X

        def objective(X: np.ndarray, stage: SearchStage) -> tuple[float, np.ndarray]:
            nonlocal last
            last = X
            return self.objective(X, stage.sharpness, stage.weight)

        try:
            for stage in STAGES:
                X = self.minimised(partial(objective, stage=stage), X, stage.steps)
                self.offer(X)
        except (OutOfTime, KeyboardInterrupt):
            self.offer(last)
            raise

    def minimised(self, objective: Objective, X: np.ndarray, steps: int) -> np.ndarray:
        """Return where L-BFGS ends; a given rest stays where it is."""
        from scipy.optimize import minimize

        sizes = self.sizes

        def scaled(x: np.ndarray) -> tuple[float, np.ndarray]:
            value, slope = objective(x.reshape(sizes.shape) * sizes)
            slope = slope * sizes
            if self.start is not None:
                slope[0] = 0
            return value, slope.reshape(-1)

        options = {"maxiter": steps, "maxcor": 20}
        x = (X / sizes).reshape(-1)
        x = minimize(scaled, x, method="L-BFGS-B", jac=True, options=options).x
        return x.reshape(sizes.shape) * sizes
