"""The assembly of a builtin function that checks its arguments and takes the short way.

`call(self, args, nargs, kwnames)` has the form in which the interpreter calls. Where every argument
is exactly what a program wants, it makes the result's arrays, runs the program, and returns; else
it calls its owner with the same arguments.
"""

from __future__ import annotations

from qddot.backends.gufunc import DATA, DESCR, FLAGS, NDIM, SHAPE, TYPE_NUMBERS
from qddot.backends.ir import Lanes
from qddot.program.program import Program

CONTIGUOUS_AND_ALIGNED = 0x0001 | 0x0100

# the addresses that differ from run to run stand in a table, so that the code can be kept
TABLE = ("array type", "dtype", "new array", "vectorcall", "new tuple", "new scalar")


def call_function(program: Program, lanes: Lanes) -> list[str]:
    """Return the assembly of `call(self, args, nargs, kwnames)`."""
    inputs, outputs = program.inputs, program.outputs
    lines = [
        f"@table = global [{len(TABLE)} x i64] zeroinitializer",
        "define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %names) #0 {",
        "entry:",
        "  %named = icmp ne ptr %names, null",
        f"  %few = icmp ne i64 %nargs, {len(inputs)}",
        "  %odd = or i1 %named, %few",
        f"  br i1 %odd, label %general, label %{'check0' if inputs else 'ready'}",
    ]
    for k, port in enumerate(inputs):
        following = f"check{k + 1}" if k + 1 < len(inputs) else "ready"
        lines += _check_argument(k, port.shape, following)
    lines.append("ready:")
    for k, port in enumerate(outputs):
        if port.shape:
            lines += _new_array(k, port.shape, lanes)
        else:
            lines.append(f"  %rd{k} = alloca {lanes.name}")
    for k in range(len(inputs)):
        lines += [
            f"  %p{k} = getelementptr i8, ptr %o{k}, i64 {DATA}",
            f"  %d{k} = load ptr, ptr %p{k}",
        ]
    pointers = [f"ptr %d{k}" for k in range(len(inputs))]
    pointers += [f"ptr %rd{k}" for k in range(len(outputs))]
    lines.append(f"  call void @state({', '.join(pointers)})")
    for k, port in enumerate(outputs):
        if not port.shape:
            lines += _new_scalar(k)
    lines += _return(len(outputs))
    general = _entry("vectorcall", "vc")
    lines += [
        "general:",
        *general,
        "  %answer = call ptr %vc(ptr %self, ptr %args, i64 %nargs, ptr %names)",
        "  ret ptr %answer",
        "failed:",
        "  ret ptr null",
        "}",
    ]
    return lines


def _entry(what: str, name: str) -> list[str]:
    at = TABLE.index(what)
    return [
        f"  %{name}.at = getelementptr [{len(TABLE)} x i64], ptr @table, i64 0, i64 {at}",
        f"  %{name} = load ptr, ptr %{name}.at",
    ]


