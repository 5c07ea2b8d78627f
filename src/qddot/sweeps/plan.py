"""Plans as people write them: a TOML file, a dict, or a `Plan`; and a file to begin with."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadArgument, BadFile, printable, shorten
from qddot.model import Model
from qddot.readers.document import no_lines
from qddot.readers.document_table import LineOf
from qddot.readers.read import built_in_names
from qddot.readers.toml import line_finder, parsed
from qddot.robot import Robot, load
from qddot.saving import check_place, write_whole
from qddot.sweeps.study import Study, prepared
from qddot.writers.toml import written

KEY = re.compile(r"""\s*["']?(.+?)["']?\s*=""")

TEXT = """\
# A sweep: `qddot sweep {file} -o FOLDER` runs it. docs/sweeps.md says what else a plan may hold.
robot = {robot}
duration = 1.0                  # [s]
step = 0.001                    # [s]
draws = 200                     # random runs at every point of the grid
seed = 1

[control]
law = "computed_torque"         # its model is the robot as described
reference = {{ kind = "move", target = {target}, duration = 0.8 }}

[vary]
q0 = {{ uniform = [-0.1, 0.1], as = "offset" }}       # where runs start, around where it stands
scale = {{ uniform = [0.8, 1.2] }}                    # links heavier or lighter, each by itself
{more}"""
LOAD = '"payload.{frame}" = {{ grid = [0.0, {load}] }}  # [kg], not in the model of the law\n'
GAIN = '"control.kp" = { grid = [50, 100] }\n'
FAR = 0.3  # [rad or m]
SHARE = 0.05  # of the arm's mass: the load


@dataclass(frozen=True)
class Plan:
    """A plan in Python; its fields are the keys of a plan file, and None means its default.

    Example:
        >>> plan = Plan("two_link", duration=1.0, draws=100, vary={"q0": {"uniform": [-1, 1]}})
    """

    robot: Any  # a built-in name, a file, or a `Robot`
    duration: float  # [s]
    vary: Mapping[str, Any] | None = None  # what runs differ in, by name
    control: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None  # one, or several
    set: Mapping[str, Any] | None = None  # what is changed about the robot for all runs
    draws: int | None = None  # at every point of the grid
    seed: int | None = None
    unit: int | None = None  # runs per unit
    engine: str | None = None  # "rollout" or "exact"
    method: str | None = None
    step: float | None = None  # [s]
    every: float | None = None  # [s] between the instants at which runs are looked at
    tolerance: float | None = None  # of the exact engine
    smoothing: float | None = None  # of dry friction in rollouts
    q0: Any = None  # where runs start
    qd0: Any = None
    torque: Any = None  # added to the law's
    keep: Sequence[str] | None = None
    motion_every: float | None = None  # [s] between the rows of motions that are kept
    settled: float | None = None  # the error that counts as settled
    title: str | None = None


def study_of(plan: Any) -> Study:
    """Return the study that a plan describes: a TOML file, a dict with the same keys, or a `Plan`.

    A `BadPlan` has every problem of the plan; a robot that cannot be used has an error of its own.
    """
    if isinstance(plan, Plan):
        document = {each.name: getattr(plan, each.name) for each in fields(plan)}
        return _study(document, Path())
    if isinstance(plan, Mapping):
        return _study(dict(plan), Path())
    if not isinstance(plan, (str, Path)):
        raise BadArgument(
            f"A plan is the path of a TOML file, a dict or a Plan, not {shorten(repr(plan))}."
        )
    path = Path(plan)
    if path.suffix.lower() != ".toml":
        raise BadFile(
            path,
            "a plan is a .toml file",
            "`qddot sweep plan.toml --new panda` writes one to begin with.",
        )
    text, document = parsed(path, "TOML", tomllib.loads)
    return _study(document, path.parent, lines_of(text), str(path))


def lines_of(text: str) -> LineOf:
    """Return a function from a path of keys to its line; keys in quotes are found too."""
    known, starts = line_finder(text), defaultdict(list)
    for number, line in enumerate(text.split("\n"), 1):
        if quoted := KEY.match(line):
            starts[quoted[1]].append(number)

    def line_of(path: tuple) -> int | None:
        first = known(path)
        if first is None or len(path) < 2 or path[0] not in ("vary", "set"):
            return first
        found = starts.get(str(path[1]), [])
        after = bisect_left(found, first)
        return found[after] if after < len(found) else first

    return line_of


def _study(
    document: dict[str, Any], folder: Path, line_of: LineOf = no_lines, file: str = ""
) -> Study:
    given = document.pop("robot", None)
    return prepared(document, _robot(given, folder, file), line_of, file)


def _robot(given: Any, folder: Path, file: str) -> Robot:
    """Return the robot that a plan names; a file's name is meant as seen from the plan."""
    if isinstance(given, Robot):
        return given
    if isinstance(given, Model):
        return Robot(given)
    if isinstance(given, Path) or (isinstance(given, str) and given):
        built_in = str(given) in built_in_names()
        return load(str(given) if built_in or folder == Path() else _beside(folder, str(given)))
    what = "it does not name a robot" if given is None else f"robot is {shorten(repr(given))}"
    raise BadFile(file or "The plan", what, 'Add a line: robot = "panda", or a robot file.')


def _beside(folder: Path, name: str) -> str:
    """Return a robot's file as seen from the plan; a name that is none is reported as such."""
    path = folder / name
    return str(path) if path.suffix or path.exists() else name


def write_plan(path: str | Path, source: str, robot: Robot) -> None:
    """Write a plan for a robot, which it calls `source`; a file that is there is left as it is."""
    check_place(path, "A plan", (".toml", ".TOML"))
    if Path(path).exists():
        raise BadArgument(
            f"{printable(str(path))} is there already and is left as it is.\n"
            "  Name another file, or remove that one."
        )
    text = plan_text(Path(path).name, source, robot)
    write_whole(path, text)


def plan_text(file: str, source: str, robot: Robot) -> str:
    """Return the text of a plan."""
    here, limits = robot.home, robot.limits
    room = np.minimum(limits.upper - here, FAR)
    target = (here + np.where(np.isfinite(room), 0.9 * room, FAR)).round(3)
    frame = robot.tip
    body, _ = robot.tree.frame(frame)
    mass = sum(float(each.inertia.m) for each in robot.tree.bodies)
    plain = frame.isprintable() and '"' not in frame and "\\" not in frame
    more = LOAD.format(frame=frame, load=f"{SHARE * mass:.2g}") if body >= 0 and plain else GAIN
    return TEXT.format(
        file=printable(file), robot=written(source), target=written(target.tolist()), more=more
    )
