"""Long programs in pieces: functions of their own, which hand values over on the stack.

A compiler that looks at a function as a whole takes longer for an operation the more of them there
are, most of it for finding registers. Here a long program is cut where few values wait, and which
values are in registers is decided before (`registers.py`). So compiling takes time in proportion
to the program, and what it gives runs up to 1.2 times faster.

A program that is called is a function of one pointer to each of its inputs. What lies side by side
on the frame is handed over where it is: results of calls, as a rule. Constants are handed over as
numbers, not as vectors.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from qddot.backends.ir import Emitter, Lanes, operations
from qddot.backends.registers import Border, Registers, ResultChunk
from qddot.backends.rows import gather_by_table
from qddot.errors import BadArgument
from qddot.program.calls import BlockCall, CallResult
from qddot.program.operations import Operation
from qddot.program.ports import split
from qddot.program.program import Program
from qddot.program.tape import collector_off

# operations, in lanes and for one state: shorter programs run as fast as the compiler has them
LONG = {True: 2_000, False: 4_000}
PIECE = 3_000  # operations, more or less
PIECE_OF_A_BLOCK = 1_000  # which are fewer, so that compiling them counts
LARGEST_FRAME = 6_000_000  # [bytes]: threads have a stack of 8 MB
MANY = 8  # chunks of results that are stored by a loop


def is_long(program: Program, lanes: Lanes) -> bool:
    """Return whether a program is better off in pieces; one with calls has some already."""
    return bool(program.blocks) or len(program) > LONG[lanes.count > 1]


def emit_in_pieces(
    out: Emitter,
    program: Program,
    border: Callable[[], Border],
    together: Iterable[Sequence[int]],
    piece: int = 0,
) -> None:
    """Emit calls of pieces of a program, and the pieces, of so many operations, more or less.

    The first lines of `out` belong to the entry of their function. `border` makes the border of a
    piece; `together` are the entries of the results, those together that are stored at once.
    """
    with collector_off():
        tasks = tasks_of(program, together)
        _emit_tasks_in_pieces(out, program, border, tasks, piece or PIECE)


def _emit_tasks_in_pieces(
    out: Emitter,
    program: Program,
    border: Callable[[], Border],
    tasks: Sequence[PieceTask],
    piece: int,
) -> None:
    frame = f"%frame{out.fresh}"
    known = dict(enumerate(program.constants, program.input_size))
    uses: dict[int, list[int]] = {}
    for now in range(len(tasks) - 1, -1, -1):
        for i in tasks[now].args:
            if i not in known:
                uses.setdefault(i, []).append(now)
    calls = _Calls(program, tasks)
    values = Registers(out, known, uses, frame, calls.scratch)
    cuts = [0, *cuts_of(tasks, uses, piece), len(tasks)]
    one = len(cuts) == 2  # it needs no function of its own
    around, table = out.lines, out.table
    for start, end in pairwise(cuts):
        own = border()
        out.lines, out.table = [], table if one else "%pieces"
        if start == 0 and calls.scalars and own.fetch_many:
            _fetch_inputs(program, values, own.fetch_many)
        _emit_tasks(out, tasks[start:end], values, calls, own)
        if one:
            around += out.lines
        else:
            values.leave()
            taken = [f"ptr {frame}", *own.taken]
            number = out.piece(taken)
            out.lines, out.table = around, table
            out.call_piece(number, taken)
    out.lines = around
    size = max(values.slots, 1)
    if size * out.lanes.count * out.lanes.size > LARGEST_FRAME:
        raise BadArgument(
            f"{program.name} is too long to be compiled: {size:,} values wait at the same time.\n"
            f"  The stack has room for {LARGEST_FRAME // out.lanes.size:,}."
        )
    out.lines.insert(0, f"  {frame} = alloca [{size} x {out.lanes.type}], align 64")


def _emit_tasks(
    out: Emitter, tasks: Sequence[PieceTask], values: Registers, calls: _Calls, border: Border
) -> None:
    emit = operations(out)
    for stores, group in groupby(tasks, lambda task: task.operation is None):
        waiting = list(group)
        if stores:
            waiting = _put_many(waiting, values, border)
        for task in waiting:
            if isinstance(task.operation, BlockCall):
                calls.emit(task, task.operation, values, border)
                continue
            args = [values.get(i, border) for i in task.args]
            if task.operation:
                values.let_go(task.args)
                values.keep(task.numbers[0], emit[task.operation.name](*args))
            else:
                border.put(task.results, args)
                values.let_go(task.args)
            values.make_room()


def _fetch_inputs(
    program: Program, values: Registers, fetch_many: Callable[[str, int], None]
) -> None:
    """Have the larger inputs on the frame, where calls find them side by side."""
    ports = split(program.inputs, range(program.input_size))
    for k, (port, numbers) in enumerate(ports):
        if port.size >= MANY:
            places = {i: at for at, i in enumerate(numbers)}
            fetch_many(values.at(values.region(port.size, places)), k)


def _put_many(tasks: list[PieceTask], values: Registers, border: Border) -> list[PieceTask]:
    """Have results stored that come from the frame, if they are many, and return the others."""
    there = [task for task in tasks if all(i in values.place for i in task.args)]
    if border.put_many is None or len(there) < MANY:
        return tasks
    chunks = [ResultChunk(task.results, [values.place[i] for i in task.args]) for task in there]
    border.put_many(values.frame, chunks)
    for task in there:
        values.let_go(task.args)
    done = {id(task) for task in there}
    return [task for task in tasks if id(task) not in done]


class _Calls:
    """The calls that a program makes."""

    def __init__(self, program: Program, tasks: Sequence[PieceTask]):
        self.first, self.end = program.input_size, program.first_step
        self.constants = program.constants
        # of each, which of its inputs are constants wherever it is called
        self.scalars: dict[BlockCall, tuple[bool, ...]] = {}
        for call, args in ((t.operation, t.args) for t in tasks):
            if isinstance(call, BlockCall):
                some = tuple(self._known(numbers) for _, numbers in split(call.block.inputs, args))
                before = self.scalars.get(call, some)
                self.scalars[call] = tuple(x and y for x, y in zip(some, before, strict=True))
        self.scratch = max((call.arity for call in self.scalars), default=0)

    def _known(self, numbers: Sequence[int]) -> bool:
        return bool(numbers) and all(self.first <= i < self.end for i in numbers)

    def emit(self, task: PieceTask, call: BlockCall, values: Registers, border: Border) -> None:
        """Emit a call: what it takes, and where its results are."""
        out, at, pointers = values.out, 0, []
        scalars = self.scalars[call]
        for (port, numbers), scalar in zip(
            split(call.block.inputs, task.args), scalars, strict=True
        ):
            if scalar:
                one = Lanes(1, out.lanes.single)
                known = [one.constant(self.constants[i - self.first]) for i in numbers]
                pointers.append(out.in_memory(one.type, known))
            elif numbers and (start := values.side_by_side(numbers)) is not None:
                pointers.append(values.at(start))
            elif (given := border.lying_at(numbers)) is not None:
                pointers.append(given)
            elif len(numbers) >= MANY and all(i in values.place for i in numbers):
                table = out.in_memory("i32", [str(values.place[i]) for i in numbers])
                where = [f"ptr {x}" for x in (values.at(at), f"{values.frame}", table)]
                out.call_piece(_gathering(out), [*where, f"i64 {port.size}"])
                pointers.append(values.at(at))
            else:
                for k, i in enumerate(numbers, at):
                    name = values.get(i, border)
                    out.line(f"store {values.kind} {name}, ptr {values.at(k)}")
                    values.make_room()
                pointers.append(values.at(at))
            at += port.size
        # before what it takes is let go, which must not be written over
        parts = dict(zip(task.numbers, task.parts, strict=True))
        start = values.region(len(call.block.results), parts)
        values.leave_to_call(task.args)
        pointers.append(values.at(start))
        number = block_function(out, call.block, scalars)
        out.call_piece(number, [f"ptr {pointer}" for pointer in pointers])


def block_function(out: Emitter, block: Program, scalars: tuple[bool, ...] = ()) -> int:
    """Return the number of the function of a block, emitted when it is first called.

    It takes pointers: to the entries of each input, vectors side by side or, where `scalars` says
    so, numbers; then to where its results go.
    """
    key = (block.digest, scalars)
    if key in out.known:
        return out.known[key]
    lanes, kind = out.lanes, out.lanes.type
    places = [(p, k) for p, port in enumerate(block.inputs) for k in range(port.size)]

    def border() -> Border:
        def fetch(k: int) -> dict[int, str]:
            p, at = places[k]
            scalar = bool(scalars) and scalars[p]
            of = lanes.name if scalar else kind
            value = out.value(f"load {of}, ptr {place(f'%given{p}', at, of)}")
            return {k: out.everywhere(value) if scalar else value}

        def put(entries: Sequence[int], values: list[str]) -> None:
            out.line(f"store {kind} {values[0]}, ptr {place('%results', entries[0], kind)}")

        def place(name: str, k: int, kind: str) -> str:
            own.take(f"ptr {name}")
            return out.value(f"getelementptr {kind}, ptr {name}, i64 {k}")

        def lying_at(numbers: Sequence[int]) -> str | None:
            if not numbers:
                return None
            first, count = numbers[0], len(numbers)
            if tuple(numbers) != tuple(range(first, first + count)) or first + count > len(places):
                return None
            (p, at), (last, _) = places[first], places[first + count - 1]
            if last != p or (scalars and scalars[p]):
                return None
            return place(f"%given{p}", at, kind)

        own = Border(fetch, put, lying_at=lying_at)
        return own

    with out.apart():
        alone = [(k,) for k in range(len(block.results))]
        emit_in_pieces(out, block, border, alone, PIECE_OF_A_BLOCK)
        given = [f"ptr %given{p}" for p in range(len(block.inputs))]
        out.known[key] = out.piece([*given, "ptr %results"])
    return out.known[key]


def _gathering(out: Emitter) -> int:
    """Return the number of the function that puts vectors of a frame side by side, by a table."""
    if "gathering" not in out.known:
        with out.apart():
            gather_by_table(out)
            given = ["ptr %to", "ptr %frame", "ptr %table", "i64 %count"]
            out.known["gathering"] = out.piece(given)
    return out.known["gathering"]


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
