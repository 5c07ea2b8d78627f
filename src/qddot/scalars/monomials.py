"""Products of symbols and functions, as an expression has them: how they multiply and read."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from qddot.errors import BadArgument

MOST_POWER = 100


@dataclass(frozen=True)
class Atom:
    """A symbol (function == "") or a function of one expression, whose text is its name."""

    function: str
    name: str
    argument: Any = None

    def __str__(self) -> str:
        return f"{self.function}({self.name})" if self.function else self.name


Monomial: TypeAlias = tuple[tuple[Atom, int], ...]  # sorted by atom, no exponent zero
PI = Atom("", "pi")


def product(a: Monomial, b: Monomial) -> Monomial:
    powers = dict(a)
    for atom, exponent in b:
        powers[atom] = powers.get(atom, 0) + exponent
        if abs(powers[atom]) > MOST_POWER:
            raise BadArgument(f"An expression holds a power of over {MOST_POWER}.")
    return tuple(sorted((item for item in powers.items() if item[1]), key=lambda p: str(p[0])))


def reading_order(item: tuple[Monomial, Fraction]) -> tuple:
    """Constants first, then the shorter products, then the alphabet, then the lower powers."""
    monomial, _ = item
    return len(monomial), [str(atom) for atom, _ in monomial], [e for _, e in monomial]


def term_text(monomial: Monomial, coefficient: Fraction) -> str:
    above = [power(atom, e) for atom, e in monomial if e > 0]
    below = [power(atom, -e) for atom, e in monomial if e < 0]
    if coefficient.numerator != 1 or not above:
        above.insert(0, str(coefficient.numerator))
    if coefficient.denominator != 1:
        below.insert(0, str(coefficient.denominator))
    text = "*".join(above)
    if below:
        text += "/" + (below[0] if len(below) == 1 else f"({'*'.join(below)})")
    return text


def power(atom: Atom, exponent: int) -> str:
    name = f"(1/({atom.name}))" if atom.function == "1/" else str(atom)
    return name if exponent == 1 else f"{name}**{exponent}"
