"""Joint velocities for several tasks at once, within limits: differential inverse kinematics.

Tasks of one level share what they cannot all have, by their weights. A higher level uses what the
levels below leave free, their null space (Y. Nakamura, H. Hanafusa, T. Yoshikawa, *Task-priority
based redundancy control of robot manipulators*, 1987; B. Siciliano, J.-J. Slotine, 1991). Level
after level, with q̇₋ what the levels below have found and A all their Jacobians:

    min ‖J (q̇ − q̇₋) − r‖² + λ ‖q̇ − q̇₋‖² + ‖A (q̇ − q̇₋)‖²/μ        r = ẋ_d + k e − J q̇₋
    low ≤ q̇ ≤ high

    low = max(−rate, c (lower − q))      high = min(rate, c (upper − q))

Without limits, μ → 0 makes it the projection on the null space of A; with μ > 0 it stays continuous
where A is singular. λ = |e|²/10 + 4 k h |e| + least is the damping of inverse kinematics: a short
step where J is singular, none where the tasks are met. Postures, whose J is never singular, have no
part in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from qddot.backends.iterated import IteratedKernel
from qddot.backends.kernel import Kernel
from qddot.backends.threads import available_threads
from qddot.checks import check_finite, flag, need_joints, positive, real_array, spread, whole
from qddot.control.tasks.followed import FollowedTasks, followed, stepping
from qddot.control.tasks.task import VelocityTask, tasks_of
from qddot.errors import BadArgument, UnknownName, WrongShape, WrongValue, listing
from qddot.kinematics.damped_step import DAMPING
from qddot.kinematics.nearest import OUT_OF_REACH
from qddot.kinematics.poses import ALMOST, proper_matrices, straightened
from qddot.kinematics.within_bounds import least_within
from qddot.plain_text import fitted
from qddot.program.optimise import optimised
from qddot.program.program import Port, Program, flat
from qddot.program.recorder import record
from qddot.progress import message_if_slow
from qddot.robot import Robot, robot_of
from qddot.scalars import JointVec, Scalar, sqrt
from qddot.simulation.rollout_arguments import step_counts

PRIORITY = 1e-7  # μ: a level moves those below it by at most √μ of what it lacks
LEAST, LEAST_ABOVE = 1e-8, 1e-6  # least damping of the first level, and of those above it
SPARE_PASSES = 1  # beside one for each joint
RATE = "_velocity"  # what the velocity of a target is called, behind the target's name


@dataclass(frozen=True, eq=False, repr=False)
class TaskVelocity:
    """Joint velocities for tasks, within limits and rates.

    What is sure, whatever the tasks are: |q̇| ≤ rate, and a joint within its limits stays there, in
    continuous time and in steps q + h q̇ of at most 1/c. A joint beyond a limit comes back, at its
    rate at most. A level never lets those below it off by more than √μ |r|. What is not sure: that
    a level is at its optimum. That takes some more passes than joints are at a limit.

    Args:
        robot: The robot, or its built-in name or file.
        tasks: A task or several: `FrameTask`, `ComTask`, `PostureTask`.
        step: h, how often it is asked [s].
        rate: The largest velocities, a number or (n,) [rad/s or m/s]; the robot's if not given.
        approach: c, how fast joints may come near their limits: at c times what is left [1/s].
        limits: Whether joints keep to their limits of position.
        passes: How many passes find which limits are in use, in each level.

    Example:
        >>> tasks = [FrameTask("tool"), PostureTask(gain=1, level=1)]
        >>> ik = TaskVelocity(qddot.load("panda"), tasks)
        >>> qd = ik(q, X)        # q (..., 7), X (..., 4, 4)
    """

    robot: Robot
    tasks: Any
    step: float = field(default=1e-3, kw_only=True)
    rate: Any = field(default=None, kw_only=True)
    approach: float = field(default=10.0, kw_only=True)
    limits: bool = field(default=True, kw_only=True)
    passes: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "robot", robot_of(self.robot))
        names = self.robot.joint_names
        need_joints(self.robot)
        step, approach = positive("step", self.step, "s"), positive("approach", self.approach)
        if approach * step > 1:
            raise BadArgument(
                f"approach is {approach:g}/s and a step {step:g} s: a joint would pass its limit "
                f"in a step.\n  Give an approach of at most {1 / step:g}, or a shorter step."
            )
        tasks = tasks_of(self.robot, self.tasks)
        for task in tasks:
            if task.gain * step > 1:
                raise BadArgument(
                    f"gain of task {task.name!r} is {task.gain:g}/s and a step {step:g} s: it "
                    f"would overshoot in a step.\n  Give a gain of at most {1 / step:g}."
                )
        own = self.robot.limits.velocity if self.rate is None else self.rate
        rate = spread("rate", own, names, "a velocity that is not negative", least=0, finite=False)
        passes = len(names) + SPARE_PASSES if self.passes is None else self.passes
        flag("limits", self.limits)
        kept = {"tasks": tasks, "rate": rate, "passes": whole("passes", passes, 1)}
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    @property
    def told(self) -> tuple[VelocityTask, ...]:
        """The tasks whose targets are told at every call."""
        return tuple(task for task in self.tasks if task.told)

    def bounds(self, q: JointVec) -> tuple[Any, Any]:
        """Return low and high, the velocities that are allowed at q, over any scalar."""
        if not self.limits:
            return -self.rate, self.rate
        limits, c, v = self.robot.limits, self.approach, self.rate
        low = np.minimum(np.maximum(c * (limits.lower - q), -v), v)
        return low, np.minimum(np.maximum(c * (limits.upper - q), -v), v)

    def define(self, t: Scalar, q: JointVec, told: Mapping[str, Any]) -> JointVec:
        """Return q̇, over any scalar.

        Args:
            t: When [s].
            q: Joint positions, (n,).
            told: Targets by name, and their velocities by name + "_velocity".
        """
        n, passes = self.robot.n, self.passes or 0
        low, high = self.bounds(q)
        qd = np.minimum(np.maximum(np.zeros(n) + 0 * q, low), high)
        below = np.zeros((n, n), dtype=object)
        for level, some in groupby(self.tasks, key=lambda task: task.level):
            jacobians, wanted, square, hurry = [], [], 0.0, 0.0
            for task in some:
                aim = (told[task.name], told[task.name + RATE]) if task.told else task.at(t)
                e, J, velocity = task.rows(q, *aim)
                jacobians.append(J)
                wanted.append(velocity + task.gain * e)
                if task.may_be_singular:
                    square, hurry = square + e @ e, max(hurry, task.gain * self.step)
            J = np.concatenate(jacobians)
            least = LEAST if level == self.tasks[0].level else LEAST_ABOVE
            damping = DAMPING * square + OUT_OF_REACH * hurry * sqrt(square + 1e-30) + least
            own = J.T @ J
            H = own + damping * np.eye(n, dtype=int) + below / PRIORITY
            slope = -(J.T @ (np.concatenate(wanted) - J @ qd))
            qd = least_within(H, slope, qd, low, high, passes)
            below = below + own
        return qd

    @cached_property
    def program(self) -> Program:
        """The program from q and what is told, and from t if a target moves, to qd."""
        shapes: dict[str, tuple[int, ...]] = {"t": ()} if self.timed else {}
        shapes["q"] = (self.robot.nq,)
        for task in self.told:
            shapes |= {task.name: task.shape, task.name + RATE: (task.velocities,)}

        def velocity(*arrays: Any) -> dict[str, Any]:
            given = dict(zip(shapes, arrays, strict=True))
            return {"qd": self.define(given.get("t", 0.0), given["q"], given)}

        with message_if_slow(f"recording tasks of {self.robot.name}"):
            return optimised(record(velocity, "task_velocity", **shapes))

    @cached_property
    def kernel(self) -> Kernel:
        """The program, compiled, and beside it whether what was given can be right."""
        shapes = {port.name: port.shape for port in self.program.inputs}

        def checked(*arrays: Any) -> dict[str, Any]:
            finite, proper = sum(abs(x) for x in flat(arrays)) < np.inf, 1
            for array in arrays:
                if np.shape(array) == (4, 4):
                    proper = proper * (straightened(array)[1] <= ALMOST)
            qd = self.program.pack(self.program.results_at(flat(arrays)))
            finite = finite * (sum(abs(x) for x in flat(qd)) < np.inf)
            return {"qd": qd, "right": finite * proper}

        program = optimised(record(checked, "task_velocity", **shapes))
        threads = self.robot.threads or available_threads()
        return Kernel(program, threads=threads, refuse=self._refuse, otherwise=self._say_what)

    def _say_what(self, *arrays: np.ndarray) -> Any:
        """Say what is wrong with what was given, where something is."""
        for port, array in zip(self.program.inputs, arrays, strict=True):
            joints = self.robot.joint_names
            check_finite(port.name, array, joints if port.shape == (len(joints),) else ())
            if port.shape == (4, 4):
                proper_matrices(array, port.name)
        raise BadArgument("The joint velocities are not finite: a target is too far away.")

    def _refuse(self, port: Port, shape: tuple[int, ...]) -> Exception:
        if port.name == "q":
            return WrongShape("q", shape, self.robot.name, self.robot.joint_names)
        each = next((task for task in self.told if task.name == port.name), None)
        meaning = "the velocity of its target" if each is None else each.meaning
        numbers = ", ".join(map(str, port.shape))
        wanted = f"it must have shape (..., {numbers}): {meaning}"
        return WrongValue(port.name, f"has shape {shape}", wanted)

    def __call__(self, q: Any, targets: Any = None, velocities: Any = None, t: Any = 0.0) -> Any:
        """Return q̇, shape (..., n).

        Args:
            q: Joint positions [rad or m], shape (..., n).
            targets: Of the tasks that have none: one array where there is one such task, else by
                name, {"tool": X, "elbow": p}; each for all q, or one for each.
            velocities: Of these targets, likewise, [ω; ẋ] of a pose; 0 where not given.
            t: When [s], where targets move.

        Raises:
            BadArgument: If a target is missing, has another shape, is no pose or not finite.
        """
        return self.kernel.call(*self.inputs(q, targets, velocities, t))

    def inputs(self, q: Any, targets: Any, velocities: Any, t: Any) -> list[Any]:
        """Return what the program takes, in order."""
        arrays = [np.array(t), q] if self.timed else [q]
        if not self.told and targets is None:
            return arrays
        places = self._by_name("targets", targets)
        rates = {} if velocities is None else self._by_name("velocities", velocities)
        for name, still in self._still.items():
            if name not in places:
                raise BadArgument(
                    f"Task {name!r} has no target; tell it at the call: ik(q, {{{name!r}: ...}})."
                )
            arrays += [places[name], rates.get(name, still)]
        return arrays

    @cached_property
    def timed(self) -> bool:
        """Whether a target moves, so that it depends on t."""
        return any(task.moves for task in self.tasks)

    @cached_property
    def _still(self) -> dict[str, np.ndarray]:
        """Velocities of 0, by the names of the tasks that are told their targets."""
        return {task.name: np.zeros(task.velocities) for task in self.told}

    def _by_name(self, what: str, given: Any) -> Mapping[str, Any]:
        if isinstance(given, Mapping):
            if unknown := next((name for name in given if name not in self._still), None):
                raise UnknownName("task", str(unknown), self.robot.name, list(self._still))
            return given
        if given is None or len(self._still) == 1:
            return {} if given is None else dict.fromkeys(self._still, given)
        raise BadArgument(
            f"{what} is one array, and {len(self._still)} tasks are told theirs at a call "
            f"({listing(self._still) or 'none'}); give them by name."
        )

    def followed(
        self, q0: Any, duration: float, targets: Any = None, *, every: float | None = None
    ) -> FollowedTasks:
        """Return the motion of an arm that moves at these velocities, in steps q + h q̇.

        All steps are one compiled loop, for as many arms at once as the processor has lanes. A law
        can follow what comes of it.

        Args:
            q0: Where it starts [rad or m], shape (..., n).
            duration: How long [s], a multiple of the step.
            targets: As in a call; they stay the same.
            every: Time between rows [s], a multiple of the step; every step if not given.
        """
        steps, stride = step_counts(duration, self.step, None, every)
        q0 = real_array("q0", q0)
        if q0.shape[-1:] != (self.robot.n,):
            raise WrongShape("q0", q0.shape, self.robot.name, self.robot.joint_names)
        arrays = [real_array("a target", x) for x in self.inputs(q0, targets, None, 0.0)]
        first = self(arrays[self.timed], targets)  # which says what is wrong with them
        return followed(self, arrays[self.timed :], first.shape[:-1], steps, stride)

    @cached_property
    def loop(self) -> IteratedKernel:
        """Steps along these velocities, compiled."""
        return stepping(self.program, self.timed, self.robot)

    def __getstate__(self) -> dict[str, Any]:
        """Compiled code stays behind when it is copied or sent to another process."""
        return {key: x for key, x in self.__dict__.items() if key not in ("kernel", "loop")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @fitted
    def __repr__(self) -> str:
        names = ", ".join(f"{task.name} (level {task.level})" for task in self.tasks)
        return f"<TaskVelocity of {self.robot.name!r}: {names}>"
