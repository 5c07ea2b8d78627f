"""Arrays of other packages, in and out of CuPy without a copy (DLPack)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.errors import BadArgument, MissingExtra


@dataclass(frozen=True)
class Kind:
    """What package an array is of."""

    package: str  # "numpy", "cupy", "torch" or "jax"

    @property
    def on_host(self) -> bool:
        return self.package == "numpy"

    def to_cupy(self, cp: Any, x: Any, dtype: np.dtype) -> Any:
        """Return an array as CuPy's; numbers and arrays of NumPy among the others are copied."""
        if self.package == "torch" and getattr(x, "requires_grad", False):
            raise BadArgument(
                "A tensor that requires a gradient was given to a CUDA kernel, which has none.\n"
                "  Use qddot.to_torch(robot), which has; or give tensor.detach()."
            )
        if package_of(x) == self.package != "cupy":
            x = cp.from_dlpack(x)
        return cp.asarray(x, dtype=dtype)

    def from_cupy(self, x: Any) -> Any:
        """Return an array of CuPy as one of this kind."""
        if self.package == "torch":
            import torch

            return torch.from_dlpack(x)
        if self.package == "jax":
            import jax.dlpack

            return jax.dlpack.from_dlpack(x)
        return x

    def stream(self, cp: Any) -> int:
        """Return the stream in which the package works now."""
        if self.package == "torch":
            import torch

            return torch.cuda.current_stream().cuda_stream
        return cp.cuda.get_current_stream().ptr


def kind_of(arrays: Sequence[Any]) -> Kind:
    """Return what the arrays are: the package of those that live on a GPU, else NumPy."""
    found = {package_of(x) for x in arrays} - {"numpy"}
    if len(found) > 1:
        raise BadArgument(
            f"Arrays of {' and '.join(sorted(found))} were given together.\n"
            "  Give arrays of one package, and numbers or arrays of NumPy beside them."
        )
    kind = Kind(found.pop() if found else "numpy")
    for x in arrays:
        if package_of(x) == "torch" and x.device.type != "cuda":
            raise BadArgument(
                "A tensor on the CPU was given to a CUDA kernel.\n"
                "  Move it first, tensor.cuda(), or use qddot.to_torch(robot)."
            )
        if package_of(x) == "jax" and not _on_gpu(x):
            raise BadArgument(
                "An array of JAX that is not on a GPU was given to a CUDA kernel.\n"
                "  Move it first, jax.device_put, or use qddot.to_jax(robot), which can be jitted."
            )
    return kind


def _on_gpu(x: Any) -> bool:
    """Say whether an array of JAX lies on a GPU; while JAX traces, it lies nowhere."""
    from jax.core import Tracer

    return not isinstance(x, Tracer) and all(d.platform == "gpu" for d in x.devices())


def package_of(x: Any) -> str:
    """Return the package that an array is of, without importing any."""
    package = type(x).__module__.partition(".")[0]
    if package in ("cupy", "torch"):
        return package
    jax = sys.modules.get("jax")
    return "jax" if jax is not None and isinstance(x, jax.Array) else "numpy"


def cupy_or_error() -> Any:
    """Return CuPy, where it is installed and finds a GPU."""
    try:
        import cupy
    except ImportError:
        raise MissingExtra("A CUDA kernel", "cupy", "cuda") from None
    try:
        if not cupy.cuda.runtime.getDeviceCount():
            raise RuntimeError
    except Exception:
        raise BadArgument(
            "CuPy finds no NVIDIA GPU on this machine.\n"
            "  Run it where there is one, or write the source: qddot export ROBOT --target cuda."
        ) from None
    return cupy
