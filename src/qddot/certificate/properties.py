"""What is true of a robot's dynamics, each with how it is known: proved, certified or sampled.

Proved: an exact identity of polynomials. Certified: an inequality with rigorous bounds on every
rounding. Sampled: tested in many states; the weakest of the three.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from qddot.certificate.bound import Bound, Box, outward, rounded_down, rounded_up
from qddot.certificate.ellipsoid import near_singular
from qddot.dynamics.rnea import elastic_torque
from qddot.equations.agreement import STATES
from qddot.equations.deriving import exact_of
from qddot.equations.exact_tree import NoClosedForm
from qddot.equations.proofs import UNDECIDED, Claim, claims
from qddot.errors import BadArgument, TooLarge, printable
from qddot.model.folding import numeric
from qddot.model.link import Inertial
from qddot.plain_text import fitted
from qddot.results import in_notebook
from qddot.robot import Robot

SAMPLES = 1000
ROUND_OFF = 1e-10  # of the largest entry, in sampled identities
CHRISTOFFEL = "Christoffel's"


@dataclass(frozen=True)
class Property:
    """One thing that is true of a robot, or not, and how that is known."""

    name: str
    statement: str
    holds: bool | None  # None: it could not be decided
    how: str  # "proved", "certified" or "sampled"; "open" where it is not known
    evidence: str
    needed: bool = True  # whether a correct model must have it

    @fitted
    def __str__(self) -> str:
        verdict = {True: self.how, False: "FAILS", None: "open"}[self.holds]
        return f"{verdict:9}  {self.name}: {self.statement}  ({self.evidence})"

    _repr_html_ = in_notebook("certificates.property_html")


def properties(
    robot: Robot,
    box: Box,
    bounds: Mapping[str, Bound],
    seconds: float | None = None,
    exact: bool = True,
) -> Iterator[Property]:
    """Yield the properties of a robot's dynamics over a box, one by one, with the bounds known.

    Exact proofs of identities may take so many `seconds`, None for no limit; without `exact`, the
    identities are not looked at.
    """
    if exact:
        yield from identities(robot, box, seconds)
    yield from inequalities(bounds)
    yield consistency(robot)
    yield from singularities(robot, box)


# identities


def identities(robot: Robot, box: Box, seconds: float | None = None) -> Iterator[Property]:
    """Yield what is an identity: proved exactly, or sampled where that takes too long."""
    try:
        found = list(claims(exact_of(robot.model), seconds))
    except (TooLarge, NoClosedForm) as error:
        yield from sampled(robot, box, str(error).splitlines()[0])
        return
    late = any(claim.witness == UNDECIDED for claim in found)
    looked_at = {p.name: p for p in sampled(robot, box, UNDECIDED)} if late else {}
    for name, (statement, wanted) in IDENTITIES.items():
        chosen = [claim for claim in found if wanted(claim.statement)]
        if chosen:
            each = _proved(name, statement, chosen)
            yield looked_at.get(name, each) if each.holds is None else each


def _proved(name: str, statement: str, chosen: list[Claim]) -> Property:
    terms = sum(claim.terms for claim in chosen)
    for verdict, how in ((False, "proved"), (None, "open")):
        why = [c.witness for c in chosen if c.holds is verdict and c.digits is None]
        if why:
            return Property(name, statement, verdict, how, why[0])
    if digits := [claim.digits for claim in chosen if claim.digits is not None]:
        evidence = f"{min(digits)} digits agree at {STATES} states"
        return Property(name, statement, True, "sampled", evidence)
    evidence = f"zero polynomials, {terms:,} terms compared exactly"
    return Property(name, statement, True, "proved", evidence)


# name: what is said of it, and which claims say so
IDENTITIES: dict[str, tuple[str, Callable[[str], bool]]] = {
    "symmetry": ("M = Mᵀ", lambda s: s == "M is symmetric"),
    "dependence": ("M_ii depends on later joints only", lambda s: s.startswith("M_ii")),
    "formulations": (
        "all derivations from the robot's tree agree",
        lambda s: "give the same" in s and "virtual_work" not in s,
    ),
    "virtual work": (
        "virtual work of point masses, read from the model, agrees",
        lambda s: "virtual_work" in s,
    ),
    "quadratic": ("c(q, q̇) is a quadratic form in q̇", lambda s: "quadratic" in s),
    "skewness": (
        "Ṁ − 2C is skew for the Christoffel C",
        lambda s: s.startswith("Ṁ − 2C is skew") and CHRISTOFFEL in s,
    ),
    "passivity": ("q̇ᵀ(Ṁ − 2C)q̇ = 0 for every C with C q̇ = c", lambda s: s.startswith("q̇ᵀ(Ṁ")),
    "gravity": ("g and the springs are the slope of P", lambda s: "slope of P" in s),
    "energy": ("d/dt (K + P) = τ·q̇ without friction", lambda s: s.startswith("d/dt")),
    "linearity": ("τ = Y φ, linear in the parameters φ", lambda s: "linear in the" in s),
}


def sampled(robot: Robot, box: Box, why: str) -> Iterator[Property]:
    """Yield the same identities, looked at in many states."""
    bare = robot.without("friction")
    rng = np.random.default_rng(0)
    q = rng.uniform(box.lower, box.upper, (SAMPLES, robot.n))
    qd, qdd = rng.uniform(-1, 1, (2, SAMPLES, robot.n))
    M, C, rate = bare.mass_matrix(q), bare.coriolis_matrix(q, qd), bare.mass_matrix_rate(q, qd)
    c, tau = bare.velocity_torque(q, qd), bare.inverse_dynamics(q, qd, qdd)
    N = rate - 2 * C
    springs = bare.inverse_dynamics(q, 0 * qd, 0 * qdd)
    still = np.einsum("bi,bi->b", springs, qd)
    power = np.einsum("bi,bij,bj->b", qd, M, qdd) + np.einsum("bi,bij,bj->b", qd, rate, qd) / 2
    step = 1e-6  # differences of P, good to about 1e-9
    slope = (bare.potential_energy(q + step * qd) - bare.potential_energy(q - step * qd)) / step / 2
    # springs are no part of the regressor
    Y = bare.regressor(q, qd, qdd) @ bare.parameters + _elastic(bare, q, qd)
    checks = {
        "symmetry": (M, np.swapaxes(M, 1, 2), ROUND_OFF),
        "quadratic": (bare.velocity_torque(q, 2 * qd), 4 * c, ROUND_OFF),
        "skewness": (N, -np.swapaxes(N, 1, 2), ROUND_OFF),
        "passivity": (np.einsum("bij,bj->bi", C, qd), c, ROUND_OFF),
        "gravity": (slope, still, 1e-6),
        "energy": (power + still, np.einsum("bi,bi->b", tau, qd), ROUND_OFF),
        "linearity": (Y, tau, ROUND_OFF),
    }
    for name, (left, right, near) in checks.items():
        size = max(np.abs(left).max(), np.abs(right).max(), np.finfo(float).tiny)
        worst = float(np.abs(left - right).max() / size)
        evidence = f"{SAMPLES:,} states, worst {worst:.1e} of the largest; {why}"
        yield Property(name, IDENTITIES[name][0], worst <= near, "sampled", evidence)


def _elastic(robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return the torques of springs and dampers, not from the kernel of all torques."""
    torques = [elastic_torque(robot.tree, *state) for state in zip(q, qd, strict=True)]
    return np.array(torques, dtype=float)


