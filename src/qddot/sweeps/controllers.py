"""The controllers of a plan: laws by name with their gains, and how they see and act."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.control.laws.law import ControlLaw
from qddot.control.spec import KEYS, ControlSpec, read_control
from qddot.model.units import unit_of
from qddot.motions import Move, Setpoint
from qddot.readers import fields
from qddot.readers.document_table import DocumentTable
from qddot.robot import Robot
from qddot.robot.settings import RobotSettings
from qddot.sweeps.quantities import PlanQuantity

VARIED_GAINS = ("kp", "kd", "lam")  # one number per joint or axis: runs may differ in them
KNOWING = ("nominal", "arm")


@dataclass(frozen=True, eq=False)
class Controller:
    """What drives the arms of some of the runs."""

    name: str
    start: tuple[np.ndarray, np.ndarray]  # q0 and qd0 of its runs if the plan says none
    law: ControlLaw | None = None  # with nominal gains and reference
    knows_arm: bool = False  # whether its model is each run's arm, not the nominal one
    effort: np.ndarray | None = None  # torques are cut off at these
    rate: float | None = None  # [Hz], samples per second; None: continuous
    delay: float = 0.0  # [s]
    noise: tuple[float, float] = (0.0, 0.0)  # of positions and of velocities

    @property
    def kind(self) -> str:
        """The name of its law; "" where there is none."""
        return "" if self.law is None else self.law.kind

    @property
    def reference(self) -> Any:
        return None if self.law is None else self.law.reference  # type: ignore[attr-defined]

    @property
    def states(self) -> int:
        """How many numbers its own state has."""
        return 0 if self.law is None else len(self.law.x0)

    def parts(self, gain: str) -> tuple[str, ...]:
        """Return what the entries of a gain belong to; () where the law has no such gain."""
        has = self.law is not None and gain in self.law.gain_names
        return self.law.gain_parts(gain) if self.law is not None and has else ()


def read_controllers(
    table: DocumentTable,
    robot: Robot,
    q: np.ndarray,
    *,
    start_given: bool,
    unset: tuple[Robot, RobotSettings],
    seed: int,
) -> tuple[Controller, ...]:
    """Return the controllers of a plan, one without a law where it has none.

    Runs start at q where the plan gives a start. `unset` is the robot without what the plan sets
    about it, and that; the seed is for models that are wrong at random.
    """
    given, nobody = table.data.get("control"), Controller("", (q, np.zeros(robot.n)))
    if given is None:
        table.get("control")
        return (nobody,)
    if isinstance(given, (list, tuple)):
        tables = table.tables("control")
    else:
        one = fields.inner(table, "control")
        tables = [] if one is None else [one]
    found = []
    for each in tables:
        spec = read_control(each, robot, q, start_given=start_given, unset=unset, seed=seed)
        found.append(controller(each, spec, robot))
    names = [each.name for each in found]
    for name in sorted({name for name in names if names.count(name) > 1}):
        table.problem("control", f"two are called {name!r}", "Give each a name of its own.")
    if not found:
        table.problem("control", "it is empty", "Remove it, or name a law.")
    return tuple(found) or (nobody,)


def controller(table: DocumentTable, spec: ControlSpec, robot: Robot) -> Controller:
    """Return the controller of one [control] table, with what plans alone have."""
    knows = fields.one_of(table, "knows", KNOWING, "nominal")
    if knows == "arm" and spec.kind.model_for != "arm":
        table.problem("knows", f"{spec.kind.kind} has a model of its own", "Remove it.")
    for key, noise in (("noise_q", spec.noise_q), ("noise_qd", spec.noise_qd)):
        if np.ptp(noise):
            table.problem(key, "it differs by joints", "Give one number for all joints.")
    name, limits = table.text("name", spec.kind.kind), robot.limits.effort
    table.done(KEYS)
    limited = spec.effort == "enforce" and np.isfinite(limits).any()
    return Controller(
        name,
        (spec.q0, spec.qd0),
        spec.law,
        knows == "arm",
        limits if limited else None,
        spec.rate,
        spec.delay,
        (float(spec.noise_q[0]), float(spec.noise_qd[0])),
    )


def unit_of_error(controllers: Sequence[Controller], robot: Robot) -> str:
    """Return the unit of what laws are off by; "" where there is none."""
    of_joints = unit_of(robot.model.free_joints, "position")
    laws = [each.law for each in controllers if each.law is not None]
    return " or ".join(dict.fromkeys("m" if law.moves_frame else of_joints for law in laws))


def of_controllers(controllers: Sequence[Controller], robot: Robot) -> Iterable[PlanQuantity]:
    """Yield what runs may differ in that belongs to controllers."""
    for gain in VARIED_GAINS:
        parts = {each.parts(gain) for each in controllers} - {()}
        if len(parts) == 1:  # gains of joints and gains of axes have no common name
            (names,) = parts
            rows = [_entries(each, gain, len(names)) for each in controllers]
            yield PlanQuantity(f"control.{gain}", names, np.array(rows), least=0.0)
    targets = [target_of(each.reference) for each in controllers]
    first = next((k for k, target in enumerate(targets) if target is not None), None)
    if first is not None and len({len(target) for target in targets if target is not None}) == 1:
        law: Any = controllers[first].law
        parts = tuple(law.axes) if law.moves_frame else law.robot.joint_names
        empty = np.full(len(parts), np.nan)
        rows = [empty if target is None else target for target in targets]
        yield PlanQuantity(
            "target", parts, np.array(rows), unit_of_error([controllers[first]], robot)
        )
    sampled = [each.rate is not None for each in controllers]
    if any(sampled):
        joints = robot.model.free_joints
        for name, unit, nominal in (
            ("delay", "s", [each.delay for each in controllers]),
            ("noise.q", unit_of(joints, "position"), [each.noise[0] for each in controllers]),
            ("noise.qd", unit_of(joints, "velocity"), [each.noise[1] for each in controllers]),
        ):
            yield PlanQuantity(name, (), np.array(nominal)[:, None], unit, 0.0)


def target_of(reference: Any) -> np.ndarray | None:
    """Return where a reference ends, in which runs may differ; None of one that has no such end."""
    if isinstance(reference, Move):
        return reference.end
    return reference.q if isinstance(reference, Setpoint) else None


def _entries(controller: Controller, gain: str, width: int) -> np.ndarray:
    if not controller.parts(gain):
        return np.full(width, np.nan)
    return np.diag(getattr(controller.law, gain)).astype(float)
