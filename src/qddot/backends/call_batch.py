"""The assembly of the short way for a batch: rows of states, and single states that stand for all.

An array of a batch has one axis in front of those that the program knows, as long as that of the
other arrays; one without it is the same for every state. The compiled loop takes both as they are.
Batches that are long enough for threads are none of this: see `Kernel.most_at_once`.
"""

from __future__ import annotations

from typing import NamedTuple

from qddot.backends.call_pieces import WRITEABLE, CallPieces
from qddot.backends.gufunc import DATA, NDIM, SHAPE
from qddot.program.program import Port, Program

NO_BATCH = "-1"  # the number of states that an array without that axis tells


class BatchRows(NamedTuple):
    """Where an array lies, as registers of the assembly."""

    data: str  # its address
    step: str  # from row to row [bytes]; 0 where there is one
    many: str  # whether it has the axis of the batch


def emit_batch(link: CallPieces, program: Program, objects: list[str], given: list[str]) -> None:
    """Emit the checks, the new arrays, the call of the loop, and the results.

    What is no such batch goes where the link says. The objects are the arguments for the program's
    inputs; the given ones are those for its results, or none where these are new arrays.
    """
    size, inputs, outputs = link.lanes.size, program.inputs, program.outputs
    count, rows = NO_BATCH, []
    nothing = link.own_memory("i64")
    link.store("i64", NO_BATCH, nothing, 0)
    for x, port in zip(objects, inputs, strict=True):
        found, count = _checked(link, x, port, count, nothing)
        rows.append(found)
    link.must(link.value(f"icmp sgt i64 {count}, 0"))
    link.must(link.value(f"icmp sle i64 {count}, {link.entry('most states', 'i64')}"))
    loop = link.entry("loop")
    link.must(link.value(f"icmp ne ptr {loop}, null"))
    for x, port in zip(given, outputs, strict=False):
        link.check_kind(x, WRITEABLE)
        link.must(link.same(link.field(x, NDIM, "i32"), str(len(port.shape) + 1), "i32"))
        link.check_lengths(link.field(x, SHAPE), (count, *port.shape))
        written = link.value(f"mul i64 {count}, {port.size * size}")
        for read, of in zip(rows, inputs, strict=True):
            row = of.size * size
            whole = link.choose(read.many, "i64", link.value(f"mul i64 {count}, {row}"), row)
            link.check_apart(link.field(x, DATA), written, read.data, whole)
    made = given or [link.new_array((count, *port.shape)) for port in outputs]
    link.count("take", given)
    data = [*(row.data for row in rows), *(link.field(x, DATA) for x in made)]
    steps = [*(row.step for row in rows), *(str(port.size * size) for port in outputs)]
    arrays, lengths, strides = (
        link.own_memory(kind, length)
        for kind, length in (("ptr", len(data)), ("i64", 1), ("i64", len(data)))
    )
    link.store("i64", count, lengths, 0)
    for k, (where, step) in enumerate(zip(data, steps, strict=True)):
        link.store("ptr", where, arrays, k)
        link.store("i64", step, strides, k)
    run = f"call void {loop}(ptr {arrays}, ptr {lengths}, ptr {strides}, ptr null)"
    _run(link, run, count, objects)
    link.give_back(made)


def _checked(
    link: CallPieces, x: str, port: Port, count: str, nothing: str
) -> tuple[BatchRows, str]:
    """Emit the checks of an input; return it, and how many states there are as far as known."""
    link.check_kind(x)
    rank = link.field(x, NDIM, "i32")
    one, many = (link.same(rank, str(len(port.shape) + more), "i32") for more in (0, 1))
    link.must(link.value(f"or i1 {one}, {many}"))
    lengths = link.field(x, SHAPE)
    first = link.value(f"load i64, ptr {link.choose(many, 'ptr', lengths, nothing)}")
    inner = link.value(f"getelementptr i8, ptr {lengths}, i64 {link.choose(many, 'i64', 8, 0)}")
    link.check_lengths(inner, port.shape)
    unknown, same = link.same(count, NO_BATCH, "i64"), link.same(count, first, "i64")
    free = link.value(f"or i1 {one}, {unknown}")
    link.must(link.value(f"or i1 {free}, {same}"))
    step = link.choose(many, "i64", port.size * link.lanes.size, 0)
    return BatchRows(link.field(x, DATA), step, many), link.choose(many, "i64", first, count)


def _run(link: CallPieces, run: str, count: str, objects: list[str]) -> None:
    """Emit the call of the loop; while it is long, other Python threads run."""
    link.fresh += 1
    short, long, done = (f"{name}{link.fresh}" for name in ("short", "long", "done"))
    many = link.value(f"icmp sge i64 {count}, {link.entry('many states', 'i64')}")
    link.line(f"br i1 {many}, label %{long}, label %{short}")
    link.lines.append(f"{long}:")
    link.count("take", objects)  # what one of them did may let go of an array in a dict
    thread = link.value(f"call ptr {link.entry('let others run')}()")
    link.line(run)
    link.line(f"call void {link.entry('go on alone')}(ptr {thread})")
    link.count("let go", objects)
    link.line(f"br label %{done}")
    link.lines.append(f"{short}:")
    link.line(run)
    link.line(f"br label %{done}")
    link.lines.append(f"{done}:")
