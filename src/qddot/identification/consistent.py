"""Parameters that some robot has: every body possible, friction never driving.

A body exists exactly when its pseudo-inertia is positive semidefinite, so the closest parameters to
a log are found by semidefinite programming; where torques do not show it, the nearest to the prior.

Wensing: P. Wensing, S. Kim, J.-J. Slotine, *Linear matrix inequalities for physically consistent
inertial parameter identification*, IEEE RA-L 3(1), 2018.
Sousa: C. Sousa, R. Cortesão, *Physical feasibility of robot base inertial parameter identification:
a linear matrix inequality approach*, IJRR 33(6), 2014.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import by_name, is_number, positive, refused
from qddot.errors import BadArgument, IdentificationWarning, MissingExtra, UnknownName, shorten
from qddot.identification.back_to_robot import PSEUDO, metric_root, roots
from qddot.identification.estimators import SHARE, Estimator
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.regression import RESISTING
from qddot.identification.solution import NoRobot, Solution, noise_of, weighted

if TYPE_CHECKING:
    from qddot.identification.result import Fit

MARGIN = 1e-6  # of the prior body, by which a pseudo-inertia stays above zero
LEAST = 1e-12  # what the prior counts beside torques without noise
PRECISE = dict(tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
INACCURATE = "solved, but perhaps not accurately"
BELIEF = 10.0
CENTRES = "{'j1': [(-0.1, 0.1), (0, 0.2), (None, None)]}"
APART = 1e-6  # of a body's own size, what may be left of a group taken for zero

Range = tuple[float | None, float | None]  # the least and the largest; None: no bound


@dataclass(eq=False)
class PhysicallyConsistent(Estimator):
    """Weighted least squares over the robots that can exist.

    Solved by Clarabel through CVXPY (`pip install 'qddot[identify]'`):

        minimise Σᵢ ‖τᵢ − Yᵢ φ‖² / σᵢ² + ‖C (φ − φ₀)‖² / belief²
        with J(φ) ⪰ 0 of every body, friction and rotor inertia ≥ 0                      Wensing

    By joint, `masses` has the least and the largest mass [kg] of the body that it moves (None where
    there is no bound), and `centres` a box for its centre of mass [m] in the body's frame: three
    ranges. `total_mass` bounds the mass of all that moves. `belief` is how far parameters may be
    from the prior, by each body's own size: it decides where torques do not show it, and hardly
    counts where they do.
    """

    masses: Mapping[str, Range] = field(default_factory=dict)
    centres: Mapping[str, Sequence[Range]] = field(default_factory=dict)
    total_mass: Range | None = None
    belief: float = BELIEF

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        start = weighted(problem)
        found = consistent(problem, start.noise, self.bounds, self.belief)
        return replace(found, covariance=start.covariance)

    @property
    def bounds(self) -> Bounds:
        """What is known before measuring."""
        return Bounds(self.masses, self.centres, self.total_mass)


@dataclass(frozen=True)
class Bounds:
    """What is known of masses and centres of mass before measuring."""

    masses: Mapping[str, Range] = field(default_factory=dict)
    centres: Mapping[str, Sequence[Range]] = field(default_factory=dict)
    total_mass: Range | None = None


def consistent(
    problem: LeastSquaresProblem,
    noise: np.ndarray,
    bounds: Bounds | None = None,
    belief: float = BELIEF,
) -> Solution:
    """Return the parameters of the robot that can exist and fits the log best.

    It raises MissingExtra if CVXPY or Clarabel is not installed, and NoRobot if no robot is within
    the bounds, or the solver gave up.
    """
    positive("belief", belief, wanted=SHARE)
    cp = solver()
    regression, prior = problem.regression, problem.prior
    R = problem.stacked(noise)
    r = problem.rank
    R, d = R[:r, :r], R[:r, r]  # what is left of the torques no parameter can change
    size = float(np.linalg.norm(d)) or 1.0
    share = np.sqrt(max(1 / (belief * size) ** 2, LEAST))
    # unknowns in units of the prior's own size
    C = metric_root(regression, prior)
    scale = 1 / np.linalg.norm(C, axis=0)
    x = cp.Variable(len(prior))
    phi = cp.multiply(scale, x)
    # a norm, not its square: the solver's accuracy is then that of the residual itself
    rows = np.vstack([R @ problem.B / size, share * C]) * scale
    right = np.concatenate([d / size, share * (C @ prior)])
    rules = [*_possible(cp, regression, prior, phi), *_resisting(regression, phi)]
    rules += _bounded(cp, regression, phi, bounds or Bounds())
    Z = problem.Z * scale
    Z /= np.linalg.norm(Z, axis=1)[:, None]
    if problem.zero:
        rules.append(Z @ x == 0)
    task = cp.Problem(cp.Minimize(cp.norm(rows @ x - right)), rules)
    try:
        quietly(task, solver=cp.CLARABEL)
    except cp.SolverError as error:
        said = str(error).rstrip(".")
        raise NoRobot(f"The solver gave up: {said}. Check units and bounds.") from None
    apart = 0.0 if x.value is None else np.abs(Z @ x.value).max(initial=0)
    if x.value is None or "infeasible" in task.status or apart > APART:
        raise NoRobot(
            f"No robot is within the bounds ({task.status}).\n"
            "  Widen the bounds on masses and centres of mass."
        )
    found = np.asarray(x.value) * scale
    resisting = _resisting_places(regression)
    found[resisting] = np.maximum(found[resisting], 0)  # within the solver's accuracy
    beta = problem.B @ found
    levelled = noise_of(problem, beta, np.zeros(problem.n))
    covariance = np.full((len(beta), len(beta)), np.nan)
    status = "solved" if task.status == "optimal" else INACCURATE
    return Solution(beta, covariance, levelled, found, status)


def made_possible(fit: Fit) -> tuple[np.ndarray, float]:
    """Return all parameters of the robot nearest to a fit that can exist, and its relative error.

    A warning says how much that costs.
    """
    bounds = getattr(fit.estimator, "bounds", None)
    belief = getattr(fit.estimator, "belief", BELIEF)
    problem, noise, more = fit.problem, fit.solution.noise, ""
    try:
        found = consistent(problem, noise, bounds, belief)
    except NoRobot:
        if problem.whole is None:
            raise
        # no robot has zero for what was removed: take the one that fits the log best
        found = consistent(problem.whole, noise, bounds, belief)
        more = "  It does not have zero for all that was removed.\n"
    assert found.phi is not None
    # by the torques themselves: the base may lack what was removed
    log = problem.log
    squares = (log.tau - problem.regression.torque(log, found.phi)) ** 2
    total = squares.sum() if log.counts is None else squares[log.counts].sum()
    error = float((total / (problem.torques.sum() or 1)) ** 0.5)
    warnings.warn(
        f"No robot has the parameters that {fit.method} found. The nearest that can exist "
        f"has a relative torque error of {100 * error:.4g} % instead of "
        f"{100 * fit.relative_error:.4g} %.\n{more}"
        "  method='consistent' finds such a robot at once.",
        IdentificationWarning,
        stacklevel=3,
    )
    return found.phi, error


def quietly(task: Any, **options: Any) -> None:
    """Solve a task; how accurately is in its status, not in a warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Solution may be inaccurate")
        task.solve(**options, **PRECISE)


