"""A loop as data: programs that take a state to the next one, and what is kept of a state.

Nothing here says how or where the loop runs; a backend lowers it. The programs of a step all take
the same, in this order:

    state      what changes from step to step
    constants  what a trajectory keeps for good: its parameters, its controller's inputs
    given      what it is given anew for each step
    t, h       the time at which the step starts, and how long it is
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from qddot.program.program import Program

INPUTS = ("state", "constants", "given", "t", "h")


@dataclass(frozen=True)
class Stage:
    """A program from a state to a state, run so many times in a row."""

    program: Program
    repeats: int = 1


@dataclass(frozen=True)
class Iteration:
    """What happens in a step, one stage after the other, and what is kept after some steps."""

    name: str
    start: Program  # from what users give, and the constants, to the first state
    stages: tuple[Stage, ...]
    kept: Program  # from state and constants to what is kept, which may be several arrays

    @property
    def sizes(self) -> dict[str, int]:
        """How many numbers each input of the stages holds."""
        return {port.name: port.size for port in self.stages[0].program.inputs}

    def __len__(self) -> int:
        """How many operations a step takes."""
        return sum(len(stage.program) * stage.repeats for stage in self.stages)

    @cached_property
    def digest(self) -> str:
        """A name for exactly this loop, made of its content."""
        parts = [f"{stage.program.digest} {stage.repeats}" for stage in self.stages]
        parts += [self.start.digest, self.kept.digest]
        return sha256(" ".join(parts).encode()).hexdigest()
