"""The order of operations: values should be used soon after they are made.

A processor has a few dozen registers; a value that waits longer has to be stored and fetched
again. How often that happens is counted for each candidate order, and the best is taken.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from qddot.program.program import Program, Step

REGISTERS = 32


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
