"""What an impact does: all stops that are reached or touched at one instant act at once."""

from __future__ import annotations

import numpy as np

from qddot.simulation.complementarity import HELD, bounded_forces
from qddot.simulation.switching import Restraints

ROUNDING = 1e-14  # of a position: a stop passed by less has not been passed
SAME = 1e-9  # [s] what reaches its stop within less reaches it at the same instant
SLOW = 1e-4  # [rad/s or m/s] what would leave a stop more slowly stays there


def arriving(given: Restraints, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return −1 for joints that reach their lower stop at this instant, 1 for the upper, else 0."""
    near = ROUNDING * (1 + np.abs(q)) + SAME * np.abs(qd)
    upper, lower = (qd > 0) & (given.upper - q <= near), (qd < 0) & (q - given.lower <= near)
    return np.where(upper, 1, np.where(lower, -1, 0))


def after_impact(restitution: float, side: np.ndarray, qd: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Return the rates after joints have hit stops, by impulses of all stops that are touched.

    Newton's law of impact: a joint leaves with the share e of its rate at least, and what rests on
    a stop does not enter it. Dry friction has no impulse, so a joint that it held may start to
    slip:

        q̇⁺ = q̇ + M⁻¹ Λ        (q̇ᵢ⁺ + e q̇ᵢ) away from the stop ≥ 0,  Λᵢ ≥ 0,  one of them zero

    One problem for all of them, so their order does not matter. As Λᵢ q̇ᵢ⁺ = −e Λᵢ q̇ᵢ, the kinetic
    energy changes by ½ (1 − e) Λᵀ q̇, which is not positive.

    Args:
        restitution: The share e, from 0 to 1.
        side: Of each joint: −1 if it reaches or rests on its lower stop, 1 for the upper, else 0.
        qd, M: The rates before, and the mass matrix.
    """
    touched = np.flatnonzero(side)
    away = -side[touched].astype(float)
    inverse = np.linalg.inv(M)
    A = away[:, None] * inverse[np.ix_(touched, touched)] * away
    before = away * qd[touched]  # not positive
    bounce = np.where(-restitution * before > SLOW, -restitution * before, 0.0)
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
