"""The parameters under which a log is most likely, each joint with noise of its own colour.

What a model leaves of a joint's torque is taken for an autoregression (`noise_colour`), which is
found with the parameters. The likelihood is that of the innovations: rows are whitened,
Ỹ(t) = Y(t) − Σ aₖ Y(t − k), τ alike, and then count the same. The first rows of a stretch know
fewer before them; they take the best predictor of that order, so that no row is lost.

Ljung: L. Ljung, *System Identification*, 2nd ed., 1999, §7.4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qddot.checks import whole
from qddot.identification.estimators import Estimator
from qddot.identification.grouping import triangle
from qddot.identification.log import CHUNK
from qddot.identification.noise_colour import Colour, colour, stretches
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.solution import Solution, noise_of, weighted


@dataclass(eq=False)
class MaximumLikelihood(Estimator):
    """Rows count by what they say that those before them did not.

    Args:
        order: Of each joint's noise; found for each joint if not given.
    """

    order: int | None = None
    rounds: int = 30
    tolerance: float = 1e-2  # of a deviation

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        if self.order is not None:
            whole("order", self.order, 0, wanted="a whole number from 0")
        start = weighted(problem)
        beta, status = start.beta, "not settled"
        covariance = start.covariance
        for _ in range(self.rounds):
            phi = problem.all_parameters(beta)
            residual = problem.log.tau - problem.regression.torque(problem.log, phi)
            colours = [
                colour(residual[:, i], stretches(problem.log, i), self.order)
                for i in range(problem.n)
            ]
            found = weighted(whitened(problem, colours))
            deviation = np.sqrt(np.diag(found.covariance))
            step = float(np.max(np.abs(found.beta - beta) / deviation, initial=0))
            beta, covariance = found.beta, found.covariance
            if step < self.tolerance:
                status = "solved"
                break
        noise = noise_of(problem, beta, np.zeros(problem.n))
        return Solution(beta, covariance, noise, status=status, repeats=np.ones(problem.n))


def whitened(problem: LeastSquaresProblem, colours: list[Colour]) -> LeastSquaresProblem:
    """Return the problem whose rows are innovations, in one block."""
    regression, log = problem.regression, problem.log
    kept = np.array(problem.base.columns.kept, dtype=int)
    known = [np.minimum(stretches(log, i), colours[i].order) for i in range(problem.n)]
    reach = max(c.order for c in colours)
    Rs = [np.zeros((0, len(c) + 1)) for c in problem.seen]
    for at in range(0, len(log), CHUNK):
        first = max(0, at - reach)
        part = log[first : at + CHUNK]
        Y = regression.columns(part)[..., kept]
        tau = part.tau - regression.rest(part)
        weight = None if part.weight is None else np.sqrt(part.weight[at - first :])
        for i, columns in enumerate(problem.seen):
            rows = np.column_stack([Y[:, i, columns], tau[:, i]])
            before = known[i][first : at + CHUNK].copy()
            before[: at - first] = -1  # rows of the chunk before, here only for those after them
            fresh = colours[i].whitened(rows, before)[at - first :]
            if weight is not None:
                fresh = fresh * weight[:, None]
            Rs[i] = triangle(np.vstack([Rs[i], fresh[before[at - first :] >= 0]]))
    counts = problem.counts.sum(axis=0, keepdims=True)
    return replace(problem, blocks=(tuple(Rs),), counts=counts, edges=np.array([0, len(log)]))
