"""Deriving a robot's equations by a formulation of one's choice."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from qddot.equations.equations import Equations
from qddot.equations.exact_tree import ExactRobot, exact_robot
from qddot.equations.size import check_size
from qddot.errors import BadArgument, did_you_mean
from qddot.readers.read import model_of

FORMULATIONS = ("lagrange", "explicit", "trace", "stacked", "recursive")


def derive(robot: Any, formulation: str = "lagrange") -> Equations:
    """Return the equations of motion of a robot in closed form.

    Args:
        robot: A robot, a model, the name of a built-in robot or a robot file; its parameters may
            be symbols. Decimals are taken as the rational numbers they name, and angles that are
            right angles as exact.
        formulation: "lagrange", "explicit", "trace", "stacked" or "recursive". They give the same
            equations by different ways; `equations.steps` shows the way.

    Raises:
        TooLarge: If the closed form would be longer than anybody could read.
    """
    if formulation not in FORMULATIONS:
        raise BadArgument(
            f"There is no formulation {formulation!r}.{did_you_mean(formulation, FORMULATIONS)}\n"
            f"  There are: {', '.join(FORMULATIONS)}."
        )
    exact = exact_of(robot)
    check_size(exact)
    return derived(exact, formulation)


def exact_of(robot: Any) -> ExactRobot:
    """Return a robot, a model, or what a name or a file names, over exact polynomials."""
    return exact_robot(model_of(robot))


def derived(robot: ExactRobot, formulation: str) -> Equations:
    """Return the equations of a robot that is exact already."""
    module = import_module(f"qddot.formulations.{formulation}")
    return Equations(robot, module.derive(robot.tree, robot.q, robot.qd))
