"""How many N·m a drive gives for an ampere, found with the parameters.

With yᵢ what drive i reports and kᵢ its gain, kᵢ yᵢ is the torque. A known load adds a torque Lᵢ:

    kᵢ yᵢ = Yᵢ β + Lᵢ                    so that        yᵢ = (Yᵢ β + Lᵢ)/kᵢ + noise

The first is linear in (β, k) and gives a start; it is biased, since yᵢ is noisy. The second is
least squares in what was measured, and is solved by Gauss and Newton from there, on the factors of
the log alone. Without a known load or a known gain, β and k could be twice as large together.

Gautier: M. Gautier, S. Briot, *Global identification of joint drive gains and dynamic parameters of
robots*, ASME J. Dynamic Systems, Measurement, and Control 136(5), 2014.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.blas_threads import one_thread
from qddot.checks import positive
from qddot.errors import BadArgument, UnknownName, listing
from qddot.identification.estimators import Estimator, Gathered
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.runs import CarriedLoad, MeasuredRun
from qddot.identification.solution import repeats
from qddot.plain_text import fitted

if TYPE_CHECKING:
    from qddot.identification.result import Fit

ROUNDS = 50
SETTLED = 1e-10  # of a gain
UNTOLD = 1e-7  # of its own column that a gain must have
SURE = 0.5  # a gain whose deviation is more than this share of it is not known


@dataclass(frozen=True, repr=False)
class DriveGains:
    """What each joint's drive gives for one of what it reports."""

    joint_names: tuple[str, ...]
    values: np.ndarray  # (n,) [N·m/A]
    covariance: np.ndarray  # (n, n)
    given: tuple[str, ...]  # joints whose gain was known

    @property
    def deviations(self) -> np.ndarray:
        """Their standard deviations; 0 of those that were known."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0))

    def to_dict(self) -> dict[str, Any]:
        """Return the gains as plain data."""
        rows = zip(self.joint_names, self.values.tolist(), self.deviations.tolist(), strict=True)
        return {name: {"value": k, "deviation": s} for name, k, s in rows}

    @fitted
    def __repr__(self) -> str:
        each = [
            f"{name} {k:.4g}" + (" (given)" if name in self.given else f" ± {s:.1g}")
            for name, k, s in zip(self.joint_names, self.values, self.deviations, strict=True)
        ]
        return f"drive gains [N·m/A]: {', '.join(each)}"


def fit_with_gains(way: Estimator, log: Any, known: Mapping[str, float]) -> Fit:
    """Return the fit of logs whose torques are what drives report, gains found first.

    The deviations of its parameters know those of the gains: with N = Σ YᵢᵀYᵢ/σᵢ²,

        ∂β/∂kᵢ = N⁻¹ Yᵢᵀyᵢ/σᵢ²        cov β = cov(β | k) + (∂β/∂k) cov k (∂β/∂k)ᵀ
    """
    _check_linear(way.robot)
    with one_thread():
        rows = way.gathered(log, loads_known=False)
        gains = drive_gains(rows, known)
    scaled = [
        replace(run, log=replace(each, tau=each.tau * gains.values))
        for run, each in zip(rows.runs, rows.logs, strict=True)
    ]
    fit = way.fit([_given(run, was) for run, was in zip(scaled, rows.measured, strict=True)]).fitted
    problem, noise = fit.problem, fit.solution.noise
    N_inv = np.linalg.inv(np.tensordot(1 / noise**2, problem.information, axes=1))
    each = [R[:, :-1].T @ R[:, -1] for R in problem.joints]
    change = N_inv @ (np.array(each) / (noise**2 * gains.values)[:, None]).T
    covariance = fit.solution.covariance + change @ gains.covariance @ change.T
    return replace(fit, solution=replace(fit.solution, covariance=covariance), gains=gains)


def _check_linear(robot: Any) -> None:
    """Refuse robots with torques that no column has: they are in N·m, and rows are not yet."""
    tree = robot.tree
    if tree.elastics or any(shaft.friction != shaft.friction.steady for shaft in tree.shafts):
        raise BadArgument(
            f"Robot {robot.name!r} has springs or static friction, whose torques are known in N·m, "
            "and what drives report is not.\n  Take them out, robot.without('friction') and no "
            "springs, or give all torque constants when the log is read."
        )


def _given(run: MeasuredRun, measured: bool) -> MeasuredRun:
    """Return the run; arrays stay arrays, of which nothing is doubted."""
    log = run.log
    return run if measured else replace(run, log=(log.q, log.qd, log.qdd, log.tau))


def drive_gains(rows: Gathered, known: Mapping[str, float]) -> DriveGains:
    """Return the gains of all joints, from rows whose torques are what drives report.

    The numbers of loads are columns of the problem. Loads, or gains that are known, set the size.
    """
    problem, names = rows.problem, rows.problem.regression.robot.joint_names
    fixed = {}
    for name, value in known.items():
        if name not in names:
            raise UnknownName("joint", name, problem.regression.robot.name, names)
        fixed[names.index(name)] = positive(f"gains[{name!r}]", value, "N·m/A")
    free = [i for i in range(problem.n) if i not in fixed]
    system = _System(problem, rows.loads)
    k = np.ones(problem.n)
    k[list(fixed)] = list(fixed.values())
    _check_told(system, names, fixed, free)
    beta, k = system.refined(*system.start(k, free), free)
    found = problem.all_parameters(system.all_values(beta))
    left = problem.log.tau - problem.regression.torque(problem.log, found) / k
    covariance = system.covariance(free, repeats(problem.log, left))
    bad = [names[i] for i in free if not k[i] > 0 or covariance[i, i] > (SURE * k[i]) ** 2]
    if bad:
        raise BadArgument(
            f"The gains of {listing(bad, 8)} cannot be found from these logs: the load and the "
            "motion hardly show them.\n  Give them (gains={joint: N·m/A}), or record with a "
            "heavier known load and a faster motion."
        )
    given = tuple(names[i] for i in fixed)
    return DriveGains(tuple(names), k, covariance, given)


class _System:
    """The factors [Y L y] of each joint: unknown columns, known loads, what is reported."""

    def __init__(self, problem: LeastSquaresProblem, loads: Sequence[CarriedLoad]) -> None:
        first = 10 * len(problem.regression.robot.tree.bodies)
        phi = np.zeros(len(problem.regression.names))
        columns: list[int] = []
        for k, load in enumerate(loads):
            if load.known is not None:
                own = range(first + 10 * k, first + 10 * k + 10)
                phi[own] = load.known
                columns += own
        kept = problem.base.columns.kept
        self.unknown = [at for at, k in enumerate(kept) if k not in columns]
        self.told = [at for at, k in enumerate(kept) if k in columns]
        self.loads = problem.B[self.told] @ phi
        self.parts = [
            np.column_stack([R[:, self.unknown], R[:, self.told] @ self.loads, R[:, -1]])
            for R in problem.joints
        ]
        self.count, self.r, self.n = problem.count, len(self.unknown), problem.n
        self.rows: list[np.ndarray] = []  # of each joint: by (β, k), divided by its deviation

    def all_values(self, beta: np.ndarray) -> np.ndarray:
        """Return all base parameters: those that are found, and those of known loads."""
        found = np.zeros(len(self.unknown) + len(self.told))
        found[self.unknown], found[self.told] = beta, self.loads
        return found

    def start(self, k: np.ndarray, free: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return β and k by kᵢ yᵢ = Yᵢ β + Lᵢ, joints weighted by the size of what they report."""
        A, d = self.linear(k, free)
        length = np.linalg.norm(A, axis=0)
        x = np.linalg.lstsq(A / length, d, rcond=None)[0] / length
        k = k.copy()
        k[free] = x[self.r :]
        return x[: self.r], k

    def linear(self, k: np.ndarray, free: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return A and d of A (β, k_free) = d."""
        rows, right = [], []
        for i, part in enumerate(self.parts):
            scale = 1 / max(float(np.linalg.norm(part[:, -1])), 1e-12)
            own = np.zeros((len(part), len(free)))
            load, reported = part[:, self.r] * scale, part[:, -1] * scale
            if i in free:
                own[:, free.index(i)] = -reported
                right.append(-load)
            else:
                right.append(k[i] * reported - load)
            rows.append(np.hstack([part[:, : self.r] * scale, own]))
        return np.vstack(rows), np.concatenate(right)

    def refined(
        self, beta: np.ndarray, k: np.ndarray, free: list[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return β and k that minimise what is left of y, each joint by its deviation."""
        for _ in range(ROUNDS):
            self.rows, right = [], []
            for i, part in enumerate(self.parts):
                torque = part[:, : self.r] @ beta + part[:, self.r]
                left = part[:, -1] - torque / k[i]
                s = float(np.linalg.norm(left)) / np.sqrt(max(self.count[i] - self.r / self.n, 1))
                s = s or 1e-12
                own = np.zeros((len(part), len(free)))
                if i in free:
                    own[:, free.index(i)] = -torque / k[i] ** 2
                self.rows.append(np.hstack([part[:, : self.r] / k[i], own]) / s)
                right.append(left / s)
            A, d = np.vstack(self.rows), np.concatenate(right)
            length = np.linalg.norm(A, axis=0)
            step = np.linalg.lstsq(A / length, d, rcond=None)[0] / length
            beta = beta + step[: self.r]
            k = k.copy()
            k[free] += step[self.r :]
            if np.all(np.abs(step[self.r :]) <= SETTLED * np.abs(k[free])):
                break
        return beta, k

    def covariance(self, free: list[int], kappa: np.ndarray) -> np.ndarray:
        """Return that of the gains, where κᵢ rows of a joint say the same: N⁻¹ (Σ κᵢ AᵢᵀAᵢ) N⁻¹."""
        A = np.vstack(self.rows)
        length = np.linalg.norm(A, axis=0)
        R = np.linalg.qr(A / length, mode="r")
        inverse = np.linalg.inv(R) / length[:, None]
        N_inv = inverse @ inverse.T
        middle = sum(kappa[i] * x.T @ x for i, x in enumerate(self.rows))
        whole = np.zeros((self.n, self.n))
        whole[np.ix_(free, free)] = (N_inv @ middle @ N_inv)[self.r :, self.r :]
        return whole


def _check_told(system: _System, names: Any, fixed: Mapping[int, float], free: list[int]) -> None:
    """Refuse gains that nothing known sets."""
    if not free:
        return
    A, _ = system.linear(np.ones(system.n), free)
    loaded = any(part[:, system.r].any() for part in system.parts)
    if not fixed and not loaded:
        raise BadArgument(
            "Nothing sets the size of the gains: twice the masses and twice the gains would fit as "
            "well.\n  Give one that is known, gains={joint: N·m/A}, or a run with a known load: "
            "MeasuredRun(log, carries=Payload(...))."
        )
    length = np.linalg.norm(A, axis=0)
    R = np.linalg.qr(A / np.where(length > 0, length, 1), mode="r")
    own = np.abs(np.diag(R))[system.r :]
    bad = [names[i] for i, share in zip(free, own, strict=True) if share < UNTOLD]
    if bad:
        raise BadArgument(
            f"The gains of {listing(bad, 8)} cannot be told: their torques share no parameter with "
            "joints whose gain is known, and feel no known load.\n  Give them: gains={joint: "
            "N·m/A}."
        )
