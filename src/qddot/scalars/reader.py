"""Reading numbers and formulas from text, in our own small grammar; nothing is ever executed.

    formula := term (("+" | "-") term)*        term := factor (("*" | "/") factor)*
    factor  := ("+" | "-") factor | power      power := atom (("**" | "^") integer)?
    atom    := number ("deg" | "°")? | name | "(" formula ")"
             | ("sin" | "cos" | "sqrt") "(" formula ")"

`pi` and `deg` (π/180) are known; every other name is a symbol. `30deg`, `30°` and `30*deg` are π/6,
exactly. Numbers are decimal with a point, whatever the locale; there are no digit separators and no
hexadecimal.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

from qddot.errors import BadArgument, BadExpression, shorten
from qddot.scalars.expressions import FUNCTIONS, ONE, PI_EXPRESSION, Expression, expression, symbol
from qddot.scalars.monomials import MOST_POWER

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)(?:(?![\w.])|(?=deg\b))"
    r"|(?P<name>[A-Za-z]\w*)|(?P<sign>\*\*|[-+*/^()°]))",
    re.ASCII,
)
LONGEST = 1000  # characters
DEEPEST = 40  # parentheses
LARGEST_POWER = 12  # of a sum
MOST_WORK = 2000  # products of two terms; more is no parameter of a robot
BLANKS = " \t\r\n"
JOINT_VARIABLE = re.compile(r"(q|qd|qdd|tau)\d+")
CONSTANTS = {"pi": PI_EXPRESSION, "deg": PI_EXPRESSION / 180}
CALLS = {name: FUNCTIONS[name] for name in ("sin", "cos", "sqrt")}


def read_number(text: str) -> float:
    """Return the number that a text is, and nothing but a number.

    Raises:
        BadExpression: For anything else, with the likely cause.
    """
    stripped = text.strip(BLANKS)
    if not is_number(stripped):
        why = _slip(stripped) or "write it in decimal with a point, like -0.25 or 1e-3."
        raise BadExpression(text, why)
    value = float(stripped)
    if not math.isfinite(value):
        raise BadExpression(text, "it is too large for a floating-point number.")
    return value


def read_formula(text: str) -> float | Expression:
    """Return the number or the exact expression that a text is.

    Raises:
        BadExpression: For text outside the grammar, or that grows beyond reason.
    """
    if is_number(text.strip(BLANKS)):
        return read_number(text)
    return FormulaReader(text).read()


def is_number(text: str) -> bool:
    """Return whether a text is a plain decimal number, of any size."""
    return len(text) <= LONGEST and NUMBER.fullmatch(text) is not None


class FormulaReader:
    """A recursive-descent reader over the tokens of one text.

    What it makes of the parts (`plus`, `minus`, `times`, `inverse`, `number`, `named`) is an exact
    expression; a reader of other texts says something else.
    """

    longest = LONGEST

    def __init__(self, text: str):
        self.text = text
        if len(text) > self.longest:
            raise BadExpression(text, f"it is longer than {self.longest} characters.")
        self.tokens: list[tuple[str, str]] = self.split(text)
        self.at = 0
        self.depth = 0
        self.work = 0

    def split(self, text: str) -> list[tuple[str, str]]:
        """Return the kind and the text of every token."""
        tokens: list[tuple[str, str]] = []
        at, end = 0, len(text.rstrip(BLANKS))
        while at < end:
            match = TOKEN.match(text, at)
            if not match:
                raise BadExpression(text, _slip(text.strip(BLANKS)) or _stumble(text[at:]))
            tokens.append((str(match.lastgroup), match[match.lastgroup]))  # type: ignore[index]  # a group always matches
            at = match.end()
        return tokens

    def read(self) -> Any:
        try:
            result = self.sum()
            if not result.free_symbols:
                float(result)
        except BadArgument as error:
            raise BadExpression(self.text, str(error)) from None
        if self.at < len(self.tokens):
            raise BadExpression(self.text, f"{self.tokens[self.at][1]!r} was not expected there.")
        return result

    def accept(self, *signs: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at] in [("sign", s) for s in signs]:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def sum(self) -> Any:
        total = self.product()
        while sign := self.accept("+", "-"):
            term = self.product()
            total = self.plus(total, term if sign == "+" else self.minus(term))
        return total

    def product(self) -> Any:
        result = self.factor()
        while sign := self.times_sign():
            factor = self.factor()
            result = self.times(result, factor if sign == "*" else self.inverse(factor))
        return result

    def times_sign(self) -> str | None:
        return self.accept("*", "/")

    def plus(self, a: Any, b: Any) -> Any:
        return a + b

    def minus(self, a: Any) -> Any:
        return -a

    def inverse(self, a: Any) -> Any:
        return a.reciprocal()

    def times(self, a: Any, b: Any) -> Any:
        self.work += len(a.terms) * len(b.terms)
        if self.work > MOST_WORK:
            raise BadExpression(self.text, "it is too large when it is multiplied out.")
        product = a * b
        self.work += len(product.terms)
        return product

    def factor(self) -> Any:
        negative = False
        while sign := self.accept("+", "-"):
            negative ^= sign == "-"
        result = self.power()
        return self.minus(result) if negative else result

    def power(self) -> Any:
        base = self.atom()
        if not self.accept("**", "^"):
            return base
        if self.accept("-"):
            base = base.reciprocal()
        kind, text = self.take()
        most = LARGEST_POWER if len(base.terms) > 1 else MOST_POWER
        if kind != "number" or not text.isdecimal() or int(text) > most:
            raise BadExpression(self.text, f"a power must be a whole number of at most {most}.")
        result = ONE
        for _ in range(int(text)):
            result = self.times(result, base)
        return result

    def atom(self) -> Any:
        kind, text = self.take()
        if kind == "number":
            value = self.number(text)
            return value * CONSTANTS["deg"] if self.is_in_degrees() else value
        if kind == "name":
            return self.named(text)
        if text == "(":
            return self.parenthesised()
        raise BadExpression(self.text, f"{text!r} was not expected there.")

    def number(self, text: str) -> Any:
        return expression(Fraction(text))

    def is_in_degrees(self) -> bool:
        """Return whether the unit of an angle in degrees stands here; it is taken if so."""
        found = self.tokens[self.at : self.at + 1] in ([("name", "deg")], [("sign", "°")])
        self.at += found
        return found

    def named(self, name: str) -> Any:
        if name in CALLS:
            if not self.accept("("):
                raise BadExpression(self.text, f"{name} needs parentheses: {name}(x).")
            return CALLS[name](self.parenthesised())
        if self.accept("("):
            raise BadExpression(
                self.text, f"{name} is not a function; there are sin, cos and sqrt."
            )
        if name in CONSTANTS:
            return CONSTANTS[name]
        check_symbol(name, self.text)
        return symbol(name)

    def parenthesised(self) -> Any:
        self.depth += 1
        if self.depth > DEEPEST:
            raise BadExpression(self.text, f"parentheses are nested deeper than {DEEPEST}.")
        result = self.sum()
        self.depth -= 1
        if not self.accept(")"):
            raise BadExpression(self.text, "a closing parenthesis is missing.")
        return result

    def take(self) -> tuple[str, str]:
        if self.at == len(self.tokens):
            raise BadExpression(self.text, "it ends too early." if self.tokens else "it is empty.")
        self.at += 1
        return self.tokens[self.at - 1]


def check_symbol(name: str, text: str) -> None:
    """Refuse the names that mean something else."""
    if len(name) > 32:
        raise BadExpression(text, "a symbol's name has at most 32 characters.")
    if name.lower() in ("nan", "inf", "infinity"):
        raise BadExpression(text, "it is not a finite number.")
    if JOINT_VARIABLE.fullmatch(name):
        raise BadExpression(text, f"{name} is a joint variable, so it cannot be a parameter.")


def _slip(text: str) -> str:
    """Return what is wrong with a text that was meant as a number, or nothing."""
    if not text:
        return "it is empty."
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return f"decimal comma; write {text.replace(',', '.')}."
    if re.fullmatch(r"[+-]?[\d.]+(_[\d.]+)+([eE][+-]?\d+)?", text):
        return f"digit separators are not allowed; write {text.replace('_', '')}."
    if re.match(r"[+-]?0[xX]", text):
        return "hexadecimal is not allowed; write it in decimal."
    if re.fullmatch(r"[+-]?(nan|inf|infinity)", text, re.IGNORECASE):
        return "it is not a finite number."
    if re.fullmatch(r"[+-]?[\d.]+[eE][+-]?\d{4,}", text):
        return "its exponent has more than three digits."
    return ""


def _stumble(text: str) -> str:
    """Return why nothing of a formula begins where this text does."""
    text = text.lstrip(BLANKS)
    if product := re.match(r"([\d.]+)([A-Za-z]\w*)", text, re.ASCII):
        return f"a product needs its sign: {product[1]}*{shorten(product[2], 32)}."
    return f"{text[0]!r} is not part of a formula."
