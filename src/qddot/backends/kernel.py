"""A compiled program behind one callable: quick for one state, wide for batches, threads for many.

The border of the numbers: shapes, types and memory layouts are checked or mended here, once, and
nothing behind it looks at them again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from qddot.backends.call_layout import KernelCall
from qddot.backends.fastcall import make_fastcall
from qddot.backends.gufunc import make_gufunc
from qddot.backends.ir import Lanes
from qddot.backends.llvm import MachineCode, compile_module, widest_lanes
from qddot.backends.loops import batch_lanes, batch_loop, module, single_state
from qddot.backends.threads import in_rounds
from qddot.checks import real_array
from qddot.errors import BadArgument
from qddot.program.ports import Refusal, batch_of, check_count, wrong_shape
from qddot.program.program import Port, Program
from qddot.progress import message_if_slow
from qddot.results import in_notebook

# operations: some 45 µs; handing work over takes 15
WORTH_A_THREAD = 1_300_000
FROM_THE_SYSTEM = 128 * 1024  # [bytes]; the C library asks the system for more than that
WORTH_A_WORD = 2_000_000_000  # about a tenth of a second


@dataclass(frozen=True)
class Kernel:
    """A program, compiled on first use."""

    program: Program
    dtype: np.dtype = field(default_factory=lambda: np.dtype(np.float64))
    threads: int = 1
    refuse: Refusal = wrong_shape
    results: Callable[..., Any] = tuple  # several results together: tuple, or a named tuple
    # if given, the program's last result is no result: it is 1 where the others are right, and
    # where it is not, this gives them instead, for a batch of such states
    otherwise: Callable[..., Any] | None = None

    @cached_property
    def call(self) -> Callable[..., Any]:
        """The callable to hand to users: the compiled front for one state, then `general`."""
        return make_fastcall(self.program.name, self.general, self.asked)

    @cached_property
    def one_state(self) -> MachineCode:
        """The function `state` of one pointer per array, for one state."""
        lanes = Lanes(1, single=self.dtype == np.float32)
        with message_if_slow(f"compiling {self.program.name}"):
            return compile_module(module(*single_state(self.program, lanes)))

    @cached_property
    def gufunc(self) -> Any:
        """The batch as a NumPy gufunc; it wants contiguous rows, and no arrays without entries."""
        ports = (self.program.inputs, self.program.outputs)
        inputs, outputs = (tuple(port for port in some if port.size) for some in ports)
        program = replace(self.program, inputs=inputs, outputs=outputs)
        lanes = batch_lanes(program, widest_lanes(), self.dtype == np.float32)
        with message_if_slow(f"compiling {program.name} for batches"):
            return make_gufunc(program, compile_module(batch_loop(program, lanes)), self.dtype)

    def __repr__(self) -> str:
        return f"<Kernel {self.program!r}, {self.dtype}>"

    _repr_html_ = in_notebook("robots.kernel_html")

    def __getstate__(self) -> dict[str, Any]:
        """Compiled code stays behind when a kernel is copied or sent to another process."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        return self.call(*arrays) if out is None else self.call(*arrays, out=out)

    def asked(self, *arrays: Any, out: Any = None) -> Any:
        """Return the call of `general` with these arguments, not made yet."""
        return KernelCall(self, arrays, out)

    def general(self, *arrays: Any, out: Any = None) -> Any:
        """Return the outputs for arrays of any layout, broadcast over their leading axes."""
        program = self.program
        check_count(program.name, program.inputs, arrays)
        pairs = zip(program.inputs, arrays, strict=True)
        given = [real_array(port.name, x, self.dtype) for port, x in pairs]
        batch = batch_of(program.inputs, [x.shape for x in given], self.refuse)
        inputs = [_contiguous_rows(p, x) for p, x in zip(program.inputs, given, strict=True)]
        outputs = ready = self._outputs(batch, out)
        if out is not None:  # what is written must not be read again
            inputs = [
                x.copy() if any(np.may_share_memory(x, o) for o in outputs) else x for x in inputs
            ]
            pairs = zip(program.outputs, outputs, strict=False)
            ready = [_contiguous_rows(port, np.asarray(x)) for port, x in pairs]
        regular = [np.empty(batch, self.dtype)] if self.otherwise else []
        self._run(inputs, [*ready, *regular], batch)
        for right in regular:
            self._mend(right != 1, inputs, ready, batch)
        for given, computed in zip(outputs, ready, strict=True):
            if given is not computed:
                given[...] = computed
        # a single number is a number, as NumPy's own functions have it
        found = [x if x.ndim or out is not None else x[()] for x in outputs]
        if len(found) == 1:
            return found[0]
        return tuple(found) if self.results is tuple else self.results(*found)

    def _mend(
        self,
        wrong: np.ndarray,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray],
        batch: tuple[int, ...],
    ) -> None:
        """Compute the states again for which the program's results are not right."""
        if self.otherwise is None or not wrong.any():
            return
        pairs = zip(self.program.inputs, inputs, strict=True)
        found = self.otherwise(*(np.broadcast_to(x, batch + p.shape)[wrong] for p, x in pairs))
        for x, mended in zip(outputs, found if len(outputs) > 1 else [found], strict=True):
            x[wrong] = mended

    def _outputs(self, batch: tuple[int, ...], out: Any) -> list[np.ndarray]:
        ports = self.program.outputs[:-1] if self.otherwise else self.program.outputs
        if out is None:
            return _empty([batch + port.shape for port in ports], self.dtype)
        given = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(given) != len(ports):
            raise BadArgument(
                f"out has {len(given)} arrays; {self.program.name} gives {len(ports)}."
            )
        for port, array in zip(ports, given, strict=True):
            wanted = batch + port.shape
            if not isinstance(array, np.ndarray) or array.shape != wanted:
                shape = getattr(array, "shape", type(array).__name__)
                raise BadArgument(f"out is {shape}; it must be an array of shape {wanted}.")
            if array.dtype != self.dtype:
                raise BadArgument(f"out has type {array.dtype}; it must be {self.dtype}.")
            if not array.flags.writeable:
                raise BadArgument("out is read-only.")
        return given

    def _run(
        self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], batch: tuple[int, ...]
    ) -> None:
        """Run the batch in pieces along its longest axis: one, one a thread, many if it is long."""
        work = prod(batch) * max(len(self.program), 1)
        length = max(batch, default=1)
        threads = max(1, min(self.threads, work // WORTH_A_THREAD, length))
        rounds = max(1, min(work // (WORTH_A_WORD * threads), length // threads))
        if threads == rounds == 1:
            self._piece(inputs, outputs)
            return
        axis = batch.index(length) - len(batch)
        edges = [length * k // (threads * rounds) for k in range(threads * rounds + 1)]

        def piece(k: int) -> None:
            part = slice(edges[k], edges[k + 1])
            ins, outs = self.program.inputs, self.program.outputs
            self._piece(
                [_share(p, x, axis, part) for p, x in zip(ins, inputs, strict=True)],
                [_share(p, x, axis, part) for p, x in zip(outs, outputs, strict=True)],
            )

        in_rounds(self.program.name, piece, threads * rounds, threads)

    def _piece(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> None:
        outs = tuple(x for x in outputs if x.size)
        if outs:
            # NaN and infinities are data, here as for a single state
            with np.errstate(all="ignore"):
                self.gufunc(*(x for x in inputs if x.size), out=outs)


def _empty(shapes: list[tuple[int, ...]], dtype: np.dtype) -> list[np.ndarray]:
    """Return arrays for results; several large ones lie in one block of memory.

    When a result is let go of and the next one is made, the C library hands out the same memory
    again if it was one block, but fetches new memory from the system, zeroed page by page, if it
    was several. That takes longer than a Panda's derivatives themselves.
    """
    sizes = [prod(shape) for shape in shapes]
    if len(shapes) == 1 or sum(sizes) * dtype.itemsize < FROM_THE_SYSTEM:
        return [np.empty(shape, dtype) for shape in shapes]
    block, ends = np.empty(sum(sizes), dtype), np.cumsum(sizes)
    pairs = zip(np.split(block, ends[:-1]), shapes, strict=True)
    return [part.reshape(shape) for part, shape in pairs]


def _contiguous_rows(port: Port, array: np.ndarray) -> np.ndarray:
    """Return the array itself if the entries of one state lie side by side, else a copy."""
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    step = array.itemsize
    for length, stride in zip(reversed(port.shape), reversed(array.strides), strict=False):
        if length != 1 and stride != step:
            return np.ascontiguousarray(array)
        step *= length
    return array if array.flags.aligned else array.copy()


def _share(port: Port, array: np.ndarray, axis: int, part: slice) -> np.ndarray:
    """Return a piece of an array along an axis of the batch; one that is broadcast stays whole."""
    at = array.ndim - len(port.shape) + axis
    if at < 0 or array.shape[at] == 1:
        return array
    return array[(slice(None),) * at + (part,)]
