"""The verdict on a run: whether its energy is accounted for, and what to tighten if not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.plain_text import fitted
from qddot.simulation.energy import LIMIT, Energy


@dataclass(frozen=True)
class Audit:
    """How much energy of a run is unaccounted for, as a curve and as one number."""

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
    return "What acts may not be a smooth function of time and state; tell its breaks (Samples)."
