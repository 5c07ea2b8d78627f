"""Usual slips: in a derivation, and with letters.

In a derivation a factor 2 of Coriolis, a ½ that is forgotten, a part left out; with letters another
angle, another index, one symbol for another, another sign. Each is another value of a quantity,
made of the quantities of equations that are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import numpy as np

from qddot.equations.answers.bodies import Hypothesis
from qddot.equations.equations import Equations
from qddot.equations.polynomial import Polynomial
from qddot.equations.reading import substituted

Twist = Callable[[Equations], Any]


def of_the_derivation(quantity: str) -> Iterator[Hypothesis]:
    """Yield the slips in the derivation of a quantity, the likely ones first."""
    for kind, words, value in SLIPS.get(quantity, ()):
        yield Hypothesis(kind, words, twist=lambda eqs, _, value=value: value(eqs))
    for kind, words, c in VELOCITY if quantity in ("c", "tau") else ():
        yield Hypothesis(
            kind, words, twist=lambda eqs, name, c=c: eqs.quantity(name) - eqs.c + c(eqs)
        )


def squares(eqs: Equations) -> Any:
    """Return the part of c with squared velocities, Σ Γ_kii q̇ᵢ²."""
    qd = eqs.robot.qd
    return np.einsum("kii,i->k", eqs.gamma, qd * qd)


def crossed(eqs: Equations) -> Any:
    """Return the part of c with products of two velocities."""
    return eqs.c - squares(eqs)


def diagonal(M: Any) -> Any:
    return M * np.eye(len(M), dtype=int)


# kind, words that complete "what one gets if ...", and the velocity torque then
VELOCITY: tuple[tuple[str, str, Twist], ...] = (
    (
        "coriolis_factor",
        "the Coriolis terms q̇ᵢq̇ⱼ lack their factor 2",
        lambda e: squares(e) + crossed(e) / 2,
    ),
    (
        "coriolis_factor",
        "the Coriolis terms q̇ᵢq̇ⱼ are counted twice",
        lambda e: squares(e) + 2 * crossed(e),
    ),
    (
        "coriolis_sign",
        "the Coriolis terms q̇ᵢq̇ⱼ have the other sign",
        lambda e: squares(e) - crossed(e),
    ),
    (
        "centrifugal_sign",
        "the centrifugal terms q̇ᵢ² have the other sign",
        lambda e: crossed(e) - squares(e),
    ),
    ("coriolis_forgotten", "the Coriolis terms q̇ᵢq̇ⱼ are left out", squares),
    ("centrifugal_forgotten", "the centrifugal terms q̇ᵢ² are left out", crossed),
    ("velocity_sign", "centrifugal and Coriolis terms have the other sign", lambda e: -e.c),
    (
        "half_forgotten",
        "the ½ of −½ q̇ᵀ(∂M/∂q)q̇ is forgotten",
        lambda e: 2 * e.c - e.M_rate @ e.robot.qd,
    ),
    (
        "slope_forgotten",
        "−½ q̇ᵀ(∂M/∂q)q̇ is left out, so that c = Ṁ q̇",
        lambda e: e.M_rate @ e.robot.qd,
    ),
    (
        "rate_forgotten",
        "Ṁ q̇ is left out, so that c = −½ q̇ᵀ(∂M/∂q)q̇",
        lambda e: e.c - e.M_rate @ e.robot.qd,
    ),
    ("half_forgotten", "the ½ of the Christoffel symbols is forgotten", lambda e: 2 * e.c),
    ("velocity_forgotten", "centrifugal and Coriolis terms are left out", lambda e: 0 * e.c),
)
SLIPS: dict[str, tuple[tuple[str, str, Twist], ...]] = {
    "M": (
        (
            "coupling_factor",
            "the entries off the diagonal are doubled",
            lambda e: 2 * e.M - diagonal(e.M),
        ),
        (
            "coupling_factor",
            "the entries off the diagonal are halved",
            lambda e: (e.M + diagonal(e.M)) / 2,
        ),
        (
            "coupling_sign",
            "the entries off the diagonal have the other sign",
            lambda e: 2 * diagonal(e.M) - e.M,
        ),
        (
            "coupling_forgotten",
            "the entries off the diagonal are left out",
            lambda e: diagonal(e.M),
        ),
        ("half_forgotten", "the ½ of the kinetic energy is forgotten", lambda e: 2 * e.M),
        ("half_twice", "M is read off as ½ of itself", lambda e: e.M / 2),
    ),
    "K": (
        ("half_forgotten", "the ½ of ½ q̇ᵀM q̇ is forgotten", lambda e: 2 * e.K),
        ("half_twice", "½ is counted twice", lambda e: e.K / 2),
    ),
    "P": (("gravity_sign", "gravity has the other sign", lambda e: -e.P),),
    "gamma": (
        ("half_forgotten", "the ½ of the Christoffel symbols is forgotten", lambda e: 2 * e.gamma),
        (
            "index_order",
            "the output index stands last, Γ_ijk with c_k",
            lambda e: np.transpose(e.gamma, (1, 2, 0)),
        ),
        (
            "slope_forgotten",
            "Γ_kij is taken as ∂M_kj/∂q_i",
            lambda e: np.transpose(e.M_slopes, (0, 2, 1)),
        ),
    ),
    "C": (
        ("half_forgotten", "the ½ of the Christoffel symbols is forgotten", lambda e: 2 * e.C),
        ("slope_forgotten", "C is taken as Ṁ", lambda e: e.M_rate),
        ("slope_forgotten", "C is taken as ½ Ṁ", lambda e: e.M_rate / 2),
        ("index_order", "rows and columns are exchanged", lambda e: e.C.T),
        ("half_twice", "½ is counted twice", lambda e: e.C / 2),
    ),
    "M_rate": (("half_twice", "it is halved", lambda e: e.M_rate / 2),),
    "coriolis": (
        ("coriolis_factor", "the factor 2 of 2Γ_kij is missing", lambda e: e.coriolis / 2),
    ),
    "centrifugal": (("coriolis_factor", "it is doubled", lambda e: 2 * e.centrifugal),),
    "tau": (
        ("gravity_sign", "gravity has the other sign", lambda e: e.tau - 2 * e.g),
        ("gravity_forgotten", "gravity is left out", lambda e: e.tau - e.g),
        ("friction_sign", "friction has the other sign", lambda e: e.tau - 2 * e.friction),
        (
            "springs_sign",
            "springs and dampers have the other sign",
            lambda e: e.tau - 2 * e.springs,
        ),
        ("acceleration_sign", "M q̈ has the other sign", lambda e: e.tau - 2 * e.M @ e.robot.qdd),
        (
            "coupling_forgotten",
            "the coupling inertias are left out",
            lambda e: e.tau - (e.M - diagonal(e.M)) @ e.robot.qdd,
        ),
    ),
    "friction": (("friction_sign", "friction has the other sign", lambda e: -e.friction),),
    "springs": (("springs_sign", "springs and dampers have the other sign", lambda e: -e.springs),),
}


HALF = Fraction(1, 2)
MOST_SYMBOLS = 16  # that are tried one for another


def of_letters(equations: Equations, quantity: str) -> Iterator[Hypothesis]:
    """Yield the slips that any quantity may show: angles, indices, letters, an overall sign."""
    ring, n = equations.robot.ring, equations.n
    square = all(size == n for size in np.shape(equations.quantity(quantity)))
    for group in ring.groups if square else ():
        rest = [f"q{i + 1}" for i in group[1:]]
        words = f"{' and '.join(rest)} counted from the base, and not from the link before"
        yield Hypothesis("absolute_angle", words, twist=_absolute(group, whole=True))
        words = f"sines and cosines take {' and '.join(rest)} as absolute angles"
        yield Hypothesis("absolute_angle", words, twist=_absolute(group, whole=False))
    for i in range(n):
        for turns, said in ((1, "90°"), (-1, "−90°"), (2, "180°")) if ring.turns[i] else ():
            words = f"q{i + 1} counts from a direction turned by {said}"
            yield Hypothesis("zero_angle", words, twist=_shifted(i, turns))
    if quantity not in ("K", "P") and square and 1 < n <= 4:
        for order in list(permutations(range(n)))[1:]:
            words = f"the joints stand in the order {', '.join(str(i + 1) for i in order)}"
            yield Hypothesis("index_order", words, twist=_reordered(order))
    yield Hypothesis("sign", "all of it has the other sign", twist=lambda e, q: -1 * e.quantity(q))
    yield Hypothesis("factor", "all of it is doubled", twist=lambda e, q: 2 * e.quantity(q))
    yield Hypothesis("factor", "all of it is halved", twist=lambda e, q: e.quantity(q) * HALF)
    for i, j in permutations([i for i in range(n) if ring.turns[i]], 2):
        words = f"the angle q{j + 1} is written in place of q{i + 1}"
        yield Hypothesis("wrong_index", words, twist=_other_angle(i, j))
    symbols = [k for k, atom in enumerate(ring.parameters) if not atom.function][:MOST_SYMBOLS]
    for a, b in permutations(symbols, 2):
        words = f"{ring.parameters[b].name} is written in place of {ring.parameters[a].name}"
        yield Hypothesis("wrong_symbol", words, twist=_other_symbol(a, b))


def everywhere(value: Any, images: dict[str, Polynomial]) -> Any:
    """Return an array with generators replaced in every entry."""
    array = np.asarray(value, dtype=object)
    result = np.empty(array.shape, dtype=object)
    for place in np.ndindex(array.shape):
        result[place] = substituted(array[place], images)
    return result if result.ndim else result.item()


def _absolute(group: tuple[int, ...], whole: bool) -> Callable[[Equations, str], Any]:
    """Return the equations in absolute angles φ, q_k = φ_k − φ_k-1; or only their angles so."""

    def twist(eqs: Equations, quantity: str) -> Any:
        ring = eqs.robot.ring
        images: dict[str, Polynomial] = {}
        J = np.eye(eqs.n, dtype=int)
        for before, k in pairwise(group):
            s, c, s0, c0 = (ring.element(x, i) for i in (k, before) for x in "sc")
            images |= {f"s{k + 1}": s * c0 - c * s0, f"c{k + 1}": c * c0 + s * s0}
            J[k, before] = -1
            if whole:
                for letter in "va":
                    moved = ring.element(letter, k) - ring.element(letter, before)
                    images[f"{letter}{k + 1}"] = moved
        value = everywhere(eqs.quantity(quantity), images)
        return along(value, J.T) if whole else value

    return twist


def along(value: Any, J: Any) -> Any:
    """Return a quantity with J on each of its axes: J v, J M Jᵀ, ..."""
    for axis in range(np.ndim(value)):
        value = np.moveaxis(np.tensordot(J, value, axes=(1, axis)), 0, axis)
    return value


def _shifted(i: int, turns: int) -> Callable[[Equations, str], Any]:
    def twist(eqs: Equations, quantity: str) -> Any:
        s, c = (eqs.robot.ring.element(x, i) for x in "sc")
        new = {1: (c, -s), -1: (-c, s), 2: (-s, -c)}[turns]
        return everywhere(eqs.quantity(quantity), {f"s{i + 1}": new[0], f"c{i + 1}": new[1]})

    return twist


def _reordered(order: tuple[int, ...]) -> Callable[[Equations, str], Any]:
    """Return a quantity with its rows and columns in another order, its letters as they are."""

    def twist(eqs: Equations, quantity: str) -> Any:
        return np.asarray(eqs.quantity(quantity))[
            np.ix_(*[order] * np.ndim(eqs.quantity(quantity)))
        ]

    return twist


def _other_angle(i: int, j: int) -> Callable[[Equations, str], Any]:
    def twist(eqs: Equations, quantity: str) -> Any:
        ring = eqs.robot.ring
        images = {f"{x}{i + 1}": ring.element(x, j) for x in "sc"}
        return everywhere(eqs.quantity(quantity), images)

    return twist


def _other_symbol(a: int, b: int) -> Callable[[Equations, str], Any]:
    def twist(eqs: Equations, quantity: str) -> Any:
        return everywhere(eqs.quantity(quantity), {f"p{a + 1}": eqs.robot.ring.element("p", b)})

    return twist
