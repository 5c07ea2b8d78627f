"""Torques of a log beside those that the robot's own file expects at the same states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import Problem
from qddot.identification.log import Log

RATES = (1 / 1000, 1 / 100, 1 / 50, 1 / 20, 1 / 10, 1 / 5, 5, 10, 20, 50, 100, 1000)
SCALE = 2.0  # torques that are so many times those of the robot's file are not N·m
SHAPE = 0.6  # the correlation with the file's torque from which its size is compared
FASTER = 0.6  # of what is left of the torques, where another rate explains them


@dataclass(frozen=True)
class AgainstFile:
    """How measured torques compare, friction and offset taken off, joint by joint."""

    alike: np.ndarray  # (n,), the correlation with the torque that the file expects
    ratio: np.ndarray  # (n,), measured over expected
    left: dict[float, float]  # by factor of the rate, what is left: the geometric mean over joints

    @staticmethod
    def of(robot: Any, log: Log) -> AgainstFile:
        """Compare some rows where their torques count."""
        gravity = robot.gravity_torque(log.q)
        moving = robot.without("friction").inverse_dynamics(log.q, log.qd, log.qdd) - gravity
        each = [
            _of_joint(*(x[log.used[:, i], i] for x in (gravity, moving, log.qd, log.tau)))
            for i in range(robot.n)
        ]
        left = {r: float(np.exp(np.mean([np.log(e[2][r]) for e in each]))) for r in (1.0, *RATES)}
        return AgainstFile(np.array([e[0] for e in each]), np.array([e[1] for e in each]), left)

    def rate(self) -> float | None:
        """Return the factor by which rows are faster than was said, if that explains torques."""
        best = min(self.left, key=lambda r: self.left[r])
        return best if best != 1 and self.left[best] < FASTER * self.left[1.0] else None

    def sizes(self) -> Iterator[Problem]:
        """Yield torques that are much larger or smaller than those of the robot's own masses."""
        known = np.abs(self.alike) > SHAPE
        if not known.any():
            return
        middle = float(np.median(self.ratio[known]))
        if middle < 0:
            yield Problem(
                "warning",
                "torque",
                "torques have the other sign than those of the robot's own masses",
                "Turn them, gear={'tau': [-1, ...]}, or check gravity in the robot's file.",
            )
        near = np.abs(np.log(np.maximum(self.ratio[known] / middle, 1e-9))) < np.log(2)
        if middle > 0 and not 1 / SCALE < middle < SCALE and 2 * near.sum() >= known.sum():
            each = ", ".join(f"{x:.2g}" for x in self.ratio[known])
            yield Problem(
                "warning",
                "torque",
                f"torques are {middle:.2g} times those of the robot's own masses ({each} by "
                "joint), so parameters will be as far off",
                "If these are amperes: units={'tau': 'A'}, torque_constants=[...]; if they are of "
                "motors: gear={'tau': [...]}; or else the masses in the robot's file are wrong.",
            )


def _of_joint(
    gravity: np.ndarray, moving: np.ndarray, qd: np.ndarray, tau: np.ndarray
) -> tuple[float, float, dict[float, float]]:
    """Return correlation, ratio, and what is left at each rate, of one joint."""
    rest = np.column_stack([qd, np.sign(qd), np.ones(len(qd))])
    Q, _ = np.linalg.qr(rest)

    def own(x: np.ndarray) -> np.ndarray:
        return x - Q @ (Q.T @ x)

    y = own(tau)
    size = float(np.linalg.norm(y))
    found: dict[float, tuple[float, float]] = {}
    for r in (1.0, *RATES):
        x = own(gravity + r * r * moving)
        power = float(x @ x)
        ratio = float(x @ y) / power if power > 0 else 0.0
        alike = float(x @ y) / (np.sqrt(power) * size) if power > 0 and size > 0 else 0.0
        found[r] = alike, ratio
    left = {r: float(np.sqrt(max(1 - alike**2, 1e-6))) for r, (alike, _) in found.items()}
    return *found[1.0], left
