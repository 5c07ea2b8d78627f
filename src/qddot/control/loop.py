"""An arm under a law: the motion, its errors, its torques, and whether its stability is proved."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import not_negative, one_of, positive
from qddot.control.conditions import Setting, conditions
from qddot.control.laws.assumption import Rows
from qddot.control.laws.law import ControlLaw
from qddot.control.loop_arguments import check_choices, lasting, law_of, noise_of, start_of
from qddot.control.report import (
    RISE,
    Report,
    lyapunov_along,
    rise,
    rms,
    rounding_level,
    settling_time,
)
from qddot.control.sampled import HeldPlant, Sampling, sampled_run
from qddot.control.spec import described_control, named_law
from qddot.dynamics.kinematics import AXES, Axes
from qddot.errors import BadArgument, Interrupted, SimulationWarning
from qddot.model.tree import by_rows
from qddot.motions.setpoint import joint_reference
from qddot.plain_text import fitted
from qddot.program.recorder import record
from qddot.results import Judged, in_notebook
from qddot.robot import Robot, robot_of
from qddot.simulation.result import rows_every, some_rows
from qddot.simulation.run_arguments import joint_values
from qddot.simulation.signals import on_robot
from qddot.simulation.simulation import ROWS, simulate
from qddot.simulation.trajectory import Trajectory

SLIGHT = 2e-5  # [rad, m, rad/s or m/s]: V that goes less far than with it goes nowhere


@dataclass(frozen=True, eq=False, repr=False)
class ClosedLoop(Judged):
    """A run of an arm under a law, one row per instant."""

    robot: Robot  # the arm
    law: ControlLaw
    trajectory: Trajectory
    error: np.ndarray  # (k, m): q − q_d, or that of the law's task
    V: np.ndarray | None  # (k,), the law's Lyapunov function; None where it has none
    V_rate: np.ndarray | None  # (k,), by the chain rule through the simulated q̈
    report: Report

    @property
    def t(self) -> np.ndarray:
        """The instants [s], shape (k,)."""
        return self.trajectory.t

    @property
    def tau(self) -> np.ndarray:
        """Torques of the actuators [N·m or N], shape (k, n)."""
        return self.trajectory.tau

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the motion; `report.reasons` says why a law is not sound."""
        return self.trajectory.problems

    @property
    def x(self) -> np.ndarray | None:
        """The law's own state, shape (k, m); None where it has none."""
        return self.trajectory.state

    def animate(self, path: str | Path | None = None, **more: Any) -> Any:
        """Write a film of the moving arm, or show it in a notebook; see `Trajectory.animate`.

        Args:
            path: Where to: .gif, .html or .mp4.
            more: Further arguments of `Trajectory.animate`: fps, speed, frames.
        """
        return self.trajectory.animate(path, **more)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: the law, its report, V, and how the run ended."""
        motion, V = self.trajectory, self.V
        return {
            "robot": self.robot.name,
            **self.report.to_dict(),
            "equation": self.law.equation,
            "gains": self.law.gains,
            "lyapunov": None
            if V is None
            else {"start": float(V[0]), "end": float(V[-1]), "rise": self.report.V_rise},
            "duration": float(motion.t[-1]),
            "finished": bool(motion.finished),
            "good": bool(motion.good),
            "status": motion.status,
            "q": motion.q[-1].tolist(),
        }

    @fitted
    def __repr__(self) -> str:
        return f"<ClosedLoop of {self.robot.name!r}>\n{self.report}"

    _repr_html_ = in_notebook("control.loop_html")


class InterruptedLoop(Interrupted):
    """Ctrl-C during a closed loop; `run` is what had been computed, with its report."""

    def __init__(self, run: ClosedLoop):
        self.run = run
        super().__init__(run.trajectory)


def closed_loop(
    robot: Robot | str | Path,
    law: ControlLaw | str | Mapping[str, Any],
    reference: Any = None,
    *,
    q0: Any = None,
    qd0: Any = None,
    duration: float | None = None,
    model: Robot | str | Path | None = None,
    noise_q: Any = None,
    noise_qd: Any = None,
    delay: float = 0.0,
    rate: float | None = None,
    effort: str = "enforce",
    seed: int = 1,
    wrenches: Mapping[str, Any] | None = None,
    wrenches_on: str = "robot",
    axes: Axes = "world",
    disturbance: Any = None,
    smoothing: float = 0.01,
    every: float | None = None,
    **more: Any,
) -> ClosedLoop:
    """Return the motion of an arm under a law, with errors, torques and the proof's assumptions.

    Args:
        robot: The arm, or its built-in name or file. The law may have been made from another,
            wrong one.
        law: A law of `qddot.control`; or its name, "computed_torque" or "ComputedTorque", with
            gains that suit the arm: it then follows `reference`. Or the description of a controlled
            run, as plans have it: {"law": "computed_torque", "gains": {"kp": 100}, "reference":
            {...}, "rate": 1000}; reference, rate, delay, noise and effort are then given there.
        reference: What errors are measured against; the law's own if not given. For a law by its
            name also a description: {"kind": "move", "target": [1, 1], "duration": 2.0}.
        q0, qd0: Where the arm starts [rad or m] and how fast, shape (nq,), (n,). If not given, on a
            reference that moves its joints; else at `robot.home`, at rest.
        duration: How long [s]. If not given, a second longer than the reference; where that has
            no end, 5 s, or a period if that is longer.
        model: The robot whose model the law uses, in place of the one it was made from.
        noise_q, noise_qd: Standard deviations of measured positions [rad or m] and of measured
            velocities [rad/s or m/s], each a number or one number per joint. They need a rate.
        delay: Age of the measurements when the law gets them [s]. It needs a rate.
        rate: Samples of the law per second [Hz], its torques held in between; None: continuous.
        effort: "enforce": torques are cut off at the arm's effort limits; "report": they are not.
        seed: Seed of the noise.
        wrenches, wrenches_on, axes, disturbance: What else acts on the arm, as in `simulate`.
        smoothing: Smoothing of dry friction where a rate is given, as in `rollout`.
        every: Time between rows [s]; as in `simulate` if not given; with a rate, every sample.
        more: Further arguments of `simulate`, where no rate is given: method, tolerance, ...

    Returns:
        The `ClosedLoop`; `report.sound` says whether the law's theorem applies to this run: True,
        False, or None where an assumption is not decided. `report.reasons` says why.

    Raises:
        InterruptedLoop: On Ctrl-C; its `run` is what had been computed, with its report.

    Example:
        >>> import qddot
        >>> from qddot.control import PDGravity
        >>> arm = qddot.load("two_link")
        >>> law = PDGravity(arm, kp=2000, kd=1000, reference=[0.5, 0.5])
        >>> run = closed_loop(arm, law, q0=[0, 0], duration=10)
        >>> run.report.falls
        True
    """
    check_choices(effort, more)
    robot = robot_of(robot)
    wrenches = on_robot(wrenches, wrenches_on)
    believed = None if model is None else robot_of(model)
    if isinstance(law, Mapping):
        apart = {"reference": reference, "rate": rate, "delay": delay or None, "noise_q": noise_q,
                 "noise_qd": noise_qd}  # fmt: skip
        if twice := [name for name, value in apart.items() if value is not None]:
            raise BadArgument(
                f"Say {', '.join(twice)} in the description of the law, not beside it."
            )
        q = robot.home if q0 is None else joint_values(robot, "q0", q0)
        how = {"start_given": q0 is not None, "seconds": duration, "seed": seed}
        spec = described_control(law, robot, q, model=believed, **how)
        law, believed = spec.law, None
        if q0 is None:
            q0, qd0 = spec.q0, spec.qd0 if qd0 is None else qd0
        rate, delay, effort = spec.rate, spec.delay, spec.effort
        noise_q, noise_qd = spec.noise_q, spec.noise_qd
    if isinstance(law, str):
        law, reference = named_law(law, robot, reference, q0, believed, duration), None
    law = law_of(robot, law, believed)
    against = None if reference is None else joint_reference(reference, robot)
    followed = getattr(law, "reference", None) if against is None else against
    duration = lasting(followed) if duration is None else positive("duration", duration, "s")
    q0, qd0 = start_of(robot, law, against, q0, qd0)
    limits = robot.limits.effort
    cut = limits if effort == "enforce" and np.isfinite(limits).any() else None
    law = law if cut is None else law.limited(cut)
    spread = noise_of(robot, "noise_q", noise_q), noise_of(robot, "noise_qd", noise_qd)
    delay, interrupted = not_negative("delay", delay, "s"), False
    if rate is None:
        if any(np.any(s) for s in spread) or delay:
            raise BadArgument("Noise and delay need a law that is sampled: give rate=1000 [Hz].")
        setting = Setting(cut, None, None, wrenches, disturbance, more)
        spacings = (duration / ROWS if every is None else every, duration / ROWS)
        try:
            motion = simulate(
                *(robot, q0, qd0),
                duration=duration,
                torque=law,
                inputs={"x": law.start(q0, qd0)} if len(law.x0) else None,
                effort=effort,
                wrenches=wrenches,
                axes=axes,
                disturbance=disturbance,
                every=tuple(dict.fromkeys(spacings)),  # type: ignore[arg-type]
                smoothing=smoothing,
                **more,
            )
        except Interrupted as stopped:
            motion, interrupted = stopped.trajectory, True
        xd = _state_rate(law, motion)
        rows = [rows_every(motion.t, each) for each in spacings]
    else:
        if more:
            names = ", ".join(more)
            raise BadArgument(f"With a rate, steps are of fixed length; leave out {names}.")
        rate = positive("rate", rate, "Hz")
        one_of("axes", axes, AXES)
        plant = HeldPlant(robot, duration, wrenches, disturbance, smoothing, axes)
        stride = 1 if every is None else max(1, round(positive("every", every, "s") * rate))
        sampling = Sampling(rate, delay, spread, seed, cut)
        found = sampled_run(plant, law, q0, qd0, duration, sampling, stride)
        setting = Setting(cut, sampling, plant, wrenches, disturbance)
        motion, xd, interrupted = found.trajectory, found.xd, found.interrupted
        rows = found.rows
        if motion.finished and not motion.good:
            warnings.warn(motion.status, SimulationWarning, stacklevel=2)
    run = _judged(robot, law, against, motion, xd, rows, limits, setting)
    if interrupted:
        raise InterruptedLoop(run)
    return run


def _judged(
    robot: Robot,
    law: ControlLaw,
    against: Any,
    motion: Trajectory,
    xd: np.ndarray | None,
    rows: Sequence[np.ndarray],
    limits: np.ndarray,
    setting: Setting,
) -> ClosedLoop:
    """Return a motion with its errors, V and report.

    `rows` are which are returned, and by which the law is judged, however few are returned.
    """
    kept, judged = rows
    errors = _errors(robot, law, against, motion)
    V, V_rate, V_rise, V_still = _lyapunov(robot, law, motion, xd, judged)
    returned, motion = some_rows(motion, kept), some_rows(motion, judged)
    error = errors[judged]
    names = law.error_names if against is None else robot.joint_names
    units = law.error_units if against is None else motion.units
    given = np.minimum(motion.how["asked"]["peak"], np.inf if setting.limits is None else limits)
    peak = np.maximum(given, np.abs(motion.tau).max(axis=0))
    own = error if against is None else _errors(robot, law, None, motion)
    seen = Rows(motion.t, motion.q, motion.qd, own, None if V is None else V[judged])
    level = rounding_level(motion.q)
    report = Report(
        law=type(law).__name__,
        error_names=names,
        error_units=units,
        rms=rms(motion.t, error),
        worst=np.abs(error).max(axis=0),
        final=error[-1],
        settling_time=settling_time(motion.t, error, level=level),
        joint_names=robot.joint_names,
        effort=rms(motion.t, motion.tau),
        peak=peak,
        margin=limits - peak,
        V_rise=V_rise,
        assumptions=(*law.assumptions(robot, seen), *conditions(robot, law, motion, setting, seen)),
        level=level,
        V_still=V_still,
        sampled=setting.sampling is not None,
    )
    V, V_rate = (None if x is None else x[kept] for x in (V, V_rate))
    return ClosedLoop(robot, law, returned, errors[kept], V, V_rate, report)


def _errors(robot: Robot, law: ControlLaw, against: Any, motion: Trajectory) -> np.ndarray:
    def error(t: Any, q: Any) -> Any:
        return law.error(t, q) if against is None else robot.tree.difference(against.at(t)[0], q)

    return Kernel(record(error, "error", t=(), q=(robot.nq,)))(motion.t, motion.q)


def _lyapunov(
    robot: Robot, law: ControlLaw, motion: Trajectory, xd: np.ndarray | None, judged: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray | None, float | None, bool]:
    """Return V, V̇, by how much V rose, and whether V is never more than rounding makes it.

    The latter two are of the rows by which the law is judged.
    """
    program = law.lyapunov(robot)
    if program is None:
        return None, None, None, False
    rows = motion.t, motion.q, motion.qd, motion.qdd, motion.state
    V, rate = lyapunov_along(program, robot.tree, *rows, xd)
    # an error of SLIGHT in every position, or in every velocity, would make V so large
    t, q, qd = motion.t[:1], motion.q[:1], motion.qd[:1]
    own = [] if motion.state is None else [motion.state[:1]]
    off = by_rows(robot.tree.step, q, np.full_like(qd, SLIGHT))
    slight = [t, off, qd, *own], [t, q, qd + SLIGHT, *own]
    least = max(abs(float(Kernel(program)(*state)[0] - V[0])) for state in slight)
    claim = record(law.falling, "falling", t=(), q=(robot.nq,), qd=(robot.n,))
    claimed = np.broadcast_to(claim(motion.t, motion.q, motion.qd) > 0, V.shape)
    seen = V[judged]
    return V, rate, rise(seen, least, claimed[judged]), bool(np.abs(seen).max() <= RISE * least)


def _state_rate(law: ControlLaw, motion: Trajectory) -> np.ndarray | None:
    if motion.state is None:
        return None
    _, xd = Kernel(law.whole)(motion.t, motion.q, motion.qd, np.ascontiguousarray(motion.state))
    return xd
