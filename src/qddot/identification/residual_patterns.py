"""What residuals go with: position, rate, load, time. A pattern is something that the model lacks.

The residual of a joint is fitted by a smooth curve over one variable (straight pieces between eight
knots, one curve for each direction of motion), and the curve predicts stretches of time that it was
not fitted to. The share of the residual's power that it predicts there is what the variable
explains. Noise gives nothing, however smooth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qddot.errors import printable

if TYPE_CHECKING:
    from qddot.identification.log import Log
    from qddot.identification.result import Fit

KNOTS = 8
FOLDS = 10  # stretches of time
SHORT = 6  # times as many for time itself, so that a curve goes through where it was not fitted
SHOWS = 0.05  # of the residual's power: less is nothing
FEWEST = 40  # rows
SOFT = 1e-6  # of a knot's own weight
MEANINGS = {
    "position": "a spring, a cable or a counterbalance, or gravity that the model does not have",
    "rate": "friction of another shape",
    "load": "the gain of a drive, or friction that grows with load",
    "time": "drift of a sensor, or friction that changes as the arm warms up",
}


@dataclass(frozen=True)
class ResidualPattern:
    """What is left of a joint's torque over one variable, and the curve through it."""

    joint: str
    variable: str  # "position", "rate", "load" or "time"
    share: float  # of the residual's power that the curve predicts on unseen rows
    x: np.ndarray  # (k,), the variable
    residual: np.ndarray  # (k,)
    forwards: np.ndarray  # (k,), whether the joint turned forwards
    curve: np.ndarray  # (k,), the curve at each row
    units: tuple[str, str]  # of the variable and of the residual

    @property
    def shows(self) -> bool:
        """Whether there is something to see."""
        return self.share >= SHOWS

    def __str__(self) -> str:
        return (
            f"{100 * self.share:.0f} % of what is left of joint {printable(self.joint)!r} goes "
            f"with {'' if self.variable == 'time' else 'its '}{self.variable}: "
            f"{MEANINGS[self.variable]}"
        )


def residual_patterns(fit: Fit, log: Log | None = None) -> list[ResidualPattern]:
    """Return every joint over every variable, what explains most first.

    The rows are those of the fit if no others are given, as they were fitted.
    """
    from qddot.identification.validation import rows_for

    rows, robot = rows_for(fit, log), fit.problem.regression.robot
    predicted = fit.predict(rows)
    left = rows.tau - predicted
    found = []
    for i, joint in enumerate(robot.model.free_joints):
        use = np.flatnonzero(rows.used[:, i])
        if len(use) < FEWEST:
            continue
        units = joint.units
        over = {
            "rate": (rows.qd[use, i], units.velocity),
            "load": (predicted[use, i], units.effort),
            "time": (rows.t[use], "s"),
        }
        if rows.tree is None:  # one number per joint
            over["position"] = rows.q[use, i], units.position
        e, forwards = left[use, i], rows.qd[use, i] > 0
        for variable, (x, unit) in over.items():
            folds = FOLDS * (SHORT if variable == "time" else 1)
            share, curve = explained(x, e, forwards, folds)
            found.append(
                ResidualPattern(
                    robot.joint_names[i],
                    variable,
                    share,
                    x,
                    e,
                    forwards,
                    curve,
                    (unit, units.effort),
                )
            )
    return sorted(found, key=lambda pattern: -pattern.share)


def explained(
    x: np.ndarray, e: np.ndarray, forwards: np.ndarray, folds: int = FOLDS
) -> tuple[float, np.ndarray]:
    """Return the share of e that a curve over x predicts where it was not fitted, and the curve.

    Rows that go forwards have one curve, the others another; all are of shape (k,). They are
    divided into so many stretches, each predicted from the others.
    """
    H = hats(x)
    H = np.hstack([H * forwards[:, None], H * ~forwards[:, None]])
    size = float(np.sum(e**2))
    if not size:
        return 0.0, np.zeros(len(e))
    left = 0.0
    for part in np.array_split(np.arange(len(e)), min(folds, len(e))):
        rest = np.ones(len(e), bool)
        rest[part] = False
        left += float(np.sum((e[part] - H[part] @ _fitted(H[rest], e[rest])) ** 2))
    return max(0.0, 1 - left / size), H @ _fitted(H, e)


def hats(x: np.ndarray) -> np.ndarray:
    """Return hat functions between knots that have as many rows each, shape (k, at most KNOTS)."""
    at = np.unique(np.quantile(x, np.linspace(0, 1, KNOTS)))
    if len(at) < 2:
        return np.ones((len(x), 1))
    return np.stack([np.interp(x, at, unit) for unit in np.eye(len(at))], axis=1)


def _fitted(H: np.ndarray, e: np.ndarray) -> np.ndarray:
    N = H.T @ H
    return np.linalg.solve(N + SOFT * (1 + np.trace(N)) * np.eye(len(N)), H.T @ e)
