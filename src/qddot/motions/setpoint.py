"""Staying at one place; and what a law is to follow, made from what users give for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot import checks
from qddot.errors import BadArgument, listing
from qddot.motions.description import TARGET, MotionKind
from qddot.motions.motion import Reference, Triple, check_limits, keep, program_of, vector
from qddot.robot import Robot
from qddot.scalars import Scalar


@dataclass(frozen=True, eq=False)
class Setpoint(Reference):
    """One position for ever: q(t) = q.

    Example:
        >>> Setpoint([0.5, 1.0]).at(3.0)[0]
        array([0.5, 1. ])
    """

    q: Any  # (nq,) [rad or m]
    robot: Robot | None = field(default=None, repr=False)  # whose limits it is held against
    joints: int | None = field(default=None, repr=False)  # how many, if not one per number of q

    def __post_init__(self) -> None:
        q = vector("q", self.q)
        n = self.joints or len(q)
        if self.robot is not None and len(q) == self.robot.nq:
            n = self.robot.n
        keep(self, q=q, n=n, duration=np.inf)
        check_limits(self.robot, self)

    def at(self, t: Scalar) -> Triple:
        """Return q, 0 and 0."""
        still = np.zeros(self.n, dtype=int)
        return self.q, still, still


SETPOINT = MotionKind(
    "setpoint",
    "setpoint 0.5,0.3",
    "stay there; a frame: at this place [m]",
    {"target": TARGET},
    lambda at, target: Setpoint(target, at.limited),
    for_frames=True,
)


@dataclass(frozen=True)
class CommandedReference:
    """A reference that is told where it is: inputs of a program, or what another one computes."""

    motion: Triple
    n: int
    duration: float = float("inf")

    def at(self, t: Scalar) -> Triple:
        """Return what it was told."""
        return self.motion


def joint_reference(value: Any, robot: Robot, what: str = "reference") -> Any:
    """Return the motion of a robot's joints behind what was given; see `reference_of`."""
    return reference_of(value, robot.joint_names, what, robot.model.position_names)


def reference_of(
    value: Any, parts: Sequence[str], what: str = "reference", numbers: Sequence[str] | None = None
) -> Any:
    """Return the motion behind what was given: itself, its smooth form, or a place to stay at.

    It has `at(t)`, giving position, velocity and acceleration over any scalar, and `n`; or
    `as_motion()`, such as a log; or is an array, a place, whose numbers have names of their own
    where they are not the entries.
    """
    k = len(parts)
    if callable(getattr(value, "as_motion", None)):
        value = value.as_motion()
    if callable(getattr(value, "at", None)) and hasattr(value, "n"):
        if value.n != k:
            raise BadArgument(
                f"The {what} has {value.n} entries; it must have {k}, in order: {listing(parts)}."
            )
        return value
    numbers = parts if numbers is None else numbers
    wanted = f"an array of {len(numbers)} numbers to stay at, or a reference with at(t) and n"
    place = checks.vector(f"The {what}", value, numbers, wanted)
    return Setpoint(place, joints=k)


def stays(reference: Any) -> bool:
    """Return whether a reference has one place for all times: its program does not contain t."""
    if isinstance(reference, (Setpoint, CommandedReference)):
        return isinstance(reference, Setpoint)
    program = program_of(reference, "reference")
    if program.steps or 0 in program.results:  # 0 is t itself
        return False
    _, velocity, acceleration = (np.asarray(part, dtype=float) for part in reference.at(0.0))
    return not velocity.any() and not acceleration.any()
