"""A program as statements of a language of the C family: one line an operation.

What such languages share is here; a dialect says how one of them differs. Identifiers are ours
(t1, t2, ...): no name from a file stands in generated source.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from qddot.program.program import Program

Read = Callable[[str, int], str]  # the name of an input and the number of an entry, to source


@dataclass(frozen=True)
class Dialect:
    """How one language writes numbers, declarations and the functions of a program.

    A function is a format of its arguments: "fabs({0})". Where sine and cosine of the same angle
    come from one call, `pair` is that statement; it declares {sin} and {cos} of {x}.
    """

    declare: str  # what stands in front of a new name: "const double "
    number: Callable[[float], str]
    functions: Mapping[str, str] = field(default_factory=dict)
    pair: str = ""

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
class Body:
    """What a function computes: its statements, then the expression of each result."""

    statements: tuple[str, ...]
    results: tuple[str, ...]


def body(program: Program, dialect: Dialect, read: Read, prefix: str = "t") -> Body:
    """Return the statements of a program and what its results are called."""
    names: list[str] = [read(port.name, i) for port in program.inputs for i in range(port.size)]
    names += [_in_parentheses(dialect.number(c)) for c in program.constants]
    both = _angles_of_pairs(program) if dialect.pair else set()
    paired: dict[int, dict[str, str]] = {}
    lines: list[str] = []
    for k, step in enumerate(program.steps, start=1):
        name, op, angle = f"{prefix}{k}", step.op.name, step.args[0]
        if op in ("sin", "cos") and angle in both:
            if angle not in paired:
                paired[angle] = {"sin": f"{prefix}{k}s", "cos": f"{prefix}{k}c"}
                lines.append(dialect.pair.format(x=names[angle], **paired[angle]))
            names.append(paired[angle][op])
            continue
        lines.append(
            f"{dialect.declare}{name} = {dialect.write(op, *(names[i] for i in step.args))};"
        )
        names.append(name)
    return Body(tuple(lines), tuple(names[i] for i in program.results))


def _angles_of_pairs(program: Program) -> set[int]:
    """Return the values of which both sine and cosine are taken."""
    taken: dict[str, set[int]] = {"sin": set(), "cos": set()}
    for step in program.steps:
        if step.op.name in taken:
            taken[step.op.name].add(step.args[0])
    return taken["sin"] & taken["cos"]


def _in_parentheses(number: str) -> str:
    return f"({number})" if number.startswith("-") else number
