"""The equation of motion along a path of joint positions.

Along q = Q(s) it is linear in u = s̈ and x = ṡ², but for friction φ:

    τ = M Q′ u + (M Q″ + c(q, Q′)) x + g + φ(Q′ √x)

Bobrow, Dubowsky, Gibson, Time-Optimal Control of Robotic Manipulators Along Specified Paths,
International Journal of Robotics Research 4(3), 1985.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.motions.path import Path
from qddot.robot import Robot

TINY = 1e-30  # the x at which friction is taken for that of the start of a motion


@dataclass(frozen=True)
class PathLimits:
    """What every joint may do, shape (n,) each, infinite where it may do anything."""

    effort: np.ndarray  # [N·m or N]
    velocity: np.ndarray  # [rad/s or m/s]
    acceleration: np.ndarray  # [rad/s² or m/s²]


@dataclass(frozen=True)
class Dynamics:
    """The equation of motion along a path, at some places of it: arrays of shape (k, n)."""

    robot: Robot
    q: np.ndarray
    slope: np.ndarray  # Q′
    bend: np.ndarray  # Q″
    a: np.ndarray  # M Q′
    b: np.ndarray  # M Q″ + c(q, Q′)
    g: np.ndarray  # gravity and springs
    damping: np.ndarray  # of what couples joints, at ṡ = 1

    @staticmethod
    def along(robot: Robot, path: Path, s: np.ndarray) -> Dynamics:
        q, slope, bend = path.curve.values(s)
        M = robot.mass_matrix(q)
        still = np.zeros_like(q)
        return Dynamics(
            robot,
            q,
            slope,
            bend,
            (M @ slope[..., None])[..., 0],
            (M @ bend[..., None])[..., 0] + robot.velocity_torque(q, slope),
            robot.bias_torque(q, still) - robot.friction_torque(still),
            _damping(robot, q, slope),
        )

    def friction(self, speed: np.ndarray) -> np.ndarray:
        """Return φ at a speed ṡ > 0."""
        v = speed[:, None]
        return self.robot.friction_torque(self.slope * v) + self.damping * v

    def uses(self, x: np.ndarray, u: np.ndarray, limits: PathLimits) -> np.ndarray:
        """Return which share of each limit is used: ±τ, ±q̈ and q̇² in turn, shape (k, 5n)."""
        x, u = x[:, None], u[:, None]
        tau = self.a * u + self.b * x + self.g + self.friction(np.sqrt(np.maximum(x[:, 0], TINY)))
        qdd = self.slope * u + self.bend * x
        tau, qdd = tau / limits.effort, qdd / limits.acceleration
        return np.hstack([tau, -tau, qdd, -qdd, self.slope**2 * x / limits.velocity**2])


def _damping(robot: Robot, q: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return the torque of dampers between joints: what is odd in q̇ and not friction."""
    if not robot.model.couplings:
        return np.zeros_like(q)
    every = robot.bias_torque(q, slope) - robot.bias_torque(q, -slope)
    return (every - robot.friction_torque(slope) + robot.friction_torque(-slope)) / 2
