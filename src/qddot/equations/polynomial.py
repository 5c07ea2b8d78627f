"""A polynomial of a ring as a scalar: the definitions run on it and give closed forms.

Exact work may have a limit, a time or a number of products of terms, which is the same on every
machine. It then ends between two products of polynomials.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING, Any

import flint
import numpy as np

from qddot.errors import BadArgument
from qddot.formulations import calculus
from qddot.plain_text import fitted
from qddot.scalars import Scalar, acos, asin, atan2_of, floor, sign, sincos, wrapped_angle

if TYPE_CHECKING:
    from qddot.equations.ring import Ring


PRODUCTS = 1e6  # of two terms each, that a second is good for, about

_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)
_left: ContextVar[float] = ContextVar("left", default=math.inf)


class WorkLimitReached(Exception):
    """What was given for exact work is used up, or would be after the next product."""


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Let exact work in this block end with WorkLimitReached at a time of `time.monotonic`."""
    before = _deadline.set(min(deadline, _deadline.get()))
    try:
        yield
    finally:
        _deadline.reset(before)


@contextmanager
def at_most(products: float) -> Iterator[None]:
    """Let exact work in this block end with WorkLimitReached after so many products of terms."""
    outside = _left.get()
    inside = min(products, outside)
    before = _left.set(inside)
    try:
        yield
    finally:
        used = inside - _left.get()
        _left.reset(before)
        _left.set(outside - used)


def check_work(products: int) -> None:
    """Raise WorkLimitReached if so many products of terms are more than is left."""
    if (left := _left.get()) < math.inf:
        if products > left:
            raise WorkLimitReached
        _left.set(left - products)
    deadline = _deadline.get()
    if deadline < math.inf and time.monotonic() + products / PRODUCTS > deadline:
        raise WorkLimitReached


class Polynomial:
    """An element of a ring, always in normal form."""

    __slots__ = ("ring", "value")

    def __init__(self, ring: Ring, value: Any):
        self.ring, self.value = ring, value

    # arithmetic

    def __add__(self, other: Scalar) -> Any:
        if isinstance(other, Polynomial):
            return Polynomial(self.ring, self.value + other.value)
        if isinstance(other, (Rational, float)):
            return Polynomial(self.ring, self.value + _rational(other)) if other else self
        return NotImplemented

    def __mul__(self, other: Scalar) -> Any:
        if isinstance(other, Polynomial):
            check_work(len(self.value) * len(other.value))
            return Polynomial(self.ring, self.ring.reduced(self.value * other.value))
        if isinstance(other, (Rational, float)):
            return Polynomial(self.ring, self.value * _rational(other)) if other else 0
        return NotImplemented

    def __truediv__(self, other: Scalar) -> Any:
        if isinstance(other, Polynomial) and other.is_constant():
            other = other.as_fraction()
        if isinstance(other, (Rational, float)):
            return Polynomial(self.ring, self.value / _rational(other))
        if isinstance(other, Polynomial):
            quotient, rest = divmod(self.value, other.value)
            if rest.is_zero():
                return Polynomial(self.ring, quotient)
            raise BadArgument("An equation of motion would need a division that is not polynomial.")
        return NotImplemented

    def __pow__(self, exponent: int) -> Any:
        result: Any = 1
        for _ in range(exponent):
            result = self * result
        return result

    def __neg__(self) -> Polynomial:
        return Polynomial(self.ring, -self.value)

    def __abs__(self) -> Polynomial:
        return self * sign(self)

    def __pos__(self) -> Polynomial:
        return self

    def __sub__(self, other: Scalar) -> Any:
        return self + -other if isinstance(other, (Polynomial, Rational, float)) else NotImplemented

    def __rsub__(self, other: Scalar) -> Any:
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    # questions

    def __eq__(self, other: object) -> bool:
        """Return whether the two can be shown equal, exactly; of robots of one size."""
        if isinstance(other, Polynomial):
            from qddot.equations.equality import difference

            return self.ring.n == other.ring.n and not difference(self, other)
        if isinstance(other, (Rational, float)):
            return self.is_constant() and self.as_fraction() == Fraction(other)
        from qddot.equations.sympy_forms import equal_to, from_sympy

        if from_sympy(other) and hasattr(other, "is_Add"):
            return equal_to(self, other)
        return NotImplemented

    def __hash__(self) -> int:
        # whatever the ring, equals have the same; few polynomials are ever kept in a set
        return hash(self.as_fraction() if self.is_constant() else self.ring.n)

    def __bool__(self) -> bool:
        return not self.value.is_zero()

    def __len__(self) -> int:
        """How many terms it has."""
        return len(self.value)

    def is_constant(self) -> bool:
        return self.value.is_constant()

    def as_fraction(self) -> Fraction:
        """Return the rational number that a constant is."""
        coefficients = self.value.coeffs()
        if not coefficients:
            return Fraction(0)
        return Fraction(int(coefficients[0].p), int(coefficients[0].q))

    def terms(self, most: int | None = None) -> list[tuple[tuple[int, ...], Fraction]]:
        """Return the exponents of the generators and the coefficient of every term.

        Args:
            most: If given, no more than so many: the last ones, which have the fewest factors.
        """
        value, count = self.value, len(self.value)
        if most is not None and most < count:
            found = [(value.monomial(k), value.coefficient(k)) for k in range(count - most, count)]
        else:
            found = value.to_dict().items()
        return [
            (tuple(int(e) for e in exponents), Fraction(int(c.p), int(c.q)))
            for exponents, c in found
        ]

    # calculus

    def partial(self, letter: str, index: int) -> Polynomial:
        """Return the derivative by a generator; by q of a joint that turns, through sin and cos.

        By the chain rule:

            ∂/∂q = ∂/∂q + cos q ∂/∂(sin q) − sin q ∂/∂(cos q)
        """
        name = f"{letter}{index + 1}"
        direct = Polynomial(self.ring, self.value.derivative(name))
        if letter != "q" or not self.ring.turns[index]:
            return direct
        s, c = self.ring.element("s", index), self.ring.element("c", index)
        by_sine = Polynomial(self.ring, self.value.derivative(f"s{index + 1}"))
        by_cosine = Polynomial(self.ring, self.value.derivative(f"c{index + 1}"))
        return direct + c * by_sine - s * by_cosine

    def letter_and_index(self) -> tuple[str, int]:
        """Return which generator this is: q, v or a, and of which joint."""
        letter = str(self.value)[0]
        return letter, int(str(self.value)[1:]) - 1

    @fitted
    def __repr__(self) -> str:
        from qddot.equations.text import as_text

        return as_text(self)

    def _repr_latex_(self) -> str:
        from qddot.equations.readable import readable_latex

        return readable_latex(self)


