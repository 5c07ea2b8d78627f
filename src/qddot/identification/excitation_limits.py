"""How far, how fast, how hard a joint may be driven: from the model, or given, with a margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.errors import BadArgument, UnknownName, did_you_mean, listing, printable
from qddot.robot import Robot

KEYS = ("lower", "upper", "velocity", "acceleration", "effort")
MARGIN = 0.05  # of every limit, kept free
SPEED_UP = 4.0  # [1/s] acceleration for each unit of velocity: full speed in a quarter of a second
REACH = 0.02  # of its range: a joint that cannot even do this in a period shows nothing


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

    def tightened(self, margin: float) -> MotionLimits:
        """Return the limits with a share of each taken off; of positions, at both ends."""
        left = 1 - margin
        return replace(
            self,
            lower=self.middle - left * self.half,
            upper=self.middle + left * self.half,
            velocity=left * self.velocity,
            acceleration=left * self.acceleration,
            effort=left * self.effort,
            margin=1 - (1 - self.margin) * left,
        )

    def facts(self) -> dict[str, Any]:
        """Return them by name, for a file."""
        numbers = {key: [finite(x) for x in getattr(self, key)] for key in KEYS}
        return numbers | {"margin": self.margin, "notes": list(self.notes)}


def finite(x: float) -> float | None:
    """Return a number that JSON can hold."""
    return float(x) if np.isfinite(x) else None


def motion_limits(robot: Robot, given: Any = None, margin: float = MARGIN) -> MotionLimits:
    """Return the limits of a robot's motion, those given before those of the model.

    Args:
        robot: The robot.
        given: By name ("lower", "upper", "velocity", "acceleration", "effort"): a number for all
            joints, one a joint, or some by joint name; or `MotionLimits`, taken as they are.
        margin: What share of each limit to keep free.
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
    found = {key: _from_model(robot, key) for key in KEYS}
    notes: list[str] = []
    for key, value in given.items():
        said = _by_joint(robot, key, value)
        found[key] = np.where(np.isnan(said), found[key], said)
    _fill(robot, found, notes)
    _refuse_wrong(robot, found)
    units = tuple(joint.units.position for joint in robot.model.free_joints)
    lower, upper, velocity, acceleration, effort = (found[key] for key in KEYS)
    numbers = lower, upper, velocity, acceleration, effort
    whole = MotionLimits(robot.joint_names, units, *numbers, notes=tuple(notes))
    return whole.tightened(margin)


def _from_model(robot: Robot, key: str) -> np.ndarray:
    said = getattr(robot.limits, key, np.full(robot.n, np.inf))
    return np.where(np.isfinite(said), said, np.nan)


def _by_joint(robot: Robot, key: str, value: Any) -> np.ndarray:
    """Return a limit of every joint; NaN where nothing is given."""
    if isinstance(value, Mapping):
        for name in value:
            if name not in robot.joint_names:
                raise UnknownName("joint", str(name), robot.name, robot.joint_names)
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
    free = np.array([joint.kind == "continuous" for joint in joints])
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
