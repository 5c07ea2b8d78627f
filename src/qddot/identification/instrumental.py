"""Instrumental variables: noise of the positions in q̇ and q̈ no longer makes parameters too small.

Least squares takes the columns for exact. Noise in them is in YᵀY as well, which is then too large,
and parameters come out too small, the more the higher the cut-off. An instrument Z knows the motion
but not its noise: the regressor along the motion that was *commanded*, or along another run of it.

    β = (Σᵢ ZᵢᵀYᵢ/σᵢ²)⁻¹ Σᵢ Zᵢᵀτᵢ/σᵢ²

Janot: A. Janot, P.-O. Vandanjon, M. Gautier, *A generic instrumental variable approach for
industrial robot identification*, IEEE Trans. Control Systems Technology 22(1), 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.errors import BadArgument, printable
from qddot.identification.estimators import Estimator
from qddot.identification.log import Log
from qddot.identification.problem import LeastSquaresProblem
from qddot.identification.solution import Solution, noise_of, weighted

LEAST = 1e-9  # of its diagonal, what ZᵀY must have of a parameter


@dataclass(eq=False)
class InstrumentalVariables(Estimator):
    """Least squares with the commanded motion as the instrument.

    Args:
        command: The commanded motion, by the clock of the log: a motion with `at(t)`, a `Log`, or
            (t, q) with q of shape (k, n); of several logs, a list with one per log. By default
            that which the log itself has, in columns such as `target_q_0` or `command.j1`.
        rounds: In how many the noise of the joints is found.
    """

    command: Any = None
    rounds: int = 5

    def solved(self, problem: LeastSquaresProblem) -> Solution:
        Z = self._instrument(problem)
        start = weighted(problem)
        beta, noise = start.beta, start.noise
        kept = np.array(problem.base.columns.kept, dtype=int)
        log, regression = problem.log, problem.regression
        Y = regression.columns(log)[..., kept]
        tau = log.tau - regression.rest(log)
        use = log.used[..., None]
        share = np.ones(len(log)) if log.weight is None else log.weight
        Z = np.where(use, Z, 0) * share[:, None, None]
        middle, inverse = np.zeros((0, 0)), np.zeros((0, 0))
        for _ in range(self.rounds):
            weighted_Z = Z / noise[:, None] ** 2
            A = np.einsum("kip,kir->pr", weighted_Z, Y)
            size = np.sqrt(np.abs(np.diag(A)))
            if not np.linalg.cond(A / np.outer(size, size)) < 1 / LEAST:
                raise BadArgument(
                    "The commanded motion does not show every parameter that the log shows.\n"
                    "  Give the command of this very log, joint by joint and from its start."
                )
            inverse = np.linalg.inv(A)
            beta = inverse @ np.einsum("kip,ki->p", weighted_Z, tau)
            noise = noise_of(problem, beta, np.zeros(problem.n))
            middle = np.einsum("kip,kir->pr", weighted_Z, weighted_Z * noise[:, None] ** 2)
        covariance = inverse @ middle @ inverse.T
        return Solution(beta, covariance, noise)

    def _instrument(self, problem: LeastSquaresProblem) -> np.ndarray:
        """Return the regressor along the command at the rows of the log, (k, n, rank)."""
        log = problem.log
        run = np.zeros(len(log), int) if log.run is None else log.run
        commands, parts = self._commands(log), []
        for r in np.unique(run).tolist():
            if commands[r] is None:
                which = f" of {printable(log.runs[r])!r}" if log.runs else ""
                raise BadArgument(
                    "Instrumental variables need a motion that knows nothing of the noise, and the "
                    f"log{which} has no commanded one.\n  Record it, name its columns, "
                    "columns={'command': [...]}, or give it, identify(..., command=...); or take "
                    "method='weighted'."
                )
            rows = log[run == r]
            parts.append(commanded(commands[r], replace(rows, t=rows.t + log.clocks[r])))
        q, qd, qdd = (np.concatenate(each) for each in zip(*parts, strict=True))
        states = replace(log, q=q, qd=qd, qdd=qdd, Y=None)
        return problem.regression.columns(states)[..., list(problem.base.columns.kept)]

    def _commands(self, log: Log) -> Sequence[Any]:
        """Return the commanded motion of each run; None where there is none."""
        count = max(len(log.runs), 1)
        if self.command is None:
            return log.commands or (None,) * count
        if log.run is None:
            return (self.command,)
        if not isinstance(self.command, (list, tuple)) or len(self.command) != count:
            raise BadArgument(
                f"There are {count} logs; give a list with the command of each, in their order: "
                "command=[...]."
            )
        return self.command


def commanded(command: Any, log: Log) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, q̇ and q̈ of a commanded motion at the times of a log, each (k, n)."""
    from scipy.interpolate import make_interp_spline

    if isinstance(command, Log):
        command = (command.t, command.q)
    if hasattr(command, "at"):
        rows = [command.at(float(t)) for t in log.t]
        q, qd, qdd = (np.array([row[k] for row in rows], dtype=float) for k in range(3))
        return q, qd, qdd
    if not isinstance(command, (tuple, list)) or len(command) != 2:
        raise BadArgument("The command is neither a motion with at(t), nor a Log, nor (t, q).")
    t, q = (np.asarray(x, dtype=float) for x in command)
    if q.ndim != 2 or q.shape != (len(t), log.n):
        raise BadArgument(
            f"The command has {q.shape} positions at {len(t)} times; give (t, q) with q of "
            f"shape ({len(t)}, {log.n})."
        )
    if t[0] > log.t[0] + log.step or t[-1] < log.t[-1] - log.step:
        raise BadArgument(
            f"The command is from {t[0]:.4g} to {t[-1]:.4g} s, the rows of the log from "
            f"{log.t[0]:.4g} to {log.t[-1]:.4g} s.\n  Give the command of the whole log."
        )
    curve = make_interp_spline(t, q, k=5)
    q, qd, qdd = (np.asarray(curve(log.t, nu=k)) for k in range(3))
    return q, qd, qdd
