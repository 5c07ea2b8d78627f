"""Which joints are held by friction or by a stop, and which way the others slip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.robot import Robot
from qddot.simulation.complementarity import AT_HIGH, AT_LOW, HELD, bounded_forces

BARELY = 1e-9  # by this share a force is beyond its bound when it has just passed it


@dataclass(frozen=True)
class Restraints:
    """What can hold each joint: friction up to a force, and stops at both ends."""

    friction: np.ndarray  # (n,) at rest [N·m or N]; zero where there is no dry friction
    lower: np.ndarray  # (n,) −∞ where there is no stop
    upper: np.ndarray  # (n,)
    restitution: float = 0.0  # share of the rate with which a joint leaves a stop it has hit

    @property
    def any(self) -> bool:
        return bool(self.friction.any() or np.isfinite([self.lower, self.upper]).any())

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
    rest = [f.coulomb if f.static is None else f.static for f in robot.tree.friction]
    friction = np.array([float(x) for x in rest]) if sticking else nothing
    if restitution is None:
        return Restraints(friction, nothing - np.inf, nothing + np.inf)
    return Restraints(friction, robot.limits.lower, robot.limits.upper, restitution)


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
    direction = np.where(given.friction > 0, np.sign(qd), 0.0)
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
    rest = np.flatnonzero((qd == 0) & ((given.friction > 0) | (before.stop != 0)))
    if not len(rest):
        return before
    low, high = _bounds(given.friction, before.stop)
    give = np.where(np.arange(len(qd)) == loose, 1 - BARELY, 1.0)
    A = np.linalg.inv(M)[np.ix_(rest, rest)]
    _, where = bounded_forces(A, qdd[rest], (low * give)[rest], (high * give)[rest])
    held, direction, stop = before.held.copy(), before.direction.copy(), before.stop.copy()
    held[rest] = where == HELD
    # a force at its low end opposes a motion upwards
    direction[rest] = np.where(where == AT_LOW, 1.0, np.where(where == AT_HIGH, -1.0, 0.0))
    direction[given.friction == 0] = 0.0
    stop[~held] = 0
    return Modes(held, direction, stop)


def holding_bounds(given: Restraints, modes: Modes) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the largest force that can hold each joint."""
    return _bounds(given.friction, modes.stop)


def _bounds(friction: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low = np.where(stop > 0, -np.inf, -friction)
    high = np.where(stop < 0, np.inf, friction)
    return low, high
