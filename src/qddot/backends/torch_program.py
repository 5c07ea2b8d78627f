"""Programs in PyTorch: one operator, whose derivatives are programs too.

On a CPU a program is the kernel that LLVM compiled, on a GPU the one that NVRTC compiled. PyTorch
sees one operator, so that it can be compiled around, mapped and differentiated twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from qddot.backends.cuda import CudaKernel
from qddot.backends.cuda_launch import Launch
from qddot.backends.kernel import Kernel
from qddot.checks import not_real
from qddot.errors import BadArgument
from qddot.program.differentiate import gradient, tangent
from qddot.program.optimise import optimised
from qddot.program.ports import batch_of, check_count
from qddot.program.program import Port, Program

# by name: the digest of a program, then how another was derived from it. Compiled graphs hold such
# names, and another process may find them on its disk
PROGRAM_BY_NAME: dict[str, TorchProgram] = {}
F = TypeVar("F", bound=Callable[..., Any])
DERIVED = {"<": gradient, ">": tangent}  # weights pulled back to all inputs, rates pushed forward


@dataclass(frozen=True, eq=False)
class TorchProgram:
    """A program of which every port has entries."""

    program: Program

    @cache  # noqa: B019, programs are kept anyway
    def kernel(self, device: str, dtype: str) -> Any:
        made = CudaKernel if device == "cuda" else Kernel
        return made(self.program, np.dtype(dtype))

    def batch(self, array: Tensor) -> tuple[int, ...]:
        return tuple(array.shape[: array.dim() - len(self.program.inputs[0].shape)])


def known(name: str) -> TorchProgram:
    """Return a program by its name; derivatives are made when they are asked for."""
    if name not in PROGRAM_BY_NAME:
        of = known(name[:-1]).program
        derived = DERIVED[name[-1]](of, [port.name for port in of.inputs])
        PROGRAM_BY_NAME.setdefault(name, TorchProgram(optimised(derived)))
    return PROGRAM_BY_NAME[name]


# the operator: its tensors all have the same leading axes, the same type and the same device


def launched(arrays: Sequence[Tensor], program: str) -> list[Tensor]:
    """Return the outputs, computed where the tensors are; on a GPU in PyTorch's own stream."""
    of, first = known(program), arrays[0]
    kernel = of.kernel(first.device.type, str(first.dtype).removeprefix("torch."))
    if not first.is_cuda:
        found = kernel(*(x.numpy(force=True) for x in arrays))
        return [torch.as_tensor(x) for x in _tuple(found)]
    rows = [x.detach().contiguous() for x in arrays]
    batch = of.batch(first)
    outputs = [first.new_empty(batch + port.shape) for port in of.program.outputs]
    arguments: list[int] = []
    for port, x in zip(of.program.inputs, rows, strict=True):
        arguments += [x.data_ptr(), port.size]
    arguments += [x.data_ptr() for x in outputs]
    if count := prod(batch):
        with torch.cuda.device(first.device):
            stream = torch.cuda.current_stream().cuda_stream
            Launch(kernel.compiled, arguments, count).into(stream)
    return outputs


@torch.library.custom_op("qddot::program", mutates_args=())
def run(arrays: list[Tensor], program: str) -> list[Tensor]:
    return launched(arrays, program)


@run.register_fake
def _(arrays: list[Tensor], program: str) -> list[Tensor]:
    of = known(program)
    batch = of.batch(arrays[0])
    return [arrays[0].new_empty(batch + port.shape) for port in of.program.outputs]


def _keep(ctx: Any, inputs: tuple, output: list[Tensor]) -> None:
    arrays, ctx.program = inputs
    ctx.save_for_backward(*arrays)


def _pull(ctx: Any, weights: list[Tensor | None]) -> tuple[list[Tensor], None]:
    of, arrays = known(ctx.program), list(ctx.saved_tensors)
    whole = _filled(of, of.program.outputs, weights, arrays[0])
    return run(arrays + whole, ctx.program + "<"), None


# torch.compile differentiates the operator itself
run.register_autograd(_pull, setup_context=_keep)


def _not_compiled(function: F) -> F:
    """Keep torch.compile out of a function: it knows no rules of our own for torch.func."""
    return torch.compiler.disable(function)  # type: ignore[return-value]  # what it says it gives


def _run_as_written() -> None:
    """Have torch.compile leave the function that it is in as it is."""
    leave = getattr(torch._dynamo, "skip_frame", torch._dynamo.graph_break)  # older ones lack it
    leave()


