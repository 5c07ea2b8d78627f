"""A study: a plan read against its robot, every name known, every number checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.errors import BadPlan, Problem
from qddot.readers import fields
from qddot.readers.document import no_lines
from qddot.readers.document_table import DocumentTable, LineOf
from qddot.robot import Robot
from qddot.robot.settings import changed, loads_of, read_settings
from qddot.sweeps.columns import OWN, KeptColumns, TimeGrid, read_columns, read_time_grid
from qddot.sweeps.controllers import Controller, of_controllers, read_controllers
from qddot.sweeps.quantities import aliases, of_arm, of_motion, of_symbols, places
from qddot.sweeps.runs import Runs, VariedArm
from qddot.sweeps.variations import by_key, read_variations
from qddot.writers.toml import to_toml

MOST_UNITS = 20_000  # files in a folder, unless the plan says otherwise
MOST_RUNS = 10**9
STEPS_PER_UNIT = 2_000_000  # about half a second of compiled steps
RUNS_PER_UNIT = 20_000
EXACT_RUNS_PER_UNIT = 50
PARALLEL = 8  # units at least, where there are runs enough
PART = 64_000_000  # [bytes] of a part that keeps motions
FORMAT = 1


@dataclass(frozen=True, eq=False)
class Study:
    """Everything about a sweep before its first run."""

    document: Mapping[str, Any]  # the plan as plain data, but for the robot
    robot: Robot  # as it was given
    nominal: Robot  # as the plan sets it, all numbers: the model of the laws
    arm: VariedArm
    controllers: tuple[Controller, ...]
    clock: TimeGrid
    kept: KeptColumns
    runs: Runs

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The plan as plain data, in one way however it was written."""
        return {"format": FORMAT, **self.document, "unit": self.runs.unit}

    def to_dict(self) -> dict[str, Any]:
        """Return what it would run, as plain values."""
        return {
            "robot": self.robot.name,
            "runs": self.runs.total,
            "units": self.runs.units,
            "unit": self.runs.unit,
            "engine": self.clock.engine,
            "duration": self.clock.duration,
            "steps": None if self.clock.exact else self.clock.steps,
            "controllers": [each.name for each in self.controllers],
            "varied": {line.key: line.kind for line in self.runs.variations},
            "keep": list(self.kept.families),
        }

    @cached_property
    def robot_text(self) -> str:
        """The robot as a TOML file."""
        return to_toml(self.robot.model)

    @property
    def robot_digest(self) -> str:
        return hashlib.sha256(self.robot_text.encode("utf-8")).hexdigest()

    @cached_property
    def digest(self) -> str:
        """What two studies share only if all their runs are the same."""
        facts = {key: value for key, value in self.facts.items() if key != "title"}
        text = json.dumps([facts, self.robot_digest], sort_keys=True, allow_nan=False)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()


