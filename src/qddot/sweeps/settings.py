"""What a plan fixes about its robot: the [set] table, with the keys that --set has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from qddot.errors import QddotError, did_you_mean
from qddot.model.friction import PARAMETERS
from qddot.model.shapes import sphere
from qddot.readers.table import Table
from qddot.robot import Robot
from qddot.sweeps import fields
from qddot.sweeps.quantities import AXES, Payload

Settings = Mapping[str, Any]  # of numbers and vectors, by key


def read_settings(table: Table | None, robot: Robot) -> Settings:
    """Return the settings of a table by their keys, checked against the robot."""
    if table is None:
        return {}
    known = known_keys(robot)
    found: dict[str, Any] = {}
    for key, value in flattened(table.data):
        if key not in known:
            table.problem(key, "there is no such setting", did_you_mean(key, known).strip())
            continue
        parts = known[key]
        if parts is None:
            number = fields.values(table, key, value, ())
            found[key] = None if number is None else float(number)
        else:
            found[key] = fields.spread(table, key, value, parts)
        if key.startswith("payload.") and parts is None and (found[key] or 0.0) < 0:
            table.problem(key, f"it is {found[key]:g}", "Give a number that is not negative.")
    table.read.update(table.data)
    good = {key: value for key, value in found.items() if value is not None}
    try:
        changed(robot, good)
    except QddotError as error:
        table.problem("", " ".join(str(error).split()).rstrip("."), "")
        return {}
    return good


def flattened(data: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, Any]]:
    """Yield keys and values; tables that unquoted dots have made are one key again."""
    for key, value in data.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            yield from flattened(value, f"{name}.")
        else:
            yield name, value.tolist() if hasattr(value, "tolist") else value


def known_keys(robot: Robot) -> dict[str, tuple[str, ...] | None]:
    """Return what may be set, with the names of its parts; None for a single number."""
    known: dict[str, tuple[str, ...] | None] = dict.fromkeys(robot.symbols)
    known |= {f"friction.{p.name}": robot.joint_names for p in PARAMETERS}
    known["gravity"] = AXES
    for frame in robot.frame_names:
        known |= {f"payload.{frame}": None, f"payload.{frame}.radius": None}
        known[f"payload.{frame}.com"] = AXES
    return known


def payloads_of(settings: Settings) -> dict[str, Payload]:
    """Return the payloads that are set, by frame."""
    found: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        if key.startswith("payload."):
            frame, part = key.removeprefix("payload."), "mass"
            for end in ("com", "radius"):
                if frame.endswith(f".{end}"):
                    frame, part = frame.removesuffix(f".{end}"), end
            plain = tuple(float(x) for x in value) if part == "com" else float(value)
            found.setdefault(frame, {})[part] = plain
    return {frame: Payload(**parts) for frame, parts in found.items()}


def changed(robot: Robot, settings: Settings, without: Iterable[str] = ()) -> Robot:
    """Return the robot with its settings, but for the payloads at some frames."""
    friction = {
        key.removeprefix("friction."): list(map(float, value))
        for key, value in settings.items()
        if key.startswith("friction.")
    }
    values = {key: value for key, value in settings.items() if key in robot.symbols}
    if "gravity" in settings:
        robot = robot.with_gravity([float(x) for x in settings["gravity"]])
    if values:
        robot = robot.with_values(**values)
    for frame, load in payloads_of(settings).items():
        if frame not in without and load.mass:
            ball = sphere(load.mass, load.radius)
            robot = robot.with_payload(frame, load.mass, load.com, ball.inertia)
    # all at once: some kinds of friction make sense only together
    return robot.with_friction(**friction) if friction else robot
