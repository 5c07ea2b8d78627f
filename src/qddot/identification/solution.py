"""What an estimator finds, the arithmetic that they share, and least squares on any regressor.

Deviations of least squares count every row as an independent one. Where a residual knows the next
(a filter has spread it, or it is what the model lacks), the rows are worth fewer, by how much is in
`noise_colour`. With ρ_k the autocorrelation of joint i's residual, about one row in κᵢ is one of
its own:

    κᵢ = 1 + 2 Σ ρ_k

Geyer: C. Geyer, *Practical Markov chain Monte Carlo*, Statistical Science 7(4), 1992: the sum is
taken over pairs ρ_2m + ρ_2m+1 as long as they are positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.checks import numbers
from qddot.errors import BadArgument
from qddot.identification.base_parameters import groups
from qddot.identification.grouping import TOLERANCE, triangle
from qddot.identification.identifiability import Identifiability
from qddot.identification.log import Log
from qddot.identification.problem import LeastSquaresProblem

FLOOR = 1e-10  # of a joint's torque: less noise than that is rounding
UNEVEN = 0.01  # of a step: rows further from their place do not follow each other
LEAST = 2.0  # independent rows a parameter, below which a deviation is a guess


class NoRobot(BadArgument):
    """No robot that can exist is within the bounds, or none was found."""


@dataclass(frozen=True)
class LastingNoise:
    """What noise that goes on from row to row makes of a joint's rows, see `noise_colour`."""

    information: np.ndarray  # (n, r, r), YᵢᵀΩᵢYᵢ, Ωᵢ the covariance of the noise by its power
    freedom: np.ndarray  # (n,), degrees of freedom of that covariance

    def without(self, k: int) -> LastingNoise:
        """Return it for the problem in which a parameter is taken for zero."""
        fewer = np.delete(np.delete(self.information, k, axis=1), k, axis=2)
        return replace(self, information=fewer)


@dataclass(frozen=True)
class Solution:
    """Base parameters, how well they are known, and how noisy each joint is."""

    beta: np.ndarray  # (r,)
    covariance: np.ndarray  # (r, r)
    noise: np.ndarray  # (n,), the standard deviation of each joint's torque
    phi: np.ndarray | None = None  # all parameters, where the method gives them
    status: str = "solved"
    repeats: np.ndarray | None = None  # (n,), how many rows say the same again
    lasting: LastingNoise | None = None
    weights: np.ndarray | None = None  # (n,), what joints counted; None: 1/noise²
    phi_covariance: np.ndarray | None = None  # (p, p), where the method gives it

    @property
    def joint_weights(self) -> np.ndarray:
        """What the squares of each joint counted, shape (n,)."""
        return 1 / self.noise**2 if self.weights is None else self.weights


