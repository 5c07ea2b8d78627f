"""Parameters for which a simulated arm moves as the measured one did: output error.

Least squares of torques needs accelerations, and takes them for exact. Here nothing is
differentiated: the arm is simulated over the log (`held_simulation`), and with q̂ its positions,

    minimise Σᵢ ‖qᵢ − q̂ᵢ(β)‖² / sᵢ²

sᵢ what is left of joint i's positions, found with β, by Gauss and Newton from weighted least
squares; a step that does not help is halved. In the closed loop of Gautier and of Janot, the real
controller moves the simulated arm; here the measured torques do, and a weak controller holds it.

Gautier: M. Gautier, A. Janot, P.-O. Vandanjon, *A new closed-loop output error method for parameter
identification of robot dynamics*, IEEE Trans. Control Systems Technology 21(2), 2013.
Janot: A. Janot, M. Gautier, A. Jubien, P.-O. Vandanjon, *Comparison between the CLOE method and the
DIDIM method for robots identification*, IEEE Trans. Control Systems Technology 22(5), 2014.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from qddot.checks import positive
from qddot.errors import BadArgument
from qddot.identification.decimation import HALF, factor_for
from qddot.identification.estimators import Estimator, Gathered
from qddot.identification.held_simulation import HeldArm, HeldRun
from qddot.identification.log import Log
from qddot.identification.noise_colour import colour
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.runs import EMPTY, joined
from qddot.identification.solution import Solution, noise_of, weighted

LIGHT = 0.1  # of torque by acceleration, an inertia that measured accelerations move
FIRM = 4.0  # how much quicker a joint is held whose torque does not count
ROWS_PER_PERIOD = 10  # of the cut-off, that positions are compared at
NO_MOTION = 0.3  # of the way between two rows, by which velocities may miss the next position
SUMS_PER_PERIOD = 10  # of the controller, whose colour is found
FINEST = 64  # steps from row to row
HALVINGS = 8


@dataclass(eq=False)
class OutputError(Estimator):
    """The parameters with which a simulated arm moves as the log does.

    Args:
        hold: How quickly a weak controller holds the simulated arm near the log [Hz]: errors of
            torques that are slower are seen as they are, quicker ones hardly.
        rounds: Of Gauss and Newton, at most.
        tolerance: Of a deviation, the step at which it has settled.
    """

    hold: float = 2.0
    rounds: int = 20
    tolerance: float = 1e-2

    def gathered(self, log: Any, *, loads_known: bool = True) -> Gathered:
        found = super().gathered(log, loads_known=loads_known)
        problem = found.problem
        every = joined(found.logs, found.runs)
        spans, first = [], 0
        run = problem.run_of_block
        for r, (each, rate) in enumerate(zip(found.logs, found.rates, strict=True)):
            factor = 1 if rate is None else factor_for(each, rate)
            reach = 0 if rate is None or factor == 1 else HALF * factor
            edges = problem.edges[np.append(run == r, False) | np.append(False, run == r)]
            rows = first + np.minimum(reach + (edges - edges[0]) * factor, len(each))
            spans += pairwise(rows.tolist())
            first += len(each)
        return replace(found, problem=replace(problem, every=every, spans=np.array(spans)))

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        positive("hold", self.hold, "Hz")
        arm, start = self._arm(problem), weighted(problem)
        search = _Search(arm, problem, start.beta, float(self.hold))
        beta, status = search.descended(start.beta, self.rounds, self.tolerance)
        covariance = search.covariance(beta)
        noise = noise_of(problem, beta, np.zeros(problem.n))
        return Solution(beta, covariance, noise, status=status, repeats=np.ones(problem.n))

    def _arm(self, problem: LeastSquaresProblem) -> HeldArm:
        """Return the arm; one that was compiled for the same columns is taken again."""
        regression, kept = problem.regression, problem.base.columns.kept
        last = vars(self).get("_compiled")
        if last is None or last.regression is not regression or (*last.kept,) != kept:
            if regression.robot.nq != regression.robot.n:
                raise BadArgument(
                    "Output error takes joints whose position is one number.\n  Take "
                    "method='weighted'."
                )
            self._compiled = last = HeldArm(regression, kept)
        return last


@dataclass(frozen=True)
class _Stretch:
    """A stretch of a log that is simulated in one go."""

    run: HeldRun
    rows: Log  # at which positions are compared
    steps: int  # from one of them to the next


class _Search:
    """Gauss and Newton on the positions of simulated stretches."""

    def __init__(
        self, arm: HeldArm, problem: LeastSquaresProblem, beta: np.ndarray, hold: float
    ) -> None:
        self.arm, self.n, self.hold = arm, problem.n, hold
        logs = stretches_of(problem)
        M = np.concatenate([self._derivatives(log, beta)[2] for log in logs])
        tau, qdd = (
            np.sqrt(np.mean(np.concatenate([x**2 for x in each]), axis=0))
            for each in ([log.tau for log in logs], [log.qdd for log in logs])
        )
        size = np.maximum(tau, 1e-6 * tau.max()) / np.maximum(qdd, 1e-6 * qdd.max())
        lowest = float(np.linalg.eigvalsh(M / np.sqrt(np.outer(size, size))).min())
        self.J = (LIGHT + max(0.0, -2 * lowest)) * size
        mean = np.abs(np.diagonal(M, axis1=1, axis2=2)).mean(axis=0) + self.J
        self.K, self.D = mean * (2 * np.pi * hold) ** 2, 2 * mean * (2 * np.pi * hold)
        self.stretches = [self._stretch(log, beta) for log in logs]
        self.log = joined([each.rows for each in self.stretches])

    def _derivatives(self, log: Log, beta: np.ndarray) -> Any:
        """Return the derivatives of torques at some rows of a log."""
        T, known = self.arm.to_inputs[load_of(log)]
        few = log[:: max(1, len(log) // 500)]
        return self.arm.derivatives(few.q, few.qd, few.qdd, few.qd, T @ beta + known)

    def _stretch(self, log: Log, beta: np.ndarray) -> _Stretch:
        from scipy.interpolate import CubicSpline, make_interp_spline

        n, step = self.n, log.step
        apart = 1
        if log.bandwidth:
            apart = max(1, int(log.rate / (ROWS_PER_PERIOD * log.bandwidth)))
        _, by_qd, M, _ = self._derivatives(log, beta)
        by_qd, M = by_qd + np.diag(FIRM * self.D), M + np.diag(self.J)
        quickest = float(np.abs(np.linalg.eigvals(np.linalg.solve(M, by_qd))).max())
        steps = int(np.clip(np.ceil(quickest * apart * step), 1, FINEST))
        rows = log[::apart]
        h = apart * step / steps
        at = rows.t[0] + h / 2 * np.arange(2 * steps * (len(rows) - 1) + 1)
        tau, place = CubicSpline(log.t, log.tau)(at), make_interp_spline(log.t, log.q, k=5)
        q, qd, qdd = (np.asarray(place(at, nu=k)) for k in range(3))
        firm = np.stack([np.interp(at, log.t, ~log.used[:, i]) for i in range(n)], axis=1)
        firm = 1 + (FIRM - 1) * firm
        K, D = self.K * firm**2, self.D * firm
        instants = np.concatenate([tau + K * q + D * qd + self.J * qdd, qd, K, D], axis=1)
        given = [extra(q, qd, qdd) for _, extra in self.arm.given]
        columns = np.stack(given, axis=-1) if given else np.zeros((len(at), n, 0))
        run = HeldRun(columns, instants, np.concatenate([q[0], qd[0]]), self.J, h, load_of(log))
        return _Stretch(run, rows[1:], steps)

    def simulated(self, beta: np.ndarray) -> list[np.ndarray]:
        return [self.arm.states(each.run, beta) for each in self.stretches]

    def residual(self, states: list[np.ndarray]) -> np.ndarray:
        """Return measured less simulated positions where they count, else 0, shape (k, n)."""
        rows = [
            x[s.steps - 1 :: s.steps, : self.n] for s, x in zip(self.stretches, states, strict=True)
        ]
        with np.errstate(invalid="ignore"):
            left = np.where(self.log.used, self.log.q - np.concatenate(rows), 0)
        share = self.log.weight
        return left if share is None else left * np.sqrt(share)[:, None]

    def misfit(self, left: np.ndarray) -> float:
        """Return Σ kᵢ log ‖eᵢ‖²: twice the negative logarithm of the likelihood, sᵢ the best."""
        squares, count = np.sum(left**2, axis=0), self.log.used.sum(axis=0)
        if not np.isfinite(squares).all():
            return np.inf
        return float(count @ np.log(np.maximum(squares, np.finfo(float).tiny)))

    def columns(self, beta: np.ndarray, states: list[np.ndarray]) -> np.ndarray:
        """Return ∂q̂/∂β at the rows that are compared, zero where they do not count, (k, n, r)."""
        found = [
            self.arm.sensitivities(s.run, beta, x)[s.steps - 1 :: s.steps]
            for s, x in zip(self.stretches, states, strict=True)
        ]
        J = np.where(self.log.used[..., None], np.concatenate(found), 0)
        share = self.log.weight
        return J if share is None else J * np.sqrt(share)[:, None, None]

    def deviations(self, left: np.ndarray) -> np.ndarray:
        """Return what is left of each joint's positions, shape (n,)."""
        count = np.maximum(self.log.used.sum(axis=0), 1)
        found = np.sqrt(np.sum(left**2, axis=0) / count)
        return np.maximum(found, 1e-9 * max(float(found.max()), 1e-9))

    def descended(self, beta: np.ndarray, rounds: int, tolerance: float) -> tuple[np.ndarray, str]:
        """Return where Gauss and Newton lead, and whether they settled."""
        states = self.simulated(beta)
        left = self.residual(states)
        now = self.misfit(left)
        if not np.isfinite(now):
            raise BadArgument(
                "With the parameters of weighted least squares the simulated arm leaves the log.\n"
                f"  Hold it more firmly, hold={2 * self.hold:g} [Hz], or take method='consistent'."
            )
        for _ in range(rounds):
            J, s = self.columns(beta, states), self.deviations(left)
            A = (J / s[:, None]).reshape(-1, J.shape[2])
            length = np.linalg.norm(A, axis=0)
            Q, R = np.linalg.qr(A / length)
            step = np.linalg.solve(R, Q.T @ (left / s).reshape(-1)) / length
            spread = np.linalg.norm(np.linalg.inv(R), axis=1) / length
            small = float(np.max(np.abs(step) / spread, initial=0)) < tolerance
            for _ in range(HALVINGS):
                states = self.simulated(beta + step)
                left = self.residual(states)
                if self.misfit(left) < now:
                    break
                step = step / 2
            else:
                return beta, "solved" if small else "not settled"
            beta, now = beta + step, self.misfit(left)
            if small:
                return beta, "solved"
        return beta, "not settled"

    def covariance(self, beta: np.ndarray) -> np.ndarray:
        """Return N⁻¹ (Σ JᵢᵀΩᵢJᵢ/sᵢ⁴) N⁻¹, N = Σ JᵢᵀJᵢ/sᵢ², Ωᵢ the covariance of what is left.

        That lasts as long as the controller lets it, so that its colour is found of sums over
        short times, over which J hardly changes.
        """
        states = self.simulated(beta)
        left, J = self.residual(states), self.columns(beta, states)
        s = self.deviations(left)
        N = np.einsum("kip,kir->pr", J / s[:, None], J / s[:, None])
        ends = np.cumsum([0, *(len(each.rows) for each in self.stretches)])
        middle = np.zeros_like(N)
        for i in range(self.n):
            sums, means, known = [], [], []
            for stretch, (first, last) in zip(self.stretches, pairwise(ends), strict=True):
                size = max(1, round(stretch.rows.rate / (SUMS_PER_PERIOD * self.hold)))
                last -= (last - first) % size
                sums.append(left[first:last, i].reshape(-1, size).sum(axis=1))
                means.append(J[first:last, i].reshape(-1, size, J.shape[2]).mean(axis=1))
                known.append(np.arange(len(sums[-1])))
            together = np.concatenate(sums)
            own, power = colour(together, np.concatenate(known)), float(np.mean(together**2))
            for x in means:
                z, _ = own.collected(x, None)
                middle += power / s[i] ** 4 * z.T @ z
        inverse = np.linalg.inv(N)
        return inverse @ middle @ inverse


