"""Rollouts on a GPU: the same loop, one thread a trajectory."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from qddot.backends.cuda import Compiled, CudaKernel
from qddot.backends.cuda_iteration import iteration_kernel
from qddot.backends.cuda_words import Real
from qddot.program.iteration import Iteration
from qddot.robot import Robot
from qddot.simulation.rollout_arguments import Arguments

LONGEST = 2_000_000_000  # operations of one thread in one launch: a second or two


def run_on_gpu(
    robot: Robot, loop: Iteration, given: Arguments, kept: dict[str, Any], every: int, h: float
) -> None:
    """Fill the rows of `kept` after the first, which holds where the motions start.

    Args:
        robot: Whose type of number counts.
        loop: What a step is.
        given: The arrays, on the GPU.
        kept: By name, arrays of shape (..., rows, size).
        every: How many steps there are from row to row.
        h: How long a step is [s].
    """
    xp, dtype = given.xp, np.dtype(robot.dtype)
    count = prod(given.batch)
    first = [x.reshape(count, *x.shape[-2:])[:, 0] for x in kept.values()]
    if "x" not in kept:
        first.append(xp.zeros((count, 0), dtype))
    constants = given.constants()
    start, compiled = _kernels(robot, loop)
    state = start.on_device(xp, [*first, constants])[0]
    torques, apart, by_step = _torques(given)
    rows = next(iter(kept.values())).shape[-2] - 1
    # in pieces, so that no launch holds the GPU for long
    most = max(1, LONGEST // max(len(loop) * every, 1))
    for start in range(0, rows, most):
        some = min(most, rows - start)
        pieces = [xp.empty((count, some, x.shape[-1]), dtype) for x in kept.values()]
        compiled.launch(
            count,
            *(state, constants, np.int64(constants.shape[-1])),
            *(torques, np.int64(apart), np.int64(by_step)),
            *pieces,
            *(np.int64(some), np.int64(every), np.int64(start * every), np.float64(h)),
        )
        for whole, piece in zip(kept.values(), pieces, strict=True):
            at = slice(1 + start, 1 + start + some)
            whole[..., at, :] = piece.reshape(*given.batch, some, piece.shape[-1])


def _kernels(robot: Robot, loop: Iteration) -> tuple[CudaKernel, Compiled]:
    """Return the kernels of the first state and of the loop, made once for each robot."""

    def make() -> tuple[CudaKernel, Compiled]:
        dtype = np.dtype(robot.dtype)
        real = Real(dtype == np.float32)
        whole = Compiled(iteration_kernel(loop, "run", real), real)
        return CudaKernel(loop.start, dtype), whole

    return robot.cached("rollout on the GPU", loop.digest, make)


def _torques(given: Arguments) -> tuple[Any, int, int]:
    """Return the torques, and how many entries lie between trajectories and between steps."""
    if given.torques is None:
        return given.xp.zeros(1, given.q0.dtype), 0, 0
    core = given.torques.shape[-1 - given.by_step :]
    alone = given.torques.ndim == len(core)
    whole = given.torques if alone else given.xp.broadcast_to(given.torques, given.batch + core)
    return given.xp.ascontiguousarray(whole), 0 if alone else prod(core), given.by_step * core[-1]
