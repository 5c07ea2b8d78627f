"""A program as a GPU likes it: multiply-adds in one instruction, and few values that wait.

A thread has room for some 120 numbers of float64. What it has to keep beyond that goes to memory
and comes back, so the order of the operations decides how quick a long program is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from qddot.program.operations import ADD, NEG, SUB, Operation
from qddot.program.optimise import demand_order, without_dead_code
from qddot.program.program import Program, Step

Order = Sequence[int]  # of the entries of the results, in which they are wanted; () as it is

# known to this backend alone, and never saved: programs have them only on their way to source
FMA = Operation("fma", 3, lambda a, b, c: a * b + c, lambda r, a, b, c: (b, a, 1))
FNMA = Operation("fnma", 3, lambda a, b, c: c - a * b, lambda r, a, b, c: (-b, -a, 1))


def least_live(program: Program, orders: Sequence[Order], turns: Sequence[range]) -> Program:
    """Return the program by whichever of these orders has the fewest values wait at once."""
    ways = [way(program, order) for way in (wanted_in, fused) for order in orders]
    return min(ways, key=lambda way: most_live(way, turns))


def fused(program: Program, order: Order) -> Program:
    """Return an equal program with fused multiply-adds, whose results are known in this order.

    A sum of products becomes a chain, a b + c d + e f = fma(e, f, fma(c, d, a b)), one instruction
    for each product. A product that several sums need is not kept for them: where its factors are
    still at hand, each sum computes it anew, which costs a fused instruction nothing.
    """
    chained = wanted_in(_chained(program), order)
    return wanted_in(_computed_anew(chained), order)


def wanted_in(program: Program, order: Order) -> Program:
    """Return the program with every operation put off until a result needs it, in this order."""
    if not order:
        return without_dead_code(program)
    asked = demand_order(replace(program, results=tuple(program.results[k] for k in order)))
    place = dict(zip(order, asked.results, strict=True))
    results = tuple(place[k] for k in range(len(place)))
    return without_dead_code(replace(asked, results=results))


def most_live(program: Program, turns: Sequence[range] = ()) -> int:
    """Return how many values wait to be used at once, at most.

    Results leave at once, or where they leave in turns, when all of the turn before have left.
    """
    last = _last_uses(program)
    before = 0
    for turn in turns:
        for i in {program.results[k] for k in turn}:
            if program.first_step <= i < before:
                last[i] = max(last.get(i, 0), before)
        before = max(before, *(program.results[k] for k in turn))
    leaving: dict[int, list[int]] = {}
    for i, number in last.items():
        leaving.setdefault(number, []).append(i)
    waiting: set[int] = set()
    most = 0
    for number, step in enumerate(program.steps, program.first_step):
        waiting.update(i for i in step.args if i < program.input_size)
        if number in last:
            waiting.add(number)
        most = max(most, len(waiting))
        waiting.difference_update(leaving.get(number, ()))
    return most


def _last_uses(program: Program) -> dict[int, int]:
    """Return for each value the last step that needs it."""
    steps = enumerate(program.steps, program.first_step)
    return {i: number for number, step in steps for i in step.args}


def _chained(program: Program) -> Program:
    """Return the program with its sums as chains, each product in them fused."""
    first, steps = program.first_step, program.steps
    uses = Counter(i for step in steps for i in step.args)
    uses.update(program.results)

    def is_own(i: int, *operations: str) -> bool:
        """Say whether a value is of such an operation and needed once."""
        return i >= first and steps[i - first].op.name in operations and uses[i] == 1

    def terms(step: Step) -> Iterator[tuple[int, bool]]:
        """Yield what a sum adds (True) and subtracts."""
        for i, adds in zip(step.args, (True, step.op is ADD), strict=True):
            if is_own(i, "add", "sub"):
                yield from ((k, sign == adds) for k, sign in terms(steps[i - first]))
            else:
                yield i, adds

    def chain(step: Step, emit: Callable[..., int], place: Sequence[int]) -> int:
        # what is no product comes first, and first of all what is added
        (start, adds), *rest = sorted(
            terms(step), key=lambda term: (is_own(term[0], "mul"), not term[1])
        )
        total = place[start] if adds else emit(NEG, place[start])
        for i, adds in rest:
            if is_own(i, "mul"):
                factors = (place[k] for k in steps[i - first].args)
                total = emit(FMA if adds else FNMA, *factors, total)
            else:
                total = emit(ADD if adds else SUB, total, place[i])
        return total

    inner = {i for s in steps if s.op in (ADD, SUB) for i in s.args if is_own(i, "add", "sub")}

    def rewritten(number: int, step: Step, emit: Callable[..., int], place: list[int]) -> int:
        if number in inner:
            return -1  # part of the chain that needs it
        if step.op in (ADD, SUB):
            return chain(step, emit, place)
        return emit(step.op, *(place[i] for i in step.args))

    return _rewritten(program, rewritten)


def _computed_anew(program: Program) -> Program:
    """Return the program with a product fused into each sum at which its factors still wait."""
    last, first, steps = _last_uses(program), program.first_step, program.steps
    constants = range(program.input_size, first)

    def product(number: int, i: int) -> tuple[int, ...]:
        """Return the factors of a value, if it is a product whose factors are kept so long."""
        step = steps[i - first] if i >= first else None
        if step is None or step.op.name != "mul":
            return ()
        kept = all(k in constants or last[k] >= number for k in step.args)
        return step.args if kept else ()

    def rewritten(number: int, step: Step, emit: Callable[..., int], place: list[int]) -> int:
        if step.op in (ADD, SUB):
            a, b = step.args
            if factors := product(number, b):
                new = (FMA if step.op is ADD else FNMA, *(place[k] for k in factors), place[a])
                return emit(*new)
            if factors := product(number, a):
                other = place[b] if step.op is ADD else emit(NEG, place[b])
                return emit(FMA, *(place[k] for k in factors), other)
        return emit(step.op, *(place[i] for i in step.args))

    return _rewritten(program, rewritten)


def _rewritten(program: Program, rewrite: Callable[..., int]) -> Program:
    """Return the program with each step replaced by what `rewrite` emits for it."""
    steps: list[Step] = []

    def emit(op: Operation, *args: int) -> int:
        steps.append(Step(op, args))
        return program.first_step + len(steps) - 1

    place = list(range(program.first_step))
    for number, step in enumerate(program.steps, program.first_step):
        place.append(rewrite(number, step, emit, place))
    return replace(program, steps=tuple(steps), results=tuple(place[i] for i in program.results))
