"""Which program gives which quantity: the definitions of `dynamics`, recorded for one robot.

Torques do not change when a robot's inertias are regrouped, so what only needs torques is recorded
from the shorter tree; poses, energies and parameters keep the robot's own frames.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from qddot.checks import one_of
from qddot.dynamics import (
    aba,
    coriolis,
    energy,
    forward,
    frame_products,
    friction,
    kinematics,
    regressor,
    rnea,
)
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.effective_mass import effective_mass, principal_masses
from qddot.dynamics.manipulability import ROWS, manipulability
from qddot.dynamics.movement import BaseMotion
from qddot.dynamics.regroup import regrouped
from qddot.dynamics.terms import all_terms
from qddot.kinematics.solutions import Solutions
from qddot.model.tree import Tree
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.robot import long_chains
from qddot.robot.derived import DERIVED, differentiated_torques, state_shapes
from qddot.robot.products import PRODUCTS
from qddot.robot.terms import AllTerms, FrameTerms

# from this many joints on, the articulated body algorithm is quicker: in batches the two are even
# at 14 joints, for one state at 17
LONG_CHAIN = 16
# of an entry of J, in parts of all of J: the kernels are good to a few ε
ROUNDING = 64 * float(np.finfo(float).eps)


class Request(NamedTuple):
    """A quantity, and the choices that make it a program of its own."""

    quantity: str
    frame: str = ""
    axes: str = "world"
    wrenches: tuple[str, ...] = ()  # the frames that wrenches act at, each given in `axes`
    reaction: bool = False  # the wrenches are the robot's on its environment
    disturbed: bool = False
    base_moves: bool = False
    at_origin: bool = False  # of the motion of a point: it is that of the frame, and no input
    form: str = "christoffel"  # of the Coriolis matrix, one of `formulations.coriolis.FORMS`
    few_at_once: bool = False  # of derivatives: more operations, but fewer values wait at a time
    within_limits: bool = False  # of inverse kinematics: whether limits must be kept
    free: tuple[str, ...] = ()  # and the joints whose positions are given


def program_for(tree: Tree, request: Request) -> Program:
    """Return the program of a quantity for a robot."""
    return optimised(recorded_program(tree, request))


def recorded_program(tree: Tree, request: Request) -> Program:
    """Return the program of a quantity as its definition was recorded."""
    name = request.quantity
    if name in WITH_LOADS:
        return loaded_program(tree, request)
    if name in FROM_OTHERS and request.form == "christoffel":
        few = request.few_at_once
        differentiate = few and name == "inverse_dynamics_derivatives"
        make = differentiated_torques if differentiate else FROM_OTHERS[name]
        return make(tree, lambda other: recorded_program(tree, Request(other, few_at_once=few)))
    if name in GUARDED:
        return guarded_program(tree, request)
    if name == "all_terms":
        terms = partial(all_terms, regrouped(tree), frame=request.frame)
        return record(terms, name, **state_shapes(tree, "q", "qd"))
    if name == "point_motion":
        return point_motion(tree, request)
    inputs, define = definition(request)
    # these do not see how inertia is shared between bodies
    own = name in OWN_FRAMES or request.form.startswith("newton_euler")
    source = tree if own else regrouped(tree)
    return record(partial(define, source), name, **state_shapes(tree, *inputs))


def results_of(request: Request) -> type[tuple]:
    """Return what several results of a quantity come in."""
    if request.quantity.startswith("inverse_kinematics"):
        return Solutions
    if request.quantity != "all_terms":
        return tuple
    return FrameTerms if request.frame else AllTerms


def definition(request: Request) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """Return what a quantity is a function of, and its definition over any tree.

    It raises KeyError if the quantity is derived from others: derivatives, products, the motion of
    a point.
    """
    name = request.quantity
    if name in WITH_LOADS:
        last, define = WITH_LOADS[name]
        return ("q", "qd", *([last] if last else [])), define
    inputs, define = SIMPLE[name]
    if name in OF_A_FRAME:
        define = partial(define, frame=request.frame)
        if name in OF_PARTS:
            define = partial(define, axes=request.axes if request.axes in ROWS else "linear")
        elif name in OF_AXES:
            define = partial(define, axes=request.axes)
    if name == "coriolis_matrix" and request.form != "christoffel":
        define = partial(coriolis_form, form=request.form)
    return inputs, define


def loaded_program(tree: Tree, request: Request) -> Program:
    """Return a program that takes wrenches, a disturbance, a motion of the base as inputs too."""
    inputs, define = definition(request)
    short = regrouped(tree)
    frames = request.wrenches
    shapes = state_shapes(tree, *inputs)
    states = len(shapes)
    shapes |= {f"wrench{k}": (6,) for k in range(len(frames))}
    if request.disturbed:
        shapes["disturbance"] = (tree.n,)
    if request.base_moves:
        shapes |= {"base_velocity": (6,), "base_acceleration": (6,)}

    def function(*arrays: Any) -> Any:
        more: dict[str, Any] = {}
        rest = arrays[states:]
        if frames:
            on_robot = [-x if request.reaction else x for x in rest[: len(frames)]]
            more |= {"wrenches": dict(zip(frames, on_robot, strict=True)), "axes": request.axes}
        if request.disturbed:
            more["disturbance"] = rest[len(frames)]
        if request.base_moves:
            more["base_motion"] = BaseMotion(*rest[-2:])
        return define(short, *arrays[:states], **more)

    return record(function, request.quantity, **shapes)


def forward_dynamics(tree: Tree, *arrays: Any, **loads: Any) -> Any:
    """Choose the shorter of the two ways to forward dynamics."""
    if tree.n >= LONG_CHAIN and not loads and aba.applies(tree):
        return aba.forward_dynamics(tree, *arrays)
    return forward.forward_dynamics(tree, *arrays, **loads)


def point_motion(tree: Tree, request: Request) -> Program:
    """Return position, velocity and acceleration of a point fixed to a frame."""

    def motion(q: Any, qd: Any, qdd: Any, *point: Any) -> Any:
        return kinematics.point_motion(tree, q, qd, qdd, request.frame, *point)

    shapes: dict[str, Any] = state_shapes(tree, "q", "qd", "qdd")
    return record(motion, "point_motion", **shapes | ({} if request.at_origin else {"point": (3,)}))


def guarded_program(tree: Tree, request: Request) -> Program:
    """Return a quantity of M and J at a frame, and 1 where it is right, else 0."""
    first = 3 if request.axes == "linear" else 0

    def define(q: Any) -> Any:
        J = kinematics.jacobian(tree, q, request.frame)[first:]
        return GUARDED[request.quantity](mass_matrix(regrouped(tree), q), J, ROUNDING)

    return record(define, request.quantity, **state_shapes(tree, "q"))


def coriolis_form_name(form: Any) -> str:
    """Return the name of a Coriolis matrix, checked."""
    if form == "christoffel":  # which needs no formulation
        return form
    from qddot.formulations.coriolis import FORMS

    return one_of("form", form, FORMS)


def coriolis_form(tree: Tree, q: Any, qd: Any, form: str) -> Any:
    """Return the Coriolis matrix of that name."""
    from qddot.formulations.coriolis import FROM_DERIVATIVES, from_derivatives
    from qddot.formulations.stacked import coriolis_factors

    if form in FROM_DERIVATIVES:
        return from_derivatives(coriolis.mass_matrix_slopes(tree, q), qd)[form]
    return coriolis_factors(tree, q, qd)[form]


def centrifugal_matrix(tree: Tree, q: Any) -> Any:
    return _centrifugal_and_coriolis(tree, q)[0]


def coriolis_pairs(tree: Tree, q: Any) -> Any:
    return _centrifugal_and_coriolis(tree, q)[1]


def _centrifugal_and_coriolis(tree: Tree, q: Any) -> tuple[Any, Any]:
    from qddot.formulations.velocity_parts import centrifugal_and_coriolis

    return centrifugal_and_coriolis(coriolis.christoffel(tree, q))


def pose_matrix(tree: Tree, q: Any, frame: str) -> Any:
    return kinematics.pose(tree, q, frame).matrix()


def inverse_effective_mass(tree: Tree, q: Any, frame: str, axes: str) -> Any:
    J = kinematics.jacobian(tree, q, frame)
    return forward.inverse_effective_mass(tree, q, J[3:] if axes == "linear" else J)


# quantity: the inputs, and the definition
SIMPLE: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "mass_matrix": (("q",), long_chains.mass_matrix),
    "coriolis_matrix": (("q", "qd"), coriolis.coriolis_matrix),
    "velocity_torque": (("q", "qd"), coriolis.velocity_torque),
    "gravity_torque": (("q",), rnea.gravity_torque),
    "friction_torque": (("qd",), friction.friction_torque),
    "christoffel": (("q",), coriolis.christoffel),
    "centrifugal_matrix": (("q",), centrifugal_matrix),
    "coriolis_pairs": (("q",), coriolis_pairs),
    "mass_matrix_rate": (("q", "qd"), coriolis.mass_matrix_rate),
    "regressor": (("q", "qd", "qdd"), regressor.regressor),
    "pose": (("q",), pose_matrix),
    "jacobian": (("q",), kinematics.jacobian),
    "jacobian_rate": (("q", "qd"), kinematics.jacobian_rate),
    "jacobian_product": (("q", "qd"), frame_products.jacobian_product),
    "jacobian_transposed_product": (("q", "wrench"), frame_products.jacobian_transposed_product),
    "kinetic_energy": (("q", "qd"), energy.kinetic_energy),
    "potential_energy": (("q",), energy.potential_energy),
    "center_of_mass": (("q",), energy.center_of_mass),
    "inverse_effective_mass": (("q",), inverse_effective_mass),
    "manipulability": (("q",), manipulability),
}
WITH_LOADS: dict[str, tuple[str, Callable[..., Any]]] = {
    "inverse_dynamics": ("qdd", long_chains.inverse_dynamics),
    "forward_dynamics": ("tau", forward_dynamics),
    "bias_torque": ("", long_chains.bias_torque),
}
# of M, J and its rounding; the last result says whether the others are right
GUARDED = {"effective_mass": effective_mass, "principal_masses": principal_masses}
OF_AXES = (
    *("jacobian", "jacobian_rate", "jacobian_product", "jacobian_transposed_product"),
    "inverse_effective_mass",
)
OF_PARTS = ("manipulability",)  # linear, angular or all rows of J
OF_A_FRAME = ("pose", *OF_AXES, *OF_PARTS)
OWN_FRAMES = (*OF_A_FRAME, "regressor", "potential_energy", "center_of_mass")
# what needs no masses
OF_SHAPE = {*OF_A_FRAME, "point_motion"} - {"inverse_effective_mass"}
FROM_OTHERS = DERIVED | PRODUCTS
NAMES = (*dict.fromkeys((*WITH_LOADS, *SIMPLE, *FROM_OTHERS, "point_motion", "all_terms")),)
OF_A_POSE = ("inverse_kinematics_all",)  # functions of a pose, not of joint positions
