"""Joint positions that people pass to figures and samples, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.errors import BadArgument, UnknownName, WrongShape
from qddot.robot import Robot


def joint_index(robot: Robot, name: Any) -> int:
    """Return which entry of q a joint is."""
    if not isinstance(name, str) or name not in robot.joint_names:
        raise UnknownName("joint", str(name), robot.name, robot.joint_names)
    return robot.joint_names.index(name)


def position(robot: Robot, q: Any, what: str = "q") -> np.ndarray:
    """Return one q, checked: finite numbers of shape (n,)."""
    found = positions(robot, q, what)
    if found.ndim != 1:
        raise WrongShape(what, found.shape, robot.name, robot.joint_names)
    return found


def positions(robot: Robot, q: Any, what: str = "q") -> np.ndarray:
    """Return one q or many, checked: finite numbers of shape (n,) or (k, n)."""
    try:
        found = np.array(q, dtype=float)
    except (TypeError, ValueError):
        raise BadArgument(f"{what} is not an array of real numbers.") from None
    if found.ndim not in (1, 2) or found.shape[-1] != robot.n or not found.size:
        raise WrongShape(what, found.shape, robot.name, robot.joint_names)
    if not np.isfinite(found).all():
        raise BadArgument(f"{what} has entries that are not finite; give finite joint positions.")
    return found
