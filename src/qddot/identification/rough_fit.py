"""A rough fit of a few rows of a log, and how it changes when a mistake is undone.

A fit finds masses, inertias and friction; where the joints are, it takes from the robot's file. So
the same rows are fitted with the zero of a joint moved a little, and with the joints of the
built-in robots. For an arm whose joints are as in its file neither helps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from qddot.errors import Problem
from qddot.identification.base_parameters import structural
from qddot.identification.log import Log
from qddot.identification.regression import Regression
from qddot.model.friction import LINEAR
from qddot.readers.read import library
from qddot.robot import robot_of

ROWS = 500  # that are looked at
SEEN, TINY = 1e-8, 1e-9
FEW, ENOUGH = 4, 8  # every so many-th row shows most mistakes, with so many equations per column
WORSE = 1.3  # times the error, in these rows: all rows would say no less than that it is worse
STEP = 1e-5  # [rad], by which zeros are moved
FEW_ROWS = 200  # at which they are
NEARLY = 1.25  # times the error of all zeros moved: one explains it as well


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

        More columns may stand besides those of the regression, shape (k, n, m).
        """
        Y = self.regression.columns(log)[..., self.kept]
        if more is not None:
            Y = np.concatenate([Y, more], axis=-1)
        right = log.tau - self.regression.rest(log)
        size = np.sqrt(np.mean(log.tau**2, axis=0))
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
        self.beyond = beta[len(self.kept) :]
        told = use.any(axis=0) & log.tau.any(axis=0)  # others fit whatever is undone
        return float(np.exp(np.mean(np.log(np.maximum(each, TINY)[told])))) if told.any() else 0.0

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


def zero_off(look: RoughFit, much: float) -> tuple[float, Problem] | None:
    """Return that the zero of a joint seems to be off, and the error if it is.

    An explanation counts where it leaves no more than a share `much` of the error.
    """
    robot, log = look.regression.robot, look.log[:: max(1, len(look.log) // FEW_ROWS)]
    turning = [i for i, joint in enumerate(robot.model.free_joints) if joint.turns]
    if robot.nq != robot.n or not turning:
        return None
    before, columns = look.of(log), zero_columns(look, log)[..., turning]
    after = look.of(log, columns)
    if not after < much * before:
        return None
    zeros = []
    for k, i in enumerate(turning):
        error = look.of(log, columns[..., [k]])
        zeros.append((error, i, float(look.beyond[0])))
    error, i, zero = min(zeros)
    if not error < NEARLY * after:
        return None
    return error, Problem(
        "warning",
        f"joint {robot.joint_names[i]!r}",
        f"its zero seems to be off by about {zero:.2g} rad: {look.helps(before, error)}",
        f"Add {zero:.2g} to its positions, load_log(..., offset=...), or mend the file.",
    )


def zero_columns(look: RoughFit, log: Log) -> np.ndarray:
    """Return ∂τ/∂q of the rough fit, the columns of zeros that are off, shape (k, n, n)."""
    regression = look.regression
    phi = np.array([look.parameters.get(name, 0.0) for name in regression.names])
    torque = regression.torque(log, phi)
    moved = [regression.torque(replace(log, q=log.q + step), phi) for step in STEP * np.eye(log.n)]
    return np.stack([(each - torque) / STEP for each in moved], axis=-1)


def built_in(look: RoughFit, below: float) -> tuple[float, Problem] | None:
    """Return the built-in robot that fits the rows best, if its error is below a number."""
    robot = look.regression.robot
    errors = dict(_errors_of_others(look)) if robot.nq == robot.n else {}
    name = min(errors, key=lambda k: errors[k], default="")
    if not name or not errors[name] < below:
        return None
    return errors[name], Problem(
        "warning",
        "robot",
        f"the log seems to be of another arm, like the built-in {name!r}: with its joints "
        f"{look.helps(look.error, errors[name])}",
        "Give the robot that the log was recorded with.",
    )


def _errors_of_others(look: RoughFit) -> Iterator[tuple[str, float]]:
    """Yield the built-in robots with as many joints, and how well they fit."""
    robot = look.regression.robot
    for name in library():
        arm = robot_of(name)
        if arm.n == robot.n == arm.nq and name != robot.name:
            regression = Regression.of(arm, ("friction", "offset"))
            rows = replace(look.log, joint_names=tuple(arm.joint_names), Y=None)
            yield name, RoughFit(regression, rows).error
