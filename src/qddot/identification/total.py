"""Least squares where columns are noisy too."""

from __future__ import annotations

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.estimators import Estimator
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.solution import Solution, noise_of, weighted


class TotalLeastSquares(Estimator):
    """Columns are noisy too, all of them and the torques equally by their size.

    From the last singular vector of the weighted [Y τ], its columns scaled to length 1.
    """

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        R = problem.stacked(weighted(problem).noise)
        length = np.linalg.norm(R, axis=0)
        _, values, V = np.linalg.svd(R / length)
        r = problem.rank
        last = V[-1]
        if abs(last[r]) < 1e-12:
            raise BadArgument(
                "Total least squares has no solution: the torques do not depend on the columns."
            )
        x = -last[:r] / last[r]
        beta = x * length[r] / length[:r]
        least = values[-1] ** 2
        A = (R / length)[:, :r]
        spread = np.linalg.inv(A.T @ A - least * np.eye(r))
        rows = max(int(problem.count.sum()) - r, 1)
        scale = length[r] / length[:r]
        covariance = least / rows * (1 + x @ x) * spread * np.outer(scale, scale)
        noise = noise_of(problem, beta, np.zeros(problem.n))
        return Solution(beta, covariance, noise)
