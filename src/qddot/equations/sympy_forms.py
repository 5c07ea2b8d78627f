"""Equations as SymPy expressions, and SymPy expressions compared with ours."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np

from qddot.equations.angles import Groups
from qddot.equations.equality import difference, witness
from qddot.equations.forms import form
from qddot.equations.nodes import Call, Name, Node, Number, Power, Product, Sum
from qddot.equations.polynomial import Polynomial
from qddot.equations.ring import Ring
from qddot.equations.values import symbols_of
from qddot.errors import BadArgument, did_you_mean
from qddot.scalars import Scalar, sincos, sqrt
from qddot.scalars.expressions import PI_EXPRESSION, Expression, expression, symbol
from qddot.scalars.monomials import PI

GENERATORS = {"q": "q", "qd": "v", "qdd": "a"}
JOINT = re.compile(r"(qd?d?)([1-9]\d*)")
ASK = 'Ask SymPy: sympy.simplify(mine - equations.sympy("M")).'
SYMBOLS = {"position": "q", "rate": "qd", "acceleration": "qdd"}


def from_sympy(x: Any) -> bool:
    """Return whether something comes from SymPy, without importing it."""
    return any(str(kind.__module__).startswith("sympy.") for kind in type(x).__mro__)


def equal_to(x: Scalar, other: Any) -> bool:
    """Return whether a polynomial, or a number, and a SymPy expression are equal.

    Raises:
        BadArgument: If the expression is not one of q1, qd1, qdd1, ... and the parameters, or no
            polynomial in their sines and cosines; or if it is not shown equal, though no state is
            found at which the two differ.
    """
    left = difference(x, _Reading(x, other).value(other))
    if left and witness(left) is None:
        raise BadArgument(f"Whether the two are equal could not be decided exactly.\n  {ASK}")
    return not left


def entries(other: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return a SymPy matrix, expression or list of them as an array of a shape."""
    if isinstance(other, (list, tuple)):
        return np.stack([entries(each, shape[1:]) for each in other])
    rows = np.array(other.tolist() if hasattr(other, "tolist") else other, dtype=object)
    if len(shape) == 1 and rows.shape == (*shape, 1):
        rows = rows[:, 0]  # a vector is a column there
    if rows.ndim and rows.shape != shape:
        raise BadArgument(f"A matrix of shape {rows.shape} is compared with one of {shape}.")
    return np.broadcast_to(rows, shape)


