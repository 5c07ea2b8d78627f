"""A compiled program behind one callable: quick for one state, wide for batches, threads for many.

The border of the numbers: shapes, types and memory layouts are checked or mended here, once, and
nothing behind it looks at them again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import prod
from typing import Any, NamedTuple
from weakref import ref

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
from qddot.program.ports import Port, Refusal, Shape, batch_of, check_count, wrong_shape
from qddot.program.program import Program
from qddot.progress import message_if_slow
from qddot.results import in_notebook

# operations: some 200 µs; handing work over takes 15, and more where the other core is asleep
WORTH_A_THREAD = 6_000_000
PLANS = 64  # shapes of calls that a kernel remembers
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
        """The callable to hand to users: the compiled front, then `general`."""
        return make_fastcall(self.program.name, self.general, self.asked)

    @property
    def result_ports(self) -> tuple[Port, ...]:
        """The outputs that callers get."""
        return self.program.outputs[:-1] if self.otherwise else self.program.outputs

    def code(self, name: str) -> MachineCode:
        """Return what is compiled: "state", a function for one state, or "loop", for a batch."""
        return self.one_state if name == "state" else self.batch

    @cached_property
    def one_state(self) -> MachineCode:
        """The function `state` of one pointer per array, for one state."""
        lanes = Lanes(1, single=self.dtype == np.float32)
        with message_if_slow(f"compiling {self.program.name}"):
            return compile_module(module(*single_state(self.program, lanes)))

    @cached_property
    def batch(self) -> MachineCode:
        """The function `loop` over a batch; it wants contiguous rows."""
        program = self._program_of_batches
        lanes = batch_lanes(program, widest_lanes(), self.dtype == np.float32)
        with message_if_slow(f"compiling {program.name} for batches"):
            return compile_module(batch_loop(program, lanes))

    @cached_property
    def gufunc(self) -> Any:
        """The batch as a NumPy gufunc; it wants contiguous rows, and no arrays without entries."""
        return make_gufunc(self._program_of_batches, self.batch, self.dtype)

    @property
    def _program_of_batches(self) -> Program:
        ports = (self.program.inputs, self.program.outputs)
        inputs, outputs = (tuple(port for port in some if port.size) for some in ports)
        return replace(self.program, inputs=inputs, outputs=outputs)

    @cached_property
    def at_once(self) -> int:
        """How many states in rows need nothing but the loop: no threads, no block of memory."""
        ports = (*self.program.inputs, *self.program.outputs)
        if self.otherwise or not all(port.size for port in ports):
            return 0
        most = (2 * WORTH_A_THREAD - 1) // max(len(self.program), 1)
        sizes = [port.size for port in self.program.outputs]
        row = sum(sizes) * self.dtype.itemsize
        return most if len(sizes) == 1 else min(most, (FROM_THE_SYSTEM - 1) // row)

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
        ports, dtype = self.program.inputs, self.dtype
        check_count(self.program.name, ports, arrays)
        pairs = zip(ports, arrays, strict=True)
        given = [real_array(port.name, x, dtype) for port, x in pairs]
        plan = self._plan(tuple([x.shape for x in given]))
        if plan.fitting and out is None:
            pairs = zip(given, plan.fitting, strict=True)
            found = self._fitting(*[contiguous(x, shape) for x, shape in pairs])
            if len(plan.batch) <= 1:
                return found
            each = (found,) if len(plan.results) == 1 else found
            pairs = zip(each, plan.results, strict=True)
            return self._together([x.reshape(shape) for x, shape in pairs])
        return self._broadcast(*given, out=out)

    @cached_property
    def _fitting(self) -> Callable[..., Any]:
        """The compiled front once more, for arrays that `general` has made fit.

        It does not hold the kernel, which holds it: so both go when nobody needs them.
        """
        itself = ref(self)

        def general(*arrays: np.ndarray, out: Any = None) -> Any:
            kernel = itself()
            assert kernel is not None, "a kernel is there while it computes"
            return kernel._broadcast(*arrays, out=out)

        def asked(*arrays: np.ndarray) -> KernelCall:
            return KernelCall(itself(), arrays, otherwise=general)

        return make_fastcall(self.program.name, general, asked)

    def _broadcast(self, *arrays: np.ndarray, out: Any = None) -> Any:
        """Return the outputs for arrays of the right type whose shapes are known to fit."""
        ports, dtype = self.program.inputs, self.dtype
        plan = self._plan(tuple([x.shape for x in arrays]))
        inputs = [contiguous_rows(port, x) for port, x in zip(ports, arrays, strict=True)]
        if out is None:
            outputs = ready = plan.new_results(dtype)
        else:  # what is written must not be read again
            outputs = self._checked_results(plan, out)
            inputs = [
                x.copy() if any(np.may_share_memory(x, o) for o in outputs) else x for x in inputs
            ]
            pairs = zip(self.result_ports, outputs, strict=True)
            ready = [contiguous_rows(port, np.asarray(x)) for port, x in pairs]
        regular = [np.empty(plan.batch, dtype)] if self.otherwise else []
        self._run(plan, inputs, ready + regular)
        for right in regular:
            self._mend(right != 1, inputs, ready, plan.batch)
        if out is not None:
            for written, computed in zip(outputs, ready, strict=True):
                if written is not computed:
                    written[...] = computed
        elif not plan.batch:
            # a single number is a number, as NumPy's own functions have it
            outputs = [x if x.ndim else x[()] for x in outputs]
        return self._together(outputs)

    def _together(self, outputs: Sequence[Any]) -> Any:
        if len(outputs) == 1:
            return outputs[0]
        return tuple(outputs) if self.results is tuple else self.results(*outputs)

    def _plan(self, shapes: tuple[Shape, ...]) -> BatchPlan:
        """Return what is to be done for arrays of these shapes; the last few are kept."""
        plan = self._plans.get(shapes)
        if plan is None:
            batch = batch_of(self.program.inputs, shapes, self.refuse)
            if len(self._plans) >= PLANS:
                self._plans.clear()
            results = tuple(batch + port.shape for port in self.result_ports)
            fitting = self._fitting_shapes(batch, shapes)
            plan = self._plans[shapes] = BatchPlan(batch, results, fitting, *self._shares(batch))
        return plan

    def _fitting_shapes(self, batch: Shape, shapes: Sequence[Shape]) -> Sequence[Shape]:
        """Return the shapes in which the compiled front takes arrays of these; none if it cannot.

        It takes rows, as long as all axes of the batch together, and states that stand for all.
        """
        states = prod(batch)
        if batch and not 0 < states <= self.at_once:
            return ()
        found = []
        for port, shape in zip(self.program.inputs, shapes, strict=True):
            if batch and shape == batch + port.shape:
                found.append((states, *port.shape))
            elif prod(shape) == port.size:
                found.append(port.shape)
            else:
                return ()
        return found

    @cached_property
    def _plans(self) -> dict[tuple[Shape, ...], BatchPlan]:
        return {}

    def _shares(self, batch: Shape) -> tuple[int, int]:
        """Return among how many threads a batch is shared, and in how many rounds."""
        work = prod(batch) * max(len(self.program), 1)
        length = max(batch, default=1)
        threads = max(1, min(self.threads, work // WORTH_A_THREAD, length))
        return threads, max(1, min(work // (WORTH_A_WORD * threads), length // threads))

    def _mend(
        self,
        wrong: np.ndarray,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray],
        batch: Shape,
    ) -> None:
        """Compute the states again for which the program's results are not right."""
        if self.otherwise is None or not wrong.any():
            return
        pairs = zip(self.program.inputs, inputs, strict=True)
        found = self.otherwise(*(np.broadcast_to(x, batch + p.shape)[wrong] for p, x in pairs))
        for x, mended in zip(outputs, found if len(outputs) > 1 else [found], strict=True):
            x[wrong] = mended

    def _checked_results(self, plan: BatchPlan, out: Any) -> list[np.ndarray]:
        given = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(given) != len(plan.results):
            raise BadArgument(
                f"out has {len(given)} arrays; {self.program.name} gives {len(plan.results)}."
            )
        for wanted, array in zip(plan.results, given, strict=True):
            if not isinstance(array, np.ndarray) or array.shape != wanted:
                shape = getattr(array, "shape", type(array).__name__)
                raise BadArgument(f"out is {shape}; it must be an array of shape {wanted}.")
            if array.dtype != self.dtype:
                raise BadArgument(f"out has type {array.dtype}; it must be {self.dtype}.")
            if not array.flags.writeable:
                raise BadArgument("out is read-only.")
        return given

    def _run(
        self, plan: BatchPlan, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]
    ) -> None:
        """Run the batch in pieces along its longest axis: one, one a thread, many if it is long."""
        batch, threads, rounds = plan.batch, plan.threads, plan.rounds
        if threads == rounds == 1:
            self._piece(inputs, outputs)
            return
        length = max(batch)
        axis = batch.index(length) - len(batch)
        edges = [length * k // (threads * rounds) for k in range(threads * rounds + 1)]

        def piece(k: int) -> None:
            part = slice(edges[k], edges[k + 1])
            ins, outs = self.program.inputs, self.program.outputs
            self._piece(
                [share(p, x, axis, part) for p, x in zip(ins, inputs, strict=True)],
                [share(p, x, axis, part) for p, x in zip(outs, outputs, strict=True)],
            )

        in_rounds(self.program.name, piece, threads * rounds, threads)

    def _piece(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> None:
        outputs = [x for x in outputs if x.size]
        if outputs:
            # NaN and infinities are data, here as for a single state
            with np.errstate(all="ignore"):
                self.gufunc(*[x for x in inputs if x.size], out=tuple(outputs))


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
