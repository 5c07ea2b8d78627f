"""Transformations of programs: pure functions from a program to an equal one."""

from __future__ import annotations

from dataclasses import replace

from qddot.program.program import Program, Step


def without_dead_code(program: Program) -> Program:
    """Return the program without operations and constants that no output needs."""
    first = program.first_step
    needed = [False] * (first + len(program.steps))
    for i in program.results:
        needed[i] = True
    for number in range(len(program.steps) - 1, -1, -1):
        if needed[first + number]:
            for i in program.steps[number].args:
                needed[i] = True
    inputs = program.input_size
    kept = [*range(inputs), *(i for i in range(inputs, len(needed)) if needed[i])]
    place = {old: new for new, old in enumerate(kept)}
    return replace(
        program,
        constants=tuple(c for i, c in enumerate(program.constants, inputs) if needed[i]),
        steps=tuple(
            Step(step.op, tuple([place[i] for i in step.args]))
            for i, step in enumerate(program.steps, first)
            if needed[i]
        ),
        results=tuple(place[i] for i in program.results),
    )
