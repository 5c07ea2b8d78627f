"""A program on an NVIDIA GPU: compiled there by CuPy, for arrays that live there.

Arrays of CuPy, PyTorch and JAX come in and go out through DLPack without a copy, and the result is
of the same kind. Arrays of NumPy are carried over in pieces that fit into the GPU's memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import Any

import numpy as np

from qddot.backends.cuda_launch import BoundCall, Compiled, Launch, Resources
from qddot.backends.cuda_prelude import Real
from qddot.backends.cuda_source import THREADS, KernelText, kernel, source
from qddot.backends.device_arrays import cupy_or_error, kind_of
from qddot.errors import BadArgument
from qddot.program.ports import batch_of, check_count
from qddot.program.program import Port, Program

SHARE = 0.4  # of the free memory that pieces of host arrays may take
KNOWN_SHAPES = 64  # combinations of shapes of which a kernel remembers what they mean


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
        cp = sys.modules.get("cupy")
        if cp and all(type(x) is cp.ndarray and x.dtype == self.dtype for x in arrays):
            found = self.on_device(cp, arrays)  # the short way
            return found[0] if len(found) == 1 else tuple(found)
        kind = kind_of(arrays)
        cp = cupy_or_error()
        if kind.on_host:
            return self._carried(cp, [np.asarray(x, self.dtype) for x in arrays])
        rows = [kind.to_cupy(cp, x, self.dtype) for x in arrays]
        outputs = [kind.from_cupy(x) for x in self.on_device(cp, rows)]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def bind(self, *arrays: Any, out: Any = None) -> BoundCall:
        """Return a call that is one launch, for arrays that stay where they are.

        Args:
            arrays: What a call takes: on the GPU, contiguous, of the kernel's type.
            out: Arrays for the outputs, one or several; new ones if not given.
        """
        check_count(self.program.name, self.program.inputs, arrays)
        kind, cp = kind_of(arrays), cupy_or_error()
        if kind.on_host:
            raise BadArgument("A kernel is bound to arrays on the GPU; these are of NumPy.")
        rows = [kind.to_cupy(cp, x, self.dtype) for x in arrays]
        for port, given, row in zip(self.program.inputs, arrays, rows, strict=True):
            stays = getattr(given, "dtype", None) is not None and row.flags.c_contiguous
            if not stays or str(given.dtype).removeprefix("torch.") != self.dtype.name:
                raise BadArgument(
                    f"{port.name} must be a contiguous array of {self.dtype} to be bound.\n"
                    "  What is read later is the array itself, and not a copy of it."
                )
        batch = _batch(self.program.inputs, rows)
        wanted = [batch + port.shape for port in self.program.outputs]
        for port, row in zip(self.program.inputs, rows, strict=True):
            if row.shape not in (batch + port.shape, port.shape):
                raise BadArgument(
                    f"{port.name} has shape {row.shape}; to be bound it must have shape "
                    f"{batch + port.shape} or {port.shape}."
                )
        given = [] if out is None else list(out) if isinstance(out, (tuple, list)) else [out]
        outputs = [kind.to_cupy(cp, x, self.dtype) for x in given] or [
            cp.empty(shape, self.dtype) for shape in wanted
        ]
        right = [x.shape for x in outputs] == wanted and all(x.flags.c_contiguous for x in outputs)
        if not right or any(str(x.dtype).removeprefix("torch.") != self.dtype.name for x in given):
            raise BadArgument(
                f"out must be contiguous, of {self.dtype}, and of shape "
                f"{' and '.join(map(str, wanted))}."
            )
        there = given or [kind.from_cupy(x) for x in outputs]
        found = there[0] if len(there) == 1 else tuple(there)
        launch = self._launch(rows, outputs, prod(batch))
        return BoundCall(launch, (rows, outputs), found, partial(kind.stream, cp))

    def on_device(self, cp: Any, arrays: Sequence[Any]) -> list[Any]:
        """Return the outputs of arrays of CuPy."""
        batch, whole = self._shapes(tuple([x.shape for x in arrays]))
        rows = [
            x
            if x.shape == shape and x.flags.c_contiguous
            # one that all states share stays as it is
            else cp.ascontiguousarray(x if len(shape) == x.ndim else cp.broadcast_to(x, shape))
            for x, shape in zip(arrays, whole, strict=True)
        ]
        outputs = [cp.empty(batch + port.shape, self.dtype) for port in self.program.outputs]
        launch = self._launch(rows, outputs, prod(batch))
        if launch is not None:
            launch.into(cp.cuda.get_current_stream().ptr)
        return outputs

    @cached_property
    def _known_shapes(self) -> dict[Any, Any]:
        return {}

    def _shapes(self, shapes: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], list[Any]]:
        """Return the batch, and which shape each input must have: one row, or one a state."""
        known = self._known_shapes
        if shapes not in known:
            ports = self.program.inputs
            batch = batch_of(ports, shapes)
            if len(known) >= KNOWN_SHAPES:
                known.clear()
            known[shapes] = (
                batch,
                [
                    port.shape if len(shape) == len(port.shape) else batch + port.shape
                    for port, shape in zip(ports, shapes, strict=True)
                ],
            )
        return known[shapes]

    def _launch(self, rows: Sequence[Any], outputs: Sequence[Any], count: int) -> Launch | None:
        """Return the launch for contiguous arrays of CuPy, if there is anything to compute."""
        arguments: list[Any] = []
        for port, x in zip(self.program.inputs, rows, strict=True):
            if port.size:
                arguments += [x.data.ptr, 0 if x.ndim == len(port.shape) else port.size]
        results = [x.data.ptr for x, p in zip(outputs, self.program.outputs, strict=True) if p.size]
        if not count or not results:
            return None
        return Launch(self.compiled, [*arguments, *results], count)

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
