"""Small motions about a state: A and B of ẋ = A x + B u, frequencies, damping, shapes.

M δq̈ + D δq̇ + K δq = δτ        M = ∂τ/∂q̈,  D = ∂τ/∂q̇,  K = ∂τ/∂q at the state
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import joint_vector
from qddot.errors import BadArgument
from qddot.plain_text import fitted

if TYPE_CHECKING:
    from qddot.robot.robot import Robot

EPS = np.finfo(float).eps
# of what is in A: a double pole at zero, as of a free body, comes out as √ε; a real part as ε
ZERO, ZERO_REAL = 8 * np.sqrt(EPS), 64 * EPS
LONGEST_STEP = 0.5  # [rad or m] of a search for an equilibrium
MOST_STEPS = 200
BALANCED = 1e-12  # of the torques that balance


@dataclass(frozen=True)
class Mode:
    """One way to swing: a pair of poles that are conjugate, or a single real pole."""

    frequency: float  # [rad/s] |λ|, the natural frequency without damping
    damping: float  # ζ = −Re λ/|λ|: 1 decays without swinging, below 0 grows, NaN if λ = 0
    pole: complex  # [1/s] λ, the one of the pair with Im λ ≥ 0
    shape: np.ndarray  # (n,) how the joints take part, the largest as 1


@dataclass(frozen=True, eq=False)
class Linearisation:
    """A robot about a state, to first order: M δq̈ + D δq̇ + K δq = δτ."""

    q: np.ndarray  # (nq,) where
    qd: np.ndarray  # (n,)
    qdd: np.ndarray  # (n,)
    tau: np.ndarray  # (n,) the torques that hold the state
    M: np.ndarray  # (n, n) the mass matrix
    D: np.ndarray  # (n, n) ∂τ/∂q̇
    K: np.ndarray  # (n, n) ∂τ/∂q

    @cached_property
    def A(self) -> np.ndarray:
        """The matrix A of ẋ = A x + B u, with x = (δq, δq̇) and u = δτ, shape (2n, 2n)."""
        n = len(self.M)
        below = -np.linalg.solve(self.M, np.hstack([self.K, self.D]))
        return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), below])

    @cached_property
    def B(self) -> np.ndarray:
        """The matrix B of ẋ = A x + B u, shape (2n, n)."""
        return np.vstack([np.zeros_like(self.M), np.linalg.inv(self.M)])

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """The ways to swing, the slowest first; of a conjugate pair of poles, one."""
        n, scale = len(self.M), np.abs(self.A).max(initial=0)
        found = []
        for pole, vector in zip(*_eigen(self.A), strict=True):
            real = pole.real if abs(pole.real) > ZERO_REAL * scale else 0.0
            pole = complex(real, pole.imag) if abs(pole) > ZERO * scale else 0j
            if pole.imag < 0:
                continue
            shape = vector[:n] / vector[np.argmax(np.abs(vector[:n]))]
            shape = shape.real if np.abs(shape.imag).max() <= ZERO else shape
            damping = -pole.real / abs(pole) if pole else np.nan
            found.append(Mode(abs(pole), damping + 0.0, pole, shape))
        return tuple(sorted(found, key=lambda mode: (mode.frequency, -mode.pole.real)))

    @property
    def stable(self) -> bool:
        """Whether every small motion dies out: all poles have a negative real part."""
        return all(mode.pole.real < 0 for mode in self.modes)

    @fitted
    def __repr__(self) -> str:
        lines = [f"about q = {_row(self.q)}, held by τ = {_row(self.tau)}"]
        lines.append("   ω [rad/s]           ζ  shape")
        for mode in self.modes:
            lines.append(f"{mode.frequency:12.6g} {mode.damping:11.6g}  {_row(mode.shape)}")
        return "\n".join(lines)


def linearised(robot: Robot, q: Any, qd: Any = None, qdd: Any = None) -> Linearisation:
    """Return a robot about a state, to first order."""
    exact = robot.with_options(dtype="float64")

    def given(name: str, x: Any) -> np.ndarray:
        return np.zeros(robot.n) if x is None else joint_vector(robot, name, x)

    q = joint_vector(robot, "q", q, robot.model.position_names)
    qd, qdd = given("qd", qd), given("qdd", qdd)
    K, D = exact.inverse_dynamics_derivatives(q, qd, qdd)
    tau = exact.inverse_dynamics(q, qd, qdd)
    return Linearisation(q, qd, qdd, tau, exact.mass_matrix(q), D, K)


def equilibrium(robot: Robot, tau: Any = None, near: Any = None) -> np.ndarray:
    """Return a position at which constant torques hold the robot still, by Newton's method."""
    exact = robot.with_options(dtype="float64")
    n, still = robot.n, np.zeros(robot.n)
    wanted = still if tau is None else joint_vector(robot, "tau", tau)
    names = robot.model.position_names
    q = np.array(robot.home if near is None else joint_vector(robot, "near", near, names))
    for _ in range(MOST_STEPS):
        missing = wanted - exact.bias_torque(q, still)
        slope = exact.inverse_dynamics_derivatives(q, still, still)[0]
        scale = max(np.abs(wanted).max(initial=0), np.abs(slope).max(initial=0))
        if np.abs(missing).max(initial=0) <= BALANCED * scale:
            return q
        step = np.linalg.lstsq(slope, missing, rcond=1e-12)[0]
        longest = np.abs(step).max(initial=0)
        q = robot.tree.step(q, step * min(1.0, LONGEST_STEP / longest) if longest else step)
        q = np.array(q, dtype=float)
    raise BadArgument(
        f"No equilibrium of {robot.name!r} was found with these torques, from where the search "
        f"began.\n  Give a position near it, near=[...] ({n} numbers), or torques that can balance."
    )


def _eigen(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues of a matrix and, row by row, their vectors."""
    values, vectors = np.linalg.eig(A)
    return values, vectors.T


def _row(x: np.ndarray) -> str:
    return np.array2string(x, precision=4, suppress_small=True, max_line_width=1000)
