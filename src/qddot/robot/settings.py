"""What may be set about a robot, by key: friction, gravity, payloads, sizes, values of symbols.

`--set` and `--model-set` of the command line, `[set]` and `model_set` of a plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from qddot.errors import QddotError, did_you_mean, listing
from qddot.model.friction import PARAMETERS
from qddot.model.shapes import sphere
from qddot.readers import fields
from qddot.readers.document_table import MOST_TOLD, DocumentTable
from qddot.robot.robot import Robot

AXES = ("x", "y", "z")
FRICTION = tuple(f"friction.{p.name}" for p in PARAMETERS)
SCALES = ("scale.masses", "scale.lengths")  # factors, as `with_scale` has them
RobotSettings = Mapping[str, Any]  # of numbers and vectors, by key


@dataclass(frozen=True)
class Load:
    """A load at a frame: a ball of some radius [m] with its centre somewhere [m], in the frame."""

    mass: float = 0.0
    com: tuple[float, ...] = (0.0, 0.0, 0.0)
    radius: float = 0.0


def read_settings(table: DocumentTable | None, robot: Robot) -> RobotSettings:
    """Return the settings of a table by their keys, checked against the robot."""
    if table is None:
        return {}
    known, before = known_keys(robot), len(table.found)
    found: dict[str, Any] = {}
    for key, given in fields.flattened(table.data, lambda table: False):
        value = given.tolist() if hasattr(given, "tolist") else given
        if len(table.found) - before > MOST_TOLD:
            break
        if key not in known:
            _refuse(table, key, robot, known)
        elif known[key]:
            joints = known[key] is not AXES  # one number for all joints; no direction is meant so
            found[key] = fields.spread(table, key, value, known[key], one_for_all=joints)
        elif key in (*robot.symbols, *robot.values) and isinstance(value, str):
            found[key] = fields.formula(table, key, value)  # 1/3 stays what it is in a closed form
        else:
            number = fields.values(table, key, value, ())
            found[key] = None if number is None else float(number)
            if key.startswith("payload.") and (found[key] or 0.0) < 0:
                table.problem(key, f"it is {found[key]:g}", "Give a number that is not negative.")
    table.read.update(table.data)
    if len(table.found) > before:
        return {}
    try:
        changed(robot, found)
    except QddotError as error:
        table.caught(error)
        return {}
    return found


def _refuse(table: DocumentTable, key: str, robot: Robot, known: Iterable[str]) -> None:
    frame = key.removeprefix("payload.").removesuffix(".radius").removesuffix(".com")
    if key.startswith("payload."):
        remedy = f"{did_you_mean(key, known)} There are: {listing(robot.frame_names)}."
        table.problem(key, f"there is no frame named {frame!r}", remedy.strip())
        return
    symbols = (*robot.symbols, *robot.values)
    there = ", ".join((*FRICTION, "gravity", "payload.<frame>", *SCALES, *symbols))
    remedy = f"{did_you_mean(key, known)} There are: {there}."
    table.problem(key, "there is no such setting", remedy.strip())


def known_keys(robot: Robot) -> dict[str, tuple[str, ...]]:
    """Return what may be set, with the names of its parts; () for a single number."""
    known: dict[str, tuple[str, ...]] = dict.fromkeys((*robot.symbols, *robot.values), ())
    known |= {**dict.fromkeys(FRICTION, robot.joint_names), "gravity": AXES}
    known |= dict.fromkeys(SCALES, ())
    for frame in robot.frame_names:
        known |= {f"payload.{frame}": (), f"payload.{frame}.radius": ()}
        known[f"payload.{frame}.com"] = AXES
    return known


def loads_of(settings: RobotSettings) -> dict[str, Load]:
    """Return the loads that are set, by frame."""
    found: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        if key.startswith("payload."):
            frame, part = key.removeprefix("payload."), "mass"
            for end in ("com", "radius"):
                if frame.endswith(f".{end}"):
                    frame, part = frame.removesuffix(f".{end}"), end
            plain = tuple(float(x) for x in value) if part == "com" else float(value)
            found.setdefault(frame, {})[part] = plain
    return {frame: Load(**parts) for frame, parts in found.items()}


def changed(robot: Robot, settings: RobotSettings, without: Iterable[str] = ()) -> Robot:
    """Return the robot with its settings, but for the loads at some frames."""
    friction = {
        key.removeprefix("friction."): list(map(float, value))
        for key, value in settings.items()
        if key in FRICTION
    }
    symbols = {*robot.symbols, *robot.values}
    values = {key: value for key, value in settings.items() if key in symbols}
    if values:
        robot = robot.with_values(**values)
    if "gravity" in settings:
        robot = robot.with_gravity([float(x) for x in settings["gravity"]])
    if factors := {key.removeprefix("scale."): settings[key] for key in SCALES if key in settings}:
        robot = robot.with_scale(**factors)
    for frame, load in loads_of(settings).items():
        if frame not in without and load.mass:
            ball = sphere(load.mass, load.radius)
            robot = robot.with_payload(frame, load.mass, load.com, ball.inertia)
    # all at once: some kinds of friction make sense only together
    return robot.with_friction(**friction) if friction else robot
