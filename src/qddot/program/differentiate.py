"""Derivatives of programs, as programs: forward, for Jacobians, and reverse, for gradients.

Both replay a program on the recorder, so whatever a derivative has in common with the program or
with itself is computed once, and what is zero is not computed at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from qddot.errors import BadArgument, listing
from qddot.program.along_steps import carried_along, carried_back, is_zero, shaped
from qddot.program.ports import split
from qddot.program.program import Program, flat
from qddot.program.recorder import record
from qddot.scalars import Scalar

Directions = Callable[[Any], np.ndarray]  # of an input, at its value: one per column


def jacobian(
    program: Program, wrt: Sequence[str], directions: Mapping[str, Directions] | None = None
) -> Program:
    """Return the program of the derivatives of each output by each of the inputs named.

    Forward: every value carries its derivatives by those entries of the inputs that it depends on.

    Args:
        program: Any program.
        wrt: Names of its inputs.
        directions: Of an input, a function that returns the directions at it, one per column: the
            derivatives are along these instead of along its own entries.

    Returns:
        A program of the same inputs, with outputs "d<output>_d<input>" of the shape of the output
        followed by that of the input.
    """
    places = _places(program, wrt)

    def derivative(*arrays: Any) -> dict[str, np.ndarray]:
        values = program.values_at(flat(arrays))
        seeds: dict[int, dict[Any, Scalar]] = {}
        shapes = {name: _shape(program, name) for name in places}
        given = dict(zip(_shapes(program), arrays, strict=True))
        for name, numbers in places.items():
            seeds |= {i: {(name, k): 1} for k, i in enumerate(numbers)}
            if name in (directions or {}):
                N = np.asarray((directions or {})[name](given[name]), dtype=object)
                shapes[name] = N.shape[1:]
                for i, row in zip(numbers, N, strict=True):
                    seeds[i] = {(name, j): x for j, x in enumerate(row) if not is_zero(x)}
        tangents = carried_along(program, values, seeds)
        outputs = {}
        for port, rows in split(program.outputs, program.results):
            for name, shape in shapes.items():
                columns = range(math.prod(shape))
                entries = [tangents[i].get((name, k), 0) for i in rows for k in columns]
                outputs[f"d{port.name}_d{name}"] = shaped(entries, port.shape + shape)
        return outputs

    return record(derivative, f"{program.name}_jacobian", **_shapes(program))


def tangent(program: Program, wrt: Sequence[str]) -> Program:
    """Return the program that pushes rates of the inputs named forward to the outputs.

    Forward: one sweep, whatever the number of outputs; the product of the Jacobian with the rates.
    The program has the same inputs and, after them, one "dot_<input>" an input named (with more
    dots where that name is taken); its outputs are "dot_<output>".
    """
    places = _places(program, wrt)
    dot = _free("dot_", wrt, program)

    def pushed(*arrays: Any) -> dict[str, np.ndarray]:
        count = len(program.inputs)
        values = program.values_at(flat(arrays[:count]))
        rates = iter(flat(arrays[count:]))
        entries = [i for numbers in places.values() for i in numbers]
        tangents = carried_along(program, values, {i: {0: next(rates)} for i in entries})
        return {
            f"{dot}{port.name}": shaped([tangents[i].get(0, 0) for i in rows], port.shape)
            for port, rows in split(program.outputs, program.results)
        }

    rates = {dot + name: _shape(program, name) for name in wrt}
    return record(pushed, f"{program.name}_tangent", **_shapes(program), **rates)


def gradient(program: Program, wrt: Sequence[str]) -> Program:
    """Return the program that pulls weights of the outputs back to the inputs named.

    Reverse: one sweep, whatever the number of inputs. For a scalar output and weight 1 it is the
    gradient; in general it is the product of the weights with the Jacobian.

    Returns:
        A program of the same inputs and, after them, one "bar_<output>" an output (with more bars
        where that name is taken); its outputs are "bar_<input>".

    Where a condition chooses between two values, both must be finite: a weight of zero times what
    is not a number is not a number. (`jacobian` does not need that.)
    """
    places = _places(program, wrt)

    def pulled(*arrays: Any) -> dict[str, np.ndarray]:
        count = len(program.inputs)
        values = program.values_at(flat(arrays[:count]))
        bars = carried_back(program, values, program.results, flat(arrays[count:]))
        return {
            f"bar_{name}": shaped([bars[i] for i in numbers], _shape(program, name))
            for name, numbers in places.items()
        }

    bar = _free("bar_", [port.name for port in program.outputs], program)
    weights = {f"{bar}{port.name}": port.shape for port in program.outputs}
    return record(pulled, f"{program.name}_gradient", **_shapes(program), **weights)


def _free(prefix: str, names: Sequence[str], program: Program) -> str:
    """Return the prefix, as often as it takes until no input has one of the names with it."""
    taken, whole = {port.name for port in program.inputs}, prefix
    while taken & {whole + name for name in names}:
        whole = prefix + whole
    return whole


def _places(program: Program, wrt: Sequence[str]) -> dict[str, Sequence[int]]:
    """Return the numbers of the values that are the entries of the inputs named."""
    ports = split(program.inputs, range(program.input_size))
    places = {port.name: numbers for port, numbers in ports}
    for name in wrt:
        if name not in places:
            raise BadArgument(f"{program.name} has no input {name!r}. It has: {listing(places)}.")
    return {name: places[name] for name in wrt}


def _shapes(program: Program) -> dict[str, tuple[int, ...]]:
    return {port.name: port.shape for port in program.inputs}


def _shape(program: Program, name: str) -> tuple[int, ...]:
    return _shapes(program)[name]
