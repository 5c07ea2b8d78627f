"""Where the energy went: what a motion stored, was given and lost, and what is unaccounted for.

The power balance of the equation of motion, integrated from the start:

    E(t) − E(0) = W_actuators + W_wrenches + W_base − W_disturbance − friction − dampers − impacts

Both sides are computed apart: energies from positions and rates, works as integrals of power along
the way. What is left over is the error of the computation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LIMIT = 1e-6  # of the exchanged energy: what may be unaccounted for


@dataclass(frozen=True)
class Energy:
    """Energies [J] along a motion, and works since its start, one row an instant."""

    kinetic: np.ndarray  # (k,)
    potential: np.ndarray  # (k,), of gravity and springs
    actuators: np.ndarray  # (k, n), work of τ at each joint
    friction: np.ndarray  # (k, n), lost at each joint; it never falls
    dampers: np.ndarray  # (k,), lost between joints
    impacts: np.ndarray  # (k,), lost at stops
    wrenches: np.ndarray  # (k,), work of the environment
    disturbance: np.ndarray  # (k,), taken by disturbances and by constant offsets of friction
    base: np.ndarray  # (k,), work of the base's motion, seen from the base
    gravity: np.ndarray  # (k,), ∫ (g + springs) · q̇ dt, which is ΔP

    @property
    def total(self) -> np.ndarray:
        """E = K + P, shape (k,)."""
        return self.kinetic + self.potential

    @property
    def given(self) -> np.ndarray:
        """What came in from outside: actuators, wrenches, the base, less disturbances."""
        return self.actuators.sum(axis=1) + self.wrenches + self.base - self.disturbance

    @property
    def lost(self) -> np.ndarray:
        """What became heat: friction, dampers, impacts."""
        return self.friction.sum(axis=1) + self.dampers + self.impacts

    @property
    def residual(self) -> np.ndarray:
        """What is unaccounted for [J], shape (k,)."""
        return self.total - self.total[0] - self.given + self.lost

    @property
    def gravity_residual(self) -> np.ndarray:
        """∫ (g + springs) · q̇ dt − ΔP [J], shape (k,)."""
        return self.gravity - (self.potential - self.potential[0])

    @property
    def exchanged(self) -> float:
        """The largest amount of energy [J] that changed hands: what errors are measured by."""
        ranges = [np.ptp(x) for x in (self.kinetic, self.potential)]
        works = [np.abs(x).max() for x in (self.actuators.sum(axis=1), self.wrenches, self.base)]
        return float(max(*ranges, *works, np.abs(self.disturbance).max(), self.lost.max()))
