"""Plain Python loops that step a robot, for compiled ones to be compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import fsolve

from qddot.dynamics.friction import friction_torque, smooth_direction
from qddot.robot import Robot

# t, q, q̇, x to τ and ẋ
Law = Callable[..., tuple[np.ndarray, np.ndarray]]
NO_STATE = np.zeros(0)


def constant(tau: Any) -> Law:
    return lambda t, q, qd, x: (np.asarray(tau, dtype=float), 0 * x)


class Loop:
    """One trajectory of a robot under a law, step after step."""

    def __init__(self, robot: Robot, law: Law, smoothing: float = 0.01):
        self.robot, self.law, self.smoothing = robot, law, smoothing

    def run(
        self, method: str, q: Any, qd: Any, steps: int, h: float, x: Any = NO_STATE
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, q̇ and x at the start and after every step."""
        z = [np.asarray(part, dtype=float) for part in (q, qd, x)]
        rows = [z]
        step = getattr(self, method)
        for k in range(steps):
            z = step(k * h, h, *z)
            rows.append(z)
        return tuple(np.array([row[i] for row in rows]) for i in range(3))  # type: ignore[return-value]

    def friction(self, qd: np.ndarray) -> np.ndarray:
        tree = self.robot.tree
        return np.array(
            friction_torque(tree, qd, smooth_direction(tree, qd, self.smoothing)), float
        )

    def rates(self, t: float, q: Any, qd: Any, x: Any) -> list[np.ndarray]:
        tau, xd = self.law(t, q, qd, x)
        # the robot's own friction taken back, the smooth one put in its place
        own = np.array(friction_torque(self.robot.tree, qd), float)
        return [qd, self.robot.forward_dynamics(q, qd, tau + own - self.friction(qd)), xd]

    def semi_implicit_euler(self, t: float, h: float, q: Any, qd: Any, x: Any) -> list[np.ndarray]:
        _, qdd, xd = self.rates(t, q, qd, x)
        qd = qd + h * qdd
        return [q + h * qd, qd, x + h * xd]

    def rk4(self, t: float, h: float, *z: Any) -> list[np.ndarray]:
        def moved(k: Any, by: float) -> list[np.ndarray]:
            return [a + by * b for a, b in zip(z, k, strict=True)]

        k1 = self.rates(t, *z)
        k2 = self.rates(t + h / 2, *moved(k1, h / 2))
        k3 = self.rates(t + h / 2, *moved(k2, h / 2))
        k4 = self.rates(t + h, *moved(k3, h))
        parts = zip(z, k1, k2, k3, k4, strict=True)
        return [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in parts]

    def midpoint(self, t: float, h: float, q: Any, qd: Any, x: Any) -> list[np.ndarray]:
        robot, n = self.robot, self.robot.n
        z = np.concatenate([q, robot.mass_matrix(q) @ qd, x])

        def better(middle: np.ndarray) -> np.ndarray:
            a, p, b = middle[:n], middle[n : 2 * n], middle[2 * n :]
            v = np.linalg.solve(robot.mass_matrix(a), p)
            tau, xd = self.law(t + h / 2, a, v, b)
            # what the bias has besides velocity torques is gravity, friction and springs
            own = np.array(friction_torque(robot.tree, v), float)
            held = robot.bias_torque(a, v) - robot.velocity_torque(a, v) - own + self.friction(v)
            pd = robot.coriolis_matrix(a, v).T @ v + tau - held
            return z + h / 2 * np.concatenate([v, pd, xd])

        middle = fsolve(lambda x: better(x) - x, z, xtol=1e-12)
        after = 2 * middle - z
        q, p, x = after[:n], after[n : 2 * n], after[2 * n :]
        return [q, np.linalg.solve(robot.mass_matrix(q), p), x]
