"""What holds joints, and what they hit: dry friction and stops, at rest and in impacts.

A joint at rest is held by friction or by a stop, with whatever force that takes, up to a bound;
beyond, the force stays at its bound and the joint moves. All joints decide at once, because each
one's force moves the others: a linear complementarity problem with bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qddot.model.friction import Friction
from qddot.model.limits import stops_of
from qddot.robot import Robot

BARELY = 1e-9  # by this share a force is beyond its bound when it has just passed it
ROUNDING = 1e-14  # of a position: a stop passed by less has not been passed
SAME = 1e-9  # [s] what reaches its stop within less reaches it at the same instant
SLOW = 1e-4  # [rad/s or m/s] what would leave a stop more slowly stays there
HELD, AT_LOW, AT_HIGH = 0, -1, 1


@dataclass(frozen=True)
class Restraints:
    """What can hold each joint: friction between two forces, and stops at both ends."""

    grip: np.ndarray  # (2, n) the least and largest force of friction at rest [N·m or N]
    lower: np.ndarray  # (n,) −∞ where there is no stop
    upper: np.ndarray  # (n,)
    restitution: np.ndarray  # (n,) share of the velocity with which it leaves a stop it has hit

    @property
    def rubs(self) -> np.ndarray:
        """Which joints have dry friction, shape (n,)."""
        return np.any(self.grip, axis=0)

    @property
    def any(self) -> bool:
        return bool(self.grip.any() or np.isfinite([self.lower, self.upper]).any())

    def resting_on(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return −1 for joints that rest on their lower stop, 1 for the upper, 0 for neither.

        q and q̇ are of the joints, (n,) each.
        """
        still = qd == 0
        return np.where(still & (q >= self.upper), 1, np.where(still & (q <= self.lower), -1, 0))


def restraints(robot: Robot, sticking: bool, stops: float | bool | None = None) -> Restraints:
    """Return what holds the joints of a robot: if `sticking`, dry friction; and stops.

    Which stops, `stops` says: None, the joints' own; False, none; a number, theirs, and stops at
    all limits of position, with this restitution.
    """
    held = grips(robot.tree.friction) if sticking else np.zeros((2, robot.n))
    if stops is False:
        none = np.full(robot.n, np.inf)
        return Restraints(held, -none, none, np.zeros(robot.n))
    lower, upper, restitution = stops_of(robot.model)
    if stops is not None:
        limits, at = robot.limits, robot.tree.positions
        lower = np.maximum(lower, limits.lower[at])
        upper = np.minimum(upper, limits.upper[at])
        restitution = np.full(robot.n, float(stops))
    return Restraints(held, lower, upper, restitution)


def grips(friction: Sequence[Friction]) -> np.ndarray:
    """Return the least and the largest force by which friction holds joints at rest, (2, n).

    On a joint that is about to move upwards acts what is resisted with there, the other way.
    """
    bounds = [(-float(high), -float(low)) for low, high in (each.grip for each in friction)]
    return np.array(bounds).reshape(-1, 2).T


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

    Before, every joint at rest is free, with accelerations q̈. The restraint of the joint `loose`
    was just found to give way; −1 for none.
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


def arriving(given: Restraints, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return −1 for joints that reach their lower stop at this instant, 1 for the upper, else 0."""
    near = ROUNDING * (1 + np.abs(q)) + SAME * np.abs(qd)
    upper, lower = (qd > 0) & (given.upper - q <= near), (qd < 0) & (q - given.lower <= near)
    return np.where(upper, 1, np.where(lower, -1, 0))


def after_impact(
    restitution: np.ndarray, side: np.ndarray, qd: np.ndarray, M: np.ndarray
) -> np.ndarray:
    """Return the velocities after joints have hit stops, by impulses of all stops that are touched.

    Newton's law of impact: a joint leaves with at least the share e of its velocity, and a joint
    that rests on a stop does not enter it. Dry friction has no impulse, so a joint that it held may
    start to slip:

        q̇⁺ = q̇ + M⁻¹ Λ       (q̇ᵢ⁺ + eᵢ q̇ᵢ) away from the stop ≥ 0,  Λᵢ ≥ 0,  one of them zero

    One problem for all of them, so their order does not matter. As Λᵢ q̇ᵢ⁺ = −eᵢ Λᵢ q̇ᵢ, the kinetic
    energy changes by ½ Σ (1 − eᵢ) Λᵢ q̇ᵢ, which is not positive.

    `side` of a joint is −1 if it reaches or rests on its lower stop, 1 for the upper, else 0.
    """
    touched = np.flatnonzero(side)
    away = -side[touched].astype(float)
    inverse = np.linalg.inv(M)
    A = away[:, None] * inverse[np.ix_(touched, touched)] * away
    before = away * qd[touched]  # not positive
    bounce = -restitution[touched] * before
    bounce = np.where(bounce > SLOW, bounce, 0.0)
    none, any_ = np.zeros(len(touched)), np.full(len(touched), np.inf)
    impulse, where = bounded_forces(A, before - bounce, none, any_)
    leaving = np.where(where == HELD, bounce, before + A @ impulse)
    # what an impact would throw off its stop too slowly to matter stays, or it would come back
    # and throw off another, for ever; nothing else enters its stop by that
    stays = np.zeros(len(touched), dtype=bool)
    while (slowly := (leaving > 0) & (leaving < SLOW)).any():
        stays |= slowly
        more, where = bounded_forces(A, leaving, np.where(stays, -np.inf, 0.0), any_)
        leaving = np.where(where == HELD, 0.0, leaving + A @ more)
        impulse = impulse + more
    change = inverse[:, touched] @ (away * impulse)
    # where nothing couples a joint to the impact, only rounding moved it
    change[np.abs(change) < 1e-14 * np.abs(change).max()] = 0
    after = qd + change
    after[touched] = away * leaving
    return after


def bounded_forces(
    A: np.ndarray, b: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the forces λ and, of each, whether it holds (0) or is at its low (−1) or high (1).

    For a symmetric positive definite A there is exactly one solution of:

        w = A λ + b        w = 0 and low ≤ λ ≤ high,  or  λ = low and w ≥ 0,  or  λ = high and w ≤ 0

    Found by exchanging the first variable that is wrong until none is, which ends for such
    matrices (K. Murty, *Note on a Bard-type scheme for solving the complementarity problem*, 1974).
    """
    n = len(b)
    where = np.full(n, HELD)
    force = np.zeros(n)
    size = max(np.abs(b).max(initial=0), np.finfo(float).tiny)
    slack = 1e-13
    for _ in range(3**n + 1):
        holds = where == HELD
        force = np.where(where == AT_LOW, low, high)
        force[holds] = 0
        force[holds] = np.linalg.solve(A[np.ix_(holds, holds)], -(b + A @ force)[holds])
        w = A @ force + b
        margin = slack * np.abs(force)
        too_low, too_high = holds & (force < low - margin), holds & (force > high + margin)
        returns = (where == AT_LOW) & (w < -slack * size) | (where == AT_HIGH) & (w > slack * size)
        wrong = np.flatnonzero(too_low | too_high | returns)
        if not len(wrong):
            break
        i = wrong[0]
        where[i] = HELD if returns[i] else AT_LOW if too_low[i] else AT_HIGH
    return force, where
