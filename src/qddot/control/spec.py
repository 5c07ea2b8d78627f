"""The description of a controlled run: plain data, the same for plans, commands and the studio.

{"law": "computed_torque", "gains": {"kp": 100, "kd": 20}, "rate": 1000, "delay": 0.002,
 "reference": {"kind": "quintic", "points": [[0, 0], [1, 1]], "duration": 2.0}}

A law is a file of `control/laws`, a reference one of `motions`: each says there what it is called
and what it is made from, and is found by that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from qddot.checks import need_joints
from qddot.control.laws.assumption import wrong_model
from qddot.control.laws.gains import Assignment
from qddot.control.laws.law import ControlLaw
from qddot.control.laws.task import in_order
from qddot.control.loop_arguments import beginning, lasting
from qddot.errors import (
    BadArgument,
    BadPlan,
    Problem,
    QddotError,
    UnknownName,
    did_you_mean,
    plain_name,
    printable,
)
from qddot.model.tree import by_rows
from qddot.motions.description import Situation, read_motion
from qddot.motions.setpoint import Setpoint, reference_of
from qddot.on_demand import everything_in
from qddot.readers import fields
from qddot.readers.document import no_lines
from qddot.readers.document_table import DocumentTable
from qddot.robot import Robot
from qddot.robot.settings import RobotSettings, changed, read_settings
from qddot.simulation.run_arguments import joint_values

# what other packages and books call a law, in plain letters
ELSEWHERE = {
    "pd_gravity": "gravitycompensation pdgravitycompensation",
    "computed_torque": "ctc inversedynamics feedbacklinearization",
    "operational_space": "osc taskspace operationalspacecontrol",
    "joint_impedance": "impedance impedancecontrol",
    "robust": "slidingmode",
    "slotine_li": "passivity passivitybased",
}
RATE = 1000.0  # [Hz], where noise or a delay is given and no rate
TRIES = 64  # places that a ready posture is chosen from
EFFORT = ("enforce", "report")
KEYS = ("law", "reference", "gains", "frame", "axes", "model_set", "model_error", "effort", "rate",
        "delay", "noise_q", "noise_qd")  # fmt: skip


@dataclass(frozen=True, eq=False)
class ControlSpec:
    """What drives an arm: a law, and how it sees and acts."""

    kind: type[ControlLaw]
    law: Any  # with its gains and reference; None where something of it is wrong
    q0: np.ndarray  # where the arm starts, (n,) [rad or m]
    qd0: np.ndarray  # and how fast, (n,) [rad/s or m/s]
    effort: str  # "enforce": torques are cut off at the arm's limits; "report": they are not
    rate: float | None  # [Hz], samples per second; None: continuous
    delay: float  # [s]
    noise_q: np.ndarray  # standard deviations of measured positions, (n,) [rad or m]
    noise_qd: np.ndarray  # and of velocities, (n,) [rad/s or m/s]

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `closed_loop` besides the law and the start."""
        names = ("effort", "rate", "delay", "noise_q", "noise_qd")
        return {name: getattr(self, name) for name in names}


@cache
def laws() -> dict[str, type[ControlLaw]]:
    """Return the laws that have a name: those of joints first, with the fewest gains first."""
    found = {
        law
        for law in everything_in("qddot.control.laws")
        if isinstance(law, type) and issubclass(law, ControlLaw) and vars(law).get("kind")
    }
    order = sorted(found, key=lambda law: (law.moves_frame, len(law.gain_names), law.kind))
    return {law.kind: law for law in order}


def law_kind(name: str) -> type[ControlLaw]:
    """Return a law by its name, or by that of its class: "ComputedTorque"."""
    known = {plain_name(text): law for law in laws().values() for text in (law.kind, law.__name__)}
    if plain_name(name) not in known:
        plain = "".join(filter(str.isalnum, name.lower()))
        meant = [law for law, names in ELSEWHERE.items() if plain in names.split()]
        near = f" Did you mean {meant[0]!r}?" if meant else ""
        near = near or did_you_mean(name.strip().lower().replace("-", "_"), laws())
        raise BadArgument(
            f"There is no law {printable(name)!r}.{near}\n  There are: {', '.join(laws())}."
        )
    return known[plain_name(name)]


