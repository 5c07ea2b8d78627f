"""Formulas compared at states, in complex balls: no difference that is found is one of rounding.

That is how answers are judged that are no quotients of polynomials, as √(1 − sin² q1), |sin q2| or
e^(i q1). What differs is wrong; what agrees at every state may be right, and is not decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from flint import acb, arb

from qddot.equations.nodes import Call, Name, Node, Number, Power, Product, Sum
from qddot.equations.reading import NoValue, nodes_in
from qddot.equations.values import many_digits, of_fraction
from qddot.scalars.monomials import PI

STATES = 200
# the least and the largest, in thousandths: no root and no sign changes near q = 0
SIZES = {"position": (1, 50), "rate": (1, 2000), "acceleration": (1, 2000)}
PARAMETERS = (500, 3000)
LETTERS = {"position": "q", "rate": "q̇", "acceleration": "q̈"}
DIRECT = ("sin", "cos", "tan", "sec", "csc", "cot", "sqrt", "exp", "log", "asin", "acos", "atan")
FUNCTIONS: dict[str, Callable[[acb], Any]] = {name: getattr(acb, name) for name in DIRECT}
FUNCTIONS["abs"] = abs
LetterValues = Mapping[Name, acb]


def sine(x: acb) -> acb:
    """Return the sine, of a wide ball by its ends and the extreme between them."""
    real = x.real
    if real.is_exact() or real.rad() > 1 or not x.imag.is_zero():
        return x.sin()
    ends = real.lower().sin().union(real.upper().sin())
    return acb(ends.union(real.mid().sin().sgn()) if real.cos().contains(0) else ends)


FUNCTIONS |= {"sin": sine, "cos": lambda x: sine(x + acb.pi() / 2)}


def value_of(node: Node, values: LetterValues) -> acb:
    """Return the value of a formula, given those of its coordinates, velocities and parameters."""
    match node:
        case Number(value, radius):
            return acb(of_fraction(value) + of_fraction(radius) * arb(0, 1))
        case Name("parameter", label) if label == PI.name:
            return acb(arb.pi())
        case Name("sine" | "cosine" as kind, _, joints):
            turns = (values[Name("position", joints=((j, 1),))] * k for j, k in joints)
            angle = sum(turns, acb(0))
            return FUNCTIONS["sin" if kind == "sine" else "cos"](angle)
        case Name("sign", _, joints):
            return acb(values[Name("rate", joints=joints)].real.sgn())
        case Name():
            return values[node]
        case Sum(terms):
            return sum((value_of(term, values) for term in terms), acb(0))
        case Product(coefficient, factors):
            parts = (value_of(factor, values) for factor in factors)
            return prod(parts, start=acb(of_fraction(coefficient)))
        case Power(base, exponent):
            return value_of(base, values) ** exponent
        case Call(function, argument):
            return acb(FUNCTIONS[function](value_of(argument, values)))


def letters_of(*nodes: Node) -> list[Name]:
    """Return the coordinates, velocities and parameters in some formulas."""
    found = set()
    for name in (x for node in nodes for x in nodes_in(node) if isinstance(x, Name)):
        kind = {"sine": "position", "cosine": "position", "sign": "rate"}.get(name.kind, name.kind)
        found |= {Name(kind, name.label, ((joint, 1),)) for joint, _ in name.joints}
        found |= {name} if name.label and name.label != PI.name else set()
    return sorted(found, key=lambda x: ([*SIZES, "parameter"].index(x.kind), x.joints, x.label))


def shown_difference(
    yours: Node, right: Node, but_constants: bool = False
) -> tuple[str, float, float] | None:
    """Return a state at which two formulas differ, in words, and their values; None if none does.

    But for constants, they are compared by what they add to their values at another state.
    """
    letters = letters_of(yours, right)
    rng, tried = np.random.default_rng(0), 0
    with many_digits():
        for _ in range(STATES):
            sizes = [int(rng.integers(*SIZES.get(x.kind, PARAMETERS))) for x in letters]
            signs = [rng.choice((-1, 1)) if x.kind in SIZES else 1 for x in letters]
            state = {
                x: Fraction(int(s) * k, 1000) for x, k, s in zip(letters, sizes, signs, strict=True)
            }
            values = {x: acb(of_fraction(value)) for x, value in state.items()}
            a, b = value_of(yours, values), value_of(right, values)
            left = a - b
            if but_constants:
                still = (x for x in letters if x.kind == "position")
                values |= {x: acb(of_fraction(Fraction(k, 111))) for k, x in enumerate(still, 1)}
                left = left - value_of(yours, values) + value_of(right, values)
            tried += left.is_finite()
            if left.is_finite() and not left.contains(acb(0)):
                words = ", ".join(f"{_said(x)} = {float(value):g}" for x, value in state.items())
                complex_there = "" if a.imag.contains(0) else ", where yours is no real number"
                words = f"at {words or 'q = 0'}{complex_there}"
                return words, float(a.real.mid()), float(b.real.mid())
    if not tried:
        raise NoValue("A formula has no value at any state: it divides by zero.")
    return None


def _said(x: Name) -> str:
    return x.label or f"{LETTERS[x.kind]}{x.joints[0][0] + 1}"
