"""A program as a CUDA kernel, one thread a state; a rollout as one, one thread a trajectory.

A thread reads its own rows, which its neighbours' rows share cache lines with. Results are put
together in memory that a warp shares, and leave it in large pieces; see `cuda_prelude`. A program
that keeps too much at a time is cut into parts, which different blocks compute for the same states.
A step of a rollout, whose state is in registers, reads no memory but what it is given anew and
writes only what is kept, so that it runs at the speed of its arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from qddot.backends.cuda_prelude import WARP, Real, prelude
from qddot.backends.fused import Order, least_live, most_live
from qddot.backends.source import write
from qddot.program.optimise import without_dead_code
from qddot.program.program import Iteration, Port, Program, Stage

THREADS = 64  # in a block
# how many blocks a multiprocessor shall hold at least, where so many numbers of 8 bytes wait at
# once: warps that wait for memory need others to go on, but a long program needs registers more
BLOCKS = {45: 12, 60: 10, 100: 8, 110: 6, 10_000: 1}
CROWDED = 120  # values that wait at once: inputs are then read again rather than kept
CUT = 180  # values that wait at once: the outputs of such a program are computed in parts
FEW = 60  # values that wait at once: parts of so few are joined
CACHED = 6000  # operations of all parts that the cache for instructions has room for
WIDEST = 96  # entries of a state that a warp's memory has room for: 48 KiB a block
NARROW = 16  # entries of a row that the threads of a rollout write themselves


@dataclass(frozen=True)
class KernelText:
    """The text of a kernel, and what a launch needs to know."""

    name: str
    text: str
    entries: int  # of memory that a warp shares
    parts: int = 1  # how many blocks have the same states

    def with_more_registers(self) -> KernelText | None:
        """Return the same with fewer blocks on a multiprocessor, if there can be fewer."""
        before, count, after = re.split(r"KERNEL\((\d+)\)", self.text, maxsplit=1)
        fewer = [blocks for blocks in BLOCKS.values() if blocks < int(count)]
        return replace(self, text=f"{before}KERNEL({fewer[0]}){after}") if fewer else None

    def shared(self, real: Real) -> int:
        """Return how many bytes a block shares."""
        return self.entries * real.size * (THREADS // WARP)

    def blocks(self, count: int) -> int:
        """Return how many blocks so many states need."""
        return -(-count // THREADS) * self.parts


@dataclass
class Mirror:
    """Where rows lie in a warp's own memory, as the kernel is written."""

    used: int = 0

    def take(self, width: int) -> int:
        """Return where 32 rows of so many entries go."""
        at, self.used = self.used, self.used + WARP * width
        return at


def source(kernels: Sequence[KernelText], real: Real) -> str:
    """Return a whole file."""
    text = "\n".join(kernel.text for kernel in kernels)
    return f"#define THREADS {THREADS}\n{prelude(real)}\n{text}"


def head(name: str, arguments: Sequence[str], live: int, real: Real) -> str:
    """Return how a kernel begins, of a program in which so many values wait at once."""
    wait = live * real.size / 8
    blocks = next(count for most, count in BLOCKS.items() if wait <= most)
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
    for k, part in enumerate(parts):
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
    return KernelText(name, text, entries, max(len(parts), 1))


@dataclass(frozen=True)
class Tile:
    """Entries of an output that leave together, side by side as the output has them."""

    port: int
    size: int  # of the port
    start: int  # which of the port's entries is the first
    columns: int  # of the matrix that they are
    results: range  # which of the results they are
    at: int | None = 0  # where the tile lies in the warp's memory, if it does
    alone: bool = True  # no other one lies there

    @property
    def width(self) -> int:
        return len(self.results)

    @property
    def apart(self) -> int:
        """How far one state's tile is from the next; odd where it is not one block anyway."""
        return self.width if self.width == self.size else self.width | 1


