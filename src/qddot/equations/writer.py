"""What all printed formats share: signs, parentheses and the order of writing."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction

from qddot.equations.forms import Collected
from qddot.equations.nodes import Call, Name, Node, Number, Power, Product, Sum, negated
from qddot.equations.values import symbols_of
from qddot.formulations.notation import NOTATION, Notation
from qddot.scalars import Scalar

EXACT = Context(prec=400)
# denominators that are a fraction to people though there is a short decimal
SHORT = frozenset((*range(2, 13), 16, 32, 64))
LONGEST_INTEGER = 15  # digits
FEWEST, MOST = -4, 6  # powers of ten of the first digit, between which no exponent is written


def trig_letters(names: Iterable[str], notation: Notation = NOTATION) -> tuple[str, str] | None:
    r"""Return what sines and cosines are called in short; None where they are written in full.

    That is where the letter is \sin, and where parameters have these names: one may itself be
    called c1, or c_1, which LaTeX writes alike.
    """
    if notation.sine == r"\sin":
        return None
    names = list(names)
    for sine, cosine in ((notation.sine, notation.cosine), ("s", "c"), ("S", "C")):
        taken = rf"({re.escape(sine)}|{re.escape(cosine)})_?\d+"
        if not any(re.fullmatch(taken, name) for name in names):
            return sine, cosine
    return None


class Writer(ABC):
    """Writes one polynomial's formula; a format says how its letters look.

    The parameters of what is written decide whether cos q1 may be called c1, unless it is to be
    `full`, and whether one half is a fraction or a decimal.
    """

    minus = "-"

    def __init__(
        self,
        x: Scalar | Collected,
        digits: int = 6,
        full: bool = False,
        notation: Notation = NOTATION,
    ):
        ring = getattr(x, "ring", None)  # numbers have none
        letters = trig_letters(symbols_of(ring) if ring else (), notation)
        self.notation = notation
        self.digits = digits
        self.fractions = bool(ring and ring.parameters)
        self.letters = letters or ("s", "c")
        self.full = full or letters is None
        # sums are spelt out once a joint has two digits
        self.many = ring is not None and ring.n > 9

    def write(self, node: Node) -> str:
        """Return the text of a node."""
        match node:
            case Number(value):
                return (self.minus if value < 0 else "") + self.number(abs(value))
            case Product():
                return self.product(node)
            case Sum(terms):
                return self.sum(terms)
            case Power(base, exponent):
                return self.power(base, exponent)
            case Call(function, argument):
                return self.call(function, argument, 1)
            case Name():
                return self.name(node)

    def sum(self, terms: tuple[Node, ...]) -> str:
        text = ""
        for term in terms:
            positive = negated(term)
            if text:
                text += " + " if positive is None else f" {self.minus} "
            elif positive is not None:
                text = self.minus
            text += self.write(term if positive is None else positive)
        return text

    def product(self, node: Product) -> str:
        sign = self.minus if node.coefficient < 0 else ""
        size = abs(node.coefficient)
        parts = [] if size == 1 else [self.number(size)]
        parts += [self.factor(factor) for factor in node.factors]
        return sign + " ".join(parts)

    def factor(self, node: Node) -> str:
        text = self.write(node)
        return self.parenthesised(text) if isinstance(node, Sum) else text

    def power(self, base: Node, exponent: int) -> str:
        if isinstance(base, Call) and base.function != "sqrt":
            return self.call(base.function, base.argument, exponent)
        if isinstance(base, Name) and base.kind in ("sine", "cosine"):
            if not (short := self.short(base)):
                return self.spelt_out(base, exponent)
            return self.raised(short, exponent)
        text = self.write(base)
        plain = isinstance(base, (Name, Call))
        return self.raised(text if plain else self.parenthesised(text), exponent)

    def name(self, node: Name) -> str:
        if node.kind in ("sine", "cosine"):
            return self.short(node) or self.spelt_out(node, 1)
        if node.kind == "sign":
            return self.sign(self.variable(Name("rate", joints=node.joints)))
        if node.kind == "term":
            return self.term(node.label)
        return self.parameter(node.label) if node.kind == "parameter" else self.variable(node)

    def short(self, node: Name) -> str:
        """Return c12 for cos(q1 + q2), or nothing where that would be unclear."""
        plain = all(multiple == 1 for _, multiple in node.joints)
        if self.full or not plain or (self.many and len(node.joints) > 1):
            return ""
        letter = self.letters[node.kind == "cosine"]
        if len(node.joints) > 2 and self.notation.christoffel.startswith(f"{letter}_"):
            return ""  # c_{123} is a Christoffel symbol
        return self.indexed(letter, "".join(str(joint + 1) for joint, _ in node.joints))

    def angle(self, node: Name) -> str:
        """Return q1 + 2 q2."""
        text = ""
        for joint, multiple in node.joints:
            if text:
                text += " + " if multiple > 0 else f" {self.minus} "
            elif multiple < 0:
                text = self.minus
            text += f"{abs(multiple)} " if abs(multiple) > 1 else ""
            text += self.variable(Name("position", joints=((joint, 1),)))
        return text

    def numeral(self, value: Fraction) -> str:
        return numeral(value, self.digits, fractions=self.fractions)

    @abstractmethod
    def number(self, value: Fraction) -> str: ...

    @abstractmethod
    def parameter(self, label: str) -> str: ...

    @abstractmethod
    def term(self, latex: str) -> str: ...

    @abstractmethod
    def variable(self, node: Name) -> str: ...

    @abstractmethod
    def sign(self, velocity: str) -> str: ...

    @abstractmethod
    def indexed(self, letter: str, index: str) -> str: ...

    @abstractmethod
    def raised(self, base: str, exponent: int) -> str: ...

    @abstractmethod
    def call(self, function: str, argument: Node, exponent: int) -> str: ...

    @abstractmethod
    def spelt_out(self, node: Name, exponent: int) -> str: ...

    @abstractmethod
    def parenthesised(self, text: str) -> str: ...


def numeral(value: Fraction, digits: int = 6, *, fractions: bool = False) -> str:
    """Return a number's text: whole, a fraction with "/", or a decimal, with "e" if need be.

    A decimal that is longer than `digits` is rounded to them. One third is a fraction always;
    one half is if `fractions` are wanted, as among symbols, and is 0.5 otherwise. What is rounded
    keeps a point and three digits, 0.120, so that nobody takes it for exact.
    """
    if value.denominator == 1 and len(str(abs(value.numerator))) <= LONGEST_INTEGER:
        return str(value.numerator)
    below = value.denominator
    wanted = (fractions and below in SHORT) if _is_decimal(below) else below <= 999
    if wanted and abs(value.numerator) <= 999:
        return str(value)
    quotient = EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
    whole = Context(prec=digits).create_decimal(quotient)
    rounded, exact = whole.normalize(EXACT), Fraction(whole) == value
    if not exact and len(rounded.as_tuple().digits) < 3:
        rounded = Context(prec=3).create_decimal(whole)
    if not rounded or FEWEST <= rounded.adjusted() < (MOST if exact else min(MOST, digits)):
        text = f"{rounded:f}"
        return text if exact or "." in text else f"{text}."
    mantissa, _, exponent = f"{rounded:e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def _is_decimal(denominator: int) -> bool:
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1