def prepared(
    document: Mapping[str, Any], robot: Robot, line_of: LineOf = no_lines, file: str = ""
) -> Study:
    """Return the study of a plan.

    The document is the plan, but for its robot.

    Raises:
        BadPlan: With every problem of the plan.
    """
    found: list[Problem] = []
    document = _plain(document)
    table = DocumentTable(document, (), found, line_of, "plan")
    robot = robot.with_options(threads=1, dtype="float64")
    robot.model.need_single_numbers("A sweep")
    table.text("title")
    settings = read_settings(fields.inner(table, "set"), robot)
    varied = document.get("vary")
    middle = _symbols(table, robot, varied)
    left = sorted(set(robot.symbols) - set(settings) - set(middle))
    if left and not found:  # where [set] is wrong, nothing is set
        table.problem(left[0], "it has no value", f"Give it one under [set]: {left[0]} = 1.0.")
    if found:
        raise _bad(found, file)
    fixed = {**middle, **settings}
    nominal = changed(robot, fixed)
    if not nominal.n:
        table.problem("robot", "it has no joint that moves", "Name another.")
        raise _bad(found, file)

    q = fields.vector(table, "q0", nominal.joint_names)
    qd = fields.vector(table, "qd0", nominal.joint_names)
    torque = fields.vector(table, "torque", nominal.joint_names)
    here = nominal.home if q is None else q
    seed = fields.count(table, "seed", 0, 0)
    controllers = read_controllers(
        *(table, nominal, here), start_given=q is not None, unset=(robot, fixed), seed=seed
    )
    q0, qd0 = (np.array(column) for column in zip(*(x.start for x in controllers), strict=True))
    qd0 = qd0 if qd is None else np.tile(qd, (len(controllers), 1))

    arm_robot = changed(
        robot,
        {key: value for key, value in settings.items() if key not in middle},
        _frames_that_vary(settings, varied),
    )
    given = torque if torque is not None else np.zeros(nominal.n)
    quantities = [*of_motion(nominal, q0, qd0, given), *of_controllers(controllers, nominal)]
    if arm_robot.symbols:
        quantities += of_symbols(arm_robot, settings)
    else:
        quantities += of_arm(arm_robot, loads_of(settings))
    known = {each.name: each for each in quantities}
    other = {} if arm_robot.symbols else aliases(nominal)
    variations = read_variations(fields.inner(table, "vary"), known, places(quantities), other)
    clock = read_time_grid(table, controllers)
    kept = read_columns(table, controllers, clock, variations)
    for line in variations:
        if line.key in OWN:
            what = f"a column of every sweep is called {line.key}"
            table.problem(line.key, what, "Give the symbol another name.")
    draws = fields.count(table, "draws", 1, 1)
    if draws > 1 and not any(each.distribution for each in variations) and not found:
        noisy = any(any(each.noise) for each in controllers)
        if not noisy:
            table.problem(
                "draws", "nothing is drawn, so all of them would be one run", "Remove it, or draw."
            )
    runs = Runs(known, variations, len(controllers), draws, seed, 1)
    unit = fields.count(table, "unit", _unit(runs.total, clock, kept, nominal.n), 1)
    table.done(("robot", "duration", "step"))
    if runs.total > MOST_RUNS:
        what = f"that makes {runs.total:.1g} runs; at most {MOST_RUNS:g} are run"
        table.problem("draws", what, "Take fewer, or fewer points of the grid.")
    if found:
        raise _bad(found, file)
    runs = Runs(known, variations, len(controllers), draws, seed, unit)
    arm = VariedArm(arm_robot.with_options(threads=1), frozenset(runs.varied))
    return Study(document, robot, nominal, arm, controllers, clock, kept, runs)


def _bad(found: list[Problem], file: str) -> BadPlan:
    return BadPlan(file or "The plan", [problem.located(file) for problem in found])


def _symbols(table: DocumentTable, robot: Robot, varied: Any) -> dict[str, float]:
    """Return the symbols that vary, each with the middle of what it varies over."""
    if not isinstance(varied, Mapping):
        return {}
    own = {key: spec for key, spec in by_key(varied) if key in robot.symbols}
    known = {each.name: each for each in of_symbols(robot, {})}
    # what is wrong with them is reported when all of [vary] is read
    quiet = DocumentTable(own, ("vary",), [], table.line_of)
    lines = read_variations(quiet, known, places(list(known.values())), {})
    return dict.fromkeys(own, 1.0) | {line.key: line.middle for line in lines}


def _frames_that_vary(settings: Mapping[str, Any], varied: Any) -> set[str]:
    """Return the frames whose payload is set and varies."""
    keys = [key for key, _ in by_key(varied)] if isinstance(varied, Mapping) else []
    return {
        frame
        for frame in loads_of(settings)
        if any(f"{key}.".startswith(f"payload.{frame}.") for key in keys)
    }


def _unit(total: int, clock: TimeGrid, kept: KeptColumns, n: int) -> int:
    """Return how many runs a unit has if the plan does not say."""
    if clock.exact:
        runs = EXACT_RUNS_PER_UNIT
    else:
        runs = max(1, min(RUNS_PER_UNIT, STEPS_PER_UNIT // clock.steps))
    if kept.stride:
        runs = max(1, min(runs, PART // (16 * n * (clock.rows // kept.stride + 1))))
    runs = min(runs, max(1, -(-total // PARALLEL)))
    return max(runs, -(-total // MOST_UNITS))


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; whole numbers are whole however they were written."""
    if isinstance(value, Mapping):
        return {str(key): _plain(x) for key, x in value.items() if x is not None}
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(x) for x in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
