"""What every proof of stability needs, whatever the law, decided on a run.

The motion is finished and finite; no torque is cut off; nothing pushes that the model lacks; dry
friction leaves no error; no stop is hit; the law is asked all the time, on exact measurements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.blas_threads import one_thread
from qddot.control.laws.assumption import Assumption, Rows
from qddot.control.laws.law import ControlLaw
from qddot.control.report import rounding_level
from qddot.control.sampled import HeldPlant, Sampling
from qddot.control.sampled_loop import STABLE, Linear, linearised
from qddot.errors import printable
from qddot.model.limits import stopped_joints
from qddot.model.tree import by_rows
from qddot.robot import Robot
from qddot.simulation.contact import Restraints, restraints
from qddot.simulation.trajectory import Trajectory

FAR = 1e6  # [rad or m], beyond which a run has run away
INSTANTS = 5  # of a reference at which a sampled loop is linearised
PIECES = 2000  # of time, over which a reference is compared with its own derivatives
ROUNDING = 1e-9  # of numbers about 1
FALLEN = 1 / 3  # of its largest, which an error must come down to for a run to show that it falls,
END = 0.1  # of the run, its last part, in which it must stay there
SLIGHT = 1e-6  # of the largest error: one that is smaller need not fall


@dataclass(frozen=True, eq=False)
class Setting:
    """How a loop was closed, besides arm and law."""

    limits: np.ndarray | None  # (n,), where torques are cut off; None: nowhere
    sampling: Sampling | None = None
    plant: HeldPlant | None = None  # of a sampled run
    wrenches: Mapping[str, Any] | None = None
    disturbance: Any = None
    more: Mapping[str, Any] | None = None  # further arguments of `simulate`


def conditions(
    robot: Robot, law: ControlLaw, motion: Trajectory, setting: Setting, seen: Rows
) -> list[Assumption]:
    """Return what every proof needs, decided for a run; what does not apply is left out."""
    found = [_finished(motion)]
    found += _computed_well(motion)
    found += _followable(law, motion)
    if setting.sampling is None:
        found.append(_error_falls(robot, law, seen))
    if setting.limits is not None:
        found.append(_not_cut_off(robot, motion, setting, setting.limits))
    found.append(_dry(robot, law, motion, setting))
    found += _nothing_pushes(setting)
    stops = False if setting.sampling is not None else (setting.more or {}).get("stops")
    if (stops is not None and stops is not False) or stopped_joints(robot.model):
        found.append(_no_stop(robot, motion, restraints(robot, False, stops)))
    if setting.sampling is not None:
        found += _measured(setting.sampling)
        with one_thread():  # of small matrices, whose threads mostly wait
            found.append(_sampled(law, motion, setting))
    return found


def _finished(motion: Trajectory) -> Assumption:
    finite = bool(np.isfinite(motion.q).all() and np.isfinite(motion.qd).all())
    if finite and "interrupted" in motion.status:
        return Assumption("The run went on to its end", None, "it was interrupted")
    why = "it did" if motion.finished and finite else motion.status.split(";")[0]
    return Assumption("The run went on to its end", bool(motion.finished and finite), why)


def _computed_well(motion: Trajectory) -> list[Assumption]:
    """Return that nothing can be said where the simulation itself is in doubt."""
    if motion.good or not motion.finished:
        return []
    why = motion.status.split(";")[0].splitlines()[0]
    return [Assumption("The motion is computed accurately", None, why)]


def _error_falls(robot: Robot, law: ControlLaw, seen: Rows) -> Assumption:
    """Return whether a run shows what the proof says of its end: each error, its rate and V fall.

    A gain of next to nothing is positive, too, and a run may be short: then hardly anything falls.
    """
    statement = "The error is seen to fall"
    if (largest := np.abs(seen.error).max(initial=0)) <= rounding_level(seen.q):
        return Assumption(statement, True, f"it stays at {largest:.1e}, of rounding")
    left, names = law.error_left(robot, seen.q[-1]), list(law.error_names)
    reference: Any = getattr(law, "reference", None)
    parts = [seen.error]
    if law.stays or (reference is not None and law.error_names == robot.joint_names):
        rates: Any = 0 * seen.qd if law.stays else [reference.at(float(t))[1] for t in seen.t]
        parts.append(seen.qd - np.asarray(rates, float))
        names += [f"the velocity of {name}" for name in robot.joint_names]
    if seen.V is not None and (V := law.vanishing(robot, seen)) is not None and not left:
        # estimates may take up what does not vanish otherwise: V itself must fall by a share of it
        V = np.maximum(V, V.max() - (seen.V[0] - seen.V) * 2)
        parts, names = [*parts, V[:, None]], [*names, "V"]
    size = np.abs(np.hstack(parts))
    most = size.max(axis=0)
    late = size[seen.t >= seen.t[-1] - END * (seen.t[-1] - seen.t[0])].max(axis=0)
    slight = np.maximum(rounding_level(seen.q), SLIGHT * largest)
    fallen = (late <= FALLEN * most) | (late <= slight) | ((late <= left) & (left < most))
    share = np.where(late <= slight, 0, late / np.where(most, most, 1))
    if fallen.all():
        return Assumption(statement, True, f"in the end {share.max():.2g} of its largest is left")
    worst = int(np.where(fallen, -1, share).argmax())
    why = f"in the end {share[worst]:.2g} of the largest of {names[worst]} is left"
    return Assumption(statement, None, f"{why}; let it run longer, or raise the gains")


def _followable(law: ControlLaw, motion: Trajectory) -> list[Assumption]:
    """Return whether a reference of one's own gives the derivatives of its own position.

    Over each of many short pieces of time h, by the rule of Euler and Maclaurin:

        x(t + h) − x(t) = h/2 (ẋ(t) + ẋ(t + h)) + h²/12 (ẍ(t) − ẍ(t + h))

    Acceleration may jump, which leaves up to h² |ẍ| of it, and h |ẍ| of the same for the velocity.
    """
    reference: Any = getattr(law, "reference", None)
    if reference is None or type(reference).__module__.startswith("qddot."):
        return []
    statement = "Velocity and acceleration of the reference are derivatives of its position"
    t = np.linspace(0, float(motion.t[-1]), PIECES + 1)
    x, v, a = (
        np.array([np.asarray(part, float) for part in parts])
        for parts in zip(*(reference.at(float(each)) for each in t), strict=True)
    )
    h, most = t[1] - t[0], np.abs(a).max(axis=0, initial=0)
    moved = np.diff(x, axis=0)
    if x.shape != v.shape:  # of joints with several numbers
        moved = by_rows(law.robot.tree.difference, x[:-1], x[1:])
    off = moved - h * (v[1:] + v[:-1]) / 2 + h * h * np.diff(a, axis=0) / 12
    jump = np.diff(v, axis=0) - h * (a[1:] + a[:-1]) / 2
    slack = ROUNDING * max(1.0, float(np.abs(x).max()), float(np.abs(v).max()))
    for what, error, allowed in (("position", off, h * h * most), ("velocity", jump, h * most)):
        bad = np.argwhere(~(np.abs(error) <= allowed + slack))
        if len(bad):
            k, i = bad[0]
            why = (
                f"near t = {t[k]:.4g} s its {what} changes by {error[k, i]:.3g} more than these say"
            )
            return [Assumption(statement, False, why)]
    return [Assumption(statement, True, f"over {PIECES} pieces of time")]


def _not_cut_off(
    robot: Robot, motion: Trajectory, setting: Setting, limits: np.ndarray
) -> Assumption:
    """Return whether every torque that the law asked for was given.

    A sampled run knows. Of another one, what is asked for between two steps, or two rows, is taken
    to differ no more than from one to another.
    """
    statement = "No torque is cut off at an effort limit"
    if setting.sampling is not None and (motion.how["asked"]["peak"] <= limits).all():
        return Assumption(statement, True, "none was, at any sample")
    if held := [event for event in motion.events if "held at its effort" in event.name]:
        why = f"at {held[0].joint} from t = {held[0].t:.4g} s on, {held[0].detail}"
        return Assumption(statement, False, why)
    load = np.abs(motion.tau)
    peak = np.maximum(motion.how["asked"]["peak"], load.max(axis=0))
    change = np.abs(np.diff(load, axis=0)).max(axis=0, initial=0)
    change = np.minimum(motion.how["asked"]["change"], change)
    near = int(np.argmax((peak + change) / limits))
    why = f"at most {peak[near] / limits[near]:.0%} of the limit of {robot.joint_names[near]}"
    return Assumption(statement, True if (peak + change < limits).all() else None, why)


def _dry(robot: Robot, law: ControlLaw, motion: Trajectory, setting: Setting) -> Assumption:
    near = np.flatnonzero((np.abs(motion.q) < FAR).all(axis=1))
    found = law.dry_friction(robot, motion.q[near[-1] if len(near) else 0])
    smooth = setting.sampling is not None or (setting.more or {}).get("friction") == "smooth"
    dry = any(shaft.friction.is_dry for shaft in robot.tree.shafts)
    if found.holds and dry and smooth:
        return found._replace(holds=None, why=f"{found.why}; but here tanh stands for the sign")
    return found


def _nothing_pushes(setting: Setting) -> list[Assumption]:
    acting = [
        f"a wrench at {printable(f)}" for f, w in (setting.wrenches or {}).items() if _some(w)
    ]
    if _some(setting.disturbance):
        acting.append("a disturbance")
    if (setting.more or {}).get("base_motion") is not None:
        acting.append("a motion of the base")
    if not acting:
        return []
    why = f"{', '.join(acting)}: V rises by the work that it does"
    return [Assumption("Nothing acts that the model does not have", False, why)]


def _some(signal: Any) -> bool:
    """Return whether what acts is not plainly zero."""
    if signal is None:
        return False
    try:
        return bool(np.any(np.asarray(signal, dtype=float)))
    except (TypeError, ValueError):
        return True


def _no_stop(robot: Robot, motion: Trajectory, given: Restraints) -> Assumption:
    """Return whether no joint comes to a stop, or stands at one from the beginning."""
    hits = [event for event in motion.events if "stop" in event.name]
    if hits:
        why = f"{hits[0].joint} {hits[0].name} at t = {hits[0].t:.4g} s"
        if "passes" in hits[0].name:
            why += "; this run has no stops"
        return Assumption("No stop is hit", False, why)
    q = motion.q[:, robot.tree.positions]
    near = ROUNDING * np.maximum(1, np.abs(q))
    there = np.argwhere((q <= given.lower + near) | (q >= given.upper - near))
    if len(there):
        k, i = there[0]
        why = f"{robot.joint_names[i]} is at its stop at t = {motion.t[k]:.4g} s"
        return Assumption("No stop is hit", False, why)
    return Assumption("No stop is hit", True, "none was")


def _measured(sampling: Sampling) -> list[Assumption]:
    found = []
    if any(np.any(s) for s in sampling.noise):
        found.append(
            Assumption("Measurements are exact", False, "they are noisy, and V follows the noise")
        )
    if sampling.delay:
        why = f"they are {1e3 * sampling.delay:.4g} ms late"
        found.append(Assumption("Measurements are of this instant", False, why))
    return found


def _sampled(law: ControlLaw, motion: Trajectory, setting: Setting) -> Assumption:
    """Return what the linearised sampled loop says; a proof of continuous time stays open."""
    statement = "The law is asked often enough (its proof is of continuous time)"
    sampling, plant = setting.sampling, setting.plant
    assert sampling is not None
    assert plant is not None
    period, delay = 1 / sampling.rate, sampling.delay
    worst, at = 0.0, None
    for loop in _loops(plant, law, motion):
        radius = loop.radius(period, delay)
        if np.isnan(radius):
            continue
        # a loop that is unstable anyway, seen at one instant, is not the fault of sampling
        if radius > worst and (radius <= STABLE or loop.growth() <= 1e-6 * sampling.rate):
            worst, at = radius, loop
    if at is None:
        return Assumption(
            statement, None, "the linearised sampled loop is too large to be decided, or not smooth"
        )
    if worst <= STABLE:
        why = f"linearised, the sampled loop is stable (spectral radius {worst:.6g}), no more"
        return Assumption(statement, None, why)
    size = "infinite" if np.isinf(worst) else f"{worst:.4g}"
    why = f"linearised, the sampled loop is unstable (spectral radius {size}); "
    return Assumption(statement, False, why + _remedy(at, period, delay))


def _remedy(loop: Linear, period: float, delay: float) -> str:
    late = loop.largest_delay(period, delay) if delay else None
    if late is not None:
        return f"the longest delay that is stable is {1e3 * late:.3g} ms"
    longest = loop.largest_period(period, 0.0)
    if longest is None:
        return "lower the gains"
    without = "without a delay " if delay else ""
    return f"{without}the longest step that is stable is {1e3 * longest:.3g} ms"


def _loops(plant: HeldPlant, law: ControlLaw, motion: Trajectory) -> list[Linear]:
    """Return the loop linearised about points of the reference; of a frame, where the run began."""
    x = np.zeros(0) if motion.state is None else np.asarray(motion.state[0], float)
    n = plant.robot.n
    reference: Any = getattr(law, "reference", None)
    states = [(0.0, motion.q[0], 0 * motion.qd[0])]
    if getattr(reference, "n", None) == n and law.error_names == law.robot.joint_names:
        instants = np.linspace(0, motion.t[-1], INSTANTS) if np.isfinite(motion.t[-1]) else [0.0]
        states = []
        for t in instants:
            place, rate, _ = (np.asarray(part, float) for part in reference.at(float(t)))
            states.append((float(t), place, rate))
    found = []
    for t, q, qd in states:
        loop = linearised(plant, law, t, q, qd, x)
        if all(np.isfinite(part).all() for part in (loop.A, loop.B, loop.K, loop.L, loop.G)):
            found.append(loop)
    return found