def partial(x: Scalar, letter: str, index: int) -> Scalar:
    """Return the derivative of a polynomial, or of a plain number."""
    return x.partial(letter, index) if isinstance(x, Polynomial) else 0


@calculus.register
def _(kind: Polynomial, f: Callable[[Any], Any], x: np.ndarray) -> np.ndarray:
    """Return the formal derivatives of f by the generators that x is made of."""
    value = np.asarray(f(x), dtype=object)
    result = np.empty((len(x), *value.shape), dtype=object)
    for k, entry in enumerate(x):
        letter, index = entry.letter_and_index()
        for place in np.ndindex(value.shape):
            result[(k, *place)] = partial(value[place], letter, index)
    return result


@sincos.register
def _(x: Polynomial) -> tuple[Any, Any]:
    """Return sine and cosine of a whole multiple of one joint's angle, plus a constant angle."""
    multiple, index, offset = _as_angle(x)
    s, c = x.ring.element("s", index), x.ring.element("c", index)
    sine: Any = 0
    cosine: Any = 1
    for _ in range(abs(multiple)):
        sine, cosine = sine * c + cosine * s, cosine * c - sine * s
    sine = sine if multiple > 0 else -sine
    if offset:
        s0, c0 = (x.ring.scalar(part) for part in sincos(offset))
        sine, cosine = sine * c0 + cosine * s0, cosine * c0 - sine * s0
    return sine, cosine


@sign.register
def _(x: Polynomial) -> Any:
    """Return the sign of a number, or of a number times one velocity of the robot."""
    if x.is_constant():
        return sign(x.as_fraction())
    if len(x) == 1:
        ((exponents, coefficient),) = x.terms()
        used = [(x.ring.generators[k], e) for k, e in enumerate(exponents) if e]
        if len(used) == 1 and used[0][0].role == "rate" and used[0][1] % 2:
            return sign(coefficient) * x.ring.element("d", used[0][0].index)
    raise BadArgument("The sign of this quantity has no polynomial form.")


def _no_form(*_: Any) -> Any:
    raise BadArgument(
        "Inverse angles and whole parts have no polynomial form; use numbers or balls."
    )


for function in (atan2_of, asin, acos, floor, wrapped_angle):
    function.register(Polynomial, _no_form)


def _as_angle(x: Polynomial) -> tuple[int, int, Any]:
    from qddot.scalars.expressions import Expression, atomic, expression

    generators = x.ring.generators
    found: list[tuple[Fraction, int]] = []
    offset: Expression = expression(0)
    for exponents, coefficient in x.terms():
        used = [(generators[k], e) for k, e in enumerate(exponents) if e]
        if len(used) == 1 and used[0][0].role == "position" and used[0][1] == 1:
            found.append((coefficient, used[0][0].index))
            continue
        term = expression(coefficient)
        for generator, e in used:
            if generator.role != "parameter":
                raise BadArgument("The sine of this quantity has no polynomial form.")
            atom = x.ring.parameters[generator.index]
            term = term * atomic(atom, e)
        offset = offset + term
    if not found:
        return 0, 0, offset
    ((multiple, index),) = found  # whole, as `exact_tree.check_ratio` made sure
    return int(multiple), index, offset


def _rational(x: Rational | float) -> Any:
    value = (
        Fraction(repr(float(x)))  # NumPy's own floats say their type
        if isinstance(x, float)
        else Fraction(int(x.numerator), int(x.denominator))
    )
    return flint.fmpq(value.numerator, value.denominator)
