"""As fast along a path as the motors allow: torques from the dynamics, at their limits.

Friction, the one torque that is not linear in ṡ² and s̈, is taken by its tangent at the ṡ² of the
round before, until the two agree. The limits hold at the points of a grid; by how much they are
passed between these, and where dry friction jumps because a joint turns round, is taken off them,
in further rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.checks import whole
from qddot.errors import BadArgument, WrongShape, printable
from qddot.motions.description import LIMIT, POINTS, MotionKind
from qddot.motions.motion import limit_of, refuse_outside
from qddot.motions.path import AlongPath, Path, Profile
from qddot.motions.path_timing import TINY, Blocked, Dynamics, HalfPlanes, PathLimits, fastest
from qddot.motions.piecewise import Piecewise, resting_outside
from qddot.robot import Robot

KEPT = 1e-6  # of every limit, what is kept in reserve for what is passed between grid points
ROUNDS = 40
FULL = 0.98  # the share from which on a limit counts as used
INSIDE = 8  # so many places of every piece are looked at; for the verdict as many as come to
LOOKS = 12_800  # along the path, at least four times as many


@dataclass(frozen=True, eq=False, repr=False)
class TimeOptimal(AlongPath):
    """The fastest motion along a path within given limits."""

    use: float = 0.0  # the largest share of a limit that was found used, less than 1
    saturated: float = 0.0  # for which share of the time a limit is used to 98 % at least


def time_optimal(
    robot: Robot,
    path: Any,
    *,
    effort: Any = None,
    velocity: Any = None,
    acceleration: Any = None,
    pieces: int = 400,
) -> TimeOptimal:
    """Return the fastest motion along a path, from rest to rest, within the limits of the joints.

    Args:
        robot: Whose dynamics, with its friction and springs.
        path: A `Path`; joint positions to go through, one row per point; a reference that has a
            path, such as a CartesianLine.
        effort, velocity: Limits, one number or one per joint; those of the robot if not given.
        acceleration: Limits of the joint accelerations; none if not given.
        pieces: Number of pieces, with constant s̈ on each. One limit is reached at an end of each,
            so the duration is too long by about 1/pieces where torques vary a lot.

    Raises:
        BadArgument: If nothing limits the motion, or the motors cannot take the arm along.
    """
    robot.model.need_single_numbers("Time-optimal timing")
    found = path_of(path)
    if found.n != robot.n:
        raise WrongShape("a point of the path", (found.n,), robot.name, robot.joint_names)
    pieces = whole("pieces", pieces, 2)
    limits = _limits(robot, effort, velocity, acceleration)
    s = _grid(found, pieces)
    grid = Dynamics.along(robot, found, s)
    _refuse_still(grid, limits)
    x, use, saturated = _solved(robot, found, grid, limits, s)
    reference = TimeOptimal(found, profile_of(s, x), use, saturated)
    refuse_outside(robot, reference, ("position",))
    return reference


def path_of(given: Any) -> Path:
    """Return the path of joint positions in what users give for one."""
    given = getattr(given, "joints", given)
    given = getattr(given, "path", given)
    if isinstance(given, Path):
        return given
    return Path.through(given)


def profile_of(s: np.ndarray, x: np.ndarray) -> Profile:
    """Return the profile with ṡ² = x on a grid, s̈ constant between its points."""
    v = np.sqrt(x)
    spans = 2 * np.diff(s) / (v[:-1] + v[1:])
    t = np.concatenate([[0.0], np.cumsum(spans)])
    rows = np.stack([s[:-1], v[:-1], np.diff(x) / np.diff(s) / 4], axis=1)
    curve = resting_outside(Piecewise(t[:-1], rows[:, :, None]), float(t[-1]))
    return Profile(curve, float(t[-1]), t)


def _grid(path: Path, pieces: int) -> np.ndarray:
    """Return a grid that is finer towards the ends, where the motion is slow.

    So its pieces last about equally long. The knots of the path are among its points.
    """
    s = path.length * (1 - np.cos(np.linspace(0, np.pi, pieces + 1))) / 2
    for knot in path.knots[1:-1]:
        s[1 + np.argmin(np.abs(s[1:-1] - knot))] = knot
    return np.sort(s)


def _solved(
    robot: Robot, path: Path, grid: Dynamics, limits: PathLimits, s: np.ndarray
) -> tuple[np.ndarray, float, float]:
    """Return x on the grid, the largest share of a limit used, and how long one is used fully."""
    delta, rubs = np.diff(s), grid.friction(np.ones(len(s))).any()
    counts = (INSIDE, max(4 * INSIDE, LOOKS // len(delta)))
    levels = [CheckedPlaces.of(robot, path, s, count, bool(rubs)) for count in counts]
    look, near = levels.pop(0), np.full(len(s), TINY)
    margin, settled = np.zeros((len(s), 5 * robot.n)), not rubs
    for _ in range(ROUNDS):
        try:
            x = fastest(_half_planes(grid, limits, near, margin), delta)
        except Blocked as blocked:
            if settled or near.max() < 1e-20:
                raise _cannot(grid, limits, blocked.k, s) from None
            near = near / 4  # the tangent at too high a speed stands too high at low ones
            continue
        used = look.uses(x, delta, limits)
        settled = settled or np.abs(x - near).max() <= 1e-6 * x.max()
        if settled and levels and used.max() <= 1 - KEPT / 2:
            look = levels.pop(0)
            used = look.uses(x, delta, limits)
        if settled and not levels and used.max() <= 1 - KEPT / 2:
            spans = 2 * delta / (np.sqrt(x[:-1]) + np.sqrt(x[1:]))
            full = np.bincount(look.piece, used.max(axis=1) >= FULL) / np.bincount(look.piece)
            return x, float(used.max()), float(full @ spans / spans.sum())
        if settled:
            over = np.zeros((len(delta), used.shape[1]))
            np.maximum.at(over, look.piece, used - (1 - KEPT))
            margin[:-1] += over
            margin[1:] += over
        near = x
    raise BadArgument(
        f"The fastest motion of {printable(robot.name)!r} along the path was not found in {ROUNDS} "
        f"rounds.\n  Choose a smoother path, or more pieces than {len(delta)}."
    )


@dataclass(frozen=True)
class CheckedPlaces:
    """Where between the points of a grid the limits are looked at."""

    piece: np.ndarray  # (k,), of the grid
    share: np.ndarray  # (k,), of the piece
    dynamics: Dynamics

    @staticmethod
    def of(robot: Robot, path: Path, s: np.ndarray, count: int, rubs: bool) -> CheckedPlaces:
        """Return so many places of every piece, and both sides of where a joint turns round."""
        delta = np.diff(s)
        even = np.linspace(0, 1, count + 1)
        share = np.tile(even, len(delta))
        share[: count + 1] = even**2  # evenly in time, where the motion starts and ends
        share[-count - 1 :] = 1 - even[::-1] ** 2
        piece = np.repeat(np.arange(len(delta)), count + 1)
        if rubs:
            turns = _turning_points(path, s[piece] + share * delta[piece])
            sides = np.concatenate([turns - 1e-9 * s[-1], turns + 1e-9 * s[-1]])
            at = np.clip(np.searchsorted(s, sides, side="right") - 1, 0, len(delta) - 1)
            piece = np.concatenate([piece, at])
            share = np.concatenate([share, np.clip((sides - s[at]) / delta[at], 0, 1)])
        return CheckedPlaces(
            piece, share, Dynamics.along(robot, path, s[piece] + share * delta[piece])
        )

    def uses(self, x: np.ndarray, delta: np.ndarray, limits: PathLimits) -> np.ndarray:
        """Return which share of each limit is used at each place, for ṡ² = x on the grid."""
        u, piece = np.diff(x) / (2 * delta), self.piece
        here = x[piece] + 2 * delta[piece] * self.share * u[piece]
        return self.dynamics.uses(here, u[piece], limits)


def _turning_points(path: Path, s: np.ndarray) -> np.ndarray:
    """Return where a joint turns round between neighbours among rising places, by halving."""
    slope = path.curve.values(s)[1]
    at, joint = np.nonzero(slope[:-1] * slope[1:] < 0)
    low, high, sign = s[at], s[at + 1], np.sign(slope[at, joint])
    for _ in range(50):
        middle = (low + high) / 2
        before = path.curve.values(middle)[1][np.arange(len(at)), joint] * sign > 0
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return (low + high) / 2


def _half_planes(
    grid: Dynamics, limits: PathLimits, near: np.ndarray, margin: np.ndarray
) -> HalfPlanes:
    """Return every limit as a share of itself, friction being taken by its tangent near an x."""
    near = np.maximum(near, max(1e-12 * near.max(), TINY))
    v = np.sqrt(near)
    rise = (grid.friction(v * (1 + 1e-6)) - grid.friction(v * (1 - 1e-6))) / 2e-6
    rise = rise / (2 * near[:, None])  # dφ/dx
    steady = (grid.g + grid.friction(v) - rise * near[:, None]) / limits.effort
    a, b = grid.a / limits.effort, (grid.b + rise) / limits.effort
    ahead, across = grid.slope / limits.acceleration, grid.bend / limits.acceleration
    speed = grid.slope**2 / limits.velocity**2
    zero = np.zeros_like(a)
    A = np.hstack([a, -a, ahead, -ahead, zero])
    B = np.hstack([b, -b, across, -across, speed])
    C = 1 - KEPT - margin - np.hstack([steady, -steady, zero, zero, zero])
    real = (np.abs(A) + np.abs(B)).any(axis=0)  # an infinite limit is no half-plane
    return HalfPlanes(A[:, real], B[:, real], C[:, real])


def _cannot(grid: Dynamics, limits: PathLimits, k: int, s: np.ndarray) -> BadArgument:
    held = np.abs(grid.g + grid.friction(np.full(len(s), np.sqrt(TINY))))[k] / limits.effort
    i = int(np.argmax(held))
    where = ", ".join(f"{x:.4g}" for x in grid.q[k])
    return BadArgument(
        f"The motors of {printable(grid.robot.name)!r} cannot take it along the path beyond "
        f"{s[k]:.4g} of {s[-1]:.4g}, at q = ({where}): no speed there lets it reach the end at "
        f"rest. Weight and dry friction alone take {held[i]:.0%} of what joint "
        f"{printable(grid.robot.joint_names[i])!r} can give.\n"
        "  Choose another path, a smaller payload or larger limits."
    )


def _limits(robot: Robot, effort: Any, velocity: Any, acceleration: Any) -> PathLimits:
    own, n = robot.limits, robot.n
    limits = PathLimits(
        limit_of("effort", own.effort if effort is None else effort, n),
        limit_of("velocity", own.velocity if velocity is None else velocity, n),
        limit_of("acceleration", np.inf if acceleration is None else acceleration, n),
    )
    if not np.isfinite([limits.effort, limits.acceleration]).any():
        raise BadArgument(
            f"Nothing limits how fast {printable(robot.name)!r} gets under way: its model has no "
            "effort limits.\n  Give some: time_optimal(robot, path, effort=[...])."
        )
    return limits


def _refuse_still(grid: Dynamics, limits: PathLimits) -> None:
    """Refuse a path at whose ends the arm cannot be held."""
    for k, end in ((0, "start"), (-1, "end")):
        over = np.abs(grid.g[k]) > limits.effort
        if over.any():
            i = int(np.flatnonzero(over)[0])
            raise BadArgument(
                f"At the {end} of the path joint {printable(grid.robot.joint_names[i])!r} of "
                f"{printable(grid.robot.name)!r} needs {abs(grid.g[k, i]):.6g} to be held still, "
                f"and its motor gives {limits.effort[i]:.6g} at most.\n"
                "  Choose another place to rest, a smaller payload or a larger effort."
            )


FASTEST = MotionKind(
    "fastest",
    "fastest 0,0 1,1 1.5,2 effort=3000,1000",
    "through points, as fast as the motors allow",
    {"points": POINTS, "effort": LIMIT, "velocity": LIMIT, "acceleration": LIMIT},
    lambda at, points, **limits: time_optimal(at.robot, points, **limits),
)
