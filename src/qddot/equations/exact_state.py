"""Exact states: polynomials at positions that are given exactly, and symbols for what acts.

The torques of the joints are the symbols tau1, tau2, ...; the wrench at a frame is nx, ny, nz (its
moment) and fx, fy, fz (its force). They are parameters of a larger ring.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from qddot.equations.exact_tree import ExactRobot
from qddot.equations.polynomial import Polynomial
from qddot.equations.quotient import entrywise
from qddot.equations.ring import LETTERS, Ring
from qddot.equations.values import symbols_of
from qddot.errors import BadArgument, shorten
from qddot.model.arguments import scalars
from qddot.scalars import Scalar, sign, sincos
from qddot.scalars.expressions import PI_EXPRESSION, Expression, atomic, expression
from qddot.scalars.monomials import Atom

MOTION = ("q", "qd", "qdd")
NO_ROLES: Mapping[Atom, str] = {}
SAME: Mapping[str, str] = {}
WRENCH = ("nx", "ny", "nz", "fx", "fy", "fz")


def _joints(letter: str) -> Callable[[int], tuple[str, ...]]:
    return lambda n: tuple(f"{letter}{i + 1}" for i in range(n))


# what quantities are functions of: the names of its entries, for n joints
INPUTS: dict[str, Callable[[int], tuple[str, ...]]] = {
    **{letter: _joints(letter) for letter in (*MOTION, "tau")},
    "wrench": lambda n: WRENCH,
}


def enlarged(ring: Ring, numbers: Iterable[Scalar], roles: Mapping[Atom, str] = NO_ROLES) -> Ring:
    """Return a ring that has the parameters of another and those of some numbers."""
    own = [atomic(atom) for atom in ring.parameters]
    return Ring(ring.turns, [*own, *numbers], ring.groups, {**ring.roles, **roles}, ring.signs)


def enlarged_robot(robot: ExactRobot, numbers: Iterable[Scalar]) -> ExactRobot:
    """Return a robot over a ring that has the parameters of some numbers besides its own."""
    ring = enlarged(robot.ring, numbers)
    if ring == robot.ring:
        return robot
    return replace(robot, ring=ring, tree=robot.tree.map(lambda x: carried(x, ring)))


def carried(x: Any, ring: Ring) -> Any:
    """Return a polynomial, or an array of them, as one of another ring that has all it is of."""
    images: dict[Ring, list[Any]] = {}

    def moved(value: Scalar) -> Scalar:
        if not isinstance(value, Polynomial):
            return value
        if value.ring not in images:
            images[value.ring] = [_same(ring, value.ring, g) for g in value.ring.generators]
        zero = ring.context.constant(0)
        pairs = zip(images[value.ring], value.value.degrees(), strict=True)
        if any(image is None and degree for image, degree in pairs):
            raise ValueError("A polynomial has a parameter that the ring lacks.")
        places = [zero if image is None else image for image in images[value.ring]]
        return Polynomial(ring, value.value.compose(*places, ctx=ring.context))

    return entrywise(x, moved)


def _same(ring: Ring, other: Ring, generator: Any) -> Any:
    """Return what a generator of another ring is in a ring; None for a parameter it lacks."""
    if generator.role != "parameter":
        return ring.element(LETTERS[generator.role], generator.index).value
    atom = other.parameters[generator.index]
    known = atom in ring.parameters
    return ring.element("p", ring.parameters.index(atom)).value if known else None


def acting(ring: Ring, kind: str) -> np.ndarray:
    """Return the symbols of torques ("tau") or of a wrench ("wrench"), in a ring of their own.

    It raises BadArgument if a parameter of the robot has one of the names.
    """
    names = INPUTS[kind](ring.n)
    if taken := sorted(set(names) & symbols_of(ring)):
        raise BadArgument(
            f"The robot has a parameter {taken[0]!r}, and a {kind} would have a symbol of that "
            "name.\n  Give the parameter another name, or a value: "
            f"eqs.with_values({taken[0]}=1.0)."
        )
    atoms = [Atom("", name) for name in names]
    larger = enlarged(ring, map(atomic, atoms), dict.fromkeys(atoms, "linear"))
    found = np.empty(len(names), dtype=object)
    found[:] = [larger.element("p", larger.parameters.index(atom)) for atom in atoms]
    return found


def at_state(x: Any, ring: Ring, names: Mapping[str, str] = SAME, **state: Any) -> Any:
    """Return polynomials where q, qd or qdd are given exactly; what is not given stays a symbol.

    The state is q, qd and qdd: n numbers each, or formulas as "pi/2".
    """
    exact = {
        kind: [expression(value) for value in scalars(names.get(kind, kind), given, ring.n)]
        for kind, given in state.items()
        if given is not None
    }
    if "q" in exact:
        pairs = zip(exact["q"], ring.turns, strict=True)
        exact["q"] = [exact_angle(value) if turns else value for value, turns in pairs]
    turned = [pair for angle in exact.get("q", ()) for pair in sincos(angle)]
    larger = enlarged(ring, [*turned, *(value for part in exact.values() for value in part)])
    letters = {"position": "q", "rate": "qd", "acceleration": "qdd"}
    trig = {"sine": 0, "cosine": 1}

    def image(generator: Any) -> Any:
        role, index = generator.role, generator.index
        if role in trig and "q" in exact:
            return _element(larger, turned[2 * index + trig[role]])
        if role in letters and letters[role] in exact:
            return _element(larger, exact[letters[role]][index])
        if role == "sign" and "qd" in exact:
            return _element(larger, _sign(exact["qd"][index], names.get("qd", "qd")))
        return _same(larger, ring, generator)

    images = [image(generator) for generator in ring.generators]

    def placed(value: Scalar) -> Scalar:
        if not isinstance(value, Polynomial):
            return value
        composed = value.value.compose(*images, ctx=larger.context)
        return Polynomial(larger, larger.reduced(composed))

    return entrywise(x, placed)


def exact_angle(x: Expression) -> Expression:
    """Return the multiple of 15° or 18° that a float with all its digits stands for, or x."""
    if not x.free_symbols and set(x.terms) <= {()}:
        for step in (Fraction(1, 12), Fraction(1, 10)):
            turns = round(float(x) / (math.pi * step)) * step
            if turns and abs(float(x) - float(turns) * math.pi) <= 1e-15 * abs(float(x)):
                return PI_EXPRESSION * turns
    return x


def _sign(x: Expression, name: str) -> Expression:
    if x.free_symbols:
        raise BadArgument(
            f"{name} holds {shorten(str(x))!r}: dry friction has its sign, which a symbol has not."
            "\n  Give a number, or leave dry friction out: robot.with_friction(coulomb=0)."
        )
    return expression(int(sign(float(x))))


def _element(ring: Ring, x: Expression) -> Any:
    return (ring.constant(1) * ring.scalar(x) + ring.constant(0)).value
