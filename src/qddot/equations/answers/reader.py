"""Reading an answer: from text or LaTeX to an array of formulas, in the letters of a robot."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from qddot.equations.answers.rounded import decimal
from qddot.equations.answers.scanning import Scanner, Unreadable
from qddot.equations.answers.vocabulary import E, Vocabulary, reported
from qddot.equations.nodes import Call, Node, Number, Power, Product, power, sign_node, total
from qddot.errors import BadExpression, shorten
from qddot.scalars.monomials import MOST_POWER
from qddot.scalars.reader import FormulaReader

LONGEST = 100_000  # letters
MOST_TOKENS = 40_000
DEEPEST = 40  # parentheses
MOST_FACTORS = 500  # of one product


class BadAnswer(BadExpression):
    """An answer that cannot be read."""

    def __init__(self, text: str, why: str):
        super().__init__(text, why)
        self.args = (f"{shorten(' '.join(text.split()))!r} cannot be read: {why}",)


class AnswerReader(FormulaReader):
    """The grammar of formulas, with products without a sign, matrices, and sin² q1."""

    longest = LONGEST

    def __init__(self, text: str, words: Vocabulary):
        self.words = words
        self.bars = False  # whether |...| is open
        super().__init__(text)

    def split(self, text: str) -> list[tuple[str, Any]]:
        try:
            tokens = Scanner(text, self.words).scan()
        except Unreadable as error:
            raise BadAnswer(text, str(error)) from None
        except RecursionError:
            raise BadAnswer(text, "it is nested too deeply.") from None
        if len(tokens) > MOST_TOKENS:
            raise BadAnswer(text, f"it has more than {MOST_TOKENS} parts.")
        return tokens

    def read(self) -> Any:
        """Return the node, or the array of nodes, that the text is."""
        result = self.sum()
        if self.at < len(self.tokens):
            found = self.said(self.tokens[self.at])
            hint = " Write a vector as [a, b]." if found == "','" else ""
            raise BadAnswer(self.text, f"{found} was not expected there.{hint}")
        return result

    def take(self) -> tuple[str, Any]:
        if self.at == len(self.tokens):
            raise BadAnswer(self.text, "it ends too early." if self.tokens else "it is empty.")
        return super().take()

    def said(self, token: tuple[str, Any]) -> str:
        kind, what = token
        return repr(what) if kind != "name" else repr(reported(what))

    # the grammar

    def times_sign(self) -> str | None:
        if sign := self.accept("*", "/"):
            return sign
        if self.at < len(self.tokens):
            kind, what = self.tokens[self.at]
            if kind != "sign" or what in "([" or (what == "|" and not self.bars):
                return "*"
        return None

    def power(self) -> Any:
        base = self.atom()
        if not self.accept("^"):
            return base
        if base == E:
            return Call("exp", self.factor())
        exponent = self.exponent()
        if self.accept("^"):
            raise BadAnswer(self.text, "a power of a power needs parentheses.")
        return self.raised(base, exponent)

    def exponent(self) -> Fraction:
        """Return a whole number, or a half, that stands as a power."""
        negative = bool(self.accept("-"))
        kind, what = self.take()
        node: Any = None
        if kind == "number":
            node = self.number(what)
        elif what == "(":
            node = self.parenthesised()
        value = constant(node)
        if value is None or abs(value) > MOST_POWER or value.denominator > 2:
            raise BadAnswer(self.text, f"a power must be a whole number of at most {MOST_POWER}.")
        return -value if negative else value

    def atom(self) -> Any:
        if self.accept("["):
            return self.matrix()
        kind, what = self.take()
        if kind == "number":
            return self.number(what)
        if kind == "name":
            return what
        if kind == "call":
            return self.call(what)
        if what == "(":
            return self.parenthesised()
        if what == "|":
            return Call("abs", self.parenthesised("|"))
        raise BadAnswer(self.text, f"{what!r} was not expected there.")

    def call(self, function: str) -> Any:
        """Return sin(x), sin x, sin 2x, sin² x or √x."""
        exponent = self.exponent() if self.accept("^") else Fraction(1)
        if self.accept("("):
            argument = self.parenthesised()
        else:
            argument = self.atom()
            if isinstance(argument, Number) and function != "sqrt" and self.names_next():
                argument = self.times(argument, self.atom())
        if isinstance(argument, np.ndarray):
            raise BadAnswer(self.text, f"{function} of a matrix.")
        if function == "sign":
            found = sign_node(argument)
            if found is None:
                raise BadAnswer(self.text, "sgn is known of a velocity alone: sgn(qd1).")
            return self.raised(found, exponent)
        return self.raised(Call(function, argument), exponent)

    def names_next(self) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at][0] == "name"

    def parenthesised(self, end: str = ")") -> Any:
        """Return what is in parentheses, or between bars; with commas, a vector."""
        self.deeper()
        outside, self.bars = self.bars, end == "|"
        parts = [self.sum()]
        while self.accept(","):
            if self.tokens[self.at : self.at + 1] == [("sign", ")")]:  # Matrix([...],)
                break
            parts.append(self.sum())
        self.depth -= 1
        self.bars = outside
        if not self.accept(end):
            raise BadAnswer(self.text, "a closing parenthesis is missing.")
        return parts[0] if len(parts) == 1 else self.stacked(parts)

    def matrix(self) -> Any:
        """Return what is in brackets: entries with commas, rows with semicolons, or lists."""
        self.deeper()
        rows: list[list[Any]] = [[]]
        while not self.accept("]"):
            if self.accept(";"):
                rows.append([])
            elif not self.accept(","):
                rows[-1].append(self.sum())
                following = self.tokens[self.at : self.at + 1]
                if following not in ([("sign", ",")], [("sign", ";")], [("sign", "]")]):
                    raise BadAnswer(self.text, "a closing bracket is missing.")
            if self.at == len(self.tokens):
                raise BadAnswer(self.text, "a closing bracket is missing.")
        self.depth -= 1
        rows = [row for row in rows if row]
        if not rows:
            raise BadAnswer(self.text, "a matrix is empty.")
        if len(rows) == 1:
            return self.stacked(rows[0])
        return self.stacked([self.stacked(row) for row in rows])

    def stacked(self, parts: list[Any]) -> np.ndarray:
        return stacked(parts, self.text)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise BadAnswer(self.text, f"parentheses are nested deeper than {DEEPEST}.")

    # what is made of it

    def number(self, text: str) -> Node:
        return decimal(text)

    def plus(self, a: Any, b: Any) -> Any:
        if np.shape(a) != np.shape(b):
            raise BadAnswer(self.text, "a sum of a matrix and something of another shape.")
        return by_entry(lambda x, y: total([x, y]), a, b)

    def minus(self, a: Any) -> Any:
        return by_entry(negative, a)

    def inverse(self, a: Any) -> Any:
        return self.raised(a, Fraction(-1))

    def times(self, a: Any, b: Any) -> Any:
        if np.ndim(a) and np.ndim(b):
            if np.shape(a)[-1] != np.shape(b)[0]:
                raise BadAnswer(self.text, "a product of matrices whose shapes do not fit.")
            return matrix_product(a, b)
        return by_entry(self.product_of, a, b)

    def product_of(self, a: Node, b: Node) -> Node:
        left = a.factors if isinstance(a, Product) else (a,)
        if len(left) > MOST_FACTORS:
            raise BadAnswer(self.text, f"a product has more than {MOST_FACTORS} factors.")
        return Product(a.coefficient if isinstance(a, Product) else Fraction(1), (*left, b))

    def raised(self, base: Any, exponent: Fraction) -> Any:
        if isinstance(base, np.ndarray):
            raise BadAnswer(self.text, "a power of a matrix, or a division by one.")
        if exponent.denominator == 2:
            return power(Call("sqrt", base), int(2 * exponent))
        return power(base, int(exponent)) if exponent else Number(Fraction(1))


def stacked(parts: list[Any], text: str) -> np.ndarray:
    """Return formulas, or arrays of them, along a new first axis."""
    shapes = {np.shape(part) for part in parts}
    if len(shapes) > 1:
        raise BadAnswer(text, "the rows of a matrix are not equally long.")
    result = np.empty((len(parts), *shapes.pop()), dtype=object)
    for k, part in enumerate(parts):
        result[k] = part
    return result


def by_entry(change: Any, *arrays: Any) -> Any:
    """Return what a function makes of nodes, entry by entry where there are arrays."""
    if not any(isinstance(x, np.ndarray) for x in arrays):
        return change(*arrays)
    boxed = [x if isinstance(x, np.ndarray) else box(x) for x in arrays]
    return np.frompyfunc(change, len(boxed), 1)(*boxed)


def box(node: Node) -> np.ndarray:
    result = np.empty((), dtype=object)
    result[()] = node
    return result


def matrix_product(a: np.ndarray, b: np.ndarray) -> np.ndarray | Node:
    left = a.reshape(-1, a.shape[-1])
    right = b.reshape(b.shape[0], -1)
    result = np.empty((len(left), right.shape[1]), dtype=object)
    for i, j in np.ndindex(result.shape):
        pairs = zip(left[i], right[:, j], strict=True)
        result[i, j] = total([Product(Fraction(1), pair) for pair in pairs])
    found = result.reshape((*a.shape[:-1], *b.shape[1:]))
    return found if found.ndim else found.item()


def negative(node: Node) -> Node:
    if isinstance(node, Number):
        return replace(node, value=-node.value)
    return Product(Fraction(-1), (node,))


def constant(node: Any) -> Fraction | None:
    """Return the number that a node is, or None."""
    match node:
        case Number(value):
            return value
        case Product(coefficient, factors):
            for factor in factors:
                value = constant(factor)
                if value is None:
                    return None
                coefficient *= value
            return coefficient
        case Power(base, exponent):
            value = constant(base)
            return value**exponent if value and abs(exponent) <= 3 else None
    return None