def solve(R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least squares solution of a factor [R d], and R⁻¹."""
    from scipy.linalg import solve_triangular

    r = R.shape[1] - 1
    A, d = R[:r, :r], R[:r, r]
    length = np.linalg.norm(A, axis=0)
    inverse = solve_triangular(A / length, np.eye(r)) / length[:, None]
    return solve_triangular(A / length, d) / length, inverse


def noise_of(problem: LeastSquaresProblem, beta: np.ndarray, leverage: np.ndarray) -> np.ndarray:
    """Return the deviation of each joint's torque; `leverage` is what parameters took of it."""
    left = np.maximum(problem.count - leverage, 1)
    measured = np.sqrt(problem.squares(beta) / left)
    return np.maximum(measured, rounding(problem))


def rounding(problem: LeastSquaresProblem) -> np.ndarray:
    """Return the least deviation of each joint's torque that is more than rounding."""
    size = np.sqrt(problem.torques / problem.count)
    return FLOOR * np.where(size > 0, size, size.max(initial=0) or 1)


def ordinary(problem: LeastSquaresProblem) -> Solution:
    """Return the solution in which every joint counts the same.

    Its covariance knows that joints are not equally noisy:

        cov β = N⁻¹ (Σ σᵢ² YᵢᵀYᵢ) N⁻¹        N = Σ YᵢᵀYᵢ
    """
    beta, inverse = solve(problem.stacked())
    N_inv, each = inverse @ inverse.T, problem.information
    noise = noise_of(problem, beta, np.einsum("jk,ikj->i", N_inv, each))
    middle = np.tensordot(noise**2, each, axes=1)
    return Solution(beta, N_inv @ middle @ N_inv, noise, weights=np.ones(problem.n))


def weighted(problem: LeastSquaresProblem, rounds: int = 30, tolerance: float = 1e-9) -> Solution:
    """Return the solution in which each joint counts by its own noise, found with it."""
    noise = ordinary(problem).noise
    each = problem.information
    beta, covariance, status = np.zeros(problem.rank), np.zeros((0, 0)), "not settled"
    for _ in range(rounds):
        beta, inverse = solve(problem.stacked(noise))
        covariance = inverse @ inverse.T
        leverage = np.einsum("jk,ikj->i", covariance, each) / noise**2
        found = noise_of(problem, beta, leverage)
        settled = np.all(np.abs(found - noise) <= tolerance * noise)
        noise = found
        if settled:
            status = "solved"
            break
    return Solution(beta, covariance, noise, status=status)


def repeats(log: Log, residual: np.ndarray) -> np.ndarray:
    """Return κ: how many rows each joint's residual lasts, at least 1, shape (n,)."""
    if log.run is not None:  # on average over the runs, each by its torques that count
        parts = [log.run == r for r in range(len(log.runs)) if (log.run == r).any()]
        each = [repeats(replace(log[rows], run=None), residual[rows]) for rows in parts]
        counts = np.array([log.used[rows].sum(axis=0) for rows in parts])
        return np.sum(each * counts, axis=0) / np.maximum(counts.sum(axis=0), 1) + (
            counts.sum(axis=0) == 0
        )
    k, n = residual.shape
    step = np.diff(log.t)
    if k < 8 or np.abs(step - np.median(step)).max() > UNEVEN * abs(np.median(step)):
        return np.ones(n)
    size = 1 << (2 * k - 1).bit_length()
    found = np.ones(n)
    for i in range(n):
        use = log.used[:, i]
        x = np.where(use, residual[:, i], 0.0)
        power = np.abs(np.fft.rfft(x, size)) ** 2
        rho = np.fft.irfft(power, size)[: k // 3]
        if rho[0] <= 0:
            continue
        rho = rho / rho[0]
        pairs = rho[: len(rho) // 2 * 2].reshape(-1, 2).sum(axis=1)
        ends = np.flatnonzero(pairs <= 0)
        last = int(ends[0]) if len(ends) else len(pairs)
        found[i] = max(1.0, 2 * float(pairs[:last].sum()) - 1)
    return found


def widened(
    problem: LeastSquaresProblem, solution: Solution, kappa: np.ndarray, lasting: LastingNoise
) -> Solution:
    """Return a solution whose covariance counts rows by what they are worth.

        cov β = N⁻¹ (Σ YᵢᵀΩᵢYᵢ/σᵢ²) N⁻¹        N = Σ YᵢᵀYᵢ/σᵢ²

    `kappa` is how many rows each joint's residual lasts, see `repeats`; `lasting` are the YᵢᵀΩᵢYᵢ.
    Where there are fewer than two independent rows a parameter, it is not known at all.
    """
    solution = replace(solution, repeats=kappa, lasting=lasting)
    if float(np.sum(problem.count / kappa)) < LEAST * problem.rank:
        return replace(solution, covariance=np.full_like(solution.covariance, np.nan))
    each, power = problem.information, solution.noise**2
    if solution.weights is None:
        covariance = solution.covariance
        more = np.tensordot(1 / power, lasting.information - each, axes=1)
        return replace(solution, covariance=covariance + covariance @ more @ covariance)
    N_inv = np.linalg.inv(np.tensordot(solution.weights, each, axes=1))
    middle = np.tensordot(solution.weights**2 * power, lasting.information, axes=1)
    return replace(solution, covariance=N_inv @ middle @ N_inv)


def degrees_of_freedom(problem: LeastSquaresProblem, solution: Solution) -> np.ndarray:
    """Return by how many independent numbers the deviation of each value is known, shape (r,).

    A variance is a sum over joints, each with the degrees of freedom of its noise (Satterthwaite):

        ν = (Σ vᵢ)² / Σ vᵢ²/νᵢ
    """
    most = max(int(problem.count.sum()) - problem.rank, 1)
    lasting = solution.lasting
    if lasting is None:
        return np.full(problem.rank, float(most))
    weights = solution.joint_weights
    N_inv = np.linalg.inv(np.tensordot(weights, problem.information, axes=1))
    parts = np.einsum("jk,ikl,lj->ij", N_inv, lasting.information, N_inv)
    parts = (weights * solution.noise)[:, None] ** 2 * parts
    sure = np.sum(parts**2 / lasting.freedom[:, None], axis=0)
    return np.clip(parts.sum(axis=0) ** 2 / np.where(sure > 0, sure, 1), 1, most)


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
    Y, tau = Y.reshape(-1, p), numbers("tau", tau).reshape(-1)
    if len(tau) != len(Y):
        raise BadArgument(f"There are {len(tau)} torques for {len(Y)} rows of Y; give as many.")
    answer = found
    if identifiability is not None and identifiability.columns.kept == found.columns.kept:
        answer = identifiability
    if found.rank < p and not base:
        many = len(Y) < p
        remedy = "Give more rows, or solve" if many else "Solve"
        raise BadArgument(
            f"YᵀY has no inverse: rank {found.rank} of {p}. {answer.sentence}.\n"
            f"  {_first_why(answer)}\n  {remedy} for these groups: base=True."
        )
    kept = list(found.columns.kept)
    R = triangle(np.column_stack([Y[:, kept], tau]))
    values, inverse = solve(R)
    left = tau - Y[:, kept] @ values
    noise = np.sqrt(left @ left / max(len(Y) - len(kept), 1))
    return LeastSquares(
        answer.base_names,
        values,
        noise * np.linalg.norm(inverse, axis=1),
        float(np.linalg.norm(left) / (np.linalg.norm(tau) or 1)),
        answer,
    )


def _first_why(answer: Identifiability) -> str:
    hidden = [name for name in answer.together if name not in {g.name for g in answer.groups}]
    return answer.why((hidden or list(answer.none))[0])
