"""The energy balance of a run: its terms, its error, and how to make that smaller.

The power balance of the equation of motion, integrated from the start:

    E(t) − E(0) = W_actuators + W_wrenches + W_base − W_disturbance − friction − dampers − impacts

Both sides are computed apart: energies from positions and velocities, works as integrals of power
along the way. What is left over is the error of the computation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.plain_text import fitted
from qddot.simulation.equation import WORKS

LIMIT = 1e-6  # of the exchanged energy: what may be unaccounted for
BETWEEN = 100  # times as much may be at a row between two steps


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
        return Balance().add(self).exchanged


def energy_of(
    parts: Mapping[str, np.ndarray], kinetic: np.ndarray, potential: np.ndarray, impacts: np.ndarray
) -> Energy:
    """Return the account of a run's rows, from its states as `Layout.parts` has them."""
    works = {name: parts[name][:, 0] for name in WORKS}
    by_joint = {name: parts[name] for name in ("actuators", "friction")}
    return Energy(kinetic, potential, **by_joint, impacts=impacts, **works)


@dataclass
class Balance:
    """The largest error of an energy balance, and the energy exchanged, over blocks of rows."""

    worst: float = 0.0  # [J]: a residual, or by how much friction gave energy back
    work: float = 0.0  # [J], the largest of the works
    heat: float = 0.0  # [J], the most that friction had taken so far
    # of kinetic and potential energy [J], (2,) each: at the start, lowest and highest so far
    start: np.ndarray | None = None
    low: np.ndarray = field(default_factory=lambda: np.full(2, np.inf))
    high: np.ndarray = field(default_factory=lambda: np.full(2, -np.inf))

    def add(self, energy: Energy) -> Balance:
        """Take the next rows of a run, and return the balance itself."""
        levels = np.array([energy.kinetic, energy.potential])
        self.start = levels[:, 0] if self.start is None else self.start
        self.low = np.minimum(self.low, levels.min(axis=1))
        self.high = np.maximum(self.high, levels.max(axis=1))
        heat = energy.friction.sum(axis=1)
        most = np.maximum.accumulate(np.append(self.heat, heat))
        residual = energy.total - self.start.sum() - energy.given + energy.lost
        turned = energy.gravity - (energy.potential - self.start[1])
        self.worst = largest(self.worst, residual, turned, most[1:] - heat)
        works = (energy.actuators.sum(axis=1), energy.wrenches, energy.base, energy.disturbance)
        self.work, self.heat = largest(self.work, *works, energy.lost), float(most[-1])
        return self

    @property
    def exchanged(self) -> float:
        """The largest amount of energy [J] that changed hands."""
        return largest(self.work, self.high - self.low)


def largest(*values: Any) -> float:
    """Return the largest size among numbers; NaN if one of them is."""
    return float(np.max(np.abs(np.concatenate([np.ravel(x) for x in values]))))


@dataclass(frozen=True)
class Audit:
    """The error of a run's energy balance, as a curve and as one number."""

    residual: np.ndarray  # (k,) [J]
    gravity_residual: np.ndarray  # (k,) [J], ∫ (g + springs) · q̇ dt − ΔP
    worst: float  # [J], the largest error at any step, kept as a row or not
    exchanged: float  # [J]
    limit: float = LIMIT

    @property
    def number(self) -> float:
        """The largest error, as a share of the exchanged energy."""
        return float(self.worst / self.exchanged) if self.exchanged else float(self.worst)

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


def audit(
    energy: Energy,
    limit: float = LIMIT,
    least: float = 0.0,
    steps: Mapping[str, float] | None = None,
) -> Audit:
    """Return the audit of a run, in which `least` [J] counts as exchanged if hardly anything moves.

    `steps` has `worst` and `exchanged` [J] of all its steps, for which its rows stand if not given.
    Rows between steps are interpolated, so they count only where BETWEEN times the limit off.
    """
    rows = Balance().add(energy)
    worst, exchanged = rows.worst, max(rows.exchanged, least)
    if steps is not None:
        exchanged = max(steps["exchanged"], least)
        worst = steps["worst"] if worst <= BETWEEN * limit * exchanged else worst
    return Audit(energy.residual, energy.gravity_residual, worst, exchanged, limit)


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
