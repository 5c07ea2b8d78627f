"""Least squares on a regressor that somebody brings, refused where it has no single answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.base_parameters import groups
from qddot.identification.grouping import TOLERANCE, triangle
from qddot.identification.identifiability import Identifiability
from qddot.identification.solution import solve


@dataclass(frozen=True)
class LeastSquares:
    """Values by name, their deviations, and what was identifiable."""

    names: tuple[str, ...]
    values: np.ndarray
    deviations: np.ndarray
    relative_error: float
    identifiability: Identifiability

    def to_dict(self) -> dict[str, Any]:
        """Return the values as plain data."""
        return {
            "values": dict(zip(self.names, self.values.tolist(), strict=True)),
            "deviations": dict(zip(self.names, self.deviations.tolist(), strict=True)),
            "relative_error": self.relative_error,
        }


def least_squares(
    Y: Any,
    tau: Any,
    names: Sequence[str] | None = None,
    *,
    base: bool = False,
    identifiability: Identifiability | None = None,
    tolerance: float = TOLERANCE,
) -> LeastSquares:
    """Return the parameters of a regressor from torques: α = (YᵀY)⁻¹ Yᵀ τ.

    Args:
        Y: Shape (..., p), as many rows as torques.
        tau: Shape (...).
        names: What the parameters are called.
        base: Whether to solve for the groups that can be known, where the parameters cannot.
        identifiability: What `groups` said of the same regressor in symbols, for its names.
        tolerance: How much of a column must be its own, of 1.

    Raises:
        BadArgument: If YᵀY has no inverse, with the groups that can be known.
    """
    found = groups(Y, names, tolerance=tolerance)
    Y = np.asarray(Y, dtype=float)
    p = Y.shape[-1]
    Y, tau = Y.reshape(-1, p), np.asarray(tau, dtype=float).reshape(-1)
    if len(tau) != len(Y):
        raise BadArgument(f"There are {len(tau)} torques for {len(Y)} rows of Y; give as many.")
    if not np.isfinite(tau).all():
        raise BadArgument("tau has entries that are NaN or infinite; leave those rows out.")
    told = found
    if identifiability is not None and identifiability.columns.kept == found.columns.kept:
        told = identifiability
    if found.rank < p and not base:
        many = len(Y) < p
        remedy = "Give more rows, or solve" if many else "Solve"
        raise BadArgument(
            f"YᵀY has no inverse: rank {found.rank} of {p}. {told.sentence}.\n"
            f"  {_first_why(told)}\n  {remedy} for these groups: base=True."
        )
    kept = list(found.columns.kept)
    R = triangle(np.column_stack([Y[:, kept], tau]))
    values, inverse = solve(R)
    left = tau - Y[:, kept] @ values
    noise = np.sqrt(left @ left / max(len(Y) - len(kept), 1))
    return LeastSquares(
        told.base_names,
        values,
        noise * np.linalg.norm(inverse, axis=1),
        float(np.linalg.norm(left) / (np.linalg.norm(tau) or 1)),
        told,
    )


def _first_why(told: Identifiability) -> str:
    hidden = [name for name in told.together if name not in {g.name for g in told.groups}]
    return told.why((hidden or list(told.none))[0])
