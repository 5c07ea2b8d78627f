"""The rounds in which the fastest way along paths is found, several paths at once."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided

from qddot.errors import printable
from qddot.motions.path_grid import GAPS, PathGrid
from qddot.motions.path_timing import KEPT, NODES, PathPrograms
from qddot.robot import Robot

ROUNDS = 40
PATIENCE = 8  # rounds in a row, none blocked, after which the tangent is taken as near enough
# what is taken off a limit for the next piece and the one behind it; without the second many paths
# take a round more, and with all of it they lose ten times as much
NEIGHBOURS = (1.0, 0.5)
TINY = 1e-30  # the x at which friction is taken for that of the start of a motion


@dataclass(frozen=True)
class PathLimits:
    """What every joint may do, shape (n,) each, infinite where it may do anything."""

    effort: np.ndarray  # [N·m or N]
    velocity: np.ndarray  # [rad/s or m/s]
    acceleration: np.ndarray  # [rad/s² or m/s²]

    @property
    def inverses(self) -> np.ndarray:
        """One divided by each of them, shape (3n,)."""
        return 1 / np.concatenate([self.effort, self.velocity, self.acceleration])

    def programs(self, robot: Robot) -> PathPrograms:
        """Return what is compiled for a robot with these limits, once."""
        kinds = (self.effort, self.velocity, self.acceleration)
        which = [tuple(np.isfinite(kind).nonzero()[0].tolist()) for kind in kinds]
        return robot.cached("path", tuple(which), lambda: PathPrograms(robot.tree, *which))


@dataclass(frozen=True, eq=False)
class Solved:
    """What was found for a path."""

    grid: PathGrid
    x: np.ndarray  # (N + 1,), ṡ² at the points of the grid
    use: float = 0.0
    saturated: float = 0.0
    problem: str = ""  # why there is no way
    traded: bool = False  # whether somewhere a larger x leaves less to the next

    @property
    def times(self) -> np.ndarray:
        """When each point of the grid is reached [s], shape (N + 1,)."""
        if self.problem:
            return np.full(len(self.x), np.inf)
        return np.concatenate([[0.0], spans_of(self.x, self.grid.delta).cumsum()])


def spans_of(x: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """Return how long each piece takes [s], with ṡ² = x at the points between them."""
    v = np.sqrt(x)
    return 2 * delta / (v[:-1] + v[1:])


class PathsLeft:
    """The paths that are not done yet: what is known at their places, and what to change next."""

    def __init__(
        self, programs: PathPrograms, unit: np.ndarray, grids: Sequence[PathGrid], ends: np.ndarray
    ):
        self.both, self.traded = False, np.zeros(len(grids), dtype=bool)
        self.programs, self.unit, self.ends = programs, unit, ends
        self.share, self.parts = grids[0].share, grids[0].parts
        count, pieces = len(grids), len(grids[0].s) - 1
        size = programs.parts * programs.tree.n
        self.terms = programs.room("terms", count, GAPS * self.parts * pieces + 1, size)
        for grid, room in zip(grids, self.terms, strict=True):
            grid.terms(programs, room)
        self.delta = np.array([grid.delta for grid in grids])
        self.of_all = self.terms, self.delta
        self.margins: dict[int, np.ndarray] = {}  # those with which paths were done, by number
        self.margin = np.zeros((count, pieces, programs.rows + 1))
        # in the first round, friction is that of a slow motion
        self.near = np.full((count, pieces + 1), TINY)
        self.tangent = np.zeros((count, 1))

    def choose(self, which: np.ndarray) -> None:
        """Go on with some of the paths."""
        for name in ("terms", "delta", "margin", "near", "tangent"):
            setattr(self, name, getattr(self, name)[which])

    def for_both(self, which: Sequence[int], x: np.ndarray) -> PathsLeft:
        """Return the paths of these numbers anew, for the other corners; x was found for them."""
        other = copy(self)
        other.both, (other.terms, other.delta) = True, (each[which] for each in self.of_all)
        other.margin = np.array([self.margins[k] for k in which])
        other.near, other.tangent = _moving(x), np.ones((len(which), 1))
        return other

    def speeds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return x at all points, and where each path is blocked."""
        programs, (count, pieces), m = self.programs, self.delta.shape, self.programs.passes.m
        step, terms, near = GAPS * self.parts, self.terms, self.near
        back, ahead = programs.strips(self.both).gufunc(
            *(terms[:, :-1:step], terms[:, 1::step], terms[:, step::step], self.delta),
            *(near[:, :-1], near[:, 1:], self.tangent, self.unit, self.margin),
            out=(
                programs.room("back", count, pieces, 3 * m + 6),
                programs.room("ahead", count, pieces, 2 * m + 2),
            ),
        )
        x, blocked = programs.passes.speeds(back, ahead, self.ends)
        # at a corner that no velocity makes, with room for a larger y
        at_top, top, cap = back[..., 3 * m], back[..., 3 * m + 2], back[..., 3 * m + 5]
        traded = (x[:, :-1] > (1 - 1e-9) * top) & (top < cap) & (at_top < ahead[..., -1])
        self.traded = traded.any(axis=1)
        return x, blocked

    def looks(self, x: np.ndarray) -> list[np.ndarray]:
        """Return of every piece how it uses limits.

        The largest share of a limit, shape (k, N); by how much each strip, and the velocities, use
        more inside than at the ends, (k, N, rows + 1); for which part of the piece a limit is used;
        and the share that friction takes because of the speed.
        """
        terms, (count, pieces), parts = self.terms, self.delta.shape, self.parts
        far, near, one = terms.strides
        shape = (count, pieces * parts, NODES, terms.shape[-1])
        places = as_strided(terms, shape, (far, GAPS * near, near, one), writeable=False)
        gone = (z.repeat(parts, axis=1) for z in (x[:, :-1], x[:, 1:], self.delta))
        found = self.programs.looks.gufunc(places, self.share, *gone, self.unit)
        use, start, end, peak, full, rubbing = (
            z.reshape(count, pieces, parts, *z.shape[2:]) for z in found
        )
        bulge = peak.max(axis=2) - np.maximum(start[:, :, 0], end[:, :, -1])
        return [use.max(axis=2), bulge, full.mean(axis=2), rubbing.max(axis=2)]

    def change(self, x: np.ndarray, bulge: np.ndarray, use: np.ndarray) -> None:
        """Take friction near another x (k, N + 1), and off the limits what pieces use more inside.

        `bulge` is what strips use more between the ends of a piece, (k, N, rows + 1); `use` what
        pieces use where only this is left to mend, else 0, (k, N).
        """
        wide = bulge.copy()  # a piece may be gone as one of its neighbours is now
        for far, share in enumerate(NEIGHBOURS, 1):
            theirs = share * bulge
            np.maximum(wide[:, far:], theirs[:, :-far], out=wide[:, far:])
            np.maximum(wide[:, :-far], theirs[:, far:], out=wide[:, :-far])
        more = np.maximum(use - (1 - KEPT), 0)[..., None]
        ready = (use.max(axis=1) > 0)[:, None, None] & (self.tangent > 0)[..., None]
        self.margin = np.where(ready, self.margin + 2 * more, 1.05 * wide)
        self.near = _moving(x)
        self.tangent[:] = 1.0


