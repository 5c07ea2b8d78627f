"""The tree of a formula as it will be printed, the same for every output format.

A tree says what is multiplied with what and where the parentheses stand; `text`, `latex` and
`sympy_form` only choose the letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TypeAlias

from qddot.scalars.expressions import Expression
from qddot.scalars.monomials import PI, Atom


@dataclass(frozen=True)
class Number:
    """A rational number that stands alone; of a rounded one, also how far it may be off."""

    value: Fraction
    radius: Fraction = Fraction(0)


@dataclass(frozen=True)
class Name:
    """A letter: a parameter, a coordinate or its derivatives, the sine or cosine of an angle.

    The sign of a velocity is a letter too, sgn(q̇1); so is a term, whose label in LaTeX stands for a
    sum that is defined elsewhere on the page.
    """

    kind: str  # parameter, term, position, rate, acceleration, sign, sine, cosine
    label: str = ""  # of a parameter or a term
    joints: tuple[tuple[int, int], ...] = ()  # ((0, 1), (1, 2)) is q1 + 2 q2


@dataclass(frozen=True)
class Call:
    """A function of parameters: sin, cos or sqrt."""

    function: str
    argument: Node


@dataclass(frozen=True)
class Power:
    """A whole power, which may be negative."""

    base: Node
    exponent: int


@dataclass(frozen=True)
class Product:
    """A number times factors."""

    coefficient: Fraction
    factors: tuple[Node, ...]


@dataclass(frozen=True)
class Sum:
    """Two terms or more."""

    terms: tuple[Node, ...]


Node: TypeAlias = Number | Name | Call | Power | Product | Sum
ZERO = Number(Fraction(0))


def operations(node: Node) -> int:
    """Return how many additions and multiplications a formula asks of its reader."""
    match node:
        case Sum(terms):
            return sum(map(operations, terms)) + len(terms) - 1
        case Product(coefficient, factors):
            scaled = abs(coefficient) != 1
            return sum(map(operations, factors)) + len(factors) - 1 + scaled
        case Power(base, exponent):
            return operations(base) + (exponent - 1 if exponent > 0 else -exponent)
        case Call(_, argument):
            return operations(argument) + 1
    return 0


def total(terms: list[Node]) -> Node:
    """Return the sum of some nodes, with no sum directly inside a sum."""
    flat: list[Node] = []
    for term in terms:
        flat.extend(term.terms if isinstance(term, Sum) else [term])
    if not flat:
        return ZERO
    return flat[0] if len(flat) == 1 else Sum(tuple(flat))


def product(coefficient: Fraction, factors: list[Node]) -> Node:
    """Return a number times factors, in the simplest node that says it."""
    if not factors or not coefficient:
        return Number(coefficient)
    if coefficient == 1 and len(factors) == 1:
        return factors[0]
    return Product(coefficient, tuple(factors))


def power(base: Node, exponent: int) -> Node:
    """Return a power, in the simplest node that says it."""
    if isinstance(base, Power):
        base, exponent = base.base, base.exponent * exponent
    return base if exponent == 1 else Power(base, exponent)


def negated(node: Node) -> Node | None:
    """Return what a term is minus of, or None if no minus stands before it."""
    match node:
        case Number(value) if value < 0:
            return Number(-value)
        case Product(coefficient, factors) if coefficient < 0:
            return product(-coefficient, list(factors))
    return None


def sign_node(node: Node) -> Node | None:
    """Return the sign of a velocity, or of numbers times it; None of anything else."""
    match node:
        case Name("rate", _, joints):
            return Name("sign", joints=joints)
        case Product(coefficient, factors):
            numbers = [factor.value for factor in factors if isinstance(factor, Number)]
            others = [factor for factor in factors if not isinstance(factor, Number)]
            size = prod(numbers, start=coefficient)
            found = sign_node(others[0]) if len(others) == 1 and size else None
            return product(Fraction(1 if size > 0 else -1), [found]) if found else None
    return None


def atom_node(atom: Atom) -> Node:
    """Return the node of a parameter, or of a function of parameters."""
    if not atom.function:
        return Name("parameter", atom.name)
    argument = expression_node(atom.argument)
    return Power(argument, -1) if atom.function == "1/" else Call(atom.function, argument)


def expression_node(x: Expression) -> Node:
    """Return the node of an exact expression in parameters, written out."""
    terms = sorted(x.terms.items(), key=lambda item: [str(atom) for atom, _ in item[0]])
    return total([product(c, [power(atom_node(a), e) for a, e in m]) for m, c in terms])


def is_constant(node: Node) -> bool:
    """Return whether no symbol occurs in a node: √2 and π are constants."""
    match node:
        case Name(kind, label):
            return kind == "parameter" and label == PI.name
        case Call(_, argument):
            return is_constant(argument)
        case Power(base, _):
            return is_constant(base)
        case Product(_, parts) | Sum(parts):
            return all(map(is_constant, parts))
    return True
