"""What is being recorded: constants and operations, each kept once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from qddot.program.operations import Operation
from qddot.program.program import Port, Program, Step


@contextmanager
def collector_off() -> Iterator[None]:
    """Let Python's garbage collector rest while very many small things are made that all stay.

    Looking through them again and again takes a third of the time of recording.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Tape:
    """What has been recorded so far; equal operations are recorded once."""

    def __init__(self, inputs: int):
        self.inputs = inputs
        self.steps: list[Step | float] = []  # a float is a constant
        self.seen: dict[Any, int] = {}

    def constant(self, value: float) -> int:
        key = ("constant", float(value).hex())
        if key not in self.seen:
            self.steps.append(float(value))
            self.seen[key] = self.inputs + len(self.steps) - 1
        return self.seen[key]

    def step(self, op: Operation, *args: int) -> int:
        swapped = op.commutes and args[0] > args[1]
        key = (op.name, *(args[::-1] if swapped else args))
        number = self.seen.get(key)
        if number is None:
            self.seen[key] = number = self.inputs + len(self.steps)
            self.steps.append(Step(op, args))
        return number

    def program(
        self, name: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], results: list[int]
    ) -> Program:
        """Return what the results need as a program, the constants in its front."""
        needed = [False] * (self.inputs + len(self.steps))
        for i in results:
            needed[i] = True
        for i in range(len(needed) - 1, self.inputs - 1, -1):
            step = self.steps[i - self.inputs]
            if needed[i] and isinstance(step, Step):
                for j in step.args:
                    needed[j] = True
        kept = [(i, step) for i, step in enumerate(self.steps, self.inputs) if needed[i]]
        constants = [(i, value) for i, value in kept if not isinstance(value, Step)]
        steps = [(i, step) for i, step in kept if isinstance(step, Step)]
        place = list(range(len(needed)))
        for new, (old, _) in enumerate([*constants, *steps], self.inputs):
            place[old] = new
        return Program(
            name,
            inputs,
            tuple([value for _, value in constants]),
            tuple([Step(step.op, tuple([place[i] for i in step.args])) for _, step in steps]),
            outputs,
            tuple([place[i] for i in results]),
        )
