"""What a motion must keep within: limits of its joints, with a margin, and half-spaces of frames.

How far, how fast, how hard a joint may be driven comes from the model, or is given; where frames
may be is said in base axes, such as "z > 0.1".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.checks import frame_name, joint_index
from qddot.errors import BadArgument, did_you_mean, listing, printable
from qddot.results import json_ready
from qddot.robot import Robot

KEYS = ("lower", "upper", "velocity", "acceleration", "effort")
MARGIN = 0.05  # of every limit, kept free
SPEED_UP = 4.0  # [1/s] acceleration for each unit of velocity: full speed in a quarter of a second
REACH = 0.02  # of its range: a joint that cannot even do this in a period shows nothing
AXES = "xyz"
WORDS = re.compile(r"\s*([xyz])\s*(>=?|<=?)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")


@dataclass(frozen=True)
class MotionLimits:
    """What a motion must keep within, joint by joint, the margin already taken off."""

    joint_names: tuple[str, ...]
    units: tuple[str, ...]  # "rad" or "m"
    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    effort: np.ndarray  # infinite where nothing is said
    margin: float = 0.0  # what was taken off, of 1
    notes: tuple[str, ...] = ()  # what was assumed

    @property
    def middle(self) -> np.ndarray:
        """Half-way between the limits of position."""
        return (self.lower + self.upper) / 2

    @property
    def half(self) -> np.ndarray:
        """From the middle to a limit of position."""
        return (self.upper - self.lower) / 2

    def facts(self) -> dict[str, Any]:
        """Return them by name, for a file."""
        numbers = {key: json_ready(getattr(self, key)) for key in KEYS}
        return numbers | {"margin": self.margin, "notes": list(self.notes)}


def motion_limits(robot: Robot, given: Any = None, margin: float = MARGIN) -> MotionLimits:
    """Return the limits of a robot's motion, those given before those of the model.

    They are given by name ("lower", "upper", "velocity", "acceleration", "effort"): a number for
    all joints, one per joint, or some by joint name; `MotionLimits` are taken as they are. Of the
    others a share is kept free.
    """
    if isinstance(given, MotionLimits):
        if given.joint_names != robot.joint_names:
            raise BadArgument(
                f"The limits are of the joints {listing(given.joint_names)}, but robot "
                f"{printable(robot.name)!r} has {listing(robot.joint_names)}."
            )
        return given
    if not isinstance(margin, (int, float)) or not 0 <= margin < 1:
        raise BadArgument(f"margin is {margin!r}; give a share of the limits, such as 0.05.")
    if given is not None and not isinstance(given, Mapping):
        raise BadArgument(
            f"limits is {given!r}; give them by name, such as "
            'limits={"velocity": 1.5, "acceleration": {"j1": 4.0}}.'
        )
    given = given or {}
    for key in given:
        if key not in KEYS:
            raise BadArgument(
                f"There is no limit {key!r}.{did_you_mean(str(key), KEYS)}\n"
                f"  There are: {', '.join(KEYS)}."
            )
    found: dict[str, Any] = {key: _from_model(robot, key) for key in KEYS}
    notes: list[str] = []
    for key, value in given.items():
        said = _by_joint(robot, key, value)
        found[key] = np.where(np.isnan(said), found[key], said)
    _fill(robot, found, notes)
    _refuse_wrong(robot, found)
    units = tuple(joint.units.position for joint in robot.model.free_joints)
    whole = MotionLimits(robot.joint_names, units, **found, notes=tuple(notes))
    left = 1 - margin
    ends = {"lower": whole.middle - left * whole.half, "upper": whole.middle + left * whole.half}
    sizes = {key: left * found[key] for key in KEYS[2:]}
    return replace(whole, **ends, **sizes, margin=1 - left)


def _from_model(robot: Robot, key: str) -> np.ndarray:
    said = getattr(robot.limits, key, np.full(robot.n, np.inf))
    return np.where(np.isfinite(said), said, np.nan)


def _by_joint(robot: Robot, key: str, value: Any) -> np.ndarray:
    """Return a limit of every joint; NaN where nothing is given."""
    if isinstance(value, Mapping):
        for name in value:
            joint_index(robot, name)
        value = [value.get(name, np.nan) for name in robot.joint_names]
    try:
        numbers = np.asarray(value, dtype=float)
        return np.broadcast_to(numbers, robot.n).copy()
    except (TypeError, ValueError):
        raise BadArgument(
            f"The limit {key!r} is {value!r}; give a number, one for each of the {robot.n} joints "
            "of the robot, or some by joint name."
        ) from None


def _fill(robot: Robot, found: dict[str, np.ndarray], notes: list[str]) -> None:
    """Fill in what may be assumed: a turn of continuous joints, accelerations, no effort limit."""
    joints = robot.model.free_joints
    free = np.array([joint.endless for joint in joints])
    endless = free & np.isnan(found["lower"]) & np.isnan(found["upper"])
    found["lower"][endless], found["upper"][endless] = -np.pi, np.pi
    if endless.any():
        notes.append("continuous joints keep within half a turn of zero")
    if (unsaid := np.isnan(found["acceleration"])).any():
        found["acceleration"][unsaid] = SPEED_UP * found["velocity"][unsaid]
        notes.append(f"accelerations are limited to {SPEED_UP:g} 1/s times the velocity limit")
    if (unsaid := np.isnan(found["effort"])).any():
        found["effort"][unsaid] = np.inf
        names = [name for name, is_so in zip(robot.joint_names, unsaid, strict=True) if is_so]
        notes.append(f"no limit of effort is known for {listing(names)}")


def _refuse_wrong(robot: Robot, found: dict[str, np.ndarray]) -> None:
    problems, missing = [], []
    for i, name in enumerate(robot.joint_names):
        lower, upper, *sizes = (found[key][i] for key in KEYS)
        lacks = [key for key in KEYS[:3] if np.isnan(found[key][i])]
        if lacks:
            missing.append(f"{printable(name)}: there is no limit of {', '.join(lacks)}")
        if lower >= upper:
            problems.append(f"{printable(name)}: lower {lower:g} is not below upper {upper:g}")
        if np.isinf([lower, upper]).any():
            problems.append(f"{printable(name)}: the position must have finite limits")
        problems += [
            f"{printable(name)}: the limit of {key} is {size:g}, but must be above zero"
            for key, size in zip(KEYS[2:], sizes, strict=True)
            if size <= 0 or (key != "effort" and np.isinf(size))
        ]
    if missing or problems:
        lines = missing + problems
        raise BadArgument(
            f"The limits of robot {printable(robot.name)!r} do not do for a motion:\n  "
            + "\n  ".join(lines)
            + '\n  Give them: limits={"velocity": 1.5, "lower": -3, "upper": {"j1": 2.5}}.'
        )


def refuse_short_period(limits: MotionLimits, period: float) -> None:
    """Refuse a period in which a joint can hardly move: |q| ≤ min(v̂/ω, â/ω²) at best."""
    w = 2 * np.pi / period
    reach = 2 * np.minimum(limits.velocity / w, limits.acceleration / w**2)
    share = reach / (2 * limits.half)
    i = int(np.argmin(share))
    if share[i] < REACH:
        wanted = REACH * 2 * limits.half
        slow = (
            2
            * np.pi
            * np.maximum(wanted / 2 / limits.velocity, np.sqrt(wanted / 2 / limits.acceleration))
        )
        raise BadArgument(
            f"A period of {period:g} s is too short: in that time joint "
            f"{printable(limits.joint_names[i])!r} can move {reach[i]:.2g} {limits.units[i]} "
            f"of its {2 * limits.half[i]:.3g}.\n"
            f"  Give at least {np.ceil(slow.max() * 10) / 10:g} s; "
            "5 to 20 s are usual."
        )


@dataclass(frozen=True)
class HalfSpace:
    """What the origin p of a frame keeps to: normal · p ≥ least, in base axes [m]."""

    frame: str
    normal: tuple[float, float, float]
    least: float

    def __str__(self) -> str:
        """Return it as a condition: z ≥ 0.1."""
        for axis, unit in zip(AXES, np.eye(3), strict=True):
            if tuple(unit) == self.normal:
                return f"{axis} ≥ {self.least:g}"
            if tuple(-unit) == self.normal:
                return f"{axis} ≤ {-self.least:g}"
        return f"{self.normal} · p ≥ {self.least:g}"

    @property
    def names(self) -> list[str]:
        """What is kept inside."""
        return [f"{printable(self.frame)}: {self}"]

    def room(self, robot: Robot, q: np.ndarray) -> np.ndarray:
        """Return how far inside a frame is [m], shape (..., 1); negative outside."""
        return robot.pose(q, self.frame)[..., :3, 3] @ np.array(self.normal)[:, None] - self.least

    def pulled(self, robot: Robot, q: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the gradient of Σ weights · room by q, shape (..., n)."""
        J = robot.jacobian(q, self.frame)[..., 3:, :]
        return weights * np.einsum("i,...ij->...j", np.array(self.normal), J)


