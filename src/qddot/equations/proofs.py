"""Proofs: what is claimed of a robot's equations, each shown as an exact zero polynomial."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from qddot.dynamics.regressor import parameters, regressor
from qddot.equations.derive import FORMULATIONS, derived, exact_of
from qddot.equations.equations import Equations
from qddot.equations.exact_tree import ExactRobot
from qddot.equations.polynomial import Polynomial, partial
from qddot.equations.size import check_size
from qddot.equations.values import evaluated, generator_values, symbols_of
from qddot.formulations.coriolis import factorisations
from qddot.model.joint import Friction
from qddot.scalars import Scalar
from qddot.web.notebook import rich, rows, shown
from qddot.web.page import bullets, paragraph

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


@dataclass(frozen=True)
class Claim:
    """A statement about a robot's equations, and whether it is true."""

    statement: str
    holds: bool
    expected: bool  # whether it was to hold: some are there to be shown false
    terms: int  # how many terms were compared
    seconds: float
    witness: str = ""  # where it fails

    def __str__(self) -> str:
        mark = "proved" if self.holds else "FAILS" if self.expected else "false"
        text = f"{mark:7} {self.statement}  ({self.terms} terms, {self.seconds:.2f} s)"
        return f"{text}\n        {self.witness}" if self.witness else text

    @rich
    def _repr_html_(self) -> str | None:
        return shown(self.statement, *_listed((self,)))


@dataclass(frozen=True)
class Proof:
    """Every claim about a robot."""

    robot: str
    claims: tuple[Claim, ...]

    @property
    def holds(self) -> bool:
        """Whether every claim came out as it should."""
        return all(claim.holds == claim.expected for claim in self.claims)

    def __str__(self) -> str:
        return "\n".join([f"{self.robot}:", *(f"  {claim}" for claim in self.claims)])

    __repr__ = __str__

    @rich
    def _repr_html_(self) -> str | None:
        proved = sum(claim.holds for claim in self.claims)
        terms = sum(claim.terms for claim in self.claims)
        said = f"{proved} of {len(self.claims)} statements proved, {terms:,} terms compared exactly"
        return shown(f"Proofs for {self.robot}", paragraph(said), *_listed(self.claims))


def _listed(claims: Sequence[Claim]) -> list[str]:
    """Return claims for a notebook; what fails, and should not, stands out."""
    verdicts = {True: "proved", False: "false"}
    lines = [(c.statement, verdicts[c.holds], f"{c.terms:,}", f"{c.seconds:.2f}") for c in claims]
    wrong = {k for k, claim in enumerate(claims) if claim.holds != claim.expected}
    table = rows(["statement", "", "terms", "time [s]"], lines, bad=wrong)
    fails = [f"{claim.statement}: {claim.witness}" for claim in claims if claim.witness]
    return [table, *([bullets(fails)] if fails else [])]


def prove(robot: Any) -> Proof:
    """Return the proof of every property of a robot's equations.

    Each is an equation between polynomials in normal form, and is decided exactly.
    """
    exact = exact_of(robot)
    return Proof(exact.model.name, tuple(claims(exact)))


def claims(robot: ExactRobot) -> Iterator[Claim]:
    """Yield the claims one by one, as they are decided."""
    check_size(robot)
    found: dict[str, Equations] = {}
    for name in FORMULATIONS:
        started = time.monotonic()
        found[name] = derived(robot, name)
        for other in list(found)[:-1]:
            statement = f"{other} and {name} give the same M, c and g"
            yield decided(robot, statement, _same(found[other], found[name]), started)
            started = time.monotonic()
    eqs = found[FORMULATIONS[0]]
    yield from structure(robot, eqs)
    yield from passivity(robot, eqs)
    yield from energy(robot, eqs)
    yield from linearity(robot, eqs)


def structure(robot: ExactRobot, eqs: Equations) -> Iterator[Claim]:
    """Yield what the mass matrix depends on, that it is symmetric, and that c is quadratic."""
    pairs = list(combinations(range(eqs.n), 2))
    yield decided(
        robot,
        "M is symmetric",
        lambda: ([eqs.M[i, j] for i, j in pairs], [eqs.M[j, i] for i, j in pairs]),
    )
    bodies = robot.tree.bodies
    if len({body.index for body in bodies}) == len(bodies):
        yield decided(robot, "M_ii depends on later joints only", lambda: _earlier(robot, eqs))

    def euler() -> Sides:
        # a quadratic form is homogeneous of degree two: Σ q̇_k ∂c/∂q̇_k = 2 c
        rates = list(enumerate(robot.qd))
        slopes = [sum((v * partial(c, "v", k) for k, v in rates), 0) for c in eqs.c]
        return slopes, 2 * eqs.c

    yield decided(robot, "c is a quadratic form in q̇", euler)


