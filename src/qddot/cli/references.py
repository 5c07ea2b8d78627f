"""References from the command line: "quintic 0,0 1,1 2.0" and their like, read and checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.cli.settings import numbers
from qddot.errors import BadArgument, did_you_mean, printable

if TYPE_CHECKING:
    from qddot.robot import Robot

SYNTAX = {
    "setpoint": "setpoint 0.5,0.3",
    "quintic": "quintic 0,0 1,1 2.0 (points, then how long [s])",
    "trapezoidal": "trapezoidal 0,0 1,1 velocity=1 acceleration=2",
    "s_curve": "s_curve 0,0 1,1 velocity=1 acceleration=2 jerk=10",
    "fourier": "fourier [0,0] amplitude=0.3 frequency=0.2 harmonics=3 seed=1",
    "line": "line 1.2,0.6 2.0 (where the frame goes [m], how long [s])",
    "arc": "arc 1,0,0 0,0,1 pi/2 2.0 (centre, axis, angle, how long)",
    "fastest": "fastest 0,0 1,1 1.5,2 effort=3000,1000 (points)",
    "file": "file motion.json (an excitation), file run.csv (a motion or a log)",
}
ROOM = 0.8  # of what limits leave, used by waves whose size nobody gave
NEARBY = 0.2  # [rad or m] that joints move to where a frame goes if nobody says
WHOLE = 6  # joints from which on an arm can keep its tool's orientation


@dataclass(frozen=True)
class Words:
    """What was written: a kind, what follows it in order, and what has a name."""

    kind: str
    plain: tuple[list[float], ...]
    named: dict[str, list[float]]

    def one(self, key: str, otherwise: float | None = None) -> float:
        """Return a named number."""
        found = self.named.get(key)
        if found is None and otherwise is not None:
            return otherwise
        if found is None or len(found) != 1:
            raise wrong(self.kind, f"it needs {key}=, one number")
        return found[0]

    def limit(self, key: str) -> Any:
        """Return a named limit, one number or one a joint; None if it is not there."""
        found = self.named.get(key)
        return found[0] if found is not None and len(found) == 1 else found


@dataclass(frozen=True)
class Asked:
    """What a reference is made for."""

    robot: Robot
    q: np.ndarray  # where the arm is, (n,)
    frame: str
    axes: str
    of_frame: bool  # whether the law moves a frame, not joints


def reference(text: str, asked: Asked) -> Any:
    """Return the reference that a text describes."""
    if text.split()[:1] == ["file"]:
        return from_file(text, asked)
    words = read(text)
    return MAKERS[words.kind](words, asked)


def otherwise(asked: Asked) -> Any:
    """Return what a law follows if nobody says: a wave; of a frame, a place that it can reach."""
    if not asked.of_frame:
        return reference("fourier", asked)
    limits, rows = asked.robot.limits, ["xyz".index(axis) for axis in asked.axes]
    there = np.clip(asked.q + NEARBY, limits.lower, limits.upper)
    return asked.robot.pose(there, asked.frame)[:3, 3][rows]


def read(text: str) -> Words:
    """Return a text taken apart; its kind is one of those known."""
    kind, *rest = text.split() or [""]
    if kind not in SYNTAX:
        lines = "\n".join(f"    {each}" for each in SYNTAX.values())
        raise BadArgument(
            f"There is no reference {printable(kind)!r}.{did_you_mean(kind, SYNTAX)}\n"
            f"  There are:\n{lines}"
        )
    plain, named = [], {}
    for word in rest:
        key, equals, value = word.partition("=")
        if equals:
            named[key] = numbers(f"--reference {kind} {key}", value)
        else:
            plain.append(numbers(f"--reference {kind}", word))
    known = KEYS[kind]
    for key in named:
        if key not in known:
            raise wrong(kind, f"it knows no {printable(key)!r}.{did_you_mean(key, known)}")
    return Words(kind, tuple(plain), named)


def wrong(kind: str, why: str) -> BadArgument:
    return BadArgument(f"--reference {kind}: {why}.\n  Write it like this: {SYNTAX[kind]}")


def joints_alone(words: Words, asked: Asked) -> None:
    if asked.of_frame:
        raise wrong(
            words.kind,
            "it is of joints, and this law moves a frame; there are setpoint, line and arc",
        )


def points_of(words: Words, asked: Asked, least: int) -> np.ndarray:
    """Return joint positions, one row a point, and nothing else."""
    joints_alone(words, asked)
    n = asked.robot.n
    if len(words.plain) < least or any(len(point) != n for point in words.plain):
        sizes = ", ".join(str(len(point)) for point in words.plain) or "none"
        raise wrong(words.kind, f"it needs {least} points or more of {n} numbers each, not {sizes}")
    return np.array(words.plain)


def setpoint(words: Words, asked: Asked) -> Any:
    from qddot.motions import Setpoint

    wanted = len(asked.axes) if asked.of_frame else asked.robot.n
    what = f"one for each of {', '.join(asked.axes)}" if asked.of_frame else "one a joint"
    if len(words.plain) != 1 or len(words.plain[0]) != wanted:
        raise wrong("setpoint", f"it needs {wanted} numbers, {what}")
    return words.plain[0] if asked.of_frame else Setpoint(words.plain[0], asked.robot)


def quintic(words: Words, asked: Asked) -> Any:
    from qddot.motions import Quintic

    if len(words.plain) < 3 or len(words.plain[-1]) != 1:
        raise wrong("quintic", "it needs two points or more, and how long it lasts")
    points = points_of(Words("quintic", words.plain[:-1], {}), asked, 2)
    return Quintic(points, words.plain[-1][0], asked.robot)


def trapezoidal(words: Words, asked: Asked) -> Any:
    from qddot.motions import SCurve, Trapezoidal

    points = points_of(words, asked, 2)
    if len(points) != 2:
        raise wrong(words.kind, "it goes straight, from one point to another")
    (start, end), robot = points, asked.robot
    limits = {key: words.limit(key) for key in KEYS[words.kind]}
    if words.kind == "trapezoidal":
        return Trapezoidal(start, end, **limits, robot=robot)
    return SCurve(start, end, **limits, robot=robot)


def fourier(words: Words, asked: Asked) -> Any:
    from qddot.motions import Fourier

    joints_alone(words, asked)
    n = asked.robot.n
    if len(words.plain) > 1 or (words.plain and len(words.plain[0]) != n):
        raise wrong("fourier", f"it takes one point at most, of {n} numbers, to swing around")
    middle = np.array(words.plain[0]) if words.plain else asked.q
    size, frequency = words.one("amplitude", 0.3), words.one("frequency", 0.2)
    count, seed = (words.one(key, x) for key, x in (("harmonics", 3.0), ("seed", 1.0)))
    if count != int(count) or not 1 <= count <= 50 or seed != int(seed) or seed < 0:
        raise wrong("fourier", "harmonics and seed are whole numbers, harmonics at most 50")
    waves = np.random.default_rng(int(seed)).uniform(-1, 1, (2, n, int(count)))
    a, b = size * waves
    if "amplitude" not in words.named and frequency > 0:
        a, b = fitting(asked.robot, middle, a, b, frequency)
    return Fourier(middle, a, b, frequency, asked.robot)


def fitting(
    robot: Robot, middle: np.ndarray, a: np.ndarray, b: np.ndarray, frequency: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return waves made smaller, joint by joint, until they keep well within the limits."""
    limits, size = robot.limits, np.hypot(a, b)
    swing = (size / (2 * np.pi * frequency * np.arange(1, size.shape[1] + 1))).sum(axis=1)
    room = np.minimum(limits.upper - middle, middle - limits.lower)
    fit = np.minimum(ROOM * room / swing, ROOM * limits.velocity / size.sum(axis=1))
    share = np.clip(fit, 0, 1)[:, None]
    return share * a, share * b