def load_of(log: Log) -> int:
    """Return which load is carried in a stretch of a log."""
    return EMPTY if log.load is None else int(log.load[0])


def stretches_of(problem: LeastSquaresProblem) -> list[Log]:
    """Return the stretches of time that the blocks of a problem cover, with every row.

    Raises:
        BadArgument: If the rows are no motion.
    """
    every, spans = problem.every, problem.spans
    if every is None or spans is None:
        raise BadArgument(
            "Output error needs the rows of a log in time; take identify(robot, log)."
        )
    ends = [spans[0].tolist()]
    run = problem.run_of_block
    for k, (first, last) in enumerate(spans[1:].tolist(), start=1):
        if first == ends[-1][1] and run[k] == run[k - 1]:
            ends[-1][1] = last
        else:
            ends.append([first, last])
    logs = [replace(every[slice(*each)], run=None, runs=()) for each in ends]
    for log in logs:
        way = np.diff(log.q, axis=0)
        missed = way - np.diff(log.t)[:, None] * (log.qd[1:] + log.qd[:-1]) / 2
        if not log.even or np.linalg.norm(missed) > NO_MOTION * np.linalg.norm(way):
            raise BadArgument(
                "The rows of the log are no motion in time: velocities do not lead from one "
                "position to the next.\n  Output error simulates a motion; give a log with its "
                "times, or take method='weighted'."
            )
    return logs
