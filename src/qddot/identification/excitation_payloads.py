"""Loads with which a motion is made again: the same arm, heavier.

Where the columns of a load come in is `excitation_criterion.py`; here is what joints must give.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qddot.checks import frame_name, positive
from qddot.errors import BadArgument, RobotWarning
from qddot.model.tree import BASE
from qddot.robot import Robot


def torques(robots: Sequence[Robot], *states: np.ndarray) -> np.ndarray:
    """Return what each robot's joints need at states (q, q̇, q̈), shape (robots, ..., n)."""
    return np.stack([robot.inverse_dynamics(*states) for robot in robots])


def loaded(robot: Robot, payloads: Sequence[Mapping[str, Any]]) -> tuple[Robot, ...]:
    """Return the robot as it is, and with each of the loads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)  # of its file, which were told when it loaded
        return (robot, *(robot.with_payload(**load) for load in payloads))


def checked_payloads(robot: Robot, payloads: Any) -> list[dict[str, Any]]:
    """Return loads as `with_payload` takes them.

    Args:
        robot: Who carries them.
        payloads: For each ("tool", mass) or ("tool", mass, (x, y, z)) [kg, m].
    """
    wanted = 'give each as ("tool", 2.0) or ("tool", 2.0, (0, 0, 0.05)): frame, kg, m'
    found = []
    if isinstance(payloads, (str, Mapping)) or not isinstance(payloads, Sequence):
        raise BadArgument(f"payloads is {payloads!r}; {wanted}.")
    for said in payloads:
        try:
            frame, mass, *rest = said
            x, y, z = rest[0] if rest else (0.0, 0.0, 0.0)
            load = {"frame": frame, "mass": float(mass), "com": (float(x), float(y), float(z))}
        except (TypeError, ValueError):
            raise BadArgument(f"A payload is {said!r}; {wanted}.") from None
        frame_name(robot, frame)
        positive("The mass of a payload", mass, "kg")
        if robot.tree.frames[frame][0] == BASE:
            raise BadArgument(f"Frame {frame!r} does not move, so no torque feels its load.")
        found.append(load)
    return found
