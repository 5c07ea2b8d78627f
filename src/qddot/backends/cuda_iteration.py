"""A whole rollout as one CUDA kernel: one thread a trajectory, its state in registers.

A step reads no memory but what it is given anew, and writes only what is kept, so that a rollout
runs at the speed of its arithmetic.
"""

from __future__ import annotations

from qddot.backends.cuda_prelude import Real
from qddot.backends.cuda_source import KernelText, Mirror, Outputs, head
from qddot.backends.source import write
from qddot.program.iteration import Iteration, Stage


def iteration_kernel(loop: Iteration, name: str, real: Real) -> KernelText:
    """Return the kernel that takes a batch of trajectories rows × every steps further.

    Its arguments; distances are in entries:

        state          one row a trajectory, side by side; read first, written last
        constants      one row a trajectory, constants_step apart
        given          a trajectory's rows, given_row apart from step to step
        kept0, ...     for each output of `kept`, shape (count, rows, size)
        rows, every    how many rows are kept, and how many steps there are from one to the next
        before         how many steps were taken before
        h              how long a step is
    """
    sizes = loop.sizes
    mirror = Mirror()
    kept_lines: list[str] = []
    kept = Outputs(loop.kept.outputs, mirror, kept_lines, _kept_row)
    write(kept_lines, loop.kept, real.dialect, _entry, kept.put, "k")
    arguments = [
        *("real* __restrict__ state_rows", "const real* __restrict__ constants_rows"),
        *("long long constants_step", "const real* __restrict__ given_rows"),
        *("long long given_step", "long long given_row"),
        *(f"real* __restrict__ out{k}" for k, p in enumerate(loop.kept.outputs) if p.size),
        *("long long rows_kept", "long long every", "long long before", "double h_long"),
        "long long count",
    ]
    body = [
        f"STATES(count, {mirror.used})",
        "const real h = (real)h_long;",
        "(void)h, (void)constants_rows, (void)constants_step;",
        "(void)given_rows, (void)given_step, (void)given_row;",
        *(f"real state{i} = state_rows[state * {sizes['state']} + {i}];" for i in _all(sizes)),
        *(
            f"const real constants{i} = constants_rows[state * constants_step + {i}];"
            for i in range(sizes["constants"])
        ),
        "for (long long row = 0; row < rows_kept; ++row) {",
        "  for (long long e = 0; e < every; ++e) {",
        "    const long long step = before + row * every + e;",
        "    const real t = (real)(h_long * (double)step);",
        "    (void)t;",
        *(
            f"    const real given{i} = given_rows[state * given_step + step * given_row + {i}];"
            for i in range(sizes["given"])
        ),
        *(f"    {line}" for stage in loop.stages for line in _stage(stage, real)),
        "  }",
        *(f"  {line}" for line in kept_lines),
        "}",
        "ALL_HAVE_READ",
        *(f"state_rows[state * {sizes['state']} + {i}] = state{i};" for i in _all(sizes)),
        "END_OF_STATES",
    ]
    lines = [head(name, arguments, len(loop)), *(f"  {line}" for line in body), "}", ""]
    return KernelText(name, "\n".join(lines), mirror.used)


def _stage(stage: Stage, real: Real) -> list[str]:
    """Return a stage: everything is read before anything is changed."""
    lines: list[str] = []
    changed: list[str] = []

    def put(k: int, value: str) -> None:
        if value != f"state{k}":  # what stays as it is needs no copy
            lines.append(f"const real next{k} = {value};")
            changed.append(f"state{k} = next{k};")

    write(lines, stage.program, real.dialect, _entry, put)
    repeat = f"for (int r = 0; r < {stage.repeats}; ++r) " if stage.repeats > 1 else ""
    return [f"{repeat}{{", *(f"  {line}" for line in (*lines, *changed)), "}"]


def _entry(name: str, i: int) -> str:
    return name if name in ("t", "h") else f"{name}{i}"


def _kept_row(k: int, size: int) -> tuple[str, str]:
    """Return where an output's row is, and how far that of the next trajectory is."""
    return f"(out{k} + row * {size})", f"rows_kept * {size}"


def _all(sizes: dict[str, int]) -> range:
    return range(sizes["state"])
