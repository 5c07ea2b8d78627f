"""Many motions at once: the whole loop over steps compiled, over batches of whatever varies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from qddot.backends.cuda import CudaKernel
from qddot.backends.cuda_launch import Compiled
from qddot.backends.cuda_prelude import Real
from qddot.backends.cuda_source import iteration_kernel
from qddot.backends.device_arrays import Kind, cupy_or_error, kind_of, package_of
from qddot.backends.iterated import IteratedKernel
from qddot.backends.threads import available_threads
from qddot.checks import need_joints, one_of
from qddot.errors import BadArgument
from qddot.model.limits import without_stops
from qddot.plain_text import fitted
from qddot.program.program import Iteration
from qddot.progress import message_if_slow
from qddot.results import Judged, in_notebook
from qddot.robot import Robot, robot_of
from qddot.simulation.acting import Forces, law_of, without_motor
from qddot.simulation.equation import System
from qddot.simulation.rollout_arguments import RolloutSetup, arguments, check_choices, step_counts
from qddot.simulation.steps import iteration

DEVICES = ("cpu", "cuda")
LONGEST = 2_000_000_000  # operations of one thread in one launch on a GPU: a second or two


@dataclass(frozen=True, repr=False)
class Rollout(Judged):
    """The motions of a batch of trajectories, at the instants that were kept."""

    robot: Robot
    t: np.ndarray  # (k,) [s]
    q: np.ndarray  # (..., k, n)
    qd: np.ndarray  # (..., k, n)
    x: np.ndarray | None  # (..., k, m), of a controller that has a state
    finite: np.ndarray  # (...), whether a trajectory is finite to its end
    status: str  # how it went, in words
    no_motor: str = ""  # which joints without a motor are given a torque

    @property
    def problems(self) -> tuple[str, ...]:
        """That trajectories stopped being `finite`, or that torques act where no motor is."""
        return () if np.all(self.finite) and not self.no_motor else (self.status,)

    @fitted
    def __repr__(self) -> str:
        return f"<Rollout of {self.robot.name!r}: {len(self.t)} instants; {self.status}>"

    _repr_html_ = in_notebook("simulation.rollout_html")


def rollout(
    robot: Robot | str | Path,
    q0: Any,
    qd0: Any = None,
    *,
    duration: float | None = None,
    step: float,
    steps: int | None = None,
    torque: Any = None,
    torques: Any = None,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    every: float | None = None,
    method: str = "rk4",
    friction: str = "smooth",
    smoothing: float = 0.01,
    device: str = "cpu",
) -> Rollout:
    """Return the motions that start at many states, all of them stepped inside compiled code.

    Leading axes of everything that is given broadcast against each other: that is the batch. It is
    shared out over the robot's threads (`robot.with_options(threads=...)`), and the type of number
    is the robot's. A trajectory that stops being finite does not affect the others; see `status`.

    Args:
        robot: The robot, or its built-in name or file; with its friction, its springs, its rotors.
        q0, qd0: Where the motions start, shape (..., n); at rest if `qd0` is not given.
        duration: Length of the motions [s], a multiple of `step`.
        step: Length of a step [s].
        steps: Number of steps, in place of a duration.
        torque: A constant, shape (..., n), or a recorded controller: a `Program` (or what has one
            as `.program`) that takes any of t (), q (n,), qd (n,), x (m,) and inputs of its own,
            and gives tau (n,), and xd (m,) if it has a state x. It is part of the motion, not
            sampled: asked wherever the method asks for accelerations.
        torques: One row per step, shape (..., steps, n), held for the step; not copied if
            contiguous and of the robot's type. Added to what a controller gives.
        inputs: By name, what a controller takes besides, shape (..., and the input's own); "x" is
            where its state starts.
        parameters: By name, what trajectories differ in, shape (...): any of "<joint>.m", mx, my,
            mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz, Ia, fv, fs, f0, or "gravity.x", y, z; or the symbols
            of a robot that has symbols.
        every: Time between the rows of the result [s], a multiple of `step`; one row per step
            if not given. The first and the last state are always kept.
        method: "rk4", of order 4; "semi_implicit_euler", of order 1, the least work per step;
            "midpoint", implicit and symplectic, of order 2: energy does not drift.
        friction: "smooth": dry friction acts along tanh(q̇/smoothing).
        smoothing: The velocity [rad/s or m/s] at which dry friction is three quarters of its size.
            Dry friction Fₛ on an inertia I wants steps shorter than about I smoothing / Fₛ.
        device: "cpu"; or "cuda": on an NVIDIA GPU, one thread per trajectory. What starts there
            (q0, qd0, torques of CuPy, PyTorch or JAX) is not copied; the result is of that kind.

    Example:
        >>> import qddot
        >>> robot = qddot.load("double_pendulum")
        >>> run = qddot.rollout(robot, [[0.1, 0.2], [1.0, 0.0]], duration=1.0, step=0.01)
        >>> run.q.shape
        (2, 101, 2)
    """
    robot = robot_of(robot)
    check_choices(method, friction, smoothing, step)
    steps, stride = step_counts(duration, step, steps, every)
    one_of("device", device, DEVICES)
    need_joints(robot, "there is no motion")
    law = law_of(torque, robot.n, robot.nq)
    if law is None and callable(torque):
        raise BadArgument(
            "torque is a Python function, which compiled code cannot call. Record it:\n"
            f"  torque=qddot.record(f, q=({robot.nq},), qd=({robot.n},)); or use qddot.simulate."
        )
    kind, xp = (Kind("numpy"), np) if device == "cpu" else gpu_arrays(q0, qd0, torques)
    if not kind.on_host:
        on_gpu = partial(kind.to_cupy, xp, dtype=np.dtype(robot.dtype))
        q0, qd0, torque, torques = (
            on_gpu(x) if package_of(x) == kind.package else x for x in (q0, qd0, torque, torques)
        )
    given = arguments(robot, q0, qd0, torque, torques, law, parameters, inputs, steps, xp)
    driven = given.torques is not None
    forces = Forces(law, driven, smoothing=float(smoothing))
    system = System(robot.model, forces, tuple(given.parameters))

    # only what is kept, and where it starts
    rows = steps // stride + 1
    x0: Any = given.inputs.get("x", xp.zeros(0, robot.dtype))
    starts: dict[str, Any] = {"q": given.q0, "qd": given.qd0} | ({"x": x0} if x0.shape[-1] else {})
    kept = {}
    for name, start in starts.items():
        kept[name] = xp.empty((*given.batch, rows, start.shape[-1]), robot.dtype)
        kept[name][..., 0, :] = start
    run = run_on_cpu if device == "cpu" else run_on_gpu
    loop = loop_for(robot, system, method, short=device == "cuda")
    run(robot, loop, given, kept, stride, float(step))
    t = np.arange(rows) * stride * float(step)
    flat = [x.reshape(-1, rows, x.shape[-1]) for x in kept.values()]
    finite = xp.isfinite(xp.concatenate([x[:, -1] for x in flat], axis=1)).all(axis=1)
    found = {name: kind.from_cupy(x) for name, x in kept.items()}
    if device == "cuda" and kind.on_host:
        found = {name: x.get() for name, x in kept.items()}
    on_host = np.asarray(finite if xp is np else finite.get())
    idle = without_motor(robot, law, given.torques)
    ended = status(on_host, flat, t, step), idle, without_stops(robot.model, "a rollout")
    return Rollout(
        robot,
        t,
        found["q"],
        found["qd"],
        found.get("x"),
        on_host.reshape(given.batch),
        "; ".join(filter(None, ended)),
        idle,
    )


def gpu_arrays(*arrays: Any) -> tuple[Kind, Any]:
    """Return what kind of arrays users gave, and CuPy."""
    return kind_of([x for x in arrays if x is not None and not callable(x)]), cupy_or_error()


def run_on_cpu(
    robot: Robot, loop: Iteration, given: RolloutSetup, kept: dict[str, Any], every: int, h: float
) -> None:
    """Fill the rows of `kept` after the first, which holds where the motions start."""
    kernel = kernel_for(robot, loop)
    count = prod(given.batch)
    flat = [x.reshape(count, *x.shape[-2:]) for x in kept.values()]
    first = [x[:, 0] for x in flat] + ([] if "x" in kept else [np.zeros((count, 0), robot.dtype)])
    constants = given.constants()
    with np.errstate(all="ignore"):
        state = kernel.start.general(*first, constants)
    kernel.run(state, constants, given.given(), [x[:, 1:] for x in flat], every=every, h=h)


def loop_for(robot: Robot, system: System, method: str, *, short: bool = False) -> Iteration:
    """Return the recorded loop, made once for each robot and choice."""
    choice = (method, system.forces, system.parameters, short)

    def make() -> Iteration:
        with message_if_slow(f"recording steps of {robot.name}"):
            return iteration(system, method, short=short)

    return robot.cached("loop", choice, make)


def kernel_for(robot: Robot, loop: Iteration) -> IteratedKernel:
    """Return the compiled loop, made once for each robot."""

    def make() -> IteratedKernel:
        return IteratedKernel(loop, np.dtype(robot.dtype), robot.threads or available_threads())

    return robot.cached("rollout", loop.digest, make)


def status(finite: np.ndarray, kept: list[np.ndarray], t: np.ndarray, step: float) -> str:
    """Say how many trajectories stopped being finite, when the first did, and why probably."""
    count, lost = len(finite), int((~finite).sum())
    if not lost:
        return f"{count:,} trajector{'y' if count == 1 else 'ies'}, finite to the end"
    # what is not finite once stays so: look for the first row by halving
    low, high = 0, len(t) - 1
    while high - low > 1:
        middle = (low + high) // 2
        well = all(np.isfinite(x[:, middle]).all() for x in kept)
        low, high = (middle, high) if well else (low, middle)
    return (
        f"{lost:,} of {count:,} trajectories stopped being finite, the first by t = {t[high]:g} s; "
        f"a step of {step:g} s is probably too long for them: take a shorter one"
    )


def run_on_gpu(
    robot: Robot, loop: Iteration, given: RolloutSetup, kept: dict[str, Any], every: int, h: float
) -> None:
    """Fill the rows of `kept` as `run_on_cpu` does, of arrays that are on the GPU."""
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


def _torques(given: RolloutSetup) -> tuple[Any, int, int]:
    """Return the torques, and how many entries lie between trajectories and between steps."""
    if given.torques is None:
        return given.xp.zeros(1, given.q0.dtype), 0, 0
    core = given.torques.shape[-1 - given.by_step :]
    alone = given.torques.ndim == len(core)
    whole = given.torques if alone else given.xp.broadcast_to(given.torques, given.batch + core)
    return given.xp.ascontiguousarray(whole), 0 if alone else prod(core), given.by_step * core[-1]
