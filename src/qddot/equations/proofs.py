"""Proofs: what is claimed of a robot's equations, each shown as an exact zero polynomial."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from textwrap import wrap
from typing import Any

import numpy as np

from qddot.dynamics.friction import with_friction_laws
from qddot.dynamics.regressor import parameters, regressor
from qddot.equations.agreement import ENOUGH, STATES, agreeing_digits
from qddot.equations.deriving import FORMULATIONS, check_size, derived, exact_of
from qddot.equations.equality import difference, witness
from qddot.equations.equations import Equations
from qddot.equations.exact_tree import ExactRobot, with_angles_meant
from qddot.equations.polynomial import Polynomial, WorkLimitReached, at_most, partial, until
from qddot.equations.text import width
from qddot.formulations.coriolis import factorisations
from qddot.formulations.formulation import UNSEEN, formulation
from qddot.formulations.virtual_work import KNOWN, read, turning
from qddot.model.friction import Friction
from qddot.plain_text import fitted
from qddot.results import Judged, in_notebook
from qddot.scalars import Scalar

# the Coriolis matrices that have names, and whether Ṁ − 2C is skew on every robot
CORIOLIS = {
    "christoffel": ("C = ½(Ṁ + Uᵀ − U), Christoffel's", True),
    "half_rate_skew": ("C = ½Ṁ + S", True),
    "rate": ("C = Ṁ − ½U", False),
    "transposed": ("C = Uᵀ − ½U", False),
    "newton_euler": ("the C of closed-form Newton–Euler", False),
    "newton_euler_skew": ("the skew C of Newton–Euler", True),
    "newton_euler_christoffel": ("the Christoffel C of Newton–Euler", True),
}

Sides = tuple[Iterable[Scalar], Iterable[Scalar]]
Derived = Callable[[], Equations]  # made when first asked for, within the time of a claim
UNDECIDED = "not decided in the time given"
NO_STATE = "not decided, as no values of the symbols were found at which all numbers are real"
EXACT_TERMS, EXACT_PRODUCTS = 1000, 3e5  # of M, of terms: virtual work takes a second with more
AGREE = "lagrange and {} give the same M, c and g"


@dataclass(frozen=True)
class Claim:
    """A statement about a robot's equations, and whether it is true."""

    statement: str
    holds: bool | None  # None: it could not be decided
    expected: bool | None  # whether it was to hold: some are there to be shown false
    terms: int  # how many terms were compared
    seconds: float
    witness: str = ""  # where it fails, or why it is not decided
    digits: int | None = None  # that agree, where it was compared in numbers only: no proof

    @fitted
    def __str__(self) -> str:
        compared = f"{self.terms} terms" if self.digits is None else f"{STATES} states"
        text = f"{verdict(self):7} {self.statement}  ({compared}, {self.seconds:.2f} s)"
        return f"{text}\n        {self.witness}" if self.witness else text

    _repr_html_ = in_notebook("certificates.claim_html")


@dataclass(frozen=True)
class Proof(Judged):
    """Every claim about a robot. What was compared in numbers only is not proved."""

    robot: str
    claims: tuple[Claim, ...]

    @property
    def holds(self) -> bool | None:
        """Whether every claim came out as it should; None if some are open and none fails."""
        if any(verdict(claim) == "FAILS" for claim in self.claims):
            return False
        return None if self.problems else True

    @property
    def problems(self) -> tuple[str, ...]:
        """The claims that fail and should not, and those that are open."""
        return tuple(str(c) for c in self.claims if verdict(c) in ("open", "FAILS"))

    @property
    def table(self) -> tuple[dict[str, str], ...]:
        """Of each formulation its routes to M, c and g, what it shares, if it equals lagrange."""
        agree = {c.statement.split()[2]: c for c in self.claims if "give the same" in c.statement}
        rows = []
        for name in FORMULATIONS:
            way, claim = formulation(name), agree.get(name)
            more = claim.statement.partition("c and g")[2] if claim else ""
            equal = verdict(claim) if claim else "open" if rows else "–"
            names = {"formulation": name, "M": way.M, "c": way.c, "g": way.g}
            rows.append({**names, "shared": way.shared + more, "equal": equal})
        return tuple(rows)

    @fitted
    def __str__(self) -> str:
        claims = [f"  {claim}" for claim in self.claims]
        return "\n".join([f"{self.robot}: {summary(self)}", "", table_text(self), "", *claims])

    __repr__ = __str__
    _repr_html_ = in_notebook("certificates.proof_html")


def verdict(claim: Claim) -> str:
    """Return what is known: "proved", "FAILS", "false" as it may be, "open", or "78 digits"."""
    if claim.holds is None:
        return "open" if claim.digits is None else f"{claim.digits} digits"
    return "proved" if claim.holds else "FAILS" if claim.expected else "false"


