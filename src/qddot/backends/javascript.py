"""A program as a JavaScript function, so that a web page computes with a robot's own kernels.

The function takes an array an input and returns an array an output, nested as their shapes are; a
scalar is a number, and several outputs come as an array of them, in order. Identifiers are ours: no
name from a file stands in the source.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from qddot.backends.source import Dialect, block_functions, decimal, write
from qddot.program.ports import split
from qddot.program.program import Port, Program

FUNCTIONS = {
    **{name: f"Math.{name}({{0}})" for name in ("sin", "cos", "sqrt", "exp", "log", "tanh")},
    "atan2": "Math.atan2({0}, {1})",
    "floor": "Math.floor({0})",
    "abs": "Math.abs({0})",
    "sign": "Math.sign({0})",
    "min": "Math.min({0}, {1})",
    "max": "Math.max({0}, {1})",
    "less": "{0} < {1} ? 1 : 0",
    "less_equal": "{0} <= {1} ? 1 : 0",
    "select": "{0} !== 0 ? {1} : {2}",  # NaN is not zero, though JavaScript takes it for false
}


def javascript(program: Program) -> str:
    """Return the function as an expression: `(x0, x1) => {...}`, to be named by whoever uses it."""
    ports = {port.name: (f"x{k}", _places(port.shape)) for k, port in enumerate(program.inputs)}
    lines: list[str] = []
    results = [""] * len(program.results)

    def read(name: str, i: int) -> str:
        argument, places = ports[name]
        lines.append(f"const {argument}_{i} = {argument}{places[i]};")
        return f"{argument}_{i}"

    write(lines, program, DIALECT, read, results.__setitem__)
    ends = [_nested(part, port) for port, part in split(program.outputs, results)]
    whole = ends[0] if len(ends) == 1 else f"[{', '.join(ends)}]"
    blocks = block_functions(program, DIALECT).values()
    inside = "\n".join([*blocks, *lines, f"return {whole};"])
    return f"({', '.join(name for name, _ in ports.values())}) => {{\n{inside}\n}}"


DIALECT = Dialect(
    "const ",
    partial(decimal, infinity="Infinity"),
    FUNCTIONS,
    block="const {name} = (given) => {{\nconst results = [];\n{lines}\nreturn results;\n}};",
    call="const {value}r = {name}([{given}]);",
)


def _places(shape: tuple[int, ...]) -> list[str]:
    """Return how each entry of a nested array is reached: [0][0], [0][1], ..."""
    places = [""]
    for length in shape:
        places = [f"{place}[{i}]" for place in places for i in range(length)]
    return places


def _nested(entries: Sequence[str], port: Port) -> str:
    """Return the entries of an output as nested arrays of its shape."""
    level = list(entries)
    for depth in range(len(port.shape), 0, -1):
        length = port.shape[depth - 1]
        rows = math.prod(port.shape[: depth - 1])
        level = [f"[{', '.join(level[k * length : (k + 1) * length])}]" for k in range(rows)]
    return level[0]
