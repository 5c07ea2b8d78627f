"""What people pass to `simulate`, made into numbers or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from qddot.checks import joint_vector, number, whole
from qddot.errors import BadArgument, printable, shorten
from qddot.robot import Robot
from qddot.simulation.endings import Watch, far_angle
from qddot.simulation.equation import Layout

FASTEST = 1e100  # [rad/s or m/s]
TWIST = tuple(f"{part} {axis}" for part in ("angular", "linear") for axis in "xyz")


def step_count(max_steps: Any, duration: float, step: float | None) -> int:
    """Return how many steps a run may take, if its fixed steps are not more than that already."""
    most = whole("max_steps", max_steps, 1)
    if step is not None and duration / step > most * (1 + 1e-6) + 1:
        raise BadArgument(
            f"{duration:g} s in steps of {step:g} s are {duration / step:.3g} steps, more than "
            f"max_steps={most:,}.\n  Take longer steps, or allow more: max_steps=..."
        )
    return most


def check_restitution(stops: Any) -> None:
    """Refuse what is neither None nor False nor a coefficient of restitution."""
    if stops is not None and stops is not False:
        wanted = "a coefficient of restitution from 0 to 1, or False for no stops"
        number("stops", stops, wanted, least=0, most=1)


def watches(events: Any) -> tuple[Watch, ...]:
    """Return what is to be watched; one alone need not be in a list."""
    found = (events,) if isinstance(events, Watch) else tuple(events)
    for event in found:
        if not isinstance(event, Watch):
            raise BadArgument(
                f"events has {shorten(repr(event))}; give qddot.Watch(name, function) for each."
            )
    return found


def joint_values(robot: Robot, what: str, x: Any) -> np.ndarray:
    """Return a position, "q0", or what has a number for each degree of freedom."""
    if what != "q0":
        return joint_vector(robot, what, x)
    q = joint_vector(robot, what, x, robot.model.position_names)
    return np.asarray(robot.tree.project(q), dtype=float)


def of_one_run(inputs: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    """Return the inputs of a law, refused if they are a batch."""
    for name, value in inputs.items():
        if value.ndim > 1:
            raise BadArgument(
                f"input {name!r} has a batch axis; one robot is simulated. "
                "qddot.rollout takes batches."
            )
    return inputs


def twelve_numbers(motion: Any) -> tuple[Any, tuple[str, ...]]:
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


def check_inside(robot: Robot, q0: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """Refuse a start beyond the stops, and stops without room between them."""
    for name, q, low, high in zip(robot.joint_names, q0, lower, upper, strict=True):
        if high - low < 1e-9:
            raise BadArgument(
                f"Joint {printable(name)!r} has no room between its stops at {low:g} and {high:g}; "
                f"hold it there instead: robot.locked({{{name!r}: {low:g}}})."
            )
        if not low <= q <= high:
            raise BadArgument(
                f"Joint {printable(name)!r} starts at {q:g}, beyond its stops at {low:g} and "
                f"{high:g}; start inside, or simulate without stops (stops=False)."
            )


def check_start(robot: Robot, layout: Layout, y: np.ndarray, rate: np.ndarray) -> None:
    """Refuse a start from which the motion cannot be computed, with the reason."""
    qd = y[layout.v]
    fastest = int(np.abs(qd).argmax())
    if abs(qd[fastest]) > FASTEST:
        joint = printable(robot.joint_names[fastest])
        raise BadArgument(
            f"qd0 of joint {joint!r} is {qd[fastest]:g}; energies take its square, which is too "
            f"large for a number. Give less than {FASTEST:g}."
        )
    bad = np.flatnonzero(~np.isfinite(rate[layout.v]))
    if len(bad):
        joint = f"At t = 0 s the acceleration of joint {printable(robot.joint_names[bad[0]])!r}"
        if far := far_angle(robot, y[layout.q]):
            raise BadArgument(f"{joint} is not known: {far}.")
        raise BadArgument(
            f"{joint} is not finite: the mass matrix is singular there. Give what the joint moves "
            "a mass or an inertia, or the joint a rotor."
        )


def whole_state(robot: Robot, layout: Layout, q0: Any, qd0: Any, x0: Any) -> np.ndarray:
    """Return the state vector at the start."""
    y = np.zeros(layout.size)
    parts = layout.parts(y)
    parts["q"][:], parts["qd"][:] = q0, qd0
    parts["x"][:] = x0
    if layout.base_moves:
        parts["gravity_vector"][:] = [float(g) for g in robot.tree.gravity]
    return y
