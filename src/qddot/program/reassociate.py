"""Regrouping sums and products where that takes fewer operations."""

from __future__ import annotations

from collections import Counter
from typing import Any

from qddot.program.program import Program, Step, flat
from qddot.program.recorder import record


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
