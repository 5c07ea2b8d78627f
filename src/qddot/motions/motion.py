"""What a motion is, where an arm or a point of it is to be at every instant, and if the arm can.

Written over any scalar, so that a controller records the motion it follows along with itself.
Before t = 0 it stays at its start, after its duration at its end, at rest; a periodic one goes on
for ever. Where a derivative jumps, the side after the jump.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import numbers, refused, spread
from qddot.errors import BadArgument, WrongValue, printable
from qddot.program import Program, record
from qddot.program.recorder import RecordedArray
from qddot.results import in_notebook
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar, Vec3

Triple = tuple[JointVec, JointVec, JointVec]  # position, velocity, acceleration
LOOKS = 4000  # how many instants are looked at for limits, besides the breaks
SLACK = 1e-9  # relative: a limit that is touched is kept


class Timed(ABC):
    """Three arrays over time: a position, its velocity, its acceleration."""

    duration: float  # [s], infinite where it has no end

    @abstractmethod
    def at(self, t: Scalar) -> Triple:
        """Return position, velocity and acceleration at an instant [s], a scalar of any kind."""

    @cached_property
    def program(self) -> Program:
        """The program from t to position, velocity and acceleration."""
        return program_of(self, type(self).__name__.lower())

    @cached_property
    def _kernel(self) -> Kernel:
        return Kernel(self.program)

    def sampled(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return position, velocity and acceleration at many instants, a row each."""
        wanted = "instants in an array of shape (k,)"
        instants = numbers("t", t, wanted, finite=False)
        if instants.ndim != 1:
            raise refused("t", t, wanted)
        return self._sampled(instants)

    def _sampled(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._kernel.general(t)

    def __getstate__(self) -> dict[str, Any]:
        """What is compiled stays behind when a reference is copied or sent to another process."""
        return {key: x for key, x in self.__dict__.items() if key not in ("program", "_kernel")}

    @property
    def period(self) -> float | None:
        """After which it repeats itself [s]; None where it does not."""
        return None

    @property
    def breaks(self) -> np.ndarray:
        """The instants at which a derivative may jump [s]."""
        return np.array([0.0, self.duration] if np.isfinite(self.duration) else [0.0])

    _repr_html_ = in_notebook("control.reference_html")


class Reference(Timed):
    """Where n joints should be: `at(t)` gives q, q̇ and q̈, of shape (n,) each."""

    n: int


class TaskReference(Timed):
    """Where the origin of a frame should be, in base axes: `at(t)` gives x, ẋ and ẍ of shape (3,).

    The orientation of the frame is not part of it.
    """

    frame: str

    @abstractmethod
    def at(self, t: Scalar) -> tuple[Vec3, Vec3, Vec3]:
        """Return position [m], velocity and acceleration at an instant [s]."""


def program_of(reference: Any, name: str) -> Program:
    """Return the program from t to position, velocity and acceleration of what has `at(t)`."""

    def motion(t: Scalar) -> dict[str, JointVec]:
        return dict(zip(("position", "velocity", "acceleration"), reference.at(t), strict=True))

    return record(motion, name, t=())


def vector(name: str, given: Any) -> np.ndarray:
    """Return finite numbers of shape (n,), n at least 1; inputs of a program pass as they are."""
    if isinstance(given, RecordedArray):
        return given
    array = numbers(name, given, "numbers, one for each joint")
    if array.ndim != 1 or not len(array):
        wanted = "it must have shape (n,), one number per joint"
        raise WrongValue(name, f"has shape {array.shape}", wanted)
    return array


def keep(owner: Any, **fields: Any) -> None:
    """Set fields of a frozen object while it is being made; its arrays become read-only."""
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            value = value.view()
            value.flags.writeable = False
        object.__setattr__(owner, name, value)


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
            "give a joint reference, a CartesianLine, a CartesianArc or a CartesianScrew."
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