def solver() -> Any:
    """Return CVXPY, with Clarabel behind it."""
    try:
        import clarabel  # noqa: F401
        import cvxpy
    except ImportError:
        raise MissingExtra(
            "A physically consistent fit", "cvxpy and clarabel", "identify"
        ) from None
    return cvxpy


def _possible(cp: Any, regression: Any, prior: np.ndarray, phi: Any) -> list[Any]:
    """Return J ⪰ 0 of every body, seen in the prior body's own units."""
    rules = []
    for b, L in enumerate(roots(regression, prior)):
        inverse = np.linalg.inv(L)
        units = inverse @ PSEUDO @ inverse.T
        J = cp.reshape(units.reshape(10, 16).T @ phi[10 * b : 10 * b + 10], (4, 4), order="C")
        rules.append((J + J.T) / 2 >> MARGIN * np.eye(4))
    return rules


def _resisting(regression: Any, phi: Any) -> list[Any]:
    """Return that friction and rotors are not negative, extra columns of these names included."""
    places = _resisting_places(regression)
    return [phi[places] >= 0] if places else []


def _resisting_places(regression: Any) -> list[int]:
    first = regression.inertial
    return [k for k, name in enumerate(regression.names) if k >= first and _resists(name)]


def _resists(name: str) -> bool:
    return name.endswith(RESISTING)


def _bounded(cp: Any, regression: Any, phi: Any, bounds: Bounds) -> list[Any]:
    bodies = [body.name for body in regression.robot.tree.bodies]
    rules: list[Any] = []

    def place(name: str) -> int:
        if name not in bodies:
            raise UnknownName("moving body", name, regression.robot.name, bodies)
        return 10 * bodies.index(name)

    for name, within in by_name("masses", bounds.masses, "{'j1': (4, 6)}").items():
        rules += _between(f"masses[{name!r}]", phi[place(name)], 1, within)
    for name, box in by_name("centres", bounds.centres, CENTRES).items():
        at = place(name)
        count = len(box) if hasattr(box, "__len__") else "no"
        if count != 3:
            raise BadArgument(f"The box of {name!r} has {count} ranges; give x, y and z.")
        for axis, within in enumerate(box):
            rules += _between(f"centres[{name!r}][{axis}]", phi[at + 1 + axis], phi[at], within)
    if bounds.total_mass is not None:
        total = cp.sum(phi[0 : 10 * len(bodies) : 10])
        rules += _between("total_mass", total, 1, bounds.total_mass)
    return rules


def _between(name: str, what: Any, unit: Any, within: Range) -> list[Any]:
    pair = isinstance(within, (tuple, list, np.ndarray)) and len(within) == 2
    if not pair or not all(x is None or is_number(x) for x in within):
        wanted = "the least and the largest, (4, 6), with None where there is no bound"
        raise refused(name, within, wanted)
    low, high = (None if x is None else float(x) for x in within)
    if low is not None and high is not None and low > high:
        raise BadArgument(
            f"{name} is {shorten(repr(within))}: {low:.6g} is above {high:.6g}.\n"
            "  Give the least first."
        )
    rules = [] if low is None else [what >= low * unit]
    return rules if high is None else [*rules, what <= high * unit]
