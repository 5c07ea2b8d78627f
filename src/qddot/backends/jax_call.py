"""Compiled kernels as XLA's CPU calls them: a handler of its foreign function interface.

The interface is a struct of C (`xla/ffi/api/c_api.h`, which JAX ships): a call gets a frame with
pointers to buffers, and asks once, before the first call, for the version it was written for. The
handler is emitted beside the loop that NumPy's gufuncs have, and calls it.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache
from pathlib import Path
from typing import Any

from qddot.backends.ir import Emitter, Lanes
from qddot.backends.llvm import MachineCode, compile_module, widest_lanes
from qddot.backends.loops import batch_loop
from qddot.program.program import Program

# where things are [bytes]: in a frame, in a buffer, in the extension that asks for the version
EXTENSION, ARGUMENTS, RESULTS = 8, 72, 112
DATA, RANK, DIMENSIONS = 24, 32, 40
KIND, METADATA, MAJOR, MINOR, TRAITS = 8, 24, 24, 28, 32
ASKS_FOR_VERSION = 1
WRITTEN_FOR = 0  # the interface's major version, in which things are where they are


def compiled_handler(program: Program, single: bool) -> tuple[MachineCode, Any]:
    """Return the machine code, to be kept, and the capsule that JAX registers."""
    lanes = Lanes(widest_lanes() * (2 if single else 1), single)
    code = compile_module(batch_loop(program, lanes) + handler(program, lanes))
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
    )
    return code, capsule(code.address("handler"), None, None)


def handler(program: Program, lanes: Lanes) -> str:
    """Return the assembly of the handler; a program has an output, and no port without entries."""
    out = Emitter(lanes)
    ports = [*program.inputs, *program.outputs]

    def at(base: str, offset: int) -> str:
        return out.value(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(kind: str, base: str, offset: int) -> str:
        return out.value(f"load {kind}, ptr {at(base, offset)}")

    # which version this is written for
    extension = load("ptr", "%frame", EXTENSION)
    out.line(f"%none = icmp eq ptr {extension}, null")
    out.line("br i1 %none, label %run, label %look")
    out.lines.append("look:")
    kind = load("i32", extension, KIND)
    out.line(f"%asked = icmp eq i32 {kind}, {ASKS_FOR_VERSION}")
    out.line("br i1 %asked, label %answer, label %run")
    out.lines.append("answer:")
    metadata = load("ptr", extension, METADATA)
    major, minor = api_version()
    for offset, value in ((MAJOR, major), (MINOR, minor), (TRAITS, 0)):
        out.line(f"store i32 {value}, ptr {at(metadata, offset)}")
    out.line("ret ptr null")

    # how many states the first result has
    out.lines.append("run:")
    arguments, results = load("ptr", "%frame", ARGUMENTS), load("ptr", "%frame", RESULTS)
    buffers = [load("ptr", arguments, 8 * k) for k in range(len(program.inputs))]
    buffers += [load("ptr", results, 8 * k) for k in range(len(program.outputs))]
    first = buffers[len(program.inputs)]
    lengths = load("ptr", first, DIMENSIONS)
    rank = load("i64", first, RANK)
    out.line(f"%batch = sub i64 {rank}, {len(program.outputs[0].shape)}")
    out.line("br label %axis")
    out.lines.append("axis:")
    out.line("%k = phi i64 [0, %run], [%next, %more]")
    out.line("%count = phi i64 [1, %run], [%product, %more]")
    out.line("%some = icmp slt i64 %k, %batch")
    out.line("br i1 %some, label %more, label %call")
    out.lines.append("more:")
    where = out.value(f"getelementptr i64, ptr {lengths}, i64 %k")
    length = out.value(f"load i64, ptr {where}")
    out.line(f"%product = mul i64 %count, {length}")
    out.line("%next = add i64 %k, 1")
    out.line("br label %axis")

    # rows lie side by side
    out.lines.append("call:")
    out.line(f"%args = alloca [{len(ports)} x ptr]")
    out.line(f"%steps = alloca [{len(ports)} x i64]")
    out.line("%dims = alloca i64")
    out.line("store i64 %count, ptr %dims")
    for k, (port, buffer) in enumerate(zip(ports, buffers, strict=True)):
        out.line(f"store ptr {load('ptr', buffer, DATA)}, ptr {at('%args', 8 * k)}")
        out.line(f"store i64 {port.size * lanes.size}, ptr {at('%steps', 8 * k)}")
    out.line("call void @loop(ptr %args, ptr %dims, ptr %steps, ptr null)")
    out.line("ret ptr null")
    return "\n".join(["define ptr @handler(ptr %frame) {", "entry:", *out.lines, "}", ""])


@cache
def api_version() -> tuple[int, int]:
    """Return the version that this is written for, so that XLA refuses it after the next break.

    Minor versions add to the interface and break nothing; XLA wants its own.
    """
    import jax

    header = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    minor = re.search(r"#define XLA_FFI_API_MINOR (\d+)", header.read_text(encoding="utf-8"))
    return WRITTEN_FOR, int(minor[1]) if minor else 0
