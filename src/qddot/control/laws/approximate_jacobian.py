"""Set-point control of a frame with a rough Jacobian; gravity is known, or estimated.

The frame's place is measured (by a camera), not computed, so lengths that are a little wrong harm
the way the force is turned into torques and nothing else.

Cheah: C. C. Cheah, M. Hirano, S. Kawamura, S. Arimoto, *Approximate Jacobian control for robots
with uncertain kinematics and dynamics*, IEEE Trans. Robotics and Automation 19(4), 2003.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qddot.checks import not_negative
from qddot.control.laws.assumption import (
    STILL,
    Assumption,
    Rows,
    differences,
    one_place,
    right_model,
)
from qddot.control.laws.estimates import Estimates, estimates, on_another
from qddot.control.laws.feedback import (
    FrameLaw,
    joints_of,
    nowhere_singular,
    potential_torque,
    reached,
)
from qddot.control.laws.gains import LEAN, Assignment, gain
from qddot.control.laws.law import NO_STATE
from qddot.control.laws.saturation import saturation, slopes
from qddot.control.laws.task import Task, task_of, task_reference
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.energy import kinetic_energy
from qddot.dynamics.forward import solve
from qddot.dynamics.regroup import regrouped
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

CROSS = 0.5  # α [m/s] where none is given
FINDING = 0.5  # [1/s], how fast gravity is to be found where Γ is chosen


@dataclass(frozen=True, eq=False, repr=False)
class ApproximateJacobian(FrameLaw):
    """A saturated spring at a frame, turned into torques by an approximate Jacobian Ĵ.

    The frame's place X is that of `robot`; Ĵ is that of `approximate`, another robot with the same
    joints, or of the same one. Friction is not compensated: with dry friction F the arm stops where
    |Ĵᵀ Kp sat(e)| ≤ F.

    Args:
        robot: The law's model, whose gravity is compensated.
        frame: The frame's name.
        kp: Kp: a number or one per axis [N].
        kd: B_v: a number, (n,) or (n, n) [N·m·s/rad].
        reference: X_d: where the frame should be [m], along the axes.
        approximate: Whose Jacobian is taken; the law's own robot's if None.
        axes: The axes of the base along which the frame is placed.
        saturation: The spring's shape, one of `saturation.SATURATIONS`.
        cross: α in V, see `value` [m/s].
    """

    frame: str
    kp: Any
    kd: Any
    reference: Any
    approximate: Robot | None = None
    axes: str = "xyz"
    saturation: Any = "sine"
    cross: float = 0.0

    kind: ClassVar[str] = "approximate_jacobian"
    gain_names: ClassVar[tuple[str, ...]] = ("kp", "kd", "cross")
    gain_units: ClassVar[Mapping[str, str]] = {"kp": "N", "kd": "damping", "cross": "m/s"}
    model_for: ClassVar[str] = "lengths"
    equation: ClassVar[str] = "τ = −Ĵᵀ(q) Kp sat(X − X_d) − B_v q̇ + g(q)"

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        gains = {"kp": LEAN * task.mass, "kd": task.inertia}
        where = {"frame": task.frame, "axes": task.axes, "approximate": task.lengths}
        return gains | where

    def gain_parts(self, gain: str) -> tuple[str, ...]:
        return tuple(self.axes) if gain == "kp" else self.robot.joint_names

    def __post_init__(self) -> None:
        names = joints_of(self.robot)
        keep = object.__setattr__
        task = task_of(self.robot, self.frame, self.axes)
        if self.approximate is not None:
            if self.approximate.n != self.robot.n:
                raise BadArgument(
                    f"approximate has {self.approximate.n} joints and the robot {self.robot.n}; "
                    "it must be the same arm with other lengths."
                )
            task_of(self.approximate, self.frame, self.axes)
        kp = gain("kp", self.kp, task.names)
        if np.abs(kp - np.diag(np.diag(kp))).max() > 0:
            raise BadArgument("kp must be a number or one per axis: each axis has a potential.")
        not_negative("cross", self.cross)
        keep(self, "axes", task.axes)
        keep(self, "kp", kp)
        keep(self, "kd", gain("kd", self.kd, names))
        keep(self, "reference", task_reference(task, self.reference))
        keep(self, "saturation", saturation(self.saturation))

    @cached_property
    def believed(self) -> Tree:
        """The tree that Ĵ is taken from."""
        return self.short if self.approximate is None else regrouped(self.approximate.tree)

    def error(self, t: Scalar, q: JointVec) -> Any:
        """Return e = X − X_d."""
        return self.task.position(self.short, q) - self.reference.at(t)[0]

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        return self.pull(t, q) - self.kd @ qd + potential_torque(self.short, q), NO_STATE

    def pull(self, t: Scalar, q: JointVec) -> JointVec:
        """Return −Ĵᵀ Kp sat(e)."""
        s = slopes(self.saturation, self.error(t, q))
        return -(self.task.jacobian(self.believed, q).T @ (self.kp @ s))

    def towards(self, t: Scalar, q: JointVec) -> JointVec:
        """Return Ĵ⁺ sat(e), the velocities that would undo the error, with Ĵ⁺ = Ĵᵀ (Ĵ Ĵᵀ)⁻¹."""
        J = self.task.jacobian(self.believed, q)
        return J.T @ solve(J @ J.T, slopes(self.saturation, self.error(t, q)))

    def mismatch(self, q: Any) -> np.ndarray:
        """Return p = ‖Jᵀ − Ĵᵀ‖₂ at states of shape (..., n)."""
        q, rows = np.asarray(q, dtype=float), self.task.rows
        J, J_hat = (
            robot.program("jacobian", frame=self.frame)(q)[..., rows, :]
            for robot in (self.robot, self.approximate or self.robot)
        )
        return np.linalg.norm(J - J_hat, ord=2, axis=(-2, -1))

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        apart = [] if self.approximate is None else differences(
            self.approximate, self.robot, ("joints", "lengths"), self.frame
        )  # fmt: skip
        near = Assumption("Ĵ is J", True, "its lengths are those of the law's model")
        if apart:
            p = self.mismatch(self.robot_states(run)).max()
            least = float(np.linalg.eigvalsh(self.kd).min())
            why = f"p = {p:.3g} at the worst state seen, B_v ≥ {least:.4g}; a bound is not known"
            near = Assumption("‖Jᵀ − Ĵᵀ‖ ≤ p, small beside B_v (Cheah)", None, why)
        found = [
            one_place(self),
            right_model(self, robot, STILL, self.frame),
            near,
            nowhere_singular(self.robot, self.task, run),
            reached(self.robot, self.task, run),
        ]
        if self.cross:
            why = "no bound of α is computed; small ones do, with B_v large"
            found.append(Assumption("α is small enough for V > 0 and V̇ ≤ 0", None, why))
        return found

    def robot_states(self, run: Rows | None) -> np.ndarray:
        """Return the positions of a run, or a thousand at random."""
        if run is not None:
            return run.q
        drawn = np.random.default_rng(0).uniform(-np.pi, np.pi, (1000, self.robot.n))
        return self.robot.tree.from_neutral(drawn)

    def stiffness(self, q: np.ndarray) -> np.ndarray:
        """Return Ĵᵀ Kp, of errors that the spring is not saturated by."""
        robot = self.approximate or self.robot
        return robot.jacobian(q, self.frame)[self.task.rows].T @ self.kp

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, the energy of arm and spring, with a cross term where Ĵ is not J.

        With α = `cross`, positive where α is small because S ≥ c s²:

            V = ½ q̇ᵀ M q̇ + Σ kp S(eᵢ) + α q̇ᵀ M Ĵ⁺ sat(e)                           Cheah
            V̇ = −q̇ᵀ (B_v + Fᵥ) q̇                                       for Ĵ = J and α = 0
        """
        if not self.stays:
            return None
        e = self.error(t, q)
        springs = sum(k * self.saturation.S(x) for k, x in zip(np.diag(self.kp), e, strict=True))
        V = kinetic_energy(tree, q, qd) + springs
        if self.cross:
            V = V + self.cross * (qd @ (mass_matrix(tree, q) @ self.towards(t, q)))
        return V


