"""A polynomial as terms with readable factors, and these in sums of angles: c1 c2 − s1 s2 is c12.

Where joints have parallel axes, only the sums of their angles have a meaning, and the equations
are shorter in these. The conversion is exact for any joints at all, through exponentials:

    cos q = (z + 1/z) / 2        sin q = (z − 1/z) / 2i        z = e^(iq)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from qddot.equations.nodes import Name, Node, atom_node
from qddot.model.tree import Body, Tree
from qddot.scalars import Scalar
from qddot.scalars.expressions import Expression

if TYPE_CHECKING:
    from qddot.equations.polynomial import Polynomial
    from qddot.equations.ring import Generator, Ring


Monomial: TypeAlias = tuple[tuple[Node, int], ...]  # factors with their exponents
Terms: TypeAlias = dict[Monomial, Fraction]
LETTERS = {"position": "q", "rate": "v", "acceleration": "a", "sign": "d"}


def terms_of(x: Polynomial, most: int | None = None) -> Terms:
    """Return the terms of a polynomial, or some: products of sines and cosines of single joints."""
    factors = factors_of(x.ring)
    return {
        tuple((factors[k], e) for k, e in enumerate(exponents) if e): coefficient
        for exponents, coefficient in x.terms(most)
    }


def polynomial_of(ring: Ring, terms: Terms) -> Any:
    """Return the polynomial, or the number, that some terms add up to."""
    parameters = {atom_node(atom): k for k, atom in enumerate(ring.parameters)}
    result: Any = ring.constant(0)
    for monomial, coefficient in terms.items():
        term: Any = ring.constant(coefficient)
        for factor, exponent in monomial:
            if factor in parameters:
                value = ring.element("p", parameters[factor])
            elif isinstance(factor, Name) and factor.kind in LETTERS:
                value = ring.element(LETTERS[factor.kind], factor.joints[0][0])
            elif isinstance(factor, Name):
                value = _sincos(ring, factor.joints)[factor.kind == "cosine"]
            else:
                raise ValueError(f"{factor} is not of this ring.")
            term = term * value**exponent
        result = result + term
    return result


@lru_cache(maxsize=64)
def factors_of(ring: Ring) -> tuple[Node, ...]:
    """Return what each generator of a ring is in a formula."""
    return tuple(_factor(ring, g) for g in ring.generators)


def _factor(ring: Ring, generator: Generator) -> Node:
    if generator.role == "parameter":
        return atom_node(ring.parameters[generator.index])
    return Name(generator.role, joints=((generator.index, 1),))


def _sincos(ring: Ring, angle: tuple[tuple[int, int], ...]) -> tuple[Any, Any]:
    """Return sine and cosine of a sum of joint angles, multiplied out."""
    s: Any = 0
    c: Any = 1
    for joint, multiple in angle:
        sine, cosine = ring.element("s", joint), ring.element("c", joint)
        sine = sine if multiple > 0 else -sine
        for _ in range(abs(multiple)):
            s, c = s * cosine + c * sine, c * cosine - s * sine
    return s, c


Groups: TypeAlias = tuple[tuple[int, ...], ...]  # joints with parallel axes, counted from 0
Angle: TypeAlias = tuple[tuple[int, int], ...]  # ((0, 1), (1, 2)) is q1 + 2 q2
Powers: TypeAlias = tuple[tuple[int, int, int], ...]  # of joint, cosine and sine
ALIGNED = 1e-5  # right angles in files are rounded, as 1.5708; only the wording depends on this


def parallel_groups(tree: Tree) -> Groups:
    """Return the joints, two or more at a time, whose axes are parallel in every position.

    They follow one another along the tree; joints that slide may stand between them.
    """
    groups: list[list[int]] = []
    carried: dict[int, tuple[list[int], np.ndarray]] = {}  # group of each body, axis in the body
    for i, body in enumerate(tree.bodies):
        group, axis = None, None
        if body.parent in carried:
            group, axis = carried[body.parent]
            axis = body.X_PJ.R.T @ axis
        if has_angle(body):
            own, index = body.columns[0][0], tree.drives[i].index
            if axis is None or group is None or not _parallel(own, axis):
                group, axis = [], own
                groups.append(group)
            if not any(index in other for other in groups):
                group.append(index)
        if group is not None and axis is not None:
            carried[i] = (group, axis)
    return tuple(tuple(sorted(group)) for group in groups if len(group) > 1)


def has_angle(body: Body) -> bool:
    """Return whether a joint's coordinate is an angle to the equations, perhaps among others."""
    return "angle" in body.joint.configuration[0].role


