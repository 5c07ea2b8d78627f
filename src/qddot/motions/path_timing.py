"""The equation of motion along a path of joint positions, and the fastest way from rest to rest.

Along q = Q(s) the equation is linear in u = s̈ and x = ṡ², but for friction φ:

    τ = M Q′ u + (M Q″ + c(q, Q′)) x + g + φ(Q′ √x)

The fastest way is found by reachability analysis. With u constant between two points of a grid, x
is linear in s:

    xᵢ₊₁ = xᵢ + 2 Δᵢ uᵢ

and every limit is a half-plane A u + B x ≤ C. A pass from the end finds the interval Kᵢ of every xᵢ
from which the end can be reached at rest; a pass from the start then takes the largest u that
stays in K. Each limit holds at both ends of its piece.

Bobrow, Dubowsky, Gibson, Time-Optimal Control of Robotic Manipulators Along Specified Paths,
International Journal of Robotics Research 4(3), 1985.
TOPP-RA: Pham, Pham, A New Approach to Time-Optimal Path Parameterization Based on Reachability
Analysis, IEEE Transactions on Robotics 34(3), 2018. The linear programs there have two unknowns;
here u is eliminated from them in closed form (Fourier and Motzkin).
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


@dataclass(frozen=True)
class HalfPlanes:
    """A u + B x ≤ C at every point of a grid, r half-planes each: three arrays (N + 1, r)."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray


class Blocked(Exception):
    """From this point of the grid on, the end cannot be reached at rest."""

    def __init__(self, k: int):
        self.k = k
        super().__init__(f"the controllable set is empty at point {k}")


def fastest(planes: HalfPlanes, delta: np.ndarray) -> np.ndarray:
    """Return x = ṡ² at every point of the grid, zero at both ends.

    Args:
        planes: The limits.
        delta: How long the pieces between the points are, shape (N,).

    Raises:
        Blocked: Where no speed allows to go on.
    """
    sets = controllable(planes, delta)
    x = np.zeros(len(sets))
    if sets[0, 0] > 0:
        raise Blocked(0)
    for i in range(len(x) - 1):
        A, B, C = _stage(planes, i, delta[i], sets[i + 1])
        up = A > 0
        u = ((C[up] - B[up] * x[i]) / A[up]).min()
        x[i + 1] = np.clip(x[i] + 2 * delta[i] * u, *sets[i + 1])
        if x[i] + x[i + 1] <= 0:
            raise Blocked(i)
    return x


def controllable(planes: HalfPlanes, delta: np.ndarray) -> np.ndarray:
    """Return the lowest and the highest x from which the end can be reached, shape (N + 1, 2)."""
    sets = np.zeros((len(planes.A), 2))
    for i in range(len(sets) - 2, -1, -1):
        low, high = x_range(*_stage(planes, i, delta[i], sets[i + 1]))
        if low > high:
            raise Blocked(i)
        sets[i] = low, high
    return sets


def _stage(
    planes: HalfPlanes, i: int, delta: float, following: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the half-planes of a piece: those of its start, of its end, and of where it ends."""
    A, B, C = planes.A, planes.B, planes.C
    low, high = following
    return (
        np.concatenate([A[i], A[i + 1] + 2 * delta * B[i + 1], [2 * delta, -2 * delta, 0]]),
        np.concatenate([B[i], B[i + 1], [1, -1, -1]]),
        np.concatenate([C[i], C[i + 1], [high, -low, 0]]),
    )


def x_range(A: np.ndarray, B: np.ndarray, C: np.ndarray) -> tuple[float, float]:
    """Return the lowest and the highest x for which some u has A u + B x ≤ C.

    Every upper bound of u must be above every lower one, which is linear in x:

        A₊ > 0, A₋ < 0:  (A₊ B₋ − A₋ B₊) x ≤ A₊ C₋ − A₋ C₊
    """
    size = np.abs(A) + np.abs(B)
    size[size == 0] = 1
    A, B, C = A / size, B / size, C / size
    up, down, none = A > 1e-13, A < -1e-13, np.abs(A) <= 1e-13
    slope = np.outer(A[up], B[down]) - np.outer(B[up], A[down])
    bound = np.outer(A[up], C[down]) - np.outer(C[up], A[down])
    slope, bound = np.append(slope, B[none]), np.append(bound, C[none])
    with np.errstate(divide="ignore", invalid="ignore"):
        at = bound / slope
    flat = np.abs(slope) <= 1e-13
    if (bound[flat] < -1e-12).any():
        return 1.0, 0.0
    high = at[~flat & (slope > 0)].min(initial=np.inf)
    low = at[~flat & (slope < 0)].max(initial=0.0)
    # an interval that is one point may seem empty by rounding
    return (float(high), float(high)) if 0 < low - high < 1e-9 * high else (float(low), float(high))