def half_spaces(robot: Robot, workspace: Any) -> tuple[HalfSpace, ...]:
    """Return a workspace, given by frame, as half-spaces.

    It is "z > 0.1" or several such words; {"x": (-1, 1), "z": (0.1, None)}; or half-spaces
    (normal, least) with normal · p ≥ least.
    """
    if workspace is None:
        return ()
    if not isinstance(workspace, Mapping):
        raise BadArgument(f'workspace is {workspace!r}; give it by frame: {{"tool": "z > 0.1"}}.')
    found: list[HalfSpace] = []
    for frame, said in workspace.items():
        frame_name(robot, frame)
        try:
            found += _read(frame, said)
        except (TypeError, ValueError, KeyError):
            raise BadArgument(
                f'The workspace of frame {frame!r} is {said!r}; write it as "z > 0.1", as '
                '{"x": (-1, 1), "z": (0.1, None)} or as [(normal, least)] with normal · p ≥ least.'
            ) from None
    return tuple(found)


def _read(frame: str, said: Any) -> list[HalfSpace]:
    if isinstance(said, str):
        words = WORDS.fullmatch(said)
        if not words:
            raise ValueError
        axis, relation, number = words.groups()
        return [_plane(frame, axis, float(number), 1 if relation.startswith(">") else -1)]
    if isinstance(said, Mapping):
        bounds = [(axis, *pair) for axis, pair in said.items()]
        return [
            _plane(frame, axis, float(x), sign)
            for axis, low, high in bounds
            for x, sign in ((low, 1), (high, -1))
            if x is not None
        ]
    if not isinstance(said, Sequence):
        raise TypeError
    found: list[HalfSpace] = []
    for each in said:
        if isinstance(each, str):
            found += _read(frame, each)
            continue
        normal, least = each
        x, y, z = (float(component) for component in normal)
        length = float(np.hypot(np.hypot(x, y), z))
        if not 0 < length < np.inf or not np.isfinite(float(least)):
            raise ValueError
        found.append(HalfSpace(frame, (x / length, y / length, z / length), float(least) / length))
    return found


def _plane(frame: str, axis: str, bound: float, sign: int) -> HalfSpace:
    if not np.isfinite(bound):
        raise ValueError
    x, y, z = (sign * (1.0 if AXES.index(axis) == k else 0.0) for k in range(3))
    # adding zero turns −0 into 0
    return HalfSpace(frame, (x + 0.0, y + 0.0, z + 0.0), sign * bound)