def _moving(x: np.ndarray) -> np.ndarray:
    """Return x, but above zero, where friction has a tangent."""
    return np.maximum(x, np.maximum(1e-12 * x.max(axis=1), TINY)[:, None])


def solved(
    robot: Robot,
    limits: PathLimits,
    grids: Sequence[PathGrid],
    ends: np.ndarray,
    between: bool,
    thorough: bool,
) -> list[Solved]:
    """Return the fastest way along each of several paths with equally many pieces.

    ṡ² is `ends` at the start and at the end of each. Limits may have to hold between the points of
    the grids, too; thorough is to try both corners where a larger x leaves less to the next.
    """
    with np.errstate(all="ignore"):  # what is infinite or NaN is data
        rounds = PathsLeft(limits.programs(robot), limits.inverses, grids, ends)
        found = _solved(robot, limits, grids, rounds, between)
        again = [k for k, one in enumerate(found) if one.traded and thorough]
        if again:
            rounds = rounds.for_both(again, np.array([found[k].x for k in again]))
            others = _solved(robot, limits, [grids[k] for k in again], rounds, between)
            for k, other in zip(again, others, strict=True):
                found[k] = min(found[k], other, key=lambda one: one.times[-1])
        return found


def _solved(
    robot: Robot, limits: PathLimits, grids: Sequence[PathGrid], rounds: PathsLeft, between: bool
) -> list[Solved]:
    programs = rounds.programs
    found: list[Solved | None] = [None] * len(grids)
    left, since = np.arange(len(grids)), np.zeros(len(grids))  # rounds since one was blocked
    for number in range(ROUNDS):
        x, blocked = rounds.speeds()
        free = settled = blocked < 0
        since = np.where(free, since + 1, 0)
        use, bulge, full, rubbing = rounds.looks(x)
        if programs.rubs:
            # what the tangent leaves of φ, about that of a square root, relative to the limits
            away = np.abs(x - rounds.near).max(axis=1) / x.max(axis=1)
            near = away**2 * rubbing.max(axis=1) / 8 < KEPT / 2
            settled = free & (number > 0) & (near | (since > PATIENCE))
        largest = use.max(axis=1)
        done = settled & (largest <= 1 - KEPT / 2) if between else settled.copy()
        for k in np.flatnonzero(done):
            grid = grids[left[k]]
            spans = spans_of(x[k], grid.delta)
            share = float(full[k] @ spans / spans.sum())
            traded, rounds.margins[int(left[k])] = bool(rounds.traded[k]), rounds.margin[k]
            found[left[k]] = Solved(grid, x[k], float(largest[k]), share, traded=traded)
        if not free.all():
            # the tangent at too high a speed stands too high at low ones
            slow = (number == 0) | (not programs.rubs) | (rounds.near.max(axis=1) < 1e-20)
            for k in np.flatnonzero(~free & slow):
                done[k], grid = True, grids[left[k]]
                problem = _cannot(robot, limits, grid, int(blocked[k]), rounds.ends)
                found[left[k]] = Solved(grid, x[k], problem=problem)
            x = np.where(free[:, None], x, rounds.near / 4)
            bulge[~free] = 0
        if done.all():
            break
        bulge = bulge if between else np.zeros_like(bulge)
        rounds.change(x, bulge, np.where(settled[:, None], use, 0))
        if done.any():
            left, since = left[~done], since[~done]
            rounds.choose(~done)
    return [
        one or Solved(grid, grid.s, problem=_not_found(robot, grid))
        for one, grid in zip(found, grids, strict=True)
    ]


