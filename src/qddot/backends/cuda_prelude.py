"""The words of CUDA source that every kernel begins with: numbers, functions, rows.

The same text compiles as C++ for a processor, one state after the other, so that the arithmetic of
a kernel can be checked where there is no GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from qddot.backends.sincos import DOUBLE, SINGLE
from qddot.backends.source import Dialect, FloatType
from qddot.program.program import Program

WARP = 32  # threads that go in step, one state each
PRELUDE = Path(__file__).with_name("prelude.cu")  # with marks such as @real@
LONG = 9000  # operations: blocks of such a program stay functions, or it takes minutes to compile


@dataclass(frozen=True)
class Real(FloatType):
    """The type of number of a kernel."""

    single: bool = False  # float32
    cast: ClassVar[str] = "(real)"

    @property
    def dialect(self) -> Dialect:
        return Dialect(
            declare="const real ",
            number=self.literal,
            functions={
                "sin": "sine({0})",
                "cos": "cosine({0})",
                "fma": "fma({0}, {1}, {2})",
                "fnma": "fma(-{0}, {1}, {2})",
                "div": "quotient({0}, {1}, reciprocal({1}))",  # one reciprocal for equal divisors
                "sqrt": "sqrt({0})",
                "exp": "exp({0})",
                "log": "log({0})",
                "tanh": "tanh({0})",
                "atan2": "atan2({0}, {1})",
                "floor": "floor({0})",
                "abs": "fabs({0})",
                "sign": "({0} > 0 ? (real)1 : {0} < 0 ? (real)-1 : {0})",
                "min": "least({0}, {1})",
                "max": "most({0}, {1})",
                "less": "({0} < {1} ? (real)1 : (real)0)",
                "less_equal": "({0} <= {1} ? (real)1 : (real)0)",
                "select": "({0} != 0 ? {1} : {2})",
            },
            pair="real {sin}, {cos}; sine_and_cosine({x}, &{sin}, &{cos});",
        )

    def dialect_of(self, program: Program) -> Dialect:
        """Return how a program is written: a long one calls its blocks, each compiled once.

        A call takes numbers and returns them by value: what is behind a pointer keeps the compiler
        busy for ten times as long. A short program is faster as a whole.
        """
        if len(program) <= LONG:
            return self.dialect
        return replace(
            self.dialect,
            block="struct {name}_results {{ real entries[{size}]; }};\n"
            "BLOCK {name}_results {name}({parameters}) {{\n"
            "  const real given[{count}] = {{{names}}};\n  (void)given;\n"
            "  {name}_results all;\n  real* const results = all.entries;\n"
            "{lines}\n  return all;\n}}\n",
            call="const {name}_results {value}a = {name}({given}); "
            "const real* const {value}r = {value}a.entries;",
        )


def prelude(real: Real) -> str:
    """Return what stands before the kernels of a file."""
    p = SINGLE if real.single else DOUBLE
    number = real.literal
    reduced = "\n".join(f"  y = fma(k, {number(-part)}, y);" for part in p.half_pi)
    parts = {
        "real": real.name,
        "low_bits": "__float_as_int(x)" if real.single else "__double2loint(x)",
        "high_bits": "__float_as_int(x)" if real.single else "__double2hiint(x)",
        "exponent": "0x7f800000" if real.single else "0x7ff00000",
        "least": "0x00800000" if real.single else "0x00100000",
        "approximate": f"rcp.approx.{'f32' if real.single else 'ftz.f64'} %0, %1;",
        "register": "f" if real.single else "d",
        "integer": "int" if real.single else "long long",
        "inverse": number(1 / p.half_pi[0]),
        "magic": number(p.magic),
        "largest": number(p.largest),
        "reduced": reduced,
        "P": _polynomial("P", p.sine, number),
        "Q": _polynomial("Q", p.cosine, number),
    }
    text = PRELUDE.read_text(encoding="utf-8")
    for name, value in parts.items():
        text = text.replace(f"@{name}@", value)
    return text


def _polynomial(name: str, coefficients: tuple[float, ...], number: Callable[[float], str]) -> str:
    first, *rest = coefficients
    lines = [f"  real {name} = {number(first)};"]
    lines += [f"  {name} = fma({name}, z, {number(a)});" for a in rest]
    return "\n".join(lines)
