"""A program as a CUDA kernel, one thread a state; a rollout as one, one thread a trajectory.

A thread reads its own rows, which its neighbours' rows share cache lines with, and writes a narrow
result itself. Wide results pass through memory that a warp shares; see `cuda_prelude`. A step of a
rollout, whose state is in registers, reads no memory but what it is given anew and writes only
what is kept, so that it runs at the speed of its arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qddot.backends.cuda_prelude import WARP, Real, prelude
from qddot.backends.source import write
from qddot.program.optimise import demand_order
from qddot.program.program import Iteration, Port, Program, Stage

THREADS = 64  # in a block
# how many blocks a multiprocessor shall hold at least, for programs of at most so many operations:
# warps that wait for memory need others to go on, but a long program needs registers more
BLOCKS = {800: 8, 1500: 6}
NARROW = 16  # entries of a row that threads write themselves
# entries of a state that a warp's memory has room for: 64 KiB a block, which GPUs have since 2018
WIDEST = 128
PIECE = 16  # entries of a wider row that are copied out at once: 128 or 64 bytes


@dataclass(frozen=True)
class KernelText:
    """The text of a kernel, and what a launch needs to know."""

    name: str
    text: str
    entries: int  # of memory that a warp shares

    def shared(self, real: Real) -> int:
        """Return how many bytes a block shares."""
        return self.entries * real.size * (THREADS // WARP)


@dataclass
class Mirror:
    """Where rows lie in a warp's own memory, as the kernel is written."""

    used: int = 0

    def take(self, width: int) -> int:
        """Return where 32 rows of so many entries go."""
        at, self.used = self.used, self.used + WARP * width
        return at

    def has_room(self, width: int) -> bool:
        return self.used + WARP * width <= WARP * WIDEST


def source(kernels: Sequence[KernelText], real: Real) -> str:
    """Return a whole file."""
    text = "\n".join(kernel.text for kernel in kernels)
    return f"#define THREADS {THREADS}\n{prelude(real)}\n{text}"


def head(name: str, arguments: Sequence[str], operations: int) -> str:
    """Return how a kernel begins."""
    blocks = next((count for most, count in BLOCKS.items() if operations <= most), 1)
    return f"KERNEL({blocks}) {name}({', '.join(arguments)}) {{"


def kernel(program: Program, name: str, real: Real) -> KernelText:
    """Return the kernel of a program.

    Its arguments: for each input its rows and how far apart they are, in entries (0 if all states
    share one); for each output its rows, side by side; then how many states there are.
    """
    lines: list[str] = []
    mirror = Mirror()
    outputs = Outputs(program.outputs, mirror, lines)
    number = {port.name: k for k, port in enumerate(program.inputs)}

    def read(port: str, i: int) -> str:
        k = number[port]
        return f"in{k}[state * in{k}_step + {i}]"

    if outputs.in_pieces:  # the entries of a piece shall be known soon after one another
        program = demand_order(program)
    write(lines, program, real.dialect, read, outputs.put)
    arguments = [
        f"const real* __restrict__ in{k}, long long in{k}_step"
        for k, port in enumerate(program.inputs)
        if port.size
    ]
    arguments += [f"real* __restrict__ out{k}" for k, p in enumerate(program.outputs) if p.size]
    begin = head(name, [*arguments, "long long count"], len(program))
    # an input that a robot does not depend on is no reason for a warning
    unused = [f"(void)in{k}, (void)in{k}_step;" for k, p in enumerate(program.inputs) if p.size]
    states = f"STATES(count, {mirror.used})"
    body = [f"  {line}" for line in (*unused, states, *lines, "END_OF_STATES")]
    return KernelText(name, "\n".join([begin, *body, "}", ""]), mirror.used)


@dataclass(frozen=True)
class OutputPiece:
    """Entries of an output that leave together."""

    port: int
    size: int  # of the whole row
    start: int
    width: int
    at: int | None  # where they lie in the warp's memory, if they do

    @property
    def is_row(self) -> bool:
        return self.width == self.size


def _side_by_side(k: int, size: int) -> tuple[str, str]:
    """Return where an output's rows are, and how far one is from the next."""
    return f"out{k}", str(size)


RowAt = Callable[[int, int], tuple[str, str]]


class Outputs:
    """The outputs of a kernel: narrow ones stored, wide ones collected and copied out."""

    def __init__(
        self, ports: tuple[Port, ...], mirror: Mirror, lines: list[str], row: RowAt = _side_by_side
    ):
        self.lines, self.row = lines, row
        self.places: list[tuple[OutputPiece, int]] = []
        self.known: dict[OutputPiece, dict[int, str]] = {}
        shared: int | None = None
        for k, port in enumerate(ports):
            at, width = None, port.size
            if port.size > NARROW and mirror.has_room(port.size + PIECE):
                at = mirror.take(port.size)
            elif port.size > NARROW:
                at = shared = mirror.take(PIECE) if shared is None else shared
                width = PIECE
            for i in range(port.size):
                start = i // width * width
                piece = OutputPiece(k, port.size, start, min(width, port.size - start), at)
                self.places.append((piece, i - start))

    @property
    def in_pieces(self) -> bool:
        return any(not piece.is_row for piece, _ in self.places)

    def put(self, k: int, value: str) -> None:
        piece, i = self.places[k]
        rows, step = self.row(piece.port, piece.size)
        if piece.at is None:
            self.lines.append(f"{rows}[state * {step} + {i}] = {value};")
            return
        place = f"{rows}, {step}, {piece.start}, {piece.width}, {piece.at}"
        known = self.known.setdefault(piece, {})
        known[i] = value
        # a row has a place of its own; pieces take turns, so each waits until it is whole
        ready = {i: value} if piece.is_row else known if len(known) == piece.width else {}
        for entry, what in sorted(ready.items()):
            self.lines.append(f"MIRROR({place}, {entry}) = {what};")
        if len(known) == piece.width:
            self.lines.append(f"COPY_OUT({place})")


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
