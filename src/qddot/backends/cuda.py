"""A program on an NVIDIA GPU: compiled there by CuPy, for arrays that live there.

Arrays of CuPy, PyTorch and JAX come in and go out through DLPack without a copy, and the result is
of the same kind. Arrays of NumPy are carried over in pieces that fit into the GPU's memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from qddot.backends.cuda_prelude import WARP, Real
from qddot.backends.cuda_source import THREADS, KernelText, kernel, source
from qddot.backends.device_arrays import cupy_or_error, kind_of
from qddot.program.ports import batch_of, check_count
from qddot.program.program import Port, Program

SHARE = 0.4  # of the free memory that pieces of host arrays may take


@dataclass(frozen=True)
class Resources:
    """What a kernel takes of a GPU."""

    registers: int  # a thread
    shared: int  # [bytes] a block
    local: int  # [bytes] a thread: what did not fit into registers
    occupancy: float  # of the threads that a multiprocessor can hold


class Compiled:
    """A kernel compiled by NVRTC for the GPU that is there, ready to be launched."""

    def __init__(self, text: KernelText, real: Real):
        module = cupy_or_error().RawModule(code=source([text], real), options=("--std=c++17",))
        self.function = module.get_function(text.name)
        self.shared = text.shared(real)
        self.function.max_dynamic_shared_size_bytes = self.shared

    def launch(self, count: int, *arguments: Any) -> None:
        """Run it for so many states; the count is its last argument."""
        blocks = -(-count // THREADS)
        if blocks:  # none is more than CUDA takes
            given = (*arguments, np.int64(count))
            self.function((blocks,), (THREADS,), given, shared_mem=self.shared)

    def resources(self) -> Resources:
        """Return what it takes of this GPU."""
        from cupy.cuda import runtime

        taken = self.function.attributes
        a_multiprocessor = runtime.getDeviceProperties(runtime.getDevice())
        warps = min(
            a_multiprocessor["maxThreadsPerMultiProcessor"] // WARP,
            _warps(a_multiprocessor["regsPerMultiprocessor"], taken["num_regs"] * WARP),
            _warps(a_multiprocessor["sharedMemPerMultiprocessor"], self.shared * WARP // THREADS),
        )
        return Resources(
            taken["num_regs"],
            self.shared + taken["shared_size_bytes"],
            taken["local_size_bytes"],
            warps * WARP / a_multiprocessor["maxThreadsPerMultiProcessor"],
        )


def _warps(there: int, taken: int) -> int:
    """Return for how many warps something is enough, in whole blocks."""
    in_a_block = THREADS // WARP
    return there // max(taken * in_a_block, 1) * in_a_block if taken else there


@dataclass(frozen=True)
class CudaKernel:
    """A program compiled for a GPU on first use.

    Its arrays have shape (..., and the input's own); leading axes broadcast.
    """

    program: Program
    dtype: np.dtype

    @property
    def real(self) -> Real:
        return Real(self.dtype == np.float32)

    @cached_property
    def text(self) -> KernelText:
        return kernel(self.program, "run", self.real)

    @property
    def source(self) -> str:
        """The CUDA source that is compiled."""
        return source([self.text], self.real)

    @cached_property
    def compiled(self) -> Compiled:
        return Compiled(self.text, self.real)

    def resources(self) -> Resources:
        """Return what the kernel takes of this GPU."""
        return self.compiled.resources()

    def __call__(self, *arrays: Any) -> Any:
        """Return the outputs: one alone, several as a tuple."""
        check_count(self.program.name, self.program.inputs, arrays)
        kind = kind_of(arrays)
        cp = cupy_or_error()
        if kind.on_host:
            return self._carried(cp, [np.asarray(x, self.dtype) for x in arrays])
        rows = [kind.to_cupy(cp, x, self.dtype) for x in arrays]
        outputs = [kind.from_cupy(x) for x in self.on_device(cp, rows)]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def on_device(self, cp: Any, arrays: Sequence[Any]) -> list[Any]:
        """Return the outputs of arrays of CuPy."""
        batch = _batch(self.program.inputs, arrays)
        count = prod(batch)
        arguments: list[Any] = []
        for port, x in zip(self.program.inputs, arrays, strict=True):
            if port.size:
                alone = x.ndim == len(port.shape)
                whole = x if alone else cp.broadcast_to(x, batch + port.shape)
                arguments += [cp.ascontiguousarray(whole), np.int64(0 if alone else port.size)]
        outputs = [cp.empty(batch + port.shape, self.dtype) for port in self.program.outputs]
        arguments += [x for x in outputs if x.size]
        if count and any(port.size for port in self.program.outputs):
            self.compiled.launch(count, *arguments)
        return outputs

    def _carried(self, cp: Any, arrays: list[np.ndarray]) -> Any:
        """Return the outputs of arrays of NumPy, carried over and back in pieces."""
        ports, batch = self.program.inputs, _batch(self.program.inputs, arrays)
        count = prod(batch)
        rows = [
            x
            if x.ndim == len(p.shape)
            else np.broadcast_to(x, batch + p.shape).reshape(count, *p.shape)
            for p, x in zip(ports, arrays, strict=True)
        ]
        outputs = [np.empty((count, *p.shape), self.dtype) for p in self.program.outputs]
        for part in self._pieces(cp, count):
            here = [
                cp.asarray(x if x.ndim == len(p.shape) else x[part])
                for p, x in zip(ports, rows, strict=True)
            ]
            for whole, piece in zip(outputs, self.on_device(cp, here), strict=True):
                whole[part] = piece.get() if batch else piece.get()[None]
        shaped = [
            x.reshape(batch + p.shape) for p, x in zip(self.program.outputs, outputs, strict=True)
        ]
        found = [x if x.ndim else x[()] for x in shaped]
        return found[0] if len(found) == 1 else tuple(found)

    def _pieces(self, cp: Any, count: int) -> Iterator[slice]:
        entries = sum(port.size for port in (*self.program.inputs, *self.program.outputs))
        free = cp.cuda.runtime.memGetInfo()[0] + cp.get_default_memory_pool().free_bytes()
        most = max(THREADS, int(SHARE * free) // max(entries * self.dtype.itemsize, 1))
        for start in range(0, count, most):
            yield slice(start, min(start + most, count))


def _batch(ports: tuple[Port, ...], arrays: Sequence[Any]) -> tuple[int, ...]:
    return batch_of(ports, [x.shape for x in arrays])
