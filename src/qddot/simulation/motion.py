"""How a state moves: the equation of motion as a rate, with the powers that the audit integrates.

Everything that a run may switch is an input of one program: which joints are held, which way the
others slip, what the actuators and the environment do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.forward import solve
from qddot.dynamics.friction import friction_torque, smooth_direction
from qddot.dynamics.kinematics import jacobian
from qddot.dynamics.movement import BaseMotion
from qddot.dynamics.regroup import regrouped
from qddot.dynamics.rnea import elastic_torque, gravity_torque, rigid_body_torque
from qddot.model.tree import Tree
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.program.recorded_array import array_of
from qddot.program.recorder import record
from qddot.scalars import JointMat, JointVec
from qddot.simulation.law import Law
from qddot.spatial.vector import cross, join, split, vector

WORKS = ("dampers", "wrenches", "disturbance", "base", "gravity")  # one number each


@dataclass(frozen=True)
class Layout:
    """Where everything is in the state vector y of a run."""

    n: int  # joints
    m: int = 0  # numbers in the state of the controller
    base_moves: bool = False  # then gravity, in base axes, is part of the state

    @property
    def tracked(self) -> int:
        """How many entries the error control watches: all that the motion depends on."""
        return 2 * self.n + self.m + (3 if self.base_moves else 0)

    @property
    def size(self) -> int:
        return self.tracked + 2 * self.n + len(WORKS)

    def parts(self, y: Any) -> dict[str, Any]:
        """Return the parts of y by name, whatever kind of array it is; rows along the last axis."""
        lengths = {"q": self.n, "qd": self.n, "x": self.m}
        lengths |= {"gravity_vector": 3} if self.base_moves else {}
        lengths |= {"actuators": self.n, "friction": self.n} | dict.fromkeys(WORKS, 1)
        found, at = {}, 0
        for name, length in lengths.items():
            found[name] = y[..., at : at + length]
            at += length
        return found


@dataclass(frozen=True)
class Forces:
    """What a run's program is made of: who acts on the robot, and how friction is meant."""

    layout: Layout
    law: Law | None = None  # fused into the program; without one torques are an input
    wrenches: tuple[str, ...] = ()  # the frames that wrenches act at
    disturbed: bool = False
    effort: tuple[float, ...] | None = None  # torques are cut off at these
    smoothing: float | None = None  # of dry friction; None: its direction is an input
    switched: bool = False  # joints may be held, so `direction` and `free` are inputs

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """The inputs of the program, in order."""
        n = self.layout.n
        shapes: dict[str, tuple[int, ...]] = {"y": (self.layout.size,)}
        if self.law is None:
            shapes["tau"] = (n,)
        else:
            shapes |= {"t": ()} | {f"law.{port.name}": (port.size,) for port in self.law.more}
        shapes |= {f"wrench{k}": (6,) for k in range(len(self.wrenches))}
        if self.disturbed:
            shapes["disturbance"] = (n,)
        if self.layout.base_moves:
            shapes |= {"base_velocity": (6,), "base_acceleration": (6,)}
        if self.switched:
            shapes |= {"direction": (n,), "free": (n,)}
        return shapes


def rate_program(tree: Tree, forces: Forces) -> Program:
    """Return the program of dy/dt."""
    return _program(tree, forces, "rate", ("rate",))


def row_program(tree: Tree, forces: Forces) -> Program:
    """Return the program of what is kept of an instant: q̈, τ and the reactions of held joints."""
    return _program(tree, forces, "row", ("qdd", "tau", "reaction"))


def free_program(tree: Tree, forces: Forces) -> Program:
    """Return the program of q̈ and M, from which is found which joints are held."""
    return _program(tree, forces, "free", ("qdd", "M"))


def _program(tree: Tree, forces: Forces, name: str, wanted: tuple[str, ...]) -> Program:
    short = regrouped(tree)

    def function(*arrays: Any) -> dict[str, Any]:
        found = motion(short, forces, dict(zip(forces.inputs, arrays, strict=True)))
        return {key: found[key] for key in wanted}

    return optimised(record(function, name, **forces.inputs))


