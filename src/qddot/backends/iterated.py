"""A compiled loop behind one call: pieces, threads and pointers are its business alone."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.gufunc import address
from qddot.backends.ir import Lanes
from qddot.backends.iterate import iteration_loop
from qddot.backends.kernel import WORTH_A_THREAD, WORTH_A_WORD, Kernel
from qddot.backends.llvm import MachineCode, compile_module, widest_lanes
from qddot.backends.threads import in_rounds
from qddot.program.program import Iteration
from qddot.progress import message_if_slow

# as `iterate.ARGUMENTS` has them
RUN = ctypes.CFUNCTYPE(
    None,
    *[ctypes.c_void_p] * 4,
    ctypes.c_int64,
    *[ctypes.c_void_p] * 2,
    *[ctypes.c_int64] * 4,
    ctypes.c_double,
)


@dataclass(frozen=True)
class Given:
    """Rows that steps are given: where each trajectory's begin, and how far apart they are."""

    rows: np.ndarray  # its memory; what it looks like is told by the rest
    offsets: np.ndarray  # (count,) [bytes], int64
    step: int = 0  # [bytes]; 0 where every step is given the same


@dataclass(frozen=True)
class IteratedKernel:
    """A loop over steps, compiled on first use."""

    loop: Iteration
    dtype: np.dtype = field(default_factory=lambda: np.dtype(np.float64))
    threads: int = 1

    @cached_property
    def start(self) -> Kernel:
        """What makes first states, compiled on its own: it runs once a trajectory."""
        return Kernel(self.loop.start, self.dtype, self.threads)

    @cached_property
    def _length(self) -> int:
        return len(self.loop)

    @property
    def lanes(self) -> int:
        return widest_lanes() * 8 // self.dtype.itemsize

    @cached_property
    def code(self) -> tuple[Any, MachineCode]:
        """The function, and what keeps it alive."""
        lanes = Lanes(self.lanes, self.dtype == np.float32)
        with message_if_slow(f"compiling {self.loop.name}"):
            code = compile_module(iteration_loop(self.loop, lanes))
        return RUN(code.address("run")), code

    def __getstate__(self) -> dict[str, Any]:
        """Compiled code stays behind when a kernel is copied or sent to another process."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def run(
        self,
        state: np.ndarray,
        constants: np.ndarray,
        given: Given,
        kept: Sequence[np.ndarray],
        *,
        every: int,
        h: float,
    ) -> None:
        """Take every trajectory through its steps of h [s], and keep a row after every so many.

        The state (count, ...), contiguous, is where they start, and then where they end. The
        constants are one row a trajectory, contiguous; `given` is what the steps are given. `kept`
        has for each output an array of shape (count, rows, size), whose last two axes are
        contiguous.
        """
        count, rows = kept[0].shape[:2]
        if not count or not rows:
            return
        run, alive = self.code
        blocks = -(-count // self.lanes)
        work = blocks * self.lanes * rows * every * max(self._length, 1)
        apart = (ctypes.c_int64 * len(kept))(*(array.strides[0] for array in kept))
        if work < WORTH_A_THREAD:  # a call, not cut into pieces
            places = (ctypes.c_void_p * len(kept))(*map(address, kept))
            arrays = state, constants, given.rows, given.offsets
            at = [address(array) for array in arrays]
            run(*at, given.step, places, apart, rows, every, count, 0, h)
            return
        threads = max(1, min(self.threads, work // WORTH_A_THREAD, blocks))
        shares = threads * max(1, min(work // (WORTH_A_WORD * threads), blocks // threads))
        edges = [min(count, blocks * k // shares * self.lanes) for k in range(shares + 1)]
        most = max(1, WORTH_A_WORD * rows * every * shares // max(work, 1))
        pieces, piece_of_steps = _cut(rows, every, most)

        def piece(k: int) -> None:
            # a share goes through all its steps before the next one begins
            turn, thread = divmod(k, threads)
            turn, at = divmod(turn, pieces)
            low, high = (edges[turn * threads + thread + end] for end in (0, 1))
            first, row, some, steps = piece_of_steps(at)
            places = (ctypes.c_void_p * len(kept))(*(_at(array, low, row) for array in kept))
            run(
                *(_at(state, low), _at(constants, low)),
                *(_at(given.rows), _at(given.offsets, low), given.step),
                *(places, apart, some, steps, high - low, first, h),
            )

        if shares * pieces == 1:
            piece(0)
        else:
            in_rounds(self.loop.name, piece, shares * pieces, threads)
        del alive  # not before the last piece is done


def _cut(rows: int, every: int, most: int) -> tuple[int, Callable[[int], tuple[int, ...]]]:
    """Cut the steps into pieces of at most so many: how many, and what the k-th one is.

    That is its first step, the row it leads to, how many rows it fills and the steps to each.
    A piece that ends between two rows writes to the row where it leads, and the next one over it.
    """
    if together := most // every:

        def whole_rows(k: int) -> tuple[int, ...]:
            row = k * together
            return row * every, row, min(together, rows - row), every

        return -(-rows // together), whole_rows

    parts = -(-every // most)

    def part_of_a_row(k: int) -> tuple[int, ...]:
        row, part = divmod(k, parts)
        return row * every + part * most, row, 1, min(most, every - part * most)

    return rows * parts, part_of_a_row


def _at(array: np.ndarray, *index: int) -> int:
    """Return the address of a row."""
    where = address(array)
    for i, stride in zip(index, array.strides, strict=False):
        where += i * stride
    return where
