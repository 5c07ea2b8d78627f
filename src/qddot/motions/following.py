"""Inverse kinematics along a path of a frame: joint positions that keep it there.

The joints take the way of least motion, integrated along the path and corrected at every step by
the nearest solution of inverse kinematics:

    q′ = J⁺ x′
    q″ = J⁺ (x″ − J′ q′) + (1 − J⁺ J) J′ᵀ J⁺ᵀ q′

the second being the derivative of the first where J has full row rank (Golub and Pereyra, SIAM
Journal on Numerical Analysis 10(2), 1973, give that of J⁺). Limits are the affair of those who
follow the joints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.checks import numbers
from qddot.errors import BadArgument, printable
from qddot.kinematics.nearest_solutions import NearestSolutions
from qddot.motions.path import Path
from qddot.motions.piecewise import hermite
from qddot.robot import Robot
from qddot.runge_kutta import RK4
from qddot.spatial.rotation import about_axis, rotation_vector

STEPS = 256  # how many steps along a path
LEAST_STEPS = 32  # of each part of a path of many
PIECES = (2, 4, 8, 16, 32, 64, 128)  # those tried
JUMP = 0.1  # [rad or m], how far from the integrated position the corrected one is never
SINGULAR = 1e-4  # smallest singular value beside the largest, below which an arm is singular
LOOKS = 32  # places of every piece at which is measured how far the frame is off
BETWEEN = 1.02  # times that is more than anywhere between them: a peak in the middle of two places
# of 32 is 0.3 % above them where the error is one bulge per piece, as that of a quintic is

PathFunction = Callable[[Any], tuple[Any, Any, Any]]  # from s to x, x′, x″


@dataclass(frozen=True)
class FramePath:
    """A path that a frame of a robot is to follow, and how it turns on the way."""

    robot: Robot
    frame: str
    place: PathFunction
    # from s to R (3, 3), the turn ω (3,) per unit of s and its slope; None: the orientation is free
    turning: PathFunction | None
    knots: np.ndarray  # s where the path changes its law, from 0 to its length

    @property
    def length(self) -> float:
        """How long it is [m]; where the frame turns on the spot, its angle [rad]."""
        return float(self.knots[-1])

    def pose(self, s: float) -> np.ndarray:
        """Return where the frame should be after a distance, (4, 4)."""
        X = np.eye(4)
        X[:3, 3] = self.place(s)[0]
        if self.turning is not None:
            X[:3, :3] = self.turning(s)[0]
        return X

    def solved(self, q: np.ndarray, s: float) -> NearestSolutions:
        """Return the nearest joint positions with the frame where it should be."""
        match = "position" if self.turning is None else "pose"
        how = {"match": match, "limits": False, "starts": 0}
        return self.robot.inverse_kinematics(self.pose(s), self.frame, near=q, **how)

    def missing(self, X: np.ndarray, s: float) -> np.ndarray:
        """Return what a pose lacks: a rotation vector if the orientation counts, a distance."""
        wanted = self.pose(s)
        missing = wanted[:3, 3] - X[:3, 3]
        if self.turning is None:
            return missing
        return np.concatenate([rotation_vector(wanted[:3, :3] @ X[:3, :3].T), missing])

    def worst(self, q: np.ndarray, s: np.ndarray) -> float:
        """Return how far the frame is off at most at many places [m], or turned [rad]."""
        poses = self.robot.pose(q, self.frame)
        off = np.array([self.missing(X, at) for X, at in zip(poses, s, strict=True)])
        return float(np.linalg.norm(off.reshape(len(s), -1, 3), axis=2).max())

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Return the rows of J that count."""
        return self.robot.jacobian(q, self.frame)[self.rows]

    @property
    def rows(self) -> slice:
        return slice(3 if self.turning is None else 0, 6)

    def slope(self, s: float) -> np.ndarray:
        """Return how the frame moves along the path: [ω; x′] if the orientation counts."""
        return self._both(s, 1)

    def bend(self, s: float) -> np.ndarray:
        """Return how that changes: [ω′; x″]."""
        return self._both(s, 2)

    def _both(self, s: float, order: int) -> np.ndarray:
        moved = self.place(s)[order]
        return moved if self.turning is None else np.concatenate([self.turning(s)[order], moved])


