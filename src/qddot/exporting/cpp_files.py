"""C++17: one header with a namespace per robot, a check of itself, a CMake package.

Functions are templates over the number: double, float, or lanes of these, several states at once.
Nothing is allocated, there are no globals, and no name from a file is code: names of joints stand
in comments and, escaped, in texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qddot.backends.source import block_functions
from qddot.errors import BadArgument, printable
from qddot.exporting.c_files import CLOSE, STATES, definition, positions, shape
from qddot.exporting.c_prelude import EXACT
from qddot.exporting.cpp_support import NUMBER, doxygen, literal_text, support
from qddot.exporting.functions import MEANING, WORDS, ExportedFunction, identifier, template
from qddot.model.units import ANGLE, unit_of
from qddot.program.program import Port
from qddot.robot import Robot
from qddot.robot.quantities import Request

UNITS = {  # of a joint's units, or a unit
    "q": "position",
    "qd": "velocity",
    "qdd": "acceleration",
    "tau": "effort",
    "applied": "effort",
    "inverse_dynamics": "effort",
    "forward_dynamics": "acceleration",
    "mass_matrix": "inertia",
    "coriolis_matrix": "damping",
    **dict.fromkeys(("velocity_torque", "gravity_torque", "bias_torque"), "effort"),
    "friction_torque": "effort",
    "christoffel": "coriolis",
    "pose": "rotation; origin in m",
    **dict.fromkeys(("jacobian", "jacobian_rate"), "rad/s and m/s per joint velocity"),
}
AXES = {
    "world": "in the axes of the base, at the frame's origin",
    "local": "in the frame's own axes, at its origin",
    "base": "in the axes of the base, at the base's origin",
}


def cpp_files(
    robot: Robot, functions: Sequence[ExportedFunction], single: bool, name: str = ""
) -> dict[str, str]:
    """Return the files by their names."""
    if single:
        raise BadArgument("A C++ header is for float and double alike: leave out dtype='float32'.")
    stem = name or identifier(robot.name, "robot")
    return {
        f"{stem}.hpp": cpp_header(robot, stem, functions),
        f"{stem}_check.cpp": check_program(stem, functions),
        "CMakeLists.txt": template("CMakeLists_cpp.txt", stem=stem),
    }


def cpp_header(robot: Robot, stem: str, functions: Sequence[ExportedFunction]) -> str:
    """Return the header of a robot."""
    guard = f"QDDOT_{stem.upper()}"
    blocks: dict[str, str] = {}  # several functions may call the same
    for f in functions:
        blocks |= block_functions(f.program, NUMBER.dialect())
    inside = f"namespace Detail {{\n{''.join(blocks.values())}}}  // namespace Detail\n\n"
    names = [literal_text(name) for name in robot.joint_names]
    listed = f"{{{', '.join(names)}}}" if names else "{}"
    return "\n".join(
        [
            _about(robot, stem),
            template("head.hpp", GUARD=guard, EXACT=EXACT),
            f"namespace qddot::{stem} {{",
            f"inline namespace {guard}_LANES {{  // so that objects for other registers link\n",
            f"inline constexpr std::size_t JOINTS = {robot.n};",
            f"inline constexpr std::array<std::string_view, {robot.n}> JOINT_NAMES = {listed};\n",
            support(guard),
            inside if blocks else "",
            *(_function(robot, f, guard) for f in functions),
            f"}}  // namespace {guard}_LANES",
            f"}}  // namespace qddot::{stem}\n\n#endif",
            "",
        ]
    )


def _about(robot: Robot, stem: str) -> str:
    joints = [
        f"- {i}: {printable(joint.name)}, {joint.kind}, position [{joint.units.position}], "
        f"velocity [{joint.units.velocity}], torque or force [{joint.units.effort}]"
        for i, joint in enumerate(robot.model.free_joints)
    ]
    gravity = ", ".join(f"{float(x):g}" for x in robot.model.gravity)
    return doxygen(
        [
            f"@file {stem}.hpp",
            f"{printable(robot.name)}: {robot.n} joints, in this order:",
            "",
            *joints,
            "",
            *positions(robot),
            f"SI units, radians. The base frame is the world; gravity is ({gravity}) m/s^2 in its "
            "axes. Six-vectors have the angular part first. Matrices lie row by row.",
            "",
            "Every function takes arrays (pointers, std::array, std::span, Eigen matrices and maps "
            "of fixed size), of float or of double. With a count before them it takes so many "
            "states, row by row, and computes several at once in the registers of the target; "
            "compile with -march=native or the like. Results are stored when everything is read, "
            "so an array may be input and output at once. No memory is allocated, nothing is "
            "thrown, and there are no globals: functions may be called from several threads. It "
            "does not compile with -ffast-math, which makes wrong numbers of it.",
        ]
    )


def _function(robot: Robot, function: ExportedFunction, guard: str) -> str:
    given, out = function.inputs(), function.outputs()
    arguments = [f"const T {name}[{port.size}]" for name, port in given]
    arguments += [f"T {name}[{port.size}]" for name, port in out]
    head = f"{NUMBER.head}void {function.name}({', '.join(arguments)}) noexcept"
    parts = [
        _documented(robot, function),
        definition(head, function, NUMBER),
        _batch(function, guard),
    ]
    kinds = ("double",) if function.double_only else ("double", "float")
    parts += [_with_views(function, T) for T in kinds]
    return "\n".join(parts)


def _documented(robot: Robot, function: ExportedFunction) -> str:
    lines = [f"@brief Give {function.words}.", ""]
    for name, port in function.inputs():
        meant = _meaning(robot, port.name, "an input")
        lines.append(f"@param[in] {name} {_size(port)}: {meant}")
    for name, port in function.outputs():
        meant = _meaning(robot, port.name, function.words, function.request)
        lines.append(f"@param[out] {name} {_size(port)}: {meant}")
    request = function.request
    if request is not None and request.frame:
        axes = f", {AXES[request.axes]}" if request.axes in AXES else ""
        lines.append(f"@note Of frame {printable(request.frame)}{axes}.")
    counts = ", ".join(f"{k} {name}" for name, k in function.program.counts().most_common())
    return doxygen([*lines, f"@note {function.operations} operations: {counts or 'none'}."])


def _meaning(robot: Robot, name: str, otherwise: str, request: Request | None = None) -> str:
    """Return what an input or output is, with the units that it has at this robot's joints."""
    words = MEANING.get(name) or WORDS.get(name) or otherwise
    quantity = name if name in UNITS or request is None else request.quantity
    if quantity in UNITS:
        unit = UNITS[quantity]
        own = unit_of(robot.model.free_joints, unit) if hasattr(ANGLE, unit) else unit
        return f"{words.partition(' [')[0]} [{own}]"
    return words