def sums_of_angles(terms: Terms, groups: Iterable[Iterable[int]]) -> Terms:
    """Return terms in which each has at most one sine or cosine of each group of joints."""
    for group in groups:
        terms = _of_one_group(terms, frozenset(group))
    return terms


def _of_one_group(terms: Terms, group: frozenset[int]) -> Terms:
    # Σ (even + i odd) e^(i k·q), with one of each pair k, −k: for a real sum the other follows
    even: dict[tuple[Monomial, Angle], Fraction] = {}
    odd: dict[tuple[Monomial, Angle], Fraction] = {}
    for monomial, coefficient in terms.items():
        rest, powers, sines = _split(monomial, group)
        # i^−b for b sines: 1, −i, −1, i
        sign, parts = ((1, even), (-1, odd), (-1, even), (1, odd))[sines % 4]
        for angle, weight in _exponentials(powers):
            if angle and angle[0][1] < 0:
                continue
            key = (rest, angle)
            parts[key] = parts.get(key, Fraction(0)) + sign * weight * coefficient
    result: Terms = {}
    for (rest, angle), value in even.items():
        factor = ((Name("cosine", joints=angle), 1),) if angle else ()
        result[rest + factor] = result.get(rest + factor, Fraction(0)) + (2 if angle else 1) * value
    for (rest, angle), value in odd.items():
        if angle:
            factor = ((Name("sine", joints=angle), 1),)
            result[rest + factor] = result.get(rest + factor, Fraction(0)) - 2 * value
    return {monomial: value for monomial, value in result.items() if value}


def _split(monomial: Monomial, group: frozenset[int]) -> tuple[Monomial, Powers, int]:
    rest: list = []
    powers: dict[int, list[int]] = {}
    sines = 0
    for factor, exponent in monomial:
        of_group = (
            isinstance(factor, Name)
            and factor.kind in ("sine", "cosine")
            and factor.joints[0][0] in group
        )
        if not of_group or not isinstance(factor, Name):
            rest.append((factor, exponent))
            continue
        pair = powers.setdefault(factor.joints[0][0], [0, 0])
        pair[factor.kind == "sine"] += exponent
        sines += exponent * (factor.kind == "sine")
    return tuple(rest), tuple((j, a, b) for j, (a, b) in sorted(powers.items())), sines


@lru_cache(maxsize=4096)
def _exponentials(powers: Powers) -> tuple[tuple[Angle, Fraction], ...]:
    """Return a product of cosines and sines as exponentials, less the factor i^−b."""
    found: list[tuple[Angle, Fraction]] = [((), Fraction(1))]
    for joint, a, b in powers:
        found = [
            (angle + (((joint, k),) if k else ()), weight * part)
            for angle, weight in found
            for k, part in _one_joint(a, b)
        ]
    return tuple(found)


def _one_joint(a: int, b: int) -> Iterator[tuple[int, Fraction]]:
    """Yield the powers of z, with their weights, in ((z + 1/z)/2)^a ((z − 1/z)/2)^b."""
    weights = {0: Fraction(1)}
    for sign in [1] * a + [-1] * b:
        following: dict[int, Fraction] = {}
        for k, weight in weights.items():
            following[k + 1] = following.get(k + 1, Fraction(0)) + weight / 2
            following[k - 1] = following.get(k - 1, Fraction(0)) + sign * weight / 2
        weights = following
    return ((k, weight) for k, weight in weights.items() if weight)


def _parallel(a: np.ndarray, b: np.ndarray) -> bool:
    return any(all(_is_zero(x) for x in a - sign * b) for sign in (1, -1))


def _is_zero(x: Scalar) -> bool:
    if isinstance(x, Expression) and x.free_symbols:
        return not x
    return abs(float(x)) < ALIGNED if isinstance(x, (Expression, int, float)) else not x
