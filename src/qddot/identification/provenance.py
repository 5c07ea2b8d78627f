"""What a robot that was found says of itself, and what it loses in a file."""

from __future__ import annotations

import warnings
from dataclasses import replace
from datetime import date
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import listing, printable, shorten

if TYPE_CHECKING:
    from qddot.identification.result import Fit

PRICE = 0.005  # of the error: less is not worth a word


def told(fit: Fit, robot: Any, possible: float | None) -> Any:
    """Return the robot with a description of where its parameters come from.

    What its file said of the old numbers is not true any more, so it goes; that file is named for
    the geometry, and for what torques do not tell.

    Args:
        fit: The fit.
        robot: The robot with its values.
        possible: The relative error of the nearest robot that can exist, where it is another one.
    """
    before = fit.problem.regression.robot.model
    log = shorten(printable(PurePath(getattr(fit.log, "source", "") or "").name), 80) or "arrays"
    error = fit.relative_error if possible is None else possible
    words = [
        f"Parameters identified on {date.today().isoformat()} by {fit.method} from {log}: "
        f"{len(fit.values)} base parameters from {fit.count} samples, relative torque error "
        f"{100 * error:.3g} %."
    ]
    if not fit.trusted:
        words.append(f"{fit.status[0].upper()}{fit.status[1:]}.")
    if before.source:
        words.append(f"Geometry, limits and what torques do not tell: {before.source}.")
    model = replace(robot.model, description=" ".join(words), source=f"qddot, from {log}")
    return replace(robot, model=model)


def saved(fit: Fit, path: str | Path) -> list[str]:
    """Write the robot found; warn of what the file cannot hold, and of what that costs."""
    from qddot.errors import IdentificationWarning

    robot = fit.robot
    lost = robot.save(path)
    if Path(path).suffix.lower() != ".urdf":
        return lost
    joints = robot.model.free_joints
    parts = [
        ("rotor inertia", [j.name for j in joints if j.motor.reflected]),
        ("offset", [j.name for j in joints if j.friction.offset]),
    ]
    gone = [f"{what} (of {listing(names, 8)})" for what, names in parts if names]
    if gone:
        stripped = robot.model.with_joints(
            lambda j: replace(j, motor=type(j.motor)(), friction=replace(j.friction, offset=0))
        )
        before, after = (error_of(fit, r) for r in (robot, replace(robot, model=stripped)))
        cost = f"On the rows of the log the torque error rises from {100 * before:.3g} % "
        cost = f"{cost}to {100 * after:.3g} %. " if after > before + PRICE * before else ""
        warnings.warn(
            f"A URDF file has no place for {' and '.join(gone)}. {cost}Save as .toml to keep it.",
            IdentificationWarning,
            stacklevel=3,
        )
    return lost


def error_of(fit: Fit, robot: Any) -> float:
    """Return ‖τ − τ_robot‖/‖τ‖ of a robot on every row of the log that counts."""
    rows = fit.rows if fit.rows is not None else fit.samples
    residual = rows.tau - robot.inverse_dynamics(rows.q, rows.qd, rows.qdd)
    use = np.ones(residual.shape, bool) if rows.counts is None else rows.counts
    size = float(np.sum(rows.tau[use] ** 2)) or 1.0
    return float(np.sqrt(np.sum(residual[use] ** 2) / size))
