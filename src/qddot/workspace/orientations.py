"""Dexterity: the share of orientations that a frame can have at a place, by inverse kinematics.

Orientations are spread evenly over all rotations (M. Alexa, *Super-Fibonacci spirals*, CVPR 2022),
directions of one axis over the sphere, and turns about one line, if the frame has no others, over
the circle. Each is a pose that the solver reaches, or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.certificate.mobility import complement, directions
from qddot.checks import frame_name, numbers, one_of, whole
from qddot.errors import BadArgument, printable
from qddot.plain_text import fitted
from qddot.results import in_notebook
from qddot.robot import Robot
from qddot.robot.loading import robot_of
from qddot.spatial.rotation import about_axis, from_quaternion

BATCH = 65_536  # poses at a time
LETTERS = ("x", "y", "z")
PSI = 1.533751168755204288118041  # the root of ψ⁴ = ψ + 4
GOLDEN = (1 + 5**0.5) / 2


@dataclass(frozen=True, eq=False, repr=False)
class Dexterity:
    """Which orientations a frame can have at places."""

    robot: Robot
    frame: str
    points: np.ndarray  # (..., 3) [m]
    approach: str | None  # the axis of the frame whose directions are meant; None: orientations
    rotations: np.ndarray  # (count, 3, 3), one with each orientation or direction
    reached: np.ndarray  # (..., count): whether there is a q within limits
    q: np.ndarray  # (..., count, n) [rad or m], NaN where there is none
    sure: bool  # all solutions are known in closed form; else a search may have missed some

    @property
    def share(self) -> np.ndarray:
        """The share of orientations that is reached, shape (...), from 0 to 1."""
        return self.reached.mean(axis=-1)

    @property
    def facts(self) -> dict[str, str]:
        """What there is to say, by name."""
        share, count = np.atleast_1d(self.share), len(self.rotations)
        kinds = f"directions of {self.approach}" if self.approach else "orientations"
        found = f"{100 * share.min():.3g} %" if share.size else "none"
        if share.size > 1:
            found += f" to {100 * share.max():.3g} %, {100 * share.mean():.3g} % on average"
        how = "closed form" if self.sure else "search: what was not found may exist"
        return {
            "places": f"{share.size:,}",
            "reached": f"{found} of {count} {kinds}",
            "how": f"by {how}",
        }

    def to_dict(self) -> dict[str, Any]:
        """Return its numbers for machines, without the orientations."""
        return {
            "robot": self.robot.name,
            "frame": self.frame,
            "points": self.points,
            "approach": self.approach,
            "count": len(self.rotations),
            "share": self.share,
            "sure": self.sure,
        }

    @fitted
    def __str__(self) -> str:
        frame, robot = printable(self.frame), printable(self.robot.name)
        width = max(map(len, self.facts))
        lines = [f"  {name:{width}}  {words}" for name, words in self.facts.items()]
        return "\n".join([f"Dexterity of {frame!r} of {robot!r}:", *lines])

    __repr__ = __str__
    _repr_html_ = in_notebook("kinematics.dexterity_html")


def dexterity_at(
    robot: Robot | str,
    points: Any,
    frame: str | None = None,
    *,
    approach: str | None = None,
    count: int = 256,
    starts: int | None = None,
) -> Dexterity:
    """Return which orientations a frame can have at places, within the joints' limits.

    Args:
        robot: The robot, its name or file.
        points: Places in the base [m], shape (..., 3).
        frame: The name of a link or a frame; the robot's tip if not given.
        approach: "x", "y" or "z": the directions of this axis of the frame are asked for, with any
            turn about it. If not given, whole orientations; of a frame that turns about one
            direction only, as in a plane, its turns about that.
        count: How many orientations, or directions, are tried at every place.
        starts: From how many places a search begins at least; see `robot.inverse_kinematics`.
    """
    robot = robot_of(robot)
    frame = frame_name(robot, robot.tip if frame is None else frame)
    p = numbers("points", points, "numbers of shape (..., 3)")
    if p.shape[-1:] != (3,):
        raise BadArgument(f"points has shape {p.shape}; it must have shape (..., 3).")
    if approach is not None:
        one_of("approach", approach, LETTERS)
    count = whole("count", count, 1)
    rotations = _rotations(robot, frame, approach, count)
    sure = approach is None and _has_closed_form(robot, frame)
    rows = p.reshape(-1, 3)
    reached, q = np.empty((len(rows), count), bool), np.full((len(rows), count, robot.nq), np.nan)
    together = max(1, BATCH // count)
    for first in range(0, len(rows), together):
        some = slice(first, first + together)
        X = np.zeros((len(rows[some]), count, 4, 4))
        X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = rotations, rows[some, None], 1
        if sure:
            every = robot.inverse_kinematics_all(X, frame, limits=True)
            best = every.found.argmax(axis=-1)[..., None, None]
            reached[some] = every.found.any(axis=-1)
            q[some] = np.take_along_axis(every.q, best, 2)[..., 0, :]  # NaN where it is not found
        else:
            match = approach or "pose"
            near = robot.inverse_kinematics(X, frame, match=match, starts=starts)
            reached[some] = near.found
            q[some] = np.where(near.found[..., None], near.q, np.nan)
    lead = p.shape[:-1]
    arrays = reached.reshape(*lead, count), q.reshape(*lead, count, robot.nq)
    return Dexterity(robot, frame, p, approach, rotations, *arrays, sure)


def _has_closed_form(robot: Robot, frame: str) -> bool:
    try:
        robot.inverse_kinematics_steps(frame)
    except BadArgument:
        return False
    return True


def _rotations(robot: Robot, frame: str, approach: str | None, count: int) -> np.ndarray:
    """Return rotations that are spread evenly over those that are asked for, (count, 3, 3)."""
    k = np.arange(count) + 0.5
    if approach is not None:
        z, angle = 1 - 2 * k / count, 2 * np.pi * k / GOLDEN
        across = np.sqrt(1 - z * z)
        axis = np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=1)
        return _with_axis(axis, LETTERS.index(approach))
    never, _ = directions(robot, frame, "angular")
    about = complement(never) if never.size else np.eye(3)
    if about.shape[1] == 1:
        home, line = robot.pose(robot.home, frame)[:3, :3], about[:, 0]
        turns = [np.array(about_axis(line, 2 * np.pi * x / count), dtype=float) for x in k]
        return np.array(turns) @ home
    r, rest, a, b = np.sqrt(k / count), np.sqrt(1 - k / count), k / 2**0.5, k / PSI
    parts = [r * np.sin(2 * np.pi * a), r * np.cos(2 * np.pi * a)]
    parts += [rest * np.sin(2 * np.pi * b), rest * np.cos(2 * np.pi * b)]
    return np.array([from_quaternion(tuple(row)) for row in np.stack(parts, axis=1)], dtype=float)


def _with_axis(axis: np.ndarray, column: int) -> np.ndarray:
    """Return rotations one of whose columns is an axis, (count, 3, 3)."""
    least = np.eye(3)[np.abs(axis).argmin(axis=1)]
    second = np.cross(axis, least)
    second /= np.linalg.norm(second, axis=1, keepdims=True)
    found = np.empty((len(axis), 3, 3))
    for place, values in enumerate((axis, second, np.cross(axis, second))):
        found[:, :, (column + place) % 3] = values
    return found
