"""Simulate one robot accurately: adaptive steps, exact friction, stops, and an energy audit."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qddot.checks import need_joints, one_of, positive
from qddot.dynamics.kinematics import AXES, Axes
from qddot.errors import BadArgument, Interrupted, SimulationWarning
from qddot.robot import Robot, robot_of
from qddot.simulation.acting import Forces, law_of
from qddot.simulation.contact import restraints, undecided
from qddot.simulation.endings import MOST_STEPS, Watch
from qddot.simulation.energy import LIMIT
from qddot.simulation.equation import System
from qddot.simulation.method import METHODS, Method, chosen_method
from qddot.simulation.monitor import Monitor
from qddot.simulation.plant import Plant
from qddot.simulation.result import trajectory
from qddot.simulation.rollout_arguments import law_inputs
from qddot.simulation.run import Run
from qddot.simulation.run_arguments import (
    check_inside,
    check_restitution,
    check_start,
    joint_values,
    of_one_run,
    step_count,
    twelve_numbers,
    watches,
    whole_state,
)
from qddot.simulation.signals import Stopped, on_robot, outside, signal
from qddot.simulation.steps import METHODS as FIXED
from qddot.simulation.trajectory import Trajectory

TOLERANCE = 1e-10
ROWS = 1000
MOST_ROWS = 10_000_000


def simulate(
    robot: Robot | str | Path,
    q0: Any = None,
    qd0: Any = None,
    *,
    duration: float = 10.0,
    torque: Any = None,
    wrenches: Mapping[str, Any] | None = None,
    wrenches_on: str = "robot",
    axes: Axes = "world",
    disturbance: Any = None,
    base_motion: Any = None,
    inputs: Mapping[str, Any] | None = None,
    method: str = "auto",
    tolerance: float = TOLERANCE,
    step: float | None = None,
    every: float | None = None,
    friction: str = "exact",
    smoothing: float = 0.01,
    stops: float | bool | None = None,
    effort: str = "enforce",
    events: Sequence[Watch] = (),
    audit_limit: float = LIMIT,
    max_steps: int = MOST_STEPS,
) -> Trajectory:
    """Return the motion of a robot under torques, from a state at rest or moving.

    The equation of motion, solved for q̈ and integrated:

        M(q) q̈ + C(q, q̇) q̇ + g(q) + Fᵥ q̇ + Fₛ sgn(q̇) + f₀ + K (q − q₀) + τ_dist = τ + Jᵀ f_ext

    Args:
        robot: The robot, or its built-in name or file; payloads, friction and springs that its
            model has are in.
        q0, qd0: Where it starts [rad or m] and how fast, shape (nq,) and (n,). If q0 is not given,
            at `robot.start`, which is zero unless its file gives a start; if q0 is given and qd0 is
            not, at rest.
        duration: Length of the run [s].
        torque: Torques of the actuators: nothing (zero), an array (n,), a table of rows over the
            run or `Samples`, a function of (t, q, qd), or a recorded controller (a `Program` of t,
            q, qd and, if it has a state, x), which runs compiled. A function must give the same
            for the same arguments; what lasts less than a hundredth of the run may be missed.
        wrenches: By frame, what the environment applies: [moment; force], in any of the forms of
            a torque.
        wrenches_on: "robot"; or "environment": `wrenches` are what the robot applies to its
            environment, and f_ext is minus them. The motion keeps f_ext.
        axes: Those of the wrenches, as in `inverse_dynamics`: "world": at the frame's origin, in
            world axes (in those of the base if it moves); "local": there, in the frame's own axes,
            with which the wrench turns; "base": at the base's origin.
        disturbance: The torque τ_dist, which acts against the actuators, in any of these forms.
        base_motion: Twist of the base and its derivative, two arrays (6,) in base axes, or a
            function of t that gives them. Gravity keeps its direction in the world.
        inputs: Further inputs of a recorded controller, and `x`, the start of its state.
        method: "auto": DOP853 for tight tolerances, RK45 for loose ones, Radau for stiff models;
            or one of these or BDF by name; or fixed steps: "semi_implicit_euler", "rk4", "midpoint"
            (which conserves energy over long runs).
        tolerance: Error per step that adaptive methods allow, relative and absolute.
        step: Length of the steps of fixed-step methods [s]; the longest step of adaptive ones.
        every: Time between the rows of the result [s]; a thousandth of the duration if not given.
        friction: "exact": a joint held by dry friction stays exactly still, breaks away when the
            torque reaches its static friction, and sign changes are located; "smooth": tanh stands
            for sgn, so that joints creep instead of holding.
        smoothing: The velocity v [rad/s or m/s] of "smooth": tanh(q̇/v) stands for sgn(q̇).
        stops: None: joints that have stops in the robot's file are stopped there, and limits are
            reported, not enforced; a number: joints have stops at their limits too, and all stops
            have this coefficient of restitution, 0 for inelastic; False: there are no stops.
        effort: "enforce": torques are cut off at the effort limits of the joints; "report": they
            are not, and `events` says where they would have been.
        events: What to record when it happens, each a `Watch`.
        audit_limit: The largest error of the energy balance, as a share of the exchanged energy.
        max_steps: The largest number of steps. A run that needs more ends early, not finished, and
            keeps its rows; a `SimulationWarning` says so as soon as this can be foreseen.

    Returns:
        The `Trajectory`. A run that could not go on ends early and keeps its rows; `status` says
        why. It also says if the energy balance fails.

    Raises:
        BadArgument: If an argument is wrong.
        Interrupted: On Ctrl-C; its `trajectory` has the rows computed so far.

    Example:
        >>> import qddot
        >>> run = qddot.simulate(qddot.load("two_link"), [0, 0], duration=1.0)
        >>> run.q[-1].round(6)
        array([-2.318284, -0.761233])
    """
    robot = robot_of(robot)
    duration = positive("duration", duration, "s")
    # a closed loop has two spacings: of what is returned, and of what is judged
    given = every if isinstance(every, tuple) else (duration / ROWS if every is None else every,)
    spacings = tuple(positive("every", each, "s") for each in given)
    one_of("friction", friction, ("exact", "smooth"))
    one_of("effort", effort, ("report", "enforce"))
    one_of("axes", axes, AXES)
    wrenches = on_robot(wrenches, wrenches_on)
    one_of("method", method, METHODS)
    positive("smoothing", smoothing, "rad/s or m/s")
    positive("audit_limit", audit_limit)
    check_restitution(stops)
    watched = watches(events)
    if duration / min(spacings) > MOST_ROWS:
        least = min(spacings)
        raise BadArgument(f"every is {least:g}; that would make {duration / least:.1g} rows.")
    need_joints(robot, "there is no motion")
    at_start = q0 is None
    rest = robot.start.qd if at_start else np.zeros(robot.n)
    q0 = joint_values(robot, "q0", robot.start.q if at_start else q0)
    qd0 = joint_values(robot, "qd0", rest if qd0 is None else qd0)

    law = law_of(torque, robot.n, robot.nq)
    law_values = law_inputs(robot, law, inputs)
    names, frames = robot.joint_names, tuple(wrenches or {})
    signals = {}
    if law is None:
        given = np.zeros(robot.n) if torque is None else torque
        signals["tau"] = signal("the torque", given, names, duration)
    signals |= outside(robot, wrenches, disturbance, duration)
    if base_motion is not None:
        signals["base"] = signal("the base motion", *twelve_numbers(base_motion), duration)

    can_hold = restraints(robot, friction == "exact", stops)
    check_inside(robot, q0[robot.tree.positions], can_hold.lower, can_hold.upper)
    enforced = effort == "enforce" and torque is not None
    forces = Forces(
        law=law,
        driven=law is None,
        wrenches=frames,
        axes=axes,
        disturbed=disturbance is not None,
        base_moves=base_motion is not None,
        effort=tuple(robot.limits.effort.tolist()) if enforced else None,
        smoothing=smoothing if friction == "smooth" else None,
        switched=can_hold.any,
    )
    system = System(robot.model, forces)
    plant = Plant(robot, system, signals, of_one_run(law_values), can_hold, duration)
    y0 = whole_state(robot, plant.layout, q0, qd0, law_values.pop("x", []))
    monitor = Monitor(robot, plant.layout, forces.effort)
    run, chosen = begun(plant, y0, method, tolerance, step, spacings, watched, max_steps, monitor)
    try:
        run.go()
    except KeyboardInterrupt:
        run.stopped = f"interrupted at t = {run.t:.6g} s of {duration:g} s"
        run.failed = run.interrupted = True
        run.keep_last()
        raise Interrupted(trajectory(run, chosen.how, audit_limit)) from None
    try:
        found = trajectory(run, chosen.how, audit_limit)
    except Stopped as reason:
        why = f"Asked again about t = {reason.t:g} s, {reason.what}; in the run it gave a value"
        raise BadArgument(f"{why}. It must depend on (t, q, qd) alone.") from reason.__cause__
    if not found.good:
        warnings.warn(found.status, SimulationWarning, stacklevel=2)
    return found


def begun(
    plant: Plant,
    y0: np.ndarray,
    method: str,
    tolerance: float,
    step: float | None,
    every: tuple[float, ...],
    watched: tuple[Watch, ...] = (),
    max_steps: int = MOST_STEPS,
    monitor: Monitor | None = None,
) -> tuple[Run, Method]:
    """Return a run that is ready to go from y0, and its method.

    It raises BadArgument if the motion cannot be computed at the start, or the method does not fit.
    """
    duration = plant.duration
    try:
        rate = plant.rate_in(plant.modes(0.0, y0))
        check_start(plant.robot, plant.layout, y0, rate(0.0, y0))
        # what holds a joint hides stiffness
        unheld = plant.rate_in(undecided(plant.restraints, plant.ends(y0), y0[plant.layout.v]))
        name = chosen_method(method, tolerance, step, unheld, y0, plant.layout, duration)
        chosen = Method(name, plant, tolerance, step)
        most = step_count(max_steps, duration, step if name in FIXED else None)
        return Run(plant, chosen.solver, y0, duration, every, watched, most, monitor), chosen
    except Stopped as reason:
        raise BadArgument(f"At t = {reason.t:g} s, {reason.what}.") from reason.__cause__
