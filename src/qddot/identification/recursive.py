"""Parameters of a running robot: row after row, the old ones forgotten.

Of all rows so far the newest count most; with the memory T and rows a step h apart,

    minimise Σ_t λ^(now − t) Σᵢ (τᵢ − Yᵢ β)²/σᵢ²            λ = exp(−h/T)

A row changes what is known by one torque at a time. With P = S Sᵀ the covariance, y the row of Y:

    f = Sᵀy    a = 1/(σ² + f·f)    β += a S f (τ − y·β)    S −= a/(1 + σ√a) S f fᵀ       Potter

which keeps P positive whatever rounding does. Between rows, S is divided by √λ.

Potter: P. Kaminski, A. Bryson, S. Schmidt, *Discrete square root filtering*, IEEE Trans. Automatic
Control 16(6), 1971.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import numbers, positive
from qddot.dynamics.regressor import regressor, unparameterised_torque
from qddot.errors import BadArgument
from qddot.identification.estimators import Estimator
from qddot.identification.log import Log
from qddot.identification.log_checks import as_log
from qddot.identification.noise_colour import lasting_noise
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.regression import Regression
from qddot.identification.runs import load_names
from qddot.identification.solution import (
    Solution,
    noise_of,
    repeats,
    solve,
    weighted,
    widened,
)
from qddot.program import Program, record
from qddot.program.optimise import optimised

SECONDS = "seconds above 0"


@dataclass(eq=False)
class RecursiveLeastSquares(Estimator):
    """What a running robot would know at the end of the log.

    Args:
        memory: T [s], after which a row counts 1/e; none is forgotten if not given.
    """

    memory: float | None = None

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        start = weighted(problem)
        if self.memory is None:
            return start
        memory, log = positive("memory", self.memory, wanted=SECONDS), problem.log
        weights = np.exp((log.t - log.t[-1]) / memory)
        share = weights if log.weight is None else weights * log.weight
        counted = problem.weighted(np.repeat(weights[:, None], problem.n, axis=1))
        counted = replace(counted, log=replace(log, weight=share))
        beta, inverse = solve(counted.stacked(start.noise))
        noise = noise_of(problem, beta, np.zeros(problem.n))
        found = replace(start, beta=beta, covariance=inverse @ inverse.T, noise=noise)
        left = log.tau - problem.regression.torque(log, problem.all_parameters(beta))
        lasting = lasting_noise(counted, found, left)
        worth = float(share.sum() ** 2 / np.sum(share**2)) / len(log)  # of a row, on average
        freedom = np.maximum(worth * lasting.freedom, 1)
        return widened(counted, found, repeats(log, left), replace(lasting, freedom=freedom))


class OnlineEstimator:
    """The base parameters of a running robot, made better with every row.

    `fit.online(memory=60)` makes one that begins with what a log has shown.

    Args:
        regression: The robot and the terms added to it.
        kept: Which of its columns are base parameters.
        values: The base parameters to begin with, shape (r,).
        root: S, their uncertainty: their covariance is S Sᵀ, shape (r, r).
        noise: The deviation of each joint's torque, shape (n,).
        memory: T [s]; nothing is forgotten if not given.
    """

    def __init__(
        self,
        regression: Regression,
        kept: Any,
        values: np.ndarray,
        root: np.ndarray,
        noise: np.ndarray,
        memory: float | None = None,
    ) -> None:
        if memory is not None:
            positive("memory", memory, wanted=SECONDS)
        self.regression, self.kept = regression, np.array(kept, dtype=int)
        self.values, self.root = values.copy(), root.copy()
        self.noise, self.memory = noise, memory

    def copy(self) -> OnlineEstimator:
        """Return another one that knows the same, and goes its own way."""
        own = self.regression, self.kept, self.values, self.root, self.noise, self.memory
        return OnlineEstimator(*own)

    @cached_property
    def program(self) -> Program:
        """The columns of the base parameters at (q, q̇, q̈), (n, r), and torques beside them, (n,).

        Loads that the arm carried in some runs are not carried here.
        """
        regression = self.regression
        first, loads = 10 * len(regression.robot.tree.bodies), len(load_names(regression.loads))
        robot = regression.robot
        for extra in regression.extra:
            if not isinstance(extra.kernel, Kernel):
                raise BadArgument(
                    f"The column {extra.name!r} was not recorded, so it cannot be compiled.\n"
                    "  Fit without it: terms=('friction', 'offset')."
                )

        def rows(q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
            Y = regressor(regression.full.tree, q, qd, qdd)
            extra = [e.kernel.program.results_at([*q, *qd, *qdd]) for e in regression.extra]
            more = np.array(extra, dtype=object).reshape(-1, robot.n).T
            nothing = np.zeros((robot.n, loads), dtype=int)
            Y = np.concatenate([Y[:, :first], nothing, Y[:, first:], more], axis=1)
            rest = unparameterised_torque(robot.tree, q, qd)
            return {"columns": Y[:, self.kept], "rest": rest}

        n = robot.n
        return optimised(record(rows, "online_rows", q=(robot.nq,), qd=(n,), qdd=(n,)))

    @property
    def deviations(self) -> np.ndarray:
        """The standard deviations of the values, shape (r,)."""
        return np.linalg.norm(self.root, axis=1)

    def update(self, q: Any, qd: Any, qdd: Any, tau: Any, step: float = 0.0) -> np.ndarray:
        """Return the base parameters after one more row.

        Args:
            q, qd, qdd, tau: The row, shape (n,) each; torques that are not finite are left out.
            step: Since the row before [s]; what is known fades over it.
        """
        robot = self.regression.robot
        given = {"q": q, "qd": qd, "qdd": qdd}
        row = {name: numbers(name, x).reshape(1, -1) for name, x in given.items()}
        torque = np.asarray(tau, dtype=float).reshape(1, -1)
        if torque.shape != (1, robot.n):
            raise BadArgument(f"tau has {torque.size} numbers; the robot has {robot.n} joints.")
        states = as_log(robot, (row["q"], row["qd"], row["qdd"]), torque=False)
        Y = self.regression.columns(states)[0][:, self.kept]
        right = (torque - self.regression.rest(states))[0]
        if self.memory is not None:
            self.root *= np.exp(0.5 * step / self.memory)
        for y, measured, s in zip(Y, right, self.noise, strict=True):
            if np.isfinite(measured):
                self._taken(y, float(measured), float(s))
        return self.values

    def _taken(self, y: np.ndarray, measured: float, s: float) -> None:
        f = self.root.T @ y
        a = 1 / (s * s + f @ f)
        gain = self.root @ f
        self.values += a * (measured - y @ self.values) * gain
        self.root -= a / (1 + s * np.sqrt(a)) * np.outer(gain, f)

    def run(self, log: Log) -> np.ndarray:
        """Return the values after each row of a prepared log, shape (k, r)."""
        steps = np.diff(log.t, prepend=log.t[0])
        torque = np.where(log.used, log.tau, np.nan)
        rows = zip(log.q, log.qd, log.qdd, torque, steps, strict=True)
        return np.array([self.update(*row).copy() for row in rows])
