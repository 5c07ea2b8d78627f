"""The same robot with fewer kinds of things, for formats that have fewer.

Each function returns a model with the same dynamics, in which something is said by what every
format has: links, and joints that turn, slide or are fixed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from qddot.errors import listing
from qddot.model import Inertial, Joint, Link, Mimic, Model, Placement
from qddot.model.folding import coordinates, motion_of
from qddot.model.link import NEGLIGIBLE
from qddot.scalars import Scalar
from qddot.spatial.inertia import symmetric
from qddot.spatial.rotation import from_rpy, to_rpy

WORLD = "world"  # what stands still in simulators; only a base can be called so
SLACK = 1e-14  # of the largest moment: by so much A + B may seem less than C after rounding


def with_held_joints_fixed(model: Model) -> Model:
    """Return the robot with a fixed joint for every one that is held at a position."""
    held = {name: offset for name, (at, _, offset) in coordinates(model).items() if at is None}
    return model.with_joints(
        lambda joint: _fixed_at(joint, held[joint.name]) if joint.name in held else joint
    )


def _fixed_at(joint: Joint, q: Scalar) -> Joint:
    """Return the fixed joint that stands where a moving one would at q."""
    if joint.kind == "fixed":
        return joint
    X = joint.origin.pose() @ motion_of(joint).pose([q])
    x, y, z = (float(value) for value in X.p)
    return Joint(joint.name, "fixed", joint.parent, joint.child, Placement((x, y, z), to_rpy(X.R)))


def without_screws(model: Model) -> Model:
    """Return the robot with a turn, and a slide that follows it, for every screw.

    Between them is a massless link. Turn and slide have one axis, so that their order is the same.
    """
    names = {*model.frame_names}, {joint.name for joint in model.joints}
    links, joints = list(model.links), []
    for joint in model.joints:
        if joint.kind != "screw" or joint.locked is not None:
            joints.append(joint)
            continue
        between = unused(f"{joint.child}_nut", names[0])
        links.insert(links.index(model.link(joint.child)), Link(between))
        slide = Joint(
            unused(f"{joint.name}_slide", names[1]),
            "prismatic",
            between,
            joint.child,
            axis=joint.axis,
            mimic=Mimic(joint.name, joint.pitch),
        )
        joints += [replace(joint, kind="revolute", child=between, pitch=0), slide]
    return replace(model, links=tuple(links), joints=tuple(joints))


def without_rotors(model: Model) -> Model:
    """Return the robot with joints that turn for rotors."""
    return model.with_joints(
        lambda joint: replace(joint, kind="continuous") if joint.kind == "rotor" else joint
    )


def with_frames_as_links(model: Model) -> Model:
    """Return the robot with a massless link behind a fixed joint for every frame."""
    taken = {joint.name for joint in model.joints}
    links = [Link(frame.name) for frame in model.frames]
    joints = [
        Joint(unused(f"{x.name}_joint", taken), "fixed", x.link, x.name, x.placement)
        for x in model.frames
    ]
    return _with(replace(model, frames=()), links, joints)


def with_payloads_as_links(model: Model) -> Model:
    """Return the robot with a link behind a fixed joint for every payload, at a link or a frame."""
    links, joints = [], []
    taken, of_joints = {*model.frame_names}, {joint.name for joint in model.joints}
    at = {frame.name: (frame.link, frame.placement) for frame in model.frames}
    for load in model.payloads:
        child = unused(f"{load.frame}_payload", taken)
        parent, place = at.get(load.frame, (load.frame, Placement()))
        links.append(Link(child, load.inertial))
        joints.append(Joint(unused(f"{child}_joint", of_joints), "fixed", parent, child, place))
    return _with(replace(model, payloads=()), links, joints)


def other_names(model: Model, refused: Callable[[str], bool]) -> dict[str, str]:
    """Return what links and frames are called instead, whose names a format refuses."""
    taken = {*model.frame_names}
    return {x: unused(f"{plain(x)}_link", taken) for x in model.frame_names if refused(x)}


def plain(name: str) -> str:
    """Return a name without the marks that formats keep for themselves."""
    return re.sub(r"::|^__|__$", "_", name)


def with_names(model: Model, names: Mapping[str, str]) -> Model:
    """Return the robot with other names of those links and frames that are given."""
    new = {name: names.get(name, name) for name in model.frame_names}
    return replace(
        model,
        links=tuple(replace(x, name=new[x.name]) for x in model.links),
        joints=tuple(replace(x, parent=new[x.parent], child=new[x.child]) for x in model.joints),
        frames=tuple(replace(x, name=new[x.name], link=new[x.link]) for x in model.frames),
        payloads=tuple(replace(x, frame=new[x.frame]) for x in model.payloads),
    )


def note_on_names(names: Mapping[str, str], why: str) -> list[str]:
    """Return a note on every link or frame that is called otherwise."""
    return [f"link or frame {old!r} is called {new!r}, because {why}" for old, new in names.items()]


def filled(inertial: Inertial) -> Inertial:
    """Return an inertia that is of some body, if only just: no moment is zero, A + B ≥ C."""
    R = from_rpy(inertial.rpy)
    matrix = np.asarray(R @ symmetric(inertial.inertia) @ R.T, dtype=float)
    moments = np.linalg.eigvalsh(matrix)
    slack = SLACK * moments[-1]
    more = 0.0
    if moments[0] < NEGLIGIBLE or moments[0] + moments[1] < moments[2] + slack:
        more = max(NEGLIGIBLE, 2 * slack)
    mass = max(float(inertial.mass), NEGLIGIBLE)
    if not more and mass == inertial.mass:
        return inertial
    xx, xy, xz, yy, yz, zz = (matrix + more * np.eye(3))[np.triu_indices(3)]
    return Inertial(mass, inertial.com, (xx, xy, xz, yy, yz, zz))


def note_on_filled(links: Iterable[Link], why: str) -> list[str]:
    """Return a note on the links whose mass or inertia is filled, if there are any."""
    names = [repr(link.name) for link in links if filled(link.inertial) != link.inertial]
    if not names:
        return []
    which = listing(names, most=10)
    return [f"added, because {why}: {NEGLIGIBLE:g}, which stands for none ({which})"]


def _with(model: Model, links: list[Link], joints: list[Joint]) -> Model:
    return replace(model, links=(*model.links, *links), joints=(*model.joints, *joints))


def unused(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it."""
    number = 2
    fresh = name
    while fresh in taken:
        fresh, number = f"{name}{number}", number + 1
    taken.add(fresh)
    return fresh
