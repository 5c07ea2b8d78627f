"""Values of exact expressions and polynomials at a state: as numbers, and as balls.

Balls are `arb` of python-flint: a midpoint and a radius that is proved. A value whose ball does not
hold zero is not zero, whatever the rounding was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from qddot.equations.polynomial import Polynomial
from qddot.equations.ring import Ring
from qddot.errors import BadArgument, NotNumeric, UnknownName
from qddot.scalars import Scalar, sign, sincos
from qddot.scalars.expressions import Expression, atomic, expression
from qddot.scalars.monomials import PI, Atom

BITS = 256
FUNCTIONS: dict[str, Callable[[arb], arb]] = {
    "sin": arb.sin,
    "cos": arb.cos,
    "sqrt": arb.sqrt,
    "1/": lambda x: 1 / x,
}


def generator_values(
    ring: Ring, robot: str, state: list[Any], values: Mapping[str, Any]
) -> list[Scalar]:
    """Return the value of every generator at a state, parameters given by name.

    The state is q, q̇ and q̈, each of length n, of any kind of number.
    """
    known = symbols_of(ring)
    for name in values:
        if name not in known:
            raise UnknownName("symbol", name, robot, sorted(known))
    if missing := known - set(values):
        raise NotNumeric(f"Robot {robot!r}", missing)
    q, qd, qdd = state
    for name, x in zip(("q", "qd", "qdd"), state, strict=True):
        if len(x) != ring.n:
            raise BadArgument(f"{name} has {len(x)} entries; it must have {ring.n}.")
    parameters = [_atom_value(atom, values) for atom in ring.parameters]
    signs = {i: sign(qd[i]) for i in ring.signs}
    return by_generator(ring, [sincos(x) for x in q], q, qd, qdd, signs, parameters)


def by_generator(
    ring: Ring,
    angles: Sequence[tuple[Any, Any]],
    q: Any,
    qd: Any,
    qdd: Any,
    signs: Mapping[int, Any],
    parameters: Any,
) -> list[Any]:
    """Return the value of every generator; `angles` are sine and cosine of each position."""
    by_role = {
        "sine": [s for s, _ in angles],
        "cosine": [c for _, c in angles],
        "position": q,
        "rate": qd,
        "acceleration": qdd,
        "sign": signs,
        "parameter": parameters,
    }
    return [by_role[g.role][g.index] for g in ring.generators]


def symbols_of(ring: Ring) -> set[str]:
    """Return the names of the symbols that the parameters of a ring are made of."""
    return {name for atom in ring.parameters for name in symbols_in(atom)}


def evaluated(x: Scalar, numbers: Sequence[Any], number: Callable[[Any], Any] = float) -> Any:
    """Return the value of a polynomial where its generators have these values.

    `number` makes a rational coefficient a number of their kind.
    """
    if not isinstance(x, Polynomial):
        return x
    total: Any = 0
    for exponents, coefficient in x.terms():
        term = number(coefficient)
        for value, exponent in zip(numbers, exponents, strict=True):
            if exponent:
                term = term * value**exponent
        total = total + term
    return total


def _atom_value(atom: Atom, values: Mapping[str, Any]) -> Any:
    if atom.name in values and not atom.function:
        return values[atom.name]  # of any kind: of torques a program has no numbers yet
    return float(atomic(atom).evaluate(values))


def symbols_in(atom: Atom) -> frozenset[str]:
    """Return the names of the symbols that a parameter is made of."""
    if atom.function:
        return atom.argument.free_symbols
    return frozenset() if atom == PI else frozenset([atom.name])


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
    parameters = [ball_at(atomic(atom), symbols) for atom in x.ring.parameters]
    angles, signs = [number.sin_cos() for number in q], {i: qd[i].sgn() for i in x.ring.signs}
    numbers = by_generator(x.ring, angles, q, qd, qdd, signs, parameters)
    return arb(0) + evaluated(x, numbers, of_fraction)


def ball_at(x: Scalar, symbols: Mapping[str, Fraction]) -> arb:
    """Return the ball of an exact expression at values of its symbols."""
    return ball_of(expression(expression(x).substitute(symbols)))