class _Reading:
    """An expression and the ring that it is read into: x's own, with what it has besides."""

    def __init__(self, x: Scalar, other: Any):
        import sympy

        self.sympy = sympy
        ring = x.ring if isinstance(x, Polynomial) else None
        joints = {s: JOINT.fullmatch(s.name) for s in other.free_symbols}
        self.joints = {s: (GENERATORS[m[1]], int(m[2]) - 1) for s, m in joints.items() if m}
        n = ring.n if ring else 1 + max((k for _, k in self.joints.values()), default=-1)
        known = symbols_of(ring) if ring else set()
        for s in sorted(other.free_symbols - self.joints.keys(), key=str):
            if ring and s.name not in known:
                near = did_you_mean(s.name, sorted(known))
                raise BadArgument(
                    f"The equations have no symbol {s.name!r}.{near}\n  They have q1, qd1, qdd1 to "
                    f"q{n}, ... and: {', '.join(sorted(known)) or 'no parameters'}."
                )
        if any(k >= n for _, k in self.joints.values()):
            raise BadArgument(f"The equations have {n} joints: q1, qd1, qdd1 to q{n}, ...")
        self.roots = [a for a in ring.parameters if a.function == "sqrt"] if ring else []
        turns = ring.turns if ring else (True,) * n
        own = [Expression({((a, 1),): Fraction(1)}) for a in ring.parameters] if ring else []
        self.ring = Ring(turns, [*own, *self._numbers(other)])

    def _numbers(self, x: Any) -> list[Expression]:
        """Return the parts of an expression that no joint is in."""
        if not x.free_symbols & self.joints.keys():
            return [self._number(x)]
        if x.func in (self.sympy.sin, self.sympy.cos):
            return list(sincos(self._angle(x.args[0])[1]))
        return [number for part in x.args for number in self._numbers(part)]

    def value(self, x: Any) -> Any:
        """Return the polynomial."""
        if not x.free_symbols & self.joints.keys():
            return self.ring.constant(1) * self.ring.scalar(self._number(x))
        if x in self.joints:
            return self.ring.element(*self.joints[x])
        if x.is_Add:
            return sum((self.value(part) for part in x.args), self.ring.constant(0))
        if x.is_Mul:
            product = self.ring.constant(1)
            for part in x.args:
                product = product * self.value(part)
            return product
        if x.is_Pow and x.exp.is_Integer and x.exp > 0:
            return self.value(x.base) ** int(x.exp)
        if x.func in (self.sympy.sin, self.sympy.cos):
            multiples, rest = self._angle(x.args[0])
            sine, cosine = (self.ring.constant(1) * self.ring.scalar(part) for part in sincos(rest))
            for joint, multiple in multiples:
                s, c = self.ring.element("s", joint), self.ring.element("c", joint)
                s = s if multiple > 0 else -s
                for _ in range(abs(multiple)):
                    sine, cosine = sine * c + cosine * s, cosine * c - sine * s
            return sine if x.func is self.sympy.sin else cosine
        raise self._refused(x)

    def _angle(self, x: Any) -> tuple[list[tuple[int, int]], Expression]:
        """Return an angle as whole multiples of joint angles, and what is left."""
        rest, multiples = self.sympy.expand(x), []
        for s, (letter, index) in self.joints.items():
            multiple = rest.coeff(s)
            if multiple == 0:
                continue
            rest = self.sympy.expand(rest - multiple * s)
            if letter != "q" or not multiple.is_Integer:
                raise self._refused(x)
            multiples.append((index, int(multiple)))
        if rest.free_symbols & self.joints.keys():
            raise self._refused(x)
        return multiples, self._number(rest)

    def _number(self, x: Any) -> Expression:
        """Return an expression of parameters alone."""
        if x.is_Symbol:
            return symbol(x.name)
        if x.is_Rational:
            return expression(Fraction(int(x.p), int(x.q)))
        if x.is_Float:
            return expression(float(x))
        if x is self.sympy.pi:
            return PI_EXPRESSION
        if x.is_Add or x.is_Mul:
            parts = [self._number(part) for part in x.args]
            total = parts[0]
            for part in parts[1:]:
                total = total + part if x.is_Add else total * part
            return total
        if x.is_Pow and x.exp.is_Integer:
            return self._number(x.base) ** int(x.exp)
        if x.is_Pow and x.exp.is_Rational and x.exp.q == 2:
            return self._root(self._number(x.base)) ** int(x.exp.p)
        if x.func in (self.sympy.sin, self.sympy.cos):
            return sincos(self._number(x.args[0]))[x.func is self.sympy.cos]
        raise self._refused(x)

    def _root(self, x: Expression) -> Expression:
        """Return √x by the roots of the equations, or √6 as √2 √3, as angles of 15° have it."""
        for atom in self.roots:
            monomial, known = next(iter(atom.argument.terms.items()))
            part = sqrt(expression(abs(x.terms.get(monomial, Fraction(0)) / known)))
            if set(part.terms) == {()} and x == atom.argument * part**2:
                return part * sqrt(atom.argument)
        if set(x.terms) != {()}:
            return sqrt(x)
        value, result = x.terms[()], expression(1)
        for prime, exponent in self.sympy.factorint(value.numerator * value.denominator).items():
            result = result * sqrt(expression(int(prime))) ** int(exponent)
        return result / value.denominator

    def _refused(self, x: Any) -> BadArgument:
        text = str(x)
        text = text if len(text) < 60 else f"{text[:57]}..."
        return BadArgument(
            f"{text!r} is no polynomial in q1, qd1, qdd1, ..., their sines and cosines and the "
            "parameters, so it cannot be compared exactly.\n  Write q1, qd1 and qdd1 as symbols, "
            f"not as functions of time, and multiply quotients out.\n  {ASK}"
        )


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
        case Name(kind, _, joints) if kind in SYMBOLS:
            return sympy.Symbol(f"{SYMBOLS[kind]}{joints[0][0] + 1}")
        case Name(kind, _, joints):
            angle = sympy.Add(*(multiple * sympy.Symbol(f"q{j + 1}") for j, multiple in joints))
            return sympy.sin(angle) if kind == "sine" else sympy.cos(angle)


def _rational(value: Fraction) -> Any:
    import sympy

    return sympy.Rational(value.numerator, value.denominator)
