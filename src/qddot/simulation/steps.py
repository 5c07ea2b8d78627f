"""Steps of fixed length, each method once over any scalar, and recorded as loops of programs.

A state is z = (q, q̇, x), with x the state of the law; the implicit midpoint rule has q and p = M q̇
instead. The law is part of the motion: it is asked wherever the method asks for accelerations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.forward import solve
from qddot.dynamics.momentum import momentum
from qddot.errors import BadArgument
from qddot.model.folding import fold
from qddot.model.tree import Tree
from qddot.program.optimise import optimised
from qddot.program.program import Iteration, Stage
from qddot.program.recorder import record
from qddot.runge_kutta import RK4, Rate
from qddot.simulation import midpoint
from qddot.simulation.equation import Instant, Layout, System

StepFunction = Callable[[Rate, Any, Any], Any]  # from dz/dt, z and h to z a step later


def semi_implicit_euler(tree: Tree) -> StepFunction:
    """Return a step of order 1, of states that begin with the positions and velocities of a tree.

    Velocities first, then positions with the new velocities. As long as nothing but position acts,
    energy oscillates without drifting:

        q̇⁺ = q̇ + h q̈(t, q, q̇)        q⁺ = q + h q̇⁺
    """
    nq, end = tree.nq, tree.nq + tree.n

    def step(rate: Rate, z: Any, h: Any) -> Any:
        later = z + h * rate(0, z)
        q = tree.step(z[:nq], h * later[nq:end])
        return np.concatenate([q, later[nq:]])

    return step


def rk4(tree: Tree) -> StepFunction:
    """Return the classical step of order 4; afterwards q is a configuration again."""
    nq = tree.nq

    def step(rate: Rate, z: Any, h: Any) -> Any:
        later = RK4.step(rate, z, h)
        return later if tree.flat else np.concatenate([tree.project(later[:nq]), later[nq:]])

    return step


# by name, from the robot to the step
EXPLICIT: dict[str, Callable[[Tree], StepFunction]] = {
    "semi_implicit_euler": semi_implicit_euler,
    "rk4": rk4,
}
METHODS = (*EXPLICIT, "midpoint")
LEAST_TOLERANCE = 1e-13  # of the methods with error control; below, rounding decides
NOTHING = np.zeros(0, dtype=object)


def iteration(system: System, method: str, *, short: bool = False) -> Iteration:
    """Return the loop of one of METHODS by its name.

    A short rk4 is a quarter as long and runs four times a step: quicker where code waits to be
    loaded, as on a GPU, and slower elsewhere, since more is kept between stages.
    """
    if method == "midpoint":
        return implicit_midpoint(system)
    return rk4_by_stages(system) if short and method == "rk4" else explicit(system, method)


def explicit(system: System, method: str) -> Iteration:
    """Return the loop of a method that goes straight from state to state."""
    nq, end = system.layout.nq, system.layout.nq + system.layout.n
    recorder = Recorder(system, end + system.layout.m)
    step = EXPLICIT[method](fold(system.model, lambda x: x))

    def advanced(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
        at = recorder.instants(constants, given)
        return step(lambda share, z: at(t + share * h, z).motion_rate, state, h)

    def start(q: Any, qd: Any, x: Any, constants: Any) -> Any:
        return np.concatenate([q, qd, x])

    def kept(state: Any, constants: Any) -> dict[str, Any]:
        return _named(state[:nq], state[nq:end], state[end:])

    return recorder.iteration(method, start, [(advanced, 1)], kept)


def rk4_by_stages(system: System) -> Iteration:
    """Return the loop of the classical method of order 4 as one stage that runs four times.

    Its state is z, where the stage is asked, the weighted sum of the rates so far, the number of
    the stage s = 0 ... 3 and the share c of the step at which it is:

        k = f(t + c h, y)    Σ⁺ = Σ + b k, b = 1, 2, 2, 1    c⁺ = 1/2, 1/2, 1    y⁺ = z + c⁺ h k
    """
    nq, end = system.layout.nq, system.layout.nq + system.layout.n
    size = end + system.layout.m
    recorder = Recorder(system, 3 * size + 2)
    tree = fold(system.model, lambda x: x)

    def stage(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
        z, y, total = state[:size], state[size : 2 * size], state[2 * size : -2]
        s, c = state[-2:]
        rate = recorder.instants(constants, given)(t + c * h, y).motion_rate
        b, c = 1 + s * (3 - s) / 2, (1 + s * (s - 1) / 2) / 2
        return np.concatenate([z, z + c * h * rate, total + b * rate, [s + 1, c]])

    def advanced(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
        later = state[:size] + h / 6 * state[2 * size : -2]
        return begun(np.concatenate([tree.project(later[:nq]), later[nq:]]))

    def start(q: Any, qd: Any, x: Any, constants: Any) -> Any:
        return begun(np.concatenate([q, qd, x]))

    def begun(z: Any) -> Any:
        return np.concatenate([z, z, np.zeros(size + 2, dtype=object)])

    def kept(state: Any, constants: Any) -> dict[str, Any]:
        return _named(state[:nq], state[nq:end], state[end:size])

    return recorder.iteration("rk4", start, [(stage, 4), (advanced, 1)], kept)


def implicit_midpoint(system: System) -> Iteration:
    """Return the loop of the midpoint rule.

    Its state is z = (q, p, x), the middle (q̇, x) of the last step, and how far Newton's method
    moved that in the end.
    """
    n, m = system.layout.n, system.layout.m
    check_coordinates(system.layout)
    size = 2 * n + m
    recorder = Recorder(system, size + n + m + 1)
    newton = midpoint.Newton(recorder.instants, n, m, recorder.inputs)

    def better(state: Any, *more: Any) -> Any:
        middle, change = newton.better(state, *more)
        return np.concatenate([state[:size], middle, [change]])

    def advanced(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
        z, middle, change = state[:size], state[size:-1], state[-1]
        after = midpoint.advanced(recorder.tree(constants), h, z, middle, change)
        return np.concatenate([after, middle, [change]])

    def start(q: Any, qd: Any, x: Any, constants: Any) -> Any:
        return np.concatenate([q, momentum(recorder.tree(constants), q, qd), x, qd, x, [0]])

    def kept(state: Any, constants: Any) -> dict[str, Any]:
        q, p, x = state[:n], state[n : 2 * n], state[2 * n : size]
        return _named(q, solve(mass_matrix(recorder.tree(constants), q), p), x)

    stages = [(better, newton.iterations), (advanced, 1)]
    return recorder.iteration("midpoint", start, stages, kept)


def check_coordinates(layout: Layout) -> None:
    """Refuse joints whose q is not as many numbers as v, for the midpoint rule."""
    if layout.nq != layout.n:
        raise BadArgument("The midpoint rule takes joints with one coordinate each. Use rk4.")


@dataclass(frozen=True)
class Recorder:
    """Records the parts of a loop, all with the same inputs."""

    system: System
    state: int  # how many numbers

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """The shapes of what a step is made of; constants are parameters, then the law's inputs."""
        forces = self.system.forces
        more = sum(port.size for port in (forces.law.more if forces.law else ()))
        constants = (len(self.system.parameters) + more,)
        given = (self.system.model.n if forces.driven else 0,)
        return {"state": (self.state,), "constants": constants, "given": given, "t": (), "h": ()}

    def tree(self, constants: Any) -> Any:
        """Return the tree with the parameters among these constants."""
        return self.system.tree(constants[: len(self.system.parameters)])

    def instants(self, constants: Any, given: Any) -> Callable[[Any, Any], Instant]:
        """Return what makes an instant of t and (q, q̇, x), with these constants and torques."""
        layout, tree = self.system.layout, self.tree(constants)
        nq, end = layout.nq, layout.nq + layout.n
        known = {"tau": given, "law": list(constants[len(self.system.parameters) :])}

        def at(t: Any, z: Any) -> Instant:
            state = {"t": t, "q": z[:nq], "qd": z[nq:end], "x": z[end:]}
            return Instant(tree, self.system.forces, known | state)

        return at

    def iteration(
        self,
        name: str,
        start: Callable[..., Any],
        stages: list[tuple[Callable[..., Any], int]],
        kept: Callable[..., Any],
    ) -> Iteration:
        """Return the loop of these functions, recorded."""
        layout, each_step = self.system.layout, self.inputs
        always = {name: each_step[name] for name in ("state", "constants")}
        start_of: dict[str, tuple[int, ...]] = {"q": (layout.nq,), "qd": (layout.n,)}
        start_of |= {"x": (layout.m,), "constants": always["constants"]}
        name = f"{self.system.model.name} by {name}"
        return Iteration(
            name,
            optimised(record(start, name, **start_of)),
            tuple(Stage(optimised(record(f, name, **each_step)), count) for f, count in stages),
            optimised(record(kept, name, **always)),
        )


def _named(q: Any, qd: Any, x: Any) -> dict[str, Any]:
    return {"q": q, "qd": qd} | ({"x": x} if len(x) else {})
