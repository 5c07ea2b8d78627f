"""Rows of memory in and out of lanes: states lie one after the other, lanes want them side by side.

Four entries of four rows are loaded at once and transposed in registers, which takes fewer than
half the instructions of fetching entry by entry. A chunk is loaded when its first entry is needed
and stored when its last one is known, so that nothing waits in a register for longer than it must.
"""

from __future__ import annotations

from qddot.backends.ir import Emitter, Lanes

CHUNK = 4  # entries that are loaded or stored at once
CACHE_LINE = 64  # [bytes]
WORTH_FETCHING = 128  # [bytes]; shorter rows the processor fetches early enough by itself


class LaneRows:
    """One input or output: the same entries of as many states as there are lanes."""

    def __init__(self, out: Emitter, rows: list[str], size: int, ahead: str = ""):
        self.out, self.rows, self.size = out, rows, size
        # how far a later row of the same lane is, if it is worth fetching before it is used
        self.ahead = ahead if size * out.lanes.size >= WORTH_FETCHING else ""

    def fetch_ahead(self, where: str, start: int, use: str) -> None:
        """Have the part of a later row fetched that lies as this one does, once a cache line."""
        lanes = self.out.lanes
        if self.ahead and start * lanes.size % CACHE_LINE < CHUNK * lanes.size:
            then = self.out.value(f"getelementptr i8, ptr {where}, i64 {self.ahead}")
            self.out.prefetch(then, use)


class InputRows(LaneRows):
    """Rows that are read."""

    def __init__(self, out: Emitter, rows: list[str], size: int, ahead: str = ""):
        super().__init__(out, rows, size, ahead)
        self.loaded: dict[int, str] = {}

    def entry(self, k: int) -> str:
        """Return entry k of every lane's state."""
        if k not in self.loaded:
            if self.out.lanes.count == 1 or self.size < CHUNK:
                self.loaded[k] = _gather(self.out, self.rows, k)
            else:
                self._load_chunk(min(k - k % CHUNK, self.size - CHUNK))
        return self.loaded[k]

    def _load_chunk(self, start: int) -> None:
        out, lanes = self.out, self.out.lanes
        kind = f"<{CHUNK} x {lanes.name}>"
        parts = []
        for row in self.rows:
            where = _at(out, row, start)
            parts.append(out.value(f"load {kind}, ptr {where}, align {lanes.size}"))
            self.fetch_ahead(where, start, "read")
        for k, value in enumerate(_side_by_side(out, parts), start):
            self.loaded.setdefault(k, value)


class OutputRows(LaneRows):
    """Rows that are written."""

    def __init__(self, out: Emitter, rows: list[str], size: int, ahead: str = ""):
        super().__init__(out, rows, size, ahead)
        self.known: dict[int, str] = {}

    def put(self, k: int, value: str) -> None:
        """Store entry k of every lane's state, or keep it until its chunk is complete."""
        if self.out.lanes.count == 1 or self.size < CHUNK:
            _scatter(self.out, self.rows, k, value)
            return
        self.known[k] = value
        # the last chunk overlaps the one before it if it must
        for start in {min(k - k % CHUNK, self.size - CHUNK), max(self.size - CHUNK, 0)}:
            if all(start + i in self.known for i in range(CHUNK)) and 0 <= k - start < CHUNK:
                self._store_chunk(start)

    def _store_chunk(self, start: int) -> None:
        out, lanes = self.out, self.out.lanes
        kind = f"<{CHUNK} x {lanes.name}>"
        columns = [self.known[start + k] for k in range(CHUNK)]
        for row, part in zip(self.rows, _one_after_the_other(out, columns), strict=True):
            where = _at(out, row, start)
            out.line(f"store {kind} {part}, ptr {where}, align {lanes.size}")
            self.fetch_ahead(where, start, "write")


def load_all(out: Emitter, rows: list[str]) -> None:
    """Emit a loop that loads %size entries of rows, at least a chunk, as vectors of %frame.

    What is read so much %ahead is fetched.
    """
    lanes = out.lanes
    width = CHUNK if lanes.count > 1 else 1
    out.line(f"%last = sub i64 %size, {width}")
    _begin(out)
    beyond = out.value("icmp sgt i64 %k, %last")
    start = out.value(f"select i1 {beyond}, i64 %last, i64 %k")
    values = [_gather(out, rows, start)] if width == 1 else _chunk_at(out, rows, start)
    for k, value in enumerate(values):
        at = out.value(f"add i64 {start}, {k}")
        where = out.value(f"getelementptr {lanes.type}, ptr %frame, i64 {at}")
        out.line(f"store {lanes.type} {value}, ptr {where}")
    _end(out, width, "%size")


