"""PD control with gravity taken off the arm, here or at the target.

Takegaki: M. Takegaki, S. Arimoto, *A new feedback method for dynamic control of manipulators*,
ASME J. Dynamic Systems, Measurement, and Control 103(2), 1981.
Tomei: P. Tomei, *Adaptive PD controller for robot manipulators*, IEEE Trans. Robotics and
Automation 7(4), 1991.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from qddot.certificate.bound import Bound, Box, rounded_up
from qddot.certificate.problems import BoundProblems
from qddot.checks import one_of
from qddot.control.laws.assumption import STILL, Assumption, Rows, one_place, right_model
from qddot.control.laws.feedback import JointLaw, potential_torque
from qddot.control.laws.gains import bound, smallest
from qddot.control.laws.law import NO_STATE
from qddot.dynamics.energy import kinetic_energy, potential_energy
from qddot.dynamics.friction import offset_torque
from qddot.errors import BadArgument, printable
from qddot.model.tree import Tree
from qddot.robot import Robot
from qddot.scalars import JointVec, Scalar

PLACES = {"here": "g at q", "target": "g at q_d"}
SLOPE = "dg.norm2"  # sup ‖∂g/∂q‖₂ among the bounds of a certificate


@dataclass(frozen=True, eq=False, repr=False)
class PDGravity(JointLaw):
    """PD control with gravity compensation.

    Gravity (with springs and constant offsets) is compensated where the arm is, which any positive
    gains make stable; or where it should be, which needs no model at run time but stiff enough
    springs: Kp > sup ‖∂g/∂q‖. Friction is not compensated: viscous friction damps, and with dry
    friction F the arm stops where |Kp e| ≤ F.

    Args:
        robot: The law's model.
        kp: Kp: a number, (n,) or (n, n) [N·m/rad].
        kd: Kd: the same [N·m·s/rad].
        reference: Of the joints, or where to stay, (n,) [rad or m].
        compensate: "here", g(q), or "target", g(q_d).
        gravity_slope: sup ‖∂g/∂q‖₂ [N·m/rad]: the bound "dg.norm2" of a certificate of this robot;
            a number is taken as your claim, which leaves the proof open.
    """

    compensate: str = "here"
    gravity_slope: Any = None

    kind: ClassVar[str] = "pd_gravity"
    equation: ClassVar[str] = "τ = −Kp (q − q_d) − Kd (q̇ − q̇_d) + g(q or q_d)"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("compensate", self.compensate, PLACES)
        if self.gravity_slope is not None:
            slope_of(self.gravity_slope, self.robot)

    def define(self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> tuple:
        e, ed = self.errors(t, q, qd)
        at = q if self.compensate == "here" else self.reference.at(t)[0]
        held = potential_torque(self.short, np.asarray(at, dtype=object))
        return held - self.kp @ e - self.kd @ ed, NO_STATE

    def on(self, robot: Robot) -> PDGravity:
        """Return the same law of another model, to which a bound of this one's gravity is none."""
        typed = isinstance(self.gravity_slope, Bound)
        kept = self.gravity_slope if not typed or is_of(self.gravity_slope, robot) else None
        return replace(self, robot=robot, gravity_slope=kept)

    def assumptions(self, robot: Robot | None = None, run: Rows | None = None) -> list[Assumption]:
        found = [one_place(self), right_model(self, robot, STILL)]
        if self.compensate == "target":
            found.append(self._stiff_enough(run))
        return found

    def _stiff_enough(self, run: Rows | None) -> Assumption:
        statement = "Kp > sup ‖∂g/∂q‖, so that the target is the only rest"
        least, given = smallest(self.kp), self.gravity_slope
        if given is None:
            return Assumption(statement, None, "gravity_slope is not given; certify it")
        if not isinstance(given, Bound):
            slope = slope_of(given, self.robot)
            why = f"{least:.4g} against {slope:.4g}, which you claim; certify it"
            return Assumption(statement, None if least > slope else False, why)
        why = f"{least:.8g} against {rounded_up(given.upper)}, certified"
        if least <= given.upper:
            # what is below the lower number is below the supremum; between the two nothing is known
            return Assumption(statement, False if least <= given.lower else None, why)
        place = np.asarray(self.reference.at(0.0)[0], dtype=float)
        stays, where = inside(given, self.robot, place, least - given.upper, run)
        return Assumption(statement, stays, f"{why} {where}")

    def value(self, tree: Tree, t: Scalar, q: JointVec, qd: JointVec, x: JointVec) -> Scalar | None:
        """Return V, an energy with its lowest point at the target.

        Of a set point, compensated here or at the target:

            V = ½ q̇ᵀ M q̇ + ½ eᵀ Kp e                                            Takegaki
            V = ½ q̇ᵀ M q̇ + ½ eᵀ Kp e + P(q) − P(q_d) − eᵀ g(q_d)                Tomei
            V̇ = −q̇ᵀ (Kd + Fᵥ) q̇ − |q̇|ᵀ Fₛ
        """
        if not self.stays:
            return None
        e, _ = self.errors(t, q, qd)
        V = kinetic_energy(tree, q, qd) + e @ (self.kp @ e) / 2
        if self.compensate == "here":
            return V
        place = np.asarray(self.reference.at(t)[0], dtype=float)
        held = np.asarray(potential_torque(tree, place), dtype=float)
        # constant offsets are not in P, so they are no part of what is subtracted
        held = held - np.asarray(offset_torque(tree), dtype=float)
        return V + potential_energy(tree, q) - float(potential_energy(tree, place)) - e @ held