def _size(port: Port) -> str:
    return shape(port) or "[1]"


def _batch(function: ExportedFunction, guard: str) -> str:
    """Return the function of many states, as many at once as a register holds."""
    given, out = function.inputs(), function.outputs()
    both = [*given, *out]
    arguments = [f"const T* {name}" for name, _ in given] + [f"T* {name}" for name, _ in out]
    step = ", ".join(f"{name} + At * {port.size}" for name, port in both)
    lanes = "".join(f"    Lanes<T> {name}_Lanes[{port.size}];\n" for name, port in both)
    loads = "".join(
        f"    Detail::load<{port.size}>({name} + At * {port.size}, count - At, {name}_Lanes);\n"
        for name, port in given
    )
    stores = "".join(
        f"    Detail::store<{port.size}>({name}_Lanes, count - At, {name} + At * {port.size});\n"
        for name, port in out
    )
    call = f"{function.name}({', '.join(f'{name}_Lanes' for name, _ in both)});"
    about = f"The same for many states, row by row, e.g. {both[-1][0]}[count]{_size(both[-1][1])}."
    return (
        f"/// {about}\n{NUMBER.head}void {function.name}(std::size_t count, "
        f"{', '.join(arguments)}) noexcept\n{{\n"
        f"#if defined({guard}_VECTORS)\n"
        f"  for (std::size_t At = 0; At < count; At += Lanes<T>::width) {{\n"
        f"{lanes}{loads}    {call}\n{stores}  }}\n"
        f"#else\n  for (std::size_t At = 0; At < count; ++At) {function.name}({step});\n"
        "#endif\n}\n"
    )


def _with_views(function: ExportedFunction, T: str) -> str:
    """Return the function of arrays whose sizes the compiler checks."""
    given, out = function.inputs(), function.outputs()
    arguments = [f"View<const {T}, {_extents(port)}> {name}" for name, port in given]
    arguments += [f"View<{T}, {_extents(port)}> {name}" for name, port in out]
    handed = ", ".join(f"{name}.data()" for name, _ in (*given, *out))
    return (
        f"inline void {function.name}({', '.join(arguments)}) noexcept\n"
        f"{{\n  {function.name}<{T}>({handed});\n}}\n"
    )


def _extents(port: Port) -> str:
    first = port.shape[0] if port.shape else 1
    return f"{first}, {port.size // first}" if len(port.shape) > 1 else f"{first}"


def check_program(stem: str, functions: Sequence[ExportedFunction]) -> str:
    """Return a main that compares every function with recorded values, in both precisions."""
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
    text = "\n".join(_check_of(function) for function in functions)
    return template("check.cpp", about=about, stem=stem, checks=text, calls=calls)


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
        f'  return verdict<T>("{function.name}", off, size, {function.close!r});',
        "}",
    ]
    return "\n".join(lines) + "\n"


def _decimal(x: float) -> str:
    x = float(x)
    return repr(x) if np.isfinite(x) else "NAN" if np.isnan(x) else f"{'-' * (x < 0)}HUGE_VAL"
