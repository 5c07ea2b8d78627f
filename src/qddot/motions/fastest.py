"""As fast along a path as the motors allow: torques from the dynamics, at their limits.

The limits hold at the points of a grid; by how much they are passed between these is taken off
them, in further rounds. Friction, the one torque that is not linear in ṡ² and s̈, is taken by its
tangent at the ṡ² of the round before, until the two agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.checks import spread, whole
from qddot.errors import BadArgument, WrongShape, printable
from qddot.motions.description import LIMIT, POINTS, MotionKind
from qddot.motions.motion import limit_of, refuse_outside
from qddot.motions.path import AlongPath, Path, Profile
from qddot.motions.path_grid import PathGrid
from qddot.motions.path_rounds import PathLimits, Solved, solved
from qddot.motions.piecewise import Piecewise
from qddot.robot import Robot

TOGETHER = 16  # so many paths of a batch are in memory at once


@dataclass(frozen=True, eq=False, repr=False)
class TimeOptimal(AlongPath):
    """The fastest motion along a path within given limits."""

    use: float = 0.0  # the largest share of a limit that was found used, less than 1 if `between`
    saturated: float = 0.0  # for which share of the time a limit is used to 98 % at least


@dataclass(frozen=True, eq=False, repr=False)
class TimedPaths(Sequence[TimeOptimal]):
    """The fastest motions along several paths; `paths[k]` is the motion along the k-th."""

    robot: Robot
    solved: tuple[Solved, ...]

    @property
    def duration(self) -> np.ndarray:
        """How long each takes [s], infinite where the motors cannot take the arm along."""
        return np.array([float(one.times[-1]) for one in self.solved])

    @property
    def found(self) -> np.ndarray:
        """Which paths can be gone."""
        return np.array([not one.problem for one in self.solved])

    @property
    def problems(self) -> tuple[str, ...]:
        """Why a path cannot be gone, in words; empty where it can."""
        return tuple(one.problem for one in self.solved)

    def __len__(self) -> int:
        return len(self.solved)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return TimedPaths(self.robot, self.solved[k])
        return motion_of(self.robot, self.solved[k])

    def __repr__(self) -> str:
        ready = int(self.found.sum())
        return f"<TimedPaths of {printable(self.robot.name)!r}: {ready} of {len(self)} can be gone>"


def time_optimal(
    robot: Robot,
    path: Any,
    *,
    effort: Any = None,
    velocity: Any = None,
    acceleration: Any = None,
    pieces: int = 400,
    speeds: Any = None,
    between: bool = True,
) -> TimeOptimal:
    """Return the fastest motion along a path, from rest to rest, within the limits of the joints.

    Args:
        robot: Whose dynamics, with its friction and springs.
        path: A `Path`; joint positions to go through, one row per point; a reference that has a
            path, such as a CartesianLine.
        effort, velocity: Limits, one number or one per joint; those of the robot if not given.
        acceleration: Limits of the joint accelerations; none if not given.
        pieces: Number of pieces, with constant s̈ on each; more where the path has more knots. One
            limit is reached at an end of each, so the duration is too long by about 1/pieces where
            torques vary a lot.
        speeds: ṡ at the start and at the end of the path, if not at rest [1/s times the unit of its
            length]: to join motions. Before and after, the motion rests.
        between: Whether limits hold everywhere on the path. If not, they hold at the points between
            pieces, as in TOPP-RA, which takes a third of the time; `use` says what is passed.

    Raises:
        BadArgument: If nothing limits the motion, or the motors cannot take the arm along.
    """
    limits, ends = _limits(robot, effort, velocity, acceleration), _speeds(speeds)
    grid = _grid(robot, path, pieces)
    return motion_of(robot, solved(robot, limits, [grid], ends, between, between)[0])


def time_optimal_batch(
    robot: Robot,
    paths: Any,
    *,
    effort: Any = None,
    velocity: Any = None,
    acceleration: Any = None,
    pieces: int = 400,
    speeds: Any = None,
    between: bool = True,
) -> TimedPaths:
    """Return the fastest motions along many paths, several of them in every instruction.

    Args:
        robot: Whose dynamics, with its friction and springs.
        paths: What `time_optimal` takes for a path, each with its own length; points of equally
            many may be an array of shape (paths, points, n).
        effort, velocity, acceleration, pieces, speeds, between: As `time_optimal` has them, for all
            paths. All get equally many pieces: the most that one of them needs.

    Returns:
        Durations, and the motions. A path that the motors cannot go is not refused: its duration is
        infinite, and `problems` says why.
    """
    limits, ends = _limits(robot, effort, velocity, acceleration), _speeds(speeds)
    given = list(paths)
    grids = [_grid(robot, path, pieces) for path in given]
    most = max((len(grid.delta) for grid in grids), default=0)
    if any(len(grid.delta) < most for grid in grids):
        grids = [_grid(robot, path, most) for path in given]
    found: list[Solved] = []
    for at in range(0, len(grids), TOGETHER):
        found += solved(robot, limits, grids[at : at + TOGETHER], ends, between, between)
    return TimedPaths(robot, tuple(found))


def path_of(given: Any) -> Path:
    """Return the path of joint positions in what users give for one."""
    given = getattr(given, "joints", given)
    given = getattr(given, "path", given)
    if isinstance(given, Path):
        return given
    return Path.through(given)


def motion_of(robot: Robot, one: Solved) -> TimeOptimal:
    """Return the motion that was found; refuse one that leaves the positions of joints."""
    if one.problem:
        raise BadArgument(one.problem)
    profile = profile_of(one.grid.s, one.x, one.times)
    reference = TimeOptimal(one.grid.path, profile, one.use, one.saturated)
    lower, upper = one.grid.path.hull
    if (lower < robot.limits.lower).any() or (upper > robot.limits.upper).any():
        refuse_outside(robot, reference, ("position",))
    return reference


def profile_of(s: np.ndarray, x: np.ndarray, t: np.ndarray) -> Profile:
    """Return the profile with ṡ² = x on a grid that is reached at t, s̈ constant in between."""
    rows = np.zeros((len(s) + 1, 3, 1))  # before and after it the motion rests
    rows[0, 0], rows[1:, 0, 0] = s[0], s
    rows[1:-1, 1, 0] = np.sqrt(x[:-1])
    rows[1:-1, 2, 0] = (x[1:] - x[:-1]) / (4 * (s[1:] - s[:-1]))
    return Profile(Piecewise(np.append(t[0] - 1, t), rows), float(t[-1]), t)


def _grid(robot: Robot, path: Any, pieces: Any) -> PathGrid:
    found = path_of(path)
    if found.n != robot.n:
        raise WrongShape("a point of the path", (found.n,), robot.name, robot.joint_names)
    rubbing = robot.cached("friction that jumps", None, lambda: _jumping(robot))
    return PathGrid.of(found, whole("pieces", pieces, 2), rubbing)


def _jumping(robot: Robot) -> np.ndarray:
    """Return the joints, or combinations of them, whose friction jumps, (m, n): a row each."""
    dry = [s.direction for s in robot.tree.shafts if s.friction.is_dry or s.friction.signed]
    return np.reshape(dry, (-1, robot.n))


def _speeds(given: Any) -> np.ndarray:
    if given is None:
        return np.zeros(2)
    return spread("speeds", given, ("start", "end"), "a number, zero or more", least=0) ** 2


def _limits(robot: Robot, effort: Any, velocity: Any, acceleration: Any) -> PathLimits:
    robot.model.need_single_numbers("Time-optimal timing")
    own, n = robot.limits, robot.n
    limits = PathLimits(
        own.effort if effort is None else limit_of("effort", effort, n),
        own.velocity if velocity is None else limit_of("velocity", velocity, n),
        np.full(n, np.inf) if acceleration is None else limit_of("acceleration", acceleration, n),
    )
    if not (np.isfinite(limits.effort).any() or np.isfinite(limits.acceleration).any()):
        raise BadArgument(
            f"Nothing limits how fast {printable(robot.name)!r} gets under way: its model has no "
            "effort limits.\n  Give some: time_optimal(robot, path, effort=[...])."
        )
    return limits


FASTEST = MotionKind(
    "fastest",
    "fastest 0,0 1,1 1.5,2 effort=3000,1000",
    "through points, as fast as the motors allow",
    {"points": POINTS, "effort": LIMIT, "velocity": LIMIT, "acceleration": LIMIT},
    lambda at, points, **limits: time_optimal(at.robot, points, **limits),
)