def slope_of(given: Any, robot: Robot) -> float:
    """Return a bound of ‖∂g/∂q‖₂ as a number; refuse that of another quantity or robot."""
    if not isinstance(given, Bound):
        return bound("gravity_slope", given)
    if given.quantity != SLOPE:
        raise BadArgument(
            f"gravity_slope is a bound of {given.quantity!r}; it must be the one of sup ‖∂g/∂q‖₂: "
            f"certificate[{SLOPE!r}]."
        )
    if not is_of(given, robot):
        raise BadArgument(
            f"gravity_slope is a bound of another robot than {printable(robot.name)!r}: their "
            "gravity torques differ.\n  Certify the robot that the law is made from."
        )
    return given.upper


def is_of(given: Bound, robot: Robot) -> bool:
    """Return whether a bound was proved for the ∂g/∂q of a robot: for the same program."""
    box = box_of_bound(given)
    if len(box.lower) != robot.n:
        return False
    return given.proof.get("program") == BoundProblems(robot, box).dg.program.digest


def box_of_bound(given: Bound) -> Box:
    """Return the box that a bound was proved on."""
    box = given.proof["box"]
    return Box(tuple(box["lower"]), tuple(box["upper"]))


def inside(
    given: Bound, robot: Robot, place: np.ndarray, convex: float, run: Rows | None
) -> tuple[bool | None, str]:
    """Return whether a motion cannot leave the box of a bound, and why.

    V is convex in the box by μ = λ_min(Kp) − sup ‖∂g/∂q‖ and zero at the target, so that at a
    distance r from it V ≥ ½ μ r². A motion on which V falls and that starts below stays within r.
    Joints that turn a full turn have no end.
    """
    low, high = box_of_bound(given).edges
    turns = np.array([joint.turns for joint in robot.model.free_joints])
    full = turns & (high - low >= 2 * np.pi)
    room = np.where(full, np.inf, np.minimum(place - low, high - place))
    r = float(room.min(initial=np.inf))
    if r == np.inf:
        return True, "for all positions"
    if r <= 0:
        return False, "but the target is not inside its box"
    if run is None:
        return None, f"on a box that ends {r:.3g} from the target; a run decides"
    if run.V is not None and run.V[0] < convex * r * r / 2:
        return True, "on a box that V does not let it leave"
    if ((run.q < low) | (run.q > high))[:, ~full].any():
        return False, "but the run leaves its box"
    return None, "on a box that the run keeps to, which V does not ensure"
