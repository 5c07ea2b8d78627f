"""Straight lines and arcs of a frame in space, with a profile along them.

They say where the frame's origin should be. Its orientation is kept, or turns about an axis that
stays the same, evenly with the distance, or is left to the joints. `joints` is the same motion as
joint positions, through inverse kinematics.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from qddot.checks import frame_name, joint_vector, positive, vector
from qddot.errors import BadArgument, shorten
from qddot.kinematics.poses import proper_poses
from qddot.motions.description import ANGLE, DURATION, FRAME_PLACE, XYZ, MotionKind, Situation
from qddot.motions.following import FramePath, followed, turned
from qddot.motions.motion import TaskReference, check_limits, keep
from qddot.motions.path import AlongPath, Path, PathPart, Profile, joined, quintic
from qddot.robot import Robot
from qddot.scalars import Scalar, Vec3, sincos
from qddot.spatial.rotation import rotation_vector

ROUNDING = 1e-12  # [m] and [rad], by which two poses that are the same may differ


@dataclass(frozen=True, eq=False, kw_only=True)
class CartesianPath(TaskReference):
    """A path of a frame and its timing: a duration, or a velocity, acceleration and jerk."""

    robot: Robot = field(kw_only=False, repr=False)
    frame: str = field(kw_only=False)
    q: Any = field(kw_only=False)  # (n,), where the joints start [rad or m]
    duration: float = 0.0  # [s], by a quintic; or give a velocity and an acceleration
    velocity: float | None = None  # [m/s]
    acceleration: float | None = None  # [m/s²], of the frame, that around curves included
    jerk: float | None = None  # [m/s³], for an S-curve
    orientation: str = "kept"  # or "free"; of an arc also "turned", along with it
    tolerance: float = 1e-7  # [m] and [rad], of the frame between the nodes of `joints`
    profile: Profile = field(init=False, repr=False)
    start: np.ndarray = field(init=False, repr=False)  # (3,) [m]
    turn: np.ndarray = field(init=False, repr=False)  # (3,) [rad], by which the frame turns in all

    @abstractmethod
    def place(self, s: Scalar) -> tuple[Vec3, Vec3, Vec3]:
        """Return where the frame is after a distance s, and two derivatives by s."""

    @property
    @abstractmethod
    def length(self) -> float:
        """How long the path is [m]; of a turn on the spot, its angle [rad]."""

    @property
    def spin(self) -> np.ndarray:
        """By which vector the frame turns per unit of length [rad/m]: its axis stays the same."""
        return self.turn / self.length

    def pose(self, s: float) -> np.ndarray:
        """Return where the frame is after a distance s, as a homogeneous matrix (4, 4)."""
        return self._frame_path.pose(s)

    def _open(self, *more: str) -> None:
        """Check what every path is given; `start` is known after it, and the path does not turn."""
        frame_name(self.robot, self.frame)
        known = ("kept", "free", *more)
        if not isinstance(self.orientation, str) or self.orientation not in known:
            words = " or ".join(map(repr, known))
            raise BadArgument(
                f"orientation is {shorten(repr(self.orientation))}; it is {words}.\n"
                "  What is kept is the orientation at q; to turn the frame on the way, give the "
                "end as a pose."
            )
        robot = self.robot.with_options(dtype="float64")
        robot = self.robot if self.robot.dtype == robot.dtype else robot
        robot.model.need_single_numbers("A path of a frame")
        q = joint_vector(robot, "q", self.q)
        keep(self, robot=robot, q=q, start=robot.pose(q, self.frame)[:3, 3].copy())
        keep(self, tolerance=positive("tolerance", self.tolerance, "m"), turn=np.zeros(3))

    def _end_pose(self, X: Any) -> np.ndarray:
        """Return the position of a pose that is the end, and keep the turn that leads there."""
        if self.orientation == "free":
            raise BadArgument(
                "end is a pose and orientation is 'free'; give a position alone, X[:3, 3], or "
                "leave the orientation out."
            )
        row = proper_poses(X)
        if row.shape != (12,):
            raise BadArgument(f"end has shape {np.shape(X)}; it is one pose, of shape (4, 4).")
        R = self._start_rotation
        turn, p = rotation_vector(row[:9].reshape(3, 3) @ R.T), row[9:]
        keep(self, turn=turn if np.linalg.norm(turn) > ROUNDING else np.zeros(3))
        return p.copy() if np.linalg.norm(p - self.start) > ROUNDING else self.start.copy()

    def _close(self) -> None:
        """Choose the profile, and see whether the joints can follow within their limits."""
        profile = self._profile()
        keep(self, profile=profile, duration=profile.duration)
        check_limits(self.robot, self)

    def _profile(self) -> Profile:
        v, a, j = self.velocity, self.acceleration, self.jerk
        if self.duration and (v, a, j) == (None, None, None):
            return quintic(self.length, positive("duration", self.duration, "s"))
        if self.duration or v is None or a is None:
            raise BadArgument(
                "The timing of the path is not defined: give a duration [s] alone, or a velocity "
                "[m/s] and an acceleration [m/s²], and a jerk [m/s³] if you like."
            )
        v, a = positive("velocity", v, "m/s"), positive("acceleration", a, "m/s²")
        j = j if j is None else positive("jerk", j, "m/s³")
        return joined(self._within(v, a), j)

    def _within(self, v: float, a: float) -> list[PathPart]:
        """Return within what the distance along each part keeps the frame to v and a.

        Around a curve the acceleration is a, of which ṡ²/radius points inwards.
        """
        bend = float(np.linalg.norm(self.place(0.0)[2]))  # as large all along
        v = min(v, np.sqrt(a / (2**0.5 * bend))) if bend else v
        return [(self.length, v, np.sqrt(a**2 - (bend * v**2) ** 2))]

    @property
    def breaks(self) -> np.ndarray:
        """Where the profile changes its law [s]."""
        return self.profile.breaks

    def at(self, t: Scalar) -> tuple[Vec3, Vec3, Vec3]:
        """Return position [m], velocity and acceleration of the frame's origin, in base axes."""
        (s,), (sd,), (sdd,) = self.profile.curve.at(t)
        x, slope, bend = self.place(s)
        return x, slope * sd, bend * (sd * sd) + slope * sdd

    def frame_at(self, t: Scalar) -> tuple[Any, Any]:
        """Return the pose of the frame (4, 4), and its velocity [ω; ẋ], in base axes.

        Of a path with a free orientation, as if it were kept.
        """
        (s,), (sd,), _ = self.profile.curve.at(t)
        x, slope, _ = self.place(s)
        R, spin = self.turned_by(s)
        X = np.eye(4, dtype=int).astype(object)
        X[:3, :3], X[:3, 3] = R, x
        return X, np.concatenate([spin * sd, slope * sd])

    def turned_by(self, s: Scalar) -> tuple[Any, Any]:
        """Return the orientation after a distance s, and the turn per unit of s."""
        return self.turning(s)[:2]

    @property
    def joints(self) -> AlongPath:
        """The same motion as joint positions, the way of least motion where there is a choice."""
        return AlongPath(self._followed[0], self.profile)

    @property
    def last_q(self) -> np.ndarray:
        """Where the joints are at the end of the path, (n,) [rad or m]: for what comes next."""
        return self.joints.at(self.duration)[0]

    @property
    def joints_error(self) -> float:
        """How far `joints` lets the frame be off its path, or turned [m or rad]: an upper estimate.

        Measured at 32 places of each of its pieces, and 2 % more for what may lie between them.
        """
        return self._followed[1]

    @property
    def _frame_path(self) -> FramePath:
        turning = None if self.orientation == "free" else self.turning
        return FramePath(self.robot, self.frame, self.place, turning, self.knots)

    @property
    def knots(self) -> np.ndarray:
        """Where the path changes its law, from 0 to its length."""
        return np.array([0.0, self.length])

    def turning(self, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the orientation after a distance s, the turn per unit of s, and its slope.

        R(s) = exp([s spin]×) R(0)
        """
        return turned(self.spin, s) @ self._start_rotation, self.spin, np.zeros(3)

    @cached_property
    def _start_rotation(self) -> np.ndarray:
        return self.robot.pose(self.q, self.frame)[:3, :3]

    @cached_property
    def _followed(self) -> tuple[Path, float]:
        return followed(self._frame_path, self.q, self.tolerance)


@dataclass(frozen=True, eq=False)
class CartesianLine(CartesianPath):
    """A frame straight from where it is at q to a position, or to a pose.

    On its way to a pose it turns about one axis, evenly with the distance.

    Example:
        >>> CartesianLine(robot, "tool", q, end=[0.4, 0.2, 0.5], duration=2.0)
        >>> CartesianLine(robot, "tool", q, end=[0.4, 0.2, 0.5], velocity=0.5, acceleration=2.0)
        >>> CartesianLine(robot, "tool", q, end=X, duration=2.0)
    """

    end: Any  # (3,) [m], in base axes; or a pose (4, 4), and then the position of that

    def __post_init__(self) -> None:
        self._open()
        pose = np.ndim(self.end) == 2
        keep(self, end=self._end_pose(self.end) if pose else vector("end", self.end, 3))
        if self.length == 0:
            raise BadArgument(f"The frame {self.frame!r} is at the end of its line already.")
        self._close()

    @property
    def length(self) -> float:
        """How long the line is [m]; of a turn on the spot, its angle [rad]."""
        return float(np.linalg.norm(self.end - self.start)) or float(np.linalg.norm(self.turn))

    def place(self, s: Scalar) -> tuple[Vec3, Vec3, Vec3]:
        """Return x = start + s d and its derivatives, d the direction."""
        d = (self.end - self.start) / self.length
        return self.start + s * d, d, np.zeros(3)


@dataclass(frozen=True, eq=False)
class CartesianArc(CartesianPath):
    """A frame from where it is at q around an axis through a centre, by an angle.

    With orientation="turned" it turns along, as a tool that is led around a part.

    With u and w = axis × u of the length of the radius r, across the axis:

        x(s) = foot + u cos(s/r) + w sin(s/r)
    """

    center: Any  # (3,) [m], anywhere on the axis
    axis: Any  # (3,), of any length; the angle turns right-handed about it
    angle: float  # [rad], may be negative or more than a turn
    radius: float = field(init=False)

    def __post_init__(self) -> None:
        self._open("turned")
        center, axis = vector("center", self.center, 3), vector("axis", self.axis, 3)
        if not axis.any():
            raise BadArgument("axis is zero; give the direction about which the arc turns.")
        sign = np.sign(self.angle)
        angle = positive("the size of angle", abs(self.angle), "rad")
        axis = axis / np.linalg.norm(axis) * sign
        u = self.start - center
        radius = float(np.linalg.norm(u - axis * (axis @ u)))
        if radius < 1e-9:
            raise BadArgument(
                f"The frame {self.frame!r} lies on the axis of its arc, so it would not move; "
                "choose another center."
            )
        turn = axis * angle if self.orientation == "turned" else np.zeros(3)
        keep(self, center=center, axis=axis, angle=angle, radius=radius, turn=turn)
        self._close()

    @property
    def length(self) -> float:
        """How long the arc is [m]."""
        return self.radius * self.angle

    def place(self, s: Scalar) -> tuple[Vec3, Vec3, Vec3]:
        """Return where the frame is after a distance s, and two derivatives by s."""
        out = self.start - self.center
        u = out - self.axis * (self.axis @ out)
        return helix(s, self.start, u, self.axis / self.radius, np.zeros(3))


def helix(
    s: Scalar, start: np.ndarray, u: np.ndarray, spin: np.ndarray, along: np.ndarray
) -> tuple[Vec3, Vec3, Vec3]:
    """Return a point that turns about a line and slides along it, and two derivatives by s.

    At s = 0 it is at `start`, at u from the line. For a unit of s it turns by `spin`, the axis
    times the angle, and slides by `along`.
    """
    rate = float(np.linalg.norm(spin))
    if rate == 0:
        return start + s * along, along, np.zeros(3)
    w = np.cross(spin / rate, u)
    sine, cosine = sincos(s * rate)
    around = u * cosine + w * sine
    return start - u + around + s * along, (w * cosine - u * sine) * rate + along, -around * rate**2


def _described(at: Situation, path: type[CartesianPath], **given: Any) -> Any:
    """Return a path from where the frame is, as what moves has it: of the frame, or of joints."""
    found = path(at.robot, at.frame, at.q, orientation=at.orientation, **given)
    return found if at.of_frame else found.joints


LINE = MotionKind(
    "line",
    "line 1.2,0.6 2.0",
    "move the frame straight to a place [m]",
    {"target": FRAME_PLACE, "duration": DURATION},
    lambda at, target, duration: _described(at, CartesianLine, end=target, duration=duration),
    for_frames=True,
)
ARC = MotionKind(
    "arc",
    "arc 1,0,0 0,0,1 pi/2 2.0",
    "move the frame: centre, axis, angle, [s]",
    {"center": XYZ, "axis": XYZ, "angle": ANGLE, "duration": DURATION},
    lambda at, **given: _described(at, CartesianArc, **given),
    for_frames=True,
)
