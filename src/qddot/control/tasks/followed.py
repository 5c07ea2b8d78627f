"""Arms that move at the velocities for their tasks: steps q + h q̇ as one compiled loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.backends.iterated import Given, IteratedKernel
from qddot.backends.threads import available_threads
from qddot.motions.spline import Spline
from qddot.plain_text import fitted
from qddot.program.optimise import optimised
from qddot.program.program import Iteration, Program, Stage
from qddot.program.recorder import record
from qddot.robot import Robot

if TYPE_CHECKING:
    from qddot.control.tasks.task_velocity import TaskVelocity


@dataclass(frozen=True, eq=False, repr=False)
class FollowedTasks:
    """The motion of an arm, or of many, along the velocities for its tasks."""

    t: np.ndarray  # (k,) [s]
    q: np.ndarray  # (..., k, n) [rad or m]
    qd: np.ndarray  # (..., k, n) [rad/s or m/s]

    @fitted
    def __repr__(self) -> str:
        *arms, rows, n = self.q.shape
        batch = f"{' × '.join(map(str, arms))} arms, " if arms else ""
        span = f"{rows} instants from {self.t[0]:g} to {self.t[-1]:g} s"
        return f"<FollowedTasks: {batch}{n} joints, {span}>"

    def as_motion(self, tolerance: float = 1e-5) -> Spline:
        """Return the motion of one arm as a smooth one, for a law to follow.

        Args:
            tolerance: How far it may be off [rad or m].
        """
        return Spline(self.t, self.q, tolerance)


def stepping(program: Program, timed: bool, robot: Robot) -> IteratedKernel:
    """Return the loop over steps; its constants are what the program takes besides t and q."""
    name = "followed tasks"
    sizes = [port.size for port in program.inputs[timed + 1 :]]
    always = {"state": (robot.n,), "constants": (sum(sizes),)}

    def step(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
        entries = [*([t] if timed else []), *state, *constants]
        return state + h * program.pack(program.results_at(entries))

    same = record(lambda state, constants: state, name, **always)
    stage = Stage(optimised(record(step, name, **always, given=(0,), t=(), h=())))
    loop = Iteration(name, same, (stage,), same)
    return IteratedKernel(loop, threads=robot.threads or available_threads())


def followed(
    velocity: TaskVelocity,
    given: Sequence[np.ndarray],
    batch: tuple[int, ...],
    steps: int,
    stride: int,
) -> FollowedTasks:
    """Return the motions of a batch of arms, and a row every `stride` steps.

    Given are where the arms start, and what the program takes besides, for all arms or one for
    each.
    """
    ports, h = velocity.program.inputs[velocity.timed :], velocity.step
    flat = [
        np.broadcast_to(x, batch + port.shape).reshape(-1, port.size)
        for x, port in zip(given, ports, strict=True)
    ]
    state, rows = flat[0].copy(), steps // stride + 1
    constants = np.concatenate([np.zeros((len(state), 0)), *flat[1:]], axis=1)
    q = np.empty((len(state), rows, state.shape[1]))
    q[:, 0] = state
    nothing = Given(np.zeros(1), np.zeros(len(state), dtype=np.int64))
    velocity.loop.run(state, constants, nothing, [q[:, 1:]], every=stride, h=h)
    q, t = q.reshape(*batch, rows, -1), np.arange(rows) * stride * h
    told = [
        np.broadcast_to(x, batch + port.shape)[(..., None, *[slice(None)] * len(port.shape))]
        for x, port in zip(given[1:], ports[1:], strict=True)
    ]
    return FollowedTasks(t, q, velocity.kernel.call(*([t] if velocity.timed else []), q, *told))