def summary(proof: Proof) -> str:
    """Return how many claims are proved, and how many are known otherwise."""
    count = Counter(verdict(claim).split()[-1] for claim in proof.claims)
    proved = f"{count['proved']} of {len(proof.claims) - count['false']} claims proved"
    others = {"digits": "compared in numbers", "open": "open", "FAILS": "FAIL"}
    return ", ".join([proved, *(f"{count[k]} {x}" for k, x in others.items() if count[k])])


def table_text(proof: Proof) -> str:
    """Return the table of the formulations in columns, and what agreement cannot show."""
    rows = [[*proof.table[0]], *([*row.values()] for row in proof.table)]
    rows[0][-1] += " to lagrange"
    wide = [max(map(width, column)) for column in zip(*rows, strict=True)]
    padded = ([x + " " * (w - width(x)) for x, w in zip(r, wide, strict=True)] for r in rows)
    lines = [*("  ".join(cells).rstrip() for cells in padded), *wrap(UNSEEN, 96)]
    return "\n".join(f"  {line}" for line in lines)


def prove(robot: Any, *, seconds: float | None = None) -> Proof:
    """Return the proof of every property of a robot's equations.

    Each is an equation between polynomials in normal form, and is decided exactly.

    Args:
        robot: A robot or a model.
        seconds: How long it may take; what is not decided by then is open. No limit if None.
    """
    exact = exact_of(robot)
    return Proof(exact.model.name, tuple(claims(exact, seconds)))


def claims(robot: ExactRobot, seconds: float | None = None) -> Iterator[Claim]:
    """Yield the claims one by one, as they are decided; after so many seconds the rest are open."""
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    rest = _claims(robot)
    while True:
        with until(deadline):
            claim = next(rest, None)
        if claim is None:
            return
        yield claim


def _claims(robot: ExactRobot) -> Iterator[Claim]:
    terms = math.inf
    with suppress(WorkLimitReached):
        terms = check_size(robot)

    @cache
    def found() -> Equations:
        return derived(robot, FORMULATIONS[0])

    for name in FORMULATIONS[1:]:
        if name == "virtual_work":
            yield virtual_work(robot, found, terms)
        else:
            sides = lambda k=name: _same(found(), derived(robot, k))  # noqa: E731
            yield decided(AGREE.format(name), sides)
    for group in (structure, passivity, energy, linearity):
        yield from group(robot, found)


def virtual_work(robot: ExactRobot, eqs: Derived, terms: float) -> Claim:
    """Return whether the equations are those of virtual work, which is read from the model alone.

    Exact where that takes less than about a second, by the terms of the mass matrix. Else, and
    where rotors turn by multiples of an angle, at random states.
    """
    statement, started = AGREE.format("virtual_work"), time.monotonic()
    masses = read(with_angles_meant(robot.model)[0])
    if kinds := {joint.kind for joint in robot.model.joints} - {*KNOWN}:
        statement += f"; {', '.join(sorted(kinds))} joints move as their class says"

    def sides() -> Sides:
        mine = eqs()
        with at_most(EXACT_PRODUCTS):
            return _same(mine, derived(robot, "virtual_work"))

    if terms <= EXACT_TERMS and turning(masses) == masses:
        claim = decided(statement, sides)
        if claim.holds is not None:
            return claim
    try:
        digits, where = agreeing_digits(eqs(), masses) or (None, NO_STATE)
    except WorkLimitReached:
        digits, where = None, UNDECIDED
    few, seconds = digits is not None and digits < ENOUGH, time.monotonic() - started
    if digits is None or few:
        return Claim(statement, False if few else None, True, 0, seconds, where)
    return Claim(statement, None, True, 0, seconds, digits=digits)


def structure(robot: ExactRobot, eqs: Derived) -> Iterator[Claim]:
    """Yield what the mass matrix depends on, that it is symmetric, and that c is quadratic."""
    pairs = list(combinations(range(robot.ring.n), 2))
    yield decided(
        "M is symmetric",
        lambda: ([eqs().M[i, j] for i, j in pairs], [eqs().M[j, i] for i, j in pairs]),
    )
    if len({drive.index for drive in robot.tree.drives}) == len(robot.tree.drives):
        yield decided("M_ii depends on later joints only", lambda: _earlier(robot, eqs()))

    def euler() -> Sides:  # homogeneous of degree two: Σ q̇_k ∂c/∂q̇_k = 2 c
        rates = list(enumerate(robot.qd))
        slopes = [sum((v * partial(c, "v", k) for k, v in rates), 0) for c in eqs().c]
        return slopes, 2 * eqs().c

    yield decided("c is a quadratic form in q̇", euler)


