"""CUDA source: one kernel per function, to be compiled by nvcc or NVRTC."""

from __future__ import annotations

from collections.abc import Sequence

from qddot.backends.cuda_prelude import Real
from qddot.backends.cuda_source import THREADS, kernel, source
from qddot.errors import printable
from qddot.exporting.functions import ExportedFunction, identifier
from qddot.robot import Robot


def cuda_files(robot: Robot, functions: Sequence[ExportedFunction], single: bool) -> dict[str, str]:
    """Return the files by their names."""
    real, stem = Real(single), identifier(robot.name, "robot")
    kernels = [kernel(f.program, f"{stem}_{f.name}", real) for f in functions]
    lines = [f"// {_plain(printable(robot.name))}, {real.name}; one thread per state", "//"]
    for function, text in zip(functions, kernels, strict=True):
        lines += [
            f"// {text.name}: {_plain(function.words)}",
            f"//   <<<(count + {THREADS - 1}) / {THREADS}, {THREADS}, {text.shared(real)}>>>"
            f"({', '.join(_arguments(function))}, count)",
        ]
    lines += [
        "//",
        "// Rows lie side by side, _step entries apart; a step of 0 has all states share one row.",
        "// More than 48 KiB of shared memory must be asked for (cudaFuncSetAttribute).",
        "",
    ]
    return {f"{stem}.cu": "\n".join(lines) + source(kernels, real)}


def _arguments(function: ExportedFunction) -> list[str]:
    given = [part for name, port in function.inputs() for part in (name, str(port.size))]
    return [*given, *(name for name, _ in function.outputs())]


def _plain(text: str) -> str:
    """Return a text on one line, whose comment nothing in it can end or prolong."""
    return " ".join(text.encode("ascii", "replace").decode().replace("\\", "/").split())
