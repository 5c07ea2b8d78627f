"""Whether two polynomials are equal, of one robot or of two, though they are written differently.

A fixed angle without an exact sine stands for itself: cos(3/5), cos(3/10). Such angles may depend
on each other, cos(3/5) = 2 cos²(3/10) − 1, so both polynomials are carried into one ring in which
all of them are whole multiples of common units. Units that no rational numbers relate have sines
and cosines that no polynomial relates (Lindemann–Weierstrass), so there the form is unique again.
Not decided are relations among other multiples of π, roots and quotients, and angles whose common
unit is too small to be meant: "not shown equal".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import flint
import numpy as np

from qddot.equations.polynomial import Polynomial
from qddot.equations.ring import LETTERS, Ring, magnitude
from qddot.equations.values import many_digits, symbols_of, value_at
from qddot.errors import QddotError
from qddot.scalars import Scalar, sincos
from qddot.scalars.exact_functions import exact_sincos
from qddot.scalars.expressions import PI_EXPRESSION, Expression, atomic, expression
from qddot.scalars.monomials import PI

MOST = 40  # multiples of a unit; cos 40x, multiplied out, has twenty terms
STATES = 6  # at which two polynomials are compared that were not shown equal

Angles = dict[Expression, tuple[int, ...]]  # each angle, as multiples of the units


def difference(a: Scalar, b: Scalar) -> Any:
    """Return a − b in a form that is zero if the two can be shown equal."""
    if not isinstance(a, Polynomial) or not isinstance(b, Polynomial):
        return in_units(a - b)
    if a.ring == b.ring:
        return in_units(a - b)
    if a.ring.n != b.ring.n:
        raise ValueError("Polynomials of robots with different numbers of joints.")
    both = Common.of(a.ring, b.ring)
    return both.carried(a) - both.carried(b)


def in_units(x: Scalar) -> Any:
    """Return a polynomial with its fixed angles in common units, if they have any."""
    if not isinstance(x, Polynomial) or not x or len(fixed_angles([x.ring])) < 2:
        return x
    return Common.of(x.ring, x.ring).carried(x)


class Common:
    """A ring that holds two others, with fixed angles in common units."""

    def __init__(self, *rings: Ring):
        self.angles = fixed_angles(rings)
        self.units, self.multiples = common_units([rest for rest, _ in self.angles.values()])
        atoms = {atom for ring in rings for atom in ring.parameters}
        plain = [atomic(atom) for atom in atoms if atom.function not in ("sin", "cos")]
        roots = [x for _, exact in self.angles.values() for x in exact]
        turned = [x for unit in self.units for x in sincos(unit)]
        turns = tuple(any(pair) for pair in zip(*(ring.turns for ring in rings), strict=True))
        signs = frozenset().union(*(ring.signs for ring in rings))
        self.ring = Ring(turns, [*plain, *roots, *turned], signs=signs)

    @staticmethod
    @lru_cache(maxsize=32)
    def of(a: Ring, b: Ring) -> Common:
        return Common(a, b)

    def carried(self, x: Polynomial, bounds: bool = False) -> Polynomial:
        """Return a polynomial of one of the rings, or bounds of coefficients, in this ring."""
        images = [self._image(x.ring, g.role, g.index).value for g in x.ring.generators]
        images = [magnitude(image) for image in images] if bounds else images
        value = x.value.compose(*images, ctx=self.ring.context)
        return Polynomial(self.ring, self.ring.reduced(value, bounds))

    def _image(self, ring: Ring, role: str, index: int) -> Polynomial:
        if role != "parameter":
            return self.ring.element(LETTERS[role], index)
        atom = ring.parameters[index]
        if atom.function in ("sin", "cos"):
            return self._turned(atom.argument)[atom.function == "cos"]
        return self.ring.constant(1) * self.ring.scalar(atomic(atom))

    def _turned(self, angle: Expression) -> tuple[Any, Any]:
        """Return the sine and the cosine of an angle, multiplied out."""
        rest, exact = self.angles[angle]
        sine, cosine = (self.ring.constant(1) * self.ring.scalar(x) for x in exact)
        for unit, multiple in zip(self.units, self.multiples[rest], strict=True):
            s, c = (self.ring.constant(1) * self.ring.scalar(x) for x in sincos(unit))
            s = s if multiple > 0 else -s
            for _ in range(abs(multiple)):
                sine, cosine = sine * c + cosine * s, cosine * c - sine * s
        return sine, cosine


def fixed_angles(rings: Iterable[Ring]) -> dict[Expression, tuple[Expression, Any]]:
    """Return the angles whose sines stand for themselves, each as a rest and a known (sin, cos)."""
    found: dict[Expression, tuple[Expression, Any]] = {}
    for ring in rings:
        for atom in ring.parameters:
            if atom.function in ("sin", "cos"):
                turns = atom.argument.terms.get(((PI, 1),), Fraction(0))
                known = exact_sincos(turns) if turns else None
                taken = PI_EXPRESSION * turns if known else expression(0)
                exact = known or (expression(0), expression(1))
                found[atom.argument] = (atom.argument - taken, exact)
    return found


def common_units(angles: Sequence[Expression]) -> tuple[list[Expression], Angles]:
    """Return units of which the angles are whole multiples, and which multiples.

    The units are a basis of the lattice that the angles span. An angle that would make another
    one a large multiple of its units is a unit of its own.
    """
    kept: list[Expression] = []
    units: list[Expression] = []
    found: Angles = {}
    alone: list[Expression] = []
    for angle in sorted(set(angles), key=lambda x: (len(str(x)), str(x))):
        basis, multiples = _lattice([*kept, angle])
        if max(abs(k) for row in multiples.values() for k in row) <= MOST:
            kept.append(angle)
            units, found = basis, multiples
        else:
            alone.append(angle)
    whole = {angle: (*row, *[0] * len(alone)) for angle, row in found.items()}
    for k, angle in enumerate(alone):
        whole[angle] = tuple(int(j == len(units) + k) for j in range(len(units) + len(alone)))
    return [*units, *alone], whole


def _lattice(angles: Sequence[Expression]) -> tuple[list[Expression], Angles]:
    """Return a basis of all sums of whole multiples of some angles, and the angles in it."""
    monomials = sorted({m for x in angles for m in x.terms}, key=str)
    scale = lcm(*(c.denominator for x in angles for c in x.terms.values()))
    rows = [[int(x.terms.get(m, 0) * scale) for m in monomials] for x in angles]
    basis = [
        [int(entry) for entry in row]
        for row in flint.fmpz_mat(rows).hnf().tolist()  # in echelon form: the pivots show it
        if any(row)
    ]
    found: Angles = {}
    for angle, row in zip(angles, rows, strict=True):
        left, multiples = list(row), []
        for vector in basis:
            pivot = next(k for k, entry in enumerate(vector) if entry)
            multiples.append(left[pivot] // vector[pivot])
            left = [a - multiples[-1] * b for a, b in zip(left, vector, strict=True)]
        found[angle] = tuple(multiples)
    units = [
        Expression({m: Fraction(k, scale) for m, k in zip(monomials, row, strict=True)})
        for row in basis
    ]
    return units, found


def witness(x: Scalar) -> tuple[float, str] | None:
    """Return a value that a polynomial has and that is not zero, and where; None if none is found.

    The value is enclosed by a ball, so that no rounding can have made it.
    """
    n = x.ring.n if isinstance(x, Polynomial) else 0
    symbols = sorted(symbols_of(x.ring)) if isinstance(x, Polynomial) else []
    rng = np.random.default_rng(0)
    for attempt in range(STATES):
        q, qd = ([Fraction(int(k), 100) for k in rng.integers(-200, 200, n)] for _ in range(2))
        steps = [Fraction(1)] * len(symbols) if not attempt else _steps(len(symbols))
        values = dict(zip(symbols, steps, strict=True))
        try:
            with many_digits():
                ball = value_at(x, (q, qd, [Fraction(1)] * n), values)
        except (QddotError, ArithmeticError, ValueError):  # 1/(a − b), where both are 1
            continue
        if ball.is_finite() and not ball.contains(0):
            where = f"q = {[float(k) for k in q]}, q̇ = {[float(k) for k in qd]}"
            if symbols:
                said = ", ".join(f"{name} = {float(k):g}" for name, k in values.items())
                where += ", every parameter 1" if not attempt else f", {said}"
            return float(ball.mid()), where
    return None


def _steps(count: int) -> list[Fraction]:
    """Return values no two of which are equal, nor in a simple ratio."""
    return [1 + Fraction(k * k + 1, 7) for k in range(1, count + 1)]
