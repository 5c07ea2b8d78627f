"""Numbers that a robot may leave as symbols: exact arithmetic in m1, L1, sin(alpha), ...

An `Expression` is a sum of terms, each a rational number times powers of atoms; an atom is a
symbol, π, or a sine, cosine, square root or reciprocal of another expression. Sums are kept in
this one form at every operation, so two expressions that are equal as Laurent polynomials are
equal as objects, and sin² is always written 1 − cos². The reciprocal of a sum is an atom like any
other: x/(x + y) + y/(x + y) is not recognised as 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import total_ordering
from numbers import Rational, Real
from typing import Any, TypeGuard

from qddot.errors import BadArgument, NotNumeric, shorten
from qddot.scalars import Scalar, sincos, sqrt
from qddot.scalars.monomials import (
    MOST_POWER,
    PI,
    Atom,
    Monomial,
    product,
    reading_order,
    term_text,
)

MOST_TERMS = 2000  # beyond this nobody reads it, and a file that asks for it means harm
MOST_DIGITS = 400

FUNCTIONS: dict[str, Callable[[Scalar], Scalar]] = {
    "sin": lambda x: sincos(x)[0],
    "cos": lambda x: sincos(x)[1],
    "sqrt": lambda x: math.sqrt(x) if isinstance(x, (int, float)) else sqrt(x),
    "1/": lambda x: 1 / x,
}


@total_ordering
class Expression:
    """An exact expression in symbols. Arithmetic with ints, floats and Fractions is exact too:
    a float stands for the shortest decimal that names it, so 0.1 is 1/10."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Monomial, Fraction]):
        self.terms = {m: c for m, c in terms.items() if c}
        if len(self.terms) > MOST_TERMS:
            raise BadArgument(
                f"An expression has grown to {len(self.terms)} terms (at most {MOST_TERMS}). "
                "Give some of its symbols values, or introduce new symbols for its parts."
            )
        for c in self.terms.values():
            if max(c.numerator.bit_length(), c.denominator.bit_length()) > 4 * MOST_DIGITS:
                raise BadArgument(f"An expression holds a number of over {MOST_DIGITS} digits.")
        # a constant hashes like the number that it equals
        constant = set(self.terms) <= {()}
        self._hash = hash(self.terms.get((), 0) if constant else frozenset(self.terms.items()))

    # arithmetic

    def __add__(self, other: Scalar) -> Expression:
        other = expression(other)
        if other is NotImplemented:
            return NotImplemented
        terms = dict(self.terms)
        for m, c in other.terms.items():
            terms[m] = terms.get(m, Fraction(0)) + c
        return Expression(terms)

    def __mul__(self, other: Scalar) -> Expression:
        other = expression(other)
        if other is NotImplemented:
            return NotImplemented
        if len(self.terms) * len(other.terms) > 10 * MOST_TERMS:
            raise BadArgument("An expression has grown too large to multiply out.")
        terms: dict[Monomial, Fraction] = {}
        for ma, ca in self.terms.items():
            for mb, cb in other.terms.items():
                m = product(ma, mb)
                rewritten = exact_functions.rewritten(m)
                parts = {m: Fraction(1)} if rewritten is None else rewritten.terms
                for part, c in parts.items():
                    terms[part] = terms.get(part, Fraction(0)) + ca * cb * c
        return Expression(terms)

    def __truediv__(self, other: Scalar) -> Expression:
        other = expression(other)
        if other is NotImplemented:
            return NotImplemented
        return self * other.reciprocal()

    def __pow__(self, exponent: int) -> Expression:
        if not isinstance(exponent, int):
            return NotImplemented
        if abs(exponent) > MOST_POWER:
            raise BadArgument(f"An expression is raised to a power of over {MOST_POWER}.")
        if exponent < 0:
            return self.reciprocal() ** -exponent
        result = ONE
        for _ in range(exponent):
            result = result * self
        return result

    def __neg__(self) -> Expression:
        return Expression({m: -c for m, c in self.terms.items()})

    def __pos__(self) -> Expression:
        return self

    def __sub__(self, other: Scalar) -> Expression:
        other = expression(other)
        return NotImplemented if other is NotImplemented else self + -other

    def __rsub__(self, other: Scalar) -> Expression:
        return -self + other

    def __rtruediv__(self, other: Scalar) -> Expression:
        return self.reciprocal() * other

    __radd__ = __add__
    __rmul__ = __mul__

    def reciprocal(self) -> Expression:
        """Return 1/x: a term again for a term, an atom of its own for a sum."""
        if not self.terms:
            raise BadArgument("An expression is divided by zero.")
        if len(self.terms) == 1:
            ((m, c),) = self.terms.items()
            below = tuple((atom, -e) for atom, e in m)
            return Expression({(): 1 / c}) * exact_functions.normal(below)
        return function_of("1/", self)

    # questions

    def __eq__(self, other: object) -> bool:
        other = expression(other)
        return NotImplemented if other is NotImplemented else self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __lt__(self, other: Scalar) -> bool:
        return float(self) < float(other)

    def __abs__(self) -> Expression:
        if self.free_symbols:
            return sqrt(self * self)
        return -self if self < 0 else self

    def __format__(self, spec: str) -> str:
        return format(float(self) if spec else str(self), spec)

    def __float__(self) -> float:
        if symbols := self.free_symbols:
            raise NotNumeric(f"The expression {self}", symbols)
        try:
            return float(self.evaluate({}))
        except (ArithmeticError, ValueError):
            raise BadArgument(f"The expression {shorten(str(self))} has no finite value.") from None

    @property
    def free_symbols(self) -> frozenset[str]:
        """The names of the symbols it depends on."""
        names: set[str] = set()
        for monomial in self.terms:
            for atom, _ in monomial:
                if atom.function:
                    names |= atom.argument.free_symbols
                elif atom != PI:
                    names.add(atom.name)
        return frozenset(names)

    def evaluate(self, values: Mapping[str, Scalar]) -> Scalar:
        """Return the value at these symbols, of whatever kind of number the values are."""
        total: Scalar = 0
        for monomial, coefficient in self.terms.items():
            top, bottom = coefficient.as_integer_ratio()
            term: Scalar = top if bottom == 1 else top / bottom
            for atom, exponent in monomial:
                term = term * _value(atom, values) ** exponent
            total = total + term
        return total

    def substitute(self, values: Mapping[str, Scalar]) -> Scalar:
        """Return the expression with some symbols replaced, exactly.

        Once no symbol is left it is a plain number, unless that number has no short decimal (a
        third, π/2): then it stays an expression, which `float` turns into a number.
        """
        exact: Expression = ZERO
        for monomial, coefficient in self.terms.items():
            term = Expression({(): coefficient})
            for atom, exponent in monomial:
                term = term * _replaced(atom, values) ** exponent
            exact = exact + term
        return simplest(exact)

    # text

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        text = ""
        for monomial, coefficient in sorted(self.terms.items(), key=reading_order):
            sign = "-" if coefficient < 0 else "+"
            text += f" {sign} {term_text(monomial, abs(coefficient))}"
        return "-" + text[3:] if text[1] == "-" else text[3:]

    def __repr__(self) -> str:
        return f"Expression({str(self)!r})"


