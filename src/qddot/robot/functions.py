"""A robot's quantities on another backend: the same names, the same arguments, the same shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadArgument, MissingExtra, NoValues, did_you_mean
from qddot.model.arguments import sign_on
from qddot.program.program import Program
from qddot.robot.loading import robot_of
from qddot.robot.quantities import NAMES, OF_A_POSE, Request, results_of
from qddot.robot.robot import Robot

# what stands behind the arrays, in a robot's own methods too
CHOICES = {
    "pose": ("frame",),
    "point_motion": ("frame",),
    "jacobian": ("frame", "axes"),
    "jacobian_rate": ("frame", "axes"),
    "jacobian_product": ("frame", "axes"),
    "jacobian_transposed_product": ("frame", "axes"),
    "inverse_effective_mass": ("frame", "axes"),
    "manipulability": ("frame", "axes"),
    "coriolis_matrix": ("form",),
    "all_terms": ("frame",),
    "inverse_kinematics_all": ("frame",),
}
DERIVATIVES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
WITHOUT_FRAME_TOO = NAMED = ("all_terms",)  # and whose results have names


class Functions:
    """A robot's quantities, each lowered when it is first called.

    What is asked by name is a function of arrays, and of frames where a robot's method is:

        functions.inverse_dynamics(q, qd, qdd)      functions.jacobian(q, "tool", axes="local")
        functions.forward_dynamics(q, qd, tau, wrenches={"tool": f})
    """

    def __init__(
        self,
        robot: Robot | str | Path,
        lower: Callable[[Program], Callable[..., Any]],
        where: str,
        few_at_once: tuple[str, ...] = (),  # the quantities of which few values may wait at a time
    ):
        robot = robot_of(robot)
        if robot.symbols:
            raise NoValues(robot.name, robot.symbols, "robot.with_values({}=1.0, ...)")
        self.robot = robot
        self._lower, self._where, self._few_at_once = lower, where, few_at_once
        self._lowered: dict[Request, Callable[..., Any]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What is lowered stays behind when it is copied or sent to another process."""
        return self.__dict__ | {"_lowered": {}}

    def __dir__(self) -> list[str]:
        return ["robot", "lowered", *NAMES, *OF_A_POSE]

    def __repr__(self) -> str:
        return f"<{self.robot.name!r} on {self._where}: {', '.join(NAMES)}>"

    def __getattr__(self, quantity: str) -> Callable[..., Any]:
        if quantity.startswith("_"):  # asked before there is anything, when it is copied
            raise AttributeError(quantity)
        if quantity not in (*NAMES, *OF_A_POSE):
            near = did_you_mean(quantity, (*NAMES, *OF_A_POSE))
            raise AttributeError(f"A robot on {self._where} has no {quantity!r}.{near}")

        def function(*arguments: Any, **more: Any) -> Any:
            return self._call(quantity, *arguments, **more)

        function.__name__ = quantity
        function.__doc__ = getattr(Robot, quantity, function).__doc__
        return function

    def lowered(self, quantity: str, **choices: Any) -> Callable[..., Any]:
        """Return a quantity as what the backend makes of its program, made once.

        Args:
            quantity: "inverse_dynamics", "mass_matrix", ...
            choices: `frame`, `axes`, `wrenches` (names of frames), `disturbed`, `base_moves`.
        """
        self.prepare(quantity, **choices)
        return self._lowered[Request(quantity, **choices)]

    def prepare(self, quantity: str, **choices: Any) -> bool:
        """Lower a quantity, if that was not done before."""
        request = Request(quantity, **choices)
        if request not in self._lowered:
            more = {"few_at_once": True} if quantity in self._few_at_once else {}
            self._lowered[request] = self._lower(self.robot.program(quantity, **choices, **more))
        return True

    def _call(
        self,
        quantity: str,
        *arguments: Any,
        wrenches: Any = None,
        wrenches_on: str = "robot",
        disturbance: Any = None,
        base_motion: Any = None,
        **choices: Any,
    ) -> Any:
        arrays = [x for x in arguments if not isinstance(x, str)]
        words = [x for x in arguments if isinstance(x, str)]
        names = CHOICES.get(quantity, ())
        choices |= dict(zip(names, words, strict=False))
        known = {*names, "axes"} if wrenches else set(names)
        if len(words) > len(names) or not choices.keys() <= known:
            extra = [*words[len(names) :], *(choices.keys() - known)]
            raise BadArgument(f"{quantity} takes no {extra[0]!r}.")
        if "frame" in names and "frame" not in choices and quantity not in WITHOUT_FRAME_TOO:
            raise BadArgument(f"{quantity} needs a frame: {quantity}(..., {self._tip!r}).")
        # what shape these have is the backend's to check: arrays differ between them
        by_frame, motion = dict(wrenches or {}), () if base_motion is None else tuple(base_motion)
        if sign_on(wrenches_on) < 0:
            arrays_of = {f: np.array(x) if isinstance(x, list) else x for f, x in by_frame.items()}
            by_frame = {f: -x for f, x in arrays_of.items()}
        loads = [*by_frame.values(), *(() if disturbance is None else (disturbance,)), *motion]
        if loads:
            choices |= {"wrenches": tuple(by_frame), "base_moves": bool(motion)}
            choices |= {"disturbed": disturbance is not None}
        found = self.lowered(quantity, **choices)(*arrays, *loads)
        if quantity in NAMED:  # asked in words that torch.compile knows
            found = results_of(Request(quantity, **choices))(*found)
        return found

    @property
    def _tip(self) -> str:
        return self.robot.tip


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
    from qddot.backends.cuda import CudaKernel

    robot = robot_of(robot)
    # a float64 takes two of a thread's 255 registers, and what does not fit is slow to wait for
    crowded = DERIVATIVES if robot.dtype == "float64" else ()
    return Functions(robot, partial(CudaKernel, dtype=np.dtype(robot.dtype)), "a GPU", crowded)


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
    with _named_if_missing("JAX", "jax", "jaxlib"):
        from qddot.backends.jax_program import function
    return Functions(robot, function, "JAX")


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
    with _named_if_missing("PyTorch", "torch"):
        import torch

        from qddot.backends.torch_program import function
    # recording and compiling are no part of what torch.compile sees
    torch.compiler.assume_constant_result(Functions.prepare)
    return Functions(robot, function, "PyTorch")


def to_casadi(robot: Robot | str | Path) -> Functions:
    """Return the robot's quantities as functions of CasADi, for optimal control.

    Each takes numbers, SX or MX, and CasADi differentiates it as any of its own. The function
    itself, to be named, mapped or generated as C, is `lowered`:

        arm = qddot.to_casadi(qddot.load("panda"))
        qdd = arm.forward_dynamics(q, qd, tau)                  # q, qd, tau: casadi.MX of 7 rows
        step = arm.lowered("forward_dynamics").map(40)          # a casadi.Function
    """
    with _named_if_missing("CasADi", "casadi", "_casadi"):
        from qddot.backends.casadi_program import function
    return Functions(robot, function, "CasADi")


@contextmanager
def _named_if_missing(what: str, package: str, *parts: str) -> Iterator[None]:
    """Say which extra to install where a package, or a part of it, cannot be imported."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in (package, *parts):
            raise
        raise MissingExtra(what, package, package) from None
