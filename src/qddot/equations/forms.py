"""The shortest way to write a polynomial, as a textbook would.

A polynomial is first taken apart as equations of motion are: what multiplies each acceleration,
what is quadratic in the velocities, what depends on the position alone, what is linear in them.
Each part is then written in products or in sums of angles, its terms grouped by mass, by sine and
cosine, by velocity or not at all: whichever takes the fewest operations.

A factor comes out of a sum only where it leaves the sum altogether: a1 aC2 c2 + aC2² stays as it
is, because aC2 would stand on both sides of the parenthesis.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any, TypeAlias

from qddot.equations.nodes import (
    Name,
    Node,
    Number,
    Product,
    Sum,
    is_constant,
    operations,
    power,
    product,
    total,
)
from qddot.equations.polynomial import Polynomial
from qddot.equations.ring import Ring, natural
from qddot.equations.terms import Groups, Monomial, Terms, sums_of_angles, terms_of
from qddot.errors import BadArgument, shorten
from qddot.scalars import Scalar
from qddot.scalars.expressions import expression
from qddot.scalars.monomials import Atom

CONSTANT, MASS, LINEAR, GRAVITY, PARAMETER, POSITION, ANGLE, RATE, ACCELERATION = range(9)
RANKS = {"position": POSITION, "rate": RATE, "sign": RATE, "acceleration": ACCELERATION}
DEEPEST = 2  # parentheses inside parentheses
LARGEST_RATIO = 99  # of coefficients in a parenthesis behind their common factor

Items: TypeAlias = tuple[tuple[int, int], ...]  # factors by number, in reading order, with powers
NumberedTerm: TypeAlias = tuple[Items, Fraction]


@dataclass(frozen=True)
class Collected:
    """A sum in the terms that it is written in; names of other sums may be among their factors."""

    ring: Ring = field(compare=False)
    terms: Terms

    def __len__(self) -> int:
        """How many terms it has."""
        return len(self.terms)


def form(x: Scalar | Collected, groups: Groups | None = None) -> Node:
    """Return the shortest formula for a polynomial or a number.

    Groups are joints with parallel axes, counted from 0, whose angles may be added up: those of the
    robot if not given; () for products of single sines and cosines only.
    """
    x = in_a_ring(x)
    if isinstance(x, Collected):
        return form_of(x.terms, x.ring.roles)
    if not isinstance(x, Polynomial):
        return _number(x)
    groups = x.ring.groups if groups is None else groups
    return form_of(terms_of(x), x.ring.roles, groups)


def in_a_ring(x: Any) -> Any:
    """Return an expression in symbols as a polynomial in them; anything else as it is."""
    if isinstance(x, (Polynomial, Collected)):
        return x
    exact = expression(x)
    if exact is NotImplemented:
        raise BadArgument(
            f"{shorten(repr(x))} of type {type(x).__name__} is no formula; give a number, an "
            "expression in symbols, a polynomial, or a NumPy array of these."
        )
    if set(exact.terms) <= {()}:
        return x
    # what every term has once stands in front, as a mass does in a moment of inertia
    first, *rest = map(dict, exact.terms)
    shared = {a: "mass" for a in first if all(each.get(a) == 1 for each in (first, *rest))}
    return Ring((), [exact], roles=shared).scalar(exact)


def form_of(terms: Terms, roles: dict[Atom, str], groups: Groups = ()) -> Node:
    """Return the shortest formula for terms, given what their parameters are to the equations."""
    rotors = {Name("parameter", atom.name) for atom, role in roles.items() if role == "motor"}
    parts = sorted(_parts(terms, rotors).items())
    return total([_shortest(part, roles, groups) for _, part in parts])


def expanded(x: Scalar, most: int | None = None) -> Node:
    """Return a polynomial term by term, or so many of its terms, in reading order."""
    if not isinstance(x, Polynomial):
        return _number(x)
    terms = terms_of(x, most)
    collector = _Collector(terms, x.ring.roles)
    return collector.written_out(collector.numbered(terms))


def _number(x: Scalar) -> Number:
    return Number(expression(x).terms.get((), Fraction(0)))


def _parts(terms: Terms, rotors: set[Name]) -> dict[tuple[int, ...], Terms]:
    """Take an equation of motion apart: accelerations, c, g, then viscous and dry friction.

    What rotors take of the accelerations stands behind what links take.
    """
    parts: dict[tuple[int, ...], Terms] = {}
    for monomial, coefficient in terms.items():
        accelerations, rates, dry = [], 0, False
        for factor, exponent in monomial:
            if isinstance(factor, Name) and factor.kind == "acceleration":
                accelerations += [factor.joints[0][0]] * exponent
            elif isinstance(factor, Name) and factor.kind == "rate":
                rates += exponent
            dry = dry or (isinstance(factor, Name) and factor.kind == "sign")
        last = 2 if dry else -rates if rates > 1 else rates
        rotor = any(factor in rotors for factor, _ in monomial)
        place = (0, rotor, *accelerations) if accelerations else (1, last)
        parts.setdefault(place, {})[monomial] = coefficient
    return parts


def _shortest(terms: Terms, roles: dict[Atom, str], groups: Groups) -> Node:
    products = _Collector(terms, roles).collected(terms)
    if not groups:
        return products
    converted = sums_of_angles(terms, groups)
    if converted == terms:
        return products
    sums = _Collector(converted, roles).collected(converted)
    return min(products, sums, key=operations)


class _Collector:
    """Groups terms. Factors are numbered in the order in which they are read in a product."""

    def __init__(self, terms: Terms, roles: dict[Atom, str]):
        names = {Name("parameter", atom.name): role for atom, role in roles.items()}
        factors = {factor for monomial in terms for factor, _ in monomial}
        ranks = {factor: _rank(factor, names) for factor in factors}
        self.factors = sorted(factors, key=lambda f: (ranks[f], _reading_key(f)))
        self.ranks = [ranks[factor] for factor in self.factors]
        self.number = {factor: k for k, factor in enumerate(self.factors)}

    def collected(self, terms: Terms) -> Node:
        """Return the shortest formula with at most DEEPEST parentheses inside each other."""
        numbered = self.numbered(terms)
        accelerations = [item for item in numbered[0][0] if self.ranks[item[0]] == ACCELERATION]
        if accelerations:
            # an acceleration stands behind the whole of what it multiplies
            rest = [(_without(items, set(accelerations)), c) for items, c in numbered]
            return self.times(Fraction(1), accelerations, self.grouped(rest, DEEPEST))
        return self.grouped(numbered, DEEPEST)

    def numbered(self, terms: Terms) -> list[NumberedTerm]:
        """Return the terms in reading order."""
        found = [(self.items(m), c) for m, c in terms.items()]
        return sorted(found, key=lambda term: self.order(term[0]))

    def items(self, monomial: Monomial) -> Items:
        return tuple(sorted((self.number[factor], e) for factor, e in monomial))

    def order(self, items: Items) -> tuple:
        """By mass, then velocities, then angles, with what is constant first."""
        kinds: tuple[list[int], ...] = ([], [], [], [])
        for k, e in items:
            rank = self.ranks[k]
            kind = 0 if rank in (MASS, LINEAR) else 1 if rank == RATE else 2 if rank == ANGLE else 3
            kinds[kind].extend([k] * e)
        return kinds

    def grouped(self, terms: list[NumberedTerm], depth: int) -> Node:
        """Return the shortest of the groupings; on a tie, the one by sine and cosine."""
        best = self.written_out(terms)
        if len(terms) == 1 or not depth:
            return best
        fewest: int | None = None
        for key in (self.by(ANGLE), self.by(MASS, LINEAR), self.by(RATE), self.leading):
            groups: dict[Hashable, list[NumberedTerm]] = {}
            for term in terms:
                groups.setdefault(key(term[0]), []).append(term)
            if len(groups) == len(terms) or set(groups) == {()}:
                continue
            parts = [
                self.factored(group, depth) if shared else self.grouped(group, depth - 1)
                for shared, group in groups.items()
            ]
            candidate = total(parts)
            if fewest is None or operations(candidate) < fewest:
                best, fewest = candidate, operations(candidate)
        return best

    def by(self, *ranks: int) -> Callable[[Items], Hashable]:
        return lambda items: tuple(item for item in items if self.ranks[item[0]] in ranks)

    def leading(self, items: Items) -> Hashable:
        """Group by the first of several sines and cosines."""
        return next((item for item in items if self.ranks[item[0]] == ANGLE), ())

    def factored(self, terms: list[NumberedTerm], depth: int) -> Node:
        """Return terms with what all of them share before a parenthesis."""
        if len(terms) == 1:
            return self.written_out(terms)
        shared = set(terms[0][0]).intersection(*(items for items, _ in terms[1:]))
        if not shared:
            return self.grouped(terms, depth - 1)
        content = _content([c for _, c in terms])
        rest = [(_without(items, shared), c / content) for items, c in terms]
        return self.times(content, sorted(shared), self.grouped(rest, depth - 1))

    def times(self, content: Fraction, shared: list[tuple[int, int]], inner: Node) -> Node:
        """Return the product, with the parenthesis among the factors of its own kind."""
        factors = [(self.ranks[k], power(self.factors[k], e)) for k, e in shared]
        match inner:
            case Number(value):
                return product(content * value, [f for _, f in factors])
            case Product(coefficient, parts):
                content *= coefficient
                factors += [(self.rank_inside(part), part) for part in parts]
            case _:
                factors.append((self.rank_inside(inner), inner))
        # a sum comes after the factors of its own rank
        factors.sort(key=lambda pair: (pair[0], isinstance(pair[1], Sum)))
        return product(content, [f for _, f in factors])

    def rank_inside(self, node: Node) -> int:
        """Return the lowest rank among the factors in a node."""
        if node in self.number:
            return self.ranks[self.number[node]]
        match node:
            case Product(_, parts) | Sum(parts):
                return min((self.rank_inside(part) for part in parts), default=ACCELERATION)
            case Number():
                return ACCELERATION
        return self.rank_inside(getattr(node, "base", Number(Fraction(1))))

    def written_out(self, terms: list[NumberedTerm]) -> Node:
        return total(
            [product(c, [power(self.factors[k], e) for k, e in items]) for items, c in terms]
        )


def _rank(factor: Node, names: dict[Name, str]) -> int:
    if isinstance(factor, Name) and factor in names:
        kinds = {"mass": MASS, "linear": LINEAR, "motor": LINEAR, "gravity": GRAVITY}
        return kinds[names[factor]]
    if isinstance(factor, Name) and factor.kind in ("sine", "cosine"):
        return ANGLE
    if is_constant(factor):
        return CONSTANT
    return RANKS.get(factor.kind, PARAMETER) if isinstance(factor, Name) else PARAMETER


def _reading_key(factor: Node) -> tuple:
    if not isinstance(factor, Name):
        return (1, str(factor))
    return (0, len(factor.joints), factor.joints, factor.kind, natural(factor.label))


def _without(items: Items, taken: set[tuple[int, int]]) -> Items:
    return tuple(item for item in items if item not in taken)


def _content(coefficients: list[Fraction]) -> Fraction:
    """Return the number to take out of a sum: what leaves the fewest and simplest coefficients."""
    sign = -1 if coefficients[0] < 0 else 1
    size = Fraction(
        gcd(*(c.numerator for c in coefficients)), lcm(*(c.denominator for c in coefficients))
    )
    rest = [abs(c / size) for c in coefficients]
    if max(rest) > LARGEST_RATIO:
        return Fraction(sign)
    before = sum(abs(c) != 1 for c in coefficients)
    after = 1 + sum(c != 1 for c in rest)
    if after < before or (after == before and _digits([size, *rest]) < _digits(coefficients)):
        return sign * size
    return Fraction(sign)


def _digits(numbers: list[Fraction]) -> int:
    return sum(len(str(abs(x))) for x in numbers if abs(x) != 1)
