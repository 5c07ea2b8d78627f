"""Steps of fixed length, each method written once over any scalar and recorded as programs.

A state is z = (q, q̇, x), with x the state of the law; the implicit midpoint rule has q and p = M q̇
instead. The law is part of the motion: it is asked wherever the method asks for accelerations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.program.iteration import Iteration, Stage
from qddot.program.optimise import optimised
from qddot.program.recorder import record
from qddot.scalars import Scalar
from qddot.simulation import midpoint
from qddot.simulation.system import Motion, System


def semi_implicit_euler(motion: Motion, t: Scalar, h: Scalar, q: Any, qd: Any, x: Any) -> tuple:
    """Return the state a step later, of order 1: rates first, then positions with the new rates.

    The step:

        q̇⁺ = q̇ + h q̈(t, q, q̇)        q⁺ = q + h q̇⁺
    """
    qdd, xd = motion.acceleration(t, q, qd, x)
    qd = qd + h * qdd
    return q + h * qd, qd, x + h * xd


def rk4(motion: Motion, t: Scalar, h: Scalar, q: Any, qd: Any, x: Any) -> tuple:
    """Return the state a step later, by the classical method of Runge and Kutta, of order 4.

    The step, with f the rate of z:

        k₁ = f(t, z)                      k₂ = f(t + h/2, z + h/2 k₁)
        k₃ = f(t + h/2, z + h/2 k₂)       k₄ = f(t + h, z + h k₃)
        z⁺ = z + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)
    """
    n = len(q)
    z = np.concatenate([q, qd, x])

    def f(t: Scalar, z: Any) -> Any:
        qdd, xd = motion.acceleration(t, z[:n], z[n : 2 * n], z[2 * n :])
        return np.concatenate([z[n : 2 * n], qdd, xd])

    k1 = f(t, z)
    k2 = f(t + h / 2, z + h / 2 * k1)
    k3 = f(t + h / 2, z + h / 2 * k2)
    k4 = f(t + h, z + h * k3)
    z = z + h / 6 * (k1 + 2 * (k2 + k3) + k4)
    return z[:n], z[n : 2 * n], z[2 * n :]


def explicit(system: System, method: str) -> Iteration:
    """Return the loop of a method that goes straight from state to state."""
    n = system.n
    step = EXPLICIT[method]

    def advanced(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
        parts = state[:n], state[n : 2 * n], state[2 * n :]
        return np.concatenate(step(system.at(constants, given), t, h, *parts))

    def start(q: Any, qd: Any, x: Any, constants: Any) -> Any:
        return np.concatenate([q, qd, x])

    def kept(state: Any, constants: Any) -> dict[str, Any]:
        return _named(n, state[:n], state[n : 2 * n], state[2 * n :])

    recorder = Recorder(system, 2 * n + system.m)
    return recorder.iteration(method, start, [(advanced, 1)], kept)


def implicit_midpoint(system: System) -> Iteration:
    """Return the loop of the midpoint rule.

    Its state is z = (q, p, x), the middle (q̇, x) of the last step, and how far Newton's method
    moved that in the end.
    """
    n, size = system.n, 2 * system.n + system.m
    recorder = Recorder(system, size + n + system.m + 1)
    newton = midpoint.Newton(system, recorder.inputs)

    def better(state: Any, *more: Any) -> Any:
        middle, change = newton.better(state, *more)
        return np.concatenate([state[:size], middle, [change]])

    def advanced(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
        z, middle, change = state[:size], state[size:-1], state[-1]
        after = midpoint.advanced(system.at(constants, given), h, z, middle, change)
        return np.concatenate([after, middle, [change]])

    def start(q: Any, qd: Any, x: Any, constants: Any) -> Any:
        return np.concatenate([q, system.at(constants, NOTHING).momentum(q, qd), x, qd, x, [0]])

    def kept(state: Any, constants: Any) -> dict[str, Any]:
        q, p, x = state[:n], state[n : 2 * n], state[2 * n : size]
        return _named(n, q, system.at(constants, NOTHING).velocity(q, p), x)

    stages = [(better, newton.iterations), (advanced, 1)]
    return recorder.iteration("midpoint", start, stages, kept)


@dataclass(frozen=True)
class Recorder:
    """Records the parts of a loop, all with the same inputs."""

    system: System
    state: int  # how many numbers

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """The shapes of what a step is made of."""
        given = (self.system.n if self.system.driven else 0,)
        constants = (self.system.constants,)
        return {"state": (self.state,), "constants": constants, "given": given, "t": (), "h": ()}

    def iteration(
        self,
        name: str,
        start: Callable[..., Any],
        stages: list[tuple[Callable[..., Any], int]],
        kept: Callable[..., Any],
    ) -> Iteration:
        system, n, each_step = self.system, self.system.n, self.inputs
        always = {name: each_step[name] for name in ("state", "constants")}
        begin = {"q": (n,), "qd": (n,), "x": (system.m,), "constants": always["constants"]}
        name = f"{system.model.name} by {name}"
        return Iteration(
            name,
            optimised(record(start, name, **begin)),
            tuple(Stage(optimised(record(f, name, **each_step)), count) for f, count in stages),
            optimised(record(kept, name, **always)),
        )


def iteration(system: System, method: str) -> Iteration:
    """Return the loop of a method by its name."""
    return implicit_midpoint(system) if method == "midpoint" else explicit(system, method)


def _named(n: int, q: Any, qd: Any, x: Any) -> dict[str, Any]:
    return {"q": q, "qd": qd} | ({"x": x} if len(x) else {})


EXPLICIT: dict[str, Callable[..., tuple]] = {
    "semi_implicit_euler": semi_implicit_euler,
    "rk4": rk4,
}
METHODS = (*EXPLICIT, "midpoint")
NOTHING = np.zeros(0, dtype=object)
