"""A frame to a pose by one screw: about and along one line in space."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.motions.cartesian import ROUNDING, CartesianPath, helix
from qddot.motions.description import DURATION, POSE, MotionKind
from qddot.motions.following import turned
from qddot.motions.motion import keep
from qddot.scalars import Scalar, Vec3


@dataclass(frozen=True, eq=False)
class CartesianScrew(CartesianPath):
    """A frame to a pose by one screw: about and along a line in space that stays the same.

    Every motion from one pose to another is such a screw (M. Chasles, 1830). With the turn θ about
    the unit axis a and t = p₁ − R p₀, a point c of the line and the advance h along it are

        c = (t⊥ + cot(θ/2) a × t⊥)/2        h = a · t        t⊥ = t − h a
    """

    end: Any  # the pose (4, 4), in base axes
    center: np.ndarray = field(init=False)  # (3,) [m], a point of the line
    advance: float = field(init=False)  # [m], along the line

    def __post_init__(self) -> None:
        self._open()
        p = self._end_pose(self.end)
        angle = float(np.linalg.norm(self.turn))
        advance, center = float(np.linalg.norm(p - self.start)), self.start
        if angle:
            axis = self._axis
            t = p - turned(self.turn, 1.0) @ self.start
            advance = float(axis @ t)
            across = t - advance * axis
            center = (across + np.cross(axis, across) / np.tan(angle / 2)) / 2
        keep(self, end=np.array(self.end, dtype=float), center=center, advance=advance)
        if self.length == 0:
            raise BadArgument(f"The frame {self.frame!r} is at the end of its screw already.")
        self._close()

    @property
    def _axis(self) -> np.ndarray:
        angle = float(np.linalg.norm(self.turn))
        return self.turn / angle if angle else np.zeros(3)

    @property
    def _across(self) -> np.ndarray:
        """From the line to the frame at its start [m]."""
        out = self.start - self.center
        return out - self._axis * (self._axis @ out)

    @property
    def length(self) -> float:
        """How long the way of the frame's origin is [m]; of a turn on the spot, its angle [rad]."""
        angle = float(np.linalg.norm(self.turn))
        length = float(np.hypot(angle * np.linalg.norm(self._across), self.advance))
        return length if length > ROUNDING else angle

    def place(self, s: Scalar) -> tuple[Vec3, Vec3, Vec3]:
        """Return where the frame is after a distance s, and two derivatives by s."""
        straight = self.end[:3, 3] - self.start
        along = self._axis * self.advance if self.turn.any() else straight
        return helix(s, self.start, self._across, self.spin, along / self.length)


TO_POSE = MotionKind(
    "to_pose",
    "to_pose 0.4,0.1,0.5,pi,0,0 2.0",
    "move the frame to x,y,z,roll,pitch,yaw",
    {"target": POSE, "duration": DURATION},
    lambda at, target, duration: (
        CartesianScrew(at.robot, at.frame, at.q, target, duration=duration).joints
    ),
)
