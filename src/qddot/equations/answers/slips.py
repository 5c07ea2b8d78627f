"""Usual slips: in a derivation, and with letters.

In a derivation a factor 2 of Coriolis, a ½ that is forgotten, a part left out; with letters another
angle, another index, one symbol for another, another sign. Each is another value of a quantity,
made of the quantities of equations that are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import numpy as np

from qddot.equations.answers.bodies import Hypothesis
from qddot.equations.equations import Equations
from qddot.equations.polynomial import Polynomial
from qddot.equations.reading import substituted

HALF = Fraction(1, 2)
MOST_SYMBOLS = 16  # that are tried one for another


def of_the_derivation(quantity: str) -> Iterator[Hypothesis]:
    """Yield the slips in the derivation of a quantity, the likely ones first."""
    for kind, words, parts in SLIPS.get(quantity, ()):
        yield Hypothesis(kind, words, twist=lambda eqs, _, parts=parts: total_of(eqs, parts))
    for kind, words, squares, products, rate in VELOCITY if quantity in ("c", "tau") else ():
        c = {"squares": squares, "products": products, "rate": rate}
        yield Hypothesis(
            kind, words, twist=lambda eqs, name, c=c: eqs.quantity(name) - eqs.c + total_of(eqs, c)
        )


def total_of(eqs: Equations, parts: Mapping[str, Any]) -> Any:
    """Return a sum of parts of equations, each times a factor."""
    terms = ((PARTS.get(name), name, factor) for name, factor in parts.items() if factor)
    return sum((part(eqs) if part else eqs.quantity(name)) * by for part, name, by in terms)


def squares(eqs: Equations) -> Any:
    """Return the part of c with squared velocities, Σ Γ_kii q̇ᵢ²."""
    qd = eqs.robot.qd
    return np.einsum("kii,i->k", eqs.gamma, qd * qd)


def diagonal(eqs: Equations) -> Any:
    return eqs.M * np.eye(eqs.n, dtype=int)


# parts of equations that are no quantities by themselves
PARTS: dict[str, Callable[[Equations], Any]] = {
    "squares": squares,
    "products": lambda e: e.c - squares(e),
    "rate": lambda e: e.M_rate @ e.robot.qd,
    "diagonal": diagonal,
    "inertia": lambda e: e.M @ e.robot.qdd,
    "coupling": lambda e: (e.M - diagonal(e)) @ e.robot.qdd,
    "output last": lambda e: np.transpose(e.gamma, (1, 2, 0)),
    "slopes": lambda e: np.transpose(e.M_slopes, (0, 2, 1)),
    "transposed": lambda e: e.C.T,
}
# kind, words that complete "what one gets if ...", and of how many times the squares and the
# products of velocities and Ṁ q̇ the velocity torque is then the sum
VELOCITY = (
    ("coriolis_factor", "the Coriolis terms q̇ᵢq̇ⱼ lack their factor 2", 1, HALF, 0),
    ("coriolis_factor", "the Coriolis terms q̇ᵢq̇ⱼ are counted twice", 1, 2, 0),
    ("coriolis_sign", "the Coriolis terms q̇ᵢq̇ⱼ have the other sign", 1, -1, 0),
    ("centrifugal_sign", "the centrifugal terms q̇ᵢ² have the other sign", -1, 1, 0),
    ("coriolis_forgotten", "the Coriolis terms q̇ᵢq̇ⱼ are left out", 1, 0, 0),
    ("centrifugal_forgotten", "the centrifugal terms q̇ᵢ² are left out", 0, 1, 0),
    ("velocity_sign", "centrifugal and Coriolis terms have the other sign", -1, -1, 0),
    ("half_forgotten", "the ½ of −½ q̇ᵀ(∂M/∂q)q̇ is forgotten", 2, 2, -1),
    ("slope_forgotten", "−½ q̇ᵀ(∂M/∂q)q̇ is left out, so that c = Ṁ q̇", 0, 0, 1),
    ("rate_forgotten", "Ṁ q̇ is left out, so that c = −½ q̇ᵀ(∂M/∂q)q̇", 1, 1, -1),
    ("half_forgotten", "the ½ of the Christoffel symbols is forgotten", 2, 2, 0),
    ("velocity_forgotten", "centrifugal and Coriolis terms are left out", 0, 0, 0),
)
OFF = "the entries off the diagonal are"
CHRISTOFFEL = "the ½ of the Christoffel symbols is forgotten"
ACTING = "springs and dampers have the other sign"
# kind, words, and of which parts the quantity is then the sum
SLIPS: dict[str, tuple[tuple[str, str, dict[str, Any]], ...]] = {
    "M": (
        ("coupling_factor", f"{OFF} doubled", {"M": 2, "diagonal": -1}),
        ("coupling_factor", f"{OFF} halved", {"M": HALF, "diagonal": HALF}),
        (
            "coupling_sign",
            "the entries off the diagonal have the other sign",
            {"diagonal": 2, "M": -1},
        ),
        ("coupling_forgotten", f"{OFF} left out", {"diagonal": 1}),
        ("half_forgotten", "the ½ of the kinetic energy is forgotten", {"M": 2}),
        ("half_twice", "M is read off as ½ of itself", {"M": HALF}),
    ),
    "K": (
        ("half_forgotten", "the ½ of ½ q̇ᵀM q̇ is forgotten", {"K": 2}),
        ("half_twice", "½ is counted twice", {"K": HALF}),
    ),
    "P": (("gravity_sign", "gravity has the other sign", {"P": -1}),),
    "gamma": (
        ("half_forgotten", CHRISTOFFEL, {"gamma": 2}),
        ("index_order", "the output index stands last, Γ_ijk with c_k", {"output last": 1}),
        ("slope_forgotten", "Γ_kij is taken as ∂M_kj/∂q_i", {"slopes": 1}),
    ),
    "C": (
        ("half_forgotten", CHRISTOFFEL, {"C": 2}),
        ("slope_forgotten", "C is taken as Ṁ", {"M_rate": 1}),
        ("slope_forgotten", "C is taken as ½ Ṁ", {"M_rate": HALF}),
        ("index_order", "rows and columns are exchanged", {"transposed": 1}),
        ("half_twice", "½ is counted twice", {"C": HALF}),
    ),
    "M_rate": (("half_twice", "it is halved", {"M_rate": HALF}),),
    "coriolis": (("coriolis_factor", "the factor 2 of 2Γ_kij is missing", {"coriolis": HALF}),),
    "centrifugal": (("coriolis_factor", "it is doubled", {"centrifugal": 2}),),
    "tau": (
        ("gravity_sign", "gravity has the other sign", {"tau": 1, "g": -2}),
        ("gravity_forgotten", "gravity is left out", {"tau": 1, "g": -1}),
        ("friction_sign", "friction has the other sign", {"tau": 1, "friction": -2}),
        ("springs_sign", ACTING, {"tau": 1, "springs": -2}),
        ("acceleration_sign", "M q̈ has the other sign", {"tau": 1, "inertia": -2}),
        ("coupling_forgotten", "the coupling inertias are left out", {"tau": 1, "coupling": -1}),
    ),
    "friction": (("friction_sign", "friction has the other sign", {"friction": -1}),),
    "springs": (("springs_sign", ACTING, {"springs": -1}),),
}


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
