"""Whether another arm explains a log much better: then it is not a log of this robot.

A fit finds masses, inertias and friction; where the joints are, it takes from the robot's file. So
the same rows are fitted with the zero of a joint moved a little, and with the joints of the
built-in robots. For an arm whose joints are as in its file neither helps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from qddot.errors import Problem
from qddot.identification.log import Log
from qddot.identification.regression import Regression
from qddot.identification.rough_fit import RoughFit
from qddot.readers.read import library
from qddot.robot import robot_of

STEP = 1e-5  # [rad], by which zeros are moved
ROWS = 200  # at which they are
NEARLY = 1.25  # times the error of all zeros moved: one explains it as well


def zero_off(look: RoughFit, much: float) -> tuple[float, Problem] | None:
    """Return that the zero of a joint seems to be off, and the error if it is.

    Args:
        look: The rough fit of a log that `doubts` looks at.
        much: Of the error, what is left where an explanation counts.
    """
    robot, log = look.regression.robot, look.log[:: max(1, len(look.log) // ROWS)]
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
