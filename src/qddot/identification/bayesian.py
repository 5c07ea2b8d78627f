"""What a drawing or a data sheet says of a robot, made better by a log: Bayes.

The parameters are believed before the log to be normal about those of the robot's file, φ₀: each
body to within a share `belief` of its own size (the distance of `back_to_robot`, with root C), and
what a data sheet gives, to within its own deviation. With the noise of the torques normal too,
what is known after the log is normal as well:

    Λ₀ = CᵀC/belief² + Σ eₖ eₖᵀ/sₖ²          Λ = Λ₀ + Σᵢ YᵢᵀYᵢ/σᵢ²
    φ  = Λ⁻¹ (Λ₀ φ₀ + Σᵢ Yᵢᵀτᵢ/σᵢ²)          cov φ = Λ⁻¹

D. Lindley, A. Smith, *Bayes estimates for the linear model*, J. Royal Statistical Society B 34(1),
1972.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import is_number, positive
from qddot.errors import BadArgument, UnknownName
from qddot.identification.back_to_robot import metric_root
from qddot.identification.estimators import SHARE, Estimator
from qddot.identification.grouping import triangle
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.solution import Solution, noise_of, repeats, solve, weighted

if TYPE_CHECKING:
    from qddot.identification.result import Fit


@dataclass(eq=False)
class Bayesian(Estimator):
    """Weighted least squares that stays near what was believed before.

    `belief` is to which share of its own size each body of the robot's file is believed; `known`
    has, by the name of a parameter, its value and its deviation from a data sheet, as in {"j1.m":
    (4.2, 0.05)}.
    """

    belief: float = 1.0
    known: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        start = weighted(problem)
        phi = problem.all_parameters(start.beta)
        residual = problem.log.tau - problem.regression.torque(problem.log, phi)
        kappa = np.full(problem.n, repeats(problem.log, residual).mean())
        R, B = problem.stacked(start.noise * np.sqrt(kappa)), problem.B
        root, centre = self.prior(problem)
        rows = np.vstack([R[:, :-1] @ B, root])
        right = np.concatenate([R[:, -1], root @ centre])
        # what is left to choose where groups are taken for zero: φ = N x
        N = _null_space(problem.Z)
        x, inverse = solve(triangle(np.column_stack([rows @ N, right])))
        spread = N @ inverse
        covariance = spread @ spread.T
        phi = N @ x
        beta = B @ phi
        noise = noise_of(problem, beta, np.zeros(problem.n))
        return Solution(
            beta, B @ covariance @ B.T, noise, phi, repeats=kappa, phi_covariance=covariance
        )

    def prior(self, problem: LeastSquaresProblem) -> tuple[np.ndarray, np.ndarray]:
        """Return a root of Λ₀, shape (m, p), and φ₀ with the values of the data sheet, (p,)."""
        belief = positive("belief", self.belief, wanted=SHARE)
        names, centre = problem.regression.names, problem.prior.copy()
        rows = [metric_root(problem.regression, problem.prior) / belief]
        for name, given in self.known.items():
            if name not in names:
                raise UnknownName("parameter", name, problem.regression.robot.name, names)
            value, deviation = _value_and_deviation(name, given)
            k = names.index(name)
            centre[k] = value
            row = np.zeros(len(names))
            row[k] = 1 / deviation
            rows.append(row[None])
        return np.vstack(rows), centre


def posterior(fit: Fit) -> list[dict[str, Any]]:
    """Return what was believed and what is known now of every parameter, with deviations."""
    solution, problem = fit.solution, fit.problem
    if not isinstance(fit.estimator, Bayesian) or solution.phi_covariance is None:
        raise BadArgument("This fit has no posterior; take method='bayes'.")
    root, centre = fit.estimator.prior(problem)
    before = np.sqrt(np.diag(np.linalg.inv(root.T @ root)))
    after = np.sqrt(np.maximum(np.diag(solution.phi_covariance), 0))
    return [
        {"name": name, "before": a, "deviation_before": s, "value": b, "deviation": d}
        for name, a, s, b, d in zip(
            problem.regression.names,
            centre.tolist(),
            before.tolist(),
            fit.parameters.tolist(),
            after.tolist(),
            strict=True,
        )
    ]


def _value_and_deviation(name: str, given: Any) -> tuple[float, float]:
    pair = isinstance(given, (tuple, list, np.ndarray)) and len(given) == 2
    if not pair or not all(is_number(x) for x in given) or not given[1] > 0:
        raise BadArgument(
            f"known[{name!r}] is {given!r}; give a value and how far it may be off: (4.2, 0.05)."
        )
    return float(given[0]), float(given[1])


def _null_space(Z: np.ndarray) -> np.ndarray:
    """Return a basis of all φ with Z φ = 0, shape (p, p − m)."""
    m, p = Z.shape
    if not m:
        return np.eye(p)
    Q, _ = np.linalg.qr(Z.T, mode="complete")
    return Q[:, m:]
