"""A polynomial as terms with readable factors, and back."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from qddot.equations.nodes import Name, Node, atom_node

if TYPE_CHECKING:
    from qddot.equations.polynomial import Polynomial
    from qddot.equations.ring import Generator, Ring

Monomial: TypeAlias = tuple[tuple[Node, int], ...]  # factors with their exponents
Terms: TypeAlias = dict[Monomial, Fraction]
LETTERS = {"position": "q", "rate": "v", "acceleration": "a"}


def terms_of(x: Polynomial, most: int | None = None) -> Terms:
    """Return the terms of a polynomial, or some: products of sines and cosines of single joints."""
    factors = _factors(x.ring)
    return {
        tuple((factors[k], e) for k, e in enumerate(exponents) if e): coefficient
        for exponents, coefficient in x.terms(most)
    }


def polynomial_of(ring: Ring, terms: Terms) -> Any:
    """Return the polynomial, or the number, that some terms add up to."""
    parameters = {atom_node(atom): k for k, atom in enumerate(ring.parameters)}
    result: Any = ring.constant(0)
    for monomial, coefficient in terms.items():
        term: Any = ring.constant(coefficient)
        for factor, exponent in monomial:
            if factor in parameters:
                value = ring.element("p", parameters[factor])
            elif isinstance(factor, Name) and factor.kind in LETTERS:
                value = ring.element(LETTERS[factor.kind], factor.joints[0][0])
            elif isinstance(factor, Name):
                value = _sincos(ring, factor.joints)[factor.kind == "cosine"]
            else:
                raise ValueError(f"{factor} is not of this ring.")
            term = term * value**exponent
        result = result + term
    return result


@lru_cache(maxsize=64)
def _factors(ring: Ring) -> tuple[Node, ...]:
    return tuple(_factor(ring, g) for g in ring.generators)


def _factor(ring: Ring, generator: Generator) -> Node:
    if generator.role == "parameter":
        return atom_node(ring.parameters[generator.index])
    return Name(generator.role, joints=((generator.index, 1),))


def _sincos(ring: Ring, angle: tuple[tuple[int, int], ...]) -> tuple[Any, Any]:
    """Return sine and cosine of a sum of joint angles, multiplied out."""
    s: Any = 0
    c: Any = 1
    for joint, multiple in angle:
        sine, cosine = ring.element("s", joint), ring.element("c", joint)
        sine = sine if multiple > 0 else -sine
        for _ in range(abs(multiple)):
            s, c = s * cosine + c * sine, c * cosine - s * sine
    return s, c
