"""LLVM assembly of a program: straight-line code over vectors of lanes, one lane a state.

Text is emitted instead of built through an object model because it is an order of magnitude
faster, and because it can be read.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from qddot.backends.sincos import DOUBLE, SINGLE, SinCos
from qddot.program.program import Program

CHUNK = 4  # entries of a row that are loaded at once and transposed into lanes


@dataclass(frozen=True)
class Lanes:
    """The type that values have: so many lanes of float64 or float32."""

    count: int
    single: bool = False  # float32

    @property
    def scalar(self) -> str:
        return "float" if self.single else "double"

    @property
    def size(self) -> int:
        """Bytes of one entry."""
        return 4 if self.single else 8

    @property
    def type(self) -> str:
        return self.scalar if self.count == 1 else f"<{self.count} x {self.scalar}>"

    @property
    def integers(self) -> str:
        bits = f"i{8 * self.size}"
        return bits if self.count == 1 else f"<{self.count} x {bits}>"

    @property
    def booleans(self) -> str:
        return "i1" if self.count == 1 else f"<{self.count} x i1>"

    @property
    def suffix(self) -> str:
        """How intrinsics are named for this type."""
        scalar = f"f{8 * self.size}"
        return scalar if self.count == 1 else f"v{self.count}{scalar}"

    def constant(self, x: float) -> str:
        if self.single:
            x = struct.unpack("f", struct.pack("f", x))[0]
        text = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        return self._repeat(self.scalar, text)

    def integer(self, x: int) -> str:
        return self._repeat(f"i{8 * self.size}", str(x))

    def _repeat(self, type_name: str, text: str) -> str:
        return text if self.count == 1 else f"<{', '.join([f'{type_name} {text}'] * self.count)}>"


class Emitter:
    """Lines of assembly in the making, each giving a fresh name to its result."""

    def __init__(self, lanes: Lanes):
        self.lanes = lanes
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.fresh = 0

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def value(self, text: str) -> str:
        self.fresh += 1
        name = f"%t{self.fresh}"
        self.lines.append(f"  {name} = {text}")
        return name

    def binary(self, op: str, a: str, b: str) -> str:
        # contract: a multiplication and an addition may be fused, and nothing else is relaxed
        return self.value(f"{op} contract {self.lanes.type} {a}, {b}")

    def intrinsic(self, name: str, *args: str) -> str:
        kind, full = self.lanes.type, f"@llvm.{name}.{self.lanes.suffix}"
        self.declared.add(f"declare {kind} {full}({', '.join([kind] * len(args))})")
        return self.value(f"call {kind} {full}({', '.join(f'{kind} {a}' for a in args)})")

    def fma(self, a: str, b: str, c: str) -> str:
        return self.intrinsic("fma", a, b, c)

    def select(self, condition: str, a: str, b: str) -> str:
        kind = self.lanes.type
        return self.value(f"select {self.lanes.booleans} {condition}, {kind} {a}, {kind} {b}")

    def compare(self, how: str, a: str, b: str) -> str:
        return self.value(f"fcmp {how} {self.lanes.type} {a}, {b}")


def emit_steps(out: Emitter, program: Program, inputs: list[str]) -> list[str]:
    """Emit the operations of a program; return the names of its results."""
    lanes = out.lanes
    values = inputs + [lanes.constant(c) for c in program.constants]
    trigonometry = SinCos(out, SINGLE if lanes.single else DOUBLE)
    zero, one, minus_one = lanes.constant(0.0), lanes.constant(1.0), lanes.constant(-1.0)

    def sign(x: str) -> str:
        positive = out.select(out.compare("ogt", x, zero), one, x)
        return out.select(out.compare("olt", x, zero), minus_one, positive)  # NaN stays NaN

    def tanh(x: str) -> str:
        # (1 − e)/(1 + e) with e = exp(−2|x|), its sign put back
        e = out.intrinsic("exp", out.binary("fmul", out.intrinsic("fabs", x), lanes.constant(-2.0)))
        size = out.binary("fdiv", out.binary("fsub", one, e), out.binary("fadd", one, e))
        return out.intrinsic("copysign", size, x)

    emit: dict[str, Callable[..., str]] = {
        "add": lambda a, b: out.binary("fadd", a, b),
        "sub": lambda a, b: out.binary("fsub", a, b),
        "mul": lambda a, b: out.binary("fmul", a, b),
        "div": lambda a, b: out.binary("fdiv", a, b),
        "neg": lambda a: out.value(f"fneg {lanes.type} {a}"),
        "sin": lambda a: trigonometry.both(a)[0],
        "cos": lambda a: trigonometry.both(a)[1],
        "sqrt": lambda a: out.intrinsic("sqrt", a),
        "exp": lambda a: out.intrinsic("exp", a),
        "log": lambda a: out.intrinsic("log", a),
        "tanh": tanh,
        "abs": lambda a: out.intrinsic("fabs", a),
        "sign": sign,
        "min": lambda a, b: out.intrinsic("minimum", a, b),
        "max": lambda a, b: out.intrinsic("maximum", a, b),
        "less": lambda a, b: out.select(out.compare("olt", a, b), one, zero),
        "select": lambda a, b, c: out.select(out.compare("une", a, zero), b, c),
    }
    for step in program.steps:
        values.append(emit[step.op.name](*(values[i] for i in step.args)))
    return [values[i] for i in program.results]


def load_rows(out: Emitter, rows: list[str], size: int) -> list[str]:
    """Emit loads of `size` entries from each lane's row; return one vector an entry."""
    lanes = out.lanes
    if lanes.count == 1 or size < CHUNK:
        return [_gather(out, rows, k) for k in range(size)]
    entries: dict[int, str] = {}
    for start in _chunks(size):
        loaded = [
            out.value(
                f"load <{CHUNK} x {lanes.scalar}>, ptr {_at(out, row, start)}, align {lanes.size}"
            )
            for row in rows
        ]
        groups = [_transpose(out, loaded[k : k + CHUNK]) for k in range(0, lanes.count, CHUNK)]
        for k in range(CHUNK):
            entries[start + k] = _joined(out, [group[k] for group in groups])
    return [entries[k] for k in range(size)]


