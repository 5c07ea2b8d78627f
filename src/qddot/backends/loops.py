"""The functions around the straight-line code: a loop over a batch, and a call for one state.

Both follow NumPy's conventions, so that what is compiled can be handed to it as it is.
"""

from __future__ import annotations

from qddot.backends.ir import Emitter, Lanes, emit_steps, load_rows, store_rows
from qddot.program.program import Program


def batch_loop(program: Program, lanes: Lanes) -> str:
    """Return a module with `loop`, the inner loop of a NumPy gufunc over a batch of states.

    A block is as many states as there are lanes. In the last block the lanes that have no state of
    their own do the last state again and store the same numbers to the same place, so batches of
    any size run through the same code. Rows must be contiguous; where they start is free.
    """
    out = Emitter(lanes)
    ports = [*program.inputs, *program.outputs]
    out.line("%n = load i64, ptr %dims")
    bases = [_argument(out, "%args", k, "ptr") for k in range(len(ports))]
    strides = [_argument(out, "%steps", k, "i64") for k in range(len(ports))]
    out.line("%last = sub i64 %n, 1")
    out.line("%some = icmp sgt i64 %n, 0")
    out.line("br i1 %some, label %block, label %done")
    out.lines.append("block:")
    out.line("%first = phi i64 [0, %entry], [%next, %block]")
    states = []
    for lane in range(lanes.count):
        state = out.value(f"add i64 %first, {lane}")
        beyond = out.value(f"icmp sgt i64 {state}, %last")
        states.append(out.value(f"select i1 {beyond}, i64 %last, i64 {state}"))
    rows = []
    for base, stride in zip(bases, strides, strict=True):
        steps = [out.value(f"mul i64 {state}, {stride}") for state in states]
        rows.append([out.value(f"getelementptr i8, ptr {base}, i64 {step}") for step in steps])
    values: list[str] = []
    for port, row in zip(program.inputs, rows, strict=False):
        values += load_rows(out, row, port.size)
    results = emit_steps(out, program, values)
    at = 0
    for port, row in zip(program.outputs, rows[len(program.inputs) :], strict=True):
        store_rows(out, row, results[at : at + port.size])
        at += port.size
    out.line(f"%next = add i64 %first, {lanes.count}")
    out.line("%more = icmp sle i64 %next, %last")
    out.line("br i1 %more, label %block, label %done")
    out.lines.append("done:")
    out.line("ret void")
    head = "define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) #0 {\nentry:"
    return module(out, [head, *out.lines, "}"])


def single_state(program: Program, lanes: Lanes) -> tuple[Emitter, list[str]]:
    """Return `state`, a function of one pointer an array, for one state; to be put in a module."""
    out = Emitter(lanes)
    names = [f"%a{k}" for k in range(len(program.inputs) + len(program.outputs))]
    values: list[str] = []
    for port, name in zip(program.inputs, names, strict=False):
        values += load_rows(out, [name], port.size)
    results = emit_steps(out, program, values)
    at = 0
    for port, name in zip(program.outputs, names[len(program.inputs) :], strict=True):
        store_rows(out, [name], results[at : at + port.size])
        at += port.size
    arguments = ", ".join(f"ptr {name}" for name in names)
    return out, [f"define void @state({arguments}) #0 {{", *out.lines, "  ret void", "}"]


def module(out: Emitter, lines: list[str]) -> str:
    """Return the text of a module: its functions and the intrinsics that they use."""
    attributes = "attributes #0 = { nounwind }"
    return "\n".join([*lines, *sorted(out.declared), attributes, ""])


def _argument(out: Emitter, array: str, k: int, kind: str) -> str:
    where = out.value(f"getelementptr ptr, ptr {array}, i64 {k}")
    return out.value(f"load {kind}, ptr {where}")