# inequalities


def inequalities(bounds: Mapping[str, Bound]) -> Iterator[Property]:
    """Yield what follows from certified bounds."""
    least, most = bounds.get("M.eigenvalue.min"), bounds.get("M.eigenvalue.max")
    if least is not None:
        holds = True if least.lower > 0 else False if least.upper <= 0 else None
        evidence = " ≤ min λ(M) ≤ ".join(outward(least.lower, least.upper, 6))
        yield Property(
            "positive definite", "M(q) ≻ 0 all over the box", holds, "certified", evidence
        )
    if least is not None and most is not None and least.lower > 0:
        most_of_all = math.nextafter(most.upper / least.lower, math.inf)
        evidence = f"κ(M) ≤ {rounded_up(most_of_all, 4)} all over the box"
        statement = "M(q) can be inverted with few digits lost"
        few = True if most_of_all < 1e12 else None
        yield Property("condition", statement, few, "certified", evidence)
    if bounds:
        known = all(np.isfinite([bound.lower, bound.upper]).all() for bound in bounds.values())
        finite = True if known else None  # a search that ran out of time has not found it otherwise
        open_ones = [bound.quantity for bound in bounds.values() if not bound.closed]
        evidence = f"{len(bounds)} bounds" + (f", {len(open_ones)} still wide" if open_ones else "")
        yield Property(
            "boundedness",
            "M, c, g and ∂g/∂q are bounded over the box",
            finite,
            "certified",
            evidence,
        )
    if (holding := bounds.get("g.effort")) is not None:
        holds = True if holding.upper < 1 else False if holding.lower > 1 else None
        evidence = f"at most {rounded_up(holding.upper, 3)} of the effort limits is needed"
        if holds is False:
            least_of_all = rounded_down(holding.lower, 3)
            evidence = f"{least_of_all} times the effort limits at {_pose(holding)}"
        statement = "gravity needs no more than the effort limits that there are"
        yield Property("holding", statement, holds, "certified", evidence, needed=False)


