"""What people pass to `rollout`, made into contiguous rows of numbers or refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.backends.device_arrays import package_of
from qddot.backends.iterated import Given
from qddot.checks import REAL, by_name, check_finite, not_real, one_of, positive, real_array, whole
from qddot.errors import BadArgument, WrongShape, did_you_mean, listing, printable
from qddot.robot import Robot
from qddot.simulation.acting import Law
from qddot.simulation.steps import METHODS
from qddot.simulation.varied import check_names

MOST_STEPS = 2**53


@dataclass(frozen=True)
class RolloutSetup:
    """The arrays of a rollout, each with batch axes in front, and the batch that they make."""

    batch: tuple[int, ...]
    q0: np.ndarray
    qd0: np.ndarray
    torques: np.ndarray | None  # (..., n) or (..., steps, n)
    parameters: dict[str, np.ndarray]
    inputs: dict[str, np.ndarray]  # of the law, its state x included
    by_step: bool = False  # torques have an axis of steps
    xp: Any = np  # the package of the arrays: NumPy or CuPy

    def constants(self) -> np.ndarray:
        """Return one row per trajectory: parameters, then further inputs of the law."""
        columns = [x[..., None] for x in self.parameters.values()]
        for name, x in self.inputs.items():
            if name != "x":
                columns.append(x)
        width = sum(x.shape[-1] for x in columns)
        rows = self.xp.empty((*self.batch, width), self.q0.dtype)
        at = 0
        for x in columns:
            rows[..., at : at + x.shape[-1]] = x
            at += x.shape[-1]
        return rows.reshape(math.prod(self.batch), width)

    def given(self) -> Given:
        """Return where each trajectory's torques are; they are not copied."""
        if self.torques is None:
            return Given(np.zeros(1), np.zeros(math.prod(self.batch), np.int64))
        core = self.torques.shape[-2:] if self.by_step else self.torques.shape[-1:]
        whole = np.broadcast_to(self.torques, self.batch + core)
        axes = np.ix_(*(np.arange(length) for length in self.batch))
        strides = whole.strides
        offsets = sum((a * s for a, s in zip(axes, strides, strict=False)), np.zeros((), np.int64))
        every = np.broadcast_to(offsets, self.batch).reshape(-1)
        return Given(whole, np.ascontiguousarray(every), strides[-2] if self.by_step else 0)


def arguments(
    robot: Robot,
    q0: Any,
    qd0: Any,
    torque: Any,
    torques: Any,
    law: Law | None,
    parameters: Mapping[str, Any] | None,
    inputs: Mapping[str, Any] | None,
    steps: int,
    xp: Any = np,
) -> RolloutSetup:
    """Return the arrays of a rollout, checked, of the robot's type of number and of package xp."""
    rows: dict[str, tuple[np.ndarray, int]] = {}  # with how many axes each has besides the batch's
    rows["q0"] = (_of_joints(robot, "q0", q0), 1)
    rows["qd0"] = (_of_joints(robot, "qd0", np.zeros(robot.n) if qd0 is None else qd0), 1)
    if torque is not None and law is None:
        if torques is not None:
            raise BadArgument("Give torque or torques, not both: a constant, or one row per step.")
        rows["torque"] = (_contiguous(_of_joints(robot, "torque", torque)), 1)
    if torques is not None:
        rows["torques"] = (_contiguous(_by_step(robot, torques, steps)), 2)
    names = by_name("parameters", parameters, "{'j1.m': [1.0, 2.0]}")
    check_names(robot, tuple(names))
    varied = {name: _finite(robot, f"parameter {name!r}", x) for name, x in names.items()}
    law_values = law_inputs(robot, law, inputs)

    shapes = {name: x.shape[: x.ndim - core] for name, (x, core) in rows.items()}
    shapes |= {f"parameter {name!r}": x.shape for name, x in varied.items()}
    shapes |= {f"input {name!r}": x.shape[:-1] for name, x in law_values.items()}
    try:
        batch = np.broadcast_shapes(*shapes.values())
    except ValueError:
        raise BadArgument(
            "The batches do not fit together: "
            + ", ".join(f"{name} {shape}" for name, shape in shapes.items() if shape)
            + ". These axes, the trajectories, must be equal or 1."
        ) from None
    given = rows.get("torques") or rows.get("torque")
    return RolloutSetup(
        batch,
        xp.asarray(rows["q0"][0]),
        xp.asarray(rows["qd0"][0]),
        xp.asarray(given[0]) if given else None,
        {name: xp.asarray(x) for name, x in varied.items()},
        {name: xp.asarray(x) for name, x in law_values.items()},
        torques is not None,
        xp,
    )


def check_choices(method: Any, friction: Any, smoothing: Any, step: Any) -> None:
    """Raise unless the words are known and the numbers possible."""
    one_of("method", method, METHODS)
    if friction == "exact":
        raise BadArgument(
            "A rollout has steps of fixed length and cannot stop where a joint sticks: it has "
            "friction='smooth'.\n"
            "  qddot.simulate follows exact dry friction, one trajectory at a time."
        )
    if friction != "smooth":
        raise BadArgument(f"friction is {friction!r}; for a rollout it must be 'smooth'.")
    positive("step", step, "s")
    positive("smoothing", smoothing, "rad/s or m/s")


