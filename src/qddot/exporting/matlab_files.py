"""Functions for MATLAB and GNU Octave: one file each, a check of them all, and how to use them.

Base MATLAB alone, and within what a MATLAB Function block of Simulink takes. A robot with symbols
has its parameters as the fields of a struct, its last argument: M(q, p) with p.m1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from qddot.backends.matlab import DIALECT, broken, comment, helpers, number, stored
from qddot.backends.source import write
from qddot.errors import BadArgument, printable
from qddot.exporting.closed_forms import ReadableForms
from qddot.exporting.functions import MEANING, ExportedFunction, identifier, template
from qddot.program.ports import split
from qddot.program.program import Port
from qddot.readers.read import values_of
from qddot.robot import Robot

STATES = 4  # recorded for the check
# the letters of the books. C = C(q, qd) has taken c: Windows and macOS take C.m and c.m for one
LETTERS = {"mass_matrix": "M", "coriolis_matrix": "C", "gravity_torque": "g"}
RESULTS = {"pose": "T", "jacobian": "J", "inverse_dynamics": "tau", "dir2dyn": "ddq"}
RESULTS |= {"forward_dynamics": "qdd", "friction_torque": "tau", "velocity_torque": "tau"}
UNITS = {
    "mass_matrix": "[kg m^2, kg m or kg]",
    "coriolis_matrix": "value*qd are torques [N m] or forces [N]",
    "gravity_torque": MEANING["tau"],
    "dir2dyn": MEANING["qdd"],
    "pose": "4 x 4, lengths in m",
    "jacobian": "J*qd = [angular velocity (rad/s); velocity (m/s)] in the axes of the base",
    "kinetic_energy": "[J]",
    "potential_energy": "[J]",
}


def usual(robot: Robot) -> list[str]:
    """Return what is written if nobody says: the terms of the equation, and the tip's motion."""
    return [
        *("mass_matrix", "coriolis_matrix", "velocity_torque", "gravity_torque"),
        *("friction_torque", "inverse_dynamics", "forward_dynamics", "dir2dyn"),
        *(f"pose:{robot.tip}", f"jacobian:{robot.tip}", "kinetic_energy", "potential_energy"),
    ]


def matlab_files(
    robot: Robot, functions: Sequence[ExportedFunction], single: bool, name: str = ""
) -> dict[str, str]:
    """Return the files by their names."""
    if single:
        raise BadArgument("MATLAB computes in float64: leave out dtype='float32'.")
    fields = field_names(robot.symbols)
    closed = ReadableForms(robot, fields) if robot.symbols else None
    named = [
        replace(f, name=f"{name}_{own}" if name else own)
        for f, own in zip(functions, file_names(functions), strict=True)
    ]
    files = {f"{f.name}.m": _file(robot, f, fields, closed) for f in named}
    if robot.symbols:
        files["parameters.m"] = _parameters(robot, fields)
    files["check.m"] = check_file(robot.name, named, fields)
    files["README.md"] = _readme(robot, named)
    return files


def file_names(functions: Sequence[ExportedFunction]) -> list[str]:
    """Return what the files are called: M, C and g, pose and jacobian where there is one of them.

    No two are alike, whether letters are large or small.
    """
    quantities = [f.request.quantity if f.request else "" for f in functions]
    found: list[str] = []
    taken: set[str] = {"check", "parameters"}
    for function, quantity in zip(functions, quantities, strict=True):
        alone = quantity and quantities.count(quantity) == 1
        name = LETTERS.get(quantity, quantity) if alone else function.name
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        found.append(name)
    return found


def field_names(symbols: Sequence[str]) -> dict[str, str]:
    """Return what each symbol is called in the struct p, by its name."""
    plain = [identifier(name) == name.lower() and len(name) <= 60 for name in symbols]
    return {
        name: name if fits else f"parameter_{k}"
        for k, (name, fits) in enumerate(zip(symbols, plain, strict=True), 1)
    }


def _file(
    robot: Robot, function: ExportedFunction, fields: dict[str, str], closed: ReadableForms | None
) -> str:
    inputs = function.inputs()
    outputs = _results(function)
    body = closed.body(function, outputs[0][0]) if closed and function.symbols else None
    if body is None:
        body = _statements(function, outputs, fields)
    lines = [
        _signature(function.name, inputs, outputs),
        *_help(robot, function, fields, outputs),
        "%#codegen",
        *_argument_checks(function, inputs),
        *body,
        "end",
    ]
    return "\n".join([*lines, *helpers("\n".join(body))]) + "\n"