def symbol(name: str) -> Expression:
    """Return the expression that is just this symbol."""
    return atomic(Atom("", name))


def expression(x: Any) -> Expression:
    """Return x as an expression: exact for ints and Fractions, the shortest decimal for floats."""
    if isinstance(x, Expression):
        return x
    if isinstance(x, Rational):
        return Expression({(): Fraction(int(x.numerator), int(x.denominator))})
    if isinstance(x, Real):
        if not math.isfinite(x):
            raise BadArgument(f"{x} is not a number that an exact expression can hold.")
        return Expression({(): Fraction(repr(float(x)))})
    return NotImplemented


def simplest(x: Expression) -> Scalar:
    """Return a plain number for an expression that is one, to the last digit."""
    if set(x.terms) <= {()}:
        value = x.terms.get((), Fraction(0))
        if value.denominator == 1:
            return value.numerator
        if Fraction(repr(float(x))) == value:
            return float(x)
    return x


def free_symbols(x: Scalar) -> frozenset[str]:
    """Return the names of the symbols that a scalar depends on: none for a number."""
    return x.free_symbols if isinstance(x, Expression) else frozenset()


def has_value(x: Scalar | None) -> TypeGuard[Scalar]:
    """Return whether a scalar is there and holds no symbols, so that it can be compared."""
    return x is not None and not free_symbols(x)


ZERO = Expression({})
ONE = Expression({(): Fraction(1)})
PI_EXPRESSION = Expression({((PI, 1),): Fraction(1)})


def atomic(atom: Atom, exponent: int = 1) -> Expression:
    """Return the expression that is a power of an atom."""
    return Expression({((atom, exponent),) if exponent else (): Fraction(1)})


def function_of(name: str, argument: Expression) -> Expression:
    """Return the expression that is a function of another, as an atom."""
    return atomic(Atom(name, str(argument), argument))


def _value(atom: Atom, values: Mapping[str, Scalar]) -> Scalar:
    if not atom.function:
        return math.pi if atom == PI else values[atom.name]
    return FUNCTIONS[atom.function](atom.argument.evaluate(values))


def _replaced(atom: Atom, values: Mapping[str, Scalar]) -> Expression:
    if not atom.function:
        return expression(values.get(atom.name, atomic(atom)))
    return FUNCTIONS[atom.function](expression(atom.argument.substitute(values)))


from qddot.scalars import exact_functions  # noqa: E402  # which needs the class above
