"""Which motion would show what a log hardly shows.

A motion of one joint, or of two, with the others held at some place, is tried at many places,
slowly and fast. With N the information of the log, Nₘ that of the motion for a quarter of the log's
rows, the deviation of a parameter falls by

    √([N⁻¹]ₖₖ / [(N + Nₘ)⁻¹]ₖₖ)

The motion by which the badly known parameters gain most is told in words. What matters of it is
found by trying it otherwise: one way only, slowly, each held joint at other places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.blas_threads import one_thread
from qddot.errors import listing, printable
from qddot.identification.base_parameters import structural
from qddot.identification.identifiability import Group, identifiability
from qddot.identification.log import Log
from qddot.identification.problem import factors

if TYPE_CHECKING:
    from qddot.identification.result import Fit

BADLY = 50.0  # [%], a relative deviation above which a value is hardly known
PLACES = 8  # at which joints are held, for each joint that moves
PHASES = 16  # rows of a motion
GRID = np.pi / 4  # [rad] between places
REACH = 0.7  # [rad or m], to each side of its place, where limits allow it
SPEED, ACCELERATION = 2.0, 10.0  # [rad/s], [rad/s²] where a robot has no limit
SLOW = 0.1  # of the speed
ROWS = 0.25  # of the log's rows
SHOWN = 2.0  # times smaller: less is not worth a word
MATTERS = 0.7  # of the gain: if less is left without it, it is told
MOST = 3  # motions that are told
HOLDS = 2  # joints whose place is told
SIMPLE = 0.8  # of the most that any motion gains: enough for a simpler one
LOST = 100.0  # times smaller: what was not known at all
UNKNOWN = 1e-6  # of a column's size: the information of what a log does not show


@dataclass(frozen=True)
class ShowingMotion:
    """A motion, and the parameters that it would show."""

    moves: tuple[str, ...]
    speed: tuple[float, ...]  # up to which each moves [rad/s or m/s]
    in_log: tuple[float, ...]  # and moved in the log
    both_ways: bool  # whether it must turn both ways
    fast: bool  # whether it must be fast
    hold: dict[str, float]  # joints whose place matters [rad or m]
    shows: tuple[str, ...]
    gain: float  # times smaller deviations, the median
    units: dict[str, str]

    def __str__(self) -> str:
        moves = []
        for name, speed, was in zip(self.moves, self.speed, self.in_log, strict=True):
            said = f"{printable(name)!r}"
            if self.fast:
                unit = self.units[name]
                said += f" at up to {speed:.2g} {unit}/s" + (
                    f" (in the log {was:.2g})" if was < 0.8 * speed else ""
                )
            moves.append(said)
        words = f"turn {' and '.join(moves)}" + (" both ways" if self.both_ways else "")
        words += "" if self.fast else ", slowly"
        if self.hold:
            words += ", with " + " and ".join(
                f"{printable(name)!r} held near {_place(at, self.units[name])}"
                for name, at in self.hold.items()
            )
        gain = f", deviations {self.gain:.2g} times smaller" if self.gain < LOST else ""
        return f"{words}: it shows {listing(self.shows, 6)}{gain}"


def _place(at: float, unit: str) -> str:
    return f"{np.degrees(at):.0f}°" if unit == "rad" else f"{at:.2g} {unit}"


def showing_motions(fit: Fit) -> list[ShowingMotion]:
    """Return the few motions that would show most of what this fit knows badly or not at all.

    As much of each as a quarter of the log. None where more of any motion would do as well.
    """
    problem, regression = fit.problem, fit.problem.regression
    robot = regression.robot
    if robot.nq != robot.n:
        return []
    columns = structural(regression)
    groups = identifiability(regression.names, columns, float("nan")).groups
    if problem.base.lost or problem.zero:
        found = factors(regression, columns, fit.samples, blocks=1)
        each = np.zeros((robot.n, len(groups), len(groups)))
        for i, (R, c) in enumerate(zip(found["blocks"][0], found["seen"], strict=True)):
            each[i][np.ix_(c, c)] = R[:, :-1].T @ R[:, :-1]
    else:
        each = problem.information
    share = dict(zip(fit.names, fit.relative_deviations, strict=True))
    bad = [k for k, group in enumerate(groups) if not share.get(group.text, np.inf) <= BADLY]
    if not bad:
        return []
    with one_thread():
        return _told(_Search(fit, np.array(columns.kept, dtype=int), each), bad, groups)


def _told(search: _Search, bad: list[int], groups: Sequence[Group]) -> list[ShowingMotion]:
    told = []
    while bad and len(told) < MOST:
        motion, gains = search.best(bad)
        shown = [k for k, gain in zip(bad, gains, strict=True) if gain >= SHOWN]
        if not shown:
            break
        gain = float(np.median([g for g in gains if g >= SHOWN]))
        told.append(search.described(motion, shown, [_short(groups[k]) for k in shown], gain))
        bad = [k for k in bad if k not in shown]
    return told


@dataclass(frozen=True)
class _Motion:
    """Joints that swing about a place, and how fast."""

    moves: tuple[int, ...]
    place: np.ndarray  # (n,)
    fast: bool
    both_ways: bool = True


class _Search:
    """The information of a log, and what motions would add to it."""

    def __init__(self, fit: Fit, kept: np.ndarray, each: np.ndarray) -> None:
        self.regression, self.kept = fit.problem.regression, kept
        self.robot: Any = self.regression.robot
        self.weights = 1 / fit.solution.noise**2
        self.count = ROWS * fit.count
        N = np.tensordot(self.weights, each, axes=1)
        limits = self.robot.limits
        self.low, self.high = (np.clip(x, -np.pi, np.pi) for x in (limits.lower, limits.upper))
        top = np.abs(fit.log.qd).max(axis=0)
        usual = np.where(np.isfinite(limits.velocity), limits.velocity, np.maximum(SPEED, top))
        self.reach = np.minimum(REACH, 0.4 * (self.high - self.low))
        self.speed = np.minimum(usual, np.sqrt(np.maximum(ACCELERATION * self.reach, top**2)))
        self.in_log = top
        self.tried = [(motion, self.added(motion)) for motion in self.motions()]
        # a column that the log does not have is measured by the motions
        sizes = np.mean([np.diag(more) for _, more in self.tried], axis=0)
        self.scale = np.sqrt(np.where(np.diag(N) > UNKNOWN**2 * sizes, np.diag(N), sizes))
        self.scale[self.scale == 0] = 1
        soft = UNKNOWN**2 * np.eye(len(N))
        self.N = N / np.outer(self.scale, self.scale) + soft
        self.before = np.diag(np.linalg.inv(self.N))

    def motions(self) -> Iterator[_Motion]:
        """Yield motions, simple ones first."""
        rng, n = np.random.default_rng(0), self.robot.n
        steps = np.where(self.high - self.low > 2 * GRID, GRID, (self.high - self.low) / 4)
        grid = np.round(rng.uniform(self.low, self.high, (PLACES, n)) / steps) * steps
        grid[0] = self.robot.home
        grid = np.clip(grid, self.low, self.high)
        sets = [*((i,) for i in range(n)), *combinations(range(n), 2)]
        for moves in sets:
            for place in grid:
                for fast in (False, True):
                    yield _Motion(tuple(moves), place, fast)

    def added(self, motion: _Motion) -> np.ndarray:
        """Return the information of a motion, as many rows as a quarter of the log."""
        n = self.robot.n
        q = np.repeat(motion.place[None], PHASES, axis=0)
        qd, qdd = np.zeros((2, PHASES, n))
        phase = 2 * np.pi * (np.arange(PHASES) + 0.5) / PHASES
        for order, i in enumerate(motion.moves, start=1):  # two joints at different frequencies
            a = self.reach[i]
            w = self.speed[i] * (1 if motion.fast else SLOW) / a / order
            centre = np.clip(motion.place[i], self.low[i] + a, self.high[i] - a)
            x = order * phase + 0.5 * (order - 1)
            q[:, i], qd[:, i], qdd[:, i] = (
                centre + a * np.sin(x),
                a * w * order * np.cos(x),
                -a * (w * order) ** 2 * np.sin(x),
            )
        if not motion.both_ways:
            qd = np.abs(qd)
        rows = Log(self.robot.joint_names, np.arange(PHASES, dtype=float), q, qd, qdd)
        Y = self.regression.columns(self.regression.at_loads(rows)[:PHASES])[..., self.kept]
        # a joint that is held hides what it feels in dry friction
        Y = Y[:, motion.moves] * np.sqrt(
            self.count / PHASES * self.weights[list(motion.moves), None]
        )
        flat = Y.reshape(-1, Y.shape[-1])
        return flat.T @ flat

    def gains(self, more: np.ndarray, bad: Sequence[int]) -> np.ndarray:
        """Return how many times smaller the deviations of some parameters get."""
        N = self.N + more / np.outer(self.scale, self.scale)
        return np.sqrt(self.before / np.diag(np.linalg.inv(N)))[list(bad)]

    def score(self, motion: _Motion, bad: Sequence[int]) -> float:
        return _sum(self.gains(self.added(motion), bad))

    def best(self, bad: Sequence[int]) -> tuple[_Motion, np.ndarray]:
        """Return the motion by which parameters gain most, a simple one if it does nearly that."""
        gains = [self.gains(more, bad) for _, more in self.tried]
        scores = np.array([_sum(each) for each in gains])
        first = int((scores >= SIMPLE * scores.max()).argmax())
        return self.tried[first][0], gains[first]

    def described(
        self, motion: _Motion, shown: list[int], names: list[str], gain: float
    ) -> ShowingMotion:
        """Return a motion with what matters of it."""
        whole, joints = self.score(motion, shown), self.robot.joint_names
        one_way = self.score(replace(motion, both_ways=False), shown)
        worst: dict[int, float] = {}
        for i in set(range(self.robot.n)) - set(motion.moves):
            others = np.linspace(self.low[i], self.high[i], 8, endpoint=False)
            scores = [
                self.score(replace(motion, place=_put(motion.place, i, x)), shown) for x in others
            ]
            worst[i] = min(scores) / whole
        held = [i for i in sorted(worst, key=lambda i: worst[i]) if worst[i] < MATTERS][:HOLDS]
        units = [joint.units.position for joint in self.robot.model.free_joints]
        return ShowingMotion(
            tuple(joints[i] for i in motion.moves),
            tuple(float(self.speed[i]) for i in motion.moves),
            tuple(float(self.in_log[i]) for i in motion.moves),
            one_way < MATTERS * whole,
            motion.fast,
            {joints[i]: float(motion.place[i]) for i in held},
            tuple(names),
            gain,
            dict(zip(joints, units, strict=True)),
        )


def _short(group: Group) -> str:
    return group.name if len(group.members) == 1 else f"{group.name} + …"


def _sum(gains: np.ndarray) -> float:
    return float(np.sum(np.log(np.maximum(gains, 1))))


def _put(place: np.ndarray, i: int, x: float) -> np.ndarray:
    moved = place.copy()
    moved[i] = x
    return moved
