"""A model that is wrong by a known share, to test laws with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qddot.checks import number
from qddot.errors import NotNumeric
from qddot.robot import Robot


def wrong_model(robot: Robot, share: float, seed: int = 1) -> Robot:
    """Return a robot whose links are heavier or lighter by a share, each at random.

    Mass and inertia of a link change by the same factor, so that it stays a body that can exist;
    lengths, friction and springs stay as they are.

    Args:
        robot: The right one.
        share: By how much: 0.3 for 30 %. At least 0, less than 1.
        seed: Seed of the random choice.

    Example:
        >>> import qddot
        >>> wrong = wrong_model(qddot.load("two_link"), 0.3)
        >>> [link.inertial.mass for link in wrong.model.links if link.inertial.mass]
        [65.0, 65.0]
    """
    share = _share(share)
    if robot.symbols:
        raise NotNumeric(f"Robot {robot.name!r}", robot.symbols)
    rng = np.random.default_rng(seed)
    links = []
    for link in robot.model.links:
        own = link.inertial
        factor = 1 + float(rng.choice([-share, share]))
        inertia = tuple(factor * float(x) for x in own.inertia)
        mass = factor * float(own.mass)
        links.append(replace(link, inertial=replace(own, mass=mass, inertia=inertia)))
    return Robot(replace(robot.model, links=tuple(links)))


def _share(given: Any) -> float:
    wanted = "a number from 0 to less than 1: 0.3 makes links 30 % too heavy or too light"
    return number("share", given, wanted, least=0, below=1)
