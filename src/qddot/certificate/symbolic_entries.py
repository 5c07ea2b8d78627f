"""What a polynomial in parameters, sines and cosines is at most and at least, in the parameters.

Written in sums of angles, it is a sum of terms: a product of parameters, times the cosine or the
sine of a sum of joint angles. With parameters that are not negative each term is largest, or
smallest, where its cosine is; so the sum of these is a bound (the triangle inequality).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from qddot.certificate.bound import within
from qddot.checks import joint_index
from qddot.equations.nodes import Call, Name, Node, Power
from qddot.equations.polynomial import Polynomial
from qddot.equations.ring import Ring
from qddot.equations.terms import Terms, polynomial_of, sums_of_angles, terms_of
from qddot.errors import BadArgument, printable, shorten
from qddot.model.arguments import plain_number
from qddot.robot import Robot
from qddot.scalars import Scalar, constant_sincos

DIGITS = 10**6  # a cosine at the edge of a box is rounded outwards to so many parts
Interval = tuple[Fraction, Fraction]
ALL: Interval = (Fraction(-1), Fraction(1))
ONE: Interval = (Fraction(1), Fraction(1))


@dataclass(frozen=True)
class Positions:
    """Where the joints may be, and what a polynomial is there at most and at least."""

    ring: Ring
    ranges: Mapping[int, tuple[float, float]]  # by joint; a turn, or a slide of any length, if none
    names: tuple[str, ...]

    @staticmethod
    def of(robot: Robot, ring: Ring, box: Any) -> Positions:
        if box is not None and not isinstance(box, Mapping):
            raise BadArgument(
                f"box is {box!r}; give ranges by joint name: box={{'j2': (-1.57, 1.57)}}."
            )
        ranges = {}
        for name, given in (box or {}).items():
            i = joint_index(robot, name)
            pair = list(given) if isinstance(given, (Sequence, np.ndarray)) else []
            low, high = map(plain_number, pair) if len(pair) == 2 else (math.nan, math.nan)
            if not -math.inf < low <= high < math.inf:
                raise BadArgument(
                    f"The range of {printable(name)!r} is {shorten(repr(given))}; give two "
                    "numbers, the lower first: (-1.57, 1.57) or ('-pi/2', '30deg')."
                )
            ranges[i] = (low, high)
        return Positions(ring, ranges, robot.joint_names)

    @property
    def zero(self) -> Polynomial:
        return self.ring.constant(0)

    @property
    def one(self) -> Polynomial:
        return self.ring.constant(1)

    def assumptions(self, out: Iterable[int]) -> tuple[str, ...]:
        """Return in words what bounds hold for; `out` are the joints whose q is in formulas."""
        ranges = [
            f"{self.names[i]} within {' … '.join(within(*span))}" for i, span in self.ranges.items()
        ]
        free = [name for i, name in enumerate(self.names) if i not in self.ranges]
        places = [*ranges, *([f"{', '.join(free)} anywhere"] if free else [])]
        sizes = [f"q{i + 1} stands for |q{i + 1}|" for i in sorted(out)]
        return (
            *places,
            "every symbol is positive or zero",
            *sizes,
            "for eigenvalues: every body can exist, so that M is positive semidefinite",
        )

    # bounds of an entry

    def above(self, x: Scalar) -> Polynomial:
        """Return what a polynomial is at most, in the parameters alone."""
        if not isinstance(x, Polynomial):
            return self.one * x if x else self.zero
        turning = [i for i in range(self.ring.n) if self.ring.turns[i]]
        found: Terms = {}
        for monomial, coefficient in sums_of_angles(terms_of(x), [turning]).items():
            rest, span = [], ONE
            for factor, exponent in monomial:
                kept, values = self._factor(factor, exponent)
                rest += [(factor, exponent)] if kept else []
                span = _times(span, values)
            value = max(coefficient * end for end in span)
            found[tuple(rest)] = found.get(tuple(rest), Fraction(0)) + value
        return self.one * polynomial_of(self.ring, found)

    def below(self, x: Scalar) -> Polynomial:
        """Return what a polynomial is at least."""
        return -self.above(-x)

    def size(self, x: Scalar) -> Polynomial:
        """Return a bound of the modulus: of each product of parameters the larger coefficient."""
        sides = [dict(side.terms()) for side in (self.above(x), self.above(-x))]
        larger = {
            place: max(side.get(place, Fraction(0)) for side in sides)
            for place in dict.fromkeys(place for side in sides for place in side)
        }
        numbers = {place: fmpq(c.numerator, c.denominator) for place, c in larger.items()}
        return Polynomial(self.ring, self.ring.context.from_dict(numbers))

    def _factor(self, factor: Node, exponent: int) -> tuple[bool, Interval]:
        """Return whether a factor stays as a symbol, and the range of what else it is."""
        match factor:
            case Name(kind="cosine" | "sine"):
                return False, _power(self._angle(factor), exponent)
            case Name(kind="position"):
                i = factor.joints[0][0]
                if i in self.ranges:
                    low, high = map(Fraction, self.ranges[i])
                    return False, _power((low, high), exponent)
                return True, ALL if exponent % 2 else ONE
            case Name(kind="parameter") | Call(function="sqrt"):
                return True, ONE
            case Call():  # the sine or cosine of an angle that is a symbol
                return False, _power(ALL, exponent)
            case Power(base=Name(kind="parameter") | Call(function="sqrt")):
                return True, ONE
        raise BadArgument(
            "A parameter is divided by a sum, whose sign is not known; give its symbols values."
        )

    def _angle(self, name: Name) -> Interval:
        """Return the range of the sine or cosine of a sum of joint angles."""
        low = high = 0.0
        for joint, multiple in name.joints:
            if joint not in self.ranges:
                return ALL
            ends = sorted(multiple * end for end in self.ranges[joint])
            low, high = low + ends[0], high + ends[1]
        if name.kind == "sine":
            low, high = low - math.pi / 2, high - math.pi / 2
        ends = [constant_sincos(x)[1] for x in (low, high)]
        # a cosine is ±1 at multiples of π that lie between
        turns = range(math.ceil(low / math.pi), math.floor(high / math.pi) + 1)
        ends += [(-1) ** (k % 2) for k in turns]
        return _rounded_down(min(ends)), -_rounded_down(-max(ends))

    # bounds of several

    def total(self, parts: Iterable[Scalar]) -> Polynomial:
        return sum(parts, start=self.zero)

    def exceeds(self, x: Polynomial, y: Polynomial) -> bool:
        """Return whether x ≥ y can be seen: no coefficient of x − y is negative."""
        return all(coefficient >= 0 for _, coefficient in (x - y).terms())

    def largest(self, options: Sequence[Polynomial]) -> tuple[Polynomial, ...]:
        """Return those that may be the largest; what another exceeds is left out."""
        found: list[Polynomial] = []
        for x in options:
            if not any(self.exceeds(y, x) for y in found):
                found = [y for y in found if not self.exceeds(x, y)] + [x]
        return tuple(found)


def _rounded_down(cosine: float) -> Fraction:
    """Return a decimal that is not above a cosine, whatever its own rounding was."""
    if cosine in (-1, 0, 1):  # at multiples of a right angle it is exact
        return Fraction(int(cosine))
    return max(ALL[0], Fraction(math.floor(cosine * DIGITS - 1e-3), DIGITS))


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _power(span: Interval, exponent: int) -> Interval:
    low, high = span[0] ** exponent, span[1] ** exponent
    if exponent % 2:
        return low, high
    least = Fraction(0) if span[0] < 0 < span[1] else min(low, high)
    return least, max(low, high)
