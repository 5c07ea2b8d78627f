"""Which joints are held by friction or by a stop, and which way the others slip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qddot.model.friction import Friction
from qddot.robot import Robot
from qddot.simulation.complementarity import AT_HIGH, AT_LOW, HELD, bounded_forces

BARELY = 1e-9  # by this share a force is beyond its bound when it has just passed it


@dataclass(frozen=True)
class Restraints:
    """What can hold each joint: friction between two forces, and stops at both ends."""

    grip: np.ndarray  # (2, n) the least and largest force of friction at rest [N·m or N]
    lower: np.ndarray  # (n,) −∞ where there is no stop
    upper: np.ndarray  # (n,)
    restitution: float = 0.0  # share of the rate with which a joint leaves a stop it has hit

    @property
    def rubs(self) -> np.ndarray:
        """Which joints have dry friction, shape (n,)."""
        return np.any(self.grip, axis=0)

    @property
    def any(self) -> bool:
        return bool(self.grip.any() or np.isfinite([self.lower, self.upper]).any())

    def resting_on(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return −1 for joints that rest on their lower stop, 1 for the upper, 0 for neither."""
        still = qd == 0
        return np.where(still & (q >= self.upper), 1, np.where(still & (q <= self.lower), -1, 0))


def restraints(robot: Robot, sticking: bool, restitution: float | None) -> Restraints:
    """Return what can hold the joints of a robot.

    Args:
        robot: The robot.
        sticking: Whether dry friction holds joints that stand still.
        restitution: Of stops at the joints' limits; None: there are no stops.
    """
    nothing = np.zeros(robot.n)
    held = grips(robot.tree.friction) if sticking else np.zeros((2, robot.n))
    if restitution is None:
        return Restraints(held, nothing - np.inf, nothing + np.inf)
    return Restraints(held, robot.limits.lower, robot.limits.upper, restitution)


def grips(friction: Sequence[Friction]) -> np.ndarray:
    """Return the least and the largest force by which friction holds joints at rest, (2, n)."""
    return np.array([[float(x) for x in each.grip] for each in friction]).reshape(-1, 2).T


@dataclass(frozen=True)
class Modes:
    """Of each joint: whether it is held, which way it slips, and which stop it rests on."""

    held: np.ndarray  # (n,) bool
    direction: np.ndarray  # (n,) −1, 1, or 0 where it is held or has no dry friction
    stop: np.ndarray  # (n,) −1 its lower one, 1 its upper one, 0 neither

    @property
    def free(self) -> np.ndarray:
        return np.where(self.held, 0.0, 1.0)


def undecided(given: Restraints, q: np.ndarray, qd: np.ndarray) -> Modes:
    """Return the modes before it is known which joints at rest are held: all free, none rubbing."""
    direction = np.where(given.rubs, np.sign(qd), 0.0)
    return Modes(np.zeros(len(q), dtype=bool), direction, given.resting_on(q, qd))


def decided(
    before: Modes, given: Restraints, qd: np.ndarray, qdd: np.ndarray, M: np.ndarray, loose: int
) -> Modes:
    """Return the modes in which joints at rest are held if that takes no more than there is.

    Args:
        before: The modes with every joint at rest free.
        given: What can hold the joints.
        qd: The rates.
        qdd, M: The accelerations in these modes, and the mass matrix.
        loose: The joint whose restraint was just found to give way; −1 for none.
    """
    rest = np.flatnonzero((qd == 0) & (given.rubs | (before.stop != 0)))
    if not len(rest):
        return before
    low, high = holding_bounds(given, before)
    give = np.where(np.arange(len(qd)) == loose, 1 - BARELY, 1.0)
    A = np.linalg.inv(M)[np.ix_(rest, rest)]
    _, where = bounded_forces(A, qdd[rest], (low * give)[rest], (high * give)[rest])
    held, direction, stop = before.held.copy(), before.direction.copy(), before.stop.copy()
    held[rest] = where == HELD
    # a force at its low end opposes a motion upwards
    direction[rest] = np.where(where == AT_LOW, 1.0, np.where(where == AT_HIGH, -1.0, 0.0))
    direction[~given.rubs] = 0.0
    stop[~held] = 0
    return Modes(held, direction, stop)


def holding_bounds(given: Restraints, modes: Modes) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the largest force that can hold each joint."""
    low, high = given.grip
    return np.where(modes.stop > 0, -np.inf, low), np.where(modes.stop < 0, np.inf, high)
