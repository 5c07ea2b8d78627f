"""Equations as SymPy expressions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from qddot.equations.angles import Groups
from qddot.equations.forms import form
from qddot.equations.nodes import Call, Name, Node, Number, Power, Product, Sum
from qddot.expressions import PI

LETTERS = {"position": "q", "rate": "qd", "acceleration": "qdd"}


def as_sympy(x: Any, *, groups: Groups | None = None) -> Any:
    """Return a polynomial or number as an expression, an array as a matrix or a list of them.

    Symbols are q1, qd1, qdd1, ... and the parameters by their names; a vector is a column. The
    names only ever become symbols: no text is evaluated.
    """
    import sympy

    if not isinstance(x, np.ndarray) or not x.ndim:
        return _expression(form(x.item() if isinstance(x, np.ndarray) else x, groups))
    if x.ndim > 2:
        return [as_sympy(block, groups=groups) for block in x]
    rows = x[:, None] if x.ndim == 1 else x
    entries = [as_sympy(entry, groups=groups) for entry in rows.reshape(-1)]
    return sympy.Matrix(*rows.shape, entries)


def _expression(node: Node) -> Any:
    import sympy

    match node:
        case Number(value):
            return _rational(value)
        case Sum(terms):
            return sympy.Add(*map(_expression, terms))
        case Product(coefficient, factors):
            return sympy.Mul(_rational(coefficient), *map(_expression, factors))
        case Power(base, exponent):
            return _expression(base) ** exponent
        case Call(function, argument):
            return getattr(sympy, function)(_expression(argument))
        case Name("parameter", label):
            return sympy.pi if label == PI.name else sympy.Symbol(label)
        case Name(kind, _, joints) if kind in LETTERS:
            return sympy.Symbol(f"{LETTERS[kind]}{joints[0][0] + 1}")
        case Name(kind, _, joints):
            angle = sympy.Add(*(multiple * sympy.Symbol(f"q{j + 1}") for j, multiple in joints))
            return sympy.sin(angle) if kind == "sine" else sympy.cos(angle)


def _rational(value: Fraction) -> Any:
    import sympy

    return sympy.Rational(value.numerator, value.denominator)