def store_by_table(out: Emitter, rows: list[str], width: int) -> None:
    """Emit a loop that stores vectors of %frame, as %count chunks of %table say.

    A chunk is the places of so many vectors on the frame, and the entry of the rows that the first
    of them goes to. What is written so much %ahead is fetched.
    """
    lanes = out.lanes
    _begin(out)
    first = out.value(f"mul i64 %k, {width + 1}")

    def number(i: int) -> str:
        at = out.value(f"add i64 {first}, {i}")
        where = out.value(f"getelementptr i32, ptr %table, i64 {at}")
        return out.value(f"zext i32 {out.value(f'load i32, ptr {where}')} to i64")

    places = [number(i) for i in range(width)]
    where = [out.value(f"getelementptr {lanes.type}, ptr %frame, i64 {k}") for k in places]
    columns = [out.value(f"load {lanes.type}, ptr {at}") for at in where]
    start = number(width)
    if width == 1:
        _scatter(out, rows, start, columns[0])
    else:
        for row, part in zip(rows, _one_after_the_other(out, columns), strict=True):
            to = _at(out, row, start)
            out.line(f"store <{CHUNK} x {lanes.name}> {part}, ptr {to}, align {lanes.size}")
            out.prefetch(out.value(f"getelementptr i8, ptr {to}, i64 %ahead"), "write")
    _end(out, 1, "%count")


def gather_by_table(out: Emitter) -> None:
    """Emit a loop that copies %count vectors of %frame, which %table names, one after the other."""
    kind = out.lanes.type
    _begin(out)
    where = out.value("getelementptr i32, ptr %table, i64 %k")
    place = out.value(f"zext i32 {out.value(f'load i32, ptr {where}')} to i64")
    value = out.value(
        f"load {kind}, ptr {out.value(f'getelementptr {kind}, ptr %frame, i64 {place}')}"
    )
    out.line(f"store {kind} {value}, ptr {out.value(f'getelementptr {kind}, ptr %to, i64 %k')}")
    _end(out, 1, "%count")


def _begin(out: Emitter) -> None:
    """Begin a loop over %k, behind the entry of a function."""
    out.lines.insert(0, "entry:")
    out.line("br label %chunk")
    out.lines.append("chunk:")
    out.line("%k = phi i64 [0, %entry], [%next, %chunk]")


def _end(out: Emitter, by: int, limit: str) -> None:
    out.line(f"%next = add i64 %k, {by}")
    out.line(f"%more = icmp slt i64 %next, {limit}")
    out.line("br i1 %more, label %chunk, label %done")
    out.lines.append("done:")


def stored_together(lanes: Lanes, size: int) -> list[range]:
    """Return the entries of an output, those together that are stored at once."""
    if lanes.count == 1 or size < CHUNK:
        return [range(k, k + 1) for k in range(size)]
    starts = [*range(0, size - CHUNK, CHUNK), size - CHUNK]
    return [range(start, start + CHUNK) for start in starts]


def _at(out: Emitter, row: str, k: int | str) -> str:
    return row if k == 0 else out.value(f"getelementptr {out.lanes.name}, ptr {row}, i64 {k}")


def _chunk_at(out: Emitter, rows: list[str], start: str) -> list[str]:
    kind = f"<{CHUNK} x {out.lanes.name}>"
    where = [_at(out, row, start) for row in rows]
    parts = [out.value(f"load {kind}, ptr {at}, align {out.lanes.size}") for at in where]
    for at in where:
        out.prefetch(out.value(f"getelementptr i8, ptr {at}, i64 %ahead"), "read later")
    return _side_by_side(out, parts)


def _gather(out: Emitter, rows: list[str], k: int | str) -> str:
    lanes = out.lanes
    loaded = [out.value(f"load {lanes.name}, ptr {_at(out, row, k)}") for row in rows]
    if lanes.count == 1:
        return loaded[0]
    result = "poison"
    for lane, x in enumerate(loaded):
        result = out.value(f"insertelement {lanes.type} {result}, {lanes.name} {x}, i32 {lane}")
    return result


