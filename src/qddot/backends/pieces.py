"""Long programs in pieces: functions of their own, which hand values over on the stack.

A compiler that looks at a function as a whole takes longer for an operation the more of them there
are, most of it for finding registers. Here a long program is cut where few values wait, and which
values are in registers is decided before: what is needed last leaves first (L. Belady, *A Study of
Replacement Algorithms*, 1966), for all that comes is known. So compiling takes time in proportion
to the program, and what it gives runs up to 1.2 times faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import NamedTuple

from qddot.backends.ir import Emitter, Lanes, operations
from qddot.backends.llvm import vector_registers
from qddot.program.calls import BlockCall, CallResult
from qddot.program.operations import Operation
from qddot.program.program import Program
from qddot.program.tape import collector_off

# operations, in lanes and for one state: shorter programs run as fast as the compiler has them
LONG = {True: 2_000, False: 4_000}
PIECE = 3_000  # operations, more or less
AT_HAND = 0.65  # of the registers: the others are for what an operation is made of


@dataclass
class Border:
    """How one piece reaches what is outside: inputs, results, and names of the function around."""

    fetch: Callable[[int], dict[int, str]]  # emits entry k of the inputs, and any beside it
    put: Callable[[Sequence[int], list[str]], None]  # takes entries of the results, to be stored
    taken: dict[str, None] = field(default_factory=dict)  # from around, in order: "ptr %t3"

    def take(self, *arguments: str) -> None:
        """Have names of the function around handed over to the piece."""
        self.taken.update(dict.fromkeys(arguments))


class PieceTask(NamedTuple):
    """Something to emit: an operation, or the storing of results that leave together."""

    args: tuple[int, ...]
    operation: Operation | None = None
    numbers: tuple[int, ...] = ()  # of the values that it gives: of a call, one for each part
    parts: tuple[int, ...] = ()  # of a call, which of its results those are
    results: Sequence[int] = ()  # the entries of the results that are stored


def is_long(program: Program, lanes: Lanes) -> bool:
    """Return whether a program is better off in pieces; one with calls has some already."""
    return bool(program.blocks) or len(program) > LONG[lanes.count > 1]


def emit_in_pieces(
    out: Emitter,
    program: Program,
    border: Callable[[], Border],
    together: Iterable[Sequence[int]],
) -> None:
    """Emit calls of pieces of a program, and the pieces.

    Args:
        out: Where the lines go; the first of them belong to the entry of their function.
        program: What to emit.
        border: Makes the border of a piece.
        together: The entries of the results, those together that are stored at once.
    """
    with collector_off():
        _emit_in_pieces(out, program, border, _tasks(program, together))


def _emit_in_pieces(
    out: Emitter, program: Program, border: Callable[[], Border], tasks: Sequence[PieceTask]
) -> None:
    frame = f"%frame{out.fresh}"
    values = Registers(out, program, tasks, frame)
    cuts = [0, *_cuts(tasks, values.uses), len(tasks)]
    one = len(cuts) == 2  # it needs no function of its own
    around, table = out.lines, out.table
    for start, end in pairwise(cuts):
        own, emit = border(), operations(out)
        out.lines, out.table = [], table if one else "%pieces"
        for task in tasks[start:end]:
            if isinstance(task.operation, BlockCall):
                values.call(task, task.operation, own)
                continue
            args = [values.get(i, own) for i in task.args]
            if task.operation:
                values.let_go(task.args)
                values.keep(task.numbers[0], emit[task.operation.name](*args))
            else:
                own.put(task.results, args)
                values.let_go(task.args)
            values.make_room()
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
    out.lines.insert(0, f"  {frame} = alloca [{size} x {out.lanes.type}], align 64")


class Registers:
    """Which values are at hand, as names, and where on the frame the others are."""

    def __init__(self, out: Emitter, program: Program, tasks: Sequence[PieceTask], frame: str):
        self.out, self.frame, self.kind = out, frame, out.lanes.type
        constants = enumerate(program.constants, program.input_size)
        self.constants = {i: out.lanes.constant(c) for i, c in constants}
        self.most = int(AT_HAND * vector_registers())
        self.uses: dict[int, list[int]] = {}  # of a value, the tasks that it waits for, last first
        for now in range(len(tasks) - 1, -1, -1):
            for i in tasks[now].args:
                if i not in self.constants:
                    self.uses.setdefault(i, []).append(now)
        self.at_hand: dict[int, str] = {}
        self.place: dict[int, int] = {}  # on the frame
        self.free: list[int] = []
        # the first places are those of arguments and results of calls
        calls = {task.operation for task in tasks if isinstance(task.operation, BlockCall)}
        self.slots = max((call.arity + len(call.block.results) for call in calls), default=0)

    def get(self, i: int, border: Border) -> str:
        """Return the name of a value, fetched if it is not at hand."""
        if i in self.constants:
            return self.constants[i]
        if i not in self.at_hand:
            if i in self.place:
                at = self._at(self.place[i])
                self.keep(i, self.out.value(f"load {self.kind}, ptr {at}"))
            else:
                for k, name in border.fetch(i).items():
                    if k not in self.place and k not in self.at_hand:
                        self.keep(k, name)
        return self.at_hand[i]

    def keep(self, i: int, name: str) -> None:
        """Have a value at hand, if something waits for it."""
        if self.uses.get(i):
            self.at_hand[i] = name

    def let_go(self, values: Iterable[int]) -> None:
        """Note that a task has used its values."""
        for i in values:
            if i in self.constants:
                continue
            uses = self.uses[i]
            uses.pop()
            if not uses:
                self.at_hand.pop(i, None)
                if i in self.place:
                    self.free.append(self.place.pop(i))

    def make_room(self) -> None:
        """Put away what is needed last, until the registers are enough."""
        while len(self.at_hand) > self.most:
            self._put_away(max(self.at_hand, key=self._next_use))

    def call(self, task: PieceTask, call: BlockCall, border: Border) -> None:
        """Emit a call, before which everything is put away, and its parts."""
        for k, i in enumerate(task.args):
            self.out.line(f"store {self.kind} {self.get(i, border)}, ptr {self._at(k)}")
            self.make_room()
        self.let_go(task.args)
        self.leave()
        arguments = [f"ptr {self.frame}", f"ptr {self._at(call.arity)}"]
        self.out.call_piece(block_function(self.out, call.block), arguments)
        for number, part in zip(task.numbers, task.parts, strict=True):
            at = self._at(call.arity + part)
            self.keep(number, self.out.value(f"load {self.kind}, ptr {at}"))
            self.make_room()

    def _next_use(self, i: int) -> int:
        return self.uses[i][-1]

    def leave(self) -> None:
        """Put everything away: the next piece finds it on the frame."""
        for i in list(self.at_hand):
            self._put_away(i)

    def _put_away(self, i: int) -> None:
        name = self.at_hand.pop(i)
        if i not in self.place:
            if not self.free:
                self.free.append(self.slots)
                self.slots += 1
            self.place[i] = self.free.pop()
            at = self._at(self.place[i])
            self.out.line(f"store {self.kind} {name}, ptr {at}")

    def _at(self, k: int) -> str:
        return self.out.value(f"getelementptr {self.kind}, ptr {self.frame}, i64 {k}")


def _tasks(program: Program, together: Iterable[Sequence[int]]) -> list[PieceTask]:
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


def block_function(out: Emitter, block: Program) -> int:
    """Return the number of the function of a block, emitted when it is first called.

    It takes its arguments from vectors side by side, and puts its results into others.
    """
    if block.digest not in out.blocks:
        kind, lines, table = out.lanes.type, out.lines, out.table
        out.lines, out.table = [], "%pieces"

        def border() -> Border:
            def fetch(k: int) -> dict[int, str]:
                return {k: out.value(f"load {kind}, ptr {place('%given', k)}")}

            def put(entries: Sequence[int], values: list[str]) -> None:
                out.line(f"store {kind} {values[0]}, ptr {place('%results', entries[0])}")

            def place(name: str, k: int) -> str:
                own.take(f"ptr {name}")
                return out.value(f"getelementptr {kind}, ptr {name}, i64 {k}")

            own = Border(fetch, put)
            return own

        emit_in_pieces(out, block, border, [(k,) for k in range(len(block.results))])
        out.blocks[block.digest] = out.piece(["ptr %given", "ptr %results"])
        out.lines, out.table = lines, table
    return out.blocks[block.digest]


def _cuts(tasks: Sequence[PieceTask], uses: Mapping[int, Sequence[int]]) -> list[int]:
    """Return where to cut: the tasks before which the fewest values wait."""
    change = [0] * (len(tasks) + 1)
    made = {number: now for now, task in enumerate(tasks) for number in task.numbers}
    for i, waiting_for in uses.items():
        change[made.get(i, waiting_for[-1]) + 1] += 1
        change[waiting_for[0] + 1] -= 1
    waiting = list(accumulate(change))  # before each task
    cuts: list[int] = []
    start = 0
    while len(tasks) - start > 3 * PIECE // 2:
        window = range(start + PIECE // 2, start + 3 * PIECE // 2)
        start = min(window, key=waiting.__getitem__)
        cuts.append(start)
    return cuts
