"""From a log to a robot in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, did_you_mean
from qddot.identification.log import load_log
from qddot.identification.options import check_names
from qddot.identification.preparation import prepared
from qddot.identification.regression import USUAL_TERMS
from qddot.identification.result import Fit
from qddot.robot import robot_of

METHODS = {
    "ordinary": ("estimators", "OrdinaryLeastSquares"),
    "weighted": ("estimators", "WeightedLeastSquares"),
    "ridge": ("estimators", "Ridge"),
    "total": ("estimators", "TotalLeastSquares"),
    "robust": ("robust", "Huber"),
    "consistent": ("consistent", "PhysicallyConsistent"),
}


def identify(
    robot: Any,
    log: Any,
    method: str = "weighted",
    *,
    terms: Sequence[str] = USUAL_TERMS,
    extra: Any = (),
    **options: Any,
) -> Fit:
    """Return the parameters of a robot, found from a log.

    Args:
        robot: The robot, or its built-in name or file; its own parameters are the prior where
            torques do not tell.
        log: A file, which is read by `load_log(log, robot)` and made ready by `prepared(log,
            robot)`; a `Log`, which is made ready too if it has no accelerations; or what is fitted
            as it is: anything with `t`, `q`, `qd`, `qdd`, `tau` and `joint_names`, or (q, qd, qdd,
            tau) of shape (k, n).
        method: "ordinary", "weighted", "ridge", "total", "robust" or "consistent".
        terms: What to add to the parameters that the model has: "viscous", "coulomb" (both:
            "friction"), "offset", "rotor_inertia"; () for nothing.
        extra: By name, functions of (q, qd, qdd) of one state that return what a parameter of
            size 1 adds to the torques, shape (n,).
        options: Those of the estimator: `unexcited`, `blocks`, `belief`, `masses`, ...

    Raises:
        BadArgument: If the log cannot be read as this robot's, or does not show its parameters.
    """
    kind = estimator(method)
    own = [f.name for f in fields(kind) if f.name not in ("robot", "terms", "extra")]
    check_names(options, own, method)
    robot = robot_of(robot)
    if isinstance(log, (str, Path)):
        log = prepared(load_log(log, robot), robot, terms=terms, extra=extra)
    return kind(robot, terms=terms, extra=extra, **options).fit(log).result_


def estimator(method: str) -> Any:
    """Return the class of an estimator by its short name."""
    if method not in METHODS:
        raise BadArgument(
            f"There is no method {method!r}.{did_you_mean(str(method), METHODS)}\n"
            f"  There are: {', '.join(METHODS)}."
        )
    module, name = METHODS[method]
    return getattr(import_module(f"qddot.identification.{module}"), name)
