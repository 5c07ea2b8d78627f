"""Exciting motions as a linear space, from rest to rest, and random members that keep every limit.

A member is X of shape (m, n): first where the joints rest, then what moves them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qddot.checks import joint_vector, numbers
from qddot.errors import BadArgument, listing, printable
from qddot.identification.excitation_collision import Clearance
from qddot.identification.excitation_limits import HalfSpace, MotionLimits
from qddot.identification.excitation_search import Search
from qddot.identification.excitation_use import torques
from qddot.motions.fourier import Fourier
from qddot.robot import Robot

Matrices = tuple[np.ndarray, np.ndarray, np.ndarray]
POSTURES = 4000  # tried before a workspace is given up
TRIES = 5  # motions drawn for each one wanted
ROOMY = 0.02  # [m], wanted about a posture where there is as much


@dataclass(frozen=True)
class FourierBasis:
    """All series of so many harmonics that begin at rest; m = 2H − 1."""

    period: float  # [s]
    harmonics: int

    @property
    def size(self) -> int:
        """How many numbers a joint has, m."""
        return 2 * self.harmonics - 1

    @cached_property
    def resting(self) -> tuple[np.ndarray, np.ndarray]:
        """Bases of the a with Σ a_k = 0 and of the b with Σ k b_k = 0, each (H, H − 1)."""
        H = self.harmonics
        rows = np.ones(H), np.arange(1.0, H + 1)
        # the last H − 1 left-over directions of a complete QR are orthogonal to the row
        a, b = (np.linalg.qr(row[:, None], mode="complete")[0][:, 1:] for row in rows)
        return a, b

    def matrices(self, t: np.ndarray) -> Matrices:
        """Return B₀, B₁, B₂ of shape (k, m) with q = B₀ X, q̇ = B₁ X and q̈ = B₂ X."""
        # one joint per member, each with one entry of X that is 1
        moving = self._series(np.eye(self.size), np.zeros(self.size))
        q, qd, qdd = (x[:, 1:] for x in moving.values(t))
        start = moving.values(np.zeros(()))[0][1:]
        still = np.zeros((len(t), 1))
        return np.hstack([still + 1, q - start]), np.hstack([still, qd]), np.hstack([still, qdd])

    def curve(self, X: np.ndarray) -> Fourier:
        """Return the motion that a member stands for."""
        start = self._series(X, 0 * X[0]).values(np.zeros(()))[0]
        return self._series(X, X[0] - start)

    def _series(self, X: np.ndarray, offset: np.ndarray) -> Fourier:
        half, (a, b) = self.harmonics, self.resting
        return Fourier(offset, (a @ X[1:half]).T, (b @ X[half:]).T, 1 / self.period)


def checked_start(
    robots: tuple[Robot, ...],
    limits: MotionLimits,
    spaces: tuple[HalfSpace | Clearance, ...],
    start: object,
) -> np.ndarray | None:
    """Return the posture that a motion is to begin and end at, seen to be possible."""
    if start is None:
        return None
    robot = robots[0]
    given = numbers("start", start, "one position per joint", finite=False)
    q = joint_vector(robot, "start", given)
    outside = ~((limits.lower < q) & (q < limits.upper))
    if outside.any():
        i = int(outside.argmax())
        raise BadArgument(
            f"start has joint {printable(robot.joint_names[i])!r} at {q[i]:g} {limits.units[i]}, "
            f"outside of its limits, {limits.lower[i]:.4g} to {limits.upper[i]:.4g} with the "
            f"margin of {limits.margin:.0%}.\n  Start inside, or make the margin smaller."
        )
    tau = np.abs(torques(robots, q, 0 * q, 0 * q)).max(axis=0)
    if (tau > limits.effort).any():
        i = int((tau / limits.effort).argmax())
        raise BadArgument(
            f"start cannot be held: joint {printable(robot.joint_names[i])!r} needs {tau[i]:.4g}, "
            f"and may give {limits.effort[i]:.4g}.\n  Start where it carries less."
        )
    for space in spaces:
        room = space.room(robot, q)
        if room.min() >= 0:
            continue
        if isinstance(space, Clearance):
            raise BadArgument(
                f"At the start {space.names[room.argmin()]} are nearer than {space.least:g} m: "
                f"{room.min() + space.least:.3g} m, with the radii that links are given.\n"
                "  Start elsewhere, or give them other radii: collision={link: metres}."
            )
        raise BadArgument(
            f"start has frame {printable(space.frame)!r} {-room.min():.3g} m "
            f"outside of its workspace ({space}).\n  Start inside."
        )
    return q


def postures(search: Search, rng: np.random.Generator, spread: float) -> np.ndarray:
    """Return postures that can be held and are in the workspace, shape (k, n).

    They are within a share of the range of each joint, about its middle.
    """
    if search.start is not None:
        return search.start[None]
    robot, limits = search.robot, search.limits
    q = limits.middle + spread * limits.half * rng.uniform(-1, 1, (POSTURES, robot.n))
    weak = np.abs(torques(search.robots, q, 0 * q, 0 * q)).max(axis=0) > limits.effort
    fits = ~weak.any(axis=1)
    if not fits.any():
        names = [x for x, w in zip(robot.joint_names, weak.all(axis=0), strict=True) if w]
        raise BadArgument(
            f"Robot {printable(robot.name)!r} cannot hold itself in any of {POSTURES} postures"
            + (f": too weak are {listing(names)}" if names else "")
            + ".\n  Check the limits of effort."
        )
    for space in search.spaces:
        # links that are never far apart need not be
        room = space.room(robot, q)
        inside = room > np.clip(room.max(axis=0) / 2, 0, ROOMY)
        fits &= inside.all(axis=1)
        if not fits.any():
            # what is outside most often
            words = printable(space.names[int(inside.sum(axis=0).argmin())])
            raise BadArgument(
                f"None of {POSTURES} postures of robot {printable(robot.name)!r} within its limits "
                f"is in the workspace ({words}).\n  Make it larger, check the axes and the signs, "
                "or make the links thinner."
            )
    return q[fits]


def random_motion(
    search: Search, rng: np.random.Generator, around: np.ndarray, *, together: bool
) -> np.ndarray | None:
    """Return a random motion about postures that keeps every limit; None if this one does not.

    It is shrunk into the limits as a whole, together, or each joint is stretched to them.
    """
    (B0, B1, B2), more = search.fine
    limits = search.limits
    centre = around[rng.integers(len(around))]
    moves = rng.standard_normal((search.basis.size - 1, search.robot.n)) * search.sizes[1:]
    rest = centre
    if not together:
        moves = 100 * moves  # far too large, so that shrinking finds each joint's limits
    if search.start is None and not search.spaces:
        # the middle of the motion, not its rest, comes to lie at the posture
        q = B0[:, 1:] @ moves
        span, shift = np.ptp(q, axis=0) / 2, (q.max(axis=0) + q.min(axis=0)) / 2
        free = 0.99 * limits.half - np.abs(centre - limits.middle)
        speed, rise = (more * np.abs(B[:, 1:] @ moves).max(axis=0) for B in (B1, B2))
        sizes = free / span, limits.velocity / speed, limits.acceleration / rise
        factor = np.maximum(0, np.minimum.reduce(sizes))
        factor = np.full_like(factor, min(1, factor.min())) if together else np.minimum(1, factor)
        moves = factor * moves
        rest = centre - factor * shift
    found = search.shrunk(np.vstack([rest, moves]), together=together)
    if found is None and rest is not centre:
        # the posture itself can be held, if not the place that the motion would have begun at
        found = search.shrunk(np.vstack([centre, moves]), together=together)
    return found


def random_motions(
    search: Search, rng: np.random.Generator, count: int, *, together: bool, share: float = 1.0
) -> list[np.ndarray]:
    """Return so many random motions, fewer where it is hard to find any or a share of time is over.

    One is looked for even if there is no time.
    """
    # one that is to be stretched needs room on both sides
    spread = 1.0 if together else 0.9 if search.spaces else 0.5
    around, found = postures(search, rng, spread), []
    for tried in range(1, TRIES * count + 1):
        motion = random_motion(search, rng, around, together=together)
        found += [] if motion is None else [motion]
        late = search.spent(share) and (found or tried >= count)
        if late or len(found) == count:
            break
    return found
