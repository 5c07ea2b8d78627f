"""A robot in PyTorch."""

from __future__ import annotations

from pathlib import Path

from qddot.errors import MissingExtra
from qddot.robot.functions import Functions
from qddot.robot.robot import Robot


def to_torch(robot: Robot | str | Path) -> Functions:
    """Return the robot's quantities as functions of PyTorch tensors.

    They can be differentiated twice and more in reverse, mapped by torch.func.vmap, and compiled
    around by torch.compile; derivatives are programs of their own. On a CPU they run as the
    compiled kernels, on a GPU as CUDA kernels (which need CuPy).

    Example:
        panda = qddot.to_torch(qddot.load("panda"))
        loss = panda.inverse_dynamics(q, qd, qdd).square().mean()
        loss.backward()
    """
    try:
        import torch

        from qddot.backends.torch_program import function
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "torch":
            raise
        raise MissingExtra("PyTorch", "torch", "torch") from None
    # recording and compiling are no part of what torch.compile sees
    torch.compiler.assume_constant_result(Functions.prepare)
    return Functions(robot, function, "PyTorch")