def _scatter(out: Emitter, rows: list[str], k: int | str, value: str) -> None:
    lanes = out.lanes
    for lane, row in enumerate(rows):
        x = value
        if lanes.count > 1:
            x = out.value(f"extractelement {lanes.type} {value}, i32 {lane}")
        out.line(f"store {lanes.name} {x}, ptr {_at(out, row, k)}")


def _shuffle(out: Emitter, a: str, b: str, width: int, order: list[int]) -> str:
    kind = f"<{width} x {out.lanes.name}>"
    mask = ", ".join(f"i32 {k}" for k in order)
    return out.value(f"shufflevector {kind} {a}, {kind} {b}, <{len(order)} x i32> <{mask}>")


def _side_by_side(out: Emitter, rows: list[str]) -> list[str]:
    """Emit four vectors of all lanes from four entries of each lane's row."""
    if out.lanes.single:
        firsts = [_joined(out, rows[k::CHUNK]) for k in range(CHUNK)]
        return _transpose_quarters(out, firsts)
    count = out.lanes.count
    groups = [_transpose(out, rows[k : k + CHUNK]) for k in range(0, count, CHUNK)]
    return [_joined(out, [group[k] for group in groups]) for k in range(CHUNK)]


def _one_after_the_other(out: Emitter, columns: list[str]) -> list[str]:
    """Emit four entries of each lane's row from four vectors of all lanes."""
    starts = range(0, out.lanes.count, CHUNK)
    if out.lanes.single:
        whole = _transpose_quarters(out, columns)
        return [_part(out, value, start) for start in starts for value in whole]
    groups = [_transpose(out, [_part(out, x, start) for x in columns]) for start in starts]
    return [row for group in groups for row in group]


def _transpose_quarters(out: Emitter, rows: list[str]) -> list[str]:
    """Emit the transposes of all 4×4 blocks of float32 that lie in the same 128 bits of four rows.

    Eight shuffles for as many blocks as a register has 128 bits, each of which stays within these.
    """
    width = out.lanes.count

    def within(a: str, b: str, order: list[int]) -> str:
        places = [
            k + i if i < CHUNK else k + i - CHUNK + width
            for k in range(0, width, CHUNK)
            for i in order
        ]
        return _shuffle(out, a, b, width, places)

    a, b, c, d = rows
    low, high = [0, 4, 1, 5], [2, 6, 3, 7]
    ab, cd = within(a, b, low), within(c, d, low)
    AB, CD = within(a, b, high), within(c, d, high)
    first, second = [0, 1, 4, 5], [2, 3, 6, 7]
    return [
        *(within(ab, cd, first), within(ab, cd, second)),
        *(within(AB, CD, first), within(AB, CD, second)),
    ]


def _transpose(out: Emitter, rows: list[str]) -> list[str]:
    """Emit the transpose of a 4×4 block in eight shuffles."""
    a, b, c, d = rows
    low = [_shuffle(out, x, y, 4, [0, 4, 2, 6]) for x, y in ((a, b), (c, d))]
    high = [_shuffle(out, x, y, 4, [1, 5, 3, 7]) for x, y in ((a, b), (c, d))]
    return [
        _shuffle(out, low[0], low[1], 4, [0, 1, 4, 5]),
        _shuffle(out, high[0], high[1], 4, [0, 1, 4, 5]),
        _shuffle(out, low[0], low[1], 4, [2, 3, 6, 7]),
        _shuffle(out, high[0], high[1], 4, [2, 3, 6, 7]),
    ]


def _joined(out: Emitter, parts: list[str]) -> str:
    """Emit the concatenation of equally long vectors, pairwise."""
    width = CHUNK
    while len(parts) > 1:
        both = list(range(2 * width))
        parts = [
            _shuffle(out, a, b, width, both) for a, b in zip(parts[::2], parts[1::2], strict=True)
        ]
        width *= 2
    return parts[0]


def _part(out: Emitter, value: str, start: int) -> str:
    if out.lanes.count == CHUNK:
        return value
    return _shuffle(out, value, "poison", out.lanes.count, [start + k for k in range(CHUNK)])