def _not_found(robot: Robot, grid: PathGrid) -> str:
    return (
        f"The fastest motion of {printable(robot.name)!r} along the path was not found in "
        f"{ROUNDS} rounds.\n  Choose a smoother path, or more pieces than {len(grid.s) - 1}."
    )


def _cannot(robot: Robot, limits: PathLimits, grid: PathGrid, k: int, ends: np.ndarray) -> str:
    """Return why there is no way from a point of a grid on."""
    still = np.zeros(robot.n)
    weights = robot.bias_torque(grid.path.curve.values(grid.s[[0, -1, k]])[0], still)
    weights = weights - robot.friction_torque(still)
    for end, weight, v in zip(("start", "end"), weights[:2], ends, strict=True):
        over = np.flatnonzero(np.abs(weight) > limits.effort)
        if len(over) and not v:
            i = int(over[0])
            return (
                f"At the {end} of the path joint {printable(robot.joint_names[i])!r} of "
                f"{printable(robot.name)!r} needs {abs(weight[i]):.6g} to be held still, and its "
                f"motor gives {limits.effort[i]:.6g} at most.\n"
                "  Choose another place to rest, a smaller payload or a larger effort."
            )
    q, slope, _ = grid.path.curve.values(grid.s)
    length = np.abs(slope).max(axis=1)
    if length.min() < 1e-9 * length.max():
        return (
            f"The path of {printable(robot.name)!r} stands still at "
            f"{grid.s[length.argmin()]:.4g} of {grid.s[-1]:.4g}: there Q′ = 0, so that nothing "
            "limits the speed.\n  Give s another meaning; Path.through(points) takes the distance "
            "between points."
        )
    q, slope, weight = q[k], slope[k], weights[2]
    held = np.abs(weight + robot.friction_torque(slope * np.sqrt(TINY))) / limits.effort
    i = int(np.argmax(held))
    where = ", ".join(f"{x:.4g}" for x in q)
    return (
        f"The motors of {printable(robot.name)!r} cannot take it along the path beyond "
        f"{grid.s[k]:.4g} of {grid.s[-1]:.4g}, at q = ({where}): no speed there lets it reach the "
        f"end {'at rest' if not ends[1] else 'at its speed'}. Weight and dry friction alone take "
        f"{held[i]:.0%} of what joint {printable(robot.joint_names[i])!r} can give.\n"
        "  Choose another path, a smaller payload or larger limits."
    )
