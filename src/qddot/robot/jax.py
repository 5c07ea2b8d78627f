"""A robot in JAX."""

from __future__ import annotations

from pathlib import Path

from qddot.errors import MissingExtra
from qddot.robot.functions import Functions
from qddot.robot.robot import Robot


def to_jax(robot: Robot | str | Path) -> Functions:
    """Return the robot's quantities as functions of JAX arrays.

    They can be jitted, vmapped and differentiated to any order, forward and in reverse; derivatives
    are programs of their own. On a CPU they run as the compiled kernels, on a GPU as CUDA kernels
    if CuPy is installed, else as JAX's own operations. JAX computes in float32 unless
    jax_enable_x64 is set.

    Example:
        panda = qddot.to_jax(qddot.load("panda"))
        tau = jax.vmap(panda.inverse_dynamics)(q, qd, qdd)
        hessian = jax.hessian(panda.potential_energy)(q[0])
    """
    try:
        from qddot.backends.jax_program import function
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("jax", "jaxlib"):
            raise
        raise MissingExtra("JAX", "jax", "jax") from None
    return Functions(robot, function, "JAX")
