"""The equation of motion of a robot and all that acts on it, once, over any scalar.

Everything that a run may switch is an input: which joints are held, which way the others slip, what
the actuators and the environment do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.forward import solve
from qddot.dynamics.friction import (
    friction_torque,
    offset_torque,
    smooth_direction,
    with_friction_laws,
)
from qddot.dynamics.kinematics import jacobian
from qddot.dynamics.momentum import centrifugal_rate, momentum
from qddot.dynamics.movement import BaseMotion
from qddot.dynamics.rnea import bias_torque, elastic_torque, gravity_torque, rigid_body_torque
from qddot.model.friction import Friction
from qddot.model.model import Model
from qddot.model.tree import Tree
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.program.recorder import array_of, record
from qddot.robot.quantities import forward_dynamics
from qddot.scalars import JointMat, JointVec, Scalar, sign
from qddot.simulation.acting import Forces
from qddot.simulation.varied import varied_tree
from qddot.spatial.vector import cross, join, split, vector

WORKS = ("dampers", "wrenches", "disturbance", "base", "gravity")  # one number each
CREEP = 1e-3  # [rad/s or m/s] below which dry friction that several joints share gives way
# what is recorded together: dy/dt; what is kept of an instant, with the reactions of held joints
# and the torques before they are cut off; what shows which joints are held
PROGRAMS = {"rate": ("rate",), "row": ("qdd", "tau", "reaction", "asked"), "free": ("qdd", "M")}


@dataclass(frozen=True)
class Layout:
    """Where everything is in the state vector y of a run."""

    n: int  # degrees of freedom
    nq: int  # numbers of a configuration
    m: int = 0  # numbers in the state of the controller
    base_moves: bool = False

    @property
    def q(self) -> slice:
        """Where positions are in y."""
        return slice(0, self.nq)

    @property
    def v(self) -> slice:
        """Where velocities are in y."""
        return slice(self.nq, self.nq + self.n)

    @property
    def tracked(self) -> int:
        """How many entries the error control watches: all that the motion depends on."""
        return self.nq + self.n + self.m + (3 if self.base_moves else 0)

    @property
    def size(self) -> int:
        return self.tracked + 2 * self.n + len(WORKS)

    def parts(self, y: Any) -> dict[str, Any]:
        """Return the parts of y by name, whatever kind of array it is; rows along the last axis."""
        lengths = {"q": self.nq, "qd": self.n, "x": self.m}
        lengths |= {"gravity_vector": 3} if self.base_moves else {}
        lengths |= {"actuators": self.n, "friction": self.n} | dict.fromkeys(WORKS, 1)
        found, at = {}, 0
        for name, length in lengths.items():
            found[name] = y[..., at : at + length]
            at += length
        return found


@dataclass(frozen=True)
class System:
    """A robot, what acts on it, and which of its parameters are known only later."""

    model: Model
    forces: Forces
    parameters: tuple[str, ...] = ()  # names of `varied`

    @property
    def layout(self) -> Layout:
        law = self.forces.law
        return Layout(self.model.n, self.model.nq, law.m if law else 0, self.forces.base_moves)

    def tree(self, values: Sequence[Scalar]) -> Tree:
        """Return the tree with these parameters, in as few numbers as its torques allow."""
        return varied_tree(self.model, dict(zip(self.parameters, values, strict=True)))

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """The inputs of `program`, in order, and their shapes."""
        forces, n = self.forces, self.model.n
        shapes: dict[str, tuple[int, ...]] = {"y": (self.layout.size,)}
        if forces.driven:
            shapes["tau"] = (n,)
        if forces.law is not None:
            shapes |= {"t": ()} | {f"law.{port.name}": (port.size,) for port in forces.law.more}
        shapes |= {f"wrench{k}": (6,) for k in range(len(forces.wrenches))}
        if forces.disturbed:
            shapes["disturbance"] = (n,)
        if forces.base_moves:
            shapes |= {"base_velocity": (6,), "base_acceleration": (6,)}
        if forces.switched:
            shapes |= {"direction": (n,), "free": (n,)}
        if self.parameters:
            shapes["parameters"] = (len(self.parameters),)
        return shapes

    def program(self, name: str) -> Program:
        """Return one of `PROGRAMS`, recorded."""

        def function(*arrays: Any) -> dict[str, Any]:
            given = dict(zip(self.inputs, arrays, strict=True))
            law = self.forces.law
            more = [x for port in (law.more if law else ()) for x in given[f"law.{port.name}"]]
            # works are parts too, and some are called like inputs
            given = self.layout.parts(given["y"]) | given | {"law": more}
            now = Instant(self.tree(given.get("parameters", ())), self.forces, given)
            return {key: getattr(now, key) for key in PROGRAMS[name]}

        return optimised(record(function, name, **self.inputs))


@dataclass(frozen=True, eq=False)
class Instant:
    """A robot at an instant: what acts on it, and how it moves.

    The equation of motion, solved for q̈ of the joints that are free (index f):

        M_ff q̈_f = (τ + Jᵀ f_ext − τ_dist − c − g − friction − springs)_f        q̈ = 0 elsewhere

    `given` has q, qd, x, the inputs of the forces by name, the law's inputs in one list as `law`
    and, where the base moves, `gravity_vector`.
    """

    tree: Tree
    forces: Forces
    given: Mapping[str, Any]

    # what acts

    @cached_property
    def controlled(self) -> tuple[JointVec, JointVec]:
        """The torques asked of the actuators, and the rate ẋ of the controller's own state."""
        given, law = self.given, self.forces.law
        tau, xd = vector([0] * self.tree.n), vector([])
        if law is not None:
            tau, xd = law(given["t"], given["q"], given["qd"], given["x"], given["law"])
        if self.forces.driven:
            tau = tau + given["tau"]
        return tau, xd

    @property
    def asked(self) -> JointVec:
        return self.controlled[0]

    @cached_property
    def tau(self) -> JointVec:
        """The torques that the actuators give: as asked, cut off at the effort limits."""
        if self.forces.effort is None:
            return self.asked
        most = np.array(self.forces.effort)
        return np.clip(array_of(list(self.asked)), -most, most)

    @property
    def xd(self) -> JointVec:
        return self.controlled[1]

    @cached_property
    def friction(self) -> JointVec:
        """What friction resists with, but for its constant offset."""
        qd, direction = self.given["qd"], self.given.get("direction")
        if self.forces.smoothing is not None:
            direction = smooth_direction(self.tree, qd, self.forces.smoothing)
        elif self.tree.shared:
            # what holds along a sum of joints is never held exactly: it creeps, slowly
            smooth = smooth_direction(self.tree, qd, CREEP)
            own = direction if direction is not None else [sign(rate) for rate in qd]
            direction = vector([*own, *smooth[self.tree.n :]])
        alone = with_friction_laws(self.tree, lambda law: replace(law, offset=0))
        return friction_torque(alone, qd, direction)

    @cached_property
    def disturbance(self) -> JointVec:
        """What takes from the actuators: disturbances, and the constant offsets of friction."""
        offset = offset_torque(self.tree)
        return offset + (self.given["disturbance"] if self.forces.disturbed else 0)

    @cached_property
    def pushed(self) -> JointVec:
        """The torques of the wrenches, Jᵀ f_ext."""
        tau = vector([0] * self.tree.n)
        for k, frame in enumerate(self.forces.wrenches):
            J = jacobian(self.tree, self.given["q"], frame, self.forces.axes)
            tau = tau + J.T @ self.given[f"wrench{k}"]
        return tau

    @cached_property
    def carried(self) -> JointVec:
        """The torques that the motion of the base has, seen from the base.

        The tree has the gravity of the start; that gravity has turned since, seen from the base,
        enters as a further acceleration.
        """
        tree, given = self.tree, self.given
        if not self.forces.base_moves:
            return vector([0] * tree.n)
        angular, linear = split(given["base_acceleration"])
        turned = vector(list(tree.gravity)) - given["gravity_vector"]
        base = BaseMotion(given["base_velocity"], join(angular, linear + turned))
        state = given["q"], given["qd"], self._still
        return rigid_body_torque(tree, *state) - rigid_body_torque(tree, *state, base_motion=base)

    @cached_property
    def acting(self) -> JointVec:
        """All torques but those of inertia, gravity, springs and dampers."""
        outside = self.tau + self.pushed + self.carried
        return outside - self.disturbance - self.friction

    # how it moves

    @cached_property
    def M(self) -> JointMat:
        return mass_matrix(self.tree, self.given["q"])

    @cached_property
    def driving(self) -> JointVec:
        """What accelerates the joints: M q̈ if none is held."""
        return self.acting - bias_torque(self._smooth, self.given["q"], self.given["qd"])

    @cached_property
    def qdd(self) -> JointVec:
        """The accelerations."""
        if not self.forces.switched:
            return forward_dynamics(self._smooth, self.given["q"], self.given["qd"], self.acting)
        free = self.given["free"]
        return solve(held(self.M, free), free * self.driving)

    @property
    def reaction(self) -> JointVec:
        """What holds the joints that are held, λ = M q̈ + c + g + friction + … − τ."""
        return self.M @ self.qdd - self.driving

    @property
    def momentum(self) -> JointVec:
        """p = M q̇."""
        return momentum(self.tree, self.given["q"], self.given["qd"])

    @property
    def momentum_rate(self) -> JointVec:
        """ṗ of p = M q̇, by Hamilton's equation with K the kinetic energy as a function of q and q̇.

        It is:

            ṗ = ∂K/∂q − g + τ − friction − springs
        """
        q, qd = self.given["q"], self.given["qd"]
        resting = gravity_torque(self.tree, q) + elastic_torque(self.tree, q, qd)
        return centrifugal_rate(self.tree, q, qd) + self.acting - resting

    @property
    def motion_rate(self) -> np.ndarray:
        """The rate of (q, q̇, x)."""
        rate = self.tree.rate(self.given["q"], self.given["qd"])
        return np.concatenate([rate, self.qdd, self.xd])

    @property
    def rate(self) -> np.ndarray:
        """The rate of the whole y of `Layout`, with the powers that the audit integrates."""
        q, qd, turning = self.given["q"], self.given["qd"], []
        springs = elastic_torque(self.tree, q, self._still)
        if self.forces.base_moves:
            angular, _ = split(self.given["base_velocity"])
            turning = list(-cross(angular, self.given["gravity_vector"]))
        powers = {
            "dampers": qd @ (elastic_torque(self.tree, q, qd) - springs),
            "wrenches": qd @ self.pushed,
            "disturbance": qd @ self.disturbance,
            "base": qd @ self.carried,
            "gravity": qd @ (gravity_torque(self.tree, q) + springs),
        }
        works = [*(self.tau * qd), *(self.friction * qd), *(powers[name] for name in WORKS)]
        return vector([*self.motion_rate, *turning, *works])

    @property
    def _still(self) -> np.ndarray:
        return np.zeros(self.tree.n, dtype=int)

    @property
    def _smooth(self) -> Tree:
        """The tree without friction, which acts apart."""
        return with_friction_laws(self.tree, lambda law: Friction())


def held(M: JointMat, free: JointVec) -> JointMat:
    """Return M with the rows and columns of held joints (free = 0) replaced by those of 1."""
    n = len(free)
    inner = np.array([[M[i, j] * (free[i] * free[j]) for j in range(n)] for i in range(n)])
    return inner + np.diag([1 - f for f in free])
