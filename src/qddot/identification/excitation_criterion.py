"""How much a motion shows of a robot's parameters, with derivatives.

The base regressor W of a motion is that of all its instants, one below the other, each column
divided by what it is worth on average over all states within the limits. So the number knows no
units, and a motion that leaves a parameter in the dark is worse for it.

    condition     κ = σ_max / σ_min of W
    determinant   −log det WᵀW / 2p, the mean of −log σ: less is a smaller ellipsoid of confidence
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import one_of
from qddot.errors import BadArgument, printable
from qddot.identification.base_parameters import STATES
from qddot.identification.excitation_limits import MotionLimits
from qddot.identification.grouping import sorted_out
from qddot.program.differentiate import gradient
from qddot.program.optimise import without_dead_code
from qddot.program.program import Port, Program
from qddot.robot import Robot

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

    @property
    def p(self) -> int:
        """How many base parameters."""
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

    def condition(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
        """Return the condition number of W; infinite above 10⁷."""
        values = _singular_values(self.regressor(q, qd, qdd))
        return float(values[-1] / values[0]) if values[0] > 0 else np.inf

    def value(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
        """Return what is to be made small."""
        if self.name == "condition":
            return self.condition(q, qd, qdd)
        values = _singular_values(self.regressor(q, qd, qdd))
        return float(-np.log(np.maximum(values, 1e-300)).mean())

    def smooth(self, states: States, sharpness: float) -> tuple[float, States]:
        """Return a smooth criterion and its derivatives by q, q̇ and q̈.

        For the condition number, of the eigenvalues λ of WᵀW, an upper bound that tightens with s:

            log κ ≤ (log Σ λˢ + log Σ λ⁻ˢ) / 2s
        """
        from scipy.linalg import eigh

        q, qd, qdd = states
        W = self.regressor(q, qd, qdd)
        values, V = eigh(_squared(W), driver="ev", check_finite=False)
        l = np.log(np.maximum(values, FLOOR * values[-1]))
        if self.name == "determinant":
            f, slope = -l.mean() / 2, np.full(self.p, -0.5 / self.p)
        else:
            up, down = np.exp(sharpness * (l - l[-1])), np.exp(sharpness * (l[0] - l))
            above, below = up.sum(), down.sum()
            f = (l[-1] - l[0] + (np.log(above) + np.log(below)) / sharpness) / 2
            slope = (up / above - down / below) / 2
        # ∂f/∂W = 2 W V diag(∂f/∂λ) Vᵀ, pulled back through the regressor
        weights = 2 * (V * (slope / np.exp(l))) @ V.T / (self.scale * np.sqrt(len(q)))
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


def _singular_values(W: np.ndarray) -> np.ndarray:
    """Return the singular values, smallest first; nothing below 1e-7 of the largest is seen."""
    values = np.linalg.eigvalsh(_squared(W))
    return np.sqrt(np.where(values > 1e-14 * values[-1], values, 0))


def criterion(name: str, robot: Robot, limits: MotionLimits) -> Criterion:
    """Return a criterion for a robot, whose base columns are found at random states."""
    one_of("criterion", name, NAMES)
    names = robot.parameter_names
    rng = np.random.default_rng(0)
    size = (STATES * max(robot.n, 2), robot.n)
    q = rng.uniform(limits.lower, limits.upper, size)
    qd = limits.velocity * rng.uniform(-1, 1, size)
    qdd = limits.acceleration * rng.uniform(-1, 1, size)
    Y = robot.regressor(q, qd, qdd).reshape(-1, len(names))
    kept = sorted_out(Y).kept
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
    scale = np.sqrt(np.mean(Y[:, kept] ** 2, axis=0) * robot.n)
    return Criterion(name, without_dead_code(base), scale)
