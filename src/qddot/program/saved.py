"""Programs as JSON: every number exact, and nothing that is read is trusted.

Format 1 is one straight line. Format 2 has calls: the programs called stand in a list, each after
those that it calls itself, so that none can call itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qddot.program.calls import BlockCall, CallResult
from qddot.program.operations import OPERATIONS, Operation, Step
from qddot.program.ports import Port

if TYPE_CHECKING:
    from qddot.program.program import Program

STRAIGHT, WITH_CALLS = 1, 2  # formats


def written(program: Program) -> str:
    """Return a program as text."""
    places = {block.digest: k for k, block in enumerate(program.blocks)}
    data: dict[str, Any] = {"format": WITH_CALLS if places else STRAIGHT}
    data |= _data(program, places)
    if places:
        data["blocks"] = [_data(block, places) for block in program.blocks]
    return json.dumps(data, separators=(",", ":"))


def _data(program: Program, places: dict[str, int]) -> dict[str, Any]:
    def word(op: Operation) -> list[Any]:
        if isinstance(op, BlockCall):
            return ["call", places[op.block.digest]]
        return ["part", op.index] if isinstance(op, CallResult) else [op.name]

    return {
        "name": program.name,
        "inputs": [[p.name, list(p.shape)] for p in program.inputs],
        "constants": [c.hex() for c in program.constants],
        "steps": [[*word(step.op), *step.args] for step in program.steps],
        "outputs": [[p.name, list(p.shape)] for p in program.outputs],
        "results": list(program.results),
    }


def read(text: str | bytes, kind: type[Program]) -> Program:
    """Return the program of a text; any error that Python has for wrong data where it is none."""
    data = json.loads(text)
    if data["format"] not in (STRAIGHT, WITH_CALLS):
        raise ValueError("format")
    calls: list[BlockCall] = []
    for each in data["blocks"] if data["format"] == WITH_CALLS else ():
        calls.append(BlockCall.of(_read(each, calls, kind)))
    return _read(data, calls, kind)


def _read(data: dict[str, Any], calls: Sequence[BlockCall], kind: type[Program]) -> Program:
    """Return a program that may call what stands before it."""

    def step(name: str, *numbers: int) -> Step:
        k, *args = numbers if name in ("call", "part") else (0, *numbers)
        if k < 0:
            raise ValueError(name)
        made = {"call": lambda: calls[k], "part": lambda: CallResult.of(int(k))}
        op = made[name]() if name in made else OPERATIONS[name]
        return Step(op, tuple(int(i) for i in args))

    program = kind(
        str(data["name"]),
        tuple(Port(str(n), tuple(int(k) for k in s)) for n, s in data["inputs"]),
        tuple(float.fromhex(c) for c in data["constants"]),
        tuple(step(*words) for words in data["steps"]),
        tuple(Port(str(n), tuple(int(k) for k in s)) for n, s in data["outputs"]),
        tuple(int(i) for i in data["results"]),
    )
    program.check()
    return program
