"""What a fit is worth, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from qddot.identification.result import Fit

EXPLAINED = 0.5  # relative torque error; above it, values mean nothing
HIGHEST = 1e7  # a condition number with which no measured torque is precise enough
WORTH = (
    (0.03, "explains the torques very well"),
    (0.10, "explains the torques well, as is usual for motor currents"),
    (0.20, "explains the torques roughly: something that the arm does is not in the model"),
    (0.50, "explains the torques badly: do not rely on the parameters before the cause is known"),
    (1.00, "does not explain the torques: check order, signs and units of the columns"),
)


def verdict(fit: Fit) -> str:
    """Return what the relative torque error means."""
    for most, words in WORTH:
        if fit.relative_error <= most:
            return words
    return "is worse than no model at all"


def distrust(fit: Fit) -> list[str]:
    """Return why a solution is not to be trusted, or nothing."""
    why = []
    if not np.isfinite(fit.values).all():
        why.append("values are not finite")
    if not fit.condition <= HIGHEST:
        why.append(
            f"condition number {fit.condition:.2g}, above {HIGHEST:.0e}: the log does not tell its "
            "parameters apart"
        )
    if not fit.relative_error <= EXPLAINED:
        how = "worse than no model at all" if fit.relative_error > 1 else "nothing is explained"
        why.append(f"relative torque error {100 * fit.relative_error:.3g} %, {how}")
    return why


def percent(value: float, share: float) -> str:
    """Return a relative deviation [%] as it is printed."""
    if np.isnan(share):
        return "-"
    if value == 0 or share > 1000:
        return "> 1000"
    return f"{share:.3g}"


def deviation(s: float) -> str:
    """Return a deviation as it is printed."""
    return f"{s:.2g}" if np.isfinite(s) else "-"


def unknown_deviations(fit: Fit) -> str:
    """Return why deviations are not told, or nothing."""
    kappa = fit.solution.repeats
    if kappa is None or np.isfinite(fit.deviations).all():
        return ""
    rows = int(np.sum(fit.problem.factors.count / kappa))
    return (
        f"deviations are not told: the residual lasts up to {kappa.max():.0f} rows, so there are "
        f"about {rows} independent ones for {len(fit.values)} parameters"
    )
