"""How the results of a program leave a kernel: in tiles, and a large program in parts.

A tile is what a warp copies out at once. Where too many values would wait for their turn, different
blocks compute different tiles of the same states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from qddot.backends.cuda_prelude import WARP, Real
from qddot.backends.fused import Order, least_live, most_live
from qddot.backends.source import write
from qddot.program.optimise import without_dead_code
from qddot.program.program import Port, Program

CROWDED = 120  # values that wait at once: inputs are then read again rather than kept
CUT = 180  # values that wait at once: the outputs of such a program are computed in parts
FEW = 60  # values that wait at once: parts of so few are joined
CACHED = 6000  # operations of all parts that the cache for instructions has room for
WIDEST = 96  # entries of results of a state that a warp's memory has room for
ROOM = 128  # entries of a state in it, with inputs: 64 KiB a block, which GPUs have since 2018


@dataclass
class Mirror:
    """Where rows lie in a warp's own memory, as the kernel is written."""

    used: int = 0

    def take(self, width: int) -> int:
        """Return where 32 rows of so many entries go."""
        at, self.used = self.used, self.used + WARP * width
        return at


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
class KernelPart:
    """Some results of a program, and the program of these alone, as it is written."""

    program: Program
    tiles: tuple[Tile, ...]
    used: int  # entries of a warp's memory that the tiles take

    live: int  # values that wait at once

    @staticmethod
    def of(whole: Program, tiles: Sequence[Tile]) -> KernelPart:
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
        return KernelPart(program, tuple(placed), mirror.used, most_live(program, turns))

    def written(self, real: Real) -> tuple[list[str], int]:
        """Return its statements, and how many entries of a warp's memory they use."""
        program = self.program
        mirror = Mirror(self.used)
        # where registers are short, inputs stay at hand in shared memory; rows as wide as a
        # multiple of four would collide in its banks
        inside: dict[int, int] = {}
        for k, port in enumerate(program.inputs):
            room = mirror.used + WARP * port.size <= WARP * ROOM
            if self.live > CROWDED and port.size % 4 and room:
                inside[k] = mirror.take(port.size)
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
        write(lines, program, real.dialect_of(program), read, outputs.put)
        return lines, mirror.used


def parts_of(program: Program) -> list[KernelPart]:
    """Return the whole, or where too many values would wait at once, parts that compute it.

    A tile is computed together with others as long as few values wait. Parts that are too long for
    the cache of instructions are slower than the whole, whatever that has to keep.
    """
    tiles = tiles_of(program.outputs)
    if not tiles:
        return []
    whole = KernelPart.of(program, tiles)
    in_rows = any(tile.width < tile.size for tile in tiles)  # else one thread is faster
    if whole.live <= CUT or not in_rows or len(program) > CACHED:
        return [whole]
    parts: list[KernelPart] = []
    groups: list[list[Tile]] = []
    for tile in tiles:
        for k, group in enumerate(groups):
            joined = KernelPart.of(program, [*group, tile])
            if joined.live <= FEW:
                parts[k], groups[k] = joined, [*group, tile]
                break
        else:
            parts.append(KernelPart.of(program, [tile]))
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
    different: list[Order] = list(dict.fromkeys(map(tuple, ways)))
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
