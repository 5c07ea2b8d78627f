"""What a C++ header begins with: places for arrays, lanes, sine and cosine; and its comments."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from qddot.backends.sincos import DOUBLE, SINGLE
from qddot.backends.source import Dialect
from qddot.exporting.c_files import plain_ascii
from qddot.exporting.c_prelude import LIBRARY, NEAR, PARTS, CNumber
from qddot.exporting.functions import template

LARGEST_FLOAT = 3.4028234e38


@dataclass(frozen=True)
class CppNumber(CNumber):
    """A number of a template: T, made of scalars S, is double, float, or lanes of these."""

    head = "template <class T>\ninline "
    opening = "  using S [[maybe_unused]] = typename Detail::Kind<T>::Scalar;\n"
    only_double = (
        "  static_assert(sizeof(S) == sizeof(double), "
        '"this needs double precision: float cannot hold what it gives");\n'
    )

    @property
    def name(self) -> str:
        return "T"

    def literal(self, x: float) -> str:
        if math.isnan(x):
            return "std::numeric_limits<S>::quiet_NaN()"
        if math.isinf(x):
            return f"{'-' if x < 0 else ''}std::numeric_limits<S>::infinity()"
        if abs(x) > LARGEST_FLOAT:
            return f"Detail::number<S>({float(x)!r})"
        return f"S({float(x)!r})"

    def call(self, function: str) -> str:
        return f"std::{function}"

    def dialect(self) -> Dialect:
        own = {"sin": "sine", "cos": "cosine", "min": "least", "max": "largest", "abs": "fabs"}
        named = {name: name for name in ("sign", "less", "less_equal", "select", *LIBRARY)} | own
        most = {"min": 2, "max": 2, "less": 2, "less_equal": 2, "atan2": 2, "select": 3}
        return Dialect(
            declare="const T ",
            number=self.literal,
            functions={
                op: f"Detail::{f}<T>({', '.join(f'{{{i}}}' for i in range(most.get(op, 1)))})"
                for op, f in named.items()
            },
            pair="T {sin}, {cos}; Detail::sincos({x}, {sin}, {cos});",
            block="template <class T>\ninline void {name}(const T* given, T* results) noexcept\n"
            "{{\n  using S [[maybe_unused]] = typename Kind<T>::Scalar;\n"
            "  static_cast<void>(given);\n{lines}\n}}\n",
            call="const T {value}a[{count}] = {{{given}}}; T {value}r[{size}]; "
            "Detail::{name}({value}a, {value}r);",
        )


NUMBER = CppNumber(single=True)  # what is recorded is exact in float too


def support(guard: str) -> str:
    """Return what stands before the functions of a header."""
    circles = "\n".join(_circle(name, single) for name, single in (("double", 0), ("float", 1)))
    library = "".join(_of_the_library(name) for name in (*LIBRARY, "fabs"))
    return template("support.hpp", GUARD=guard, CIRCLES=circles, LIBRARY=library)


def _circle(name: str, single: int) -> str:
    p, number = SINGLE if single else DOUBLE, CNumber(bool(single))
    tables = {"half_pi": PARTS[bool(single)], "sine": p.sine, "cosine": p.cosine}
    numbers = {"near": NEAR[bool(single)], "turns": 1 / p.half_pi[0], "magic": p.magic}
    lines = [
        f"  static constexpr {name} {key} = {number.literal(x)};" for key, x in numbers.items()
    ]
    for key, row in tables.items():
        values = ", ".join(number.literal(x) for x in row)
        lines.append(f"  static constexpr {name} {key}[] = {{{values}}};")
    return "\n".join(["template <>", f"struct Circle<{name}> {{", *lines, "};"])


def _of_the_library(name: str) -> str:
    given, taken, handed = ("As<T> x", "auto a", "a")
    if name == "atan2":
        given, taken, handed = ("As<T> x, As<T> y", "auto a, auto b", "a, b")
    return (
        f"template <class T>\ninline T {name}({given}) noexcept {{\n  return each([]({taken}) "
        f"{{ return std::{name}({handed}); }}, {handed.replace('a', 'x').replace('b', 'y')});\n}}\n"
    )


def doxygen(lines: Sequence[str]) -> str:
    """Return a comment; nothing in it can end or prolong it, and no name is a command of it."""
    text: list[str] = []
    for line in lines:
        command = COMMAND.match(line)
        known = command.group() if command else ""
        plain = (
            plain_ascii(line[len(known) :])
            .replace("\\", "/")
            .replace("??", "? ?")
            .replace("@", "(at)")
        )
        text += wrap(known + plain, 92) or [""]
    if len(text) == 1:
        return f"/// {text[0]}"
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in text) + " */"


def literal_text(name: str) -> str:
    """Return a name as a text of C++, in which nothing means anything."""
    letters = (chr(b) for b in name.encode("utf-8", "replace"))
    safe = (x if re.match(r"[A-Za-z0-9_]", x) else f"\\{ord(x):03o}" for x in letters)
    return f'"{"".join(safe)}"'


COMMAND = re.compile(r"@(file|brief|note|param\[\w+\]) ")
