"""A robot, or all built-in ones, printed."""

from __future__ import annotations

from typing import Any

from qddot.looks import look
from qddot.readers.read import model_of


def show(robot: Any = None) -> None:
    """Print a robot as a table and a tree; without one, the built-in robots.

    Args:
        robot: The robot, or its built-in name or file.
    """
    if robot is None:
        look("terminal.robots.print_library")()
    else:
        look("terminal.robots.print_robot")(model_of(robot))
