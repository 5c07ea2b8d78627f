"""The recording scalar: a number that remembers how it was computed.

Constants are folded, zeros and ones vanish, equal subexpressions are shared, and minus signs
travel outwards until they meet an addition.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.program.operations import (
    ABS,
    ADD,
    COS,
    DIV,
    EXP,
    LESS,
    LOG,
    MAX,
    MIN,
    MUL,
    NEG,
    SIGN,
    SIN,
    SQRT,
    SUB,
    TANH,
    Operation,
)
from qddot.program.program import Port, Program, Step
from qddot.scalars import Scalar, exp, sign, sincos, sqrt

Number = (int, float, np.integer, np.floating)


class Tape:
    """What has been recorded so far; equal operations are recorded once."""

    def __init__(self, inputs: int):
        self.inputs = inputs
        self.steps: list[Step | float] = []  # a float is a constant
        self.seen: dict[Any, int] = {}

    def constant(self, value: float) -> int:
        key = ("constant", float(value).hex())
        if key not in self.seen:
            self.steps.append(float(value))
            self.seen[key] = self.inputs + len(self.steps) - 1
        return self.seen[key]

    def step(self, op: Operation, *args: int) -> int:
        key = (op.name, *(sorted(args) if op.commutes else args))
        if key not in self.seen:
            self.steps.append(Step(op, args))
            self.seen[key] = self.inputs + len(self.steps) - 1
        return self.seen[key]

    def program(
        self, name: str, inputs: tuple[Port, ...], outputs: tuple[Port, ...], results: list[int]
    ) -> Program:
        """Return the program, with the constants moved to its front."""
        constants = [k for k, step in enumerate(self.steps) if not isinstance(step, Step)]
        operations = [k for k, step in enumerate(self.steps) if isinstance(step, Step)]
        place = {k: self.inputs + i for i, k in enumerate([*constants, *operations])}

        def moved(i: int) -> int:
            return i if i < self.inputs else place[i - self.inputs]

        return Program(
            name,
            inputs,
            tuple(self.steps[k] for k in constants),  # type: ignore[arg-type]  # those that are no Step
            tuple(
                Step(step.op, tuple(moved(i) for i in step.args))
                for step in self.steps
                if isinstance(step, Step)
            ),
            outputs,
            tuple(moved(i) for i in results),
        )


class Recorded:
    """A value that remembers how it was computed: ± a numbered value of a tape."""

    __slots__ = ("negative", "number", "tape")

    def __init__(self, tape: Tape, number: int, negative: bool = False):
        self.tape, self.number, self.negative = tape, number, negative

    # arithmetic

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Number):
            if other == 0:
                return self
            other = self._constant(other)
        elif not isinstance(other, Recorded):
            return NotImplemented
        if self.number == other.number:
            if self.negative != other.negative:
                return 0
            return self._wrap(self.tape.step(ADD, self.number, self.number), self.negative)
        if self.negative and other.negative:
            return self._wrap(self.tape.step(ADD, self.number, other.number), True)
        if self.negative:
            return self._difference(other, self)
        if other.negative:
            return self._difference(self, other)
        return self._wrap(self.tape.step(ADD, self.number, other.number))

    def _difference(self, a: Recorded, b: Recorded) -> Recorded:
        """Return |a| − |b|; the opposite difference, if it is there already, with its sign."""
        if ("sub", b.number, a.number) in self.tape.seen:
            return self._wrap(self.tape.step(SUB, b.number, a.number), True)
        return self._wrap(self.tape.step(SUB, a.number, b.number))

    def __neg__(self) -> Recorded:
        return Recorded(self.tape, self.number, not self.negative)

    def __pos__(self) -> Recorded:
        return self

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, (Recorded, *Number)):
            return self + -other
        return NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Number):
            if other == 0:
                return 0
            if other == 1:
                return self
            if other == -1:
                return -self
            other = self._constant(other)
        elif not isinstance(other, Recorded):
            return NotImplemented
        sign = self.negative != other.negative
        return self._wrap(self.tape.step(MUL, self.number, other.number), sign)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Number):
            if other == 0:
                raise BadArgument("A recorded function divides by the constant zero.")
            return self if other == 1 else -self if other == -1 else self * (1 / other)
        if not isinstance(other, Recorded):
            return NotImplemented
        if self.number == other.number:
            return 1 if self.negative == other.negative else -1
        sign = self.negative != other.negative
        return self._wrap(self.tape.step(DIV, self.number, other.number), sign)

    def __rtruediv__(self, other: Any) -> Any:
        return self._constant(other) / self if other else 0

    def __pow__(self, exponent: Any) -> Any:
        if exponent == 0.5:
            return self.sqrt()
        if not isinstance(exponent, Number) or int(exponent) != exponent:
            raise BadArgument("A recorded value can only be raised to a constant whole power.")
        if exponent < 0:
            return 1 / self ** -int(exponent)
        result: Any = 1
        square: Any = self
        power = int(exponent)
        while power:
            if power & 1:
                result = square * result
            square, power = square * square, power >> 1
        return result

    __radd__ = __add__
    __rmul__ = __mul__

    # functions; NumPy finds them by name on arrays of objects

    def sin(self) -> Recorded:
        return self._wrap(self.tape.step(SIN, self.number), self.negative)

    def cos(self) -> Recorded:
        return self._wrap(self.tape.step(COS, self.number))

    def tan(self) -> Recorded:
        return self.sin() / self.cos()

    def tanh(self) -> Recorded:
        return self._wrap(self.tape.step(TANH, self.number), self.negative)

    def sqrt(self) -> Recorded:
        return self._unary(SQRT)

    def exp(self) -> Recorded:
        return self._unary(EXP)

    def log(self) -> Recorded:
        return self._unary(LOG)

    def sign(self) -> Recorded:
        return self._wrap(self.tape.step(SIGN, self.number), self.negative)

    def __abs__(self) -> Recorded:
        return self._wrap(self.tape.step(ABS, self.number))

    def minimum(self, other: Scalar) -> Recorded:
        return self._binary(MIN, other)

    def maximum(self, other: Scalar) -> Recorded:
        return self._binary(MAX, other)

    def conjugate(self) -> Recorded:
        return self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from qddot.program.recorded_array import apply  # arrays are made of values, not the reverse

        return apply(ufunc, method, inputs, kwargs)

    # comparisons are values: 1.0 where true

    def __lt__(self, other: Scalar) -> Recorded:
        return self._binary(LESS, other)

    def __gt__(self, other: Scalar) -> Recorded:
        return self._lift(other)._binary(LESS, self)

    __le__ = __lt__  # the two differ on a set that no computation with floats can rely on
    __ge__ = __gt__

    def __bool__(self) -> bool:
        raise BadArgument(
            "A recorded value has no truth value: the program must be the same for every state.\n"
            "  Use np.where(condition, a, b), np.minimum, np.maximum or np.clip."
        )

    def __float__(self) -> float:
        raise BadArgument(
            "A recorded value has no number yet. Use NumPy functions, not those of math."
        )

    def __repr__(self) -> str:
        return f"{'-' if self.negative else ''}<value {self.number}>"

    # inside

    def _wrap(self, number: int, negative: bool = False) -> Recorded:
        return Recorded(self.tape, number, negative)

    def _constant(self, value: Any) -> Recorded:
        value = float(value)
        if not math.isfinite(value):
            raise BadArgument(f"A recorded function uses the constant {value}.")
        return self._wrap(self.tape.constant(abs(value)), value < 0)

    def _lift(self, other: Scalar) -> Recorded:
        return other if isinstance(other, Recorded) else self._constant(other)

    def plain(self) -> int:
        """Return the number of the value itself, its sign carried out."""
        return self.tape.step(NEG, self.number) if self.negative else self.number

    def _unary(self, op: Operation) -> Recorded:
        return self._wrap(self.tape.step(op, self.plain()))

    def _binary(self, op: Operation, other: Scalar) -> Recorded:
        return self._wrap(self.tape.step(op, self.plain(), self._lift(other).plain()))


@sincos.register
def _(x: Recorded) -> tuple[Recorded, Recorded]:
    return x.sin(), x.cos()


@sqrt.register
def _(x: Recorded) -> Recorded:
    return x.sqrt()


@sign.register
def _(x: Recorded) -> Recorded:
    return x.sign()


@exp.register
def _(x: Recorded) -> Recorded:
    return x.exp()