def _results(function: ExportedFunction) -> list[tuple[str, Port]]:
    """Return the outputs, one that has no name of its own under the book's."""
    taken = {name for name, _ in function.inputs()}
    quantity = function.request.quantity if function.request else ""
    pretty = RESULTS.get(quantity, "value")
    pretty = pretty if pretty not in taken and pretty != function.name else "out"
    return [(pretty if name == "out" else name, port) for name, port in function.outputs()]


def _signature(name: str, inputs: list[tuple[str, Port]], outputs: list[tuple[str, Port]]) -> str:
    results = ", ".join(result for result, _ in outputs)
    left = results if len(outputs) == 1 else f"[{results}]"
    return f"function {left} = {name}({', '.join(argument for argument, _ in inputs)})"


def _help(
    robot: Robot,
    function: ExportedFunction,
    fields: dict[str, str],
    outputs: list[tuple[str, Port]],
) -> list[str]:
    """Return the comment that `help` shows: a line, then inputs and outputs with their units."""
    name, quantity = function.name, function.request.quantity if function.request else ""
    call = _signature(name, function.inputs(), outputs).removeprefix("function ")
    lines = comment(f"{name.upper()}  {function.words} ({robot.name}).", "%")
    lines += ["%", f"%   {call}", "%"]
    for argument, port in function.inputs():
        lines += comment(f"{argument} ({size(port)}): {MEANING.get(port.name, 'an input')}", "%   ")
    for argument, port in outputs:
        what = UNITS.get(quantity) or MEANING.get(argument, "the result")
        lines += comment(f"{argument} ({size(port)}): {what}", "%   ")
    joints = ", ".join(robot.model.position_names)
    lines += ["%", *comment(f"The joints, in order: {joints}.", "%   ")]
    if function.symbols:
        written = ", ".join(f"p.{field}" for field in fields.values())
        lines += comment(f"The parameters, see parameters.m: {written}.", "%   ")
    return lines


def size(port: Port) -> str:
    """Return a shape as MATLAB has it: 7 x 1, 6 x 7."""
    shape = port.shape if len(port.shape) > 1 else (port.size, 1)
    return "struct" if port.name == "p" else " x ".join(map(str, shape))


def _argument_checks(function: ExportedFunction, inputs: list[tuple[str, Port]]) -> list[str]:
    lines = []
    for name, port in inputs:
        if function.symbols and port.name == "p":
            wanted, message = "~isstruct(p)", "p must be a struct of parameters, see parameters.m."
        else:
            wanted = f"~isnumeric({name}) || ~isreal({name}) || numel({name}) ~= {port.size}"
            count = "a real number" if port.size == 1 else f"{port.size} real numbers"
            message = f"{name} must be {count}."
        identity = f"qddot:{function.name}"
        lines += [f"if {wanted}", f"    error('{identity}', '{message}');", "end"]
    return lines


def _statements(
    function: ExportedFunction, outputs: list[tuple[str, Port]], fields: dict[str, str]
) -> list[str]:
    """Return the program, one line per operation."""
    called = {port.name: (name, port) for name, port in function.inputs()}
    symbols = [fields[name] for name in function.symbols]

    def read(port: str, i: int) -> str:
        name, given = called[port]
        if symbols and port == "p":
            return f"p.{symbols[i]}"
        return f"{name}({place(i, given.shape)})" if given.shape else name

    lines: list[str] = []
    entries = [""] * len(function.program.results)
    write(lines, function.program, DIALECT, read, entries.__setitem__)
    parts = [part for port, part in split(function.program.outputs, entries) if port.size]
    for (name, port), part in zip(outputs, parts, strict=True):
        lines += stored(name, part, port.shape)
    return lines


def place(i: int, shape: tuple[int, ...]) -> str:
    """Return where entry i of an array is, counted from 1; a vector may be a row or a column."""
    return ", ".join(str(k + 1) for k in np.unravel_index(i, shape))


