"""Equal programs that run faster: fewer operations, in a better order.

A processor has a few dozen registers; a value that waits longer to be used has to be stored and
fetched again. How often that happens is counted for each candidate order, and the best is taken.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import replace
from typing import Any

from qddot.program.blocks import with_blocks
from qddot.program.calls import CallResult
from qddot.program.program import Program, Step, flat
from qddot.program.recorder import record
from qddot.program.tape import collector_off

REGISTERS = 32


def optimised(program: Program) -> Program:
    """Return the program as it is lowered: regrouped, and in a better order, as what it calls."""
    with collector_off():
        program = with_blocks(program, optimised)
        return program if _mostly_calls(program) else scheduled(reassociated(program))


def _mostly_calls(program: Program) -> bool:
    """Return whether results of calls are most of a program: there is little to be bettered."""
    return sum(isinstance(step.op, CallResult) for step in program.steps) > len(program.steps) // 2


def without_dead_code(program: Program) -> Program:
    """Return the program without operations and constants that no output needs."""
    first = program.first_step
    needed = [False] * (first + len(program.steps))
    for i in program.results:
        needed[i] = True
    for number in range(len(program.steps) - 1, -1, -1):
        if needed[first + number]:
            for i in program.steps[number].args:
                needed[i] = True
    inputs = program.input_size
    kept = [*range(inputs), *(i for i in range(inputs, len(needed)) if needed[i])]
    place = {old: new for new, old in enumerate(kept)}
    return replace(
        program,
        constants=tuple(c for i, c in enumerate(program.constants, inputs) if needed[i]),
        steps=tuple(
            Step(step.op, tuple([place[i] for i in step.args]))
            for i, step in enumerate(program.steps, first)
            if needed[i]
        ),
        results=tuple(place[i] for i in program.results),
    )


def reassociated(program: Program) -> Program:
    """Return an equal program, shorter where factors or constants could be collected.

    Only values that nothing else needs are regrouped:

        a c ± b c = (a ± b) c            k (l x) = (k l) x    for constants k and l
    """
    first, inputs = program.first_step, program.input_size
    uses = Counter(i for step in program.steps for i in step.args)
    uses.update(program.results)

    def own_product(i: int) -> Step | None:
        """Return the step behind a value if it is a product used once."""
        step = program.steps[i - first] if i >= first else None
        return step if step and step.op.name == "mul" and uses[i] == 1 else None

    def is_constant(i: int) -> bool:
        return inputs <= i < first

    def replayed(*arrays: Any) -> dict[str, Any]:
        values = [*flat(arrays), *program.constants]
        for step in program.steps:
            values.append(shorter(step, values))
        return program.named([values[i] for i in program.results])

    def shorter(step: Step, values: list[Any]) -> Any:
        if step.op.name in ("add", "sub"):
            a, b = (own_product(i) for i in step.args)
            common = set(a.args) & set(b.args) if a and b else set()
            if a and b and common and step.args[0] != step.args[1]:
                factor = common.pop()
                left, right = other(a, factor), other(b, factor)
                return step.op.apply(values[left], values[right]) * values[factor]
        if step.op.name == "mul":
            for k, i in (step.args, step.args[::-1]):
                inner = own_product(i)
                if is_constant(k) and inner and any(is_constant(j) for j in inner.args):
                    l = next(j for j in inner.args if is_constant(j))
                    return values[k] * values[l] * values[other(inner, l)]
        return step.op.apply(*(values[i] for i in step.args))

    shapes = {port.name: port.shape for port in program.inputs}
    return record(replayed, program.name, **shapes)


def other(product: Step, factor: int) -> int:
    """Return the other factor of a product."""
    a, b = product.args
    return b if a == factor else a


def scheduled(program: Program) -> Program:
    """Return the program in whichever order fetches fewer values back into registers."""
    return min((program, demand_order(program)), key=fetches)


def demand_order(program: Program) -> Program:
    """Return the program with every operation put off until a result needs it."""
    first = program.first_step
    seen = set(range(first))
    order: list[int] = []
    for root in program.results:
        waiting = [root]
        while waiting:
            value = waiting[-1]
            if value in seen:
                waiting.pop()
                continue
            missing = [i for i in program.steps[value - first].args if i not in seen]
            if missing:
                waiting += reversed(missing)
            else:
                seen.add(value)
                order.append(waiting.pop())
    place = {old: new for new, old in enumerate([*range(first), *order])}
    steps = (program.steps[value - first] for value in order)
    return replace(
        program,
        steps=tuple([Step(step.op, tuple([place[i] for i in step.args])) for step in steps]),
        results=tuple(place[i] for i in program.results),
    )


def fetches(program: Program) -> int:
    """Return how many values would be fetched, if the least recently used left its register."""
    count = 0
    registers: OrderedDict[int, None] = OrderedDict()
    for number, step in enumerate(program.steps, program.first_step):
        for i in step.args:
            if i not in registers:
                count += 1
            registers[i] = None
            registers.move_to_end(i)
        registers[number] = None
        while len(registers) > REGISTERS:
            registers.popitem(last=False)
    return count
