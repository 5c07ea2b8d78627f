"""What an estimator finds, and the arithmetic of deviations that they share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.accumulate import Factors
from qddot.identification.grouping import condition
from qddot.identification.identifiability import Identifiability
from qddot.identification.regression import Regression
from qddot.identification.samples import Samples

FLOOR = 1e-10  # of a joint's torque: less noise than that is rounding


class NoRobot(BadArgument):
    """No robot that can exist is within the bounds, or none was found."""


@dataclass(frozen=True)
class Problem:
    """All that there is to solve: the columns, the base parameters, the log in factors."""

    regression: Regression
    base: Identifiability
    factors: Factors
    samples: Samples | None = None
    zero: tuple[np.ndarray, ...] = ()  # combinations that are taken for zero, each (p,)
    whole: Problem | None = None  # the problem in which nothing was

    @cached_property
    def Z(self) -> np.ndarray:
        """What is taken for zero, Z φ = 0, shape (m, p)."""
        return np.array(self.zero).reshape(-1, len(self.regression.names))

    @cached_property
    def B(self) -> np.ndarray:
        return self.base.B

    @property
    def prior(self) -> np.ndarray:
        return self.regression.prior


@dataclass(frozen=True)
class Solution:
    """Base parameters, how well they are known, and how noisy each joint is."""

    beta: np.ndarray  # (r,)
    covariance: np.ndarray  # (r, r)
    noise: np.ndarray  # (n,), the standard deviation of each joint's torque
    phi: np.ndarray | None = None  # all parameters, where the method gives them
    status: str = "solved"
    repeats: np.ndarray | None = None  # (n,), how many rows say the same again


def solve(R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least squares solution of a factor [R d], and R⁻¹."""
    from scipy.linalg import solve_triangular

    r = R.shape[1] - 1
    A, d = R[:r, :r], R[:r, r]
    length = np.linalg.norm(A, axis=0)
    inverse = solve_triangular(A / length, np.eye(r)) / length[:, None]
    return solve_triangular(A / length, d) / length, inverse


def information(factors: Factors) -> np.ndarray:
    """Return YᵀY of each joint, shape (n, r, r)."""
    return np.stack([R[:, :-1].T @ R[:, :-1] for R in factors.joints])


def noise_of(factors: Factors, beta: np.ndarray, leverage: np.ndarray) -> np.ndarray:
    """Return the deviation of each joint's torque; `leverage` is what parameters took of it."""
    left = np.maximum(factors.count - leverage, 1)
    measured = np.sqrt(factors.squares(beta) / left)
    size = np.sqrt(factors.torques / factors.count)
    floor = FLOOR * np.where(size > 0, size, size.max(initial=0) or 1)
    return np.maximum(measured, floor)


def ordinary(factors: Factors) -> Solution:
    """Return the solution in which every joint counts the same.

    Its covariance knows that joints are not equally noisy:

        cov β = N⁻¹ (Σ σᵢ² YᵢᵀYᵢ) N⁻¹        N = Σ YᵢᵀYᵢ
    """
    beta, inverse = solve(factors.stacked(np.ones(factors.n)))
    N_inv, each = inverse @ inverse.T, information(factors)
    noise = noise_of(factors, beta, np.einsum("jk,ikj->i", N_inv, each))
    middle = np.tensordot(noise**2, each, axes=1)
    return Solution(beta, N_inv @ middle @ N_inv, noise)


def weighted(factors: Factors, rounds: int = 30, tolerance: float = 1e-9) -> Solution:
    """Return the solution in which each joint counts by its own noise, found with it."""
    noise = ordinary(factors).noise
    each = information(factors)
    beta, covariance, status = np.zeros(factors.rank), np.zeros((0, 0)), "not settled"
    for _ in range(rounds):
        beta, inverse = solve(factors.stacked(noise))
        covariance = inverse @ inverse.T
        leverage = np.einsum("jk,ikj->i", covariance, each) / noise**2
        found = noise_of(factors, beta, leverage)
        settled = np.all(np.abs(found - noise) <= tolerance * noise)
        noise = found
        if settled:
            status = "solved"
            break
    return Solution(beta, covariance, noise, status=status)


def condition_of(factors: Factors) -> float:
    """Return the condition number of the base regressor, columns scaled to the same length."""
    return condition(factors.stacked(np.ones(factors.n))[: factors.rank, :-1])
