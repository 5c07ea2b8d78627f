"""How much a motion shows of a robot's parameters, with derivatives.

The base regressor W of a motion is that of all its instants, one below the other, each column
divided by what it is worth on average over all states within the limits. So the number knows no
units, and a motion that leaves a parameter in the dark is worse for it.

    condition     κ = σ_max / σ_min of W
    determinant   −log det WᵀW / 2p, the mean of −log σ: less is a smaller ellipsoid of confidence

Both are of the information M = WᵀW. A load at a frame has columns that are sums of the arm's own,
W K. So a motion of T seconds that is made without and with each load, after a log of T₀ seconds,
has

    M = (T Σᵣ Aᵣᵀ WᵀW Aᵣ + T₀ M₀) / (R T + T₀)        A₀ = [I 0 …]   A₁ = [I K₁ 0 …]   …
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import one_of
from qddot.errors import BadArgument, printable
from qddot.identification.base_parameters import STATES
from qddot.identification.excitation_limits import MotionLimits
from qddot.identification.grouping import sorted_out
from qddot.identification.log import Log
from qddot.identification.runs import seen_in_body
from qddot.program.differentiate import gradient
from qddot.program.optimise import without_dead_code
from qddot.program.program import Port, Program
from qddot.robot import Robot
from qddot.spatial.inertia import NAMES as INERTIA

NAMES = ("condition", "determinant")
INPUTS = ("q", "qd", "qdd")
SMALL = 200_000  # multiplications of a small product of matrices
FLOOR = 1e-13  # of the eigenvalues of WᵀW: below is rounding

States = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Criterion:
    """What is to be made small, as a function of the states (q, q̇, q̈), each (k, n)."""

    name: str  # "condition" or "determinant"
    program: Program  # the base columns of the regressor
    scale: np.ndarray  # what a column is worth, shape (p,)
    names: tuple[str, ...]  # of the parameters that are looked for, P of them
    runs: np.ndarray  # (R, p, P), A of each run
    known: np.ndarray  # (P, P), what a log has told before, T₀ M₀ / (R T + T₀)
    weight: float = 1.0  # T / (R T + T₀)

    @property
    def p(self) -> int:
        """How many base parameters the arm has."""
        return len(self.scale)

    @cached_property
    def _columns(self) -> Kernel:
        return Kernel(self.program)

    @cached_property
    def _pulled(self) -> Kernel:
        return Kernel(gradient(self.program, INPUTS))

    def regressor(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Return W / √k, shape (k·n, p)."""
        Y = self._columns.general(q, qd, qdd)
        return Y.reshape(-1, self.p) / (self.scale * np.sqrt(len(q)))

    def information(self, W: np.ndarray) -> np.ndarray:
        """Return M of the runs and of what was known before, shape (P, P)."""
        G = _squared(W)
        return self.known + self.weight * sum(A.T @ G @ A for A in self.runs)

    def condition(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
        """Return the condition number of W; infinite above 10⁷."""
        return condition_of(self.information(self.regressor(q, qd, qdd)))

    def value(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
        """Return what is to be made small."""
        if self.name == "condition":
            return self.condition(q, qd, qdd)
        values = _singular_values(self.information(self.regressor(q, qd, qdd)))
        return float(-np.log(np.maximum(values, 1e-300)).mean())

    def smooth(self, states: States, sharpness: float) -> tuple[float, States]:
        """Return a smooth criterion and its derivatives by q, q̇ and q̈.

        For the condition number, of the eigenvalues λ of WᵀW, an upper bound that tightens with s:

            log κ ≤ (log Σ λˢ + log Σ λ⁻ˢ) / 2s
        """
        from scipy.linalg import eigh

        q, qd, qdd = states
        W = self.regressor(q, qd, qdd)
        values, V = eigh(self.information(W), driver="ev", check_finite=False)
        l = np.log(np.maximum(values, FLOOR * values[-1]))
        if self.name == "determinant":
            f, slope = -l.mean() / 2, np.full(len(l), -0.5 / len(l))
        else:
            up, down = np.exp(sharpness * (l - l[-1])), np.exp(sharpness * (l[0] - l))
            above, below = up.sum(), down.sum()
            f = (l[-1] - l[0] + (np.log(above) + np.log(below)) / sharpness) / 2
            slope = (up / above - down / below) / 2
        # ∂f/∂W = 2 W Σ A V diag(∂f/∂λ) Vᵀ Aᵀ, pulled back through the regressor
        D = (V * (slope / np.exp(l))) @ V.T
        weights = 2 * self.weight * sum(A @ D @ A.T for A in self.runs)
        weights = weights / (self.scale * np.sqrt(len(q)))
        # state by state: many small products, for which no threads are woken
        bar = W.reshape(len(q), -1, self.p) @ weights
        a, b, c = self._pulled.general(q, qd, qdd, bar)
        return float(f), (a, b, c)


def _squared(W: np.ndarray) -> np.ndarray:
    """Return WᵀW, in pieces so small that no threads are woken: they cost more than they save."""
    rows = max(1, SMALL // W.shape[1] ** 2)
    pieces = [W[at : at + rows] for at in range(0, len(W), rows)]
    total = np.zeros((W.shape[1], W.shape[1]))
    for piece in pieces:
        total += piece.T @ piece
    return total


def _singular_values(M: np.ndarray) -> np.ndarray:
    """Return the square roots of the eigenvalues, smallest first; 0 below 1e-7 of the largest."""
    values = np.linalg.eigvalsh(M)
    return np.sqrt(np.where(values > 1e-14 * values[-1], values, 0))


def condition_of(M: np.ndarray) -> float:
    """Return the condition number of W, from M = WᵀW; infinite above 10⁷."""
    values = _singular_values(M)
    return float(values[-1] / values[0]) if values[0] > 0 else np.inf


def criterion(
    name: str,
    robot: Robot,
    limits: MotionLimits,
    frames: Sequence[str] = (),
    logs: Sequence[Log] = (),
    period: float = 1.0,
) -> Criterion:
    """Return a criterion for a robot, whose base columns are found at random states within limits.

    Numbers of loads at `frames`, each carried in a run of its own, are looked for too; logs are
    what was recorded before, made ready.
    """
    one_of("criterion", name, NAMES)
    names = robot.parameter_names
    rng = np.random.default_rng(0)
    size = (STATES * max(robot.n, 2), robot.n)
    q = rng.uniform(limits.lower, limits.upper, size)
    qd = limits.velocity * rng.uniform(-1, 1, size)
    qdd = limits.acceleration * rng.uniform(-1, 1, size)
    Y = robot.regressor(q, qd, qdd).reshape(-1, len(names))
    grouping = sorted_out(Y)
    kept = grouping.kept
    if not kept:
        raise BadArgument(
            f"No motion of robot {printable(robot.name)!r} shows any of its parameters."
        )
    program = robot.program("regressor")
    entries = [i * len(names) + k for i in range(robot.n) for k in kept]
    base = replace(
        program,
        outputs=(Port("Y", (robot.n, len(kept))),),
        results=tuple(program.results[e] for e in entries),
    )
    Y = Y[:, kept]
    labels = [names[k] for k in kept]
    parts = [np.eye(len(kept))]
    for i, frame in enumerate(frames, start=1):
        body, X_BF = robot.tree.frame(frame)
        K = grouping.B[:, 10 * body : 10 * body + 10] @ seen_in_body(X_BF)
        shown = list(sorted_out(Y @ K).kept)
        parts.append(K[:, shown])
        labels += [f"load {i}.{INERTIA[k]}" for k in shown]
    scales = [np.sqrt(np.mean((Y @ K) ** 2, axis=0) * robot.n) for K in parts]
    edges = np.cumsum([0, *(K.shape[1] for K in parts)])
    runs = np.zeros((len(parts), len(kept), edges[-1]))
    for r, (K, at) in enumerate(zip(parts, edges, strict=False)):
        runs[r, :, : len(kept)] = np.eye(len(kept))
        runs[r, :, at : at + K.shape[1]] = scales[0][:, None] * K / scales[r]
    known = np.zeros((edges[-1], edges[-1]))
    found = Criterion(name, without_dead_code(base), scales[0], tuple(labels), runs, known)
    whole = len(parts) * period + sum(log.duration for log in logs)
    for log in logs:
        known[: len(kept), : len(kept)] += log.duration / whole * _information_of(found, log)
    return replace(found, known=known, weight=period / whole)


def _information_of(criterion: Criterion, log: Log) -> np.ndarray:
    """Return M₀ of a log, the mean of its rows that count, shape (p, p)."""
    total = np.zeros((criterion.p, criterion.p))
    for _, part in log.chunks():
        W = criterion.regressor(part.q, part.qd, part.qdd)
        total += len(part) * _squared(W[part.used.reshape(-1)])
    return total / len(log)


def better_known(criterion: Criterion, states: States) -> list[tuple[str, float]]:
    """Return how many times smaller each deviation is than with the log alone, largest first."""
    M = criterion.information(criterion.regressor(*states))
    deviations = []
    for information in (criterion.known, M):
        values, V = np.linalg.eigh(information)
        deviations.append(np.sqrt((V**2 / np.maximum(values, FLOOR * values[-1])).sum(axis=1)))
    factors = deviations[0] / deviations[1]
    order = np.argsort(-factors, kind="stable")
    return [(criterion.names[k], float(factors[k])) for k in order]