def _earlier(robot: ExactRobot, eqs: Equations) -> Sides:
    """Return M_ii of each body, frozen at q = 0 of every joint between the base and it."""
    bodies, drives, whole, frozen = robot.tree.bodies, robot.tree.drives, [], []
    for i, drive in enumerate(drives):
        entry = eqs.M[drive.index, drive.index]
        zeros: dict[str, int] = {}
        ancestor = i
        while ancestor >= 0:
            k = drives[ancestor].index + 1
            zeros |= {f"s{k}": 0, f"c{k}": 1, f"q{k}": 0}
            ancestor = bodies[ancestor].parent
        whole.append(entry)
        frozen.append(at_values(entry, zeros))
    return whole, frozen


def at_values(x: Scalar, values: dict[str, int]) -> Scalar:
    """Return what an entry is where some generators have these values."""
    return Polynomial(x.ring, x.value.subs(values)) if isinstance(x, Polynomial) else x


def passivity(robot: ExactRobot, eqs: Derived) -> Iterator[Claim]:
    """Yield, for every Coriolis matrix, that it is one, and whether Ṁ − 2C is skew."""
    qd = robot.qd

    @cache
    def matrices() -> dict[str, Any]:
        return factorisations(robot.tree, robot.q, qd)

    def doubled(name: str) -> Sides:
        N = eqs().M_rate - 2 * matrices()[name]
        return N.reshape(-1), -N.T.reshape(-1)

    for name, (words, skew) in CORIOLIS.items():
        yield decided(f"C q̇ = c for {words}", lambda k=name: (matrices()[k] @ qd, eqs().c))
        yield decided(
            f"q̇ᵀ(Ṁ − 2C)q̇ = 0 for {words}",
            lambda k=name: ([qd @ eqs().M_rate @ qd], [2 * (qd @ matrices()[k] @ qd)]),
        )
        claim = decided(f"Ṁ − 2C is skew for {words}", lambda k=name: doubled(k))
        # of some it is not claimed, though on a simple robot it may be true
        yield claim if skew else replace(claim, expected=claim.holds)


def energy(robot: ExactRobot, eqs: Derived) -> Iterator[Claim]:
    """Yield that gravity and springs come from a potential, and that power is balanced."""
    qd, qdd = robot.qd, robot.qdd
    still = {f"v{i + 1}": 0 for i in range(robot.ring.n)}

    def slopes() -> Sides:
        found = eqs()
        pull = [g + at_values(k, still) for g, k in zip(found.g, found.springs, strict=True)]
        return [partial(found.P, "q", k) for k in range(found.n)], pull

    def powers() -> Sides:
        found = eqs()
        stored = qd @ found.M @ qdd + qd @ found.M_rate @ qd / 2 + found.g @ qd
        return [stored], [found.derivation.torque(qdd) @ qd]

    yield decided("g and the springs are the slope of P", slopes)
    yield decided("d/dt (K + P) = τ·q̇ without friction", powers)


def linearity(robot: ExactRobot, eqs: Derived) -> Iterator[Claim]:
    """Yield that the torques are linear in the parameters."""

    def regrouped() -> Sides:
        tree = with_friction_laws(robot.tree, lambda law: Friction())
        phi = np.array(list(parameters(tree).values()), dtype=object)
        Y = regressor(tree, robot.q, robot.qd, robot.qdd)
        return Y @ phi, eqs().derivation.torque(robot.qdd)

    yield decided("τ = Y(q, q̇, q̈) φ is linear in the parameters φ", regrouped)


def decided(statement: str, sides: Callable[[], Sides]) -> Claim:
    """Return the claim that two lists of polynomials are equal, one by one."""
    started = time.monotonic()
    holds: bool | None = True
    terms, why = 0, ""
    try:
        left, right = (list(side) for side in sides())
        terms = sum(len(x) if isinstance(x, Polynomial) else bool(x) for x in left)
        pairs = zip(left, right, strict=True)
        wrong = [x for x in (difference(a, b) for a, b in pairs) if x]
        if wrong:
            holds, why = found_witness(wrong[0])
    except WorkLimitReached:
        holds, why = None, UNDECIDED
    return Claim(statement, holds, True, terms, time.monotonic() - started, why)


def found_witness(x: Scalar) -> tuple[bool | None, str]:
    """Return whether a difference is zero whose form is not: not known, or no and where."""
    found = witness(x)
    if found is None:
        return None, "not shown equal, and no state was found at which the two sides differ"
    value, where = found
    return False, f"for instance, the two sides differ by {value:.4g} at {where}"


def _same(a: Equations, b: Equations) -> Sides:
    return [*a.M.reshape(-1), *a.c, *a.g], [*b.M.reshape(-1), *b.c, *b.g]
