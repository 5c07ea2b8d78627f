"""What every law has: one recorded program, and the assumptions of its stability proof.

A law says in `define` what it does, over any scalar. That is recorded once; the program is what
Python calls, what `simulate` and `rollout` fuse into the motion, and what is exported.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.control.laws import dry_friction
from qddot.control.laws.assumption import Assumption, Rows
from qddot.control.laws.gains import Assignment
from qddot.dynamics.regroup import regrouped
from qddot.errors import BadArgument, WrongShape
from qddot.model.tree import Tree
from qddot.model.units import ANGLE, unit_of
from qddot.motions.setpoint import stays
from qddot.plain_text import fitted
from qddot.program.optimise import optimised
from qddot.program.program import Port, Program, flat
from qddot.program.recorder import record
from qddot.progress import message_if_slow
from qddot.results import in_notebook
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

NO_STATE = np.zeros(0)


@dataclass(frozen=True, eq=False, repr=False)
class ControlLaw:
    """A control law, made from its model of the robot."""

    robot: Robot  # the law's model, which may be wrong

    equation: ClassVar[str] = ""

    # how it is asked for by its name: in plans, on the command line, in the studio

    kind: ClassVar[str] = ""  # that name; a class without one of its own is made in Python alone
    gain_names: ClassVar[tuple[str, ...]] = ()  # those that may be given
    # of each: a unit, or which of its joints' units it has; "" where its entries have several
    gain_units: ClassVar[Mapping[str, str]] = {}
    moves_frame: ClassVar[bool] = False  # and not joints
    # what its model stands for: "arm", "start" of its estimates, "lengths" of its Jacobian alone
    model_for: ClassVar[str] = "arm"

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        """Return gains that suit the arm, and what else the law is made from, by argument."""
        return {}

    @classmethod
    def assigned(cls, task: Assignment) -> ControlLaw:
        """Return the law, with gains that suit the arm where none are given."""
        more: dict[str, Any] = cls.suited(task) | task.gains
        return cls(task.model, reference=task.reference, **more)  # type: ignore[call-arg]

    def gain_parts(self, gain: str) -> tuple[str, ...]:
        """Return what the entries of a gain belong to."""
        return self.robot.joint_names

    def gain_unit(self, gain: str) -> str:
        """Return the unit of a gain of this robot; "" where its entries have several."""
        unit = self.gain_units.get(gain, "")
        joints = self.robot.model.free_joints
        return unit_of(joints, unit) if hasattr(ANGLE, unit) else unit

    # what a law says

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple[Any, Any]:
        """Return τ and ẋ, over any scalar."""
        raise NotImplementedError

    @property
    def x0(self) -> np.ndarray:
        """Where its own state starts, shape (m,)."""
        return NO_STATE

    def start(self, q0: np.ndarray, qd0: np.ndarray) -> np.ndarray:
        """Return where its own state starts when the arm starts like this."""
        return self.x0

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        """Return what its proof of stability relies on, and whether that is so.

        What every proof needs (no torque cut off, no unknown force, ...) is checked by
        `closed_loop`, for all laws alike.

        Args:
            robot: The arm under control; the law's own model if not given.
            run: The rows of a run; without it, what only a run can show is open.
        """
        return [Assumption("The law has a proof of stability", None, "it names none")]

    def dry_friction(self, robot: Robot, q: np.ndarray) -> Assumption:
        """Return what dry friction of an arm does to the proof, at a position."""
        return dry_friction.left(self, robot, q)

    def error_left(self, robot: Robot, q: np.ndarray) -> float:
        """Return how large an error the proof leaves in the end; most say that none is left."""
        return 0.0

    def vanishing(self, robot: Robot, run: Rows) -> np.ndarray | None:
        """Return what of V falls to zero along a run, by the proof; None where it has no V."""
        return run.V

    def stiffness(self, q: np.ndarray) -> np.ndarray | None:
        """Return S at a position: an arm that stands still is pushed back by S e; None: unknown."""
        return None

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V over any scalar for an arm, or None where the law has no such function."""
        return None

    def falling(self, t: Scalar, q: JointVec, qd: JointVec) -> Scalar:
        """Return what is positive where the proof says that V falls, over any scalar."""
        return 1.0

    def error(self, t: Scalar, q: JointVec) -> Any:
        """Return the error of the law, over any scalar."""
        raise NotImplementedError

    @property
    def error_names(self) -> tuple[str, ...]:
        """What the entries of `error` are."""
        return self.robot.joint_names

    @property
    def error_units(self) -> tuple[str, ...]:
        """The units of the entries of `error`: "rad", "m", or "" where none is known."""
        if self.error_names == self.robot.joint_names:
            return tuple(joint.units.position for joint in self.robot.model.free_joints)
        return ("",) * len(self.error_names)

    @property
    def gains(self) -> dict[str, Any]:
        """Its fields that are numbers, as plain values; of a diagonal matrix, the diagonal."""
        found = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, (int, float, np.ndarray)):
                array = np.asarray(value, dtype=float)
                diagonal = np.diag(np.diag(array)) if array.ndim == 2 else None
                same = diagonal is not None and np.array_equal(array, diagonal)
                found[field.name] = (np.diag(array) if same else array).tolist()
        return found

    @cached_property
    def stays(self) -> bool:
        """Whether its reference is one place."""
        reference = getattr(self, "reference", None)
        return reference is not None and stays(reference)

    # the same law, otherwise

    def on(self, robot: Robot) -> ControlLaw:
        """Return the same law, made from another model."""
        return replace(self, robot=robot)

    def following(self, reference: Any) -> ControlLaw:
        """Return the same law with another reference, which is not checked."""
        other = copy.copy(self)
        for name in ("whole", "program", "stays"):
            other.__dict__.pop(name, None)
        other.__dict__["reference"] = reference
        return other

    def limited(self, effort: np.ndarray) -> ControlLaw:
        """Return the same law, with the limits at which its torques are cut off, shape (n,)."""
        return self

    # what comes of it

    @cached_property
    def whole(self) -> Program:
        """The program of t, q, qd and, where it has a state, x: of all of them, used or not."""
        with message_if_slow(f"recording {type(self).__name__} of {self.robot.name}"):
            return recorded(self, type(self).__name__, outputs)

    @cached_property
    def program(self) -> Program:
        """The program of those of t, q, qd and x that it depends on: tau, and xd with a state."""
        return without_unused(self.whole)

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """What a law may depend on, by name, with shapes."""
        n, m = self.robot.n, len(self.x0)
        return {"t": (), "q": (self.robot.nq,), "qd": (n,)} | ({"x": (m,)} if m else {})

    def lyapunov(self, robot: Robot | None = None) -> Program | None:
        """Return the program of V(t, q, qd[, x]) for an arm; None where the law has none.

        Args:
            robot: The arm under control; the law's own model if not given.
        """
        return lyapunov(self, (robot or self.robot).tree)

    @cached_property
    def evaluated(self) -> Callable[..., Any]:
        """The compiled law as a function of (t, q, qd), or (t, q, qd, x): τ, or τ and ẋ."""
        names = [port.name for port in self.program.inputs]
        stated = len(self.x0) > 0
        timed = "t" in names or names != [name for name in self.inputs if name != "t"]
        kernel = Kernel(self.whole if timed else self.program, refuse=self._refuse).call
        array, x0 = np.array, self.x0

        # one Python frame and no more: an evaluation takes well under a microsecond
        def with_time(t: Any, q: Any, qd: Any) -> Any:
            return kernel(array(t), q, qd)

        def without_time(t: Any, q: Any, qd: Any) -> Any:
            return kernel(q, qd)

        def with_time_and_state(t: Any, q: Any, qd: Any, x: Any = x0) -> Any:
            return kernel(array(t), q, qd, x)

        def with_state(t: Any, q: Any, qd: Any, x: Any = x0) -> Any:
            return kernel(q, qd, x)

        if stated:
            return with_time_and_state if timed else with_state
        return with_time if timed else without_time

    # law(t, q, qd[, x]) is `evaluated`, found without a further Python call
    __call__ = property(
        attrgetter("evaluated"),
        doc="Return the torques τ at (t, q, qd), or at (t, q, qd, x) where the law has a state.",
    )

    def _refuse(self, port: Port, shape: tuple[int, ...]) -> Exception:
        names = self.robot.joint_names
        if port.name == "q":
            names = self.robot.model.position_names
        if port.shape == (len(names),):
            return WrongShape(port.name, shape, self.robot.name, names)
        return BadArgument(f"{port.name} has shape {shape}; it must have shape {port.shape}.")

    # what laws share

    @cached_property
    def short(self) -> Tree:
        """The law's model with as few numbers as its torques allow."""
        return regrouped(self.robot.tree)

    def __getstate__(self) -> dict[str, Any]:
        """Compiled code stays behind when a law is copied or sent to another process."""
        hidden = ("evaluated",)
        return {name: x for name, x in self.__dict__.items() if name not in hidden}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @fitted
    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.robot.name!r}: {self.equation}>"

    _repr_html_ = in_notebook("control.law_html")


