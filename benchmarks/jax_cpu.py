"""How long does a state take in JAX on a CPU, beside frax and beside JAX's own operations?

One jitted batch of a panda, on one core: inverse dynamics, the gradient of a loss through it, and
its Jacobians. Three contenders: qddot's primitive, whose derivatives are programs of their own;
frax, a package for robots in JAX; and the very program that qddot compiles, written in JAX's
operations and differentiated by JAX.

XLA fuses long chains of operations and then computes what they share again and again. So the last
one is also compiled without that pass, which is quicker here, and derivatives only so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from peers import FRAX, frax_functions
from robots import robot_named, states
from table import Row, against
from timing import Contender, Effort, one_core, race, say
from ways import AGREEMENT, disagreement

import qddot

LEAST = 20  # times frax
UNFUSED = {"xla_disable_hlo_passes": "fusion"}
Function = Callable[..., Any]


@dataclass(frozen=True)
class Entry:
    """A function of one state in JAX, and how XLA shall compile it."""

    name: str
    function: Function
    options: dict[str, str] | None = None
    target: float | None = None

    def compiled(self) -> Function:
        import jax

        batch = jax.jit(jax.vmap(self.function), compiler_options=self.options)
        return lambda *args: jax.block_until_ready(batch(*args))


def rows(effort: Effort) -> list[Row]:
    """Return one row a quantity and a contender."""
    if find_spec("jax") is None:
        say("JAX is not installed and not measured: pip install jax")
        return []
    with one_core():
        robot = robot_named("panda")
        frax = _frax(robot)  # first: it sets what frax recommends before JAX starts
        import jax

        jax.config.update("jax_enable_x64", True)
        args = tuple(jax.numpy.asarray(x) for x in states(robot, effort.states))
        found = []
        for what, (mine, *others) in contenders(robot, frax).items():
            say(f"jax_cpu: {what} ...")
            found += compare(f"panda in JAX: {what}", mine, others, args, effort)
    return found


def contenders(robot: qddot.Robot, frax: list[Function]) -> dict[str, list[Entry]]:
    """Return, a quantity, who computes it; ours is the first."""
    ours, same = qddot.to_jax(robot), _same_program(robot)
    inverse = ours.inverse_dynamics
    return {
        "inverse dynamics": [
            Entry("qddot", inverse),
            *(Entry("frax, vmap and jit", f, target=LEAST) for f in frax),
            Entry("the same program in JAX", same),
            Entry("the same, unfused", same, UNFUSED),
        ],
        "gradient of ½‖τ‖² by q, q̇, q̈": [
            Entry("qddot, jax.grad", _gradient(inverse)),
            *(Entry("frax, jax.grad", _gradient(f)) for f in frax),
            Entry("the same program, jax.grad, unfused", _gradient(same), UNFUSED),
        ],
        "∂τ/∂q and ∂τ/∂q̇": [
            Entry("qddot, inverse_dynamics_derivatives", ours.inverse_dynamics_derivatives),
            *(Entry("frax, jax.jacrev", _jacobians(f)) for f in frax),
            Entry("the same program, jax.jacrev, unfused", _jacobians(same), UNFUSED),
            Entry("qddot, jax.jacrev", _jacobians(inverse)),
        ],
    }


def compare(
    what: str, mine: Entry, others: Sequence[Entry], args: tuple, effort: Effort
) -> list[Row]:
    """Return the rows of one quantity: the time a state of each contender that agrees."""
    first = mine.compiled()
    right, agreed = first(*args), []
    for entry in others:
        call = entry.compiled()
        apart = disagreement(_arrays(right), _flat(call(*args)))
        if apart < AGREEMENT:
            agreed.append((entry, call))
        else:
            say(f"{entry.name} differs by {apart:.1e} and is not timed")
    count = len(args[0])
    calls = [first, *(call for _, call in agreed)]
    ours, *theirs = race([Contender(call, args, count) for call in calls], effort.seconds)
    return [
        against(what, ours, entry.name, time, entry.target)
        for (entry, _), time in zip(agreed, theirs, strict=True)
    ]


def _frax(robot: qddot.Robot) -> list[Function]:
    """Return frax's inverse dynamics of one state, where it is installed."""
    return [frax_functions(robot)["inverse_dynamics"]] if FRAX.installed else []


def _same_program(robot: qddot.Robot) -> Function:
    """Return the program that qddot compiles, in JAX's own operations."""
    from qddot.backends.jax_program import _native, known

    native = partial(_native, of=known(robot.program("inverse_dynamics")))
    return lambda *arrays: native(*arrays)[0]


def _gradient(function: Function) -> Function:
    import jax

    return jax.grad(lambda *x: (function(*x) ** 2).sum() / 2, argnums=(0, 1, 2))


def _jacobians(function: Function) -> Function:
    import jax

    return jax.jacrev(function, argnums=(0, 1))  # 7 outputs, 14 inputs


def _arrays(result: Any) -> Any:
    return tuple(map(np.asarray, result)) if isinstance(result, tuple) else np.asarray(result)


def _flat(result: Any) -> np.ndarray:
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.asarray(x).reshape(len(x), -1) for x in parts], axis=1)
