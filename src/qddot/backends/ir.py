"""LLVM assembly of operations on vectors of lanes, one lane a state.

Text is emitted instead of built through an object model because it is an order of magnitude
faster, and because it can be read.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from qddot.backends.arctangent import atan2
from qddot.backends.exponential import exp, log, tanh
from qddot.backends.sincos import DOUBLE, SINGLE, SinCos
from qddot.backends.source import FloatType


@dataclass(frozen=True)
class Lanes(FloatType):
    """The type that values have: so many lanes of float64 or float32."""

    count: int
    single: bool = False  # float32

    @property
    def type(self) -> str:
        return self.name if self.count == 1 else f"<{self.count} x {self.name}>"

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
            x = ctypes.c_float(x).value  # struct refuses what overflows, from Python 3.14 on
        text = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        return self._repeat(self.name, text)

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
        self.pieces: list[list[str]] = []  # functions of their own, which the lines call
        self.known: dict[object, int] = {}  # some of them, by what they are
        self.data: dict[str, int] = {}  # constants in memory, and where in their piece they are
        self.data_size = 0  # [bytes]
        self.table = "@pieces"  # where their addresses are; in one of them, what it was given
        self.fresh = 0

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def value(self, text: str) -> str:
        self.fresh += 1
        name = f"%t{self.fresh}"
        self.lines.append(f"  {name} = {text}")
        return name

    def everywhere(self, x: str) -> str:
        """Emit a value that has a number in all lanes."""
        lanes = self.lanes
        if lanes.count == 1:
            return x
        first = self.value(f"insertelement {lanes.type} poison, {lanes.name} {x}, i32 0")
        zeros = f"<{lanes.count} x i32> zeroinitializer"
        return self.value(f"shufflevector {lanes.type} {first}, {lanes.type} poison, {zeros}")

    def binary(self, op: str, a: str, b: str) -> str:
        # contract: a multiplication and an addition may be fused, and nothing else is relaxed
        return self.value(f"{op} contract {self.lanes.type} {a}, {b}")

    def intrinsic(self, name: str, *args: str, flags: str = "") -> str:
        kind, full = self.lanes.type, f"@llvm.{name}.{self.lanes.suffix}"
        self.declared.add(f"declare {kind} {full}({', '.join([kind] * len(args))})")
        given = ", ".join(f"{kind} {a}" for a in args)
        return self.value(f"call {flags}{kind} {full}({given})")

    def prefetch(self, where: str, use: str) -> None:
        """Have memory fetched that will be read or written soon; a wrong address does no harm.

        What will be written, or read all at once, is fetched into the second cache: the first is
        full of what is in use now.
        """
        self.declared.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        cache = 3 if use == "read" else 2
        self.line(f"call void @llvm.prefetch.p0(ptr {where}, i32 0, i32 {cache}, i32 1)")

    def in_memory(self, kind: str, values: Sequence[str]) -> str:
        """Return where constants of 4 or 8 bytes lie side by side."""
        if not self.data:
            self.known["data"] = len(self.pieces)
            self.pieces.append([])
        items, each = ", ".join(f"{kind} {x}" for x in values), 8 if kind == "double" else 4
        array = (
            f"[{len(values)} x {kind}] [{items}], [{len(values) * each % 8} x i8] zeroinitializer"
        )
        if array not in self.data:
            self.data[array] = self.data_size
            self.data_size += (len(values) * each + 7) // 8 * 8
        data = self._of_table(self.known["data"])
        return self.value(f"getelementptr i8, ptr {data}, i64 {self.data[array]}")

    def finished_pieces(self) -> list[list[str]]:
        """Return the pieces: functions, and one that is the constants."""
        if self.data:
            number = self.known["data"]
            arrays = [each for pair in self.data for each in pair.rsplit(", ", 1)]
            types = ", ".join(each.partition("] ")[0] + "]" for each in arrays)
            known = f"<{{ {types} }}> <{{ {', '.join(arrays)} }}>, align 64"
            self.pieces[number] = [f"@piece{number} = constant {known}"]
        return self.pieces

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Emit lines that belong to another function, and come back to those of this one."""
        before = self.lines, self.table
        self.lines, self.table = [], "%pieces"
        yield
        self.lines, self.table = before

    def piece(self, arguments: list[str]) -> int:
        """Make a function of the lines, in a module of its own, and return its number.

        Its address stands in a table, which every such function gets: see `llvm.compile_module`.
        """
        head = (
            f"define void @piece{len(self.pieces)}({', '.join(['ptr %pieces', *arguments])}) #0 {{"
        )
        self.pieces.append([head, *self.lines, "  ret void", "}"])
        return len(self.pieces) - 1

    def call_piece(self, number: int, arguments: list[str]) -> None:
        function = self._of_table(number)
        self.line(f"call void {function}({', '.join([f'ptr {self.table}', *arguments])})")

    def _of_table(self, number: int) -> str:
        where = self.value(f"getelementptr ptr, ptr {self.table}, i64 {number}")
        return self.value(f"load ptr, ptr {where}")

    def fma(self, a: str, b: str, c: str) -> str:
        return self.intrinsic("fma", a, b, c)

    def select(self, condition: str, a: str, b: str) -> str:
        kind = self.lanes.type
        return self.value(f"select {self.lanes.booleans} {condition}, {kind} {a}, {kind} {b}")

    def compare(self, how: str, a: str, b: str) -> str:
        return self.value(f"fcmp {how} {self.lanes.type} {a}, {b}")


def operations(out: Emitter) -> dict[str, Callable[..., str]]:
    """Return, for each operation of a program, the function that emits it."""
    lanes = out.lanes
    trigonometry = SinCos(out, SINGLE if lanes.single else DOUBLE)
    zero, one, minus_one = lanes.constant(0.0), lanes.constant(1.0), lanes.constant(-1.0)

    def sign(x: str) -> str:
        positive = out.select(out.compare("ogt", x, zero), one, x)
        return out.select(out.compare("olt", x, zero), minus_one, positive)  # NaN stays NaN

    return {
        "add": lambda a, b: out.binary("fadd", a, b),
        "sub": lambda a, b: out.binary("fsub", a, b),
        "mul": lambda a, b: out.binary("fmul", a, b),
        "div": lambda a, b: out.binary("fdiv", a, b),
        "neg": lambda a: out.value(f"fneg {lanes.type} {a}"),
        "sin": lambda a: trigonometry.both(a)[0],
        "cos": lambda a: trigonometry.both(a)[1],
        "sqrt": lambda a: out.intrinsic("sqrt", a),
        "exp": lambda a: exp(out, a),
        "log": lambda a: log(out, a),
        "tanh": lambda a: tanh(out, a),
        "atan2": lambda y, x: atan2(out, y, x),
        "floor": lambda a: out.intrinsic("floor", a),
        "abs": lambda a: out.intrinsic("fabs", a),
        "sign": sign,
        # NaN goes through; which of 0 and −0 it is takes three times as long, and nobody asks
        "min": lambda a, b: out.intrinsic("minimum", a, b, flags="nsz "),
        "max": lambda a, b: out.intrinsic("maximum", a, b, flags="nsz "),
        "less": lambda a, b: out.select(out.compare("olt", a, b), one, zero),
        "less_equal": lambda a, b: out.select(out.compare("ole", a, b), one, zero),
        "select": lambda a, b, c: out.select(out.compare("une", a, zero), b, c),
    }
