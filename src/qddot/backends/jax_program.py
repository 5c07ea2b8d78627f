"""Programs in JAX: one primitive, whose derivatives are programs too.

On a CPU a program is the kernel that LLVM compiled, on a GPU the CUDA kernel where CuPy is
installed; elsewhere it is lowered to JAX's own operations. Forward and reverse derivatives of any
order are those of `program.differentiate`, so that JAX compiles none of them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from importlib.util import find_spec
from threading import RLock
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding, PartitionSpec

from qddot.backends.jax_call import compiled_handler, gpu_handler
from qddot.program.differentiate import gradient, tangent
from qddot.program.optimise import optimised
from qddot.program.ports import batch_of, check_count, split
from qddot.program.program import Port, Program

PROGRAM_BY_DIGEST: dict[str, JaxProgram] = {}
TRACING_LOCK = RLock()  # threads that trace at once: JAX takes one kernel of a name


@dataclass(frozen=True, eq=False)
class JaxProgram:
    """A program of which every port has entries, and its derivatives when they are asked for."""

    program: Program
    targets: dict[str, Any] = field(default_factory=dict)  # machine code by name; it must live on

    @cached_property
    def inputs(self) -> tuple[Port, ...]:
        return self.program.inputs

    @cached_property
    def outputs(self) -> tuple[Port, ...]:
        return self.program.outputs

    def pushed(self, wrt: tuple[int, ...]) -> JaxProgram:
        return self._derived(tangent, wrt)

    def pulled(self, wrt: tuple[int, ...]) -> JaxProgram:
        return self._derived(gradient, wrt)

    @cached_property
    def _known(self) -> dict[Any, JaxProgram]:
        return {}

    def _derived(self, how: Callable[..., Program], wrt: tuple[int, ...]) -> JaxProgram:
        key = (how, wrt)
        if key not in self._known:
            names = [self.inputs[k].name for k in wrt]
            self._known[key] = known(optimised(how(self.program, names)))
        return self._known[key]

    def target(self, platform: str, single: bool) -> str:
        """Return the name under which JAX knows the compiled kernel."""
        name = f"qddot_{platform}_{self.program.digest[:24]}_{'f32' if single else 'f64'}"
        made = gpu_handler if platform == "CUDA" else compiled_handler
        with TRACING_LOCK:
            if name not in self.targets:
                self.targets[name], capsule = made(self.program, single)
                jax.ffi.register_ffi_target(name, capsule, platform=platform)
        return name


def known(program: Program) -> JaxProgram:
    """Return a program for JAX, one for all that are equal."""
    return PROGRAM_BY_DIGEST.setdefault(program.digest, JaxProgram(program))


def function(program: Program) -> Callable[..., Any]:
    """Return a program as a function of JAX arrays; leading axes broadcast."""
    # XLA has no use for arrays without entries
    ports = [tuple(p for p in some if p.size) for some in (program.inputs, program.outputs)]
    of = known(replace(program, inputs=ports[0], outputs=ports[1]))

    def call(*arrays: Any) -> Any:
        check_count(program.name, program.inputs, arrays)
        rows, batch, dtype = _rows(program.inputs, arrays)
        given = [x for x, p in zip(rows, program.inputs, strict=True) if p.size]
        found = iter(run(of, given) if given and of.outputs else _constants(of, dtype))
        outputs = [
            jnp.broadcast_to(next(found), batch + port.shape)
            if port.size
            else jnp.zeros(batch + port.shape, dtype)
            for port in program.outputs
        ]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    call.__name__ = program.name if program.name.isidentifier() else "recorded"
    return call


def _constants(of: JaxProgram, dtype: Any) -> list[Any]:
    """Return the outputs of a program without inputs."""
    found = of.program() if of.outputs else ()
    return [jnp.asarray(x, dtype) for x in (found if isinstance(found, tuple) else (found,))]


def _rows(ports: Sequence[Port], arrays: Sequence[Any]) -> tuple[list[Any], tuple[int, ...], Any]:
    """Return the arrays, all of one type and one batch, with these; or refuse them."""
    rows = [jnp.asarray(x) for x in arrays]
    # whole numbers become what JAX takes a float for; half precision becomes single
    dtype = jnp.promote_types(jnp.result_type(float, *rows), jnp.float32)
    batch = batch_of(ports, [x.shape for x in rows])
    whole = [
        jnp.broadcast_to(x.astype(dtype), batch + p.shape) for p, x in zip(ports, rows, strict=True)
    ]
    return whole, batch, dtype


# the primitive: its arrays all have the same leading axes and the same type

program_p = Primitive("qddot_program")
program_p.multiple_results = True


def run(of: JaxProgram, arrays: Sequence[Any]) -> list[Any]:
    axes = [_varying(jax.typeof(x)) for x in arrays] if hasattr(jax, "typeof") else []
    if len(set(axes)) > 1:
        # what devices share becomes theirs: its derivative is the sum of what they pull back
        every = frozenset().union(*axes)
        arrays = [_cast(x, tuple(every - some)) for x, some in zip(arrays, axes, strict=True)]
    return program_p.bind(*arrays, of=of)


def _varying(aval: Any) -> frozenset:
    """Return the axes of devices along which a value differs, inside jax.shard_map."""
    manual = getattr(aval, "mat", None)  # in versions before 0.10, it is vma
    return getattr(aval, "vma", frozenset()) if manual is None else manual.varying


def _cast(x: Any, axes: tuple[Any, ...]) -> Any:
    if not axes:
        return x
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(x, axes, to="varying")
    return getattr(jax.lax, "pvary")(x, axes)  # noqa: B009, before version 0.9


@cache
def _compiled(of: JaxProgram) -> Callable[..., Any]:
    return jax.jit(lambda *arrays: run(of, arrays))


def _shapes(*arrays: Any, of: JaxProgram) -> list[Any]:
    first, port = arrays[0], of.inputs[0]
    batch = first.shape[: len(first.shape) - len(port.shape)]
    shapes = [batch + p.shape for p in of.outputs]
    if not _varying(first):
        return [ShapedArray(shape, first.dtype) for shape in shapes]
    mesh = first.sharding.mesh
    return [
        first.update(shape=s, sharding=NamedSharding(mesh, PartitionSpec(*[None] * len(s))))
        for s in shapes
    ]


def _batched(arrays: Sequence[Any], axes: Sequence[Any], *, of: JaxProgram) -> tuple[Any, Any]:
    size = next(x.shape[a] for x, a in zip(arrays, axes, strict=True) if a is not None)
    whole = [
        jnp.broadcast_to(x, (size, *x.shape)) if axis is None else jnp.moveaxis(x, axis, 0)
        for x, axis in zip(arrays, axes, strict=True)
    ]
    return run(of, whole), [0] * len(of.outputs)


def _pushed(primals: Sequence[Any], rates: Sequence[Any], *, of: JaxProgram) -> tuple[Any, Any]:
    moving = tuple(k for k, rate in enumerate(rates) if not isinstance(rate, ad.Zero))
    pushed = run(of.pushed(moving), [*primals, *(rates[k] for k in moving)])
    return run(of, primals), pushed


def _pulled(weights: Sequence[Any], *arrays: Any, of: JaxProgram) -> list[Any]:
    """Return the weights pulled back to the inputs in which the program is linear."""
    linear = tuple(k for k, x in enumerate(arrays) if ad.is_undefined_primal(x))
    # what a linear program gives does not depend on where it is linearised
    given = [_zeros(x.aval) if k in linear else x for k, x in enumerate(arrays)]
    whole = [_zeros(w.aval) if isinstance(w, ad.Zero) else w for w in weights]
    found = iter(run(of.pulled(linear), [*given, *whole]))
    return [next(found) if k in linear else None for k in range(len(arrays))]


def _zeros(like: Any) -> Any:
    return jnp.zeros(like.shape, like.dtype)


def _native(*arrays: Any, of: JaxProgram) -> list[Any]:
    """Compute a program by JAX's own operations, entry by entry."""
    program = of.program
    values: list[Any] = []
    for port, x in zip(program.inputs, arrays, strict=True):
        flat = x.reshape(*x.shape[: x.ndim - len(port.shape)], port.size)
        values += [flat[..., i] for i in range(port.size)]
    dtype, shape = values[0].dtype, values[0].shape
    constants = tuple(jnp.asarray(c, dtype) for c in program.constants)
    found = replace(program, constants=constants).results_at(values)
    whole = [jnp.broadcast_to(x, shape) for x in found]
    return [
        jnp.stack(part, axis=-1).reshape(*shape, *port.shape).astype(dtype)
        for port, part in split(program.outputs, whole)
    ]


def _by_kernel(platform: str, context: Any, *arrays: Any, of: JaxProgram) -> Any:
    """Lower to a kernel that is compiled here, or to JAX's own operations where there is none."""
    dtype = context.avals_out[0].dtype
    if dtype not in (jnp.float32, jnp.float64) or (platform == "CUDA" and not _cupy_is_here()):
        return mlir.lower_fun(_native, multiple_results=True)(context, *arrays, of=of)
    target = of.target(platform, dtype == jnp.float32)
    return jax.ffi.ffi_lowering(target)(context, *arrays)


@cache
def _cupy_is_here() -> bool:
    return find_spec("cupy") is not None


program_p.def_impl(lambda *arrays, of: _compiled(of)(*arrays))
program_p.def_abstract_eval(_shapes)
batching.primitive_batchers[program_p] = _batched
ad.primitive_jvps[program_p] = _pushed
ad.primitive_transposes[program_p] = _pulled
mlir.register_lowering(program_p, mlir.lower_fun(_native, multiple_results=True))
mlir.register_lowering(program_p, partial(_by_kernel, "cpu"), platform="cpu")
mlir.register_lowering(program_p, partial(_by_kernel, "CUDA"), platform="cuda")
