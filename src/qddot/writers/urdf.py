"""Writing a model as a URDF file, and saying what URDF has no words for and what it asks for.

Numbers are written with every digit. A frame becomes a massless link behind a fixed joint, a
payload a link of its own, and a joint that is held at a position a fixed one: so the dynamics of
what is read back is the same.

URDF asks for limits of every joint that turns or slides, of effort and velocity wherever one limit
is given, and other programs refuse a file without. Where the model has none, `UNLIMITED` is
written, which our reader takes for none again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from xml.sax.saxutils import quoteattr

from qddot.errors import NotNumeric, listing
from qddot.model import Coupling, Inertial, Joint, Link, Mimic, Model, Motor, Placement
from qddot.model.folding import coordinates, motion_of, numeric
from qddot.model.friction import PARAMETERS, Friction
from qddot.model.joint import UNLIMITED, Start
from qddot.model.model import GRAVITY, mapped
from qddot.scalars import Scalar
from qddot.scalars.expressions import free_symbols
from qddot.spatial.rotation import to_rpy

DYNAMICS = {"viscous": "damping", "coulomb": "friction"}  # what <dynamics> has of friction
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def to_urdf(model: Model) -> str:
    """Return the text of a URDF file. A comment at its top lists what it adds and leaves out.

    Raises:
        NotNumeric: If the model has symbols: URDF holds numbers only.
    """
    if model.symbols:
        raise NotNumeric(f"Robot {model.name!r}", model.symbols)
    notes = [*added_to_urdf(model), *lost_in_urdf(model)]
    model = without_rotors(without_screws(mapped(model, numeric)))
    held = {name: offset for name, (at, _, offset) in coordinates(model).items() if at is None}
    links = {link.name: link for link in model.links}
    lines = ['<?xml version="1.0"?>', *_comment(notes), f"<robot name={quoteattr(model.name)}>"]
    lines += _link(model.links[0])
    for joint in model.joints:
        lines += _joint(_fixed_at(joint, held[joint.name]) if joint.name in held else joint)
        lines += _link(links[joint.child])
    lines += _attached(model)
    return "\n".join([*lines, "</robot>"]) + "\n"


def notes_on_urdf(model: Model) -> list[str]:
    """Return what a URDF file adds to a model, then what it leaves out."""
    return [*added_to_urdf(model), *(f"left out: {what}" for what in lost_in_urdf(model))]


def lost_in_urdf(model: Model) -> list[str]:
    """Return what a model says and a URDF file cannot."""
    model = mapped(model, _plain)
    lost = []
    if model.gravity != GRAVITY:
        lost.append(f"gravity {', '.join(str(x) for x in model.gravity)}")
    for joint in model.joints:
        lost += [f"joint {joint.name!r}: {what}" for what in _lost_at(joint)]
    for coupling in model.couplings:
        joints = listing([repr(name) for name in coupling.joints], most=10)
        what = [words for words, there in _parts(coupling).items() if there]
        lost.append(f"the coupling of joints {joints}: {', '.join(what)}")
    return lost


def _parts(coupling: Coupling) -> dict[str, bool]:
    """Return what a coupling may have, in words, and whether it has it."""
    return {
        "a spring": bool(coupling.stiffness),
        "a damper": bool(coupling.damping),
        "a motor": coupling.motor != Motor(),
        "friction": coupling.friction != Friction(),
    }


def added_to_urdf(model: Model) -> list[str]:
    """Return what a URDF file must say and the model does not: limits that stand for none."""
    lacking: dict[str, list[str]] = {}
    screws = [repr(joint.name) for joint in model.joints if joint.kind == "screw"]
    said = "a massless link and a slide that follows the turn, for the screw"
    notes = [f"added: {said} {listing(screws, most=10)}"] if screws else []
    model = without_rotors(without_screws(model))
    positions = coordinates(model)
    for joint in model.joints:
        if joint.kind != "fixed" and positions[joint.name][0] is not None:
            for key in [key for key, value in written_limits(joint).items() if value is None]:
                lacking.setdefault(key, []).append(f"{joint.name!r}")
    if not lacking:
        return notes
    which = "; ".join(f"{key} of {listing(names, most=10)}" for key, names in lacking.items())
    limits = f"added, because URDF asks for limits: ±{UNLIMITED:g}, which stands for none ({which})"
    return [*notes, limits]


def without_screws(model: Model) -> Model:
    """Return the same robot with a turn, and a slide that follows it, for every screw.

    Between them is a massless link. Turn and slide have one axis, so that their order is the same.
    """
    names = {*model.frame_names}, {joint.name for joint in model.joints}
    links, joints = list(model.links), []
    for joint in model.joints:
        if joint.kind != "screw" or joint.locked is not None:
            joints.append(joint)
            continue
        between = _unused(f"{joint.child}_nut", names[0])
        links.insert(links.index(model.link(joint.child)), Link(between))
        slide = Joint(
            _unused(f"{joint.name}_slide", names[1]),
            "prismatic",
            between,
            joint.child,
            axis=joint.axis,
            mimic=Mimic(joint.name, joint.pitch),
        )
        joints += [replace(joint, kind="revolute", child=between, pitch=0), slide]
    return replace(model, links=tuple(links), joints=tuple(joints))


def without_rotors(model: Model) -> Model:
    """Return the same robot with joints that turn for rotors: the dynamics are the same."""
    return model.with_joints(
        lambda joint: replace(joint, kind="continuous") if joint.kind == "rotor" else joint
    )


def written_limits(joint: Joint) -> dict[str, Scalar | None]:
    """Return the limits that a URDF joint must have; None where the model gives none."""
    limits = joint.limits
    strength = {"effort": limits.effort, "velocity": limits.velocity}
    if joint.kind == "continuous":  # needs none, but if one then both
        return strength if any(x is not None for x in strength.values()) else {}
    return {"lower": limits.lower, "upper": limits.upper, **strength}


def _lost_at(joint: Joint) -> Iterator[str]:
    if joint.motor.rotor_inertia:
        yield f"its rotor inertia ({joint.motor.reflected} after the gear)"
    if joint.spring.stiffness:
        yield f"its spring (stiffness {joint.spring.stiffness})"
    if joint.spring.harmonics:
        yield f"the harmonics of its spring ({len(joint.spring.harmonics)})"
    limits = joint.limits
    for p in PARAMETERS:
        value = getattr(joint.friction, p.name)
        if p.name not in DYNAMICS and value != p.default:
            yield f"its {p.meaning} ({value})"
    if joint.warming.changes:
        yield f"how its friction changes with temperature, from {joint.warming.reference} °C on"
    if joint.locked is not None:
        yield f"that it could move (it is held at {joint.locked}, and written as fixed)"
    if joint.kind == "continuous" and (limits.lower, limits.upper) != (None, None):
        yield "its position limits, because it is continuous"
    if joint.home is not None:
        yield f"its home ({joint.home})"
    if joint.start != Start():
        yield f"its start ({joint.start.q})"


def _link(link: Link) -> list[str]:
    if link.inertial == Inertial():
        return [f"  <link name={quoteattr(link.name)}/>"]
    part = link.inertial
    moments = " ".join(f'{k}="{_digits(x)}"' for k, x in zip(MOMENTS, part.inertia, strict=True))
    return [
        f"  <link name={quoteattr(link.name)}>",
        "    <inertial>",
        *(f"  {line}" for line in _origin(Placement(part.com, part.rpy))),
        f'      <mass value="{_digits(part.mass)}"/>',
        f"      <inertia {moments}/>",
        "    </inertial>",
        "  </link>",
    ]


def _joint(joint: Joint) -> list[str]:
    lines = [
        f"  <joint name={quoteattr(joint.name)} type={quoteattr(joint.kind)}>",
        *_origin(joint.origin),
        f"    <parent link={quoteattr(joint.parent)}/>",
        f"    <child link={quoteattr(joint.child)}/>",
    ]
    if joint.kind != "fixed":
        lines.append(f'    <axis xyz="{_spaced(joint.axis)}"/>')
        lines += _limit(joint)
        written = {key: getattr(joint.friction, name) for name, key in DYNAMICS.items()}
        if any(written.values()):
            values = " ".join(f'{key}="{_digits(value)}"' for key, value in written.items())
            lines.append(f"    <dynamics {values}/>")
        if joint.mimic:
            ratio, offset = _digits(joint.mimic.multiplier), _digits(joint.mimic.offset)
            values = f'joint={quoteattr(joint.mimic.joint)} multiplier="{ratio}" offset="{offset}"'
            lines.append(f"    <mimic {values}/>")
    return [*lines, "  </joint>"]


def _limit(joint: Joint) -> list[str]:
    endless = {"lower": -UNLIMITED}
    values = " ".join(
        f'{key}="{_digits(endless.get(key, UNLIMITED) if x is None else x)}"'
        for key, x in written_limits(joint).items()
    )
    return [f"    <limit {values}/>"] if values else []


def _origin(placement: Placement) -> list[str]:
    if placement == Placement():
        return []
    return [f'    <origin xyz="{_spaced(placement.xyz)}" rpy="{_spaced(placement.rpy)}"/>']


def _attached(model: Model) -> Iterator[str]:
    """Yield frames and payloads, as links behind fixed joints."""
    links = {*model.frame_names}
    joints = {joint.name for joint in model.joints}
    for frame in model.frames:
        yield from _link(Link(frame.name))
        name = _unused(f"{frame.name}_joint", joints)
        yield from _joint(Joint(name, "fixed", frame.link, frame.name, frame.placement))
    for load in model.payloads:
        child = _unused(f"{load.frame}_payload", links)
        yield from _link(Link(child, load.inertial))
        yield from _joint(Joint(_unused(f"{child}_joint", joints), "fixed", load.frame, child))


def _unused(name: str, taken: set[str]) -> str:
    number = 2
    fresh = name
    while fresh in taken:
        fresh, number = f"{name}{number}", number + 1
    taken.add(fresh)
    return fresh


def _fixed_at(joint: Joint, q: Scalar) -> Joint:
    """Return the fixed joint that stands where a moving one would at q."""
    X = joint.origin.pose() @ motion_of(joint).pose([q])
    x, y, z = (float(value) for value in X.p)
    return Joint(joint.name, "fixed", joint.parent, joint.child, Placement((x, y, z), to_rpy(X.R)))


def _comment(notes: list[str]) -> list[str]:
    if not notes:
        return []
    # two dashes would end the comment
    safe = (re.sub("-(?=-)", "- ", line) for line in notes)
    head = "<!-- What this file adds for URDF, and what URDF cannot say, so that it leaves it out:"
    return [head, *(f"  {x}" for x in safe), "-->"]


def _plain(x: Scalar) -> Scalar:
    """Return the number that an expression without symbols is."""
    return x if free_symbols(x) else numeric(x)


def _spaced(values: tuple) -> str:
    return " ".join(_digits(x) for x in values)


def _digits(x: Scalar) -> str:
    return repr(float(x))