@dataclass(frozen=True, eq=False, repr=False)
class AdaptiveApproximateJacobian(ApproximateJacobian):
    """Approximate Jacobian control whose gravity torque is estimated: its state x is φ̂.

    Args:
        robot: The law's model; its parameters are where estimates start.
        frame: The frame's name.
        kp: Kp: a number or one per axis [N].
        kd: B_v: a number, (n,) or (n, n) [N·m·s/rad].
        reference: X_d: where the frame should be [m], along the axes.
        approximate: Whose Jacobian is taken; the law's own robot's if None.
        axes: The axes of the base along which the frame is placed.
        saturation: The spring's shape, one of `saturation.SATURATIONS`.
        cross: α of the update [m/s], positive: with α = 0 the estimates would stop wherever the arm
            stands still. Its proof needs a small one and knows no number, so it stays open.
        adaptation: Γ: a number, (p,) or (p, p).
        estimate: "base" or "all" parameters.
    """

    cross: float = field(kw_only=True)  # type: ignore[assignment]
    adaptation: Any = 1.0
    estimate: str = "base"

    kind: ClassVar[str] = "adaptive_approximate_jacobian"
    gain_names: ClassVar[tuple[str, ...]] = ("kp", "kd", "cross", "adaptation")
    gain_units: ClassVar[Mapping[str, str]] = {**ApproximateJacobian.gain_units, "adaptation": ""}
    model_for: ClassVar[str] = "masses"
    equation: ClassVar[str] = (
        "τ = −Ĵᵀ Kp sat(e) − B_v q̇ + Y_g(q) φ̂        dφ̂/dt = −Γ Y_gᵀ (q̇ + α Ĵ⁺ sat(e))"
    )

    @classmethod
    def suited(cls, task: Assignment) -> dict[str, Any]:
        """Return gains that suit the arm.

        An error that wrong gravity leaves falls like φ̃, at the rate α Γ Y_g² / (Jᵀ Kp J), which Γ
        makes FINDING for every parameter alone.
        """
        found = super().suited(task)
        kp, cross = task.gains.get("kp", found["kp"]), task.gains.get("cross", CROSS)
        found["cross"] = cross
        if "adaptation" not in task.gains:
            known = estimates(task.model.tree, cls.estimate, gravity_alone=True)
            still = np.zeros(task.model.n)
            moving = known.movements(task.q, still, still, still)
            pulls = [known.powers(moving, e, still, still, still, None) for e in np.eye(len(still))]
            size = np.square(np.array(pulls, dtype=float)).sum(axis=0)
            J = task.model.jacobian(task.q, task.frame)[Task(task.frame, task.axes).rows]
            stiffness = np.trace(J.T @ np.diag(np.broadcast_to(kp, len(J))) @ J) / len(still)
            found["adaptation"] = FINDING * stiffness / (cross * np.maximum(size, size.max() / 100))
        return found

    def gain_parts(self, gain: str) -> tuple[str, ...]:
        return self.parameters.names if gain == "adaptation" else super().gain_parts(gain)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.cross > 0:
            raise BadArgument(
                "cross (α) must be positive for gravity to be found: try 0.1, and more while "
                "the run does not oscillate."
            )
        object.__setattr__(
            self, "adaptation", gain("adaptation", self.adaptation, self.parameters.names)
        )

    @cached_property
    def parameters(self) -> Estimates:
        """What is estimated: whatever gravity depends on."""
        return estimates(self.robot.tree, self.estimate, gravity_alone=True)

    @property
    def x0(self) -> np.ndarray:
        """The parameters of the law's model."""
        return self.parameters.values

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        still, known = np.zeros(self.robot.n, dtype=int), self.parameters
        held = known.torque(x, q, still, still, still, None)
        moving = known.movements(q, still, still, still)
        s = qd + self.cross * self.towards(t, q)
        xd = -(self.adaptation @ known.powers(moving, s, still, still, still, None))
        return self.pull(t, q) - self.kd @ qd + held, xd

    def on(self, robot: Robot) -> AdaptiveApproximateJacobian:
        return on_another(self, robot)

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        robot = robot or self.robot
        first, _, *rest = super().assumptions(robot, run)
        known = ("joints", "lengths", "gravity", "offset", "springs")
        found = [each.why for each in differences(self.robot, robot, known, self.frame)]
        rubbing = [shaft.name for shaft in robot.tree.shafts if shaft.friction.offset]
        found += [f"the offset of {name} is not estimated" for name in rubbing]
        statement = "What is not estimated (lengths, gravity, springs, offsets) is the arm's"
        same = Assumption(statement, not found, "; ".join(found) or "it is the same")
        return [first, same, *rest]

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V of approximate Jacobian control, and what the estimates are off by.

        With φ̃ = φ̂ − φ:

            V + ½ φ̃ᵀ Γ⁻¹ φ̃                                                        Cheah
        """
        V = super().value(tree, t, q, qd, x)
        if V is None:
            return None
        off = x - self.parameters.of(tree)
        return V + off @ (np.linalg.inv(self.adaptation) @ off) / 2
