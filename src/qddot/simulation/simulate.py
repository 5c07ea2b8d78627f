"""Simulate one robot accurately: adaptive steps, exact friction, stops, and an energy audit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from qddot.errors import BadArgument, WrongShape, did_you_mean, printable
from qddot.model.tree import numeric
from qddot.robot import Robot, RobotWarning
from qddot.simulation.energy import LIMIT
from qddot.simulation.law import law_of
from qddot.simulation.motion import Forces, Layout
from qddot.simulation.plant import Plant
from qddot.simulation.result import trajectory
from qddot.simulation.rollout_arguments import law_inputs
from qddot.simulation.run import Run, Watch
from qddot.simulation.signals import Stopped, signal
from qddot.simulation.solvers import ADAPTIVE, FIXED, IMPLICIT, Midpoint, sensitivity
from qddot.simulation.switching import restraints
from qddot.simulation.trajectory import Trajectory

TOLERANCE = 1e-10
TIGHT = 1e-5  # below, a method of high order takes fewer evaluations
TIGHTEST = 3e-14  # below, rounding decides
STIFF = 1e5  # the fastest decay of the model times the duration, from which on it is stiff
ROWS = 1000
METHODS = ("auto", *ADAPTIVE, *FIXED)
WRENCH = tuple(f"{part}{axis}" for part in ("moment ", "force ") for axis in "xyz")
TWIST = tuple(f"{part} {axis}" for part in ("angular", "linear") for axis in "xyz")


class SimulationWarning(RobotWarning):
    """A run that ended early or whose energy is not accounted for; its status says why."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `trajectory` is what had been computed."""

    def __init__(self, trajectory: Trajectory):
        self.trajectory = trajectory
        super().__init__(trajectory.status)


