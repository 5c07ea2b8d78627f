"""Straight from one position of the joints to another, all joints starting and ending together.

One profile serves all joints, so the path is a straight line in joint space. `Move` takes a given
time. The others are as quick as the line allows: at every instant of a ramp or of the cruise one
joint is at its limit.

    q(t) = start + σ(t) (end − start),  σ from 0 to 1
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.checks import positive
from qddot.errors import BadArgument
from qddot.motions.description import DURATION, LIMIT, PLACE, TARGET, MotionKind
from qddot.motions.motion import Reference, Triple, check_limits, keep, limit_of, vector
from qddot.motions.path import Profile, quintic, s_curve, trapezoid
from qddot.robot import Robot
from qddot.scalars import Scalar


class _Straight(Reference):
    """What the straight references share."""

    start: Any
    end: Any
    profile: Profile | None
    robot: Robot | None

    def _set(self) -> np.ndarray:
        """Check the ends and return by how much every joint moves."""
        start, end = vector("start", self.start), vector("end", self.end)
        if len(start) != len(end):
            raise BadArgument(f"start holds {len(start)} numbers and end {len(end)}; both n.")
        keep(self, start=start, end=end, n=len(start), duration=0.0, profile=None)
        return end - start

    def _slowest(self, what: str, limit: Any) -> float:
        """Return what σ may do for every joint to keep to its limit."""
        if limit is None and what == "velocity" and self.robot is not None:
            limit = self.robot.limits.velocity
        if limit is None:
            raise BadArgument(f"{what} is not given, and there is no robot to take it from.")
        far = np.abs(self.end - self.start)
        moving = far > 0
        slowest = float((limit_of(what, limit, self.n)[moving] / far[moving]).min())
        if not np.isfinite(slowest):
            raise BadArgument(f"{what} is infinite for every joint that moves; give a limit.")
        return slowest

    def _quickest(self, *limits: str) -> None:
        """Take the quickest profile within limits of these names, if a joint moves at all."""
        if self._set().any():
            v, a, *jerk = (self._slowest(name, getattr(self, name)) for name in limits)
            profile = s_curve(1.0, v, a, *jerk) if jerk else trapezoid(1.0, v, a)
            keep(self, profile=profile, duration=profile.duration)
        check_limits(self.robot, self)

    @property
    def breaks(self) -> np.ndarray:
        """Where the acceleration or the jerk jumps [s]."""
        return np.zeros(1) if self.profile is None else self.profile.breaks

    def at(self, t: Scalar) -> Triple:
        """Return q, q̇ and q̈."""
        if self.profile is None:
            return self.start, np.zeros(self.n), np.zeros(self.n)
        far = self.end - self.start
        (s,), (sd,), (sdd,) = self.profile.curve.at(t)
        return self.start + far * s, far * sd, far * sdd


@dataclass(frozen=True, eq=False)
class Move(_Straight):
    """Straight to a position in a given time, with the least jerk.

    Its ends may be inputs of a program, so that runs may differ in them.

    Example:
        >>> Move([0.0], [2.0], duration=1.0).at(0.5)[0]
        array([1.])
    """

    start: Any  # (n,) [rad or m]
    end: Any  # (n,)
    duration: float  # [s]
    robot: Robot | None = field(default=None, repr=False)  # whose limits it is held against
    profile: Profile | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        profile = quintic(1.0, positive("duration", self.duration, "s"))
        self._set()
        keep(self, profile=profile, duration=profile.duration)
        check_limits(self.robot, self)


@dataclass(frozen=True, eq=False)
class Trapezoidal(_Straight):
    """Straight to a position, within a velocity and an acceleration.

    Example:
        >>> Trapezoidal([0.0], [2.0], velocity=1.0, acceleration=1.0).duration
        3.0
    """

    start: Any  # (n,) [rad or m]
    end: Any  # (n,)
    velocity: Any  # one number, or one per joint [rad/s or m/s]; None: the robot's limits
    acceleration: Any  # [rad/s² or m/s²]
    robot: Robot | None = field(default=None, repr=False)  # whose limits it is held against
    profile: Profile | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._quickest("velocity", "acceleration")


@dataclass(frozen=True, eq=False)
class SCurve(_Straight):
    """Straight to a position, within a velocity, an acceleration and a jerk."""

    start: Any  # (n,) [rad or m]
    end: Any  # (n,)
    velocity: Any  # one number, or one per joint [rad/s or m/s]; None: the robot's limits
    acceleration: Any  # [rad/s² or m/s²]
    jerk: Any  # [rad/s³ or m/s³]
    robot: Robot | None = field(default=None, repr=False)  # whose limits it is held against
    profile: Profile | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._quickest("velocity", "acceleration", "jerk")


LIMITS = {"velocity": LIMIT, "acceleration": LIMIT}
MOVE = MotionKind(
    "move",
    "move 1,1 2.0",
    "from the start to there; how long [s]",
    {"target": TARGET, "duration": DURATION},
    lambda at, target, duration: Move(at.place(at.q), target, duration, at.limited),
    for_frames=True,
)
TRAPEZOIDAL = MotionKind(
    "trapezoidal",
    "trapezoidal 0,0 1,1 velocity=1 acceleration=2",
    "straight, with limited acceleration",
    {"start": PLACE, "end": PLACE, **LIMITS},
    lambda at, **given: Trapezoidal(**given, robot=at.robot),
)
S_CURVE = MotionKind(
    "s_curve",
    "s_curve 0,0 1,1 velocity=1 acceleration=2 jerk=10",
    "straight, with limited jerk",
    {"start": PLACE, "end": PLACE, **LIMITS, "jerk": LIMIT},
    lambda at, **given: SCurve(**given, robot=at.robot),
)