def motion(tree: Tree, forces: Forces, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the state moves, and what acts in it.

    The equation of motion, solved for q̈ of the joints that are free (index f):

        M_ff q̈_f = (τ + Jᵀ f_ext − τ_dist − c − g − friction − springs)_f        q̈ = 0 elsewhere

    What holds the others in place is the reaction λ:

        λ = M q̈ + c + g + friction + springs + τ_dist − Jᵀ f_ext − τ
    """
    layout, n = forces.layout, tree.n
    state = layout.parts(given["y"])
    q, qd = state["q"], state["qd"]
    still = np.zeros(n, dtype=int)
    tau, xd = _actuators(forces, given, state)

    # what resists: friction, springs and dampers
    if forces.smoothing is not None:
        direction = smooth_direction(qd, forces.smoothing)
    else:
        direction = given.get("direction")
    offset = vector([friction.offset for friction in tree.friction])
    friction = friction_torque(tree, qd, direction) - offset
    springs = elastic_torque(tree, q, still)
    dampers = elastic_torque(tree, q, qd) - springs

    # what comes from outside
    pushed = vector([0] * n)
    for k, frame in enumerate(forces.wrenches):
        pushed = pushed + jacobian(tree, q, frame).T @ given[f"wrench{k}"]
    disturbance = offset + (given["disturbance"] if forces.disturbed else 0)
    rigid = rigid_body_torque(tree, q, qd, still)
    carried = vector([0] * n)  # by the base's motion
    turning: list[Any] = []
    if layout.base_moves:
        gravity, base = _moving_base(tree, given, state["gravity_vector"])
        carried = rigid - rigid_body_torque(tree, q, qd, still, base_motion=base)
        turning = list(-cross(split(given["base_velocity"])[0], gravity))

    M = mass_matrix(tree, q)
    driven = tau + pushed + carried - disturbance - friction - springs - dampers - rigid
    if forces.switched:
        qdd = solve(held(M, given["free"]), given["free"] * driven)
    else:
        qdd = solve(M, driven)

    powers = {
        "dampers": qd @ dampers,
        "wrenches": qd @ pushed,
        "disturbance": qd @ disturbance,
        "base": qd @ carried,
        "gravity": qd @ (gravity_torque(tree, q) + springs),
    }
    works = [*(tau * qd), *(friction * qd), *(powers[name] for name in WORKS)]
    return {
        "rate": vector([*qd, *qdd, *xd, *turning, *works]),
        "qdd": qdd,
        "tau": tau,
        "reaction": M @ qdd - driven,
        "M": M,
    }


def held(M: JointMat, free: JointVec) -> JointMat:
    """Return M with the rows and columns of held joints (free = 0) replaced by those of 1."""
    n = len(free)
    inner = np.array([[M[i, j] * (free[i] * free[j]) for j in range(n)] for i in range(n)])
    return inner + np.diag([1 - f for f in free])


def _actuators(forces: Forces, given: Mapping[str, Any], state: Mapping[str, Any]) -> tuple:
    """Return the torques that the actuators give, and how the controller's own state moves."""
    if forces.law is None:
        tau, xd = given["tau"], []
    else:
        more = [x for port in forces.law.more for x in given[f"law.{port.name}"]]
        tau, xd = forces.law(given["t"], state["q"], state["qd"], state["x"], more)
    if forces.effort is not None:
        most = np.array(forces.effort)
        tau = np.clip(array_of(list(tau)), -most, most)
    return tau, xd


def _moving_base(tree: Tree, given: Mapping[str, Any], gravity: Any) -> tuple[Any, BaseMotion]:
    """Return gravity in the axes of the base, and the base's motion with it as an acceleration.

    The tree has the gravity of the start; that gravity has turned since, seen from the base, enters
    as a further acceleration.
    """
    angular, linear = split(given["base_acceleration"])
    turned = vector(list(tree.gravity)) - gravity
    return gravity, BaseMotion(given["base_velocity"], join(angular, linear + turned))
