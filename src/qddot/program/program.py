"""A program: inputs, a straight line of operations, outputs. Plain data that can be saved.

Values are numbered: first the inputs, entry by entry, then the constants, then the result of each
operation in turn. An operation refers to values with smaller numbers only. It may be a call of
another program (`calls.py`), whose value is all its results; a part takes one of them.

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
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadFile, printable
from qddot.program.calls import DEEPEST, BlockCall, CallResult
from qddot.program.operations import Step
from qddot.program.ports import Port, batch_of, check_count, split
from qddot.program.saved import read, written
from qddot.results import in_notebook
from qddot.saving import write_whole
from qddot.scalars import Scalar

MOST_OPERATIONS = 100_000_000  # of a program with calls: few lines may be very many operations


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

    @cached_property
    def blocks(self) -> tuple[Program, ...]:
        """The programs that it calls, and those that they call, each after those it calls."""
        found: dict[str, Program] = {}
        for call in self.calls:
            for block in (*call.block.blocks, call.block):
                found.setdefault(block.digest, block)
        return tuple(found.values())

    @cached_property
    def calls(self) -> Counter[BlockCall]:
        """The calls that it makes itself, and how often it makes each."""
        return Counter(step.op for step in self.steps if isinstance(step.op, BlockCall))

    @cached_property
    def depth(self) -> int:
        """How many calls there are within each other."""
        return max((call.block.depth + 1 for call in self.calls), default=0)

    @cached_property
    def operations(self) -> int:
        """How many operations run, those of programs called among them."""
        own = sum(not isinstance(step.op, (BlockCall, CallResult)) for step in self.steps)
        return own + sum(call.block.operations * count for call, count in self.calls.items())

    def counts(self) -> Counter[str]:
        """Return how many operations of each kind run, those of programs called among them."""
        found: Counter[str] = Counter()
        for op, count in self.calls.items():
            found.update({name: n * count for name, n in op.block.counts().items()})
        found.update(s.op.name for s in self.steps if not isinstance(s.op, (BlockCall, CallResult)))
        return found

    def __len__(self) -> int:
        return self.operations

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
            what = step.op.name[: len("call 12345678")]
            lines.append(f"t{number} = {what}({', '.join(names[i] for i in step.args)})")
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
        return written(self)

    @staticmethod
    def from_json(text: str | bytes, path: object = "program") -> Program:
        """Return the program that `to_json` wrote, checked."""
        try:
            return read(text, Program)
        except (LookupError, ValueError, TypeError, OverflowError, RecursionError) as error:
            why = f"it is not a saved program ({type(error).__name__})"
            raise BadFile(path, why, "Save it again with program.save(path).") from None

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
        calls: dict[int, int] = {}  # how many results each has
        for number, step in enumerate(self.steps, self.first_step):
            if len(step.args) != step.op.arity or not all(0 <= i < number for i in step.args):
                raise ValueError(f"step {number}")
            if isinstance(step.op, CallResult):  # of a call, and nothing else is
                if not 0 <= step.op.index < calls.get(step.args[0], 0):
                    raise ValueError(f"step {number}")
            elif not calls.keys().isdisjoint(step.args):
                raise ValueError(f"step {number}")
            if isinstance(step.op, BlockCall):
                calls[number] = len(step.op.block.results)
        last = self.first_step + len(self.steps)
        if len(self.results) != sum(p.size for p in self.outputs):
            raise ValueError("results")
        if not all(0 <= i < last and i not in calls for i in self.results):
            raise ValueError("results")
        if self.depth > DEEPEST or (self.depth and self.operations > MOST_OPERATIONS):
            raise ValueError("calls")

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