def simulate(
    robot: Robot,
    q0: Any,
    qd0: Any = None,
    *,
    duration: float,
    torque: Any = None,
    wrenches: Mapping[str, Any] | None = None,
    disturbance: Any = None,
    base_motion: Any = None,
    inputs: Mapping[str, Any] | None = None,
    method: str = "auto",
    tolerance: float = TOLERANCE,
    step: float | None = None,
    every: float | None = None,
    friction: str = "exact",
    smoothing: float = 0.01,
    stops: float | None = None,
    effort: str = "report",
    events: Sequence[Watch] = (),
    audit_limit: float = LIMIT,
) -> Trajectory:
    """Return the motion of a robot under torques, from a state at rest or moving.

    The equation of motion, solved for q̈ and integrated:

        M(q) q̈ + C(q, q̇) q̇ + g(q) + Fᵥ q̇ + Fₛ sgn(q̇) + K (q − q₀) + τ_dist = τ + Jᵀ f_ext

    Args:
        robot: The robot; payloads, friction and springs that its model has are in.
        q0, qd0: Where it starts [rad or m] and how fast, shape (n,); qd0 is zero if not given.
        duration: How long [s].
        torque: What the actuators give: nothing (zero), an array (n,), a table of rows over the
            run or `Samples`, a function of (t, q, qd), or a recorded controller (a `Program` of t,
            q, qd and, if it has a state, x), which runs compiled.
        wrenches: By frame, what the environment applies: [moment; force] in world axes at the
            frame's origin, in any of the forms of a torque.
        disturbance: The torque τ_dist that takes from the actuators', in any of these forms.
        base_motion: Twist of the base and its rate, two arrays (6,) in base axes, or a function of
            t that gives them. Gravity keeps its direction in the world while the base turns.
        inputs: Further inputs of a recorded controller, and `x`, the start of its state.
        method: "auto": DOP853 for tight tolerances, RK45 for loose ones, Radau for stiff models;
            or one of these or BDF by name; or fixed steps: "semi_implicit_euler", "rk4", "midpoint"
            (which conserves energy over long runs).
        tolerance: Of adaptive methods, relative and absolute, a step.
        step: How long the steps of fixed-step methods are [s]; of adaptive ones, the longest.
        every: How far apart the rows of the result are [s]; a thousandth of the duration if not
            given.
        friction: "exact": a joint held by dry friction stays exactly still, breaks away when the
            torque reaches its static friction, and sign changes are located; "smooth": tanh stands
            for sgn, so that joints creep instead of holding.
        smoothing: The rate [rad/s or m/s] over which "smooth" passes from one sign to the other.
        stops: None: limits are reported, not enforced; a number: joints have stops at their limits
            with this coefficient of restitution, 0 for inelastic.
        effort: "report" or "enforce": whether torques beyond the effort limits are cut off.
        events: What to look out for, each a `Watch`.
        audit_limit: The share of the exchanged energy that may be unaccounted for.

    Returns:
        The `Trajectory`. A run that could not go on ends early, keeps what it has, and says why in
        `status`; so does one whose energy is not accounted for.

    Raises:
        BadArgument: If something given cannot be right from the start.
        Interrupted: On Ctrl-C; its `trajectory` is what had been computed.

    Example:
        >>> import qddot
        >>> run = qddot.simulate(qddot.load("two_link"), [0, 0], duration=1.0)
        >>> run.q[-1].round(6)
        array([-2.318284, -0.761233])
    """
    duration = _positive("duration", duration)
    every = duration / ROWS if every is None else _positive("every", every)
    choose("friction", friction, ("exact", "smooth"))
    choose("effort", effort, ("report", "enforce"))
    choose("method", method, METHODS)
    if stops is not None and not 0 <= stops <= 1:
        raise BadArgument(f"stops is {stops!r}; give a coefficient of restitution from 0 to 1.")
    q0 = _state(robot, "q0", q0)
    qd0 = np.zeros(robot.n) if qd0 is None else _state(robot, "qd0", qd0)

    law = law_of(torque, robot.n)
    told = law_inputs(robot, law, inputs)
    layout = Layout(robot.n, law.m if law else 0, base_motion is not None)
    names, frames = robot.joint_names, tuple(wrenches or {})
    for frame in frames:
        robot.pose(q0, frame)  # which knows the frame, or says what it knows
    signals = {}
    if law is None:
        given = np.zeros(robot.n) if torque is None else torque
        signals["tau"] = signal("the torque", given, names, duration)
    for k, (frame, wrench) in enumerate((wrenches or {}).items()):
        what = f"the wrench at {printable(frame)!r}"
        signals[f"wrench{k}"] = signal(what, wrench, WRENCH, duration)
    if disturbance is not None:
        signals["disturbance"] = signal("the disturbance", disturbance, names, duration)
    if base_motion is not None:
        signals["base"] = signal("the base motion", *_base(base_motion), duration)

    can_hold = restraints(robot.model, robot.tree, friction == "exact", stops)
    _check_inside(robot, q0, can_hold.lower, can_hold.upper)
    forces = Forces(
        layout,
        law,
        frames,
        disturbance is not None,
        _effort_limits(robot) if effort == "enforce" else None,
        smoothing if friction == "smooth" else None,
        can_hold.any,
    )
    plant = Plant(robot, forces, signals, _of_one_run(told), can_hold)
    y0 = _start(robot, layout, q0, qd0, told.pop("x", []))
    try:
        rate = plant.rate_in(plant.modes(0.0, y0))
        _check_start(robot, rate(0.0, y0))
        name = _method(method, tolerance, step, rate, y0, layout, duration)
        solver, how = _solver(name, tolerance, step, plant)
        run = Run(plant, solver, y0, duration, every, tuple(events))
    except Stopped as reason:
        raise BadArgument(f"At t = {reason.t:g} s, {reason.what}.") from reason.__cause__
    try:
        run.go()
    except KeyboardInterrupt:
        run.stopped = f"interrupted at t = {run.t:.6g} s of {duration:g} s"
        run.failed = True
        raise Interrupted(trajectory(run, how, audit_limit)) from None
    found = trajectory(run, how, audit_limit)
    if not found.good:
        warnings.warn(found.status, SimulationWarning, stacklevel=2)
    return found


# the method


def _method(
    method: str,
    tolerance: float,
    step: float | None,
    rate: Callable,
    y0: np.ndarray,
    layout: Layout,
    duration: float,
) -> str:
    """Return the name of the method to use, checked against what goes with it."""
    if method in FIXED:
        if step is None:
            raise BadArgument(
                f"Method {method!r} takes fixed steps: say how long, with step=0.001."
            )
        _positive("step", step)
        return method
    if step is not None:
        _positive("step", step)
    _positive("tolerance", tolerance)
    if not TIGHTEST <= tolerance < 1:
        raise BadArgument(
            f"tolerance is {tolerance:g}; it must lie between {TIGHTEST:g}, below which rounding "
            "decides, and 1."
        )
    if method != "auto":
        return method
    k = 2 * layout.n
    J = sensitivity(rate, k)(0.0, y0)[:k, :k]
    decay = -np.linalg.eigvals(J).real.min() if np.isfinite(J).all() and k else 0.0
    if decay * duration > STIFF:
        return "Radau"
    return "DOP853" if tolerance <= TIGHT else "RK45"


