"""CUDA kernels as XLA's GPU calls them: a handler of its foreign function interface, in Python.

The handler only puts a kernel into XLA's own stream, so that Python costs some ten microseconds a
call and the GPU nothing. The structs are those of `xla/ffi/api/c_api.h`; see `jax_call`.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any

import numpy as np

from qddot.backends.cuda import CudaKernel
from qddot.backends.device_arrays import in_stream
from qddot.backends.jax_call import ASKS_FOR_VERSION, api_version
from qddot.program.program import Program

Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
UNKNOWN = 2  # an error code of XLA


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


Asked = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


class Api(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("version", ctypes.c_byte * 24),
        ("internal", ctypes.c_void_p),
        ("make_error", Asked),
        ("error_message", ctypes.c_void_p),
        ("end_error", ctypes.c_void_p),
        ("register", ctypes.c_void_p),
        ("get_stream", Asked),
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


def gpu_handler(program: Program, single: bool) -> tuple[Any, Any]:
    """Return what must be kept, and the capsule that JAX registers."""
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
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return function, capsule(ctypes.cast(function, ctypes.c_void_p), None, None)


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
    arguments: list[Any] = []
    for port, buffer in zip(program.inputs, inputs, strict=True):
        arguments += [np.uintp(buffer.data), np.int64(port.size)]
    arguments += [np.uintp(buffer.data) for buffer in outputs]
    device = cupy.cuda.runtime.pointerGetAttributes(first.data).device
    with in_stream(ask.stream or 0, device):
        kernel.compiled.launch(count, *arguments)
