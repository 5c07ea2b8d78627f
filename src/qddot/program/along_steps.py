"""Derivatives along the steps of a program, forward and back, through calls too.

A derivative of a call is a call of the block's derivative, which is made once: along one direction
its tangent, along several its Jacobian, multiplied with the rates of the arguments; back, the
weights of its results pulled to its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from qddot.program.calls import BlockCall, CallResult
from qddot.program.operations import OPERATIONS, select
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.scalars import Scalar

FEW = 64  # products that are as well recorded where they are as called


def carried_along(
    program: Program, values: Sequence[Scalar], seeds: Mapping[int, dict[Any, Scalar]]
) -> list[dict[Any, Scalar]]:
    """Return, for every value of a program, its derivatives by direction."""
    tangents: list[dict[Any, Scalar]] = [seeds.get(i, {}) for i in range(len(values))]
    for number, step in enumerate(program.steps, program.first_step):
        if not any(tangents[i] for i in step.args):
            continue
        arguments = [values[i] for i in step.args]
        total: dict[Any, Scalar] = {}
        if isinstance(step.op, BlockCall):
            tangents[number] = _pushed(step.op, arguments, [tangents[i] for i in step.args])
            continue
        if isinstance(step.op, CallResult):
            rates = tangents[step.args[0]].items()
            total = {d: rate[step.op.index] for d, rate in rates if step.op.index in rate}
        elif step.op.chooses:
            condition, a, b = step.op.chooses(*arguments), *step.args[-2:]
            for direction in tangents[a] | tangents[b]:
                either = (tangents[i].get(direction, 0) for i in (a, b))
                total[direction] = select(condition, *either)
        else:
            partials = step.op.partials(values[number], *arguments)
            for i, partial in zip(step.args, partials, strict=True):
                for direction, rate in tangents[i].items():
                    total[direction] = total.get(direction, 0) + partial * rate
        tangents[number] = {k: x for k, x in total.items() if not is_zero(x)}
    return tangents


def carried_back(
    program: Program, values: Sequence[Scalar], results: Sequence[int], weights: Sequence[Scalar]
) -> list[Scalar]:
    """Return, for every value of a program, what its change is worth by weights of results."""
    bars: list[Any] = [0] * len(values)
    for i, weight in zip(results, weights, strict=True):
        bars[i] = bars[i] + weight
    for number in range(len(values) - 1, program.first_step - 1, -1):
        step, bar = program.steps[number - program.first_step], bars[number]
        if is_zero(bar):
            continue
        arguments = [values[i] for i in step.args]
        if isinstance(step.op, CallResult):  # a call has one for each of its results
            whole = bars[step.args[0]] or {}
            bars[step.args[0]] = whole | {step.op.index: whole.get(step.op.index, 0) + bar}
            continue
        if isinstance(step.op, BlockCall):
            weighted = tuple(sorted(bar))
            gradient_call, reached = _gradient_call(step.op, weighted)
            found = gradient_call.apply(*arguments, *(bar[k] for k in weighted)) if reached else ()
            for at, k in enumerate(reached):
                bars[step.args[k]] = bars[step.args[k]] + found[at]
            continue
        partials = step.op.partials(values[number], *arguments)
        for i, partial in zip(step.args, partials, strict=True):
            bars[i] = bars[i] + partial * bar
    return bars


def _pushed(
    call: BlockCall, arguments: list[Scalar], rates: list[dict[Any, Scalar]]
) -> dict[Any, dict[int, Scalar]]:
    """Return, for each direction, the rates of those results of a call that move."""
    directions = list(dict.fromkeys(d for rate in rates for d in rate))
    # what is not chosen may have any rate, which a product with zero would not hide
    chooses = any(OPERATIONS[name].chooses for name in call.block.counts())
    total: dict[Any, dict[int, Scalar]] = {}
    if len(directions) > 1 and not chooses:
        moving = tuple(k for k, rate in enumerate(rates) if rate)
        jacobian_call, entries = _jacobian_call(call, moving)
        found = jacobian_call.apply(*arguments)
        partials = {entry: found[at] for at, entry in enumerate(entries)}
        some = {
            (k, d): rates[k][x] for k in moving for d, x in enumerate(directions) if x in rates[k]
        }
        for (j, d), rate in _multiplied(partials, some).items():
            total.setdefault(directions[d], {})[j] = rate
        return total
    for direction in directions:
        moving = tuple(k for k, rate in enumerate(rates) if direction in rate)
        tangent_call, moved = _tangent_call(call, moving)
        found = tangent_call.apply(*arguments, *(rates[k][direction] for k in moving))
        total[direction] = {k: found[at] for at, k in enumerate(moved)}
    return total


Entries = tuple[tuple[int, int], ...]  # rows and columns of a matrix that are not zero


def _multiplied(
    A: Mapping[tuple[int, int], Scalar], B: Mapping[tuple[int, int], Scalar]
) -> dict[tuple[int, int], Scalar]:
    """Return the product of two matrices by their entries, recorded here if it is short."""
    columns: dict[int, list[int]] = {}
    for k, d in B:
        columns.setdefault(k, []).append(d)
    unknown = sum(isinstance(x, (int, float)) is False for x in B.values())
    if not unknown or sum(len(columns.get(k, ())) for _, k in A) <= FEW:
        return _product(A, B)
    call, entries = _product_call(tuple(A), tuple(B))
    found = call.apply(*A.values(), *B.values())
    return {entry: found[at] for at, entry in enumerate(entries)}


def _product(
    A: Mapping[tuple[int, int], Scalar], B: Mapping[tuple[int, int], Scalar]
) -> dict[tuple[int, int], Scalar]:
    rows: dict[int, dict[int, Scalar]] = {}
    for (k, d), x in B.items():
        rows.setdefault(k, {})[d] = x
    total: dict[tuple[int, int], Scalar] = {}
    for (j, k), a in A.items():
        for d, x in rows.get(k, {}).items():
            total[j, d] = total.get((j, d), 0) + a * x
    return {entry: x for entry, x in total.items() if not is_zero(x)}


@lru_cache(maxsize=1024)
def _tangent_call(call: BlockCall, moving: tuple[int, ...]) -> tuple[BlockCall, tuple[int, ...]]:
    """Return the call that pushes rates of some arguments forward, and which results it moves."""
    block = call.block

    def pushed(given: Any, rates: Any) -> dict[int, Scalar]:
        seeds = {i: {0: rate} for i, rate in zip(moving, rates, strict=True)}
        tangents = carried_along(block, block.values_at(given), seeds)
        return {j: tangents[i].get(0, 0) for j, i in enumerate(block.results)}

    shapes = {"given": (block.input_size,), "rates": (len(moving),)}
    return _derived_call(f"{block.name}_tangent", pushed, shapes)


@lru_cache(maxsize=1024)
def _jacobian_call(call: BlockCall, moving: tuple[int, ...]) -> tuple[BlockCall, Entries]:
    """Return the call that gives derivatives of results by some arguments, and which these are."""
    block = call.block

    def partials(given: Any) -> dict[tuple[int, int], Scalar]:
        tangents = carried_along(block, block.values_at(given), {i: {i: 1} for i in moving})
        return {(j, k): x for j, i in enumerate(block.results) for k, x in tangents[i].items()}

    return _derived_call(f"{block.name}_jacobian", partials, {"given": (block.input_size,)})


@lru_cache(maxsize=1024)
def _product_call(left: Entries, right: Entries) -> tuple[BlockCall, Entries]:
    """Return the call that multiplies two matrices with these entries, and those of the product."""

    def product(a: Any, b: Any) -> dict[tuple[int, int], Scalar]:
        A, B = dict(zip(left, a, strict=True)), dict(zip(right, b, strict=True))
        return _product(A, B)

    return _derived_call("product", product, {"a": (len(left),), "b": (len(right),)})


@lru_cache(maxsize=1024)
def _gradient_call(call: BlockCall, weighted: tuple[int, ...]) -> tuple[BlockCall, tuple[int, ...]]:
    """Return the call that pulls weights of some results back, and which arguments they reach."""
    block = call.block

    def pulled(given: Any, weights: Any) -> dict[int, Scalar]:
        results = [block.results[k] for k in weighted]
        bars = carried_back(block, block.values_at(given), results, weights)
        return dict(enumerate(bars[: block.input_size]))

    shapes = {"given": (block.input_size,), "weights": (len(weighted),)}
    return _derived_call(f"{block.name}_gradient", pulled, shapes)


def _derived_call(
    name: str, function: Callable[..., dict[Any, Scalar]], shapes: Mapping[str, tuple[int, ...]]
) -> tuple[BlockCall, tuple[Any, ...]]:
    """Return the call of a function, and the keys of what it gives that is not zero."""
    keys: list[Any] = []

    def derived(*arrays: Any) -> np.ndarray:
        found = {key: x for key, x in function(*arrays).items() if not is_zero(x)}
        keys[:] = found
        return shaped(list(found.values()), (len(found),))

    return BlockCall.of(record(derived, name, **shapes)), tuple(keys)


def shaped(entries: list[Scalar], shape: tuple[int, ...]) -> np.ndarray:
    """Return entries as an array that holds anything."""
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array.reshape(shape)


def is_zero(x: Scalar) -> bool:
    """Return whether a number is the constant zero."""
    return isinstance(x, (int, float)) and x == 0
