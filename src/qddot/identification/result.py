"""What an identification gives: values, how sure they are, how well they fit, and a robot."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.blas_threads import one_thread
from qddot.errors import BadArgument, IdentificationWarning, Problem
from qddot.identification.back_to_robot import nearest, robot_with_parameters, smallest_eigenvalue
from qddot.identification.comparison import described, facts, relative_size, saved, summary, table
from qddot.identification.grouping import condition
from qddot.identification.log import Log
from qddot.identification.log_checks import as_log
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.regression import RESISTING
from qddot.identification.residual_patterns import ResidualPattern, residual_patterns
from qddot.identification.solution import Solution, degrees_of_freedom
from qddot.identification.usefulness import ROUNDING, distrust, uses, verdict
from qddot.identification.validation import (
    CrossValidation,
    cross_validation,
    errors_by_run,
    essential,
    without_columns,
)
from qddot.plain_text import fitted
from qddot.results import Judged, in_notebook

if TYPE_CHECKING:
    from qddot.identification.choices import Choices
    from qddot.identification.drive_gains import DriveGains
    from qddot.identification.estimators import Estimator
    from qddot.identification.observer import ExternalTorque
    from qddot.identification.payload import PayloadFit

POSSIBLE = -1e-9  # of a body's size, the eigenvalue that rounding may leave


@dataclass(frozen=True, repr=False, eq=False)
class Fit(Judged):
    """The base parameters of a robot, found from a log."""

    problem: LeastSquaresProblem
    solution: Solution
    estimator: Estimator
    removed: tuple[str, ...] = ()  # base parameters taken for zero
    log: Any = None  # in the order of the robot's joints, every row
    doubts: tuple[Problem, ...] = ()  # what looks wrong with the log
    rates: tuple[float | None, ...] = (None,)  # [Hz], by run, rows kept per second; None: all
    gains: DriveGains | None = None  # of drives, where torques were what they report
    choices: Choices | None = None  # what was chosen to be fitted, and why; None: what was asked

    @property
    def decimated(self) -> float | None:
        """How many rows per second were fitted [Hz], of the run that has most; None: all."""
        return max((rate for rate in self.rates if rate is not None), default=None)

    @property
    def count(self) -> int:
        """How many samples there were."""
        return int(self.problem.count.max())

    @property
    def names(self) -> tuple[str, ...]:
        """The base parameters, as they are written: "j1.mx + 0.4·j2.m"."""
        return self.problem.base.base_names

    @property
    def values(self) -> np.ndarray:
        """The base parameters, shape (r,)."""
        return self.solution.beta

    @cached_property
    def deviations(self) -> np.ndarray:
        """Their standard deviations, rows counted by what they are worth; NaN if too few are."""
        return np.sqrt(np.maximum(np.diag(self.solution.covariance), 0))

    @property
    def relative_deviations(self) -> np.ndarray:
        """The deviations [%] of the values."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.values == 0, np.inf, 100 * self.deviations / abs(self.values))

    def intervals(self, level: float = 0.95) -> np.ndarray:
        """Return where each value lies with this probability, shape (r, 2)."""
        from scipy.stats import t

        freedom = degrees_of_freedom(self.problem, self.solution)
        around = t.ppf((1 + level) / 2, freedom) * self.deviations
        return np.stack([self.values - around, self.values + around], axis=1)

    @property
    def correlation(self) -> np.ndarray:
        """How far the errors of two values go together, shape (r, r)."""
        s = np.where(self.deviations > 0, self.deviations, 1)
        return self.solution.covariance / np.outer(s, s)

    @cached_property
    def condition(self) -> float:
        """The condition number of the base regressor in this log, columns scaled."""
        return condition(self.problem.stacked()[: self.problem.rank, :-1])

    @property
    def rms(self) -> np.ndarray:
        """The root mean square of each joint's residual [N·m] or [N], shape (n,)."""
        return np.sqrt(self.problem.squares(self.values) / self.problem.count)

    @property
    def relative_errors(self) -> np.ndarray:
        """‖τ − Yβ‖/‖τ‖ of each joint."""
        torques = self.problem.torques
        return np.sqrt(self.problem.squares(self.values) / np.where(torques, torques, 1))

    @property
    def relative_error(self) -> float:
        """‖τ − Yβ‖/‖τ‖ of all joints together."""
        problem = self.problem
        return float(np.sqrt(problem.squares(self.values).sum() / (problem.torques.sum() or 1)))

    @cached_property
    def relative_error_of_rows(self) -> float:
        """‖τ − τ̂‖/‖τ‖ on every row that counts, where fewer were fitted and filtered."""
        return (
            self.relative_error if self.decimated is None else relative_size(self.log, self._left)
        )

    @property
    def relative_error_of_all(self) -> float:
        """‖τ − τ̂‖/‖τ‖ on every row, also where joints are slow, torques saturated, rows missing."""
        return relative_size(replace(self.log, counts=None), self._left)

    @cached_property
    def _left(self) -> np.ndarray:
        """Measured less predicted torque at every row of the log, shape (k, n)."""
        return self.log.tau - self.predict(self.log)

    @cached_property
    def runs(self) -> list[dict[str, Any]]:
        """What is left of the torques of each log: fitted rows, every row, and before the fit."""
        with one_thread():
            return errors_by_run(self)

    @property
    def payloads(self) -> dict[str, PayloadFit]:
        """What was carried in some of the runs, by frame, where torques tell its numbers."""
        from qddot.identification.payload import payload_of, untold

        frames = [load.frame for load in self.problem.regression.loads if load.known is None]
        return {frame: payload_of(self, frame) for frame in frames if not untold(self, frame)}

    @property
    def trusted(self) -> bool:
        """Whether condition number and error are such that the values mean something."""
        return not distrust(self)

    @property
    def problems(self) -> tuple[str, ...]:
        """Why it is not `trusted`, that no body has the values, and what is doubtful of the log."""
        impossible = () if self.is_possible else ("no body has these values, or friction drives",)
        return (*distrust(self), *impossible, *map(str, self.doubts))

    @property
    def status(self) -> str:
        """Whether it was solved; or that the solution is not trusted, and why."""
        why = distrust(self)
        return f"not trusted: {'; '.join(why)}" if why else self.solution.status

    @property
    def verdict(self) -> str:
        """What the relative error means, in words."""
        return verdict(self)

    @cached_property
    def uses(self) -> tuple[str, ...]:
        """What it is good for: feed-forward, payloads, simulation; or why it is not to be used."""
        with one_thread():
            return tuple(uses(self))

    @cached_property
    def patterns(self) -> list[ResidualPattern]:
        """What residuals go with: position, rate, load or time of their joint, most first."""
        with one_thread():
            return residual_patterns(self)

    # torques

    def predict(self, q: Any, qd: Any = None, qdd: Any = None) -> np.ndarray:
        """Return the torques that the values give at a log or at (q, qd, qdd), shape (k, n)."""
        problem, states = self.problem, q if qd is None else (q, qd, qdd)
        log = as_log(problem.regression.robot, states, torque=False)
        return problem.regression.torque(log, problem.all_parameters(self.values))

    @cached_property
    def residuals(self) -> np.ndarray:
        """Measured less predicted torque at every sample of the log, shape (k, n)."""
        return self.samples.tau - self.predict(self.samples)

    @property
    def samples(self) -> Log:
        """The rows that were fitted: those of the log, or few of them, filtered."""
        return self.problem.log

    def external_torque(self, log: Any, **options: Any) -> ExternalTorque:
        """Return what pushed the arm while another log was recorded, and when.

        The log of the fit tells how large torques are without contact, unless `free` is given; see
        `qddot.identification.external_torque`, which has the options.
        """
        from qddot.identification.observer import external_torque

        return external_torque(self, log, **options)

    # back into a robot

    @cached_property
    def parameters(self) -> np.ndarray:
        """All parameters φ with B φ = β: where torques do not show it, near the robot's own."""
        problem, phi = self.problem, self.solution.phi
        if phi is None:
            B = np.vstack([problem.B, *problem.zero])
            beta = np.concatenate([self.values, np.zeros(len(problem.zero))])
            phi = nearest(problem.regression, problem.prior, B, beta)
        # friction that drives by rounding alone is none
        rounding = ROUNDING * float(np.sqrt(problem.torques.sum() / problem.count.sum()))
        resists = np.array([name.endswith(RESISTING) for name in problem.regression.names])
        return np.where(resists & (-rounding <= phi) & (phi < 0), 0.0, phi)

    @cached_property
    def robot(self) -> Any:
        """The robot with the values found.

        Where no body has them, the nearest possible robot, with a warning that says how much its
        torques differ.
        """
        regression, fit = self.problem.regression, self
        if homeless := [extra.name for extra in regression.extra if extra.place is None]:
            fit = without_columns(self, homeless)
            before, after = (f"{100 * each.relative_error:.3g} %" for each in (self, fit))
            warnings.warn(
                f"A robot file has no place for {', '.join(homeless)}; fit.predict has them, "
                f"fit.robot is what was found without them: {after} instead of {before}.",
                IdentificationWarning,
                stacklevel=2,
            )
        phi, error = fit.parameters, None
        if not fit.is_possible:
            from qddot.identification.consistent import made_possible

            phi, error = made_possible(fit)
        found = regression.values(phi)
        values = {name: found[name] for name in regression.full.parameter_names}
        robot = robot_with_parameters(regression.robot, values)
        for extra in regression.extra:
            if extra.place is not None:
                robot = replace(robot, model=extra.place(robot.model, found[extra.name]))
        return described(fit, robot, error)

    @property
    def is_possible(self) -> bool:
        """Whether bodies with these parameters exist and friction resists."""
        regression, phi = self.problem.regression, self.parameters
        resists = all(
            value >= 0 for name, value in regression.values(phi).items() if name.endswith(RESISTING)
        )
        return resists and smallest_eigenvalue(regression, phi) >= POSSIBLE

    def save(self, path: str | Path) -> list[str]:
        """Write the robot to a .toml or .urdf file; return what that format cannot hold.

        The file says which log, method, error and day its parameters come from. URDF has no place
        for offsets and rotor inertias; a warning says what that costs.
        """
        return saved(self, path)

    def posterior(self) -> list[dict[str, Any]]:
        """Return what was believed and what is known now of every parameter; of "bayes" only."""
        from qddot.identification.bayesian import posterior

        return posterior(self)

    # how sure

    def cross_validation(self, folds: int | str = 5) -> CrossValidation:
        """Return how well values from the rest predict each part: of time, or by "runs"."""
        with one_thread():
            return cross_validation(self, folds)

    @cached_property
    def unseen(self) -> CrossValidation | None:
        """How well each fifth is predicted by the rest; None: that does not show all parameters."""
        try:
            return self.cross_validation(min(5, len(self.problem.blocks)))
        except BadArgument:
            return None

    def essential(self, ratio: float = 30.0, loss: float = 0.01) -> Fit:
        """Return the fit without the parameters that this log knows badly."""
        with one_thread():
            return essential(self, ratio, loss)

    # how it looks

    @property
    def method(self) -> str:
        """What found it."""
        return type(self.estimator).__name__

    def table(self) -> str:
        """Return the values with their deviations, one a line."""
        return table(self)

    @fitted
    def __repr__(self) -> str:
        return summary(self)

    _repr_html_ = in_notebook("identification.fit_html")

    @property
    def filter_note(self) -> str:
        """How the log was filtered, and why at this cut-off."""
        notes = [note for note in getattr(self.log, "notes", ()) if note.place == "filter"]
        return notes[-1].message if notes else ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, but for the log."""
        return facts(self)