def described_control(
    description: Mapping[str, Any], arm: Robot, q: np.ndarray, **more: Any
) -> ControlSpec:
    """Return what a dict describes, or refuse it; the rest is as `read_control` has it."""
    found: list[Problem] = []
    table = DocumentTable(description, (), found, no_lines, "control")
    spec = read_control(table, arm, q, **more)
    table.done(KEYS)
    if found:
        raise BadPlan("The control", found)
    return spec


def named_law(
    name: str,
    robot: Robot,
    reference: Any = None,
    q0: Any = None,
    model: Robot | None = None,
    duration: float | None = None,
) -> ControlLaw:
    """Return a law by its name, with gains that suit the arm."""
    q = robot.home if q0 is None else joint_values(robot, "q0", q0)
    description = {"law": name, "reference": reference}
    more = {"start_given": q0 is not None, "model": model, "seconds": duration}
    try:
        return described_control(description, robot, q, **more).law
    except BadPlan as error:
        problems = [str(problem).removeprefix("control: ") for problem in error.problems]
        raise BadArgument("\n  ".join(problems)) from None


def read_control(
    table: DocumentTable,
    arm: Robot,
    q: np.ndarray,
    *,
    start_given: bool = False,
    model: Robot | None = None,
    unset: tuple[Robot, RobotSettings] | None = None,
    seconds: float | None = None,
    seed: int = 1,
) -> ControlSpec:
    """Return what a table describes; what is wrong with it is noted there.

    The run starts at q if that is given, else where a reference of the joints starts; it lasts a
    second longer than the reference if nobody says. The law's model is the arm if none is given,
    and then what the table says of it, `model_set`, comes after what is set about the arm, `unset`.
    """
    before, kind = len(table.found), _kind(table)
    frame, axes, law = table.text("frame") or arm.tip, table.text("axes"), None
    start, speed = q, np.zeros(arm.n)
    gains, times = _gains(fields.inner(table, "gains"), kind)
    believed = model or arm
    if table.get("model_set"):
        base, already = (believed, {}) if model or not unset else unset
        own = read_settings(fields.inner(table, "model_set"), base)
        believed = changed(base, {**already, **own})
    for symbol in believed.symbols[:1]:
        table.problem("model_set", f"{symbol} has no value", f"Give it one: {symbol} = 1.0.")
    share = fields.number(table, "model_error", None)
    try:
        axes = in_order(axes) if axes else axes_of(arm, frame)
        at = Situation(arm, q, frame, axes, kind.moves_frame)
        reference = _reference(table, at)
        if len(table.found) == before:
            first = None if start_given or at.of_frame else beginning(reference)
            start, speed = first or (start, speed)
            own = believed
            if kind.model_for in ("lengths", "masses"):
                own = arm if kind.model_for == "lengths" else carrying(arm, believed)
            own = own if share is None else wrong_model(own, share, seed)
            lasts = lasting(reference) if seconds is None else seconds
            more = (start, lasts, frame, at.axes, gains)
            law = kind.assigned(Assignment(arm, own, believed, reference, *more))
            if times:
                law = replace(law, **{key: times[key] * getattr(law, key) for key in times})
            law.program  # noqa: B018  # which says what cannot be recorded
    except QddotError as error:
        key = "frame" if isinstance(error, UnknownName) else ""
        table.caught(error, key)
    seen = _sampling(table, arm.joint_names)
    effort = fields.one_of(table, "effort", EFFORT, "enforce")
    return ControlSpec(kind, law, start, speed, effort, *seen)


def carrying(arm: Robot, other: Robot) -> Robot:
    """Return an arm with the masses of another: its joints and lengths, the other's inertias."""
    inertials = {link.name: link.inertial for link in other.model.links}
    links = tuple(
        replace(link, inertial=inertials.get(link.name, link.inertial)) for link in arm.model.links
    )
    return replace(arm, model=replace(arm.model, links=links))


def ready_posture(robot: Robot, frame: str, axes: str) -> np.ndarray:
    """Return the default start for a law that moves a frame: where the frame moves well.

    Of places around its home, within limits, the one whose Jacobian has the largest smallest
    singular value: stretched out, as many arms are at zero, a frame cannot go outward.
    """
    limits, start = robot.limits, robot.home
    ways = np.random.default_rng(0).uniform(-1, 1, (TRIES, robot.n))
    around = by_rows(robot.tree.step, np.tile(start, (TRIES, 1)), ways)
    around = np.clip(np.vstack([start, around]), limits.lower, limits.upper)
    J = robot.jacobian(around, frame)[:, [3 + "xyz".index(axis) for axis in in_order(axes)]]
    return around[int(np.linalg.svd(J, compute_uv=False)[:, -1].argmax())]


