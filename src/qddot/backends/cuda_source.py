"""A program as a CUDA kernel, one thread a state; a rollout as one, one thread a trajectory.

A thread reads its own rows, which its neighbours' rows share cache lines with. Results are put
together in memory that a warp shares, and leave it in large pieces; see `cuda_prelude`. A program
that keeps too much at a time is cut into parts, which different blocks compute for the same states.
A step of a rollout, whose state is in registers, reads no memory but what it is given anew and
writes only what is kept, so that it runs at the speed of its arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from qddot.backends.cuda_prelude import WARP, Real, prelude
from qddot.backends.cuda_tiles import KernelPart, Outputs, parts_of, tiles_of
from qddot.backends.fused import least_live, most_live
from qddot.backends.source import block_functions, write
from qddot.program.program import Iteration, Program, Stage

THREADS = 64  # in a block
# how many blocks a multiprocessor shall hold at least, where so many numbers of 8 bytes wait at
# once: warps that wait for memory need others to go on, but a long program needs registers more
BLOCKS = {45: 12, 60: 10, 100: 8, 110: 6}  # else 1
NARROW = 16  # entries of a row that the threads of a rollout write themselves


@dataclass(frozen=True)
class KernelText:
    """The text of a kernel, and what a launch needs to know."""

    name: str
    text: str
    entries: int  # of memory that a warp shares
    parts: int = 1  # how many blocks have the same states
    functions: tuple[str, ...] = ()  # that it calls

    def with_more_registers(self) -> KernelText | None:
        """Return the same with fewer blocks on a multiprocessor, if there can be fewer."""
        before, count, after = re.split(r"KERNEL\((\d+)\)", self.text, maxsplit=1)
        fewer = [blocks for blocks in (*BLOCKS.values(), 1) if blocks < int(count)]
        return replace(self, text=f"{before}KERNEL({fewer[0]}){after}") if fewer else None

    def shared(self, real: Real) -> int:
        """Return how many bytes a block shares."""
        return self.entries * real.size * (THREADS // WARP)

    def blocks(self, count: int) -> int:
        """Return how many blocks so many states need."""
        return -(-count // THREADS) * self.parts


def source(kernels: Sequence[KernelText], real: Real) -> str:
    """Return a whole file."""
    functions = dict.fromkeys(text for kernel in kernels for text in kernel.functions)
    text = "\n".join([*functions, *(kernel.text for kernel in kernels)])
    return f"#define THREADS {THREADS}\n{prelude(real)}\n{text}"


def head(name: str, arguments: Sequence[str], live: int, real: Real) -> str:
    """Return how a kernel begins, of a program in which so many values wait at once."""
    wait = live * real.size / 8
    blocks = next((count for most, count in BLOCKS.items() if wait <= most), 1)
    return f"KERNEL({blocks}) {name}({', '.join(arguments)}) {{"


def kernel(program: Program, name: str, real: Real) -> KernelText:
    """Return the kernel of a program.

    Its arguments: for each input its rows and how far apart they are, in entries (0 if all states
    share one); for each output its rows, side by side; then how many states there are.
    """
    given = {k: port for k, port in enumerate(program.inputs) if port.size}
    parts = parts_of(program)
    lines: list[str] = []
    entries = 0
    functions: dict[str, str] = {}
    for k, part in enumerate(parts):
        functions |= block_functions(part.program, real.dialect_of(part.program))
        own, used = part.written(real)
        lines += [f"PART({k}) {{", *(f"  {line}" for line in own), "}"] if parts[1:] else own
        entries = max(entries, used)
    arguments = [f"const real* __restrict__ in{k}, long long in{k}_step" for k in given]
    arguments += [f"real* __restrict__ out{k}" for k, p in enumerate(program.outputs) if p.size]
    live = max((part.live for part in parts), default=0)
    begin = head(name, [*arguments, "long long count"], live, real)
    # an input that a robot does not depend on is no reason for a warning
    unused = [f"(void)in{k}, (void)in{k}_step;" for k in given]
    states = f"STATES(count, {entries}, {max(len(parts), 1)})"
    body = [f"  {line}" for line in (*unused, states, *lines, "END_OF_STATES")]
    text = "\n".join([begin, *body, "}", ""])
    return KernelText(name, text, entries, max(len(parts), 1), tuple(functions.values()))


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
    loop = replace(
        loop,
        stages=tuple(
            replace(stage, program=least_live(stage.program, [range(sizes["state"]), ()], ()))
            for stage in loop.stages
        ),
    )
    kept_lines: list[str] = []
    rows = KernelPart.of(loop.kept, tiles_of(loop.kept.outputs))
    tiles, entries = rows.tiles, rows.used
    if all(port.size <= NARROW for port in loop.kept.outputs):  # far apart: threads write them
        tiles, entries = [replace(tile, at=None) for tile in tiles], 0
    kept = Outputs(tiles, kept_lines, _kept_row)
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
        f"STATES(count, {entries}, 1)",
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
    live = max(most_live(stage.program) for stage in loop.stages)
    lines = [head(name, arguments, live, real), *(f"  {line}" for line in body), "}", ""]
    return KernelText(name, "\n".join(lines), entries)


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
