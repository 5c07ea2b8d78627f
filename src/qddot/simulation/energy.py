"""The energy balance of a run: its terms, its error, and how to make that smaller.

The power balance of the equation of motion, integrated from the start:

    E(t) − E(0) = W_actuators + W_wrenches + W_base − W_disturbance − friction − dampers − impacts

Both sides are computed apart: energies from positions and velocities, works as integrals of power
along the way. What is left over is the error of the computation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.plain_text import fitted

LIMIT = 1e-6  # of the exchanged energy: what may be unaccounted for


@dataclass(frozen=True)
class Energy:
    """Energies [J] along a motion, and works since its start, one row per instant."""

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
        """The error of the balance [J], shape (k,)."""
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


@dataclass(frozen=True)
class Audit:
    """The error of a run's energy balance, as a curve and as one number."""

    residual: np.ndarray  # (k,) [J]
    gravity_residual: np.ndarray  # (k,) [J], ∫ (g + springs) · q̇ dt − ΔP
    friction_gain: float  # [J], by how much friction gave energy back, which it cannot
    exchanged: float  # [J]
    limit: float = LIMIT

    @property
    def number(self) -> float:
        """The largest residual, as a share of the exchanged energy."""
        curves = (self.residual, self.gravity_residual)
        worst = max(self.friction_gain, *(np.abs(curve).max() for curve in curves))
        return float(worst / self.exchanged) if self.exchanged else float(worst)

    @property
    def good(self) -> bool:
        """Whether no more is unaccounted for than the limit allows."""
        return bool(self.number <= self.limit)

    @fitted
    def __str__(self) -> str:
        of = f"{self.number:.1e} of the {self.exchanged:.4g} J that changed hands"
        if self.good:
            return f"energy is accounted for to {of}"
        return f"NOT GOOD: energy is unaccounted for by {of} (limit {self.limit:g})"

    __repr__ = __str__


def audit(energy: Energy, limit: float = LIMIT, least: float = 0.0) -> Audit:
    """Return the audit of a run.

    Args:
        energy: Its energies and works.
        limit: The share of the exchanged energy that may be unaccounted for.
        least: What counts as exchanged at least [J], for runs in which hardly anything moves.
    """
    lost = energy.friction.sum(axis=1)
    gain = float((np.maximum.accumulate(lost) - lost).max())
    exchanged = max(energy.exchanged, least)
    return Audit(energy.residual, energy.gravity_residual, gain, exchanged, limit)


def advice(found: Audit, how: dict[str, Any]) -> str:
    """Return what to tighten so that the audit passes."""
    if found.good:
        return ""
    if not np.isfinite(found.number):
        return "The motion has run away; check the torques, or take shorter steps."
    if how.get("step"):
        order = {"semi_implicit_euler": 1, "midpoint": 2, "rk4": 4}.get(how["method"], 1)
        shorter = how["step"] * (0.5 * found.limit / found.number) ** (1 / order)
        return f"Take a shorter step, about {shorter:.1g} s, or an adaptive method."
    tighter = max(how["tolerance"] * 0.1 * found.limit / found.number, 1e-13)
    if tighter < how["tolerance"]:
        return f"Tighten the tolerance, to about {tighter:.0e}."
    return "What acts may not be smooth in time and state; give the times of its jumps (Samples)."
