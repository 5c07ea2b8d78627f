"""What is being recorded: constants and operations, each kept once."""

from __future__ import annotations

from typing import Any

from qddot.program.operations import Operation
from qddot.program.program import Port, Program, Step


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
        key = (op.name, *(sorted(args) if op.commutes else args))
        if key not in self.seen:
            self.steps.append(Step(op, args))
            self.seen[key] = self.inputs + len(self.steps) - 1
        return self.seen[key]

    def program(
        self, name: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], results: list[int]
    ) -> Program:
        """Return the program, with the constants moved to its front."""
        constants = [k for k, step in enumerate(self.steps) if not isinstance(step, Step)]
        operations = [k for k, step in enumerate(self.steps) if isinstance(step, Step)]
        place = {k: self.inputs + i for i, k in enumerate([*constants, *operations])}

        def moved(i: int) -> int:
            return i if i < self.inputs else place[i - self.inputs]

        return Program(
            name,
            inputs,
            tuple(self.steps[k] for k in constants),  # type: ignore[arg-type]  # those that are no Step
            tuple(
                Step(step.op, tuple(moved(i) for i in step.args))
                for step in self.steps
                if isinstance(step, Step)
            ),
            outputs,
            tuple(moved(i) for i in results),
        )
