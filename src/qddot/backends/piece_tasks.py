"""What a long program is emitted as: its tasks in order, and where to cut between them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from qddot.program.calls import BlockCall, CallResult
from qddot.program.operations import Operation
from qddot.program.program import Program


class PieceTask(NamedTuple):
    """Something to emit: an operation, or the storing of results that leave together."""

    args: tuple[int, ...]
    operation: Operation | None = None
    numbers: tuple[int, ...] = ()  # of the values that it gives: of a call, one for each part
    parts: tuple[int, ...] = ()  # of a call, which of its results those are
    results: Sequence[int] = ()  # the entries of the results that are stored


def tasks_of(program: Program, together: Iterable[Sequence[int]]) -> list[PieceTask]:
    """Return the operations of a program, results stored as soon as those beside them are known."""
    first = program.first_step
    ready: dict[int, list[PieceTask]] = {}
    for entries in together:
        args = tuple(program.results[k] for k in entries)
        ready.setdefault(max(first, *args), []).append(PieceTask(args, results=entries))
    other = {"sin": "cos", "cos": "sin"}
    steps = list(enumerate(program.steps, first))
    angles = {(s.op.name, s.args[0]): i for i, s in steps if s.op.name in other}
    parts: dict[int, dict[int, int]] = {}  # of a call, the numbers of its results and their values
    for number, step in steps:
        if isinstance(step.op, CallResult):
            parts.setdefault(step.args[0], {})[step.op.index] = number
    tasks: list[PieceTask] = []
    done: set[int] = set()

    def emit(number: int) -> None:
        op, args = program.steps[number - first]
        if number in done or isinstance(op, CallResult):
            return
        done.add(number)
        taken = parts.get(number, {})
        numbers = tuple(taken.values()) if isinstance(op, BlockCall) else (number,)
        tasks.append(PieceTask(args, op, numbers, parts=tuple(taken)))

    for number, step in steps:
        emit(number)
        if step.op.name in other:  # they are made together
            emit(angles.get((other[step.op.name], step.args[0]), number))
        tasks += ready.pop(number, ())
    return tasks + [task for late in ready.values() for task in late]


def cuts_of(tasks: Sequence[PieceTask], uses: Mapping[int, Sequence[int]], piece: int) -> list[int]:
    """Return where to cut: the tasks before which the fewest values wait."""
    change = [0] * (len(tasks) + 1)
    made = {number: now for now, task in enumerate(tasks) for number in task.numbers}
    for i, waiting_for in uses.items():
        change[made.get(i, waiting_for[-1]) + 1] += 1
        change[waiting_for[0] + 1] -= 1
    waiting = list(accumulate(change))  # before each task
    # a call is some lines for each of its inputs
    long = [
        5 * len(t.operation.block.inputs) if isinstance(t.operation, BlockCall) else 1
        for t in tasks
    ]
    before = [0, *accumulate(long)]
    cuts: list[int] = []
    start = 0
    while before[-1] - before[start] > 3 * piece // 2 and start + 1 < len(tasks):
        first, last = (bisect_left(before, before[start] + k * piece // 2) for k in (1, 3))
        first = min(max(first, start + 1), len(tasks) - 1)
        # a call may be longer than a piece
        start = min(range(first, max(last, first + 1)), key=waiting.__getitem__)
        cuts.append(start)
    return cuts