def _check_argument(k: int, shape: tuple[int, ...], following: str) -> list[str]:
    """Go on only with an array of exactly this shape, of the right type, contiguous, aligned."""
    lines = [
        f"check{k}:",
        *_entry("array type", f"at{k}"),
        *_entry("dtype", f"dt{k}"),
        f"  %a{k} = getelementptr ptr, ptr %args, i64 {k}",
        f"  %o{k} = load ptr, ptr %a{k}",
        f"  %ty.at{k} = getelementptr i8, ptr %o{k}, i64 8",
        f"  %ty{k} = load ptr, ptr %ty.at{k}",
        f"  %is{k} = icmp eq ptr %ty{k}, %at{k}",
        f"  br i1 %is{k}, label %fields{k}, label %general",
        f"fields{k}:",
        f"  %nd.at{k} = getelementptr i8, ptr %o{k}, i64 {NDIM}",
        f"  %nd{k} = load i32, ptr %nd.at{k}",
        f"  %de.at{k} = getelementptr i8, ptr %o{k}, i64 {DESCR}",
        f"  %de{k} = load ptr, ptr %de.at{k}",
        f"  %fl.at{k} = getelementptr i8, ptr %o{k}, i64 {FLAGS}",
        f"  %fl{k} = load i32, ptr %fl.at{k}",
        f"  %set{k} = and i32 %fl{k}, {CONTIGUOUS_AND_ALIGNED}",
        f"  %x{k} = icmp eq i32 %nd{k}, {len(shape)}",
        f"  %y{k} = icmp eq ptr %de{k}, %dt{k}",
        f"  %z{k} = icmp eq i32 %set{k}, {CONTIGUOUS_AND_ALIGNED}",
        f"  %xy{k} = and i1 %x{k}, %y{k}",
        f"  %xyz{k} = and i1 %xy{k}, %z{k}",
        f"  br i1 %xyz{k}, label %size{k}, label %general",
        f"size{k}:",
        f"  %sh.at{k} = getelementptr i8, ptr %o{k}, i64 {SHAPE}",
        f"  %sh{k} = load ptr, ptr %sh.at{k}",
        f"  %fit{k}.0 = icmp eq i64 0, 0",
    ]
    for d, length in enumerate(shape):
        lines += [
            f"  %le.at{k}.{d} = getelementptr i64, ptr %sh{k}, i64 {d}",
            f"  %le{k}.{d} = load i64, ptr %le.at{k}.{d}",
            f"  %eq{k}.{d} = icmp eq i64 %le{k}.{d}, {length}",
            f"  %fit{k}.{d + 1} = and i1 %fit{k}.{d}, %eq{k}.{d}",
        ]
    return [*lines, f"  br i1 %fit{k}.{len(shape)}, label %{following}, label %general"]


def _new_array(k: int, shape: tuple[int, ...], lanes: Lanes) -> list[str]:
    lines = [f"  %shape{k} = alloca i64, i64 {len(shape)}"]
    for d, length in enumerate(shape):
        lines += [
            f"  %s{k}.{d} = getelementptr i64, ptr %shape{k}, i64 {d}",
            f"  store i64 {length}, ptr %s{k}.{d}",
        ]
    call = (
        f"call ptr %new{k}(ptr %type{k}, i32 {len(shape)}, ptr %shape{k}, "
        f"i32 {TYPE_NUMBERS[lanes.size]}, ptr null, ptr null, i32 0, i32 0, ptr null)"
    )
    return [
        *lines,
        *_entry("new array", f"new{k}"),
        *_entry("array type", f"type{k}"),
        f"  %r{k} = {call}",
        f"  %null{k} = icmp eq ptr %r{k}, null",
        f"  br i1 %null{k}, label %failed, label %made{k}",
        f"made{k}:",
        f"  %rp{k} = getelementptr i8, ptr %r{k}, i64 {DATA}",
        f"  %rd{k} = load ptr, ptr %rp{k}",
    ]


def _new_scalar(k: int) -> list[str]:
    return [
        *_entry("new scalar", f"ns{k}"),
        *_entry("dtype", f"nt{k}"),
        f"  %r{k} = call ptr %ns{k}(ptr %rd{k}, ptr %nt{k}, ptr null)",
    ]


def _return(outputs: int) -> list[str]:
    if outputs == 1:
        return ["  ret ptr %r0"]
    lines = [*_entry("new tuple", "nt"), f"  %tuple = call ptr %nt(i64 {outputs})"]
    lines += ["  %none = icmp eq ptr %tuple, null", "  br i1 %none, label %failed, label %fill"]
    lines.append("fill:")
    for k in range(outputs):
        # the items of a tuple stand behind its head, which has a hash in it since Python 3.14
        lines += [
            f"  %item{k} = getelementptr i8, ptr %tuple, i64 {tuple.__basicsize__ + 8 * k}",
            f"  store ptr %r{k}, ptr %item{k}",
        ]
    return [*lines, "  ret ptr %tuple"]
