"""Equations as SymPy expressions, and SymPy expressions compared with ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from qddot.equations.answers.balls import FUNCTIONS
from qddot.equations.answers.rounded import float_number
from qddot.equations.answers.vocabulary import E, I
from qddot.equations.equality import difference, witness
from qddot.equations.forms import form
from qddot.equations.nodes import Call, Name, Node, Number, Power, Product, Sum, sign_node
from qddot.equations.polynomial import Polynomial
from qddot.equations.reading import KNOWN, NoPolynomial, PolynomialReader
from qddot.equations.ring import Ring
from qddot.equations.terms import Groups
from qddot.equations.values import symbols_of
from qddot.errors import BadArgument, did_you_mean
from qddot.scalars import Scalar
from qddot.scalars.monomials import PI

JOINT = re.compile(r"(qd?d?)([1-9]\d*)")
ASK = 'Ask SymPy: sympy.simplify(mine - equations.sympy("M")).'
SYMBOLS = {"position": "q", "rate": "qd", "acceleration": "qdd"}
CONSTANTS = {"Pi": Name("parameter", PI.name), "Exp1": E, "ImaginaryUnit": I}
ROLES = {letter: role for role, letter in SYMBOLS.items()}


def from_sympy(x: Any) -> bool:
    """Return whether something comes from SymPy, without importing it."""
    return any(str(kind.__module__).startswith("sympy.") for kind in type(x).__mro__)


def equal_to(x: Scalar, other: Any) -> bool:
    """Return whether a polynomial, or a number, and a SymPy expression are equal.

    It raises BadArgument if the expression is not one of q1, qd1, qdd1, ... and the parameters, or
    no quotient of polynomials in their sines and cosines; or if it is not shown equal, though no
    state is found at which the two differ.
    """
    ring = x.ring if isinstance(x, Polynomial) else None
    node = node_of(other, _named(ring))
    try:
        reader = PolynomialReader(ring or Ring((True,) * _joints(other), []), [node])
        if reader.parts:
            raise NoPolynomial("it has parts of angles", node)
        top, bottom = reader.value(node)
    except NoPolynomial as error:
        raise BadArgument(f"{error}\n  {ASK}") from None
    left = difference(x * bottom, top)
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


def node_of(x: Any, named: Callable[[str], Node]) -> Node:
    """Return the tree of a SymPy expression, given what its symbols mean.

    A coordinate may be a function of time, and its derivatives velocities and accelerations.
    """
    kind = type(x).__name__
    if x.is_Symbol:
        return named(x.name)
    if x.is_Rational:
        return Number(Fraction(int(x.p), int(x.q)))
    if x.is_Float:
        return float_number(x)
    if kind in CONSTANTS:
        return CONSTANTS[kind]
    if x.is_Add:
        return Sum(tuple(node_of(part, named) for part in x.args))
    if x.is_Mul:
        return Product(Fraction(1), tuple(node_of(part, named) for part in x.args))
    if x.is_Pow and x.exp.is_Integer:
        return Power(node_of(x.base, named), int(x.exp))
    if x.is_Pow and x.exp.is_Rational and x.exp.q == 2:
        return Power(Call("sqrt", node_of(x.base, named)), int(x.exp.p))
    if kind.lower() in FUNCTIONS:
        return Call(kind.lower(), node_of(x.args[0], named))
    if kind == "sign" and (found := sign_node(node_of(x.args[0], named))):
        return found
    if moved := _of_time(x, named):
        return moved
    text = str(x)
    raise BadArgument(
        f"{text if len(text) < 60 else f'{text[:57]}...'!r} cannot be compared exactly: {KNOWN}, "
        f"and the sign of a velocity.\n  {ASK}"
    )


def _of_time(x: Any, named: Callable[[str], Node]) -> Node | None:
    """Return q1 for q1(t), its velocity for d q1(t)/dt; None for anything else."""
    order = sum(count for _, count in x.variable_count) if type(x).__name__ == "Derivative" else 0
    function = x.expr if order else x
    arguments = function.args
    if not function.is_Function or len(arguments) != 1 or not getattr(function, "name", ""):
        return None
    if not arguments[0].is_Symbol or not isinstance(order, (int, Integral)) or order > 2:
        return None
    node = named(function.name)
    if not isinstance(node, Name) or node.kind != "position":
        return None
    return Name(tuple(SYMBOLS)[int(order)], joints=node.joints)


def _named(ring: Ring | None) -> Callable[[str], Node]:
    """Return what symbols mean beside the equations of a ring: q1, qd1, qdd1 and parameters."""
    known = symbols_of(ring) if ring else set()

    def named(name: str) -> Node:
        joint = JOINT.fullmatch(name)
        if joint and ring and int(joint[2]) > ring.n:
            raise BadArgument(
                f"The equations have {ring.n} joints: q1, qd1, qdd1 to q{ring.n}, ..."
            )
        if joint:
            return Name(ROLES[joint[1]], joints=((int(joint[2]) - 1, 1),))
        if ring and name not in known:
            near = did_you_mean(name, sorted(known))
            raise BadArgument(
                f"The equations have no symbol {name!r}.{near}\n  They have q1, qd1, qdd1 to "
                f"q{ring.n}, ... and: {', '.join(sorted(known)) or 'no parameters'}."
            )
        return Name("parameter", name)

    return named


def _joints(x: Any) -> int:
    """Return of how many joints a SymPy expression speaks."""
    found = (JOINT.fullmatch(s.name) for s in x.free_symbols)
    return max((int(match[2]) for match in found if match), default=0)


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
        case Name("sign", _, joints):
            return sympy.sign(sympy.Symbol(f"qd{joints[0][0] + 1}"))
        case Name(kind, _, joints):
            angle = sympy.Add(*(multiple * sympy.Symbol(f"q{j + 1}") for j, multiple in joints))
            return sympy.sin(angle) if kind == "sine" else sympy.cos(angle)


def _rational(value: Fraction) -> Any:
    import sympy

    return sympy.Rational(value.numerator, value.denominator)
