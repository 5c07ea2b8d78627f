"""A method with a compiled short cut: the method itself is the general way.

The first time such a method is looked up on a robot, the program behind it is compiled for one
state and put in front of it. From then on, exact calls never enter Python code, and everything
else (lists, batches, keywords, mistakes) arrives at the method as written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qddot.backends.fastcall import make_fastcall
from qddot.patience import patience


class compiled:
    """Decorates a method of a robot whose name is a quantity and whose arguments are its inputs."""

    def __init__(self, *inputs: str):
        self.inputs = inputs

    def __call__(self, method: Callable[..., Any]) -> compiled:
        self.method = method
        self.__doc__ = method.__doc__
        return self

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, robot: Any, owner: type | None = None) -> Any:
        if robot is None:
            return self.method
        kernel = robot._kernel(self.name)
        general = self.method.__get__(robot, owner)
        with patience(f"compiling {self.name} of {robot.name}"):
            short_cut = make_fastcall(kernel.program, kernel.dtype, general)
        # an attribute of the object hides this descriptor from now on
        robot.__dict__[self.name] = short_cut
        return short_cut
