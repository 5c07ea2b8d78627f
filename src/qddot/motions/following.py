"""Inverse kinematics along a path of a frame: joint positions that keep it there.

The joints take the way of least motion, integrated along the path and corrected at every step
until the frame is where it should be:

    q′ = J⁺ x′
    q″ = J⁺ (x″ − J′ q′) + (1 − J⁺ J) J′ᵀ J⁺ᵀ q′

the second being the derivative of the first where J has full row rank (Golub and Pereyra, SIAM
Journal on Numerical Analysis 10(2), 1973, give that of J⁺). The corrections are damped by the
error, after Sugihara (IEEE Transactions on Robotics 27(5), 2011):

    Δq = (JᵀJ + λ² 1)⁻¹ Jᵀ e,  λ² = ½ |e|²
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import BadArgument, printable
from qddot.motions.path import Path
from qddot.motions.piecewise import hermite
from qddot.robot import Robot
from qddot.runge_kutta import RK4

STEPS = 256  # how many steps along a path
PIECES = (2, 4, 8, 16, 32, 64, 128)  # those tried
REACHED = 1e-8  # [m] and [rad], how near the frame must come at every step
SINGULAR = 1e-4  # smallest singular value beside the largest, below which an arm is singular
CORRECTIONS = 50
LOOKS = 32  # places of every piece at which is measured how far the frame is off
BETWEEN = 1.02  # times that is more than anywhere between them: a peak in the middle of two places
# of 32 is 0.3 % above them where the error is one bulge per piece, as that of a quintic is

PathFunction = Callable[[Any], tuple[Any, Any, Any]]  # from s to x, x′, x″


@dataclass(frozen=True)
class FramePath:
    """A path that a frame of a robot is to follow, and the orientation that it keeps."""

    robot: Robot
    frame: str
    place: PathFunction
    length: float  # [m]
    R: np.ndarray | None  # the orientation that it keeps; None where that is free

    def errors(self, q: np.ndarray, s: float) -> np.ndarray:
        """Return what is missing: a rotation vector if the orientation counts, and a distance."""
        X = self.robot.pose(q, self.frame)
        return self.missing(X, s)

    def missing(self, X: np.ndarray, s: float) -> np.ndarray:
        """Return the same of a pose."""
        missing = self.place(s)[0] - X[:3, 3]
        if self.R is None:
            return missing
        return np.concatenate([rotation_vector(self.R @ X[:3, :3].T), missing])

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
        return slice(3 if self.R is None else 0, 6)

    def along(self, derivative: np.ndarray) -> np.ndarray:
        """Return a derivative of the place, after no rotation if the orientation counts."""
        return derivative if self.R is None else np.concatenate([np.zeros(3), derivative])


def followed(task: FramePath, q: np.ndarray, tolerance: float) -> tuple[Path, float]:
    """Return the path of the joints, as few quintic pieces as the tolerance allows, and its error.

    Args:
        task: What to follow.
        q: Where the joints start, the frame being at the start of its path.
        tolerance: How far the frame may be off between the nodes [m] and [rad].

    Raises:
        BadArgument: Where the arm cannot follow, with the place.
    """
    s = np.linspace(0, task.length, STEPS + 1)
    rank = _rank(task)
    found = [q]
    for k in range(STEPS):
        found.append(_corrected(task, _stepped(task, found[-1], s[k], s[1], rank), s[k + 1]))
        _slope(task, found[-1], s[k + 1], rank)  # refuses a singular place
    positions = np.array(found)
    pieces, error = 0, np.inf
    for pieces in PIECES:
        nodes = np.linspace(0, STEPS, pieces + 1).astype(int)
        both = [_derivatives(task, positions[k], float(s[k]), rank) for k in nodes]
        slopes, bends = np.array(both).transpose(1, 0, 2)
        curve = hermite(s[nodes], positions[nodes], slopes, bends)
        fine = np.linspace(0, task.length, LOOKS * pieces + 1)
        error = BETWEEN * task.worst(curve.values(fine)[0], fine)
        if error <= tolerance:
            return Path(curve, task.length), error
    raise BadArgument(
        f"{_who(task)} leaves its path by {error:.2g} m (or rad) even in {pieces} pieces, and "
        f"{tolerance:.2g} was asked for: the joints turn too sharply, as near a singular "
        "position.\n  Choose a path further from singular positions, or a larger tolerance."
    )


def _stepped(task: FramePath, q: np.ndarray, s: float, h: float, rank: int) -> np.ndarray:
    """Return the joints a step further."""
    return RK4.step(lambda share, q: _slope(task, q, s + share * h, rank), q, h)


def _corrected(task: FramePath, q: np.ndarray, s: float) -> np.ndarray:
    """Return joint positions near q that have the frame where it should be."""
    best, e = q, task.errors(q, s)
    least = np.abs(e).max()
    for _ in range(CORRECTIONS):
        if least <= REACHED * 1e-4:
            break
        J = task.jacobian(q)
        q = q + np.linalg.solve(J.T @ J + (e @ e / 2 + 1e-14) * np.eye(len(q)), J.T @ e)
        e = task.errors(q, s)
        if np.abs(e).max() >= least / 2:  # as near as it gets, or not getting there
            break
        best, least = q, np.abs(e).max()
    if least > REACHED:
        raise _cannot(task, s, f"out of reach, the frame stays {least:.2g} m (or rad) away from it")
    return best


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
    wanted = task.along(task.place(s)[1])
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
    bend = inverse @ (task.along(task.place(s)[2]) - rate @ slope)
    free = rate.T @ (inverse.T @ slope)
    return slope, bend + free - inverse @ (J @ free)


def _rank(task: FramePath) -> int:
    """Return in how many independent ways the joints move the frame, singular places apart."""
    q = np.random.default_rng(0).uniform(-2, 2, (8, task.robot.n))
    return max(int(np.linalg.matrix_rank(task.jacobian(x), rtol=SINGULAR)) for x in q)


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """Return axis times angle of a rotation of less than half a turn."""
    twice = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = np.linalg.norm(twice) / 2, (np.trace(R) - 1) / 2
    angle = np.arctan2(sine, cosine)
    return twice / 2 * (angle / sine if sine > 1e-12 else 1.0)


def _who(task: FramePath) -> str:
    return f"Frame {printable(task.frame)!r} of {printable(task.robot.name)!r}"


def _cannot(task: FramePath, s: float, why: str) -> BadArgument:
    place = ", ".join(f"{float(x):.4g}" for x in task.place(s)[0])
    loose = (
        ""
        if task.R is None
        else '\n  It keeps its orientation; if it need not: orientation="free".'
    )
    return BadArgument(
        f"{_who(task)} cannot follow its path beyond {s:.4g} m of {task.length:.4g} m, at "
        f"({place}): {why}.\n  Choose another end, or start from other joint positions.{loose}"
    )