class ProgramFunction(torch.autograd.Function):
    """The operator for torch.func: forward by `tangent`, in reverse by `gradient`, and mapped."""

    @staticmethod
    def forward(program: str, *arrays: Tensor) -> tuple[Tensor, ...]:
        return tuple(launched(arrays, program))  # the operator itself is ten times slower to call

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: tuple[Tensor, ...]) -> None:
        ctx.program, *arrays = inputs
        ctx.save_for_backward(*arrays)
        ctx.save_for_forward(*arrays)

    @staticmethod
    @_not_compiled
    def backward(ctx: Any, *weights: Tensor | None) -> tuple[Tensor | None, ...]:
        of, arrays = known(ctx.program), ctx.saved_tensors
        whole = _filled(of, of.program.outputs, weights, arrays[0])
        return None, *ProgramFunction.apply(ctx.program + "<", *arrays, *whole)

    @staticmethod
    @_not_compiled
    # its type is that of `Function.apply` here, which PyTorch's stubs do not know
    def jvp(ctx: Any, _: None, *rates: Tensor | None) -> tuple[Tensor, ...]:  # pyright: ignore
        of, arrays = known(ctx.program), ctx.saved_tensors
        whole = _filled(of, of.program.inputs, rates, arrays[0])
        return ProgramFunction.apply(ctx.program + ">", *arrays, *whole)

    @staticmethod
    @_not_compiled
    def vmap(info: Any, axes: tuple, program: str, *arrays: Tensor) -> tuple:  # pyright: ignore
        whole = [
            x.unsqueeze(0).expand(info.batch_size, *x.shape) if axis is None else x.movedim(axis, 0)
            for x, axis in zip(arrays, axes[1:], strict=True)
        ]
        found = ProgramFunction.apply(program, *(x.contiguous() for x in whole))
        return found, (0,) * len(found)


def _filled(
    of: TorchProgram, ports: Sequence[Port], given: Sequence[Tensor | None], like: Tensor
) -> list[Tensor]:
    """Return what was given, zeros where it was nothing."""
    return [
        like.new_zeros(of.batch(like) + port.shape) if x is None else x.contiguous()
        for x, port in zip(given, ports, strict=True)
    ]


def function(program: Program) -> Callable[..., Any]:
    """Return a program as a function of tensors; leading axes broadcast."""
    ports = [tuple(p for p in some if p.size) for some in (program.inputs, program.outputs)]
    some = replace(program, inputs=ports[0], outputs=ports[1])
    PROGRAM_BY_NAME.setdefault(some.digest, TorchProgram(some))
    constants = () if ports[0] else _tuple(some())

    def call(*arrays: Any) -> Any:
        if not torch._C._are_functorch_transforms_active():
            return body(*arrays)
        if torch.compiler.is_compiling():
            _run_as_written()
        return alone(*arrays)

    def body(*arrays: Any) -> Any:
        check_count(program.name, program.inputs, arrays)
        rows, batch = _rows(program.inputs, arrays)
        given = [x for x, p in zip(rows, program.inputs, strict=True) if p.size]
        if not given or not some.outputs:
            found = iter([rows[0].new_tensor(x).expand(batch + np.shape(x)) for x in constants])
        elif torch.compiler.is_compiling():
            found = iter(run(given, some.digest))
        elif _no_derivative_is_wanted(given):
            found = iter(launched(given, some.digest))
        else:
            found = iter(ProgramFunction.apply(some.digest, *given))
        outputs = [
            next(found) if port.size else rows[0].new_zeros(batch + port.shape)
            for port in program.outputs
        ]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    alone = _not_compiled(body)
    return call


def _no_derivative_is_wanted(arrays: Sequence[Tensor]) -> bool:
    """Say whether nobody differentiates or maps here: then the operator need not be kept."""
    if torch._C._are_functorch_transforms_active() or torch.autograd.forward_ad._current_level >= 0:
        return False
    return not torch.is_grad_enabled() or not any(x.requires_grad for x in arrays)


def _tuple(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def _rows(ports: Sequence[Port], arrays: Sequence[Any]) -> tuple[list[Tensor], tuple[int, ...]]:
    """Return the tensors, all of one type, device and batch, or refuse them."""
    first = arrays[0] if arrays else None
    if isinstance(first, Tensor) and first.dtype in (torch.float64, torch.float32):
        batch = tuple(first.shape[: first.dim() - len(ports[0].shape)])
        if all(
            isinstance(x, Tensor)
            and (x.dtype, x.device) == (first.dtype, first.device)
            and x.shape == (*batch, *port.shape)
            and x.is_contiguous()
            for port, x in zip(ports, arrays, strict=True)
        ):
            return list(arrays), batch  # nothing to change
    for port, x in zip(ports, arrays, strict=True):
        if x.is_complex() if isinstance(x, Tensor) else np.iscomplexobj(x):
            raise not_real(port.name)
    given = [x for x in arrays if isinstance(x, Tensor)]
    # whole numbers become what PyTorch takes a float for; half precision becomes single
    types = {x.dtype if x.is_floating_point() else torch.get_default_dtype() for x in given}
    dtype = torch.float64 if torch.float64 in types or not given else torch.float32
    devices = {x.device for x in given if x.dim() or x.is_cuda} or {torch.device("cpu")}
    if len(devices) > 1:
        names = " and ".join(sorted(map(str, devices)))
        raise BadArgument(f"The tensors are on {names}. Move them to one device: tensor.to(...).")
    # a copy of what NumPy has: PyTorch takes no array that is read-only or reversed
    whole = [np.array(x) if isinstance(x, np.ndarray) else x for x in arrays]
    rows = [torch.as_tensor(x, dtype=dtype, device=next(iter(devices))) for x in whole]
    shapes = [tuple(x.shape) for x in rows]
    batch = tuple(batch_of(ports, shapes, broadcast=torch.broadcast_shapes))
    ready = [x.expand(batch + p.shape).contiguous() for p, x in zip(ports, rows, strict=True)]
    return ready, batch
