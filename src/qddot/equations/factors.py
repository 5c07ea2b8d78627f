"""Factors of a polynomial in sines and cosines: a2 a3 s3 (a2 c2 + a3 c23) from its terms.

Where sin² is 1 − cos², a product does not show its factors any more. It does in the half angles
t = sin(q/2), u = cos(q/2), in which everything is homogeneous and factors are unique:

    sin q = 2 t u        cos q = u² − t²        1 = u² + t²

A factor of even degree in each pair (t, u) is one in sines and cosines again; two of odd degree
are one together, as t and u are sin q.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm, prod
from typing import Any

import flint

from qddot.equations.polynomial import Polynomial
from qddot.equations.ring import Ring
from qddot.scalars import Scalar

LARGEST = 99  # of whole coefficients, beyond which decimals are easier to read
LONGEST_TOGETHER = 2000  # terms of polynomials whose common factor is looked for
MOST_TERMS = 20_000  # in half angles, of a polynomial whose factors are looked for


def factorised(x: Scalar) -> list[Scalar]:
    """Return factors whose product is x, the one without angles and coordinates first.

    A polynomial that is too long is its own only factor, behind a 1.
    """
    if not isinstance(x, Polynomial) or not x:
        return [x]
    half = _HalfAngles(x.ring)
    if half.size(x) > MOST_TERMS:
        return [1, x]
    number, found = half.homogeneous(x).factor()
    parts = [half.back(factor) for factor in half.even(found)]
    constant: Any = x.ring.constant(Fraction(int(number.p), int(number.q)))
    factors = []
    for part in parts:
        if _is_fixed(part):
            constant = constant * part
        else:
            size = _content(part)
            constant, part = constant * size, part / size
            factors.append(part)
    ordered = [constant, *sorted(factors, key=lambda f: (len(f), str(f.value)))]
    product: Any = 1
    for factor in ordered:
        product = product * factor
    return ordered if not product - x else [1, x]


def without_common_factor(values: Sequence[Polynomial]) -> list[Polynomial]:
    """Return polynomials of one ring, none of them zero, divided by what all of them share.

    The last one, which is to stand below a line, has mostly positive terms.
    """
    if sum(map(len, values)) > LONGEST_TOGETHER:
        return list(values)
    half = _HalfAngles(values[0].ring)
    if sum(map(half.size, values)) <= MOST_TERMS:
        found = [half.homogeneous(x) for x in values]
        shared = found[0]
        for x in found[1:]:
            shared = shared.gcd(x)
        divisor = half.context.constant(1)
        for factor in half.even(shared.factor()[1], all_of_them=False):
            divisor *= factor
        values = [half.back(x / divisor) for x in found]
    sizes = [abs(_content(x)) for x in values]
    number = Fraction(gcd(*(c.numerator for c in sizes)), lcm(*(c.denominator for c in sizes)))
    number = -number if _content(values[-1]) < 0 else number
    return [x / number for x in values]


class _HalfAngles:
    """The homogeneous polynomials in t and u of each joint that turns, and all the rest."""

    def __init__(self, ring: Ring):
        self.ring = ring
        self.powers: dict[tuple[int, int, int], Any] = {}  # tᵃ uᵇ of a joint, made once
        place = {(g.role, g.index): k for k, g in enumerate(ring.generators)}
        joints = [i for i in range(ring.n) if ring.turns[i]]
        self.trig = {i: (place["sine", i], place["cosine", i]) for i in joints}
        taken = {k for pair in self.trig.values() for k in pair}
        self.rest = [k for k in range(len(ring.generators)) if k not in taken]
        names = [f"{letter}{i}" for i in joints for letter in "tu"]
        names += [f"x{k}" for k in self.rest]
        self.context = flint.fmpq_mpoly_ctx.get(names, "lex")
        self.gens = dict(zip(names, self.context.gens(), strict=True))

    def degrees(self, x: Polynomial) -> dict[int, int]:
        """Return the degree of a polynomial in sine and cosine of each joint that turns."""
        terms = x.terms()
        return {
            i: max((e[s] + e[c] for e, _ in terms), default=0) for i, (s, c) in self.trig.items()
        }

    def size(self, x: Polynomial) -> int:
        """Return how many terms a polynomial may have in half angles."""
        return len(x) * prod(m + 1 for m in self.degrees(x).values())

    def homogeneous(self, x: Polynomial) -> Any:
        """Return x in half angles, of degree 2m in each pair, m its degree in sine and cosine."""
        total, degree = self.context.constant(0), self.degrees(x)
        for exponents, coefficient in x.terms():
            term = self.context.constant(flint.fmpq(*coefficient.as_integer_ratio()))
            for i, (s, c) in self.trig.items():
                t, u = self.gens[f"t{i}"], self.gens[f"u{i}"]
                both = degree[i] - exponents[s] - exponents[c]
                sine, cosine = (2 * t * u) ** exponents[s], (u**2 - t**2) ** exponents[c]
                term *= sine * cosine * (u**2 + t**2) ** both
            for k in self.rest:
                if exponents[k]:
                    term *= self.gens[f"x{k}"] ** exponents[k]
            total += term
        return total

    def even(self, factors: Sequence[tuple[Any, int]], *, all_of_them: bool = True) -> list[Any]:
        """Return factors of even degree in each pair: those that are, and products of two."""
        whole, odd = [], []
        for factor, count in factors:
            kind = odd if any(self.parity(factor)) else whole
            kind += [factor] * count
        pairs = _paired(self, odd)
        return whole + [x for x in pairs if all_of_them or not any(self.parity(x))]

    def parity(self, factor: Any) -> tuple[int, ...]:
        """Return of each joint whether the degree in its half angles is odd."""
        powers = next(iter(factor.monoms()))
        return tuple(
            (int(powers[2 * k]) + int(powers[2 * k + 1])) % 2 for k in range(len(self.trig))
        )

    def back(self, factor: Any) -> Polynomial:
        """Return a factor of even degree in sines and cosines: t² = ½(1 − c), u² = ½(1 + c)."""
        context, size = self.ring.context, len(self.ring.generators)
        total = context.constant(0)
        for powers, coefficient in factor.to_dict().items():
            exponents = [0] * size
            for k, power in zip(self.rest, powers[2 * len(self.trig) :], strict=True):
                exponents[k] = int(power)
            term = context.from_dict({tuple(exponents): coefficient})
            for place, i in enumerate(self.trig):
                term *= self._power(i, int(powers[2 * place]), int(powers[2 * place + 1]))
            total += term
        return Polynomial(self.ring, self.ring.reduced(total))

    def _power(self, i: int, a: int, b: int) -> Any:
        """Return tᵃ uᵇ of joint i, a + b even."""
        if (i, a, b) not in self.powers:
            s, c = (self.ring.element(letter, i).value for letter in "sc")
            odd = s / 2 if a % 2 else self.ring.context.constant(1)
            self.powers[i, a, b] = odd * ((1 - c) / 2) ** (a // 2) * ((1 + c) / 2) ** (b // 2)
        return self.powers[i, a, b]


def _paired(half: _HalfAngles, odd: Sequence[Any]) -> list[Any]:
    """Return products of two factors of odd degree that are even together, the shortest first."""
    left, found = list(odd), []
    while left:
        first = left.pop(0)
        partners = [k for k, other in enumerate(left) if half.parity(other) == half.parity(first)]
        if not partners:
            for other in left:  # all that is left is even together
                first = first * other
            return [*found, first]
        best = min(partners, key=lambda k: len(half.back(first * left[k])))
        found.append(first * left.pop(best))
    return found


def _is_fixed(x: Polynomial) -> bool:
    """Return whether no angle, coordinate or velocity is in a polynomial."""
    generators, degrees = x.ring.generators, x.value.degrees()
    return all(g.role == "parameter" or not d for g, d in zip(generators, degrees, strict=True))


def _content(x: Polynomial) -> Fraction:
    """Return the number that leaves small whole coefficients, or the largest of them as 1.

    Most of what is left is positive.
    """
    numbers = [coefficient for _, coefficient in x.terms()]
    divisor, multiple = gcd(*(c.numerator for c in numbers)), lcm(*(c.denominator for c in numbers))
    size, largest = Fraction(divisor, multiple), max(map(abs, numbers))
    negative = sum(c < 0 for c in numbers)
    sign = -1 if 2 * negative > len(numbers) else 1
    return sign * (size if largest / size <= LARGEST else largest)
