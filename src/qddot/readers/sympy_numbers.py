"""Numbers and formulas of SymPy as ours, taken apart by their structure; nothing is evaluated."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

from qddot.errors import BadArgument, BadExpression
from qddot.scalars import Scalar
from qddot.scalars.expressions import (
    FUNCTIONS,
    Expression,
    expression,
    free_symbols,
    simplest,
    symbol,
)
from qddot.scalars.reader import read_formula

SUPPORTED = "known are + - * /, whole powers, square roots, sin, cos and pi."


def is_sympy(x: Any) -> bool:
    """Return whether something is SymPy's; SymPy itself is not loaded for it."""
    return type(x).__module__.partition(".")[0] == "sympy" and hasattr(x, "is_Symbol")


def from_sympy(x: Any) -> Scalar:
    """Return the number, or the expression in symbols, that a SymPy one is.

    Raises:
        BadExpression: If it holds anything else, such as a tangent.
    """
    try:
        return simplest(expression(_taken_apart(x)))
    except BadArgument as error:
        raise BadExpression(str(x), str(error)) from None


def _taken_apart(x: Any) -> Any:
    kind = type(x).__name__
    if x.is_Symbol:
        return _symbol(x.name)
    if x.is_Rational:
        return expression(Fraction(int(x.p), int(x.q)))
    if x.is_Float:
        return expression(float(x))
    if kind == "Pi":
        return read_formula("pi")
    if kind in ("Add", "Mul"):
        return reduce(add if kind == "Add" else mul, [_taken_apart(part) for part in x.args])
    if kind in ("sin", "cos"):
        return FUNCTIONS[kind](_taken_apart(x.args[0]))
    if kind == "Pow":
        base, exponent = x.args
        whole = 2 * exponent if exponent.is_Rational else None
        if whole is not None and whole.is_Integer:
            base = _taken_apart(base)
            root = FUNCTIONS["sqrt"](base) if int(whole) % 2 else base
            return root ** (int(whole) if int(whole) % 2 else int(exponent))
    raise BadExpression(str(x), SUPPORTED)


def _symbol(name: str) -> Expression:
    """Return a symbol, if a robot file could name it too."""
    try:
        if free_symbols(read_formula(name)) == {name}:
            return symbol(name)
    except BadExpression:
        pass
    raise BadExpression(name, "a symbol's name is letters, digits and _, and not pi or deg.")
