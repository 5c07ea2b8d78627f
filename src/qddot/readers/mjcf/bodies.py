"""Bodies, joints and sites of a compiled model as links, joints and frames.

A body in MuJoCo has its frame anywhere and any number of joints, each about an anchor a of its
own and zero at ref:

    X_PB(q) = X_PB0 Π T(aⱼ) exp(Sⱼ (qⱼ − refⱼ)) T(−aⱼ)

Here a link has its frame at its joint. So a body with one joint at its origin is a link, and any
other one is a chain of massless links, with the body at its end.

Limits, friction, spring and rotor of a joint: MuJoCo keeps some of it with the joints, some with
the actuators that drive them, and lets the file switch kinds of forces off as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from qddot.errors import Problem
from qddot.model import Frame, Friction, Inertial, Joint, Limits, Link, Motor, Spring
from qddot.model.joint import UNLIMITED
from qddot.readers.mjcf.compiling import MujocoModel
from qddot.readers.mjcf.constraints import Followers, driven_joints
from qddot.readers.mjcf.geoms import shapes_of
from qddot.readers.mjcf.numbers import floats, inertial, placement, pose
from qddot.readers.places import Places
from qddot.spatial.pose import ORIGIN, STILL, Pose
from qddot.spatial.rotation import IDENTITY, about_axis

WORLD = 0
SLIDE, HINGE = 2, 3  # MuJoCo's numbers of joint types


def links_and_joints(
    compiled: MujocoModel, tied: Followers, left_out: set[int], apart: set[int], places: Places
) -> tuple[list[Link], list[Joint]]:
    """Return the links and joints of a compiled model, but for the bodies left out.

    Bodies that are `apart` have no mass.
    """
    names = compiled.names
    kinds = ("visuals", "collisions")
    shapes = {kind: shapes_of(compiled, places, kind) for kind in kinds}
    looks: list[dict[str, Any]] = [
        {kind: shapes[kind].get(i, ()) for kind in kinds} for i in range(compiled.model.nbody)
    ]
    links, joints = [Link(names.body(WORLD), **looks[WORLD])], []
    driven = driven_joints(compiled)
    for i in range(1, compiled.model.nbody):
        if i in left_out:
            continue
        chain = list(body_chain(compiled, tied, i, driven))
        links += [Link(joint.child, line=joint.line) for joint in chain[:-1]]
        body = Inertial() if i in apart else inertial(compiled.model, i, compiled.typed[i])
        links.append(Link(names.body(i), body, names.line("body", i), **looks[i]))
        joints += chain
    return links, joints


def body_chain(compiled: MujocoModel, tied: Followers, i: int, driven: set[int]) -> Iterator[Joint]:
    """Yield the joints that lead from a body's parent to the body; motors drive some of them."""
    model, names = compiled.model, compiled.names
    name, parent = names.body(i), names.body(model.body_parentid[i])
    first = model.body_jntadr[i]
    numbers = list(range(first, first + model.body_jntnum[i]))
    anchors = [anchor(model, j) for j in numbers]
    X = pose(model.body_pos[i], model.body_quat[i])  # from the link before
    if not numbers:
        line = names.line("body", i)
        yield Joint(names.new(f"{name}_fixed"), "fixed", parent, name, placement(X), line=line)
        return

    ends_at_body = not anchors[-1].any()
    for j, p in zip(numbers, anchors, strict=True):
        last = ends_at_body and j == numbers[-1]
        child = name if last else names.new(f"{name}_start")
        X_PJ = X @ Pose(IDENTITY, p) @ at_zero(model, j)
        yield Joint(
            names.joint(j),
            kind(model, j),
            parent,
            child,
            placement(X_PJ),
            floats(model.jnt_axis[j]),
            limits(compiled, j),
            friction(compiled, j),
            motor(compiled, j),
            spring(compiled, j),
            tied.mimics.get(j),
            tied.locked.get(j),
            home(compiled, j),
            names.line("joint", j),
            actuated=j in driven,
        )
        parent, X = child, Pose(IDENTITY, -p)
    if not ends_at_body:
        line = names.line("body", i)
        yield Joint(names.new(f"{name}_step"), "fixed", parent, name, placement(X), line=line)


def kind(model: Any, j: int) -> str:
    """Return what a joint is called here."""
    if model.jnt_type[j] == SLIDE:
        return "prismatic"
    return "revolute" if model.jnt_limited[j] else "continuous"


def anchor(model: Any, j: int) -> np.ndarray:
    """Return the point of the body that a joint turns about; a slide has none."""
    return model.jnt_pos[j].copy() if model.jnt_type[j] == HINGE else np.zeros(3)


def at_zero(model: Any, j: int) -> Pose:
    """Return where a joint stands at q = 0, seen from where MuJoCo has it at q = ref."""
    axis, back = model.jnt_axis[j], -float(model.qpos0[model.jnt_qposadr[j]])
    if back == 0:
        return STILL
    if model.jnt_type[j] == SLIDE:
        return Pose(IDENTITY, axis * back)
    return Pose(about_axis(tuple(axis), back), ORIGIN)


