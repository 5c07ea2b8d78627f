"""The recording scalar: a number that remembers how it was computed.

Constants are folded, zeros and ones vanish, equal subexpressions are shared, and minus signs
travel outwards until they meet an addition. So 0·x is 0 and x/x is 1 for every x, infinities and
NaN included.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.program.operations import (
    ABS,
    ADD,
    ATAN2,
    COS,
    DIV,
    EXP,
    FLOOR,
    LESS,
    LESS_EQUAL,
    LOG,
    MAX,
    MIN,
    MUL,
    NEG,
    SELECT,
    SIGN,
    SIN,
    SQRT,
    SUB,
    TANH,
    Operation,
    select,
)
from qddot.program.tape import Tape
from qddot.scalars import Scalar, acos, asin, atan2_of, exp, floor, sign, sincos, sqrt

NUMBER_TYPES = (int, float, np.integer, np.floating)
_MIN_NORMAL = sys.float_info.min  # below, a reciprocal has fewer digits


class Recorded:
    """A value that remembers how it was computed: ± a numbered value of a tape."""

    __slots__ = ("negative", "number", "tape")

    def __init__(self, tape: Tape, number: int, negative: bool = False):
        self.tape, self.number, self.negative = tape, number, negative

    # arithmetic

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Recorded):
            if not isinstance(other, NUMBER_TYPES):
                return NotImplemented
            if other == 0:
                return self
            other = self._constant(other)
        if self.tape is not other.tape:
            raise _of_another_tape()
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
        return Recorded(self.tape, self.tape.step(ADD, self.number, other.number))

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
        if isinstance(other, (Recorded, *NUMBER_TYPES)):
            return self + -other
        return NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Recorded):
            if not isinstance(other, NUMBER_TYPES):
                return NotImplemented
            if other == 0:
                return 0
            if other == 1:
                return self
            if other == -1:
                return -self
            other = self._constant(other)
        tape = self.tape
        if tape is not other.tape:
            raise _of_another_tape()
        number = tape.step(MUL, self.number, other.number)
        return Recorded(tape, number, self.negative != other.negative)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, NUMBER_TYPES):
            if other in (1, -1):
                return self * other
            inverse = 1 / float(other) if other else math.inf  # of zero: infinite or NaN, as data
            if _MIN_NORMAL <= abs(inverse) < math.inf:
                return self * inverse
            other = self._constant(other)
        if not isinstance(other, Recorded):
            return NotImplemented
        self._same_tape(other)
        if self.number == other.number:
            return 1 if self.negative == other.negative else -1
        sign = self.negative != other.negative
        return self._wrap(self.tape.step(DIV, self.number, other.number), sign)

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, NUMBER_TYPES):
            return NotImplemented
        return self._constant(other) / self if other else 0

    def __pow__(self, exponent: Any) -> Any:
        if isinstance(exponent, NUMBER_TYPES) and exponent == 0.5:
            return self.sqrt()
        if not isinstance(exponent, NUMBER_TYPES) or not float(exponent).is_integer():
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

    def arctan2(self, x: Scalar) -> Recorded:
        """Return the angle of the point (x, this value)."""
        x = self._coordinate(x)
        return self._wrap(self.tape.step(ATAN2, self.number, x.plain()), self.negative)

    def arctan(self) -> Recorded:
        return self.arctan2(1)

    def arcsin(self) -> Recorded:
        return self.arctan2(((1 - self) * (1 + self)).sqrt())

    def arccos(self) -> Recorded:
        return ((1 - self) * (1 + self)).sqrt().arctan2(self)

    def __floor__(self) -> Recorded:
        return self._unary(FLOOR)

    def __mod__(self, other: Any) -> Any:
        if not isinstance(other, (Recorded, *NUMBER_TYPES)):
            return NotImplemented
        rest = self - other * (self / other).__floor__()
        return select(rest * other < 0, rest + other, rest)  # the quotient was rounded up

    def __rmod__(self, other: Any) -> Any:
        return self._constant(other) % self if isinstance(other, NUMBER_TYPES) else NotImplemented

    def sign(self) -> Recorded:
        return self._wrap(self.tape.step(SIGN, self.number), self.negative)

    def __abs__(self) -> Recorded:
        return self._wrap(self.tape.step(ABS, self.number))

    def minimum(self, other: Scalar) -> Recorded:
        no_bound = isinstance(other, NUMBER_TYPES) and other == math.inf
        return self if no_bound else self._binary(MIN, other)

    def maximum(self, other: Scalar) -> Recorded:
        no_bound = isinstance(other, NUMBER_TYPES) and other == -math.inf
        return self if no_bound else self._binary(MAX, other)

    def select(self, a: Scalar, b: Scalar) -> Scalar:
        """Return a where this value is not zero, else b."""
        if isinstance(a, Recorded) and isinstance(b, Recorded):
            same = (a.number, a.negative) == (b.number, b.negative)
        else:
            same = not isinstance(a, Recorded) and not isinstance(b, Recorded) and a == b
        if same:
            return a
        choice = [self._lift(x).plain() for x in (a, b)]
        return self._wrap(self.tape.step(SELECT, self.plain(), *choice))

    def conjugate(self) -> Recorded:
        return self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from qddot.program.recorder import apply  # arrays are made of values, not the reverse

        return apply(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from qddot.program.recorder import call

        return call(func, args, kwargs)

    # comparisons are values: 1.0 where true

    def __lt__(self, other: Scalar) -> Recorded:
        return self._binary(LESS, other)

    def __gt__(self, other: Scalar) -> Recorded:
        return self._lift(other)._binary(LESS, self)

    def __le__(self, other: Scalar) -> Recorded:
        return self._binary(LESS_EQUAL, other)

    def __ge__(self, other: Scalar) -> Recorded:
        return self._lift(other)._binary(LESS_EQUAL, self)

    def __eq__(self, other: Any) -> Any:
        return (self <= other) * (self >= other)

    def __ne__(self, other: Any) -> Any:
        return 1 - (self == other)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise BadArgument(
            "A recorded value has no truth value: the program must be the same for every state.\n"
            "  Use np.where(condition, a, b), np.minimum, np.maximum or np.clip, and np.stack to\n"
            "  make an array: that of np.array does not know that it is recorded."
        )

    def __float__(self) -> float:
        raise BadArgument(
            "A recorded value has no number yet. Use NumPy functions, not those of math, and put\n"
            "  it into arrays of objects: np.stack([...]) or np.zeros(n, dtype=object)."
        )

    def __int__(self) -> int:
        return int(float(self))

    def __repr__(self) -> str:
        return f"{'-' if self.negative else ''}<value {self.number}>"

    # inside

    def _wrap(self, number: int, negative: bool = False) -> Recorded:
        return Recorded(self.tape, number, negative)

    def _constant(self, value: Any) -> Recorded:
        try:
            value = float(value)
        except (TypeError, ValueError, OverflowError):
            what = f"{type(value).__name__}, which is not a real number that a float can hold"
            raise BadArgument(f"A recorded function uses a constant of type {what}.") from None
        return self._wrap(self.tape.constant(abs(value)), value < 0)

    def _lift(self, other: Scalar) -> Recorded:
        if not isinstance(other, Recorded):
            return self._constant(other)
        self._same_tape(other)
        return other

    def _coordinate(self, other: Scalar) -> Recorded:
        """Return a coordinate of a point: of constants, −0.0 is another one than 0.0."""
        lifted = self._lift(other)
        negative_zero = not isinstance(other, Recorded) and math.copysign(1, other) < 0 == other
        return -lifted if negative_zero else lifted

    def _same_tape(self, other: Recorded) -> None:
        if self.tape is not other.tape:
            raise _of_another_tape()

    def plain(self) -> int:
        """Return the number of the value itself, its sign carried out."""
        return self.tape.step(NEG, self.number) if self.negative else self.number

    def _unary(self, op: Operation) -> Recorded:
        return self._wrap(self.tape.step(op, self.plain()))

    def _binary(self, op: Operation, other: Scalar) -> Recorded:
        return self._wrap(self.tape.step(op, self.plain(), self._lift(other).plain()))


def _of_another_tape() -> BadArgument:
    return BadArgument("A recorded function uses a value of another recording.")


sincos.register(Recorded, lambda x: (x.sin(), x.cos()))
sqrt.register(Recorded, Recorded.sqrt)
sign.register(Recorded, Recorded.sign)
exp.register(Recorded, Recorded.exp)
asin.register(Recorded, Recorded.arcsin)
acos.register(Recorded, Recorded.arccos)
floor.register(Recorded, Recorded.__floor__)


@atan2_of.register
def _(kind: Recorded, y: Scalar, x: Scalar) -> Recorded:
    return kind._coordinate(y).arctan2(x)
