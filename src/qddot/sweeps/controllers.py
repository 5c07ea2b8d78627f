"""The controllers of a plan: laws by name with their gains, and how they see and act."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.control.ready_laws import FRAMES, LAWS, Wanted, axes_of, made
from qddot.errors import BadArgument, did_you_mean
from qddot.model.units import unit_of
from qddot.motions import Move, Setpoint
from qddot.readers.table import Table
from qddot.robot import Robot
from qddot.sweeps import fields
from qddot.sweeps.quantities import Quantity
from qddot.sweeps.references import Setting, read_reference
from qddot.sweeps.settings import changed, read_settings

if TYPE_CHECKING:
    from qddot.control.laws.law import ControlLaw

RATE = 1000.0  # [Hz], where noise or a delay is given and no rate
VARIED_GAINS = ("kp", "kd", "lam")  # one number a joint or an axis, so runs may differ in them
KNOWING = ("nominal", "arm")
ESTIMATING = ("adaptive", "approximate_jacobian")  # their models are not the arm's on purpose


@dataclass(frozen=True, eq=False)
class Controller:
    """What drives the arms of some of the runs."""

    name: str
    kind: str = ""  # of the law; "" where there is none
    law: ControlLaw | None = None  # with nominal gains and reference
    knows_arm: bool = False  # whether its model is each run's arm, not the nominal one
    effort: np.ndarray | None = None  # torques are cut off at these
    rate: float | None = None  # [Hz] at which it is asked; None: all the time
    delay: float = 0.0  # [s]
    noise: tuple[float, float] = (0.0, 0.0)  # of positions and of rates

    @property
    def reference(self) -> Any:
        return None if self.law is None else self.law.reference  # type: ignore[attr-defined]

    @property
    def moves_joints(self) -> bool:
        """Whether its reference is a motion of the joints that has a start of its own."""
        own = self.kind in FRAMES or isinstance(self.reference, (Setpoint, Move))
        return self.law is not None and not own and hasattr(self.reference, "sampled")

    @property
    def states(self) -> int:
        """How many numbers its own state has."""
        return 0 if self.law is None else len(self.law.x0)

    def parts(self, gain: str) -> tuple[str, ...]:
        """Return what the entries of a gain belong to; () where the law has no such gain."""
        if self.law is None or gain not in LAWS[self.kind]:
            return ()
        by_axis = self.kind in FRAMES and (self.kind, gain) != ("approximate_jacobian", "kd")
        return tuple(self.law.axes) if by_axis else self.law.robot.joint_names  # type: ignore


def read_controllers(table: Table, robot: Robot, q: np.ndarray) -> tuple[Controller, ...]:
    """Return the controllers of a plan, one without a law where it has none.

    Args:
        table: The plan.
        robot: The nominal arm.
        q: Where it starts.
    """
    given = table.data.get("control")
    if given is None:
        table.get("control")
        return (Controller(""),)
    if isinstance(given, (list, tuple)):
        tables = table.tables("control")
    else:
        one = fields.inner(table, "control")
        tables = [] if one is None else [one]
    found = [controller(each, robot, q) for each in tables]
    names = [each.name for each in found]
    for name in sorted({name for name in names if names.count(name) > 1}):
        table.problem("control", f"two are called {name!r}", "Give each a name of its own.")
    if not found:
        table.problem("control", "it is empty", "Remove it, or name a law.")
    return tuple(found) or (Controller(""),)


def controller(table: Table, robot: Robot, q: np.ndarray) -> Controller:
    """Return the controller of one [control] table."""
    kind = fields.one_of(table, "law", tuple(LAWS), "computed_torque")
    if not table.has("law"):
        table.problem("", "it has no law", f"Add law, one of: {', '.join(LAWS)}.")
    name = table.text("name", kind)
    believed = read_settings(fields.inner(table, "believe"), robot)
    knows = fields.one_of(table, "knows", KNOWING, "nominal")
    if knows == "arm" and kind in ESTIMATING:
        table.problem("knows", f"{kind} has a model of its own", "Remove it.")
    frame = table.text("frame") or robot.tip
    axes, law = table.text("axes"), None
    try:
        axes = axes or axes_of(robot, frame)
        setting = Setting(robot, q, frame, axes, kind in FRAMES)
        reference = read_reference(fields.inner(table, "reference"), setting)
        gains = read_gains(fields.inner(table, "gains"), kind)
        model = changed(robot, believed)
        if reference is not None and gains is not None:
            law = made(
                Wanted(
                    name=kind,
                    arm=robot,
                    model=robot if kind == "approximate_jacobian" else model,
                    lengths=model,
                    reference=reference,
                    q=_start(reference, q, kind in FRAMES),
                    seconds=_seconds(reference),
                    frame=frame,
                    axes=axes,
                    gains=gains,
                )
            )
            law.program  # noqa: B018  # which says what cannot be recorded
    except BadArgument as error:
        table.problem("", " ".join(str(error).split()).rstrip("."), "")
    except LookupError as error:  # an unknown frame
        table.problem("frame", " ".join(str(error).split()).rstrip("."), "")
    limits = robot.limits.effort
    limited = fields.flag(table, "effort_limits", True) and np.isfinite(limits).any()
    rate = fields.positive(table, "rate", None, "how often the law is asked [Hz]")
    delay = fields.number(table, "delay", 0.0, 0.0)
    noise = _noise(table)
    if rate is None and (delay or any(noise)):
        rate = RATE
    table.done(("law", "reference", "gains"))
    return Controller(
        name, kind, law, knows == "arm", limits if limited else None, rate, delay, noise
    )


def read_gains(table: Table | None, kind: str) -> dict[str, Any] | None:
    """Return the gains of a law by name; None where one of them is not known."""
    if table is None:
        return {}
    found, good = {}, True
    for key in table.data:
        if key not in LAWS[kind]:
            near = did_you_mean(str(key), LAWS[kind]).strip()
            table.problem(
                str(key), f"{kind} has no such gain", near or f"It has: {', '.join(LAWS[kind])}."
            )
            good = False
            table.read.add(key)
            continue
        array = fields.values(table, key, table.get(key), None)
        good = good and array is not None
        found[key] = float(array) if array is not None and not array.ndim else array
    return found if good else None


def unit_of_error(controllers: Sequence[Controller], robot: Robot) -> str:
    """Return the unit of what laws are off by; "" where there is none."""
    own = [each for each in controllers if each.law is not None]
    of_joints = unit_of(robot.model.free_joints, "position")
    units = dict.fromkeys("m" if each.kind in FRAMES else of_joints for each in own)
    return " or ".join(units)


def of_controllers(controllers: Sequence[Controller], robot: Robot) -> Iterable[Quantity]:
    """Yield what runs may differ in that belongs to controllers."""
    for gain in VARIED_GAINS:
        parts = {each.parts(gain) for each in controllers} - {()}
        if len(parts) == 1:  # gains of joints and gains of axes have no common name
            (names,) = parts
            rows = [_diagonal(each, gain, len(names)) for each in controllers]
            yield Quantity(f"control.{gain}", names, np.array(rows), least=0.0)
    targets = [each.reference if isinstance(each.reference, (Setpoint, Move)) else None
               for each in controllers]  # fmt: skip
    sizes = {target.n for target in targets if target is not None}
    if len(sizes) == 1:
        (size,) = sizes
        first = next(each for each in controllers if isinstance(each.reference, (Setpoint, Move)))
        parts = first.law.robot.joint_names if first.kind not in FRAMES else tuple(first.law.axes)  # type: ignore
        empty = np.full(size, np.nan)
        rows = [empty if target is None else target_of(target) for target in targets]
        yield Quantity("target", parts, np.array(rows), unit_of_error([first], robot))
    sampled = [each.rate is not None for each in controllers]
    if any(sampled):
        joints = robot.model.free_joints
        for name, unit, nominal in (
            ("delay", "s", [each.delay for each in controllers]),
            ("noise.q", unit_of(joints, "position"), [each.noise[0] for each in controllers]),
            ("noise.qd", unit_of(joints, "velocity"), [each.noise[1] for each in controllers]),
        ):
            yield Quantity(name, (), np.array(nominal)[:, None], unit, 0.0)


def target_of(reference: Setpoint | Move) -> np.ndarray:
    """Return where a reference ends, in which runs may differ."""
    return reference.end if isinstance(reference, Move) else reference.q


def _seconds(reference: Any) -> float:
    """Return for how long a stretch of a reference gains are chosen [s]."""
    long = float(getattr(reference, "duration", np.inf))
    return long if np.isfinite(long) and long > 0 else 1.0


def _diagonal(controller: Controller, gain: str, width: int) -> np.ndarray:
    if not controller.parts(gain):
        return np.full(width, np.nan)
    return np.diag(getattr(controller.law, gain)).astype(float)


def _noise(table: Table) -> tuple[float, float]:
    """Return the standard deviations of measured positions and rates."""
    if table.has("noise"):
        table.get("noise")
        table.problem("noise", "it has two names", "Give noise_q, of positions, and noise_qd.")
    return fields.number(table, "noise_q", 0.0, 0.0), fields.number(table, "noise_qd", 0.0, 0.0)


def _start(reference: Any, q: np.ndarray, of_frame: bool) -> np.ndarray:
    """Return where gains are chosen for: where a reference of joints starts, else where it is."""
    if of_frame or isinstance(reference, (Setpoint, Move)) or not hasattr(reference, "sampled"):
        return q
    return np.asarray(reference.at(0.0)[0], dtype=float)
