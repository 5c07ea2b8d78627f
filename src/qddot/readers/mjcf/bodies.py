"""Bodies, joints and sites of a compiled model as links, joints and frames.

A body in MuJoCo has its frame anywhere and any number of joints, each about an anchor a of its
own and zero at ref:

    X_PB(q) = X_PB0 Π T(aⱼ) exp(Sⱼ (qⱼ − refⱼ)) T(−aⱼ)

Here a link has its frame at its joint. So a body with one joint at its origin is a link, and any
other one is a chain of massless links, with the body at its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from qddot.errors import Problem
from qddot.model import Frame, Joint, Link
from qddot.readers.mjcf.acting import friction, home, limits, motor, spring
from qddot.readers.mjcf.compiling import Compiled
from qddot.readers.mjcf.constraints import Followers
from qddot.readers.mjcf.masses import inertial
from qddot.readers.mjcf.placing import floats, placement, pose
from qddot.spatial.pose import ORIGIN, STILL, Pose
from qddot.spatial.rotation import IDENTITY, about_axis

WORLD = 0
SLIDE, HINGE = 2, 3  # MuJoCo's numbers of joint types


def links_and_joints(
    compiled: Compiled, tied: Followers, left_out: set[int]
) -> tuple[list[Link], list[Joint]]:
    """Return the links and joints of a compiled model, but for the bodies left out."""
    names = compiled.names
    links, joints = [Link(names.body(WORLD))], []
    for i in range(1, compiled.model.nbody):
        if i in left_out:
            continue
        chain = list(body_chain(compiled, tied, i))
        links += [Link(joint.child, line=joint.line) for joint in chain[:-1]]
        body = inertial(compiled.model, i, compiled.typed[i])
        links.append(Link(names.body(i), body, names.line("body", i)))
        joints += chain
    return links, joints


def body_chain(compiled: Compiled, tied: Followers, i: int) -> Iterator[Joint]:
    """Yield the joints that lead from a body's parent to the body."""
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


def frames_of(compiled: Compiled, left_out: set[int]) -> tuple[list[Frame], list[Problem]]:
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
