"""Motions described by plain data: {"kind": "quintic", "points": [[0, 0], [1, 1]], "duration": 2}.

A file of this room that has a motion has a `MotionKind` beside it, which says how it is described.
Plans, the command line and the studio know every one that is found here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from qddot.errors import QddotError
from qddot.on_demand import everything_in
from qddot.readers import fields
from qddot.readers.document_table import DocumentTable
from qddot.robot import Robot
from qddot.spatial.rotation import from_rpy

POSE_PARTS = ("x", "y", "z", "roll", "pitch", "yaw")
JOINTS_FOR_ORIENTATION = 6  # from which on an arm can keep its tool's orientation


@dataclass(frozen=True, eq=False)
class Situation:
    """What a motion is made for: an arm, where it is, and whether joints or a frame shall move."""

    robot: Robot
    q: np.ndarray  # where the arm is, (n,) [rad or m]
    frame: str
    axes: str  # those of the base along which the frame moves
    of_frame: bool  # whether the law moves a frame, not joints

    @property
    def parts(self) -> tuple[str, ...]:
        """What the entries of a place are: joints, or axes."""
        return tuple(self.axes) if self.of_frame else self.robot.joint_names

    @property
    def limited(self) -> Robot | None:
        """The robot whose limits a motion of the joints must keep."""
        return None if self.of_frame else self.robot

    @property
    def orientation(self) -> str:
        """Whether the frame keeps its orientation: only arms with joints enough can."""
        return "kept" if self.robot.n >= JOINTS_FOR_ORIENTATION and not self.of_frame else "free"

    def place(self, q: np.ndarray) -> np.ndarray:
        """Return joint positions as what moves has them: themselves, or where the frame is."""
        rows = ["xyz".index(axis) for axis in self.axes]
        return self.robot.pose(q, self.frame)[:3, 3][rows] if self.of_frame else q


@dataclass(frozen=True)
class Key:
    """One key of a description."""

    read: Callable[[DocumentTable, str, Situation], Any]  # None where it is not given, or wrong
    needed: str = ""  # what it is, where it must be given
    instead: tuple[str, ...] = ()  # other keys that may stand in its place
    many: bool = False  # whether it is a list of places, not one


@dataclass(frozen=True, eq=False)
class MotionKind:
    """How a kind of motion is described, and made from that."""

    name: str
    example: str  # on the command line
    words: str
    keys: Mapping[str, Key]  # in the order in which the command line has them
    make: Callable[..., Any]  # from a `Situation` and the keys by name
    for_frames: bool = False  # whether laws that move a frame can follow it


@cache
def motion_kinds() -> dict[str, MotionKind]:
    """Return every kind of motion that can be described, those with the fewest keys first."""
    found = {x for x in everything_in("qddot.motions") if isinstance(x, MotionKind)}
    return {x.name: x for x in sorted(found, key=lambda x: (len(x.keys), x.name))}


def read_motion(table: DocumentTable, at: Situation) -> Any:
    """Return the motion that a table describes; None, and problems, where it is wrong."""
    known, before = motion_kinds(), len(table.found)
    if not table.has("kind"):
        table.problem("", "it has no kind", f"Add kind, one of: {', '.join(known)}.")
    kind = known[fields.one_of(table, "kind", tuple(known), "setpoint")]
    if at.of_frame and not kind.for_frames:
        others = ", ".join(x.name for x in known.values() if x.for_frames)
        why = f"{kind.name} is of joints, and this law moves a frame"
        table.problem("kind", why, f"Take one of: {others}.")
    if len(table.found) > before:
        return None
    for name, key in kind.keys.items():
        if key.needed and not any(map(table.has, (name, *key.instead))):
            what = key.needed.format(len(at.parts))
            table.problem("", f"it has no {name}", f"Add {name}, {what}.")
    values = {name: key.read(table, name, at) for name, key in kind.keys.items()}
    table.done(kind.keys)
    if len(table.found) > before:
        return None
    try:
        return kind.make(at, **values)
    except QddotError as error:
        table.caught(error)
        return None


# what keys are, so that a name means the same for every kind


def _place(table: DocumentTable, key: str, at: Situation) -> Any:
    return fields.vector(table, key, at.parts, one_for_all=not at.of_frame)


def _target(table: DocumentTable, key: str, at: Situation) -> Any:
    if not table.has(key) and table.has("pose"):
        X = _pose(table, "pose", at)
        if X is None:
            return None
        return at.place(at.robot.inverse_kinematics(X, at.frame, near=at.q).required())
    if table.has(key) or not table.has("joints"):
        return _place(table, key, at)
    q = fields.vector(table, "joints", at.robot.joint_names)
    return None if q is None else at.place(q)


def _points(table: DocumentTable, key: str, at: Situation) -> Any:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, (list, tuple)) or len(value) < 2:
        what = f"Give 2 points or more of {len(at.parts)} numbers each."
        table.problem(key, "there are not two of them", what)
        return None
    # a number alone among points is a slip, such as one duration too many
    rows = [fields.spread(table, key, row, at.parts, one_for_all=False) for row in value]
    return None if any(row is None for row in rows) else np.array(rows)


def _frame_place(table: DocumentTable, key: str, at: Situation) -> Any:
    value = table.get(key)
    if value is None:
        return None
    count = len(value) if isinstance(value, (list, tuple)) else 1
    axes, end = at.axes if count == len(at.axes) else "xyz", None
    found = fields.spread(table, key, value, tuple(axes), one_for_all=False)
    if found is not None:
        end = at.robot.pose(at.q, at.frame)[:3, 3].copy()
        end[["xyz".index(axis) for axis in axes]] = found
    return end


def _pose(table: DocumentTable, key: str, at: Situation) -> Any:
    """Return a pose of x, y, z [m], roll, pitch and yaw [rad]."""
    value = fields.vector(table, key, POSE_PARTS, one_for_all=False)
    if value is None:
        return None
    X = np.eye(4)
    X[:3, 3], X[:3, :3] = value[:3], np.array(from_rpy(tuple(value[3:])), dtype=float)
    return X


def positive(default: float | None, what: str, needed: str = "") -> Key:
    """Return the key of a number above zero."""
    return Key(lambda table, key, at: fields.positive(table, key, default, what), needed)


def count(default: int, least: int) -> Key:
    """Return the key of a whole number."""
    return Key(lambda table, key, at: fields.count(table, key, default, least))


PLACE = Key(_place, "{} numbers")
LIMIT = MIDDLE = Key(PLACE.read)  # which need not be given
TARGET = Key(_target, "{} numbers", instead=("joints", "pose"))
POINTS = Key(_points, "2 or more", many=True)
FRAME_PLACE = Key(_frame_place, "where the frame goes [m]")
POSE = Key(_pose, "x, y, z [m], roll, pitch, yaw [rad]")
XYZ = Key(
    lambda table, key, at: fields.vector(table, key, ("x", "y", "z"), one_for_all=False),
    "3 numbers",
)
ANGLE = Key(lambda table, key, at: fields.number(table, key, None), "an angle [rad]")
DURATION = positive(None, "how long it takes [s]", "how long it takes [s]")