def axes_of(robot: Robot, frame: str) -> str:
    """Return the base axes along which the joints can move a frame, each apart from the others.

    Where there are more than that, as of a single joint, those along which it moves it best.
    """
    if frame not in robot.frame_names:
        raise UnknownName("frame", frame, robot.name, robot.frame_names)
    need_joints(robot, "nothing to control")
    q = robot.tree.from_neutral(np.random.default_rng(0).uniform(-2, 2, (8, robot.n)))
    J = robot.jacobian(q, frame)[:, 3:]
    size = np.abs(J).max(axis=(0, 2))
    moved = [k for k, x in enumerate(size) if x > 1e-9 * size.max()]
    rank = int(np.linalg.matrix_rank(J, tol=1e-9 * size.max()).max())

    def ease(rows: tuple[int, ...]) -> float:
        """Return the usual velocity of the frame in its worst direction."""
        return float(np.median(np.linalg.svd(J[:, rows], compute_uv=False)[:, -1]))

    chosen = max(combinations(moved, rank), key=ease) if rank else ()
    return "".join("xyz"[k] for k in chosen)


def _kind(table: DocumentTable) -> type[ControlLaw]:
    """Return the law that is named; where none is, a problem and some law."""
    name, usual = table.text("law"), laws()["computed_torque"]
    if not name:
        if not table.has("law"):
            table.problem("", "it has no law", f"Add law, one of: {', '.join(laws())}.")
        return usual
    try:
        return law_kind(name)
    except BadArgument as error:
        table.caught(error, "law")
        return usual


def _reference(table: DocumentTable, at: Situation) -> Any:
    """Return what is followed: what a table describes, a motion, a place; else where it is now."""
    given = table.get("reference")
    if given is not None and not isinstance(given, Mapping):
        return given if at.of_frame else reference_of(given, at.parts)
    inner = fields.inner(table, "reference")
    return Setpoint(at.place(at.q)) if inner is None else read_motion(inner, at)


def _gains(
    table: DocumentTable | None, kind: type[ControlLaw]
) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the gains that are given, and how many times the chosen ones others shall be."""
    found: dict[str, Any] = {}
    times: dict[str, float] = {}
    if table is None:
        return found, times
    for key in table.data:
        if key not in kind.gain_names:
            known = kind.gain_names
            remedy = f"{did_you_mean(str(key), known)} It has: {', '.join(known)}."
            table.problem(str(key), f"{kind.kind} has no such gain", remedy.strip())
            continue
        if isinstance(table.get(key), Mapping):
            inner = fields.inner(table, key)
            assert inner is not None
            times[key] = fields.positive(inner, "times", 1.0, "of the gain that is chosen") or 1.0
            inner.done(("times",))
            continue
        array = fields.values(table, key, table.get(key), None)
        found[key] = float(array) if array is not None and not array.ndim else array
    return found, times


def _sampling(
    table: DocumentTable, joints: tuple[str, ...]
) -> tuple[float | None, float, np.ndarray, np.ndarray]:
    """Return the rate, the delay, and the noise of positions and velocities."""
    rate = fields.positive(table, "rate", None, "samples of the law per second [Hz]")
    delay = fields.number(table, "delay", 0.0, 0.0)
    if table.has("noise"):
        table.get("noise")
        table.problem("noise", "it has two names", "Give noise_q, of positions, and noise_qd.")
    noise_q, noise_qd = (_noise(table, key, joints) for key in ("noise_q", "noise_qd"))
    if rate is None and (delay or noise_q.any() or noise_qd.any()):
        rate = RATE
    return rate, delay, noise_q, noise_qd


def _noise(table: DocumentTable, key: str, joints: tuple[str, ...]) -> np.ndarray:
    spread = fields.vector(table, key, joints)
    if spread is not None and (spread < 0).any():
        table.problem(key, f"it is {spread.min():g}", "Give a number of at least 0.")
    return np.zeros(len(joints)) if spread is None else spread
