"""What a report is about: one robot, and what several sections need of it, made once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from qddot.errors import BadArgument, NotNumeric, QddotError, printable
from qddot.robot import Robot

if TYPE_CHECKING:
    from qddot.equations.equations import Equations
    from qddot.present.report.live import Live
    from qddot.simulation.trajectory import Trajectory

OWN_FILE = "robot.toml"  # what readers are told to save the robot as, where nobody else has it


@dataclass(frozen=True)
class Subject:
    """A robot, and how it is written about."""

    robot: Robot
    source: str = ""  # what to type to get it: a built-in name or a file; nothing if neither
    seconds: float = 60.0  # for the whole report, about
    motion: Trajectory | None = None  # what to show instead of a drop

    @property
    def typed(self) -> str:
        """What stands for the robot in commands and in Python."""
        return self.source or OWN_FILE

    @cached_property
    def equations(self) -> Equations:
        """The closed form; raises TooLarge where nobody could read it."""
        from qddot.equations.deriving import derive

        return derive(self.robot, "recursive")  # the same by every formulation, this way soonest

    @cached_property
    def live(self) -> Live | None:
        """What the page computes by itself; nothing where the robot cannot be drawn."""
        from qddot.present.report.live import live_of

        if self.robot.symbols or not self.robot.n:
            return None
        try:
            return live_of(self.robot)
        except (QddotError, ArithmeticError, ValueError):  # of NumPy's linear algebra, too
            return None

    def needs_numbers(self) -> None:
        """Raise unless every parameter is a number and some joint moves."""
        if self.robot.symbols:
            raise NotNumeric(f"Robot {printable(self.robot.name)!r}", self.robot.symbols)
        self.needs_joints()

    def needs_joints(self) -> None:
        """Raise unless some joint moves."""
        if not self.robot.n:
            raise BadArgument(f"Robot {printable(self.robot.name)!r} has no joint that moves.")
