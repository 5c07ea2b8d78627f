"""Steps of fixed length, each method written once over any scalar and recorded as programs.

A state is z = (q, q̇, x), with x the state of the law; the implicit midpoint rule has q and p = M q̇
instead. The law is part of the motion: it is asked wherever the method asks for accelerations.

Hairer: E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration*, Springer, 2006.
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
from qddot.simulation.system import Motion, System

# of the implicit midpoint rule: what eight leave over is below 1/1000 of the rule's own error, for
# six arms at steps from 1 to 20 ms; fewer would do for most of them
ITERATIONS = 8


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


def midpoint(motion: Motion, t: Scalar, h: Scalar, z: Any, middle: Any) -> Any:
    """Return a better guess of the middle of a step, for the implicit midpoint rule, of order 2.

    The rule in canonical coordinates z = (q, p, x), which is symplectic, so that the energy of an
    undamped robot stays bounded (Hairer, VI.3), solved by iteration:

        z_m = z + h/2 f(t + h/2, z_m)        z⁺ = z + 2 (z_m − z)
    """
    n = motion.tree.n
    q, p, x = middle[:n], middle[n : 2 * n], middle[2 * n :]
    return z + h / 2 * np.concatenate(motion.canonical(t + h / 2, q, p, x))


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
    """Return the loop of the midpoint rule; its state is z and a guess of the next middle."""
    n, size = system.n, 2 * system.n + system.m

    def better(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
        z, middle = state[:size], state[size:]
        return np.concatenate([z, midpoint(system.at(constants, given), t, h, z, middle)])

    def advanced(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
        z, middle = state[:size], state[size:]
        after = 2 * middle - z
        # the next step will be much like this one
        return np.concatenate([after, after + (middle - z)])

    def start(q: Any, qd: Any, x: Any, constants: Any) -> Any:
        z = np.concatenate([q, system.at(constants, NOTHING).momentum(q, qd), x])
        return np.concatenate([z, z])

    def kept(state: Any, constants: Any) -> dict[str, Any]:
        q, p, x = state[:n], state[n : 2 * n], state[2 * n : size]
        return _named(n, q, system.at(constants, NOTHING).velocity(q, p), x)

    recorder = Recorder(system, 2 * size)
    return recorder.iteration("midpoint", start, [(better, ITERATIONS), (advanced, 1)], kept)


@dataclass(frozen=True)
class Recorder:
    """Records the parts of a loop, all with the same inputs."""

    system: System
    state: int  # how many numbers

    def iteration(
        self,
        name: str,
        start: Callable[..., Any],
        stages: list[tuple[Callable[..., Any], int]],
        kept: Callable[..., Any],
    ) -> Iteration:
        system, n = self.system, self.system.n
        given = (n if system.driven else 0,)
        always = {"state": (self.state,), "constants": (system.constants,)}
        each_step = always | {"given": given, "t": (), "h": ()}
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