def followed(task: FramePath, q: np.ndarray, tolerance: float) -> tuple[Path, float]:
    """Return the path of the joints, as few quintic pieces as the tolerance allows, and its error.

    The joints start at q, the frame at the start of its path; between the nodes it may be off by
    the tolerance [m] and [rad].

    Raises:
        BadArgument: Where the arm cannot follow, with the place.
    """
    parts = len(task.knots) - 1
    steps = max(LEAST_STEPS, STEPS >> (parts - 1).bit_length())  # of every part
    s = _between(task.knots, steps)
    rank = _rank(task)
    found = [q]
    for k, h in enumerate(np.diff(s)):
        found.append(_corrected(task, _stepped(task, found[-1], s[k], h, rank), s[k + 1]))
        _slope(task, found[-1], s[k + 1], rank)  # refuses a singular place
    positions = np.array(found)
    pieces, error = 0, np.inf
    for pieces in (count for count in PIECES if count < steps):
        nodes = np.arange(0, len(s), steps // pieces)
        both = [_derivatives(task, positions[k], float(s[k]), rank) for k in nodes]
        slopes, bends = np.array(both).transpose(1, 0, 2)
        curve = hermite(s[nodes], positions[nodes], slopes, bends)
        fine = _between(s[nodes], LOOKS)
        error = BETWEEN * task.worst(curve.values(fine)[0], fine)
        if error <= tolerance:
            return Path(curve, task.length), error
    raise BadArgument(
        f"{_who(task)} leaves its path by {error:.2g} m (or rad) even in {pieces * parts} pieces, "
        f"and {tolerance:.2g} was asked for: the joints turn too sharply, as near a singular "
        "position.\n  Choose a path further from singular positions, or a larger tolerance."
    )


def _between(places: np.ndarray, count: int) -> np.ndarray:
    """Return places with others between them, so that each interval has `count` equal parts."""
    shares = np.arange(count) / count
    return np.append(
        (places[:-1, None] + np.diff(places)[:, None] * shares).reshape(-1), places[-1]
    )


def joints_through(
    robot: Robot, frame: str, poses: Any, q: Any, *, match: str = "pose", jump: float = 1.0
) -> np.ndarray:
    """Return joint positions for one pose after the other, each nearest to those before, (k, n).

    What comes of it is a path: `Path.through(rows)`, `time_optimal(robot, rows)`.

    Args:
        robot: The robot, whose limits are kept.
        frame: The name of a link or a frame.
        poses: Homogeneous matrices, shape (k, 4, 4).
        q: Joint positions near the first [rad or m], shape (n,).
        match: What of the poses counts; see `robot.inverse_kinematics`.
        jump: How far a joint may move from one pose to the next [rad or m].

    Raises:
        BadArgument: If a pose is not reached, or only by a jump of the joints.
    """
    rows: list[np.ndarray] = []
    for k, X in enumerate(numbers("poses", poses)):
        found = robot.inverse_kinematics(X, frame, near=q, match=match)
        after = f"Pose {k} cannot be followed. "
        if not found.found:
            raise BadArgument(after + found.missed())
        far = np.abs(found.q - q)
        if rows and far.max() > jump:
            joint = printable(robot.joint_names[int(far.argmax())])
            raise BadArgument(
                f"{after}Joint {joint!r} would move by {far.max():.3g} from the pose before, and "
                f"{jump:.3g} is allowed.\n  Give more poses in between, or start from other joint "
                "positions."
            )
        q = found.q
        rows.append(q)
    return np.array(rows).reshape(-1, robot.n)


def _stepped(task: FramePath, q: np.ndarray, s: float, h: float, rank: int) -> np.ndarray:
    """Return the joints a step further."""
    return RK4.step(lambda share, q: _slope(task, q, s + share * h, rank), q, h)


def _corrected(task: FramePath, q: np.ndarray, s: float) -> np.ndarray:
    """Return the joint positions nearest to q that have the frame where it should be."""
    found = task.solved(q, s)
    if not found.found:
        least = float(found.error.max())
        raise _cannot(task, s, f"out of reach, the frame stays {least:.2g} m (or rad) away from it")
    if np.abs(found.q - q).max() > JUMP:
        raise _cannot(task, s, "the joints would jump")
    return found.q


def _slope(task: FramePath, q: np.ndarray, s: float, rank: int) -> np.ndarray:
    """Return q′, or refuse a place where the arm is singular or cannot move along the path."""
    return _pseudo_inverse(task, q, s, rank)[1]


def _pseudo_inverse(
    task: FramePath, q: np.ndarray, s: float, rank: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return J, q′ = J⁺ x′, and J⁺."""
    J = task.jacobian(q)
    U, sizes, Vt = np.linalg.svd(J, full_matrices=False)
    if sizes[rank - 1] < SINGULAR * sizes[0]:
        raise _cannot(task, s, "the arm is singular there: stretched out, folded, or axes in line")
    inverse = (Vt[:rank].T / sizes[:rank]) @ U[:, :rank].T
    wanted = task.slope(s)
    slope = inverse @ wanted
    if np.abs(J @ slope - wanted).max() > 1e-6:
        raise _cannot(task, s, "the joints cannot move the frame that way")
    return J, slope, inverse


def _derivatives(
    task: FramePath, q: np.ndarray, s: float, rank: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return q′ and q″."""
    J, slope, inverse = _pseudo_inverse(task, q, s, rank)
    rate = task.robot.jacobian_rate(q, slope, task.frame)[task.rows]
    bend = inverse @ (task.bend(s) - rate @ slope)
    free = rate.T @ (inverse.T @ slope)
    return slope, bend + free - inverse @ (J @ free)


def _rank(task: FramePath) -> int:
    """Return in how many independent ways the joints move the frame, singular places apart."""
    q = np.random.default_rng(0).uniform(-2, 2, (8, task.robot.n))
    return max(int(np.linalg.matrix_rank(task.jacobian(x), rtol=SINGULAR)) for x in q)


def turned(spin: np.ndarray, s: float) -> np.ndarray:
    """Return the rotation by the vector s · spin."""
    size = float(np.linalg.norm(spin))
    return np.eye(3) if size == 0 else about_axis(spin / size, size * s)


def _who(task: FramePath) -> str:
    return f"Frame {printable(task.frame)!r} of {printable(task.robot.name)!r}"


def _cannot(task: FramePath, s: float, why: str) -> BadArgument:
    place = ", ".join(f"{float(x):.4g}" for x in task.place(s)[0])
    loose = '\n  It keeps its orientation; if it need not: orientation="free".'
    loose = "" if task.turning is None else loose
    return BadArgument(
        f"{_who(task)} cannot follow its path beyond {s:.4g} m of {task.length:.4g} m, at "
        f"({place}): {why}.\n  Choose another end, or start from other joint positions.{loose}"
    )
