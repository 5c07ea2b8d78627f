"""The arrays of a batch: what follows from their shapes, new ones for results, rows and shares."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from qddot.program.ports import Port, Shape

FROM_THE_SYSTEM = 128 * 1024  # [bytes]; the C library asks the system for more than that


class BatchPlan(NamedTuple):
    """What follows from the shapes of the arrays of a call."""

    batch: Shape
    results: tuple[Shape, ...]  # the shapes of what callers get
    fitting: Sequence[Shape]  # the shapes in which the compiled front takes the arrays, or none
    threads: int
    rounds: int

    def new_results(self, dtype: np.dtype) -> list[np.ndarray]:
        """Return arrays for results; several large ones lie in one block of memory.

        When a result is let go of and the next one is made, the C library hands out the same memory
        again if it was one block, but fetches new memory from the system, zeroed page by page, if
        it was several. That takes longer than a Panda's derivatives themselves.
        """
        if len(self.results) == 1:
            return [np.empty(self.results[0], dtype)]
        sizes = [prod(shape) for shape in self.results]
        if sum(sizes) * dtype.itemsize < FROM_THE_SYSTEM:
            return [np.empty(shape, dtype) for shape in self.results]
        block, ends = np.empty(sum(sizes), dtype), np.cumsum(sizes)
        pairs = zip(np.split(block, ends[:-1]), self.results, strict=True)
        return [part.reshape(shape) for part, shape in pairs]


def contiguous(array: np.ndarray, shape: Shape) -> np.ndarray:
    """Return the array in another shape, a copy where its entries do not lie side by side."""
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        array = array.copy()
    return array if array.shape == shape else array.reshape(shape)


def contiguous_rows(port: Port, array: np.ndarray) -> np.ndarray:
    """Return the array itself if the entries of one state lie side by side, else a copy."""
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    step = array.itemsize
    for length, stride in zip(reversed(port.shape), reversed(array.strides), strict=False):
        if length != 1 and stride != step:
            return np.ascontiguousarray(array)
        step *= length
    return array if array.flags.aligned else array.copy()


def share(port: Port, array: np.ndarray, axis: int, part: slice) -> np.ndarray:
    """Return a piece of an array along an axis of the batch; one that is broadcast stays whole."""
    at = array.ndim - len(port.shape) + axis
    if at < 0 or array.shape[at] == 1:
        return array
    return array[(slice(None),) * at + (part,)]
