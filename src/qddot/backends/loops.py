"""The functions around the straight-line code: a loop over a batch, and a call for one state.

Both follow NumPy's conventions, so that what is compiled can be handed to it as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from qddot.backends.ir import Emitter, Lanes, operations
from qddot.backends.llvm import NEXT_MODULE
from qddot.backends.pieces import emit_in_pieces, is_long
from qddot.backends.registers import Border, ResultChunk, most_waiting
from qddot.backends.rows import (
    CHUNK,
    InputRows,
    OutputRows,
    load_all,
    store_by_table,
    stored_together,
)
from qddot.program.blocks import inlined
from qddot.program.program import Port, Program

NEAREST_CACHE = 32 * 1024  # [bytes]
FRAME = 3_000_000  # [bytes] that a batch of a program with calls may have on the stack
MOSTLY_WRITING = 8  # operations per entry of the results, or fewer


def batch_lanes(program: Program, widest: int, single: bool) -> Lanes:
    """Return the lanes of a batch: as many states at once as a register holds, or fewer.

    `widest` is how many float64 fit into a register; `single` says that the numbers are float32.
    Where results are most of the work and a block of them would fill the nearest cache, half of the
    lanes leave room there, which measures 1.4 times faster for a Panda's regressor. Fewer lanes
    keep what waits within a part of the stack, which measures the same for chains of 64 joints.
    """
    lanes = Lanes(widest * 2 if single else widest, single)
    if program.blocks:  # those on the stack are all that wait
        waiting = most_waiting(program) * lanes.size
        while waiting * lanes.count > FRAME and lanes.count > 1:
            lanes = Lanes(lanes.count // 2 if lanes.count > CHUNK else 1, single)
    size = sum(port.size for port in program.outputs)
    crowded = 2 * size * lanes.count * lanes.size > NEAREST_CACHE
    if crowded and len(program) < MOSTLY_WRITING * size and lanes.count >= 2 * CHUNK:
        return Lanes(lanes.count // 2, single)
    return lanes


def batch_loop(program: Program, lanes: Lanes) -> str:
    """Return a module with `loop`, the inner loop of a NumPy gufunc over a batch of states.

    A block is as many states as there are lanes. In the last block the lanes that have no state of
    their own do the last state again and store the same numbers to the same place, so batches of
    any size run through the same code. Rows must be contiguous; where they start is free. How far
    each lane's row is from the block's first one is computed once, and again for the last block.
    """
    out = Emitter(lanes)
    ports = [*program.inputs, *program.outputs]
    out.line("%n = load i64, ptr %dims")
    bases = [_argument(out, "%args", k, "ptr") for k in range(len(ports))]
    strides = [_argument(out, "%steps", k, "i64") for k in range(len(ports))]
    out.line("%last = sub i64 %n, 1")
    out.line("%some = icmp sgt i64 %n, 0")
    # of each array, where it is kept how far each lane's row is from the block's first
    distances = [[out.value("alloca i64") for _ in range(lanes.count)] for _ in ports]
    out.line("br i1 %some, label %measure, label %done")
    out.lines.append("measure:")
    out.line("%start = phi i64 [0, %entry], [%next, %rest]")
    out.line("%most = sub i64 %last, %start")
    for lane in range(lanes.count):
        beyond = out.value(f"icmp slt i64 %most, {lane}")
        state = out.value(f"select i1 {beyond}, i64 %most, i64 {lane}")
        for stride, kept in zip(strides, distances, strict=True):
            far = out.value(f"mul i64 {state}, {stride}")
            out.line(f"store i64 {far}, ptr {kept[lane]}")
    out.line("br label %block")
    out.lines.append("block:")
    out.line("%first = phi i64 [%start, %measure], [%next, %block]")
    rows = []
    for base, stride, kept in zip(bases, strides, distances, strict=True):
        start = out.value(f"mul i64 %first, {stride}")
        row = out.value(f"getelementptr i8, ptr {base}, i64 {start}")
        fars = [out.value(f"load i64, ptr {place}") for place in kept]
        rows.append([out.value(f"getelementptr i8, ptr {row}, i64 {far}") for far in fars])
    ahead = [out.value(f"mul i64 {stride}, {2 * lanes.count}") for stride in strides]
    emit_program(out, program, rows, ahead)
    out.line(f"%next = add i64 %first, {lanes.count}")
    out.line(f"%end = add i64 %next, {lanes.count - 1}")
    out.line("%whole = icmp sle i64 %end, %last")
    out.line("br i1 %whole, label %block, label %rest")
    out.lines.append("rest:")
    out.line("%more = icmp sle i64 %next, %last")
    out.line("br i1 %more, label %measure, label %done")
    out.lines.append("done:")
    out.line("ret void")
    head = "define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) #0 {\nentry:"
    return module(out, [head, *out.lines, "}"])


def single_state(program: Program, lanes: Lanes) -> tuple[Emitter, list[str]]:
    """Return `state`, a function of one pointer an array, for one state; to be put in a module."""
    out = Emitter(lanes)
    names = [f"%a{k}" for k in range(len(program.inputs) + len(program.outputs))]
    emit_program(out, program, [[name] for name in names])
    arguments = ", ".join(f"ptr {name}" for name in names)
    return out, [f"define void @state({arguments}) #0 {{", *out.lines, "  ret void", "}"]


def emit_program(
    out: Emitter, program: Program, rows: list[list[str]], ahead: Sequence[str] = ()
) -> None:
    """Emit a program whose inputs and outputs lie in these rows, one a lane.

    `ahead` is how far those rows are, of each input and output, that are worth fetching now.
    """
    count = len(program.inputs)
    ahead = ahead or [""] * len(rows)
    if is_long(program, out.lanes):
        border = partial(_border, out, program, rows, ahead)
        emit_in_pieces(out, program, border, _together(out, program))
        return
    entries: list[tuple[InputRows, int]] = []
    for port, row, step in zip(program.inputs, rows[:count], ahead[:count], strict=True):
        whole = InputRows(out, row, port.size, step)
        entries += [(whole, k) for k in range(port.size)]
    places = _places(out, program.outputs, rows[count:], ahead[count:])

    def entry(k: int) -> str:
        whole, at = entries[k]
        return whole.entry(at)

    def put(k: int, value: str) -> None:
        whole, at = places[k]
        whole.put(at, value)

    emit_values(out, program, entry, put)


def _border(out: Emitter, program: Program, rows: list[list[str]], ahead: Sequence[str]) -> Border:
    """Return the border of a piece of a program: whose rows it touches, those it takes."""
    ports = [*program.inputs, *program.outputs]
    places = [(k, i) for k, port in enumerate(ports) for i in range(port.size)]
    inputs: dict[int, InputRows] = {}

    def touch(k: int) -> tuple[Emitter, list[str], int, str]:
        border.take(*(f"ptr {row}" for row in rows[k]), *([f"i64 {ahead[k]}"] if ahead[k] else []))
        return out, rows[k], ports[k].size, ahead[k]

    def fetch(k: int) -> dict[int, str]:
        port, at = places[k]
        if port not in inputs:
            inputs[port] = InputRows(*touch(port))
        inputs[port].entry(at)
        return {k - at + i: name for i, name in inputs[port].loaded.items()}

    def put(entries: Sequence[int], values: list[str]) -> None:
        port = places[program.input_size + entries[0]][0]
        whole = OutputRows(*touch(port))
        for k, value in zip(entries, values, strict=True):
            whole.put(places[program.input_size + k][1], value)

    def fetch_many(at: str, port: int) -> None:
        _, row, size, far = touch(port)
        given = [f"ptr {x}" for x in (at, *row)]
        out.call_piece(_loading(out), [*given, f"i64 {size}", f"i64 {far or 0}"])

    def put_many(frame: str, chunks: list[ResultChunk]) -> None:
        tables: dict[tuple[int, int], list[str]] = {}
        for chunk in chunks:
            port, at = places[program.input_size + chunk.entries[0]]
            numbers = tables.setdefault((port, len(chunk.entries)), [])
            numbers += map(str, (*chunk.places, at))
        for (port, width), numbers in tables.items():
            _, row, *_ = touch(port)
            given = [f"ptr {x}" for x in (frame, out.in_memory("i32", numbers), *row)]
            more = (len(numbers) // (width + 1), ahead[port] or 0)
            out.call_piece(_storing(out, width), [*given, *(f"i64 {x}" for x in more)])

    border = Border(fetch, put, put_many, fetch_many)
    return border


def _loading(out: Emitter) -> int:
    """Return the number of the function that loads an input as vectors of a frame."""
    if "loading" not in out.known:
        rows = [f"%row{k}" for k in range(out.lanes.count)]
        with out.apart():
            load_all(out, rows)
            given = ["ptr %frame", *(f"ptr {row}" for row in rows)]
            out.known["loading"] = out.piece([*given, "i64 %size", "i64 %ahead"])
    return out.known["loading"]


def _storing(out: Emitter, width: int) -> int:
    """Return the number of the function that stores vectors of a frame by a table."""
    key = ("storing", width)
    if key not in out.known:
        rows = [f"%row{k}" for k in range(out.lanes.count)]
        with out.apart():
            store_by_table(out, rows, width)
            given = ["ptr %frame", "ptr %table", *(f"ptr {row}" for row in rows)]
            out.known[key] = out.piece([*given, "i64 %count", "i64 %ahead"])
    return out.known[key]


def _together(out: Emitter, program: Program) -> list[range]:
    """Return the entries of the results, those together that are stored at once."""
    found, before = [], 0
    for port in program.outputs:
        parts = stored_together(out.lanes, port.size)
        found += [range(before + part.start, before + part.stop) for part in parts]
        before += port.size
    return found


def emit_values(
    out: Emitter, program: Program, entry: Callable[[int], str], put: Callable[[int, str], None]
) -> None:
    """Emit a program, wherever its inputs come from and its results go.

    `entry` emits and returns entry k of the inputs, once, when it is first needed; `put` takes
    entry k of the results as soon as it is known.
    """
    program = inlined(program)
    emit = operations(out)
    values = {i: out.lanes.constant(c) for i, c in enumerate(program.constants, program.input_size)}
    # the places where each value is wanted as a result
    wanted: dict[int, list[int]] = {}
    for k, i in enumerate(program.results):
        wanted.setdefault(i, []).append(k)

    def value(i: int) -> str:
        if i not in values:
            values[i] = entry(i)
        return values[i]

    for number, step in enumerate(program.steps, program.first_step):
        values[number] = emit[step.op.name](*(value(i) for i in step.args))
        for k in wanted.pop(number, ()):
            put(k, values[number])
    for i, places in wanted.items():  # constants, and inputs handed through
        for k in places:
            put(k, value(i))


def _places(
    out: Emitter, ports: tuple[Port, ...], rows: list[list[str]], ahead: Sequence[str]
) -> list[tuple[OutputRows, int]]:
    places = []
    for port, row, step in zip(ports, rows, ahead, strict=True):
        whole = OutputRows(out, row, port.size, step)
        places += [(whole, k) for k in range(port.size)]
    return places


def module(out: Emitter, lines: list[str]) -> str:
    """Return the text of a module: its functions and the intrinsics that they use.

    The pieces that it calls stand before it, each a module too; `lines` may be added to the last.
    """
    common = [*sorted(out.declared), "attributes #0 = { nounwind }", ""]
    table = [f"@pieces = global [{len(out.pieces)} x ptr] zeroinitializer"] if out.pieces else []
    pieces = [*out.finished_pieces(), [*table, *lines]]
    return NEXT_MODULE.join("\n".join([*each, *common]) for each in pieces)


def _argument(out: Emitter, array: str, k: int, kind: str) -> str:
    where = out.value(f"getelementptr ptr, ptr {array}, i64 {k}")
    return out.value(f"load {kind}, ptr {where}")