def _parameters(robot: Robot, fields: dict[str, str]) -> str:
    values = values_of(robot.name)
    words = "the parameters of" if values else "the parameters of, to be filled in,"
    lines = ["function p = parameters()", *comment(f"PARAMETERS  {words} {robot.name}.", "%")]
    for symbol, field in fields.items():
        meant = "" if symbol == field else f"  % {printable(symbol)}"
        lines.append(f"p.{field} = {number(values.get(symbol, np.nan))};{meant}")
    return "\n".join([*lines, "end"]) + "\n"


def _readme(robot: Robot, functions: Sequence[ExportedFunction]) -> str:
    rows = [
        f"| `{_signature(f.name, f.inputs(), _results(f)).removeprefix('function ')}` "
        f"| {printable(f.words)} |"
        for f in functions
    ]
    marks = {"p": ", p" if robot.symbols else "", "n": str(robot.n)}
    text = template(
        "matlab_readme.txt",
        robot=" ".join(printable(robot.name).split()),
        rows="\n".join(rows),
        one=functions[0].name,
        **marks,
        first=FIRST if robot.symbols else "",
        parameters=PARAMETERS if robot.symbols else "",
        joints=", ".join(robot.joint_names),
    )
    forward = next((f.name for f in functions if f.program.name == "dir2dyn"), "")
    simulated = template("matlab_simulated.txt", **marks, dir2dyn=forward)
    return f"{text}\n{simulated if forward and robot.nq == robot.n else ''}"


FIRST = "p = parameters();          % its values; change them as you like\n"
PARAMETERS = """`p` is a struct with the robot's parameters; `parameters.m` has names and values.

"""


def check_file(robot: str, functions: Sequence[ExportedFunction], fields: Mapping[str, str]) -> str:
    """Return the text of check.m, which runs the other functions under the names of their files."""
    lines = [
        "function wrong = check()",
        *comment(f"CHECK  compare the functions of {robot} with recorded values.", "%"),
        "%   Returns how many functions are wrong, and prints how far each is off.",
        "wrong = 0;",
        *(f"wrong = wrong + check_{k}();" for k in range(1, len(functions) + 1)),
        "if wrong == 0",
        "    fprintf('all functions agree\\n');",
        "else",
        "    fprintf('%d of the functions are wrong\\n', wrong);",
        "end",
        "end",
    ]
    for k, function in enumerate(functions, 1):
        lines += ["", *_check_of(k, function, fields)]
    return "\n".join([*lines, "", template("check.m")])


def _check_of(k: int, function: ExportedFunction, fields: Mapping[str, str]) -> list[str]:
    given, right = function.examples(STATES)
    lines, arguments = [], []
    some = [x for x in given if x.size]
    for (name, port), array in zip(function.inputs(), some, strict=True):
        if function.symbols and port.name == "p":
            rows = [[number(x) for x in column] for column in array.T]
            each = zip(fields.values(), rows, strict=True)
            lines += [f"p.{field} = [{', '.join(row)}];" for field, row in each]
            arguments.append("one_of(p, k)")
        else:
            lines += _table(f"given_{name}", array)
            shape = port.shape if len(port.shape) > 1 else (port.size, 1)
            wanted = ", ".join(map(str, shape))
            arguments.append(f"reshape(given_{name}(k, :), {wanted})")
    whole = np.concatenate([_columns(x) for x in right if x.size], axis=1)
    results = [f"x{i}" for i in range(1, sum(bool(x.size) for x in right) + 1)]
    left = f"[{', '.join(results)}]"
    found = "; ".join(f"{name}(:)" for name in results)
    return [
        f"function wrong = check_{k}()",
        *lines,
        *_table("right", whole),
        "off = 0;",
        f"for k = 1:{STATES}",
        f"    {left} = {function.name}({', '.join(arguments)});",
        f"    off = apart([{found}].', right(k, :), off);",
        "end",
        f"wrong = verdict('{function.name}', off, right, {number(function.close)});",
        "end",
    ]


def _columns(x: np.ndarray) -> np.ndarray:
    """Return arrays as rows in MATLAB's order, columns first."""
    return np.array([state.reshape(-1, order="F") for state in x])


def _table(name: str, rows: np.ndarray) -> list[str]:
    flat = _columns(rows)
    lines = [f"{name} = [ ..."]
    for k, row in enumerate(flat, 1):
        lines += broken("    ", map(number, row), "; ..." if k < len(flat) else "];")
    return lines
