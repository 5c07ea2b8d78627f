"""C99 for a controller board: a header, a source, a check of itself, a CMake file.

No memory is allocated, there are no globals, and nothing is called but sine and cosine of angles
beyond a million, and what of the C library the header names.
For CUDA one source has a kernel per function, to be compiled by nvcc or NVRTC.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap

import numpy as np

from qddot.backends.cuda_prelude import Real
from qddot.backends.cuda_source import THREADS, kernel, source
from qddot.backends.source import block_functions, body
from qddot.errors import printable
from qddot.exporting.c_prelude import LIBRARY, CNumber, helpers
from qddot.exporting.functions import MEANING, ExportedFunction, identifier, template
from qddot.program.program import Port
from qddot.robot import Robot

STATES = 8  # recorded for the check
CLOSE = 1e-3  # in float32, relative to the largest entry: a badly conditioned M costs digits


def c_files(
    robot: Robot, functions: Sequence[ExportedFunction], single: bool, name: str = ""
) -> dict[str, str]:
    """Return the files by their names."""
    number, stem = CNumber(single), name or identifier(robot.name, "robot")
    blocks: dict[str, str] = {}  # several functions may call the same
    definitions: list[str] = []
    for f in functions:
        blocks |= block_functions(f.program, number.dialect())
        definitions.append(definition(signature(f, number, f"{stem}_"), f, number))
    bodies = "\n".join([*blocks.values(), *definitions])
    return {
        f"{stem}.h": _header(robot, stem, functions, number, bodies),
        f"{stem}.c": _source(robot, stem, number, bodies),
        f"{stem}_check.c": _check(stem, functions, number),
        "CMakeLists.txt": template("CMakeLists_c.txt", stem=stem),
    }


def _header(
    robot: Robot, stem: str, functions: Sequence[ExportedFunction], number: CNumber, bodies: str
) -> str:
    joints = ", ".join(printable(name) for name in robot.joint_names)
    calls = [f for f in LIBRARY.values() if re.search(rf"\b{f}f?\(", bodies)]
    far = ["sin", "cos"] if "qddot_sin" in bodies or "qddot_cos" in bodies else []
    library = ", ".join(
        [*(f"{f} beyond {'6e3' if number.single else '1e6'} rad" for f in far), *calls]
    )
    about = [
        f"{printable(robot.name)}: {robot.n} joints, in this order: {joints}.",
        *positions(robot),
        "",
        "SI units, radians; matrices row by row. Results are stored when everything is read, so an "
        "array may be input and output at once. No memory is allocated and there are no globals: "
        "every function may be called from several threads. It does not compile with -ffast-math: "
        "sines of large angles would lose digits, and NaN would go unnoticed.",
        f"Of the C library: {library or 'nothing'}.",
    ]
    guard = f"{stem.upper()}_H"
    declared = "\n".join(_declaration(stem, f, number) for f in functions)
    return (
        f"{_comment(about)}\n#ifndef {guard}\n#define {guard}\n\n"
        f'#ifdef __cplusplus\nextern "C" {{\n#endif\n\n#define {stem.upper()}_JOINTS {robot.n}\n\n'
        f"{declared}\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )


def positions(robot: Robot) -> list[str]:
    """Return what the numbers of q are, where they are not one per joint."""
    if robot.nq == robot.n:
        return []
    names = ", ".join(printable(name) for name in robot.model.position_names)
    return [f"A position q has {robot.nq} numbers, in this order: {names}."]


def _declaration(stem: str, function: ExportedFunction, number: CNumber) -> str:
    counts = function.program.counts()
    operations = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    lines = [f"Give {function.words}.", ""]
    for name, port in function.inputs():
        lines.append(f"{name}{shape(port)}: {MEANING.get(port.name, 'an input')}")
    for name, port in function.outputs():
        lines.append(f"{name}{shape(port)}: {MEANING.get(port.name, 'the result')}, written")
    lines += ["", f"{function.operations} operations: {operations or 'none'}."]
    return f"{_comment(lines)}\n{signature(function, number, f'{stem}_')};\n"


def signature(function: ExportedFunction, number: CNumber, prefix: str = "") -> str:
    """Return how a function of C is declared."""
    T = number.name
    arguments = [f"const {T} {name}[{port.size}]" for name, port in function.inputs()]
    arguments += [f"{T} {name}[{port.size}]" for name, port in function.outputs()]
    return f"void {prefix}{function.name}({', '.join(arguments)})"


def shape(port: Port) -> str:
    return "".join(f"[{k}]" for k in port.shape)


def _source(robot: Robot, stem: str, number: CNumber, bodies: str) -> str:
    about = _comment([f"{printable(robot.name)}; see {stem}.h."])
    return f'{about}\n#include "{stem}.h"\n\n#include <math.h>\n\n{helpers(number, bodies)}{bodies}'


def definition(signature: str, function: ExportedFunction, number: CNumber) -> str:
    """Return a function of C or C++ with its statements."""
    called = {port.name: name for name, port in function.inputs()}

    def read(port: str, i: int) -> str:
        return f"{called[port]}[{i}]"

    code = body(function.program, number.dialect(), read)
    places = [f"{name}[{i}]" for name, port in function.outputs() for i in range(port.size)]
    # everything is read before anything is stored: a result may be an input handed through
    lines = [*code.statements]
    stores = []
    for k, (place, result) in enumerate(zip(places, code.results, strict=True)):
        if re.fullmatch(r"\w+\[\d+\]", result):
            lines.append(f"const {number.name} r{k} = {result};")
            result = f"r{k}"
        stores.append(f"{place} = {result};")
    text = " ".join([*lines, *stores])
    unused = [
        f"(void){name};" for name, _ in function.inputs() if not re.search(rf"\b{name}\[", text)
    ]
    inside = "\n".join(f"  {line}" for line in (*unused, *lines, *stores))
    opening = number.opening + (number.only_double if function.double_only else "")
    return f"{signature}\n{{\n{opening}{inside}\n}}\n"


def _check(stem: str, functions: Sequence[ExportedFunction], number: CNumber) -> str:
    """Return a main that compares every function with recorded values."""
    parts = [_check_of(stem, function, number) for function in functions]
    calls = "\n".join(f"  wrong += check_{f.name}();" for f in functions)
    close = sorted({_close(f, number) for f in functions})
    about = _comment(
        [
            f"Check {stem}.c against values recorded when it was written: status 0 if all agree.",
            f"Within {' or '.join(f'{x:g}' for x in close)} of the largest entry.",
        ]
    )
    marks = {"stem": stem, "T": number.name, "checks": "\n".join(parts), "calls": calls}
    return template("check.c", about=about, **marks)


def _close(function: ExportedFunction, number: CNumber) -> float:
    """Return how near a function must come, relative to its largest entry."""
    return CLOSE if number.single else function.close


def _check_of(stem: str, function: ExportedFunction, number: CNumber) -> str:
    T = number.name
    given, right = function.examples(STATES, np.float32 if number.single else np.float64)
    tables, arguments, locals_, compared = [], [], [], []
    for prefix, ports, arrays in (
        ("given", function.inputs(), given),
        ("right", function.outputs(), right),
    ):
        some = [x.reshape(STATES, -1) for x in arrays if x.size]
        for (name, port), rows in zip(ports, some, strict=True):
            values = ",\n    ".join(
                "{" + ", ".join(number.literal(float(x)) for x in row) + "}" for row in rows
            )
            table = f"{prefix}_{name}"
            tables.append(
                f"  static const {T} {table}[{STATES}][{port.size}] = {{\n    {values}}};"
            )
            if prefix == "given":
                arguments.append(f"{table}[k]")
            else:
                arguments.append(f"found_{name}")
                locals_.append(f"    {T} found_{name}[{port.size}];")
                compared.append(f"    compare(found_{name}, {table}[k], {port.size}, &off, &size);")
    lines = [
        f"static int check_{function.name}(void)\n{{",
        *tables,
        "  double off = 0.0, size = 0.0;",
        f"  for (int k = 0; k < {STATES}; ++k) {{",
        *locals_,
        f"    {stem}_{function.name}({', '.join(arguments)});",
        *compared,
        "  }",
        f'  return verdict("{stem}_{function.name}", off, size, {_close(function, number)!r});',
        "}",
    ]
    return "\n".join(lines) + "\n"


def _comment(lines: Sequence[str]) -> str:
    """Return a comment; nothing in it can end it."""
    text: list[str] = []
    for line in lines:
        text += wrap(plain_ascii(line), 92) or [""]
    if len(text) == 1:
        return f"/* {text[0]} */"
    return "/*\n" + "".join(f" * {line}".rstrip() + "\n" for line in text) + " */"


def plain_ascii(text: str) -> str:
    """Return a text that begins and ends no comment."""
    plain = text.replace("*/", "* /").replace("/*", "/ *").replace("·", " ").replace("²", "^2")
    return plain.encode("ascii", "replace").decode()


def cuda_files(
    robot: Robot, functions: Sequence[ExportedFunction], single: bool, name: str = ""
) -> dict[str, str]:
    """Return the files by their names."""
    real, stem = Real(single), name or identifier(robot.name, "robot")
    kernels = [kernel(f.program, f"{stem}_{f.name}", real) for f in functions]
    lines = [f"// {_plain(printable(robot.name))}, {real.name}; one thread per state", "//"]
    for function, text in zip(functions, kernels, strict=True):
        blocks = f"(count + {THREADS - 1}) / {THREADS}" + (f" * {text.parts}" * (text.parts > 1))
        lines += [
            f"// {text.name}: {_plain(function.words)}",
            f"//   <<<{blocks}, {THREADS}, {text.shared(real)}>>>"
            f"({', '.join(_arguments(function))}, count)",
        ]
    lines += [
        "//",
        "// Rows lie side by side, _step entries apart; a step of 0 has all states share one row.",
        "// More than 48 KiB of shared memory must be asked for (cudaFuncSetAttribute).",
        "",
    ]
    return {f"{stem}.cu": "\n".join(lines) + source(kernels, real)}


def _arguments(function: ExportedFunction) -> list[str]:
    given = [part for name, port in function.inputs() for part in (name, str(port.size))]
    return [*given, *(name for name, _ in function.outputs())]


def _plain(text: str) -> str:
    """Return a text on one line, whose comment nothing in it can end or prolong."""
    return " ".join(text.encode("ascii", "replace").decode().replace("\\", "/").split())
