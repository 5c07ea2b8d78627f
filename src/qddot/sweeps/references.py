"""What controllers of a plan follow: references from tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.motions import Move, Setpoint
from qddot.readers.table import Table
from qddot.robot import Robot
from qddot.sweeps import fields

WHOLE = 6  # joints from which on an arm can keep its tool's orientation


@dataclass(frozen=True, eq=False)
class Setting:
    """What a reference is made for."""

    robot: Robot
    q: np.ndarray  # where the arm is
    frame: str
    axes: str
    of_frame: bool  # whether the law moves a frame, not joints

    @property
    def parts(self) -> tuple[str, ...]:
        """What the entries of a place are: joints, or axes."""
        return tuple(self.axes) if self.of_frame else self.robot.joint_names


def read_reference(table: Table | None, setting: Setting) -> Any:
    """Return the reference that a table describes; where the arm is, if there is none."""
    if table is None:
        place = setting.robot.pose(setting.q, setting.frame)[:3, 3] if setting.of_frame else None
        rows = ["xyz".index(axis) for axis in setting.axes]
        return Setpoint(setting.q if place is None else place[rows])
    if not table.has("kind"):
        table.problem("", "it has no kind", f"Add kind, one of: {', '.join(MAKERS)}.")
    kind = fields.one_of(table, "kind", tuple(MAKERS), "setpoint")
    if setting.of_frame and kind not in FOR_FRAMES:
        table.problem(
            "kind", f"{kind} is of joints, and this law moves a frame", "Take setpoint, line, arc."
        )
        return None
    try:
        return MAKERS[kind](table, setting)
    except BadArgument as error:
        table.problem("", str(error).replace("\n ", "").rstrip("."), "")
        return None
    finally:
        table.done(KEYS[kind])


def place(table: Table, key: str, parts: tuple[str, ...]) -> Any:
    """Return a vector that must be given."""
    found = fields.vector(table, key, parts)
    if found is None and not table.has(key):
        table.problem("", f"it has no {key}", f"Add {key}, {len(parts)} numbers.")
    return found


def seconds(table: Table) -> float | None:
    """Return how long it takes, which must be given."""
    if not table.has("duration"):
        table.problem("", "it does not say how long it takes", "Add duration [s].")
    return fields.positive(table, "duration", None, "how long it takes [s]")


def setpoint(table: Table, setting: Setting) -> Any:
    target = place(table, "target", setting.parts)
    return None if target is None else Setpoint(target)


def move(table: Table, setting: Setting) -> Any:
    target, duration = place(table, "target", setting.parts), seconds(table)
    return None if target is None or duration is None else Move(setting.q, target, duration)


def quintic(table: Table, setting: Setting) -> Any:
    from qddot.motions import Quintic

    points, duration = _points(table, setting), seconds(table)
    return None if points is None or duration is None else Quintic(points, duration, setting.robot)


def trapezoidal(table: Table, setting: Setting) -> Any:
    from qddot.motions import Trapezoidal

    return _straight(Trapezoidal, table, setting, ("velocity", "acceleration"))


def s_curve(table: Table, setting: Setting) -> Any:
    from qddot.motions import SCurve

    return _straight(SCurve, table, setting, ("velocity", "acceleration", "jerk"))


def fourier(table: Table, setting: Setting) -> Any:
    from qddot.motions import Fourier

    n = setting.robot.n
    middle = fields.vector(table, "middle", setting.parts)
    size = fields.positive(table, "amplitude", 0.3, "a rate [rad/s or m/s]")
    frequency = fields.positive(table, "frequency", 0.2, "a frequency [Hz]")
    harmonics, seed = fields.count(table, "harmonics", 3, 1), fields.count(table, "seed", 1, 0)
    a, b = size * np.random.default_rng(seed).uniform(-1, 1, (2, n, min(harmonics, 50)))
    return Fourier(setting.q if middle is None else middle, a, b, frequency, setting.robot)


def line(table: Table, setting: Setting) -> Any:
    from qddot.motions import CartesianLine

    end, duration = place(table, "target", ("x", "y", "z")), seconds(table)
    if end is None or duration is None:
        return None
    given = (setting.robot, setting.frame, setting.q, end)
    path = CartesianLine(*given, duration=duration, orientation=_turned(setting))
    return path if setting.of_frame else path.joints


def arc(table: Table, setting: Setting) -> Any:
    from qddot.motions import CartesianArc

    centre, axis = (place(table, key, ("x", "y", "z")) for key in ("center", "axis"))
    angle, duration = fields.number(table, "angle", None), seconds(table)
    if angle is None:
        table.problem("angle", "it is not given", "Add angle [rad].")
    if centre is None or axis is None or angle is None or duration is None:
        return None
    given = (setting.robot, setting.frame, setting.q, centre, axis, angle)
    path = CartesianArc(*given, duration=duration, orientation=_turned(setting))
    return path if setting.of_frame else path.joints


def _straight(kind: Any, table: Table, setting: Setting, limits: tuple[str, ...]) -> Any:
    start, end = (place(table, key, setting.parts) for key in ("start", "end"))
    most = {key: fields.vector(table, key, setting.parts) for key in limits}
    return None if start is None or end is None else kind(start, end, **most, robot=setting.robot)


def _points(table: Table, setting: Setting) -> Any:
    value = table.get("points")
    if not isinstance(value, (list, tuple)) or len(value) < 2:
        table.problem("points", "there are not two of them", "Give a list of two or more points.")
        return None
    rows = [fields.spread(table, "points", row, setting.parts) for row in value]
    return None if any(row is None for row in rows) else np.array(rows)


def _turned(setting: Setting) -> str:
    """Return whether the frame keeps its orientation: only arms with joints enough can."""
    return "kept" if setting.robot.n >= WHOLE and not setting.of_frame else "free"


FOR_FRAMES = ("setpoint", "line", "arc")
MAKERS: dict[str, Callable[[Table, Setting], Any]] = {
    "setpoint": setpoint,
    "move": move,
    "quintic": quintic,
    "trapezoidal": trapezoidal,
    "s_curve": s_curve,
    "fourier": fourier,
    "line": line,
    "arc": arc,
}
KEYS: dict[str, tuple[str, ...]] = {
    "setpoint": ("target",),
    "move": ("target", "duration"),
    "quintic": ("points", "duration"),
    "trapezoidal": ("start", "end", "velocity", "acceleration"),
    "s_curve": ("start", "end", "velocity", "acceleration", "jerk"),
    "fourier": ("middle", "amplitude", "frequency", "harmonics", "seed"),
    "line": ("target", "duration"),
    "arc": ("center", "axis", "angle", "duration"),
}
