"""A program that compares every function of a C++ header with recorded values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qddot.exporting.c_files import CLOSE, STATES
from qddot.exporting.cpp_support import doxygen
from qddot.exporting.functions import ExportedFunction


def check_program(stem: str, functions: Sequence[ExportedFunction]) -> str:
    """Return a main that compares every function with recorded values, in both precisions."""
    parts = [_check_of(function) for function in functions]
    calls = "\n".join(
        f"  wrong += check_{f.name}<{T}>();"
        for f in functions
        for T in (("double",) if f.double_only else ("double", "float"))
    )
    close = sorted({f.close for f in functions})
    about = doxygen(
        [
            f"Check {stem}.hpp against values recorded when it was written: status 0 if all agree.",
            f"Within {' or '.join(f'{x:g}' for x in close)} of the largest entry in double, "
            f"{CLOSE:g} in float.",
        ]
    )
    text = "\n".join(parts).replace("return verdict(", "return verdict<T>(")
    return (
        f'{about}\n#include "{stem}.hpp"\n\n#include <cstdio>\n\nnamespace {{\n\n'
        f"namespace robot = qddot::{stem};\nnamespace Detail = qddot::{stem}::Detail;\n\n"
        f"{COMPARE}\n{text}\n}}  // namespace\n\nint main()\n{{\n  int wrong = 0;\n{calls}\n"
        '  std::printf(wrong ? "%d checks failed\\n" : "all functions agree\\n", wrong);\n'
        "  return wrong != 0;\n}\n"
    )


def _check_of(function: ExportedFunction) -> str:
    # numbers that are exact in float too
    kind = np.float64 if function.double_only else np.float32
    given, right = function.examples(STATES, kind)
    tables, first, more = [], [], []
    for prefix, ports, arrays in (
        ("given", function.inputs(), given),
        ("right", function.outputs(), right),
    ):
        some = [x.reshape(STATES, -1) for x in arrays if x.size]
        for (name, port), rows in zip(ports, some, strict=True):
            values = ",\n    ".join("{" + ", ".join(map(_decimal, row)) + "}" for row in rows)
            n = port.size
            tables += [
                f"  static const double {prefix}_{name}[{STATES}][{n}] = {{\n    {values}}};",
                f"  static T all_{name}[{STATES * n}];",
            ]
            first.append(f"    std::array<T, {n}> one_{name};")
            if prefix == "given":
                first.append(f"    fill(one_{name}.data(), given_{name}[k], {n});")
                first.append(f"    fill(all_{name} + k * {n}, given_{name}[k], {n});")
            else:
                more.append(
                    f"    compare(all_{name} + k * {n}, right_{name}[k], {n}, &off, &size);"
                )
    outs = function.outputs()
    names = [name for name, _ in (*function.inputs(), *outs)]
    spare = [(f"all_{name}[{(STATES - 1) * port.size}]", "T(7)") for name, port in outs]
    lines = [
        f"template <class T>\nint check_{function.name}()\n{{",
        *tables,
        "  double off = 0.0, size = 0.0;",
        f"  for (int k = 0; k < {STATES}; ++k) {{",
        *first,
        f"    robot::{function.name}({', '.join(f'one_{name}' for name in names)});",
        *(f"    compare(one_{n}.data(), right_{n}[k], {p.size}, &off, &size);" for n, p in outs),
        "  }",
        *(f"  {place} = {value};" for place, value in spare),
        f"  robot::{function.name}({STATES - 1}, {', '.join(f'all_{name}' for name in names)});",
        f"  for (int k = 0; k < {STATES - 1}; ++k) {{",
        *more,
        "  }",
        *(
            f"  if (!({place} == {value})) off = HUGE_VAL;  // no more rows"
            for place, value in spare
        ),
        f'  return verdict("{function.name}", off, size, {function.close!r});',
        "}",
    ]
    return "\n".join(lines) + "\n"


def _decimal(x: float) -> str:
    x = float(x)
    return repr(x) if np.isfinite(x) else "NAN" if np.isnan(x) else f"{'-' * (x < 0)}HUGE_VAL"


COMPARE = """template <class T>
void fill(T* place, const double* numbers, int count)
{
  for (int i = 0; i < count; ++i) place[i] = Detail::number<T>(numbers[i]);
}

template <class T, class R>
void compare(const T* found, const R* right, int count, double* off, double* size)
{
  for (int i = 0; i < count; ++i) {
    const double a = static_cast<double>(found[i]);
    const double b = static_cast<double>(Detail::number<T>(static_cast<double>(right[i])));
    const double apart = a == b || (a != a && b != b) ? 0.0 : std::fabs(a - b);
    if (apart > *off || apart != apart) *off = apart;  // and stay, once it is NaN
    if (std::fabs(b) > *size && std::isfinite(b)) *size = std::fabs(b);
  }
}

template <class T>
int verdict(const char* name, double off, double size, double tolerance)
{
  const bool single = sizeof(T) == sizeof(float);
  const bool wrong = !(off <= (single ? 1e-3 : tolerance) * (size > 1e-3 ? size : 1e-3));
  std::printf("%-40s %-6s off by %.1e of %.3g: %s\\n", name, single ? "float" : "double", off,
              size, wrong ? "WRONG" : "right");
  return wrong;
}
"""