def store_rows(out: Emitter, rows: list[str], values: list[str]) -> None:
    """Emit stores of one vector an entry into each lane's row: the inverse of `load_rows`."""
    lanes = out.lanes
    if lanes.count == 1 or len(values) < CHUNK:
        for k, value in enumerate(values):
            _scatter(out, rows, k, value)
        return
    for start in _chunks(len(values)):
        columns = values[start : start + CHUNK]
        for group in range(0, lanes.count, CHUNK):
            parts = [_part(out, column, group) for column in columns]
            for lane, row in enumerate(_transpose(out, parts), group):
                where = _at(out, rows[lane], start)
                out.line(f"store <{CHUNK} x {lanes.scalar}> {row}, ptr {where}, align {lanes.size}")


def _chunks(size: int) -> list[int]:
    """Where chunks start; the last one overlaps the one before it if it must."""
    starts = [CHUNK * k for k in range(size // CHUNK)]
    return starts if size % CHUNK == 0 else [*starts, size - CHUNK]


def _at(out: Emitter, row: str, k: int) -> str:
    return row if k == 0 else out.value(f"getelementptr {out.lanes.scalar}, ptr {row}, i64 {k}")


def _gather(out: Emitter, rows: list[str], k: int) -> str:
    lanes = out.lanes
    loaded = [out.value(f"load {lanes.scalar}, ptr {_at(out, row, k)}") for row in rows]
    if lanes.count == 1:
        return loaded[0]
    result = "poison"
    for lane, x in enumerate(loaded):
        result = out.value(f"insertelement {lanes.type} {result}, {lanes.scalar} {x}, i32 {lane}")
    return result


def _scatter(out: Emitter, rows: list[str], k: int, value: str) -> None:
    lanes = out.lanes
    for lane, row in enumerate(rows):
        x = value
        if lanes.count > 1:
            x = out.value(f"extractelement {lanes.type} {value}, i32 {lane}")
        out.line(f"store {lanes.scalar} {x}, ptr {_at(out, row, k)}")


def _shuffle(out: Emitter, a: str, b: str, width: int, order: list[int]) -> str:
    kind = f"<{width} x {out.lanes.scalar}>"
    mask = ", ".join(f"i32 {k}" for k in order)
    return out.value(f"shufflevector {kind} {a}, {kind} {b}, <{len(order)} x i32> <{mask}>")


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
