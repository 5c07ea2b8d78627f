"""Writing a model as an SDF file, for Gazebo, Drake and what else reads SDFormat.

The base is fixed to the world. A frame stays a frame, a payload becomes a link of its own, and a
joint that is held at a position a fixed one. Links, joints and frames share one set of names in
SDF, so that a joint that is called as a link gets another name.

Every pose says what it is relative to: a joint to its parent, a link to its joint.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from xml.sax.saxutils import escape, quoteattr

from qddot.errors import NotNumeric
from qddot.model import Inertial, Joint, Link, Model, Placement
from qddot.model.folding import numeric
from qddot.model.geometry import (
    BoxShape,
    CapsuleShape,
    CylinderShape,
    Geometry,
    MeshShape,
    Shape,
    SphereShape,
)
from qddot.model.model import mapped
from qddot.scalars import Scalar
from qddot.writers.lost import Holds, lost_in
from qddot.writers.simpler import (
    WORLD,
    filled,
    note_on_filled,
    note_on_names,
    other_names,
    plain,
    unused,
    with_held_joints_fixed,
    with_names,
    with_payloads_as_links,
    without_rotors,
)
from qddot.writers.xml_text import comment_on, digits, spaced

HOLDS = Holds(springs=True)
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def to_sdf(model: Model) -> str:
    """Return the text of an SDF file. A comment at its top lists what it changes and leaves out.

    Raises:
        NotNumeric: If the model has symbols: SDF holds numbers only.
    """
    if model.symbols:
        raise NotNumeric(f"Robot {model.name!r}", model.symbols)
    notes = [*changed_in_sdf(model), *lost_in(model, HOLDS)]
    model = without_rotors(mapped(model, numeric))
    model = with_names(model, other_names(model, _refused(model)))
    names = sdf_names(model)
    model = with_payloads_as_links(with_held_joints_fixed(model))
    links, base = {link.name: link for link in model.links}, model.links[0]
    lines = ['<?xml version="1.0"?>', *comment_on("SDF", notes), '<sdf version="1.11">']
    lines.append(f"  <model name={quoteattr(model.name)}>")
    if base.name != WORLD:
        fixed = Joint(unused("base_joint", set(names.values())), "fixed", WORLD, base.name)
        lines += [*_joint(fixed, names), *_link(base, fixed, names)]
    for joint in model.joints:
        lines += [*_joint(joint, names), *_link(links[joint.child], joint, names)]
    for frame in model.frames:
        words = f"name={quoteattr(frame.name)} attached_to={quoteattr(frame.link)}"
        lines += [f"    <frame {words}>", f"      {_pose(frame.placement)}", "    </frame>"]
    return "\n".join([*lines, "  </model>", "</sdf>"]) + "\n"


def notes_on_sdf(model: Model) -> list[str]:
    """Return what an SDF file changes in a model, then what it leaves out."""
    return [*changed_in_sdf(model), *(f"left out: {what}" for what in lost_in(model, HOLDS))]


def changed_in_sdf(model: Model) -> list[str]:
    """Return which joints have another name in SDF, and which links have no mass."""
    numbers = with_payloads_as_links(mapped(model, numeric))
    filling = note_on_filled(numbers.links, "a link without mass has 1 kg in SDF")
    others = other_names(model, _refused(model))
    return (
        filling
        + note_on_names(others, "SDF keeps its name for itself")
        + [
            f"joint {old!r} is called {new!r}, because a link, a frame or SDF has its name"
            for old, new in sdf_names(with_names(model, others)).items()
            if old != new
        ]
    )


def sdf_names(model: Model) -> dict[str, str]:
    """Return what every joint is called in SDF, where links and frames have the first choice."""
    taken = {*model.frame_names, WORLD}
    return {x.name: unused(_allowed(x.name, taken), taken) for x in model.joints}


def _allowed(name: str, taken: set[str]) -> str:
    return f"{plain(name)}_joint" if name in taken or _kept(name) else name


def _kept(name: str) -> bool:
    """Return whether SDF keeps a name for itself: that of the world, of parts, or of its own."""
    return name == WORLD or "::" in name or (name.startswith("__") and name.endswith("__"))


def _refused(model: Model) -> Callable[[str], bool]:
    """Return whether no link or frame can have a name; a base that only stands is the world."""
    base = model.links[0]
    bare = base == Link(WORLD) and all(x.link != WORLD for x in model.frames)
    return lambda name: _kept(name) and not (name == WORLD and bare)


def _link(link: Link, joint: Joint, names: dict[str, str]) -> list[str]:
    at = quoteattr(names.get(joint.name, joint.name))
    lines = [f"    <link name={quoteattr(link.name)}>", f"      <pose relative_to={at}/>"]
    lines += _inertial(filled(link.inertial))
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for number, geometry in enumerate(shapes, 1):
            lines += _geometry(tag, f"{tag}{number}", geometry)
    return [*lines, "    </link>"]


def _inertial(part: Inertial) -> list[str]:
    moments = zip(MOMENTS, part.inertia, strict=True)
    return [
        "      <inertial>",
        f"        {_pose(Placement(part.com, part.rpy))}",
        f"        <mass>{digits(part.mass)}</mass>",
        f"        <inertia>{''.join(f'<{k}>{digits(x)}</{k}>' for k, x in moments)}</inertia>",
        "      </inertial>",
    ]


def _geometry(tag: str, name: str, geometry: Geometry) -> list[str]:
    lines = [
        f'      <{tag} name="{name}">',
        f"        {_pose(geometry.place)}",
        f"        <geometry>{_shape(geometry.shape)}</geometry>",
    ]
    if geometry.colour is not None and tag == "visual":
        colour = spaced(geometry.colour)
        parts = f"<ambient>{colour}</ambient><diffuse>{colour}</diffuse>"
        lines.append(f"        <material>{parts}</material>")
    return [*lines, f"      </{tag}>"]


def _shape(shape: Shape) -> str:
    if isinstance(shape, BoxShape):
        return f"<box><size>{spaced(shape.size)}</size></box>"
    if isinstance(shape, SphereShape):
        return f"<sphere><radius>{digits(shape.radius)}</radius></sphere>"
    if isinstance(shape, CylinderShape | CapsuleShape):
        kind = "cylinder" if isinstance(shape, CylinderShape) else "capsule"
        sizes = f"<radius>{digits(shape.radius)}</radius><length>{digits(shape.length)}</length>"
        return f"<{kind}>{sizes}</{kind}>"
    if isinstance(shape, MeshShape):
        scale = f"<scale>{spaced(shape.scale)}</scale>"
        return f"<mesh><uri>{escape(shape.file)}</uri>{scale}</mesh>"
    return f"<ellipsoid><radii>{spaced(shape.radii)}</radii></ellipsoid>"


def _joint(joint: Joint, names: dict[str, str]) -> Iterator[str]:
    name = names.get(joint.name, joint.name)
    yield f"    <joint name={quoteattr(name)} type={quoteattr(joint.kind)}>"
    yield f"      {_pose(joint.origin, '__model__' if joint.parent == WORLD else joint.parent)}"
    yield f"      <parent>{escape(joint.parent)}</parent>"
    yield f"      <child>{escape(joint.child)}</child>"
    if joint.kind == "screw":  # in metres per turn
        turn = digits(2 * math.pi * float(joint.pitch))
        yield f"      <screw_thread_pitch>{turn}</screw_thread_pitch>"
    if joint.kind != "fixed":
        yield "      <axis>"
        yield f"        <xyz>{spaced(joint.axis)}</xyz>"
        yield from _numbers("limit", _limits(joint))
        dynamics = {"damping": joint.friction.viscous, "friction": joint.friction.coulomb}
        if joint.spring.stiffness:
            dynamics |= {"spring_reference": joint.spring.rest}
            dynamics |= {"spring_stiffness": joint.spring.stiffness}
        yield from _numbers("dynamics", {key: x for key, x in dynamics.items() if x})
        if joint.mimic:
            leader = names[joint.mimic.joint]
            words = {"multiplier": joint.mimic.multiplier, "offset": joint.mimic.offset}
            words |= {"reference": 0}
            yield from _numbers("mimic", words, f" joint={quoteattr(leader)}")
        yield "      </axis>"
    yield "    </joint>"


def _limits(joint: Joint) -> dict[str, Scalar]:
    lower, upper = joint.ends
    limits = replace(joint.limits, lower=lower, upper=upper)
    named = {key: getattr(limits, key) for key in ("lower", "upper", "effort", "velocity")}
    return {key: x for key, x in named.items() if x is not None}


def _numbers(tag: str, numbers: dict[str, Scalar], more: str = "") -> Iterator[str]:
    if numbers:
        inside = "".join(f"<{key}>{digits(x)}</{key}>" for key, x in numbers.items())
        yield f"        <{tag}{more}>{inside}</{tag}>"


def _pose(place: Placement, relative_to: str = "") -> str:
    to = f" relative_to={quoteattr(relative_to)}" if relative_to else ""
    return f"<pose{to}>{spaced((*place.xyz, *place.rpy))}</pose>"
