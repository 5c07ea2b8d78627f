"""Writing a model as a URDF file, and saying what URDF has no words for and what it asks for.

Numbers are written with every digit. A frame becomes a massless link behind a fixed joint, a
payload a link of its own, and a joint that is held at a position a fixed one: so the dynamics of
what is read back is the same. A capsule becomes a cylinder and two spheres, which every program
that reads URDF has.

URDF asks for limits of every joint that turns or slides, of effort and velocity wherever one limit
is given, and other programs refuse a file without. Where the model has none, `UNLIMITED` is
written, which our reader takes for none again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from xml.sax.saxutils import quoteattr, unescape

import numpy as np

from qddot.errors import NotNumeric, listing
from qddot.model import Inertial, Joint, Link, Model, Placement
from qddot.model.folding import coordinates, numeric
from qddot.model.geometry import (
    BoxShape,
    CapsuleShape,
    CylinderShape,
    EllipsoidShape,
    Geometry,
    MeshShape,
    Shape,
    SphereShape,
)
from qddot.model.joint import UNLIMITED
from qddot.model.model import mapped
from qddot.scalars import Scalar
from qddot.writers.lost import Holds, lost_in
from qddot.writers.simpler import (
    with_frames_as_links,
    with_held_joints_fixed,
    with_payloads_as_links,
    without_rotors,
    without_screws,
)
from qddot.writers.xml_text import comment_on, digits, spaced

DYNAMICS = {"viscous": "damping", "coulomb": "friction"}  # what <dynamics> has of friction
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
NAMED_JOINT = re.compile(r"""<joint\b[^>]*?\bname=(["'])(.*?)\1""")


def to_urdf(model: Model) -> str:
    """Return the text of a URDF file. A comment at its top lists what it adds and leaves out.

    Raises:
        NotNumeric: If the model has symbols: URDF holds numbers only.
    """
    if model.symbols:
        raise NotNumeric(f"Robot {model.name!r}", model.symbols)
    notes = [*added_to_urdf(model), *lost_in_urdf(model)]
    model = without_rotors(without_screws(mapped(model, numeric)))
    model = with_frames_as_links(with_payloads_as_links(with_held_joints_fixed(model)))
    links = {link.name: link for link in model.links}
    lines = ['<?xml version="1.0"?>', *comment_on("URDF", notes)]
    lines += [f"<robot name={quoteattr(model.name)}>", *_link(model.links[0])]
    for joint in model.joints:
        lines += [*_joint(joint), *_link(links[joint.child])]
    lines += [f"  {part}" for part in model.urdf_parts]
    return "\n".join([*lines, "</robot>"]) + "\n"


def notes_on_urdf(model: Model) -> list[str]:
    """Return what a URDF file adds to a model, then what it leaves out."""
    return [*added_to_urdf(model), *(f"left out: {what}" for what in lost_in_urdf(model))]


def lost_in_urdf(model: Model) -> list[str]:
    """Return what a model says and a URDF file cannot."""
    shapes = [(link, x.shape) for link in model.links for x in (*link.visuals, *link.collisions)]
    return lost_in(model, Holds()) + [
        f"link {link.name!r}: an ellipsoid, which URDF does not have"
        for link, shape in shapes
        if isinstance(shape, EllipsoidShape)
    ]


def added_to_urdf(model: Model) -> list[str]:
    """Return what a URDF file must say and the model does not: limits that stand for none."""
    lacking: dict[str, list[str]] = {}
    screws = [repr(joint.name) for joint in model.joints if joint.kind == "screw"]
    said = "a massless link and a slide that follows the turn, for the screw"
    notes = [f"added: {said} {listing(screws, most=10)}"] if screws else []
    if still := _still_for_ros(model):
        notes.append(f"kept for ROS, though they do not move here: {listing(still, most=10)}")
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


def _still_for_ros(model: Model) -> list[str]:
    """Return the joints that ROS is told of and that a model holds, or has not."""
    found = [x for part in model.urdf_parts for x in NAMED_JOINT.findall(part)]
    moving = {joint.name for joint in model.joints if joint.moves}
    names = dict.fromkeys(unescape(x, {"&quot;": '"'}) for _, x in found)
    return [repr(name) for name in names if name not in moving]


def written_limits(joint: Joint) -> dict[str, Scalar | None]:
    """Return the limits that a URDF joint must have; None where the model gives none."""
    limits = joint.limits
    strength = {"effort": limits.effort, "velocity": limits.velocity}
    if joint.kind == "continuous":  # needs none, but if one then both
        return strength if any(x is not None for x in strength.values()) else {}
    return {"lower": limits.lower, "upper": limits.upper, **strength}


def _link(link: Link) -> list[str]:
    inner = [] if link.inertial == Inertial() else _inertial(link.inertial)
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        inner += [line for each in shapes for line in shape_lines(tag, each)]
    if not inner:
        return [f"  <link name={quoteattr(link.name)}/>"]
    return [f"  <link name={quoteattr(link.name)}>", *inner, "  </link>"]


def _inertial(part: Inertial) -> list[str]:
    moments = " ".join(f'{k}="{digits(x)}"' for k, x in zip(MOMENTS, part.inertia, strict=True))
    return [
        "    <inertial>",
        *(f"  {line}" for line in origin(Placement(part.com, part.rpy))),
        f'      <mass value="{digits(part.mass)}"/>',
        f"      <inertia {moments}/>",
        "    </inertial>",
    ]


def _joint(joint: Joint) -> list[str]:
    lines = [
        f"  <joint name={quoteattr(joint.name)} type={quoteattr(joint.kind)}>",
        *origin(joint.origin),
        f"    <parent link={quoteattr(joint.parent)}/>",
        f"    <child link={quoteattr(joint.child)}/>",
    ]
    if joint.kind != "fixed":
        lines.append(f'    <axis xyz="{spaced(joint.axis)}"/>')
        lines += _limit(joint)
        written = {key: getattr(joint.friction, name) for name, key in DYNAMICS.items()}
        if any(written.values()):
            values = " ".join(f'{key}="{digits(value)}"' for key, value in written.items())
            lines.append(f"    <dynamics {values}/>")
        if joint.mimic:
            ratio, offset = digits(joint.mimic.multiplier), digits(joint.mimic.offset)
            values = f'joint={quoteattr(joint.mimic.joint)} multiplier="{ratio}" offset="{offset}"'
            lines.append(f"    <mimic {values}/>")
    return [*lines, "  </joint>"]


def _limit(joint: Joint) -> list[str]:
    endless = {"lower": -UNLIMITED}
    values = " ".join(
        f'{key}="{digits(endless.get(key, UNLIMITED) if x is None else x)}"'
        for key, x in written_limits(joint).items()
    )
    return [f"    <limit {values}/>"] if values else []


def shape_lines(tag: str, geometry: Geometry) -> Iterator[str]:
    """Yield a <visual> or <collision>; of a capsule three: a cylinder with a sphere at each end."""
    shape = geometry.shape
    if isinstance(shape, CapsuleShape):
        X, half = geometry.place.pose(), shape.length / 2
        parts: list[tuple[Shape, float]] = [(CylinderShape(shape.radius, shape.length), 0)]
        parts += [(SphereShape(shape.radius), z) for z in (half, -half)]
        for part, z in parts:
            x, y, z = (float(value) for value in X.point(np.array([0, 0, z])))
            place = Placement((x, y, z), geometry.place.rpy)
            yield from shape_lines(tag, replace(geometry, shape=part, place=place))
        return
    if isinstance(shape, EllipsoidShape):
        return
    if isinstance(shape, MeshShape):
        scale = "" if shape.scale == (1, 1, 1) else f' scale="{spaced(shape.scale)}"'
        inside = f"mesh filename={quoteattr(shape.file)}{scale}"
    elif isinstance(shape, BoxShape):
        inside = f'box size="{spaced(shape.size)}"'
    elif isinstance(shape, SphereShape):
        inside = f'sphere radius="{digits(shape.radius)}"'
    else:
        inside = f'cylinder radius="{digits(shape.radius)}" length="{digits(shape.length)}"'
    yield f"    <{tag} name={quoteattr(geometry.name)}>" if geometry.name else f"    <{tag}>"
    yield from (f"  {line}" for line in origin(geometry.place))
    yield f"      <geometry><{inside}/></geometry>"
    if geometry.colour is not None:
        colour = spaced(geometry.colour)
        yield f'      <material name="rgba {colour}"><color rgba="{colour}"/></material>'
    yield f"    </{tag}>"


def origin(placement: Placement) -> list[str]:
    """Return an <origin>, if it is not that of the frame itself."""
    if placement == Placement():
        return []
    return [f'    <origin xyz="{spaced(placement.xyz)}" rpy="{spaced(placement.rpy)}"/>']
