"""Usual slips in a derivation: a factor 2 of Coriolis, a ½ that is forgotten, a part left out.

Each is another value of a quantity, made of the quantities of equations that are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from qddot.equations.answers.bodies import Hypothesis
from qddot.equations.equations import Equations

Twist = Callable[[Equations], Any]


def of_the_derivation(quantity: str) -> Iterator[Hypothesis]:
    """Yield the slips in the derivation of a quantity, the likely ones first."""
    for kind, words, value in SLIPS.get(quantity, ()):
        yield Hypothesis(kind, words, twist=lambda eqs, _, value=value: value(eqs))
    for kind, words, c in VELOCITY if quantity in ("c", "tau") else ():
        yield Hypothesis(
            kind,
            words,
            twist=lambda eqs, name, c=c: eqs.quantity(name) - eqs.c + c(eqs),
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
