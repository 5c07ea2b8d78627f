"""From a log to a robot in one call, and the estimators that do it.

An estimator is a class with the options it takes as fields, and `solved`, which finds the base
parameters of a problem. To add one, write it in a file and name it in `METHODS`, from which
`identify` and the command line know it.

Gautier: M. Gautier, P. Poignet, *Extended Kalman filtering and weighted least squares dynamic
identification of robot*, Control Engineering Practice 9(12), 2001: weights a joint.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from qddot.blas_threads import one_thread
from qddot.checks import positive, whole
from qddot.errors import BadArgument, IdentificationWarning, Problem, did_you_mean
from qddot.identification import AUTO, METHODS
from qddot.identification.choices import Choices, choose
from qddot.identification.log import Log, load_log
from qddot.identification.log_checks import as_log
from qddot.identification.noise_colour import lasting_noise
from qddot.identification.preparation import prepared
from qddot.identification.problem import LeastSquaresProblem, problem_of
from qddot.identification.regression import Regression
from qddot.identification.runs import CarriedLoad, MeasuredRun, joined, runs_of
from qddot.identification.solution import (
    Solution,
    ordinary,
    repeats,
    rounding,
    solve,
    weighted,
    widened,
)
from qddot.robot import robot_of

if TYPE_CHECKING:
    from qddot.identification.result import Fit

SHARE = "a share above 0, finite: 1 is 100 %"
ENOUGH = 2  # torques a parameter that decimation must leave
ALIKE = 2.5  # rows a period of the cut-off: more say the same again
NORMAL = 1.4826  # the deviation of normal noise, by the median of its size


def identify(
    robot: Any,
    log: Any,
    method: str = "weighted",
    *,
    terms: Sequence[str] = AUTO,
    extra: Any = (),
    gains: Mapping[str, float] | None = None,
    **options: Any,
) -> Fit:
    """Return the parameters of a robot, found from a log.

    Args:
        robot: The robot, or its built-in name or file; its own parameters are the prior where
            torques do not show it.
        log: A file, which is read by `load_log(log, robot)` and made ready by `prepared(log,
            robot)`; a `Log`, which is made ready too if it has no accelerations; or what is fitted
            as it is: anything with `t`, `q`, `qd`, `qdd`, `tau` and `joint_names`, or (q, qd, qdd,
            tau) of shape (k, n). A list of these, each with its own rate and filter, is one fit;
            `MeasuredRun(log, carries=..., weight=...)` says what the arm carried in one of them.
        method: "weighted", "ordinary", "robust", "consistent" or "bayes".
        terms: What to add to the parameters that the model has: "viscous", "coulomb" (both:
            "friction"), "offset", "rotor_inertia", at one joint "j1.Ia"; () for nothing. "auto":
            friction, offset, and whatever else predicts torques better that were not fitted; the
            result's `choices` says what.
        extra: By name, functions of (q, qd, qdd) of one state that return what a parameter of
            size 1 adds to the torques, shape (n,).
        gains: Where `tau` is what drives report (amperes), and how many N·m that is has to be
            found too: by joint, those gains that are known, {"j1": 0.12}; {} where a run with a
            known load shows them all.
        options: Those of the estimator: `unexcited`, `blocks`, `belief`, `masses`, ...

    Raises:
        BadArgument: If the log cannot be read as this robot's, or does not show its parameters.
    """
    kind = estimator(method)
    own = [f.name for f in fields(kind) if f.name not in ("robot", "terms", "extra")]
    for name in options:
        if name not in own:
            raise BadArgument(
                f"The method {method!r} has no option {name!r}.{did_you_mean(name, own)}\n"
                f"  It has: {', '.join(own)}."
            )
    robot = robot_of(robot)
    way = kind(robot, terms=terms, extra=extra, **options)
    if gains is None:
        return way.fit(log).fitted
    from qddot.identification.drive_gains import fit_with_gains

    return fit_with_gains(way, log, gains)


def estimator(method: str) -> Any:
    """Return the class of an estimator by its short name."""
    if method not in METHODS:
        raise BadArgument(
            f"There is no method {method!r}.{did_you_mean(str(method), METHODS)}\n"
            f"  There are: {', '.join(METHODS)}."
        )
    module, _, name = METHODS[method].partition(".")
    return getattr(import_module(f"qddot.identification.{module}"), name)


@dataclass(frozen=True)
class Gathered:
    """The problem of a fit, and the logs that it is made of."""

    problem: LeastSquaresProblem
    logs: tuple[Log, ...]  # prepared, every row
    runs: tuple[MeasuredRun, ...]
    rates: tuple[float | None, ...]  # [Hz], rows kept per second; None: all
    measured: tuple[bool, ...]  # whether a log was recorded, and not given as arrays
    loads: tuple[CarriedLoad, ...]  # what was carried in some runs
    choices: Choices | None = None  # what was chosen to be fitted

    @property
    def names(self) -> list[str]:
        """What the runs are called."""
        return [run.name for run in self.runs]


@dataclass(eq=False)
class Estimator:
    """Options and steps that every estimator has.

    The robot's own parameters are the prior. `terms` are added to them: "viscous", "coulomb" (both:
    "friction"), "offset", "rotor_inertia"; "auto" and `extra` as for `identify`. If a log does not
    show every base parameter, `unexcited` says whether to "merge" them into the groups that it does
    show, with a warning, or to "refuse". For cross-validation the log is divided into `blocks`
    pieces of time. `decimate` is about how many rows per second to keep [Hz], columns and torques
    both filtered (parallel decimation): "auto" is as many as the cut-off at which a log was
    filtered, if it has more; None is every row.
    """

    robot: Any = field(repr=False)
    terms: Sequence[str] = field(default=(), kw_only=True)
    extra: Any = field(default=(), kw_only=True, repr=False)
    unexcited: str = field(default="merge", kw_only=True)
    blocks: int = field(default=10, kw_only=True)
    decimate: float | str | None = field(default="auto", kw_only=True)

    def fit(self, log: Any, *more: Any) -> Self:
        """Find the parameters from a log, from several, or from (q, qd, qdd, tau) of shape (k, n).

        A log without accelerations is made ready first, by `prepared(log, robot)`. What looks wrong
        with a log is said in warnings, and kept in the result's `doubts`.
        """
        from qddot.identification.doubts import doubts

        with one_thread():
            rows = self.gathered((log, *more) if more else log)
            found = tuple(
                doubt if len(rows.logs) == 1 else replace(doubt, place=f"{name}: {doubt.place}")
                for name, doubtful, each in zip(rows.names, rows.measured, rows.logs, strict=True)
                if doubtful
                for doubt in doubts(rows.problem.regression, each)
            )
            for doubt in found:
                warnings.warn(str(doubt), IdentificationWarning, stacklevel=3)
            self._fit = self.of_rows(rows, found)
        return self

    def of_rows(self, rows: Gathered, doubts: tuple[Problem, ...] = ()) -> Fit:
        """Return the fit of rows that this or another estimator has gathered."""
        from qddot.identification.result import Fit

        problem, every = rows.problem, joined(rows.logs, rows.runs)
        fit = Fit(problem, self.solved(problem), self, (), every, doubts, rows.rates)
        fit = replace(fit, choices=rows.choices)
        if fit.solution.repeats is None:
            left = fit.residuals
            lasts = repeats(problem.log, left), lasting_noise(problem, fit.solution, left)
            fit = replace(fit, solution=widened(problem, fit.solution, *lasts))
        return fit

    def gathered(self, log: Any, *, loads_known: bool = True) -> Gathered:
        """Return the problem of one log or of several, with the rows that it is made of.

        The torque of known loads is taken off, or else their numbers are columns too.
        """
        whole("blocks", self.blocks, 1, wanted="a whole number from 1")
        runs, loads, carried = runs_of(self.robot, log)
        given = [self._ready(run.log) for run in runs]
        logs = [as_log(self.robot, each) for each in given]
        if loads:
            logs = [
                replace(each, load=np.full(len(each), load))
                for each, load in zip(logs, carried, strict=True)
            ]
        regression = replace(
            Regression.of(self.robot, self.terms, self.extra),
            loads=tuple(loads if loads_known else [replace(load, known=None) for load in loads]),
            carried=tuple(dict.fromkeys(carried)),
        )
        for each in logs:
            regression.check_extra(each)
        rates = tuple(self._rate(each, regression) for each in logs)
        choices = None
        if self.terms == AUTO and loads_known:
            regression, choices = choose(regression, logs, rates)
        few = [
            each if rate is None else regression.filtered(each, rate)
            for each, rate in zip(logs, rates, strict=True)
        ]
        problem = problem_of(regression, joined(few, runs), self.unexcited, self.blocks)
        measured = tuple(isinstance(one, Log) and one.Y is None for one in given)
        return Gathered(problem, tuple(logs), tuple(runs), rates, measured, tuple(loads), choices)

    def _ready(self, log: Any) -> Any:
        """Return a log that is read, and made ready where it has no accelerations."""
        if isinstance(log, (str, Path)):
            log = load_log(log, self.robot)
            for problem in log.warnings:
                warnings.warn(f"{log.source}: {problem}", IdentificationWarning, stacklevel=6)
        if isinstance(log, Log) and log.qdd is None and log.tau is not None:
            return prepared(log, self.robot, terms=self.terms, extra=self.extra)
        return log

    def _rate(self, log: Log, regression: Regression) -> float | None:
        """Return how many rows per second to keep [Hz], None for all; warn where that is wrong."""
        if self.decimate not in ("auto", None):
            wanted = "rows per second above 0, 'auto', or None for every row"
            return positive("decimate", self.decimate, wanted=wanted)
        bandwidth = log.bandwidth
        if not bandwidth or log.rate <= ALIKE * bandwidth:
            return None
        # too short a log is fitted as it is: a filter that takes most of it helps nobody
        enough = log.duration * bandwidth * log.n >= ENOUGH * len(regression.names)
        if self.decimate == "auto" and enough:
            return float(bandwidth)
        warnings.warn(
            f"{log.rate:.4g} rows per second are fitted, their torques filtered at {bandwidth:.3g} "
            "Hz, and their columns are not: dry friction, and what is found beside it, comes out "
            f"wrong. Give decimate={bandwidth:.2g}.",
            IdentificationWarning,
            stacklevel=4,
        )
        return None

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        """Return the solution of a problem; this is what estimators differ in."""
        raise NotImplementedError

    def predict(self, q: Any, qd: Any = None, qdd: Any = None) -> np.ndarray:
        """Return the torques that the found parameters give, shape (k, n)."""
        return self.fitted.predict(q, qd, qdd)

    def score(self, log: Any, *more: Any) -> float:
        """Return R² on a log, averaged over the joints: 1 is perfect, 0 no better than a mean."""
        log = as_log(self.robot, (log, *more) if more else log)
        residual = log.tau - self.fitted.predict(log)
        spread = log.tau - log.tau.mean(axis=0)
        total = np.sum(spread**2, axis=0)
        moved = total > 0
        share = np.sum(residual**2, axis=0)[moved] / total[moved]
        return float(1 - share.mean()) if moved.any() else float("nan")

    @property
    def fitted(self) -> Fit:
        """The result of `fit`."""
        if "_fit" not in vars(self):
            raise BadArgument(f"{type(self).__name__} has not been fitted; call fit(log) first.")
        return self._fit

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments that the estimator was made with."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


class OrdinaryLeastSquares(Estimator):
    """Every torque counts the same: β = Y⁺τ."""

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        return ordinary(problem)


class WeightedLeastSquares(Estimator):
    """Each joint counts by its own noise, which is found with the parameters (iterated).

    With σᵢ the deviation of joint i's torque:

        minimise Σᵢ ‖τᵢ − Yᵢ β‖² / σᵢ²                                             Gautier
    """

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        return weighted(problem)


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