def frames_of(compiled: MujocoModel, left_out: set[int]) -> tuple[list[Frame], list[Problem]]:
    """Return the sites that have a name as frames, and which had to change it.

    MuJoCo keeps the names of bodies and sites apart; here a frame cannot be called as a link.
    """
    model, names = compiled.model, compiled.names
    links = {names.body(i) for i in range(model.nbody)}
    frames, renamed = [], []
    for i in range(model.nsite):
        name, body = names.names["site", i], int(model.site_bodyid[i])
        if not name or body in left_out:
            continue
        if name in links:
            name = names.new(f"{name}_site")
            message = f"a body has this name too, so its frame is called {name!r}"
            renamed.append(names.problem("note", "site", i, message, ""))
        X = pose(model.site_pos[i], model.site_quat[i])
        frames.append(Frame(name, names.body(body), placement(X), names.line("site", i)))
    return frames, renamed


def limits(compiled: MujocoModel, j: int) -> Limits:
    """Return how far a joint goes and how strong what drives it is."""
    m = compiled.model
    lower = upper = None
    if m.jnt_limited[j]:
        lower, upper = (x if abs(x) < UNLIMITED else None for x in floats(m.jnt_range[j]))
    return Limits(lower, upper, effort=effort(compiled, j))


def home(compiled: MujocoModel, j: int) -> float | None:
    """Return where the keyframe "home" has a joint, if there is one and it is within the limits."""
    m, at = compiled.model, compiled.model.jnt_qposadr[j]
    if len(compiled.home) != m.nq:
        return None
    low, high = m.jnt_range[j] if m.jnt_limited[j] else (-float("inf"), float("inf"))
    return compiled.home[at] if low <= compiled.home[at] <= high else None


def effort(compiled: MujocoModel, j: int) -> float | None:
    """Return the largest torque or force that the actuators can give, in either direction."""
    m = compiled.model
    bounds = []
    if m.jnt_actfrclimited[j]:
        bounds.append(largest(m.jnt_actfrcrange[j]))
    # with several actuators at one joint it is unclear which are used together
    drives = actuators(compiled, j)
    if len(drives) == 1:
        (a,) = drives
        gear = abs(float(m.actuator_gear[a, 0]))
        if m.actuator_forcelimited[a]:
            bounds.append(gear * largest(m.actuator_forcerange[a]))
        if m.actuator_ctrllimited[a] and is_plain_motor(compiled, a):
            gain = abs(float(m.actuator_gainprm[a, 0]))
            bounds.append(gear * gain * largest(m.actuator_ctrlrange[a]))
    return min(bounds, default=None)


def largest(bounds: Any) -> float:
    """Return the size of the larger bound of a range."""
    return max(abs(float(x)) for x in bounds)


def friction(compiled: MujocoModel, j: int) -> Friction:
    """Return the friction at a joint, that of its actuators included."""
    m, dof = compiled.model, compiled.model.jnt_dofadr[j]
    viscous = float(m.dof_damping[dof])
    coulomb = float(m.dof_frictionloss[dof])
    for a in actuators(compiled, j):
        viscous += float(m.actuator_gear[a, 0]) ** 2 * of_actuator(m, "actuator_damping", a)
    if compiled.disabled("DAMPER", "PASSIVE"):
        viscous = 0.0
    if compiled.disabled("FRICTIONLOSS", "CONSTRAINT"):
        coulomb = 0.0
    return Friction(viscous=viscous, coulomb=coulomb)


def motor(compiled: MujocoModel, j: int) -> Motor:
    """Return the rotor at a joint: its armature, and that of its actuators behind their gears."""
    m = compiled.model
    inertia = float(m.dof_armature[m.jnt_dofadr[j]])
    for a in actuators(compiled, j):
        inertia += float(m.actuator_gear[a, 0]) ** 2 * of_actuator(m, "actuator_armature", a)
    return Motor(rotor_inertia=inertia)


def spring(compiled: MujocoModel, j: int) -> Spring:
    """Return the spring at a joint."""
    m = compiled.model
    stiffness = float(m.jnt_stiffness[j])
    if stiffness == 0 or compiled.disabled("SPRING", "PASSIVE"):
        return Spring()
    return Spring(stiffness, float(m.qpos_spring[m.jnt_qposadr[j]]))


def actuators(compiled: MujocoModel, j: int) -> list[int]:
    """Return the numbers of the actuators that drive a joint directly."""
    m, kinds = compiled.model, compiled.mujoco.mjtTrn
    direct = (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT))
    return [
        a
        for a in range(len(m.actuator_trntype))
        if int(m.actuator_trntype[a]) in direct and int(m.actuator_trnid[a, 0]) == j
    ]


def is_plain_motor(compiled: MujocoModel, a: int) -> bool:
    """Return whether an actuator's force is its control times a constant."""
    m, mujoco = compiled.model, compiled.mujoco
    return (
        int(m.actuator_gaintype[a]) == int(mujoco.mjtGain.mjGAIN_FIXED)
        and int(m.actuator_biastype[a]) == int(mujoco.mjtBias.mjBIAS_NONE)
        and int(m.actuator_dyntype[a]) == int(mujoco.mjtDyn.mjDYN_NONE)
    )


def of_actuator(model: Any, what: str, a: int) -> float:
    """Return a number of an actuator that older releases of MuJoCo do not have."""
    return float(getattr(model, what)[a]) if hasattr(model, what) else 0.0
