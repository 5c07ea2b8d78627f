"""Compiled kernels as XLA calls them: handlers of its foreign function interface.

The interface is a struct of C (`xla/ffi/api/c_api.h`, which JAX ships): a call gets a frame with
pointers to buffers, and asks once, before the first call, for the version it was written for.

On a processor the handler is emitted beside the loop that NumPy's gufuncs have, and calls it. For
a GPU it is a Python function that only puts a kernel into XLA's own stream, so that Python costs
some ten microseconds a call and the GPU nothing.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from qddot.backends.cuda import CudaKernel
from qddot.backends.cuda_launch import Launch
from qddot.backends.ir import Emitter, Lanes
from qddot.backends.llvm import MachineCode, compile_module, widest_lanes
from qddot.backends.loops import batch_lanes, batch_loop
from qddot.program.program import Program

ASKS_FOR_VERSION = 1
WRITTEN_FOR = 0  # the interface's major version, in which things are where they are
UNKNOWN = 2  # an error code of XLA
Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


# the structs of `c_api.h`, as far as they are needed


class Extension(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.c_void_p),
    )


class Metadata(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("version_size", ctypes.c_size_t),
        ("version_extension", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("traits", ctypes.c_uint32),
    )


class Buffer(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    )


class Buffers(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("each", ctypes.POINTER(ctypes.POINTER(Buffer))),
    )


class StreamArguments(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
    )


class ErrorArguments(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
        ("code", ctypes.c_int),
    )


class Api(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("version", ctypes.c_byte * 24),
        ("internal", ctypes.c_void_p),
        ("make_error", Handler),
        ("error_message", ctypes.c_void_p),
        ("end_error", ctypes.c_void_p),
        ("register", ctypes.c_void_p),
        ("get_stream", Handler),
    )


class CallFrame(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.POINTER(Extension)),
        ("api", ctypes.POINTER(Api)),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("arguments", Buffers),
        ("results", Buffers),
    )


def offset(struct: type[ctypes.Structure], field: str) -> int:
    """Return where a field of a struct is [bytes]."""
    return getattr(struct, field).offset


def capsule(address: Any) -> Any:
    """Return the address of a handler as JAX takes it."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return make(address, None, None)


def compiled_handler(program: Program, single: bool) -> tuple[MachineCode, Any]:
    """Return the machine code for a processor, to be kept, and the capsule that JAX registers."""
    lanes = batch_lanes(program, widest_lanes(), single)
    code = compile_module(batch_loop(program, lanes) + handler(program, lanes))
    return code, capsule(code.address("handler"))


def handler(program: Program, lanes: Lanes) -> str:
    """Return the assembly of the handler; a program has an output, and no port without entries."""
    out = Emitter(lanes)
    ports = [*program.inputs, *program.outputs]

    def at(base: str, place: int) -> str:
        return out.value(f"getelementptr i8, ptr {base}, i64 {place}")

    def load(kind: str, base: str, place: int) -> str:
        return out.value(f"load {kind}, ptr {at(base, place)}")

    # which version this is written for
    extension = load("ptr", "%frame", offset(CallFrame, "extension"))
    out.line(f"%none = icmp eq ptr {extension}, null")
    out.line("br i1 %none, label %run, label %look")
    out.lines.append("look:")
    kind = load("i32", extension, offset(Extension, "kind"))
    out.line(f"%asked = icmp eq i32 {kind}, {ASKS_FOR_VERSION}")
    out.line("br i1 %asked, label %answer, label %run")
    out.lines.append("answer:")
    metadata = load("ptr", extension, offset(Extension, "metadata"))
    major, minor = api_version()
    for field, value in (("major", major), ("minor", minor), ("traits", 0)):
        out.line(f"store i32 {value}, ptr {at(metadata, offset(Metadata, field))}")
    out.line("ret ptr null")

    # how many states the first result has
    out.lines.append("run:")
    each = offset(Buffers, "each")
    arguments = load("ptr", "%frame", offset(CallFrame, "arguments") + each)
    results = load("ptr", "%frame", offset(CallFrame, "results") + each)
    buffers = [load("ptr", arguments, 8 * k) for k in range(len(program.inputs))]
    buffers += [load("ptr", results, 8 * k) for k in range(len(program.outputs))]
    first = buffers[len(program.inputs)]
    lengths = load("ptr", first, offset(Buffer, "dims"))
    rank = load("i64", first, offset(Buffer, "rank"))
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
    data = offset(Buffer, "data")
    for k, (port, buffer) in enumerate(zip(ports, buffers, strict=True)):
        out.line(f"store ptr {load('ptr', buffer, data)}, ptr {at('%args', 8 * k)}")
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


def gpu_handler(program: Program, single: bool) -> tuple[Any, Any]:
    """Return the function that launches on a GPU, to be kept, and the capsule of it."""
    kernel = CudaKernel(program, np.dtype(np.float32 if single else np.float64))

    def handle(address: int) -> int | None:
        frame = CallFrame.from_address(address)
        if frame.extension and frame.extension[0].kind == ASKS_FOR_VERSION:
            told = Metadata.from_address(frame.extension[0].metadata)
            (told.major, told.minor), told.traits = api_version(), 0
            return None
        try:
            launch(kernel, frame)
        except Exception as error:  # nothing may be raised through XLA
            words = f"{type(error).__name__}: {error}".encode()
            what = ErrorArguments(ctypes.sizeof(ErrorArguments), None, words, UNKNOWN)
            return frame.api[0].make_error(ctypes.addressof(what))
        return None

    function = Handler(handle)
    return function, capsule(ctypes.cast(function, ctypes.c_void_p))


def launch(kernel: CudaKernel, frame: CallFrame) -> None:
    """Put the kernel into the stream that a call belongs to."""
    import cupy

    program = kernel.program
    inputs = [frame.arguments.each[k][0] for k in range(len(program.inputs))]
    outputs = [frame.results.each[k][0] for k in range(len(program.outputs))]
    first = outputs[0]
    batch = first.dims[: first.rank - len(program.outputs[0].shape)]
    count = prod(batch)
    if not count:
        return
    ask = StreamArguments(ctypes.sizeof(StreamArguments), None, frame.context, None)
    frame.api[0].get_stream(ctypes.addressof(ask))
    arguments: list[int] = []
    for port, buffer in zip(program.inputs, inputs, strict=True):
        arguments += [buffer.data, port.size]
    arguments += [buffer.data for buffer in outputs]
    device = cupy.cuda.runtime.pointerGetAttributes(first.data).device
    with cupy.cuda.Device(device):
        Launch(kernel.compiled, arguments, count).into(ask.stream or 0)
