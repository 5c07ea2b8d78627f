"""Answers with rounded decimals: polynomials whose coefficients are intervals.

A decimal of three significant digits or more is rounded: 0.333 is any number from 0.3325 to 0.3335.
Fewer digits, and integers, are exact. An answer is right if the interval of each of its
coefficients in normal form holds the right one, which is 0 where there is none.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from math import prod
from typing import Any

from flint import acb, arb

from qddot.equations.answers.balls import letters_of, value_of
from qddot.equations.equality import Common, fixed_angles
from qddot.equations.nodes import Call, Node, Number
from qddot.equations.polynomial import Polynomial, check_work
from qddot.equations.reading import TURNS, PolynomialReader, nodes_in
from qddot.equations.ring import magnitude
from qddot.equations.values import ball_of, many_digits, of_fraction, symbols_in
from qddot.scalars.expressions import Expression, atomic

FEWEST_DIGITS = 3  # of decimals that are rounded
FLOATING = Context(prec=13)  # what floating-point numbers keep where several are multiplied


def decimal(text: str) -> Number:
    """Return the number that a text is; 1.50e3 is 1500 ± 5, and 1.5 is exact."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, point, places = mantissa.partition(".")
    last = int(exponent or 0) - len(places)
    if not (point or last < 0) or len((whole + places).lstrip("0")) < FEWEST_DIGITS:
        return Number(Fraction(text))
    return Number(Fraction(text), Fraction(10) ** last / 2)


def float_number(x: Any) -> Number:
    """Return the decimal that a floating-point number stands for: 0.333 of 0.333000000000000."""
    return decimal(f"{Decimal(str(x)).normalize(FLOATING):f}")


def has_decimals(node: Node) -> bool:
    """Return whether a rounded number is in a formula."""
    return any(isinstance(x, Number) and x.radius for x in nodes_in(node))


class Rounded(Polynomial):
    """A polynomial whose coefficients are intervals: their middles, and beside them a radius."""

    __slots__ = ("radius",)

    def __init__(self, middle: Polynomial, radius: Any = 0):
        super().__init__(middle.ring, middle.value)
        self.radius = radius if isinstance(radius, Polynomial) else self.ring.constant(radius)

    @property
    def middle(self) -> Polynomial:
        """The middles alone."""
        return Polynomial(self.ring, self.value)

    def of(self, x: Any) -> Rounded:
        """Return a polynomial or a number as one of its kind."""
        if isinstance(x, Rounded):
            return x
        return Rounded(x if isinstance(x, Polynomial) else self.ring.constant(x))

    def __add__(self, other: Any) -> Rounded:
        other = self.of(other)
        return Rounded(self.middle + other.middle, self.radius + other.radius)

    def __mul__(self, other: Any) -> Rounded:
        other = self.of(other)
        middle = self.middle * other.middle
        radius = _bound(self, other.radius) + _bound(self.radius, other)
        a, b = self.signed(), other.signed()
        if a is None or b is None:
            return Rounded(middle, radius + _bound(self.radius, other.radius))
        return Rounded(middle + a * b, radius)

    def __truediv__(self, other: Any) -> Rounded:
        low, high = (1 / x for x in self.of(other).ends())
        return self * Rounded(self.ring.constant((low + high) / 2), abs(low - high) / 2)

    def __rtruediv__(self, other: Any) -> Rounded:
        return self.of(other) / self

    def __neg__(self) -> Rounded:
        return Rounded(-self.middle, self.radius)

    __radd__ = __add__
    __rmul__ = __mul__

    def is_constant(self) -> bool:
        """Return whether it is an interval of numbers by which one can divide."""
        numbers = self.value.is_constant() and self.radius.is_constant()
        return numbers and prod(self.ends()) > 0

    def ends(self) -> tuple[Fraction, Fraction]:
        """Return the ends of an interval of numbers."""
        middle, radius = self.as_fraction(), self.radius.as_fraction()
        return middle - radius, middle + radius

    def signed(self) -> Polynomial | None:
        """Return the radii with the signs of the coefficients; None if an interval holds 0."""
        middle, radii = self.value.to_dict(), self.radius.value.to_dict()
        if any(abs(middle.get(e, 0)) < radius for e, radius in radii.items()):
            return None
        signed = {e: radius if middle[e] > 0 else -radius for e, radius in radii.items()}
        return Polynomial(self.ring, self.ring.context.from_dict(signed))

    def in_units(self) -> Rounded:
        """Return it with fixed angles in symbols, as b and 2b, in common units."""
        if sum(bool(angle.free_symbols) for angle in fixed_angles([self.ring])) < 2:
            return self
        units = Common.of(self.ring, self.ring)
        return Rounded(units.carried(self.middle), units.carried(self.radius, bounds=True))

    def holds_zero(self, but_constants: bool = False) -> bool:
        """Return whether every interval holds 0; of an energy, but those of constant terms."""
        generators, parameters = self.ring.generators, self.ring.parameters
        atoms = {k: parameters[x.index] for k, x in enumerate(generators) if x.role == "parameter"}
        sums: dict[tuple[int, ...], list[arb]] = {}
        with many_digits():
            # √2 and π are parts of coefficients
            known = {k: ball_of(atomic(x)) for k, x in atoms.items() if not symbols_in(x)}
            sides = ((0, self.middle.terms()), (1, self.radius.terms()))
            for side, (exponents, coefficient) in ((k, x) for k, terms in sides for x in terms):
                powers = (x ** exponents[k] for k, x in known.items() if exponents[k])
                value = prod(powers, start=of_fraction(coefficient))
                key = tuple(0 if k in known else e for k, e in enumerate(exponents))
                total = sums.setdefault(key, [arb(0), arb(0)])
                total[side] += abs(value) if side else value
            return not any(
                abs(middle) > radius
                for key, (middle, radius) in sums.items()
                if not but_constants or any(e for k, e in enumerate(key) if k not in atoms)
            )


def _bound(a: Polynomial, b: Polynomial) -> Polynomial:
    """Return the product of two polynomials' magnitudes, in normal form."""
    check_work(len(a) * len(b))
    product = magnitude(a.value) * magnitude(b.value)
    return Polynomial(a.ring, a.ring.reduced(product, bounds=True))


class RoundedReader(PolynomialReader):
    """Formulas in the ring of another reader, with intervals where they have rounded decimals."""

    def __init__(self, reader: PolynomialReader):
        vars(self).update(vars(reader))

    def value(self, node: Node) -> tuple[Any, Any]:
        match node:
            case Number(value, radius) if radius:
                return Rounded(self.ring.constant(value), radius), 1
            case Call(function) if function not in TURNS and self._has_value(node):
                return self._enclosure(node), 1
        return super().value(node)

    def sincos_of(self, rest: Expression, angle: Node) -> tuple[Any, Any]:
        if not self._has_value(angle):
            return super().sincos_of(rest, angle)
        return self._enclosure(Call("sin", angle)), self._enclosure(Call("cos", angle))

    def _has_value(self, node: Node) -> bool:
        """Return whether it has rounded decimals, and no symbols besides coordinates."""
        return has_decimals(node) and all(x.kind == "position" for x in letters_of(node))

    def _enclosure(self, node: Node) -> Rounded:
        """Return an interval that holds a formula's values where all joints are at 0."""
        with many_digits():
            ball = value_of(node, {name: acb(0) for name in letters_of(node)}).real
        (a, m), (b, n) = ball.mid().man_exp(), ball.rad().man_exp()
        middle, radius = (Fraction(int(x)) * Fraction(2) ** int(k) for x, k in ((a, m), (b, n)))
        return Rounded(self.ring.constant(middle), radius)