def _pose(bound: Bound) -> str:
    return f"q = ({', '.join(f'{x:.4g}' for x in bound.attained_at)})"


def singularities(robot: Robot, box: Box) -> Iterator[Property]:
    """Yield how near the robot's tip comes to a position in which it cannot be moved freely."""
    frame = robot.tip
    try:
        found = near_singular(robot, frame, box)
    except BadArgument:  # nothing moves it
        return
    statement = f"no position in the box is singular for {printable(frame)!r}"
    where = f"q = ({', '.join(f'{x:.4g}' for x in found.q)})"
    evidence = f"{found.samples:,} positions, worst condition {found.condition:.3g} at {where}"
    holds = False if found.found.singular or found.condition > 1e12 else None
    yield Property("singularities", statement, holds, "sampled", evidence, needed=False)


# bodies


def consistency(robot: Robot) -> Property:
    """Return whether a body with each link's mass and inertia can exist.

    It can when the density's second moments, ½ tr(I) E − I about the centre of mass, are positive
    semidefinite: all principal minors of the rational matrix are not negative, decided exactly.
    """
    bodies = [(link.name, link.inertial) for link in robot.model.links]
    bodies += [(f"payload at {load.frame}", load.inertial) for load in robot.model.payloads]
    wrong = [name for name, inertial in bodies if not can_exist(inertial)]
    evidence = f"{len(bodies)} bodies, decided in rational numbers"
    if wrong:
        evidence = f"no body has the inertia of {', '.join(map(printable, wrong[:5]))}"
    statement = "every link's mass and inertia are those of a body"
    return Property("physical consistency", statement, not wrong, "proved", evidence)


def can_exist(inertial: Inertial) -> bool:
    """Return whether some distribution of mass has these numbers."""
    mass = _rational(inertial.mass)
    xx, xy, xz, yy, yz, zz = (_rational(x) for x in inertial.inertia)
    I = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    half = (xx + yy + zz) / 2
    S = [[half * (i == j) - I[i][j] for j in range(3)] for i in range(3)]
    if mass <= 0:
        return mass == 0 and not any(x for row in I for x in row)
    chosen = [rows for size in (1, 2, 3) for rows in combinations(range(3), size)]
    return all(_minor(S, rows) >= 0 for rows in chosen)


def _rational(x: Any) -> fmpq:
    """Return a number as the decimal it was typed."""
    value = numeric(x)
    exact = Fraction(value) if isinstance(value, int) else Fraction(repr(float(value)))
    return fmpq(exact.numerator, exact.denominator)


def _minor(S: list[list[fmpq]], rows: tuple[int, ...]) -> fmpq:
    """Return the determinant of the chosen rows and columns."""
    return fmpq_mat(len(rows), len(rows), [S[i][j] for i in rows for j in rows]).det()
