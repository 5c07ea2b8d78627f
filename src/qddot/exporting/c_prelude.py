"""What C source begins with: sine and cosine without a call, smallest and largest."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from qddot.backends.sincos import DOUBLE, SINGLE
from qddot.backends.source import Dialect, FloatType

# functions of the C library that a program may call for, and the operation that does
LIBRARY = {name: name for name in ("sqrt", "exp", "log", "tanh", "floor", "atan2")}


@dataclass(frozen=True)
class CNumber(FloatType):
    """The type of number of C source."""

    single: bool = False  # float
    head: ClassVar[str] = ""  # in front of a function
    opening: ClassVar[str] = ""  # what its body begins with
    only_double: ClassVar[str] = ""  # and where float cannot hold what it gives

    @property
    def suffix(self) -> str:
        """What the C library's functions for it end with."""
        return "f" if self.single else ""

    def call(self, function: str) -> str:
        """Return what a function of the C library is called for it."""
        return f"{function}{self.suffix}"

    def dialect(self) -> Dialect:
        one, zero = self.literal(1.0), self.literal(0.0)
        return Dialect(
            declare=f"const {self.name} ",
            number=self.literal,
            functions={
                "sin": "qddot_sin({0})",
                "cos": "qddot_cos({0})",
                **{op: f"{f}{self.suffix}({{0}})" for op, f in LIBRARY.items()},
                "atan2": f"atan2{self.suffix}({{0}}, {{1}})",
                "abs": f"fabs{self.suffix}({{0}})",
                "sign": f"({{0}} > {zero} ? {one} : {{0}} < {zero} ? -{one} : {{0}})",
                "min": "qddot_min({0}, {1})",
                "max": "qddot_max({0}, {1})",
                "less": f"({{0}} < {{1}} ? {one} : {zero})",
                "less_equal": f"({{0}} <= {{1}} ? {one} : {zero})",
                "select": f"({{0}} != {zero} ? {{1}} : {{2}})",
            },
            pair=f"{self.name} {{sin}}, {{cos}}; qddot_sincos({{x}}, &{{sin}}, &{{cos}});",
            block=f"static void {{name}}(const {self.name} given[{{count}}], {self.name} "
            "results[{size}])\n{{\n  (void)given;\n{lines}\n}}\n",
            call=f"const {self.name} {{value}}a[{{count}}] = {{{{{{given}}}}}}; "
            f"{self.name} {{value}}r[{{size}}]; {{name}}({{value}}a, {{value}}r);",
        )


# π/2 in parts so short that k times each but the last is exact for every k that occurs
PARTS = {
    False: (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21),
    True: (1.5703125, 4.837512969970703125e-4, 7.549533620476723e-08, 2.563344151594519e-12),
}
NEAR = {False: 1e6, True: 6e3}  # beyond this the C library is asked
# C and C++ that may reorder sums, or take it that nothing is NaN, computes something else
EXACT = """#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST) || \\
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "compile this without -ffast-math, -Ofast, -ffinite-math-only: numbers would be wrong"
#endif
"""


def helpers(number: CNumber, text: str) -> str:
    """Return the functions that a text calls, and no other; and what refuses wrong options."""
    called = set(re.findall(r"\bqddot_(\w+)\(", text))
    parts = [_sincos(number)] if called & {"sincos", "sin", "cos"} else []
    parts += [_alone(number, name) for name in ("sin", "cos") if name in called]
    parts += [_extreme(number, name) for name in ("min", "max") if name in called]
    return "\n".join([EXACT, *(f"{part}\n" for part in parts), ""])


def _sincos(number: CNumber) -> str:
    p = SINGLE if number.single else DOUBLE
    T, f, n = number.name, number.suffix, number.literal
    y = "x"
    for part in PARTS[number.single]:
        y = f"({y} - m * {n(part)})"
    return f"""/* Both at once: k is the nearest multiple of pi/2, y is what is left of x. */
static void qddot_sincos({T} x, {T} *s, {T} *c)
{{
  if (!(fabs{f}(x) < {n(NEAR[number.single])})) {{
    *s = sin{f}(x);
    *c = cos{f}(x);
    return;
  }}
  const int k = (int)(x * {n(1 / p.half_pi[0])} + (x < {n(0.0)} ? {n(-0.5)} : {n(0.5)}));
  const {T} m = ({T})k;
  const {T} y = {y};
  const {T} z = y * y;
  const {T} p = {_nested(p.sine, n)};
  const {T} q = {_nested(p.cosine, n)};
  const {T} sine = y + y * z * p;
  const {T} cosine = {n(1.0)} + z * (z * q - {n(0.5)});
  const {T} first = k & 1 ? cosine : sine;
  const {T} second = k & 1 ? sine : cosine;
  *s = k & 2 ? -first : first;
  *c = (k + 1) & 2 ? -second : second;
}}"""


def _nested(coefficients: tuple[float, ...], literal: Callable[[float], str]) -> str:
    text = literal(coefficients[0])
    for a in coefficients[1:]:
        sign, size = ("-", -a) if a < 0 else ("+", a)
        text = f"({text} * z {sign} {literal(size)})"
    return text


def _alone(number: CNumber, which: str) -> str:
    T = number.name
    kept = which[0]
    return (
        f"static {T} qddot_{which}({T} x)\n"
        f"{{\n  {T} s, c;\n  qddot_sincos(x, &s, &c);\n  return {kept};\n}}"
    )


def _extreme(number: CNumber, which: str) -> str:
    T, sign = number.name, "<" if which == "min" else ">"
    return (
        "/* NaN if either is. */\n"
        f"static {T} qddot_{which}({T} a, {T} b)\n{{\n  return a {sign} b || a != a ? a : b;\n}}"
    )
