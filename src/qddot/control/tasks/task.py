"""What every task has: an error, a Jacobian, a weight, a level, and a target.

A task asks for joint velocities that follow its target, which moves at ẋ_d, and that bring its
error down:

    J(q) q̇ = ẋ_d + k e(q)

`TaskVelocity` finds the joint velocities for several tasks at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from qddot.checks import one_of, positive, spread, whole
from qddot.errors import BadArgument, listing, printable, shorten
from qddot.motions.setpoint import reference_of, stays
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

XYZ = ("x", "y", "z")
TOLD = "told"
TaskRows = tuple[Any, Any, Any]  # e, J and ẋ_d of a task, weighted: (m,), (m, n), (m,)


@dataclass(frozen=True, eq=False, kw_only=True)
class VelocityTask(ABC):
    """What every task has.

    Args:
        gain: k: an error falls like exp(−k t) [1/s].
        weight: By which e and J are multiplied: a number, or one for each entry; 0 is free.
        level: Tasks of a level leave those of lower levels undisturbed.
        target: Where to be, a place or a motion; "told": at every call.
        name: What the target is called at a call.
    """

    gain: float = 5.0
    weight: Any = 1.0
    level: int = 0
    target: Any = TOLD
    name: str = ""
    robot: Any = field(default=None, init=False, repr=False)  # whose task it is, after `of`

    may_be_singular: ClassVar[bool] = True  # its Jacobian, at some positions

    def of(self, robot: Robot) -> VelocityTask:
        """Return the task of a robot, checked."""
        name = self.name or self.usual_name
        if not isinstance(name, str) or not (name.isidentifier() and name.isascii()):
            raise BadArgument(
                f"A task is called {printable(shorten(repr(name)))}, and its target is told by "
                "that name; give it one of letters, digits and _: name='hand'."
            )
        what = f"of task {name!r}"
        positive(f"gain {what}", self.gain, "1/s")
        whole(f"level {what}", self.level)
        robot.model.need_single_numbers("A task of joint velocities")
        found = replace(self, name=name)
        object.__setattr__(found, "robot", robot)
        weight = spread(f"weight {what}", self.weight, found.parts, "a weight", least=0)
        if not weight.any():
            raise BadArgument(
                f"weight {what} is 0: it asks for nothing. Leave the task out, or give a positive "
                "weight."
            )
        object.__setattr__(found, "weight", weight)
        if isinstance(self.target, str):
            one_of(f"target {what}", self.target, (TOLD,))
        else:
            object.__setattr__(found, "target", found.aim(self.target))
        return found

    @property
    @abstractmethod
    def usual_name(self) -> str:
        """Its name, where none is given."""

    @property
    @abstractmethod
    def parts(self) -> tuple[str, ...]:
        """What its entries are."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of its target."""

    @property
    @abstractmethod
    def meaning(self) -> str:
        """What its target is, in words."""

    @abstractmethod
    def rows(self, q: JointVec, target: Any, velocity: Any) -> TaskRows:
        """Return e, J and ẋ_d, weighted, over any scalar."""

    def aim(self, target: Any) -> Any:
        """Return the motion behind a target, or behind a place that stays."""
        return reference_of(target, self.parts, f"target of task {self.name!r}")

    def at(self, t: Scalar) -> tuple[Any, Any]:
        """Return where a target that is not told is, and its velocity, over any scalar."""
        place, velocity, _ = self.target.at(t)
        return place, velocity

    @property
    def told(self) -> bool:
        """Whether its target is told at every call."""
        return isinstance(self.target, str)

    @property
    def moves(self) -> bool:
        """Whether its target is a function of time."""
        return callable(getattr(self.target, "at", None)) and not stays(self.target)

    @property
    def velocities(self) -> int:
        """How many numbers the velocity of its target has."""
        return len(self.parts)

    @property
    def row_names(self) -> tuple[str, ...]:
        """What the rows are: those of its entries that count."""
        pairs = zip(self.parts, self.weight, strict=True)
        return tuple(f"{self.name} {part}" for part, weight in pairs if weight)


def tasks_of(robot: Robot, tasks: Any) -> tuple[VelocityTask, ...]:
    """Return the tasks of a robot, checked, the lowest level first."""
    given = list(tasks) if isinstance(tasks, (list, tuple)) else [tasks]
    if not given:
        raise BadArgument("There is no task; give at least one, like FrameTask('tool').")
    for each in given:
        if not isinstance(each, VelocityTask):
            raise BadArgument(
                f"{shorten(repr(each))} is no task; give FrameTask, ComTask or PostureTask."
            )
    found = [each.of(robot) for each in given]
    names = [each.name for each in found]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise BadArgument(
            f"Two tasks are called {double!r}, of {listing(names)}; give one of them another name: "
            "name='hand'."
        )
    return tuple(sorted(found, key=lambda each: each.level))