def _solver(
    name: str, tolerance: float, step: float | None, plant: Plant
) -> tuple[Callable, dict[str, Any]]:
    """Return what makes a solver of a rate from (t, y) to an end, and how it is described."""
    layout = plant.layout
    if name in FIXED:
        more: dict[str, Any] = {"step": step, "n": layout.n}
        if FIXED[name] is Midpoint:
            robot = plant.robot
            more["momentum"] = lambda q, qd: (
                robot.mass_matrix(q),
                robot.mass_matrix_rate(q, qd) @ qd,
            )
        return partial(_call, FIXED[name], more), {"method": name, "step": step}
    # SciPy takes the mean over all entries; the works are left out of it
    own = tolerance * np.sqrt(layout.tracked / layout.size)
    atol = np.full(layout.size, np.inf)
    atol[: layout.tracked] = own
    more = {"rtol": own, "atol": atol, "max_step": step or np.inf}
    if name in IMPLICIT:
        more["jac"] = layout.tracked
    return partial(_call, ADAPTIVE[name], more), {"method": name, "tolerance": tolerance}


def _call(solver: Any, more: dict[str, Any], rate: Any, t: float, y: np.ndarray, end: float) -> Any:
    if "jac" in more:
        more = more | {"jac": sensitivity(rate, more["jac"])}
    return solver(rate, t, y, end, **more)


# checks at the border


def choose(what: str, value: str, known: Sequence[str]) -> None:
    """Refuse a name that is not one of those known."""
    if value not in known:
        near = did_you_mean(str(value), known)
        raise BadArgument(f"{what} is {value!r}; it must be one of {', '.join(known)}.{near}")


def _positive(what: str, x: Any) -> float:
    try:
        value = float(x)
    except (TypeError, ValueError):
        value = np.nan
    if not (np.isfinite(value) and value > 0):
        raise BadArgument(f"{what} is {x!r}; it must be a number greater than 0.")
    return value


def _state(robot: Robot, what: str, x: Any) -> np.ndarray:
    try:
        value = np.array(x, dtype=float)
    except (TypeError, ValueError):
        raise BadArgument(f"{what} is not an array of real numbers.") from None
    if value.shape != (robot.n,):
        raise WrongShape(what, value.shape, robot.name, robot.joint_names)
    bad = np.flatnonzero(~np.isfinite(value))
    if len(bad):
        joint = printable(robot.joint_names[bad[0]])
        raise BadArgument(f"{what} of joint {joint!r} is {value[bad[0]]}; it must be finite.")
    return value


def _of_one_run(inputs: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    """Return the inputs of a law, refused if they are a batch."""
    for name, value in inputs.items():
        if value.ndim > 1:
            raise BadArgument(
                f"input {name!r} has a batch axis; one robot is simulated. "
                "qddot.rollout takes batches."
            )
    return inputs


def _base(motion: Any) -> tuple[Any, tuple[str, ...]]:
    """Return a base motion as twelve numbers or a function of them, with their names."""
    names = tuple(f"{what} {part}" for what in ("velocity", "acceleration") for part in TWIST)
    if callable(motion):
        function: Callable[..., Any] = motion
        return lambda t, q, qd: np.concatenate([np.asarray(x, float) for x in function(t)]), names
    try:
        parts = [np.array(part, dtype=float) for part in motion]
        return np.concatenate(parts), names
    except (TypeError, ValueError):
        raise BadArgument(
            "base_motion must be two arrays of shape (6,), the twist of the base and its rate, "
            "or a function of t that gives them."
        ) from None


def _effort_limits(robot: Robot) -> tuple[float, ...]:
    limits = [joint.limits.effort for joint in robot.model.free_joints]
    return tuple(np.inf if x is None else float(numeric(x)) for x in limits)


def _check_inside(robot: Robot, q0: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    for name, q, low, high in zip(robot.joint_names, q0, lower, upper, strict=True):
        if not low <= q <= high:
            raise BadArgument(
                f"Joint {printable(name)!r} starts at {q:g}, beyond its stops at {low:g} and "
                f"{high:g}; start inside, or simulate without stops."
            )


def _check_start(robot: Robot, rate: np.ndarray) -> None:
    bad = np.flatnonzero(~np.isfinite(rate[robot.n : 2 * robot.n]))
    if len(bad):
        joint = printable(robot.joint_names[bad[0]])
        raise BadArgument(
            f"At t = 0 s the acceleration of joint {joint!r} is not finite: the mass matrix is "
            "singular there. Give what the joint moves a mass or an inertia, or the joint a rotor."
        )


def _start(robot: Robot, layout: Layout, q0: Any, qd0: Any, x0: Any) -> np.ndarray:
    """Return the state vector at the start."""
    y = np.zeros(layout.size)
    parts = layout.parts(y)
    parts["q"][:], parts["qd"][:] = q0, qd0
    parts["x"][:] = x0
    if layout.base_moves:
        parts["gravity_vector"][:] = [float(g) for g in robot.tree.gravity]
    return y
