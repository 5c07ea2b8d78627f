"""Programs that call programs: a block is recorded, differentiated and compiled once, called often.

    turned = record_block(lambda angle, x: rotation(angle) @ x, angle=(), x=(3,))
    program = record(lambda q, x: turned(q[1], turned(q[0], x)), q=(2,), x=(3,))

What is recorded without a block is a straight line, in which constants and zeros of each use are
folded; that runs faster where it is not too long. A block costs its arguments and results, which
pass through memory, and saves the time to make and to compile every use anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.program.calls import BlockCall, CallResult
from qddot.program.operations import Operation, Step
from qddot.program.ports import check_count, split, wrong_shape
from qddot.program.program import Program, flat
from qddot.program.recorder import array_of, record
from qddot.program.tape import Tape


@dataclass(frozen=True)
class Block:
    """A program that other recorded functions call; on numbers it is the program."""

    program: Program

    def __call__(self, *arrays: Any) -> Any:
        program = self.program
        entries = flat(arrays)
        if not any(hasattr(x, "tape") for x in entries):
            return program(*arrays)
        check_count(program.name, program.inputs, arrays)
        for port, array in zip(program.inputs, arrays, strict=True):
            if np.shape(np.asarray(array, dtype=object)) != port.shape:
                raise wrong_shape(port, np.shape(np.asarray(array, dtype=object)))
        results = BlockCall.of(program).apply(*entries)
        outputs = [
            array_of([results[k] for k in numbers]).reshape(port.shape)
            if port.shape
            else results[numbers[0]]
            for port, numbers in split(program.outputs, range(len(program.results)))
        ]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


def record_block(function: Callable[..., Any], name: str = "", /, **shapes: Any) -> Block:
    """Return a function as a block, recorded as `record` does it.

    Inside another recorded function it takes and gives arrays of exactly its shapes; several
    outputs come as a tuple.
    """
    return Block(record(function, name, **shapes))


def inlined(program: Program) -> Program:
    """Return the same program as one straight line: every call replaced by what it does."""
    if not program.blocks:
        return program
    tape = Tape(program.input_size)

    def results(of: Program, inputs: Sequence[int]) -> list[int]:
        values: list[Any] = [*inputs, *map(tape.constant, of.constants)]
        for op, args in of.steps:
            if isinstance(op, BlockCall):
                values.append(results(op.block, [values[i] for i in args]))
            elif isinstance(op, CallResult):
                values.append(values[args[0]][op.index])
            else:
                values.append(tape.step(op, *(values[i] for i in args)))
        return [values[i] for i in of.results]

    found = results(program, range(program.input_size))
    return tape.program(program.name, program.inputs, program.outputs, found)


def with_blocks(program: Program, better: Callable[[Program], Program]) -> Program:
    """Return a program whose calls are those of better blocks, without results nobody takes."""
    if not program.blocks:
        return program
    calls = {i: s.op for i, s in enumerate(program.steps, program.first_step) if _is_call(s)}
    taken: dict[Operation, set[int]] = {call: set() for call in calls.values()}
    for op, args in program.steps:
        if isinstance(op, CallResult):
            taken[calls[args[0]]].add(op.index)
    new: dict[Operation, Operation] = {}
    places: dict[Operation, dict[int, int]] = {}
    for call in program.calls:
        some = sorted(taken[call])
        new[call] = BlockCall.of(better(_narrowed(call.block, some)))
        places[call] = {old: at for at, old in enumerate(some)}

    def changed(op: Operation, args: tuple[int, ...]) -> Step:
        if isinstance(op, CallResult):
            return Step(CallResult.of(places[calls[args[0]]][op.index]), args)
        return Step(new.get(op, op) if isinstance(op, BlockCall) else op, args)

    return replace(program, steps=tuple(changed(*step) for step in program.steps))


def _is_call(step: Step) -> bool:
    return isinstance(step.op, BlockCall)


def _narrowed(block: Program, some: list[int]) -> Program:
    """Return a block that gives some of its results, as one array."""
    if len(some) == len(block.results) or not some:
        return block
    results = tuple(block.results[k] for k in some)
    port = replace(block.outputs[0], name="some", shape=(len(some),))
    return replace(block, outputs=(port,), results=results)