def step_counts(duration: Any, step: float, steps: Any, every: Any) -> tuple[int, int]:
    """Return how many steps there are, and how many from one row of the result to the next."""
    if (duration is None) == (steps is None):
        raise BadArgument("Say how long: duration [s], or how many steps; one of the two.")
    if steps is None:
        steps = _multiple("duration", duration, step)
    steps = whole("steps", steps, 1)
    stride = 1 if every is None else _multiple("every", every, step)
    if steps % stride:
        less = steps - steps % stride
        raise BadArgument(
            f"steps is {steps}, which is no multiple of the {stride} between two rows, so the last "
            f"state would not be kept.\n  Take steps={less or stride} or steps={less + stride}."
        )
    return steps, stride


def _multiple(name: str, seconds: Any, step: float) -> int:
    """Return how many steps a time has."""
    positive(name, seconds, "s")
    if seconds / step > MOST_STEPS:
        what = f"more than {MOST_STEPS:.1g} steps of {step:g} s"
        raise BadArgument(f"{name} is {seconds:g} s, which is {what}.")
    count = round(seconds / step)
    if count < 1 or abs(count - seconds / step) > 1e-6 * count:
        near = [
            f"{name}={k * step:g}"
            for k in (math.floor(seconds / step), math.ceil(seconds / step))
            if k
        ]
        raise BadArgument(
            f"{name} is {seconds:g} s, which is no multiple of the step of {step:g} s.\n"
            f"  Take {' or '.join(near)}."
        )
    return count


def law_inputs(
    robot: Robot, law: Law | None, inputs: Mapping[str, Any] | None
) -> dict[str, np.ndarray]:
    """Return the inputs of the law, flat, in the order in which it takes them."""
    given = by_name("inputs", inputs, "{'gain': [50.0, 80.0]}")
    ports = law.program.inputs if law else ()
    wanted = {port.name: port.shape for port in ports if port.name not in ("t", "q", "qd")}
    for name in given:
        if name not in wanted:
            what = f"The controller takes {listing(wanted) or 'no inputs of its own'}"
            what = what if law else "There is no recorded controller"
            near = did_you_mean(str(name), wanted)
            raise BadArgument(f"inputs has {printable(str(name))!r}.{near} {what}.")
    if missing := [name for name in wanted if name not in given]:
        example = ", ".join(f"{name!r}: array of shape {_core(wanted[name])}" for name in missing)
        raise BadArgument(
            f"The controller also takes {listing(missing)}; give them:\n  inputs={{{example}}}."
        )
    flat = {}
    for name, shape in wanted.items():
        x = _finite(robot, f"input {name!r}", given[name])
        lead = x.ndim - len(shape)
        if lead < 0 or x.shape[lead:] != shape:
            raise BadArgument(
                f"input {name!r} has shape {x.shape}; it must have shape {_core(shape)}."
            )
        flat[name] = x.reshape(*x.shape[:lead], math.prod(shape))
    return flat


def _core(shape: tuple[int, ...]) -> str:
    return f"({', '.join(['...', *map(str, shape)])})"


def _of_joints(robot: Robot, name: str, x: Any) -> np.ndarray:
    """Return an array whose last axis is the joints, all of it finite."""
    array = _array(robot, name, x)
    names = robot.model.position_names if name == "q0" else robot.joint_names
    if array.shape[-1:] != (len(names),):
        raise WrongShape(name, array.shape, robot.name, names)
    check_finite(name, array, names, "joint ")
    return array


def _by_step(robot: Robot, torques: Any, steps: int) -> np.ndarray:
    array = _array(robot, "torques", torques)
    if array.shape[-2:] != (steps, robot.n):
        raise BadArgument(
            f"torques has shape {array.shape}; for {steps} steps of robot {robot.name!r} it must "
            f"have shape (..., {steps}, {robot.n}), one row per step.\n"
            "  A torque that does not change is torque=, of shape (..., n)."
        )
    check_finite("torques", array, robot.joint_names, "joint ")
    return array


def _finite(robot: Robot, name: str, x: Any) -> np.ndarray:
    array = _array(robot, name, x)
    check_finite(name, array)
    return array


def _array(robot: Robot, name: str, x: Any) -> np.ndarray:
    if package_of(x) != "cupy":
        return real_array(name, x, robot.dtype)
    if x.dtype.kind not in REAL:
        raise not_real(name)
    return x.astype(robot.dtype, copy=False)


def _contiguous(array: np.ndarray) -> np.ndarray:
    """Return the array itself if the torques of one step lie side by side, else a copy."""
    if package_of(array) == "cupy":  # made so where it is used
        return array
    side_by_side = array.shape[-1] == 1 or array.strides[-1] == array.itemsize
    return array if side_by_side and array.flags.aligned else np.ascontiguousarray(array)
