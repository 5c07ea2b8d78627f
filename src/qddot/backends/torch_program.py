"""Programs in PyTorch: one operator, whose derivatives are programs too.

On a CPU a program is the kernel that LLVM compiled, on a GPU the one that NVRTC compiled. PyTorch
sees one operator, so that it can be compiled around, mapped and differentiated twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from qddot.backends.cuda import CudaKernel
from qddot.backends.kernel import Kernel
from qddot.errors import BadArgument
from qddot.program.differentiate import gradient, tangent
from qddot.program.optimise import optimised
from qddot.program.program import Port, Program

KNOWN: list[TorchProgram] = []  # the operator takes numbers, so programs have some
NUMBERS: dict[str, int] = {}


@dataclass(frozen=True, eq=False)
class TorchProgram:
    """A program of which every port has entries."""

    program: Program

    @cache  # noqa: B019, programs are kept anyway
    def kernel(self, device: str, dtype: str) -> Callable[..., Any]:
        made = CudaKernel if device == "cuda" else Kernel
        return made(self.program, np.dtype(dtype))

    @cached_property
    def pulled(self) -> int:
        """The number of the program that pulls weights of the outputs back to all inputs."""
        names = [port.name for port in self.program.inputs]
        return number(optimised(gradient(self.program, names)))

    @cached_property
    def pushed(self) -> int:
        """The number of the program that pushes rates of all inputs forward to the outputs."""
        names = [port.name for port in self.program.inputs]
        return number(optimised(tangent(self.program, names)))

    def batch(self, array: Tensor) -> tuple[int, ...]:
        return tuple(array.shape[: array.dim() - len(self.program.inputs[0].shape)])


def number(program: Program) -> int:
    """Return the number of a program, one for all that are equal."""
    if program.digest not in NUMBERS:
        KNOWN.append(TorchProgram(program))
        NUMBERS[program.digest] = len(KNOWN) - 1
    return NUMBERS[program.digest]


# the operator: its tensors all have the same leading axes, the same type and the same device


@torch.library.custom_op("qddot::program", mutates_args=())
def run(arrays: list[Tensor], program: int) -> list[Tensor]:
    of, first = KNOWN[program], arrays[0]
    kernel = of.kernel(first.device.type, str(first.dtype).removeprefix("torch."))
    if first.is_cuda:
        found = kernel(*(x.detach().contiguous() for x in arrays))
    else:
        found = kernel(*(x.detach().numpy() for x in arrays))
    found = found if isinstance(found, tuple) else (found,)
    return [torch.as_tensor(x) for x in found]


@run.register_fake
def _(arrays: list[Tensor], program: int) -> list[Tensor]:
    batch = KNOWN[program].batch(arrays[0])
    return [arrays[0].new_empty(batch + port.shape) for port in KNOWN[program].program.outputs]


def _keep(ctx: Any, inputs: tuple, output: list[Tensor]) -> None:
    arrays, ctx.program = inputs
    ctx.save_for_backward(*arrays)


def _pull(ctx: Any, weights: list[Tensor | None]) -> tuple[list[Tensor], None]:
    of, arrays = KNOWN[ctx.program], list(ctx.saved_tensors)
    return run(arrays + _filled(of, of.program.outputs, weights, arrays[0]), of.pulled), None


# torch.compile differentiates the operator itself
run.register_autograd(_pull, setup_context=_keep)


class Run(torch.autograd.Function):
    """The operator for torch.func: forward by `tangent`, in reverse by `gradient`, and mapped."""

    @staticmethod
    def forward(program: int, *arrays: Tensor) -> tuple[Tensor, ...]:
        return tuple(run(list(arrays), program))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: tuple[Tensor, ...]) -> None:
        ctx.program, *arrays = inputs
        ctx.save_for_backward(*arrays)
        ctx.save_for_forward(*arrays)

    @staticmethod
    def backward(ctx: Any, *weights: Tensor | None) -> tuple[Tensor | None, ...]:
        of, arrays = KNOWN[ctx.program], ctx.saved_tensors
        whole = _filled(of, of.program.outputs, weights, arrays[0])
        return None, *Run.apply(of.pulled, *arrays, *whole)

    @staticmethod
    def jvp(ctx: Any, _: None, *rates: Tensor | None) -> tuple[Tensor, ...]:
        of, arrays = KNOWN[ctx.program], ctx.saved_tensors
        whole = _filled(of, of.program.inputs, rates, arrays[0])
        return Run.apply(of.pushed, *arrays, *whole)

    @staticmethod
    def vmap(info: Any, axes: tuple, program: int, *arrays: Tensor) -> tuple:
        whole = [
            x.unsqueeze(0).expand(info.batch_size, *x.shape) if axis is None else x.movedim(axis, 0)
            for x, axis in zip(arrays, axes[1:], strict=True)
        ]
        found = Run.apply(program, *(x.contiguous() for x in whole))
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
    key = number(replace(program, inputs=ports[0], outputs=ports[1]))

    def call(*arrays: Any) -> Any:
        if len(arrays) != len(program.inputs):
            names = ", ".join(port.name for port in program.inputs)
            raise BadArgument(
                f"{program.name} takes {len(program.inputs)} tensors ({names}), not {len(arrays)}."
            )
        rows, batch = _rows(program.inputs, arrays)
        given = [x for x, p in zip(rows, program.inputs, strict=True) if p.size]
        if torch.compiler.is_compiling():
            found = iter(run(given, key))
        else:
            found = iter(Run.apply(key, *given))
        outputs = [
            next(found) if port.size else rows[0].new_zeros(batch + port.shape)
            for port in program.outputs
        ]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    return call


def _rows(ports: Sequence[Port], arrays: Sequence[Any]) -> tuple[list[Tensor], tuple[int, ...]]:
    """Return the tensors, all of one type, device and batch, or refuse them."""
    given = [x for x in arrays if isinstance(x, Tensor)]
    dtype = torch.float64 if any(x.dtype == torch.float64 for x in given) else torch.float32
    devices = {x.device for x in given if x.dim() or x.is_cuda} or {torch.device("cpu")}
    if len(devices) > 1:
        names = " and ".join(sorted(map(str, devices)))
        raise BadArgument(f"The tensors are on {names}. Move them to one device: tensor.to(...).")
    dtype = dtype if given else torch.float64
    rows = [torch.as_tensor(x, dtype=dtype, device=next(iter(devices))) for x in arrays]
    batches = []
    for port, x in zip(ports, rows, strict=True):
        lead = x.dim() - len(port.shape)
        if lead < 0 or tuple(x.shape[lead:]) != port.shape:
            wanted = ", ".join(["...", *map(str, port.shape)])
            raise BadArgument(
                f"{port.name} has shape {tuple(x.shape)}; it must have shape ({wanted})."
            )
        batches.append(tuple(x.shape[:lead]))
    try:
        batch = tuple(torch.broadcast_shapes(*batches))
    except RuntimeError:
        shapes = ", ".join(f"{p.name} {tuple(x.shape)}" for p, x in zip(ports, rows, strict=True))
        raise BadArgument(
            f"The batches do not fit together: {shapes}. Leading axes must be equal or 1."
        ) from None
    whole = [x.expand(batch + p.shape).contiguous() for p, x in zip(ports, rows, strict=True)]
    return whole, batch
