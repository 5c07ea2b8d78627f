"""A program as statements of a language of the C family: one line an operation.

What such languages share is here; a dialect says how one of them differs. Identifiers are ours
(t1, t2, ...): no name from a file stands in generated source.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np

from qddot.program.blocks import inlined
from qddot.program.calls import BlockCall, CallResult
from qddot.program.program import Program

Read = Callable[[str, int], str]  # the name of an input and the number of an entry, to source


class FloatType:
    """What languages with C's types call float64 and float32, and how they write its numbers."""

    single: bool  # float32
    cast: ClassVar[str] = ""  # in front of numbers that are not finite

    @property
    def name(self) -> str:
        return "float" if self.single else "double"

    @property
    def size(self) -> int:
        """Bytes of one entry."""
        return 4 if self.single else 8

    def literal(self, x: float) -> str:
        """Return a constant that is read back exactly; what float32 cannot hold is infinite."""
        with np.errstate(over="ignore"):
            x = float(np.float32(x)) if self.single else float(x)
        if math.isnan(x):
            return f"{self.cast}NAN"
        if math.isinf(x):
            infinity = "INFINITY" if self.single or self.cast else "HUGE_VAL"  # float or double
            return f"{'-' if x < 0 else ''}{self.cast}{infinity}"
        return f"{x!r}f" if self.single else repr(x)


def decimal(x: float, infinity: str) -> str:
    """Return a float with every digit that it has."""
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return infinity if x > 0 else f"-{infinity}"
    text = repr(float(x))
    return text.removesuffix(".0") if x else text  # -0.0 stays what it is


@dataclass(frozen=True)
class Dialect:
    """How one language writes numbers, declarations and the functions of a program.

    A function is a format of its arguments: "fabs({0})". Where sine and cosine of the same angle
    come from one call, `pair` is that statement; it declares {sin} and {cos} of {x}. Where blocks
    become functions, `block` is one: {name} with its {lines}, from an array `given` of {count}
    numbers, whose {names} are {parameters}, to an array `results` of {size}; and `call` declares
    such {results}, of {given}, that are named after the value {value}. Elsewhere calls are written
    as what they do.
    """

    declare: str  # what stands in front of a new name: "const double "
    number: Callable[[float], str]
    functions: Mapping[str, str] = field(default_factory=dict)
    pair: str = ""
    block: str = ""
    call: str = ""

    def write(self, operation: str, *args: str) -> str:
        """Return an operation on names and numbers as an expression."""
        return (ARITHMETIC | dict(self.functions))[operation].format(*args)


# {0} comes as a name or a number, and a negative number in parentheses
ARITHMETIC = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
}


@dataclass(frozen=True)
class SourceBody:
    """What a function computes: its statements, then the expression of each result."""

    statements: tuple[str, ...]
    results: tuple[str, ...]


def body(program: Program, dialect: Dialect, read: Read, prefix: str = "t") -> SourceBody:
    """Return the statements of a program and what its results are called."""
    lines: list[str] = []
    results = [""] * len(program.results)

    def put(k: int, value: str) -> None:
        results[k] = value

    write(lines, program, dialect, read, put, prefix)
    return SourceBody(tuple(lines), tuple(results))


def write(
    lines: list[str],
    program: Program,
    dialect: Dialect,
    read: Read,
    put: Callable[[int, str], None],
    prefix: str = "t",
) -> None:
    """Append the statements of a program, wherever its inputs come from and its results go.

    `read` returns an entry of an input as an expression, and is called once, when it is first
    needed; `put` takes entry k of the results as soon as it is known. Both may append lines of
    their own. Names of values begin with the prefix.
    """
    program = program if dialect.call else inlined(program)
    inputs = [(port.name, i) for port in program.inputs for i in range(port.size)]
    values = {
        i: _in_parentheses(dialect.number(c))
        for i, c in enumerate(program.constants, program.input_size)
    }
    wanted: dict[int, list[int]] = {}
    for k, i in enumerate(program.results):
        wanted.setdefault(i, []).append(k)

    def value(i: int) -> str:
        if i not in values:
            values[i] = read(*inputs[i])
        return values[i]

    both = _angles_of_pairs(program) if dialect.pair else set()
    paired: dict[int, dict[str, str]] = {}
    for number, step in enumerate(program.steps, program.first_step):
        name, op = f"{prefix}{number - program.first_step + 1}", step.op.name
        args, angle = [value(i) for i in step.args], step.args[0] if step.args else -1
        if isinstance(step.op, BlockCall):
            lines.append(dialect.call.format(value=name, **_call(step.op, args, dialect.declare)))
            values[number] = f"{name}r"
        elif isinstance(step.op, CallResult):
            values[number] = f"{args[0]}[{step.op.index}]"
        elif op in ("sin", "cos") and angle in both:
            if angle not in paired:
                paired[angle] = {"sin": f"{name}s", "cos": f"{name}c"}
                lines.append(dialect.pair.format(x=args[0], **paired[angle]))
            values[number] = paired[angle][op]
        else:
            lines.append(f"{dialect.declare}{name} = {dialect.write(op, *args)};")
            values[number] = name
        for k in wanted.pop(number, ()):
            put(k, values[number])
    for i, places in wanted.items():  # constants, and inputs handed through
        for k in places:
            put(k, value(i))


def block_functions(program: Program, dialect: Dialect) -> dict[str, str]:
    """Return the functions of the blocks that a program calls, by name, in order."""
    found: dict[str, str] = {}
    for block in program.blocks if dialect.call else ():
        lines: list[str] = []
        ports = [port.name for port in block.inputs]
        starts = dict(
            zip(ports, accumulate((p.size for p in block.inputs), initial=0), strict=False)
        )

        def read(port: str, i: int, starts: dict[str, int] = starts) -> str:
            return f"given[{starts[port] + i}]"

        def put(k: int, value: str, lines: list[str] = lines) -> None:
            lines.append(f"results[{k}] = {value};")

        write(lines, block, dialect, read, put)
        about = _call(BlockCall.of(block), [], dialect.declare)
        text = dialect.block.format(lines="\n".join(f"  {line}" for line in lines), **about)
        found[about["name"]] = text
    return found


def _call(call: BlockCall, args: list[str], declare: str) -> dict[str, Any]:
    """Return how a call is written: the function's name, its arguments, and how many there are."""
    size = len(call.block.results)
    name, given = f"block_{call.block.digest[:16]}", ", ".join(args) or "0"
    names = [f"given{i}" for i in range(max(call.arity, 1))]
    return {
        "name": name,
        "given": given,
        "count": len(names),
        "size": max(size, 1),
        "parameters": ", ".join(f"{declare}{name}" for name in names),
        "names": ", ".join(names),
    }


def _angles_of_pairs(program: Program) -> set[int]:
    """Return the values of which both sine and cosine are taken."""
    taken: dict[str, set[int]] = {"sin": set(), "cos": set()}
    for step in program.steps:
        if step.op.name in taken:
            taken[step.op.name].add(step.args[0])
    return taken["sin"] & taken["cos"]


def _in_parentheses(number: str) -> str:
    return f"({number})" if number.startswith("-") else number
