"""An arm simulated over a log with the measured torques, held near the measured motion.

Measured torques alone would lead a simulated arm away within seconds, so that a weak controller
pulls it back. With q_m, τ_m what was measured and β the base parameters,

    M(q; β) q̈ + h(q, q̇; β) = τ_m + K (q_m − q) + D (q̇_m − q̇) + J (q̈_m − q̈)

J is small, and there because M(q; β) need not be positive where a log hardly shows it. Dry friction
acts against the measured direction of motion, so that nothing jumps with β. By steps of Runge and
Kutta; all is one compiled loop, whose parameters are given when it is run. How its positions change
with β follows from the derivatives of inverse dynamics τ(q, q̇, q̈; β) at the stages of each step,

    (∂τ/∂q̈ + J) δq̈ = −(∂τ/∂q + K) δq − (∂τ/∂q̇ + D) δq̇ − Y δβ

and is the exact derivative of the steps, not of the motion that they approximate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from qddot.backends.iterated import Given, IteratedKernel
from qddot.backends.kernel import Kernel
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.forward import solve
from qddot.dynamics.friction import rubbing_velocities
from qddot.dynamics.rnea import inverse_dynamics
from qddot.errors import BadArgument
from qddot.identification.log import Log
from qddot.identification.regression import Extra, Regression
from qddot.identification.runs import EMPTY
from qddot.model.friction import LINEAR
from qddot.program import Program, record
from qddot.program.differentiate import jacobian
from qddot.program.optimise import optimised
from qddot.program.program import Iteration, Stage, flat
from qddot.runge_kutta import RK4
from qddot.scalars import sign
from qddot.simulation.varied import varied_tree
from qddot.spatial.vector import vector

LIGHT = 0.1  # of torque by acceleration, an inertia that measured accelerations move
NO_MOTION = 0.3  # of the way between two rows, by which velocities may miss the next position
PIECE = 2048  # steps whose derivatives are in memory together


@dataclass(frozen=True)
class HeldRun:
    """What the steps over one stretch of a log are given."""

    columns: np.ndarray  # (2 m + 1, n, g), those that are taken at the measured motion
    instants: np.ndarray  # (2 m + 1, 4 n): pull and torque, q̇_m, K and D, each half step
    start: np.ndarray  # (2 n,), q and q̇
    J: np.ndarray  # (n,)
    h: float  # how long a step is [s]
    load: int  # which load of the regression is carried, or none


def added_inertia(M: np.ndarray, tau: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return J, shape (n,): a share of torque by acceleration, more where M is not positive.

    Args:
        M: At some states, shape (k, n, n).
        tau: The size of the torques, shape (n,).
        qdd: The size of the accelerations, shape (n,).
    """
    size = np.maximum(tau, 1e-6 * tau.max()) / np.maximum(qdd, 1e-6 * qdd.max())
    lowest = float(np.linalg.eigvalsh(M / np.sqrt(np.outer(size, size))).min())
    return (LIGHT + max(0.0, -2 * lowest)) * size


def check_motion(log: Log) -> None:
    """Refuse rows that are no motion in time."""
    way = np.diff(log.q, axis=0)
    missed = way - np.diff(log.t)[:, None] * (log.qd[1:] + log.qd[:-1]) / 2
    if not log.even or np.linalg.norm(missed) > NO_MOTION * np.linalg.norm(way):
        raise BadArgument(
            "The rows of the log are no motion in time: velocities do not lead from one position "
            "to the next.\n  Only a motion can be simulated; give a log with its times, or take "
            "method='weighted'."
        )


def load_of(log: Log) -> int:
    """Return which load is carried in a stretch of a log."""
    return EMPTY if log.load is None else int(log.load[0])