def tiles_of(ports: Sequence[Port]) -> list[Tile]:
    """Cut outputs into tiles: whole, or if there is no room, as many of their rows as there is.

    Memory is written quickly only if what lies side by side is written at the same time.
    """
    found: list[Tile] = []
    before = 0
    for k, port in enumerate(ports):
        columns = port.shape[-1] if port.shape else 1
        width = port.size
        if width > WIDEST:
            pieces = -(-columns // WIDEST)
            width = columns * (WIDEST // columns) if pieces == 1 else -(-columns // pieces)
        for start in range(0, port.size, max(width, 1)):
            some = min(width, port.size - start)
            matrix = columns if some % columns == 0 else some
            results = range(before + start, before + start + some)
            found.append(Tile(k, port.size, start, matrix, results))
        before += port.size
    return found


@dataclass(frozen=True)
class Part:
    """Some results of a program, and the program of these alone, as it is written."""

    program: Program
    tiles: tuple[Tile, ...]
    used: int  # entries of a warp's memory that the tiles take

    live: int  # values that wait at once

    @staticmethod
    def of(whole: Program, tiles: Sequence[Tile]) -> Part:
        alone = sum(tile.width for tile in tiles) <= WIDEST  # else they take turns in one place
        mirror, placed, before = Mirror(), [], 0
        for tile in tiles:
            results = range(before, before + tile.width)
            at = mirror.take(tile.apart) if alone else 0
            placed.append(replace(tile, results=results, at=at, alone=alone))
            before += tile.width
        if not alone:
            mirror.take(max(tile.apart for tile in tiles))
        turns = () if alone else [tile.results for tile in placed]
        program = least_live(only(whole, tiles), orders(placed), turns)
        return Part(program, tuple(placed), mirror.used, most_live(program, turns))

    def written(self, real: Real) -> tuple[list[str], int]:
        """Return its statements, and how many entries of a warp's memory they use."""
        program = self.program
        mirror = Mirror(self.used)
        # where registers are short, inputs stay at hand in shared memory; rows as wide as a
        # multiple of four would collide in its banks
        inside = {
            k: mirror.take(port.size)
            for k, port in enumerate(program.inputs)
            if self.live > CROWDED and port.size % 4
        }
        number = {port.name: k for k, port in enumerate(program.inputs)}

        def read(port: str, i: int) -> str:
            k = number[port]
            if k in inside:
                return f"CARRIED(in{k}, in{k}_step, {program.inputs[k].size}, {inside[k]}, {i})"
            return f"in{k}[state * in{k}_step + {i}]"

        lines = [
            f"CARRY_IN(in{k}, in{k}_step, {program.inputs[k].size}, {at})"
            for k, at in inside.items()
        ]
        lines += ["ALL_CARRIED_IN"] if inside else []
        outputs = Outputs(self.tiles, lines)
        for k, i in enumerate(program.results):  # constants are known before anything else
            if program.input_size <= i < program.first_step:
                outputs.put(k, real.literal(program.constants[i - program.input_size]))
        write(lines, program, real.dialect, read, outputs.put)
        return lines, mirror.used


def parts_of(program: Program) -> list[Part]:
    """Return the whole, or where too many values would wait at once, parts that compute it.

    A tile is computed together with others as long as few values wait. Parts that are too long for
    the cache of instructions are slower than the whole, whatever that has to keep.
    """
    tiles = tiles_of(program.outputs)
    if not tiles:
        return []
    whole = Part.of(program, tiles)
    if whole.live <= CUT or len(tiles) == 1 or len(program) > CACHED:
        return [whole]
    parts: list[Part] = []
    groups: list[list[Tile]] = []
    for tile in tiles:
        for k, group in enumerate(groups):
            joined = Part.of(program, [*group, tile])
            if joined.live <= FEW:
                parts[k], groups[k] = joined, [*group, tile]
                break
        else:
            parts.append(Part.of(program, [tile]))
            groups.append([tile])
    return parts if sum(len(part.program) for part in parts) <= CACHED else [whole]


def only(program: Program, tiles: Sequence[Tile]) -> Program:
    """Return the program of these results alone."""
    results = tuple(program.results[k] for tile in tiles for k in tile.results)
    outputs = (Port("part", (len(results),)),)
    return without_dead_code(replace(program, outputs=outputs, results=results))


def orders(tiles: Sequence[Tile]) -> list[Order]:
    """Return in which orders the results may be computed: tile by tile where they take turns.

    Row by row or column by column, each from either end. A derivative by one joint is a column,
    and what it alone needs is gone when the next one begins.
    """
    matrices = [
        [tile.results[k : k + tile.columns] for k in range(0, tile.width, tile.columns)]
        for tile in tiles
    ]
    turned = [[list(column) for column in zip(*rows, strict=True)] for rows in matrices]
    ways = [
        _flat(_flat(rows) for rows in matrices),
        _flat(_flat(columns) for columns in turned),
        _flat(_flat(columns[::-1]) for columns in turned),
        _flat(_flat(column[::-1] for column in columns[::-1]) for columns in turned),
        _flat(_flat(column[::-1] for column in columns) for columns in turned),
    ]
    different = list(dict.fromkeys(map(tuple, ways)))
    return [*different, ()] if all(tile.alone for tile in tiles) else different


def _flat(rows: Iterable[Iterable[int]]) -> list[int]:
    return [entry for row in rows for entry in row]


def _side_by_side(k: int, size: int) -> tuple[str, str]:
    """Return where an output's rows are, and how far one is from the next."""
    return f"out{k}", str(size)


RowAt = Callable[[int, int], tuple[str, str]]


class Outputs:
    """The outputs of a kernel: collected in tiles, which are copied out when they are whole."""

    def __init__(self, tiles: Sequence[Tile], lines: list[str], row: RowAt = _side_by_side):
        self.lines, self.row = lines, row
        self.tile = {k: tile for tile in tiles for k in tile.results}
        self.missing = {tile: set(tile.results) for tile in tiles}
        self.turns = [tile for tile in tiles if not tile.alone]
        self.early: dict[Tile, list[tuple[int, str]]] = {}

    def put(self, k: int, value: str) -> None:
        tile = self.tile[k]
        if tile in self.turns[1:]:  # another one lies there now
            self.early.setdefault(tile, []).append((k, value))
            return
        if k not in self.missing[tile]:
            return
        rows, step = self.row(tile.port, tile.size)
        i = k - tile.results.start
        if tile.at is None:
            self.lines.append(f"{rows}[state * {step} + {tile.start + i}] = {value};")
            return
        place = f"{rows}, {step}, {tile.start}, {tile.width}, {tile.apart}, {tile.at}"
        self.lines.append(f"MIRROR({place}, {i}) = {value};")
        self.missing[tile].discard(k)
        if not self.missing[tile]:
            self.lines.append(f"COPY_OUT({place})")
            if tile in self.turns:
                self.turns.pop(0)
                for entry in self.early.pop(self.turns[0], ()) if self.turns else ():
                    self.put(*entry)


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
    rows = Part.of(loop.kept, tiles_of(loop.kept.outputs))
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
