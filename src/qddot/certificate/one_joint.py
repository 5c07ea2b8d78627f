"""Bounds as functions of one coordinate, such as how far a sliding joint is out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qddot.certificate.bound import Bound
from qddot.certificate.bounds import bounds
from qddot.certificate.box import Box, box_of
from qddot.errors import UnknownName
from qddot.robot import Robot


def along(
    robot: Robot, quantity: str, joint: str, values: Iterable[float], *, box: Any = None, **how: Any
) -> list[Bound]:
    """Return a bound for each value of one coordinate, over the box of the others.

    Args:
        robot: The robot.
        quantity: The bound's name.
        joint: The joint that is held at each value in turn.
        values: Its positions [rad or m].
        box: The positions of the others, as for `certify`.
        how: `gap` and `seconds` of each bound.
    """
    if joint not in robot.joint_names:
        raise UnknownName("joint", joint, robot.name, robot.joint_names)
    i = robot.joint_names.index(joint)
    found = []
    for value in values:
        given = {joint: float(value)} if box is None else box
        whole = box_of(robot, given)
        lower, upper = list(whole.lower), list(whole.upper)
        lower[i] = upper[i] = float(value)
        held = Box(tuple(lower), tuple(upper))
        found.append(bounds(robot, [quantity], box=held, **how)[quantity])
    return found
