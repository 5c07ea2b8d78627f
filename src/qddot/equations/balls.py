"""Values of exact expressions and polynomials as balls: a midpoint and a radius that is proved.

Balls are `arb` of python-flint. A value whose ball does not hold zero is not zero, whatever the
rounding was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from qddot.equations.polynomial import Polynomial
from qddot.expressions import PI, Atom, Expression, expression
from qddot.scalars import Scalar

BITS = 256
FUNCTIONS: dict[str, Callable[[arb], arb]] = {
    "sin": arb.sin,
    "cos": arb.cos,
    "sqrt": arb.sqrt,
    "1/": lambda x: 1 / x,
}


def many_digits() -> Any:
    """Return the context in which balls keep seventy digits."""
    return ctx.workprec(BITS)


def ball_of(x: Expression) -> arb:
    """Return the ball of an exact expression without symbols."""
    total = arb(0)
    for monomial, coefficient in x.terms.items():
        term = of_fraction(coefficient)
        for atom, exponent in monomial:
            term = term * _atom(atom) ** exponent
        total = total + term
    return total


def of_fraction(x: Fraction) -> arb:
    """Return the ball of a rational number."""
    return arb(fmpq(x.numerator, x.denominator))


def _atom(atom: Any) -> arb:
    if atom == PI:
        return arb.pi()
    x = ball_of(atom.argument)
    return FUNCTIONS[atom.function](x)


def value_at(
    x: Scalar, state: Sequence[Sequence[Fraction]], symbols: Mapping[str, Fraction]
) -> arb:
    """Return the value of a polynomial at a state (q, q̇, q̈) and at values of its symbols."""
    if not isinstance(x, Polynomial):
        return of_fraction(expression(x).terms.get((), Fraction(0)))
    q, qd, qdd = ([of_fraction(number) for number in vector] for vector in state)
    by_role = {
        "sine": [number.sin() for number in q],
        "cosine": [number.cos() for number in q],
        "position": q,
        "rate": qd,
        "acceleration": qdd,
        "parameter": [_parameter(atom, symbols) for atom in x.ring.parameters],
    }
    numbers = [by_role[g.role][g.index] for g in x.ring.generators]
    total = arb(0)
    for exponents, coefficient in x.terms():
        term = of_fraction(coefficient)
        for number, exponent in zip(numbers, exponents, strict=True):
            if exponent:
                term = term * number**exponent
        total = total + term
    return total


def _parameter(atom: Atom, symbols: Mapping[str, Fraction]) -> arb:
    alone = Expression({((atom, 1),): Fraction(1)})
    return ball_of(expression(alone.substitute(symbols)))