def outputs(law: ControlLaw, *state: Any) -> dict[str, Any]:
    """Return what a law gives at t, q, q̇ and x by name: τ, and ẋ where it has a state."""
    tau, xd = law.define(*state)
    return {"tau": tau} | ({"xd": xd} if len(law.x0) else {})


def lyapunov(law: ControlLaw, tree: Tree, gains: Sequence[str] = ()) -> Program | None:
    """Return the program of V for an arm, some gains of which are inputs; None: there is no V."""
    found = []

    def energy(law: ControlLaw, *state: Any) -> Any:
        found.append(law.value(tree, *state))
        return 0.0 if found[0] is None else {"V": found[0]}

    program = recorded(law, f"V of {type(law).__name__}", energy, gains)
    return None if found[0] is None else program


def recorded(
    law: ControlLaw, name: str, what: Callable[..., Any], gains: Sequence[str] = ()
) -> Program:
    """Return the program of what a law gives at t, q, q̇ and x; some gains are inputs, too.

    They are those on a diagonal; inputs are called gain_kp, and have its entries.
    """
    more = {f"gain_{gain}": (len(getattr(law, gain)),) for gain in gains}
    parts = len(law.inputs)

    def function(*arrays: Any) -> Any:
        turned = copy.copy(law) if gains else law
        turned.__dict__.update(zip(gains, map(np.diag, arrays[parts:]), strict=True))
        return what(turned, *arrays[:parts], *([] if len(law.x0) else [NO_STATE]))

    return optimised(record(function, name, **law.inputs, **more))


def without_unused(program: Program) -> Program:
    """Return the same program without the inputs that nothing depends on."""
    used = {i for step in program.steps for i in step.args} | set(program.results)
    kept, at = {}, 0
    for port in program.inputs:
        if used & set(range(at, at + port.size)) or port.name == "x":
            kept[port.name] = port.shape
        at += port.size
    if len(kept) == len(program.inputs):
        return program

    def function(*arrays: Any) -> dict[str, Any]:
        given = dict(zip(kept, arrays, strict=True))
        whole = [given.get(port.name, np.zeros(port.shape)) for port in program.inputs]
        return program.named(program.results_at(flat(whole)))

    return record(function, program.name, **kept)
