"""A robot on an NVIDIA GPU."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from qddot.backends.cuda import CudaKernel
from qddot.robot.functions import Functions
from qddot.robot.loading import robot_of
from qddot.robot.robot import Robot


def to_cuda(robot: Robot | str | Path) -> Functions:
    """Return the robot's quantities as kernels on an NVIDIA GPU, in the robot's type of number.

    They take and give arrays of CuPy, PyTorch or JAX that live on the GPU, without a copy; arrays
    of NumPy are carried there and back, in pieces if they do not fit. They have no gradients: for
    those, see `to_jax` and `to_torch`. Rollouts are `qddot.rollout(..., device="cuda")`.

    Example:
        gpu = qddot.to_cuda(qddot.load("panda"))
        tau = gpu.inverse_dynamics(q, qd, qdd)                      # of shape (..., 7), on the GPU
        print(gpu.lowered("inverse_dynamics").resources())          # registers, occupancy
    """
    robot = robot_of(robot)
    return Functions(robot, partial(CudaKernel, dtype=np.dtype(robot.dtype)), "a GPU")
