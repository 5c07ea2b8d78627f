"""Values of polynomials: what the generators of a ring are worth at a state."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from qddot.equations.polynomial import Polynomial
from qddot.equations.ring import Ring
from qddot.errors import BadArgument, NotNumeric, UnknownName
from qddot.expressions import PI, Atom, Expression
from qddot.scalars import Scalar, sincos


def generator_values(
    ring: Ring, robot: str, state: list[Any], values: Mapping[str, float]
) -> list[Scalar]:
    """Return the value of every generator at a state, parameters given by name.

    Args:
        ring: The ring.
        robot: The robot's name, for messages.
        state: Positions, rates and accelerations, each of length n, of any kind of number.
        values: The parameters.
    """
    known = symbols_of(ring)
    for name in values:
        if name not in known:
            raise UnknownName("symbol", name, robot, sorted(known))
    if missing := known - set(values):
        raise NotNumeric(f"Robot {robot!r}", missing)
    q, qd, qdd = state
    for name, x in zip(("q", "qd", "qdd"), state, strict=True):
        if len(x) != ring.n:
            raise BadArgument(f"{name} has {len(x)} entries; it must have {ring.n}.")
    angles = [sincos(x) for x in q]
    by_role = {
        "sine": [s for s, _ in angles],
        "cosine": [c for _, c in angles],
        "position": list(q),
        "rate": list(qd),
        "acceleration": list(qdd),
        "parameter": [_atom_value(atom, values) for atom in ring.parameters],
    }
    return [by_role[g.role][g.index] for g in ring.generators]


def symbols_of(ring: Ring) -> set[str]:
    """Return the names of the symbols that the parameters of a ring are made of."""
    return {name for atom in ring.parameters for name in _symbols(atom)}


def evaluated(x: Scalar, numbers: list[Scalar]) -> Scalar:
    """Return the value of a polynomial where its generators have these values."""
    if not isinstance(x, Polynomial):
        return x
    total: Scalar = 0
    for exponents, coefficient in x.terms():
        term: Scalar = float(coefficient)
        for number, exponent in zip(numbers, exponents, strict=True):
            if exponent:
                term = term * number**exponent
        total = total + term
    return total


def _atom_value(atom: Atom, values: Mapping[str, float]) -> float:
    return float(Expression({((atom, 1),): Fraction(1)}).evaluate(values))


def _symbols(atom: Atom) -> frozenset[str]:
    if atom.function:
        return atom.argument.free_symbols
    return frozenset() if atom == PI else frozenset([atom.name])
