"""Estimators with one interface, in scikit-learn's habit: fit, predict, score, results_.

    estimator = WeightedLeastSquares(robot, terms=("friction",)).fit(log)
    estimator.parameters_, estimator.deviations_, estimator.result_.robot

Gautier: M. Gautier, P. Poignet, *Extended Kalman filtering and weighted least squares dynamic
identification of robot*, Control Engineering Practice 9(12), 2001: weights a joint.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from qddot.errors import BadArgument
from qddot.identification.grouping import triangle
from qddot.identification.lasting import repeats, widened
from qddot.identification.log import Log
from qddot.identification.one_thread import one_thread
from qddot.identification.options import check_belief, check_blocks, check_decimate
from qddot.identification.prior import metric_root
from qddot.identification.problem import filtered, problem_of
from qddot.identification.regression import Regression
from qddot.identification.samples import as_samples
from qddot.identification.solution import Problem, Solution, noise_of, ordinary, solve, weighted

if TYPE_CHECKING:
    from qddot.identification.result import Fit


ENOUGH = 2  # torques a parameter that decimation must leave
ALIKE = 2.5  # rows a period of the cut-off: more say the same again


def _judge_rows(log: Any) -> None:
    """Warn of rows whose torques were filtered and whose columns are not."""
    from qddot.errors import IdentificationWarning

    bandwidth = getattr(log, "bandwidth", None)
    if bandwidth and log.rate > ALIKE * bandwidth:
        warnings.warn(
            f"{log.rate:.4g} rows a second are fitted, their torques filtered at {bandwidth:.3g} "
            "Hz, and their columns are not: dry friction, and what is told from it, comes out "
            f"wrong. Give decimate={bandwidth:.2g}.",
            IdentificationWarning,
            stacklevel=4,
        )


@dataclass(eq=False)
class Estimator:
    """What every estimator has.

    Args:
        robot: The robot; its own parameters are the prior.
        terms: What to add to them: "viscous", "coulomb" (both: "friction"), "offset",
            "rotor_inertia".
        extra: Further columns by name, see `extra_columns`.
        unexcited: What to do with a log that does not show every base parameter: "refuse", or
            "merge" them into the groups that it does show.
        blocks: Into how many pieces of time the log is divided for cross-validation.
        decimate: About how many rows a second to keep [Hz], columns and torques both filtered
            (parallel decimation). "auto": as many as the cut-off at which a log was filtered, if
            it has more; None: every row.
    """

    robot: Any = field(repr=False)
    terms: Sequence[str] = field(default=(), kw_only=True)
    extra: Any = field(default=(), kw_only=True, repr=False)
    unexcited: str = field(default="refuse", kw_only=True)
    blocks: int = field(default=10, kw_only=True)
    decimate: float | str | None = field(default="auto", kw_only=True)

    def fit(self, log: Any, *more: Any) -> Self:
        """Find the parameters from a log, or from (q, qd, qdd, tau) of shape (k, n).

        A log without accelerations is made ready first, by `prepared(log, robot)`. What looks wrong
        with a log is told by warnings, and kept in the result's `doubts`.
        """
        from qddot.errors import IdentificationWarning
        from qddot.identification.doubts import doubts
        from qddot.identification.preparation import prepared
        from qddot.identification.result import Fit

        check_blocks(self.blocks)
        if isinstance(log, Log) and log.qdd is None and log.tau is not None:
            log = prepared(log, self.robot, terms=self.terms, extra=self.extra)
        samples = rows = as_samples(self.robot, (log, *more) if more else log)
        with one_thread():
            regression = Regression.of(self.robot, self.terms, self.extra)
            regression.check_extra(samples)
            rate = self._rate(log, regression)
            if rate is not None:
                samples = filtered(regression, samples, rate)
            problem = problem_of(regression, samples, self.unexcited, self.blocks)
            found = doubts(regression, rows) if isinstance(log, Log) else ()
            for doubt in found:
                warnings.warn(str(doubt), IdentificationWarning, stacklevel=3)
            fit = Fit(problem, self.solved(problem), self, (), log, rows, found, rate)
            wide = widened(problem, fit.solution, repeats(samples, fit.residuals))
            self.result_ = replace(fit, solution=wide)
        return self

    def _rate(self, log: Any, regression: Regression) -> float | None:
        """Return how many rows a second to keep [Hz], or None for all; warn where that is wrong."""
        if self.decimate != "auto":
            check_decimate(self.decimate)
        bandwidth = getattr(log, "bandwidth", None)
        if self.decimate == "auto" and bandwidth and log.rate > ALIKE * bandwidth:
            # too short a log is fitted as it is: a filter that takes most of it helps nobody
            enough = ENOUGH * len(regression.names)
            if log.duration * bandwidth * log.n >= enough:
                return float(bandwidth)
        if self.decimate is None or self.decimate == "auto":
            _judge_rows(log)
            return None
        return float(self.decimate)

    def solved(self, problem: Problem) -> Solution:
        """Return the solution of a problem; this is what estimators differ in."""
        raise NotImplementedError

    def predict(self, q: Any, qd: Any = None, qdd: Any = None) -> np.ndarray:
        """Return the torques that the found parameters give, shape (k, n)."""
        return self.fitted.predict(q, qd, qdd)

    def score(self, log: Any, *more: Any) -> float:
        """Return R² on a log, averaged over the joints: 1 is perfect, 0 no better than a mean."""
        samples = as_samples(self.robot, (log, *more) if more else log)
        residual = samples.tau - self.fitted.predict(samples)
        spread = samples.tau - samples.tau.mean(axis=0)
        total = np.sum(spread**2, axis=0)
        moved = total > 0
        share = np.sum(residual**2, axis=0)[moved] / total[moved]
        return float(1 - share.mean()) if moved.any() else float("nan")

    @property
    def fitted(self) -> Fit:
        """The result of `fit`."""
        if not hasattr(self, "result_"):
            raise BadArgument(f"{type(self).__name__} has not been fitted; call fit(log) first.")
        return self.result_

    @property
    def names_(self) -> tuple[str, ...]:
        return self.fitted.names

    @property
    def parameters_(self) -> np.ndarray:
        return self.fitted.values

    @property
    def deviations_(self) -> np.ndarray:
        return self.fitted.deviations

    @property
    def relative_deviations_(self) -> np.ndarray:
        return self.fitted.relative_deviations

    @property
    def covariance_(self) -> np.ndarray:
        return self.fitted.solution.covariance

    @property
    def correlation_(self) -> np.ndarray:
        return self.fitted.correlation

    @property
    def condition_(self) -> float:
        return self.fitted.condition

    @property
    def rms_(self) -> np.ndarray:
        return self.fitted.rms

    @property
    def relative_error_(self) -> float:
        return self.fitted.relative_error

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments that the estimator was made with."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


class OrdinaryLeastSquares(Estimator):
    """Every torque counts the same: β = Y⁺τ."""

    def solved(self, problem: Problem) -> Solution:
        return ordinary(problem.factors)


class WeightedLeastSquares(Estimator):
    """Each joint counts by its own noise, which is found with the parameters (iterated).

    With σᵢ the deviation of joint i's torque:

        minimise Σᵢ ‖τᵢ − Yᵢ β‖² / σᵢ²                                             Gautier
    """

    def solved(self, problem: Problem) -> Solution:
        return weighted(problem.factors)


@dataclass(eq=False)
class Ridge(Estimator):
    """Weighted least squares that stays near the robot's own parameters.

    Each parameter is believed to within a share `belief` of its body's own size:

        minimise Σᵢ ‖τᵢ − Yᵢ φ‖² / σᵢ² + ‖C (φ − φ₀)‖² / belief²
    """

    belief: float = 1.0

    def solved(self, problem: Problem) -> Solution:
        check_belief(self.belief)
        start = weighted(problem.factors)
        R, B = problem.factors.stacked(start.noise), problem.B
        C, prior = metric_root(problem.regression, problem.prior), problem.prior
        rows = np.vstack([R[:, :-1] @ B, C / self.belief])
        right = np.concatenate([R[:, -1], C @ prior / self.belief])
        # what is left to choose where groups are taken for zero: φ = N x
        N = _null_space(problem.Z)
        both = triangle(np.column_stack([rows @ N, right]))
        x, inverse = solve(both)
        phi, spread = N @ x, B @ N @ inverse
        covariance = spread @ spread.T
        beta = B @ phi
        noise = noise_of(problem.factors, beta, np.zeros(problem.factors.n))
        return Solution(beta, covariance, noise, phi)


def _null_space(Z: np.ndarray) -> np.ndarray:
    """Return a basis of all φ with Z φ = 0, shape (p, p − m)."""
    m, p = Z.shape
    if not m:
        return np.eye(p)
    Q, _ = np.linalg.qr(Z.T, mode="complete")
    return Q[:, m:]


class TotalLeastSquares(Estimator):
    """Columns are noisy too, all of them and the torques equally by their size.

    From the last singular vector of the weighted [Y τ], its columns scaled to length 1.
    """

    def solved(self, problem: Problem) -> Solution:
        factors = problem.factors
        start = weighted(factors)
        R = factors.stacked(start.noise)
        length = np.linalg.norm(R, axis=0)
        _, values, V = np.linalg.svd(R / length)
        r = factors.rank
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
        rows = max(int(factors.count.sum()) - r, 1)
        scale = length[r] / length[:r]
        covariance = least / rows * (1 + x @ x) * spread * np.outer(scale, scale)
        noise = noise_of(factors, beta, np.zeros(factors.n))
        return Solution(beta, covariance, noise)