def _earlier(robot: ExactRobot, eqs: Equations) -> Sides:
    """Return M_ii of each body, frozen at q = 0 of every joint between the base and it."""
    bodies, ring = robot.tree.bodies, robot.ring
    whole, frozen = [], []
    for i, body in enumerate(bodies):
        entry = eqs.M[body.index, body.index]
        zeros: dict[str, int] = {}
        ancestor = i
        while ancestor >= 0:
            k = bodies[ancestor].index + 1
            zeros |= {f"s{k}": 0, f"c{k}": 1, f"q{k}": 0}
            ancestor = bodies[ancestor].parent
        whole.append(entry)
        is_polynomial = isinstance(entry, Polynomial)
        frozen.append(Polynomial(ring, entry.value.subs(zeros)) if is_polynomial else entry)
    return whole, frozen


def passivity(robot: ExactRobot, eqs: Equations) -> Iterator[Claim]:
    """Yield, for every Coriolis matrix, that it is one, and whether Ṁ − 2C is skew."""
    qd = robot.qd
    for name, C in factorisations(robot.tree, robot.q, qd).items():
        words, skew = CORIOLIS[name]
        N = eqs.M_rate - 2 * C
        power = qd @ eqs.M_rate @ qd
        yield decided(robot, f"C q̇ = c for {words}", lambda C=C: (C @ qd, eqs.c))
        yield decided(
            robot,
            f"q̇ᵀ(Ṁ − 2C)q̇ = 0 for {words}",
            lambda C=C, power=power: ([power], [2 * (qd @ C @ qd)]),
        )
        claim = decided(
            robot,
            f"Ṁ − 2C is skew for {words}",
            lambda N=N: (N.reshape(-1), -N.T.reshape(-1)),
        )
        # of some it is not claimed, though on a simple robot it may be true
        yield claim if skew else replace(claim, expected=claim.holds)


def energy(robot: ExactRobot, eqs: Equations) -> Iterator[Claim]:
    """Yield that gravity and springs come from a potential, and that power is balanced."""
    qd, qdd = robot.qd, robot.qdd
    still = {f"v{i + 1}": 0 for i in range(eqs.n)}

    def at_rest(x: Scalar) -> Scalar:
        return Polynomial(robot.ring, x.value.subs(still)) if isinstance(x, Polynomial) else x

    yield decided(
        robot,
        "g and the springs are the slope of P",
        lambda: (
            [partial(eqs.P, "q", k) for k in range(eqs.n)],
            [g + at_rest(k) for g, k in zip(eqs.g, eqs.springs, strict=True)],
        ),
    )
    yield decided(
        robot,
        "d/dt (K + P) = τ·q̇ without friction",
        lambda: (
            [qd @ eqs.M @ qdd + qd @ eqs.M_rate @ qd / 2 + eqs.g @ qd],
            [eqs.derivation.torque(qdd) @ qd],
        ),
    )


def linearity(robot: ExactRobot, eqs: Equations) -> Iterator[Claim]:
    """Yield that the torques are linear in the parameters."""

    def regrouped() -> Sides:
        tree = replace(robot.tree, friction=(Friction(),) * eqs.n)
        phi = np.array(list(parameters(tree).values()), dtype=object)
        Y = regressor(tree, robot.q, robot.qd, robot.qdd)
        return Y @ phi, eqs.derivation.torque(robot.qdd)

    yield decided(robot, "τ = Y(q, q̇, q̈) φ is linear in the parameters φ", regrouped)


def decided(
    robot: ExactRobot, statement: str, sides: Callable[[], Sides], started: float | None = None
) -> Claim:
    """Return the claim that two lists of polynomials are equal, one by one."""
    started = time.monotonic() if started is None else started
    left, right = (list(side) for side in sides())
    differences = [a - b for a, b in zip(left, right, strict=True)]
    wrong = [x for x in differences if x]
    terms = sum(len(x) if isinstance(x, Polynomial) else bool(x) for x in left)
    witness = found_witness(robot, wrong[0]) if wrong else ""
    return Claim(statement, not wrong, True, terms, time.monotonic() - started, witness)


def found_witness(robot: ExactRobot, x: Scalar) -> str:
    """Return a state at which a polynomial is not zero, in words."""
    rng = np.random.default_rng(0)
    ring = robot.ring
    ones = dict.fromkeys(symbols_of(ring), 1.0)
    for _ in range(20):
        q, qd = rng.uniform(-2, 2, size=(2, ring.n)).round(2)
        try:
            numbers = generator_values(ring, robot.model.name, [q, qd, np.ones(ring.n)], ones)
        except (ArithmeticError, ValueError):  # 1/(a − b), where both are 1
            break
        value = evaluated(x, numbers)
        if abs(value) > 1e-9:
            rest = ", every parameter 1" if robot.model.symbols else ""
            where = f"q = {q.tolist()}, q̇ = {qd.tolist()}{rest}"
            return f"for instance, the two sides differ by {value:.4g} at {where}"
    return "the difference is a polynomial that is not zero"


def _same(a: Equations, b: Equations) -> Callable[[], Sides]:
    return lambda: ([*a.M.reshape(-1), *a.c, *a.g], [*b.M.reshape(-1), *b.c, *b.g])
