"""A method with a compiled short cut: the method itself is the general way.

When such a method is looked up on a robot, a builtin function is put in front of it. Called with
exactly one state, that records and compiles the program behind the quantity, once; from then on
such calls never enter Python code, and everything else (lists, batches, keywords, mistakes)
arrives at the method as written.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import getattr_static
from typing import Any

import numpy as np

from qddot.backends.fastcall import make_fastcall


class compiled:
    """Decorates a method of a robot whose name is a quantity and whose arguments are its inputs."""

    def __init__(self, method: Callable[..., Any]):
        self.method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, robot: Any, owner: type | None = None) -> Any:
        if robot is None:
            return self.method
        # a subclass that has a method of this name reaches here through super()
        hidden = getattr_static(type(robot), self.name) is not self
        place = f"super().{self.name}" if hidden else self.name
        if place in robot.__dict__:
            return robot.__dict__[place]
        general = self.method.__get__(robot, owner)
        dtype = np.dtype(robot.dtype)
        short_cut = make_fastcall(
            self.name, general, lambda: robot._kernel(self.name).program, dtype
        )
        # an attribute of the object that has its name hides this descriptor from now on
        robot.__dict__[place] = short_cut
        return short_cut
