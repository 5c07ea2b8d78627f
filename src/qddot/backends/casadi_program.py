"""Programs in CasADi: a `casadi.Function`, for optimal control.

CasADi's arrays have two axes: what has one is a column, what has three is a matrix whose rows are
the entries along the first axis, laid out one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import casadi
from casadi import MX, SX

from qddot.program.calls import BlockCall
from qddot.program.ports import split
from qddot.program.program import Port, Program


def function(program: Program) -> casadi.Function:
    """Return a program as a function of CasADi, with names for its inputs and outputs.

    One that calls blocks is a graph of matrices (MX), in which each block is a function.
    """
    kind = MX if program.blocks else SX
    blocks: dict[str, casadi.Function] = {}
    values: list[Any] = []
    symbols = []
    for port in program.inputs:
        rows = port.shape[0] if port.shape else 1
        if program.blocks:
            symbols.append(MX.sym(port.name, rows, port.size // max(rows, 1)))
            values += casadi.vertsplit(casadi.vec(symbols[-1].T)) if port.size else []
        else:
            entries = [SX.sym(f"{port.name}_{i}") for i in range(port.size)]
            symbols.append(_shaped(kind, port, entries))
            values += entries
    values += [kind(c) for c in program.constants]
    for op, numbers in program.steps:
        args = [values[i] for i in numbers]
        if isinstance(op, BlockCall):
            values.append(casadi.vertsplit(_called(op.block, blocks)(casadi.vertcat(*args))))
        else:
            values.append(OPERATIONS.get(op.name, op.apply)(*args))
    parts = split(program.outputs, program.results)
    outputs = [_shaped(kind, port, [values[i] for i in part]) for port, part in parts]
    inputs = [_plain(port.name, f"i{k}") for k, port in enumerate(program.inputs)]
    names = [_plain(port.name, f"o{k}") for k, port in enumerate(program.outputs)]
    # no name may stand for an input and an output
    names = [f"o{k}" if name in inputs else name for k, name in enumerate(names)]
    return casadi.Function(_plain(program.name, "program"), symbols, outputs, inputs, names)


def _called(block: Program, blocks: dict[str, casadi.Function]) -> casadi.Function:
    """Return a block as a function from a column of its arguments to one of its results."""
    if block.digest not in blocks:
        given, results = Port("given", (block.input_size,)), Port("results", (len(block.results),))
        flat = replace(block, name="block", inputs=(given,), outputs=(results,))
        blocks[block.digest] = function(flat)
    return blocks[block.digest]


def _shaped(kind: Any, port: Port, entries: list[Any]) -> Any:
    if not entries:
        return kind(0, 1)
    rows = port.shape[0] if port.shape else 1
    # CasADi counts down columns
    return casadi.reshape(casadi.vertcat(*entries), len(entries) // rows, rows).T


def _plain(name: str, otherwise: str) -> str:
    """Return a name as CasADi takes it: letters, digits and single underscores."""
    plain = "_".join(part for part in name.split("_") if part)
    taken = plain in ("null", "jac", "hess")
    return plain if plain.isidentifier() and plain.isascii() and not taken else otherwise


SAME_NAMES = ("sin", "cos", "sqrt", "exp", "log", "tanh", "atan2", "floor", "sign")
# those that are not the operators of Python
OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(casadi, name) for name in SAME_NAMES},
    "div": lambda a, b: a / b,
    "abs": casadi.fabs,
    "min": casadi.fmin,
    "max": casadi.fmax,
    "less": lambda a, b: casadi.if_else(a < b, 1.0, 0.0),
    "less_equal": lambda a, b: casadi.if_else(a <= b, 1.0, 0.0),
    "select": lambda a, b, c: casadi.if_else(a != 0, b, c),
}
