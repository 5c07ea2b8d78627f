"""A rough fit of a few rows of a log, and how it changes when a mistake is undone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from qddot.identification.base_parameters import structural
from qddot.identification.log import Log
from qddot.identification.regression import Regression
from qddot.model.friction import LINEAR

ROWS = 500  # that are looked at
SEEN, TINY = 1e-8, 1e-9
FEW, ENOUGH = 4, 8  # every so many-th row shows most mistakes, with so many equations per column
WORSE = 1.3  # times the error, in these rows: all rows would say no less than that it is worse


class RoughFit:
    """What a fit of some rows leaves of the torques, joint by joint."""

    def __init__(self, regression: Regression, log: Log) -> None:
        use = np.flatnonzero(log.used.all(axis=1))
        if len(use) < ROWS:
            use = np.arange(len(log))
        self.log = log[use[:: max(1, len(use) // ROWS)]]
        self.regression = regression
        self.kept = list(structural(regression).kept)
        self.names = regression.robot.joint_names
        self.error = self.of(self.log)
        self.parameters = dict(self.last)

    def drives(self, i: int) -> float:
        """Return the share of a joint's power that the friction found would give, not take."""
        rate = self.log.qd[:, i]
        power = sum(
            self.parameters.get(f"{self.names[i]}.{p.column}", 0.0)
            * np.mean(rate * p.multiplies(rate, rate, np.sign))
            for p in LINEAR
            if p.resists
        )
        whole = float(np.mean(np.abs(rate * self.log.tau[:, i])))
        return float(-power / whole) if whole > 0 else 0.0

    def of(self, log: Log, more: np.ndarray | None = None) -> float:
        """Return what a fit leaves of the torques: of each joint, the geometric mean of all.

        Args:
            log: The rows.
            more: Columns besides those of the regression, shape (k, n, m).
        """
        Y = self.regression.columns(log)[..., self.kept]
        if more is not None:
            Y = np.concatenate([Y, more], axis=-1)
        right = log.tau - self.regression.rest(log)
        self.size = size = np.sqrt(np.mean(log.tau**2, axis=0))
        size[size == 0] = 1
        use = log.used
        Y, d = Y / size[:, None], right / size
        A = Y[use]
        length = np.linalg.norm(A, axis=0)
        length[length == 0] = 1
        beta = np.linalg.lstsq(A / length, d[use], rcond=SEEN)[0] / length
        left = np.where(use, d - Y @ beta, 0.0)
        each = np.sqrt(np.sum(left**2, axis=0) / np.maximum(use.sum(axis=0), 1))
        self.last = dict(zip((self.regression.names[k] for k in self.kept), beta, strict=False))
        self.each, self.beyond = np.maximum(each, TINY), beta[len(self.kept) :]
        self.left = left
        told = use.any(axis=0) & log.tau.any(axis=0)  # others fit whatever is undone
        return float(np.exp(np.mean(np.log(self.each[told])))) if told.any() else 0.0

    def errors(self, undone: Callable[[Any], Log], mistakes: Iterable[Any]) -> dict[Any, float]:
        """Return the error when each of some mistakes is undone.

        It is infinite where a few rows show that they fit worse then.
        """
        few = self.log[::FEW]
        if few.used.sum() < ENOUGH * len(self.kept):
            return {mistake: self.of(undone(mistake)) for mistake in mistakes}
        most = WORSE * self.of(few)

        def error(log: Log) -> float:
            return self.of(log) if self.of(log[::FEW]) <= most else math.inf

        return {mistake: error(undone(mistake)) for mistake in mistakes}

    def helps(self, before: float, after: float) -> str:
        return f"the rows then fit to {100 * after:.2g} % instead of {100 * before:.2g} %"
