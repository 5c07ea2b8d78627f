"""Whether an arm can do what a reference asks: positions, speeds and, if asked, torques."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qddot.checks import spread
from qddot.errors import BadArgument, printable
from qddot.motions.motion import Reference, TaskReference
from qddot.robot import Robot

LOOKS = 4000  # how many instants are looked at, besides the breaks
SLACK = 1e-9  # relative: a limit that is touched is kept


def check_limits(
    robot: Robot | None, reference: Reference | TaskReference, *, torque: bool = False
) -> None:
    """Refuse a reference that leaves a robot's limits, with the first violation.

    It is looked at 4000 times, evenly, and at its breaks: what is over a limit for a shorter time
    may pass.

    Args:
        robot: Whose limits; None lets everything pass.
        reference: A joint reference, or a task-space one that knows its joints.
        torque: Whether inverse dynamics must stay within the effort limits too.

    Raises:
        BadArgument: With the joint, the time, the value, the limit and what to do.
    """
    if robot is None:
        return
    if isinstance(reference, TaskReference):
        reference = joints_of(reference)
    if reference.n != robot.n:
        raise BadArgument(
            f"The reference moves {reference.n} joints, but robot {printable(robot.name)!r} has "
            f"{robot.n}: {', '.join(map(printable, robot.joint_names))}."
        )
    refuse_outside(robot, reference, ("position", "velocity", *(["torque"] if torque else [])))


def refuse_outside(robot: Robot, reference: Reference, kinds: Sequence[str]) -> None:
    """Refuse a reference that leaves the limits of these kinds, with the first violation."""
    t = _looks(reference)
    q, qd, qdd = reference.sampled(t)
    if q.shape[1] != robot.nq:
        robot.model.need_single_numbers("This reference")
    limits = robot.limits
    first = None
    for kind in kinds:
        match kind:
            case "position":
                values, lower, upper = q, limits.lower, limits.upper
            case "velocity":
                values, lower, upper = qd, -limits.velocity, limits.velocity
            case _:
                values = robot.inverse_dynamics(q, qd, qdd)
                lower, upper = -limits.effort, limits.effort
        low = values < lower - SLACK * np.maximum(1, np.abs(lower))
        high = values > upper + SLACK * np.maximum(1, np.abs(upper))
        outside = np.argwhere(low | high)
        if len(outside) and (first is None or outside[0, 0] < first[0]):
            k, i = outside[0]
            limit = lower[i] if low[k, i] else upper[i]
            over = np.abs(values[:, i]).max() / abs(limit) if limit else np.inf
            first = int(k), int(i), kind, float(values[k, i]), float(limit), float(over)
    if first is not None:
        k, i, kind, value, limit, over = first
        if kind == "position":
            name, unit = robot.model.position_names[i], robot.tree.configuration[i].unit
        else:
            name = robot.joint_names[i]
            unit = getattr(limits.units[i], "effort" if kind == "torque" else kind)
        raise BadArgument(
            f"The reference leaves the limits of joint {printable(name)!r} of "
            f"{printable(robot.name)!r} at t = {t[k]:.6g} s: its {kind} would be {value:.6g} "
            f"{unit}, its limit is {limit:.6g}.\n  {_remedy(kind, over)}"
        )


def joints_of(reference: TaskReference) -> Reference:
    """Return the joint reference behind a task-space one."""
    joints = getattr(reference, "joints", None)
    if not isinstance(joints, Reference):
        raise BadArgument(
            f"A {type(reference).__name__} does not know its joints, so limits cannot be checked; "
            "give a joint reference, a CartesianLine or a CartesianArc."
        )
    return joints


def _looks(reference: Reference) -> np.ndarray:
    """Return the instants at which a reference is looked at."""
    if np.isfinite(reference.duration):
        end = reference.duration
    else:
        end = reference.period or 0.0
    breaks = reference.breaks
    # both sides of a jump
    even = np.linspace(0, end, LOOKS)
    return np.unique(np.concatenate([even, breaks, np.nextafter(breaks, -np.inf)]).clip(0, end))


def _remedy(kind: str, over: float) -> str:
    match kind:
        case "position":
            return "Choose points within the limits, or a path that does not leave them."
        case "velocity":
            return f"Make it slower: at least {over:.3g} times the duration."
        case _:
            return (
                "Make it slower, or follow the same path with time_optimal, which keeps to the "
                "torques; if it cannot be held at rest either, it needs a stronger motor."
            )


def limit_of(name: str, given: Any, n: int) -> np.ndarray:
    """Return a limit of each of n joints: positive, infinite where there is none."""
    return spread(name, given, n, "a positive number", above=0, finite=False)
