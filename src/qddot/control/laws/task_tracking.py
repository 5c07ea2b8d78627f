"""Tasks in a closed loop: a law of the joints follows the motion that several tasks ask for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qddot.control.laws.assumption import Assumption, Rows
from qddot.control.laws.law import ControlLaw
from qddot.control.tasks.task_velocity import TaskVelocity
from qddot.errors import BadArgument, listing, shorten
from qddot.motions.motion import Triple
from qddot.motions.setpoint import CommandedReference
from qddot.program.differentiate import tangent
from qddot.program.program import Program
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar
from qddot.spatial.vector import vector


@dataclass(frozen=True, eq=False, repr=False)
class TaskTracking(ControlLaw):
    """A law of the joints behind a reference that tasks move.

    The reference q_r is a state of the law, behind the law's own. It starts where the arm starts,
    and moves at the velocity for its tasks, so that it keeps to the limits whatever the arm does:

        q̇_r = v(t, q_r)        q̈_r = ∂v/∂t + ∂v/∂q q̇_r

    Args:
        velocity: The tasks; the targets of all of them are places or motions.
        law: A law that follows joints; what it follows itself does not count.
    """

    velocity: TaskVelocity
    law: ControlLaw

    equation: ClassVar[str] = "q̇_r = v(t, q_r) of the tasks; τ = law(t, q, q̇; q_r, q̇_r, q̈_r)"

    def __init__(self, velocity: TaskVelocity, law: ControlLaw) -> None:
        if not isinstance(velocity, TaskVelocity):
            given = shorten(repr(velocity))
            raise BadArgument(f"TaskTracking takes a TaskVelocity and a law, not {given}.")
        follows = isinstance(law, ControlLaw) and getattr(law, "reference", None)
        if not isinstance(law, ControlLaw) or law.moves_frame or not hasattr(follows, "at"):
            raise BadArgument(
                "TaskTracking takes a law that follows joints, as ComputedTorque, not "
                f"{shorten(repr(law))}."
            )
        if velocity.told:
            names = [task.name for task in velocity.told]
            raise BadArgument(
                f"The tasks of a law know their targets, and {listing(names)} is told at a call.\n"
                "  Give it one: target=, a place or a motion."
            )
        if velocity.robot.joint_names != law.robot.joint_names:
            raise BadArgument("The tasks and the law are of arms with other joints.")
        for name, value in (("robot", law.robot), ("velocity", velocity), ("law", law)):
            object.__setattr__(self, name, value)

    def on(self, robot: Robot) -> TaskTracking:
        """Return the same with a law that is made from another model; the tasks keep theirs."""
        return TaskTracking(self.velocity, self.law.on(robot))

    def limited(self, effort: np.ndarray) -> TaskTracking:
        return TaskTracking(self.velocity, self.law.limited(effort))

    @property
    def x0(self) -> np.ndarray:
        return np.concatenate([self.law.x0, self.robot.home])

    def start(self, q0: np.ndarray, qd0: np.ndarray) -> np.ndarray:
        """Return the law's own start, and where the arm is."""
        return np.concatenate([self.law.start(q0, qd0), q0])

    @cached_property
    def _rate(self) -> Program:
        program = self.velocity.program
        return tangent(program, [port.name for port in program.inputs])

    def _moved(self, t: Scalar, x: JointVec) -> Triple:
        """Return q_r, q̇_r and q̈_r."""
        q, program = x[len(self.law.x0) :], self.velocity.program
        timed = program.inputs[0].name == "t"
        state = [t, *q] if timed else [*q]
        qd = vector(program.results_at(state))
        return q, qd, vector(self._rate.results_at([*state, *([1] if timed else []), *qd]))

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        motion = self._moved(t, x)
        law = self.law.following(CommandedReference(motion, self.robot.n))
        tau, xd = law.define(t, q, qd, x[: len(self.law.x0)])
        return tau, np.concatenate([np.asarray(xd, dtype=object), motion[1]])

    def error(self, t: Scalar, q: JointVec) -> Any:
        """Return e of all tasks, the lowest level first, weighted."""
        parts = [task.rows(q, *task.at(t))[0] for task in self.velocity.tasks]
        return np.concatenate([np.asarray(part, dtype=object) for part in parts])

    @property
    def error_names(self) -> tuple[str, ...]:
        return tuple(name for task in self.velocity.tasks for name in task.row_names)

    @property
    def _moving(self) -> ControlLaw:
        """The law, whose reference is no set point."""
        still = np.zeros(self.robot.n)
        motion = self.robot.home, still, still
        return self.law.following(CommandedReference(motion, self.robot.n))

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        why = "limits and other tasks may keep errors from vanishing"
        own = self._moving.assumptions(robot, None)
        return [*own, Assumption("The tasks can all be met", None, why)]

    def dry_friction(self, robot: Robot, q: np.ndarray) -> Assumption:
        return self._moving.dry_friction(robot, q)

    def stiffness(self, q: np.ndarray) -> np.ndarray | None:
        return self.law.stiffness(q)

    def value(self, tree: Any, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Any:
        """Return V of the law behind its reference."""
        law = self.law.following(CommandedReference(self._moved(t, x), self.robot.n))
        return law.value(tree, t, q, qd, x[: len(self.law.x0)])
