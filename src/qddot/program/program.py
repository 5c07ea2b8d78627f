"""A program: inputs, a straight line of operations, outputs. Plain data that can be saved.

Values are numbered: first the inputs, entry by entry, then the constants, then the result of each
operation in turn. An operation refers to values with smaller numbers only.

A loop is data too: programs that take a state to the next one, and what is kept of a state. Nothing
here says how or where the loop runs; a backend lowers it. The programs of a step all take the same,
in this order:

    state      what changes from step to step
    constants  what a trajectory keeps for good: its parameters, its controller's inputs
    given      what it is given anew for each step
    t, h       the time at which the step starts, and how long it is
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from qddot.errors import BadFile, printable
from qddot.program.operations import OPERATIONS, Operation
from qddot.program.ports import Port, batch_of, check_count, split
from qddot.results import in_notebook
from qddot.saving import write_whole
from qddot.scalars import Scalar

FORMAT = 1


class Step(NamedTuple):
    """One operation on earlier values."""

    op: Operation
    args: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Program:
    """A straight-line program over scalars."""

    name: str
    inputs: tuple[Port, ...]
    constants: tuple[float, ...]
    steps: tuple[Step, ...]
    outputs: tuple[Port, ...]
    results: tuple[int, ...]  # the values of the outputs, entry by entry

    @cached_property
    def input_size(self) -> int:
        """How many numbers go in."""
        return sum(port.size for port in self.inputs)

    @property
    def first_step(self) -> int:
        """The number of the first step's value."""
        return self.input_size + len(self.constants)

    def counts(self) -> Counter[str]:
        """Return how many operations of each kind there are."""
        return Counter(step.op.name for step in self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __call__(self, *arrays: Any) -> Any:
        """Return the outputs, over whatever kind of number the arrays hold.

        Batches run too, along leading axes; the compiled kernels are what is fast.
        """
        check_count(self.name, self.inputs, arrays)
        boxed = [np.asarray(array, dtype=object) for array in arrays]
        batch = batch_of(self.inputs, [array.shape for array in boxed])
        given: list[Scalar] = []
        for port, array, box in zip(self.inputs, arrays, boxed, strict=True):
            given += _entries(port, array if box.ndim > len(port.shape) else box)
        return self.pack(self.results_at(given), batch)

    def values_at(self, entries: Iterable[Scalar]) -> list[Scalar]:
        """Return every value, from the entries of the inputs, numbers of any kind."""
        values = [*entries, *self.constants]
        for step in self.steps:
            values.append(step.op.apply(*[values[i] for i in step.args]))
        return values

    def results_at(self, entries: Iterable[Scalar]) -> list[Scalar]:
        """Return the entries of the outputs, from those of the inputs, numbers of any kind."""
        values = self.values_at(entries)
        return [values[i] for i in self.results]

    def named(self, entries: Sequence[Scalar], batch: tuple[int, ...] = ()) -> dict[str, Any]:
        """Return the outputs by name, as arrays of their shapes, from their entries."""
        arrays: dict[str, Any] = {}
        for port, part in split(self.outputs, entries):
            if batch:
                whole = [np.broadcast_to(entry, batch) for entry in part]
                rows = np.stack(whole, axis=-1) if whole else np.empty((*batch, 0))
                arrays[port.name] = rows.reshape(batch + port.shape)
            else:
                arrays[port.name] = np.array(part).reshape(port.shape) if port.shape else part[0]
        return arrays

    def pack(self, entries: Sequence[Scalar], batch: tuple[int, ...] = ()) -> Any:
        """Return the outputs as arrays of their shapes: one alone, several as a tuple."""
        arrays = tuple(self.named(entries, batch).values())
        return arrays[0] if len(arrays) == 1 else arrays

    def __str__(self) -> str:
        names = [f"{p.name}[{i}]" for p in self.inputs for i in range(p.size)]
        names += [repr(c) for c in self.constants]
        lines = []
        for number, step in enumerate(self.steps):
            names.append(f"t{number}")
            lines.append(f"t{number} = {step.op.name}({', '.join(names[i] for i in step.args)})")
        ends = [f"{p.name}[{i}]" for p in self.outputs for i in range(p.size)]
        lines += [f"{end} = {names[i]}" for end, i in zip(ends, self.results, strict=True)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return it in a line; `print` lists every operation."""
        kinds = ", ".join(f"{count} {name}" for name, count in self.counts().most_common(8))
        inputs, outputs = (", ".join(map(str, some)) for some in (self.inputs, self.outputs))
        return (
            f"<Program {printable(self.name)}: {inputs} → {outputs}; {len(self):,} operations"
            f"{f' ({kinds})' if kinds else ''}>"
        )

    _repr_html_ = in_notebook("robots.program_html")

    # saving

    def to_json(self) -> str:
        """Return the program as text that `from_json` reads back exactly."""
        return json.dumps(
            {
                "format": FORMAT,
                "name": self.name,
                "inputs": [[p.name, list(p.shape)] for p in self.inputs],
                "constants": [c.hex() for c in self.constants],
                "steps": [[step.op.name, *step.args] for step in self.steps],
                "outputs": [[p.name, list(p.shape)] for p in self.outputs],
                "results": list(self.results),
            },
            separators=(",", ":"),
        )

    @staticmethod
    def from_json(text: str | bytes, path: object = "program") -> Program:
        """Return the program that `to_json` wrote, checked."""
        try:
            data = json.loads(text)
            if data["format"] != FORMAT:
                raise ValueError("format")
            program = Program(
                str(data["name"]),
                tuple(Port(str(n), tuple(int(k) for k in s)) for n, s in data["inputs"]),
                tuple(float.fromhex(c) for c in data["constants"]),
                tuple(Step(OPERATIONS[n], tuple(int(i) for i in a)) for n, *a in data["steps"]),
                tuple(Port(str(n), tuple(int(k) for k in s)) for n, s in data["outputs"]),
                tuple(int(i) for i in data["results"]),
            )
            program.check()
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            why = f"it is not a saved program ({type(error).__name__})"
            raise BadFile(path, why, "Save it again with program.save(path).") from None
        return program

    def save(self, path: str | Path) -> None:
        """Write the program to a file."""
        write_whole(path, self.to_json())

    @staticmethod
    def load(path: str | Path) -> Program:
        """Return the program in a file that `save` wrote."""
        return Program.from_json(Path(path).read_bytes(), path)

    def check(self) -> None:
        """Raise ValueError unless every reference points backwards and every size fits."""
        if not self.outputs or any(k < 0 for p in self.inputs + self.outputs for k in p.shape):
            raise ValueError("shapes")
        for number, step in enumerate(self.steps, self.first_step):
            if len(step.args) != step.op.arity or not all(0 <= i < number for i in step.args):
                raise ValueError(f"step {number}")
        last = self.first_step + len(self.steps)
        if len(self.results) != sum(p.size for p in self.outputs):
            raise ValueError("results")
        if not all(0 <= i < last for i in self.results):
            raise ValueError("results")

    @cached_property
    def digest(self) -> str:
        """A name for exactly this program, made of its content."""
        out = io.StringIO()
        out.write(repr((self.inputs, self.outputs, self.results)))
        out.write(" ".join(c.hex() for c in self.constants))
        for step in self.steps:
            out.write(f"{step.op.name}{step.args}")
        return sha256(out.getvalue().encode()).hexdigest()


def flat(arrays: Iterable[Any]) -> list[Scalar]:
    """Return the entries of arrays and scalars, one after the other."""
    return [x for array in arrays for x in np.asarray(array, dtype=object).reshape(-1)]


def _entries(port: Port, array: Any) -> list[Scalar]:
    """Return what an input holds, entry by entry; of a batch, each entry is an array."""
    array = np.asarray(array)
    lead = array.shape[: array.ndim - len(port.shape)]
    return list(np.moveaxis(array.reshape(*lead, port.size), -1, 0))


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