class HeldArm:
    """A robot that is simulated over logs, whatever its base parameters are.

    Args:
        regression: The robot, and the columns added to it.
        kept: Which columns are base parameters; all others are zero.
    """

    def __init__(self, regression: Regression, kept: Sequence[int]) -> None:
        self.regression, self.kept = regression, np.array(kept, dtype=int)
        self.n = regression.robot.n
        full = len(regression.full.parameter_names)
        self.names = (*regression.full.parameter_names, *(e.name for e in regression.extra))
        maps = [self._of_all_columns(load) for load in regression.carried]
        used = [np.any(T[:, self.kept] != 0, axis=1) | (known != 0) for T, known in maps]
        simulated = [e.name for e in regression.extra if is_inertia_like(e, self.n)]
        own = [k < full or name in simulated for k, name in enumerate(self.names)]
        self.varying = np.flatnonzero(np.any(used, axis=0) & own)  # parameters that are inputs
        self.to_inputs = {
            load: (T[np.ix_(self.varying, self.kept)], known[self.varying])
            for load, (T, known) in zip(regression.carried, maps, strict=True)
        }
        self.extra: list[tuple[int, Extra]] = []  # columns at the simulated motion, and where
        self.given: list[tuple[int, Extra]] = []  # at the measured one, and which base parameter
        for k, extra in enumerate(regression.extra):
            if is_inertia_like(extra, self.n):
                self.extra.append((full + k, extra))
            elif (place := len(regression.names) - len(regression.extra) + k) in self.kept:
                self.given.append((int(np.flatnonzero(self.kept == place)[0]), extra))

    def given_by(
        self,
        log: Log,
        hold: tuple[np.ndarray, np.ndarray, np.ndarray],
        firm: float,
        h: float,
        steps: int,
    ) -> HeldRun:
        """Return what steps over a log are given: torques and motion by splines, and who holds it.

        Args:
            log: The log, of one run, evenly sampled.
            hold: K, D and J of the controller, shape (n,) each.
            firm: How much quicker a joint is held while its torque does not count.
            h: How long a step is [s].
            steps: How many.
        """
        from scipy.interpolate import CubicSpline, make_interp_spline

        K, D, J = hold
        at = log.t[0] + h / 2 * np.arange(2 * steps + 1)
        tau, place = CubicSpline(log.t, log.tau)(at), make_interp_spline(log.t, log.q, k=5)
        q, qd, qdd = (np.asarray(place(at, nu=k)) for k in range(3))
        left_out = np.stack([np.interp(at, log.t, ~log.used[:, i]) for i in range(log.n)], axis=1)
        quicker = 1 + (firm - 1) * left_out
        K, D = K * quicker**2, D * quicker
        instants = np.concatenate([tau + K * q + D * qd + J * qdd, qd, K, D], axis=1)
        given = [extra(q, qd, qdd) for _, extra in self.given]
        columns = np.stack(given, axis=-1) if given else np.zeros((len(at), log.n, 0))
        return HeldRun(columns, instants, np.concatenate([q[0], qd[0]]), J, h, load_of(log))

    def _of_all_columns(self, load: int) -> tuple[np.ndarray, np.ndarray]:
        """Return T and φ₀ with φ of the arm and its load T φ + φ₀, φ by `regression.names`."""
        regression, names = self.regression, self.regression.names
        T = np.array([[name == other for other in names] for name in self.names], dtype=float)
        known = np.zeros(len(self.names))
        if load >= 0:
            carried = regression.loads[load]
            body = slice(10 * carried.body, 10 * carried.body + 10)
            if carried.known is not None:
                known[body] = carried.X @ carried.known
            else:
                before = sum(x.known is None for x in regression.loads[:load])
                at = 10 * (len(regression.robot.tree.bodies) + before)
                T[body, at : at + 10] = carried.X
        return T, known

    # what is recorded

    def _tree(self, phi: Any) -> Any:
        values: dict[str, Any] = dict.fromkeys(self.names, 0)
        values |= {self.names[k]: phi[at] for at, k in enumerate(self.varying)}
        model = self.regression.full.model
        tree = varied_tree(model, values)
        friction = [
            own.friction.refitted({p.name: values.get(f"{own.name}.{p.column}", 0) for p in LINEAR})
            for own in self.regression.full.tree.shafts
        ]
        shared = zip(tree.shared, friction[tree.n :], strict=True)
        more = {"shared": tuple(replace(shaft, friction=law) for shaft, law in shared)}
        return replace(tree, friction=tuple(friction[: tree.n]), **more)

    def _extra(self, phi: Any) -> Iterator[tuple[Any, Program]]:
        place = {int(k): at for at, k in enumerate(self.varying)}
        for k, extra in self.extra:
            if k in place:
                yield phi[place[k]], extra.kernel.program

    def torque(self, q: Any, qd: Any, qdd: Any, measured: Any, phi: Any) -> Any:
        """Return τ(q, q̇, q̈; φ), over any scalar; what jumps with q̇ is taken at the measured one."""
        tree = self._tree(phi)
        direction = vector([sign(rate) for rate in rubbing_velocities(tree, measured)])
        tau = inverse_dynamics(tree, q, qd, qdd, direction=direction)
        for size, program in self._extra(phi):
            tau = tau + size * _results(program, q, measured if _jumps(program) else qd, qdd)
        return tau

    def _acceleration(self, q: Any, qd: Any, at: Any, J: Any, phi: Any) -> Any:
        n, zero = self.n, np.zeros(self.n, dtype=int)
        pull, measured, K, D = (at[k * n : (k + 1) * n] for k in range(4))
        M = mass_matrix(self._tree(phi), q) + np.diag(J)
        for size, program in self._extra(phi):
            by_qdd, rate = jacobian(program, ["qdd"]), measured if _jumps(program) else qd
            M = M + size * _results(by_qdd, q, rate, zero).reshape(n, n)
        left = pull - K * q - D * qd
        return solve(M, left - self.torque(q, qd, zero, measured, phi))

    @cached_property
    def loop(self) -> IteratedKernel:
        """The simulation; its state is q, q̇ and the accelerations of the last step's stages."""
        n = self.n

        def step(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
            instants = {0: given[: 4 * n], 0.5: given[4 * n : 8 * n], 1: given[8 * n :]}
            phi, J = constants[:-n], constants[-n:]
            found: list[Any] = []

            def rate(c: float, z: Any) -> Any:
                found.append(self._acceleration(z[:n], z[n:], instants[c], J, phi))
                return np.concatenate([z[n:], found[-1]])

            after = RK4.step(rate, state[: 2 * n], h)
            return np.concatenate([after, *found])

        name = f"{self.regression.robot.name} held near its log"
        always = {"state": (6 * n,), "constants": (len(self.varying) + n,)}
        shapes = always | {"given": (12 * n,), "t": (), "h": ()}
        alone = record(lambda state, constants: state, name, **always)
        stage = Stage(optimised(record(step, name, **shapes)))
        return IteratedKernel(Iteration(name, alone, (stage,), alone))

    @cached_property
    def derivatives(self) -> Kernel:
        """∂τ/∂q, ∂τ/∂q̇, ∂τ/∂q̈ and ∂τ/∂φ."""
        n = self.n
        shapes = {"q": (n,), "qd": (n,), "qdd": (n,), "measured": (n,)}
        program = record(self.torque, "torque", **shapes, phi=(len(self.varying),))
        return Kernel(optimised(jacobian(program, ["q", "qd", "qdd", "phi"])))

    # runs

    def states(self, run: HeldRun, beta: np.ndarray) -> np.ndarray:
        """Return q, q̇ and the accelerations of the stages after each step, shape (m, 6 n)."""
        T, known = self.to_inputs[run.load]
        width = 4 * self.n * 8  # bytes of an instant
        state = np.concatenate([run.start, np.zeros(4 * self.n)])[None].copy()
        kept = np.empty((1, len(run.instants) // 2, 6 * self.n))
        instants = run.instants.copy()
        instants[:, : self.n] -= run.columns @ beta[[k for k, _ in self.given]]
        given = Given(instants, np.zeros(1, np.int64), 2 * width)
        constants = np.concatenate([T @ beta + known, run.J])[None].copy()
        self.loop.run(state, constants, given, [kept], every=1, h=run.h)
        return kept[0]

    def sensitivities(self, run: HeldRun, beta: np.ndarray, states: np.ndarray) -> np.ndarray:
        """Return ∂q/∂β after each step, shape (m, n, r)."""
        n, r = self.n, len(self.kept)
        T, known = self.to_inputs[run.load]
        phi = T @ beta + known
        before = np.vstack([run.start, states[:-1, : 2 * n]])
        change = np.zeros((2 * n, r))
        result = np.empty((len(states), n, r))
        for at in range(0, len(states), PIECE):
            part = slice(at, min(at + PIECE, len(states)))
            F = self._steps(run, phi, T, before[part], states[part, 2 * n :], at)
            for k, (by_state, by_beta) in enumerate(
                zip(F[..., : 2 * n], F[..., 2 * n :], strict=True)
            ):
                change = by_state @ change + by_beta
                result[at + k] = change[:n]
        return result

    def _steps(
        self, run: HeldRun, phi: np.ndarray, T: np.ndarray, z: np.ndarray, qdd: np.ndarray, at: int
    ) -> np.ndarray:
        """Return how the state after each step changes with that before and β, (m, 2n, 2n + r)."""
        n, m, h, wide = self.n, len(z), run.h, 2 * self.n + T.shape[1]
        first = np.concatenate([np.eye(2 * n), np.zeros((2 * n, T.shape[1]))], axis=1)
        stages: list[np.ndarray] = []
        states: list[np.ndarray] = []
        for row, c, i in zip(RK4.A, RK4.C, range(4), strict=True):
            x = z + h * sum((a * s for a, s in zip(row, states, strict=True)), np.zeros(1))
            dx = first + h * sum((a * s for a, s in zip(row, stages, strict=True)), np.zeros(1))
            a = qdd[:, i * n : (i + 1) * n]
            given = run.instants[2 * at + round(2 * c) :: 2][:m]
            measured, K, D = (given[:, k * n : (k + 1) * n] for k in (1, 2, 3))
            by_q, by_qd, M, Y = self.derivatives(x[:, :n], x[:, n:], a, measured, phi)
            diagonal = np.arange(n)
            by_q[:, diagonal, diagonal] += K
            by_qd[:, diagonal, diagonal] += D
            M[:, diagonal, diagonal] += run.J
            dx = np.broadcast_to(dx, (m, 2 * n, wide))
            right = by_q @ dx[:, :n] + by_qd @ dx[:, n:]
            right[..., 2 * n :] += Y @ T
            columns = run.columns[2 * at + round(2 * c) :: 2][:m]
            right[..., [2 * n + k for k, _ in self.given]] += columns
            states.append(np.concatenate([x[:, n:], a], axis=1))
            stages.append(np.concatenate([dx[:, n:], -np.linalg.solve(M, right)], axis=1))
        return first + h * sum((b * s for b, s in zip(RK4.B, stages, strict=True)), np.zeros(1))


def is_inertia_like(extra: Extra, n: int) -> bool:
    """Return whether a column can stand in an equation of motion: q̈ counts as that of a mass does.

    Any other (friction by load, a function that was not recorded) is taken at the measured motion.

    Raises:
        BadArgument: If the column is no function of the state.
    """
    if type(extra) is not Extra:
        raise BadArgument(
            f"The column {extra.name!r} cannot be simulated: it is no function of the state.\n"
            "  Leave it out, or take method='weighted'."
        )
    if not isinstance(extra.kernel, Kernel):
        return False
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, 16, n))
    at = [extra(q, qd, x * qdd) for x in (0.0, 1.0, 2.0)]
    M = np.stack([extra(q, qd, np.tile(e, (16, 1))) - at[0] for e in np.eye(n)], axis=-1)
    size = max(float(np.abs(at[1]).max()), 1.0)
    bent = np.abs(at[2] - 2 * at[1] + at[0]).max() > 1e-9 * size
    return not bent and bool(np.abs(M - M.swapaxes(1, 2)).max() <= 1e-9 * size)


def _jumps(program: Program) -> bool:
    return not {"sign", "less", "less_equal"}.isdisjoint(program.counts())


def _results(program: Program, *arrays: Any) -> np.ndarray:
    return np.array(program.results_at(flat(arrays)))
