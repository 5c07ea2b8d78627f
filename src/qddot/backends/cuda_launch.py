"""Kernels compiled for the GPU that is there, and their launches: by CuPy, without its checks."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from qddot.backends.cuda_prelude import WARP, Real
from qddot.backends.cuda_source import THREADS, KernelText, source
from qddot.backends.device_arrays import cupy_or_error

SPILLED = 8  # [bytes] a thread that may be kept in memory: one number


@dataclass(frozen=True)
class Resources:
    """What a kernel takes of a GPU."""

    registers: int  # a thread
    shared: int  # [bytes] a block
    local: int  # [bytes] a thread: what did not fit into registers
    occupancy: float  # of the threads that a multiprocessor can hold


class Compiled:
    """A kernel compiled by NVRTC for the GPU that is there, ready to be launched.

    How many registers a program takes only the compiler can tell: if it keeps values in memory, the
    kernel is compiled again for fewer blocks at a time, which leaves more registers to each.
    """

    def __init__(self, text: KernelText, real: Real):
        cp = cupy_or_error()
        while True:
            module = cp.RawModule(code=source([text], real), options=("--std=c++17",))
            self.text, self.function = text, module.get_function(text.name)
            fewer = text.with_more_registers()
            if fewer is None or self.function.attributes["local_size_bytes"] <= SPILLED:
                break
            text = fewer
        self.shared = text.shared(real)
        self.by_device: dict[int, int] = {}  # the function as the driver knows it

    def launch(self, count: int, *arguments: Any) -> None:
        """Run it for so many states; the count is its last argument."""
        if count:  # no block is less than CUDA takes
            stream = cupy_or_error().cuda.get_current_stream()
            Launch(self, [_bits(x) for x in arguments], count).into(stream.ptr)

    def on(self, device: int) -> int:
        """Return the function on a device, which must be the current one."""
        if device not in self.by_device:
            self.function.max_dynamic_shared_size_bytes = self.shared
            self.by_device[device] = self.function.kernel.ptr
        return self.by_device[device]

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


class Launch:
    """A kernel with its arguments, packed as the driver takes them: one call puts it in a stream.

    Arguments are whole numbers, of 64 bits each: addresses on the GPU, distances, counts.
    """

    def __init__(self, compiled: Compiled, arguments: Sequence[int], count: int):
        device, self.put = _driver()
        self.values = (ctypes.c_uint64 * (len(arguments) + 1))(*arguments, count)
        first = ctypes.addressof(self.values)
        self.places = (ctypes.c_uint64 * len(self.values))(
            *range(first, first + 8 * len(self.values), 8)
        )
        self.shape = (
            *(compiled.on(device()), compiled.text.blocks(count), 1, 1),
            *(THREADS, 1, 1, compiled.shared),
        )
        self.compiled, self.arguments = compiled, ctypes.addressof(self.places)

    def into(self, stream: int) -> None:
        """Put it into a stream."""
        self.put(*self.shape, stream, self.arguments, 0)


@cache
def _driver() -> tuple[Callable[[], int], Callable[..., None]]:
    """Return what gives the current device, and what launches: CuPy's own, without its checks."""
    from cupy.cuda import runtime
    from cupy_backends.cuda.api import driver

    return runtime.getDevice, driver.launchKernel


def _bits(x: Any) -> int:
    """Return an array's address, or a number as the whole number of the same 64 bits."""
    if hasattr(x, "__cuda_array_interface__"):
        return x.data.ptr
    if isinstance(x, float):  # NumPy's is one too
        return int(np.float64(x).view(np.uint64))
    return int(x)


class BoundCall:
    """A kernel bound to arrays on a GPU: a call is one launch, and nothing is allocated.

    It reads the arrays as they are when it runs, and writes `outputs` anew each time. It goes into
    the current stream of CuPy, or of PyTorch if the arrays are PyTorch's, so that a CUDA graph can
    capture it. Made by `CudaKernel.bind`.
    """

    def __init__(self, launch: Launch | None, arrays: Any, outputs: Any, stream: Any):
        self.launch, self.arrays, self.outputs, self.stream = launch, arrays, outputs, stream

    def __call__(self) -> Any:
        """Launch it, and return the outputs, which are the same arrays each time."""
        if self.launch is not None:
            self.launch.into(self.stream())
        return self.outputs


def _warps(there: int, taken: int) -> int:
    """Return for how many warps something is enough, in whole blocks."""
    in_a_block = THREADS // WARP
    return there // max(taken * in_a_block, 1) * in_a_block if taken else there