def line(words: Words, asked: Asked) -> Any:
    from qddot.motions import CartesianLine

    if len(words.plain) != 2 or len(words.plain[1]) != 1:
        raise wrong("line", "it needs where the frame goes, and how long that takes")
    end = asked.robot.pose(asked.q, asked.frame)[:3, 3].copy()
    axes = asked.axes if len(words.plain[0]) == len(asked.axes) else "xyz"
    if len(words.plain[0]) != len(axes):
        raise wrong("line", f"the frame goes to {len(axes)} numbers ({', '.join(axes)})")
    end[["xyz".index(axis) for axis in axes]] = words.plain[0]
    path = CartesianLine(
        *(asked.robot, asked.frame, asked.q, end),
        duration=words.plain[1][0],
        orientation=turned(asked),
    )
    return path if asked.of_frame else path.joints


def arc(words: Words, asked: Asked) -> Any:
    from qddot.motions import CartesianArc

    if [len(each) for each in words.plain] != [3, 3, 1, 1]:
        raise wrong("arc", "it needs a centre, an axis, an angle and how long it takes")
    center, axis, (angle,), (duration,) = words.plain
    path = CartesianArc(
        *(asked.robot, asked.frame, asked.q, center, axis, angle),
        duration=duration,
        orientation=turned(asked),
    )
    return path if asked.of_frame else path.joints


def turned(asked: Asked) -> str:
    """Return whether the frame keeps its orientation: only arms with joints enough can."""
    return "kept" if asked.robot.n >= WHOLE and not asked.of_frame else "free"


def fastest(words: Words, asked: Asked) -> Any:
    from qddot.motions import time_optimal

    points = points_of(words, asked, 2)
    limits = {key: words.limit(key) for key in KEYS["fastest"]}
    return time_optimal(asked.robot, points, **limits)


def from_file(text: str, asked: Asked) -> Any:
    from qddot.identification.excitation_files import load_motion

    joints_alone(Words("file", (), {}), asked)
    name = text.strip().removeprefix("file").strip()
    if not name:
        raise wrong("file", "it needs the name of a file")
    return load_motion(name, asked.robot)


KEYS: dict[str, tuple[str, ...]] = {
    "setpoint": (),
    "quintic": (),
    "trapezoidal": ("velocity", "acceleration"),
    "s_curve": ("velocity", "acceleration", "jerk"),
    "fourier": ("amplitude", "frequency", "harmonics", "seed"),
    "line": (),
    "arc": (),
    "fastest": ("effort", "velocity", "acceleration"),
}
MAKERS: dict[str, Callable[[Words, Asked], Any]] = {
    "setpoint": setpoint,
    "quintic": quintic,
    "trapezoidal": trapezoidal,
    "s_curve": trapezoidal,
    "fourier": fourier,
    "line": line,
    "arc": arc,
    "fastest": fastest,
}
