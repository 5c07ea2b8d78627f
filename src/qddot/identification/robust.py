"""Least squares that outliers do not move (Huber)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qddot.checks import positive
from qddot.identification.estimators import Estimator
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.solution import Solution, rounding, solve, weighted

NORMAL = 1.4826  # the deviation of normal noise, by the median of its size


@dataclass(eq=False)
class Huber(Estimator):
    """Residuals beyond `threshold` deviations count by their size, not by its square.

    Solved by reweighting: with r the residual and σᵢ the joint's deviation by the median,

        w = min(1, threshold σᵢ / |r|)
    """

    threshold: float = 1.345  # 95 % as good as least squares where there are no outliers
    rounds: int = 30
    tolerance: float = 1e-4  # of a deviation

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        positive("threshold", self.threshold, wanted="deviations above 0")
        solution, counts = weighted(problem), problem.log.used
        beta, status = solution.beta, "not settled"
        noise, spread, inverse = solution.noise, solution.noise, np.zeros((0, 0))
        for _ in range(self.rounds):
            phi = problem.all_parameters(beta)
            residual = problem.log.tau - problem.regression.torque(problem.log, phi)
            noise = self._scale(problem, residual)
            size = np.abs(residual) / noise
            weights = np.minimum(1, self.threshold / np.maximum(size, 1e-12))
            following, inverse = solve(problem.weighted(weights).stacked(noise))
            deviation = np.linalg.norm(inverse, axis=1)
            step = np.max(np.abs(following - beta) / deviation, initial=0)
            beta = following
            # what clipped residuals say of the deviation of the parameters
            clipped, within = np.minimum(size, self.threshold), size <= self.threshold
            count = np.maximum(counts.sum(axis=0), 1)
            share = np.maximum((within & counts).sum(axis=0) / count, 0.1)
            left = np.maximum(count - len(beta) / len(count), 1)
            spread = noise * np.sqrt((counts * clipped**2).sum(axis=0) / left) / share
            if step < self.tolerance:
                status = "solved"
                break
        each = problem.information
        N = np.tensordot(1 / noise**2, each, axes=1)
        middle = np.tensordot(spread**2 / noise**4, each, axes=1)
        N_inv = np.linalg.inv(N)
        return replace(
            solution, beta=beta, covariance=N_inv @ middle @ N_inv, noise=noise, status=status
        )

    @staticmethod
    def _scale(problem: LeastSquaresProblem, residual: np.ndarray) -> np.ndarray:
        """Return the deviation of each joint by the median, which outliers do not move."""
        columns = zip(np.abs(residual).T, problem.log.used.T, strict=True)
        medians = [np.median(r[use]) if use.any() else 0.0 for r, use in columns]
        return np.maximum(NORMAL * np.array(medians), rounding(problem))
