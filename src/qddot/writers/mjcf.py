"""Writing a model as an MJCF file for MuJoCo, with a motor at every joint that moves.

A body has its frame at its joint, as here, and angles are typed as they were. A frame becomes a
site, a payload a body of its own, a joint that follows another one with an equality, and a coupling
a fixed tendon. MuJoCo asks for mass and inertia of everything that moves; what has none gets
`NEGLIGIBLE`, which our reader takes for none again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from xml.sax.saxutils import quoteattr

import numpy as np

from qddot.errors import BadArgument, NotNumeric, listing, printable
from qddot.model import Coupling, Inertial, Joint, Link, Model
from qddot.model.folding import coordinates, numeric
from qddot.model.geometry import (
    BoxShape,
    CapsuleShape,
    CylinderShape,
    EllipsoidShape,
    MeshShape,
    Shape,
    SphereShape,
)
from qddot.model.joint import UNLIMITED
from qddot.model.model import mapped
from qddot.spatial.inertia import symmetric
from qddot.spatial.rotation import from_rpy
from qddot.writers.lost import Holds, lost_in
from qddot.writers.simpler import (
    WORLD,
    filled,
    note_on_filled,
    note_on_names,
    other_names,
    with_held_joints_fixed,
    with_names,
    with_payloads_as_links,
    without_rotors,
    without_screws,
)
from qddot.writers.xml_text import attributes, comment_on, digits, placed, spaced

HOLDS = Holds(
    gravity=True,
    rotors=True,
    springs=True,
    velocities=False,
    homes=True,
    actuators=True,
    couplings=True,
    couplings_rub=("viscous", "coulomb"),
)


def to_mjcf(model: Model) -> str:
    """Return the text of an MJCF file. A comment at its top lists what it adds and leaves out.

    Raises:
        NotNumeric: If the model has symbols: MJCF holds numbers only.
        BadArgument: If MuJoCo stumbles over a name.
    """
    if model.symbols:
        raise NotNumeric(f"Robot {model.name!r}", model.symbols)
    names = (model.name, *(joint.name for joint in model.joints), *model.frame_names)
    if bad := next((x for x in names if "%" in x or "nan" in x.lower().split()), None):
        raise BadArgument(
            f"MJCF cannot hold the name {printable(bad)!r}: MuJoCo prints a % as a format, and "
            "takes nan for a number.\n  Rename it in the robot's file."
        )
    notes = [*added_to_mjcf(model), *lost_in_mjcf(model)]
    model = plainer(model)
    moving = [joint for joint in model.joints if joint.kind != "fixed"]
    meshes = mesh_names(model)
    lines = [
        *comment_on("MJCF", notes),
        f"<mujoco model={quoteattr(model.name)}>",
        '  <compiler angle="radian" eulerseq="XYZ" inertiafromgeom="false" autolimits="true"/>',
        f'  <option gravity="{spaced(model.gravity)}"/>',
        *_section("asset", [mesh(shape, name) for shape, name in meshes.items()]),
        "  <worldbody>",
        *_bodies(model, meshes),
        "  </worldbody>",
        *_section(
            "tendon", [line for each in enumerate(model.couplings) for line in _tendon(*each)]
        ),
        *_section("equality", [_equality(joint) for joint in moving if joint.mimic]),
        *_section("actuator", [_motor(x) for x in moving if not x.mimic and x.actuated]),
        *_section("keyframe", _home(model, moving)),
        "</mujoco>",
    ]
    return "\n".join(lines) + "\n"


def plainer(model: Model) -> Model:
    """Return the same robot with what MJCF has: numbers, turns and slides, bodies and sites."""
    model = without_rotors(without_screws(mapped(model, numeric)))
    model = with_names(model, other_names(model, _refused(model)))
    return with_payloads_as_links(with_held_joints_fixed(model))


def _refused(model: Model) -> Callable[[str], bool]:
    """Return whether MuJoCo refuses a name: that of its world, but for a base without mass."""
    base = model.links[0]
    stands_for_it = base.name == WORLD and base.inertial == Inertial()
    return lambda name: name == WORLD and not stands_for_it


def notes_on_mjcf(model: Model) -> list[str]:
    """Return what an MJCF file adds to a model, then what it leaves out."""
    return [*added_to_mjcf(model), *(f"left out: {what}" for what in lost_in_mjcf(model))]


def lost_in_mjcf(model: Model) -> list[str]:
    """Return what a model says and an MJCF file cannot."""
    shapes = [(link, x.shape) for link in model.links for x in (*link.visuals, *link.collisions)]
    lost = [f"joint {joint.name!r}: {x}" for joint in model.joints for x in _no_room(joint)]
    lost += [
        f"the coupling of joints {listing(map(repr, x.joints), most=10)}: what its rotor does from "
        "one branch to another, for which MuJoCo's mass matrix has no entry"
        for x in model.couplings
        if x.motor.reflected and _branches(model, x)
    ]
    return (
        lost_in(model, HOLDS)
        + lost
        + [
            f"link {link.name!r}: the mesh {shape.file!r}, which MuJoCo does not read"
            for link, shape in shapes
            if isinstance(shape, MeshShape) and not reads(shape)
        ]
    )


def _no_room(joint: Joint) -> Iterator[str]:
    """Yield the limits of a joint that MuJoCo takes for none, because they leave no room."""
    lower, upper = joint.ends
    if joint.moves and lower is not None and lower == upper:
        yield f"its position limits, both {lower}, which MuJoCo takes for none"
    if joint.moves and joint.limits.effort == 0:
        yield "its largest effort of 0, which MuJoCo takes for none"


def _branches(model: Model, coupling: Coupling) -> bool:
    """Return whether a coupling is of joints of which none carries the other."""
    carriers = {joint.child: joint for joint in model.joints}
    paths = []
    for name in coupling.joints:
        joint, path = model.joint(name), set()
        while joint is not None:
            path.add(joint.name)
            joint = carriers.get(joint.parent)
        paths.append(path)
    longest = max(paths, key=len)
    return not all(path <= longest for path in paths)


def added_to_mjcf(model: Model) -> list[str]:
    """Return what an MJCF file must say and the model does not."""
    notes = note_on_names(other_names(model, _refused(model)), "MuJoCo's world has its name")
    screws = [repr(joint.name) for joint in model.joints if joint.kind == "screw"]
    if screws:
        said = "a body and a slide that follows the turn, for the screw"
        notes.append(f"added: {said} {listing(screws, most=10)}")
    model = plainer(model)
    carried = {joint.child for joint in model.joints if joint.kind != "fixed"}
    heavy = [link for link in model.links if link.name in carried or link.inertial.mass]
    notes += note_on_filled(heavy, "MuJoCo asks for mass and inertia of what moves")
    followers = [repr(joint.name) for joint in model.joints if joint.mimic and not screws]
    if followers:
        names = listing(followers, most=10)
        notes.append(f"MuJoCo holds what follows another joint softly: {names}")
    return notes


def _bodies(model: Model, meshes: dict[MeshShape, str]) -> Iterator[str]:
    """Yield the bodies, each within the one that carries it."""
    links = {link.name: link for link in model.links}
    below: dict[str, list[Joint]] = {}
    for joint in model.joints:
        below.setdefault(joint.parent, []).append(joint)
    base = Joint("", "fixed", "", model.links[0].name)
    left: list[Joint | None] = [base]  # None closes a body
    depth = 1
    while left:
        joint = left.pop()
        if joint is None:
            yield "  " * depth + "</body>"
            depth -= 1
            continue
        inner = [*_joint(joint), *_inertial(links[joint.child], joint)]
        inner += [f"<site name={quoteattr(x.name)}{placed(x.placement)}/>"
                  for x in model.frames if x.link == joint.child]  # fmt: skip
        inner += geoms(links[joint.child], meshes)
        opened = joint.child != WORLD  # which is there already
        if opened:
            depth += 1
            yield "  " * depth + f"<body name={quoteattr(joint.child)}{placed(joint.origin)}>"
        yield from ("  " * (depth + 1) + line for line in inner)
        left += [*[None] * opened, *reversed(below.get(joint.child, []))]


def _joint(joint: Joint) -> Iterator[str]:
    if joint.kind == "fixed":
        return
    words = {
        "name": joint.name,
        "type": "hinge" if joint.turns else "slide",
        "axis": spaced(joint.axis),
    }
    lower, upper = joint.ends
    if lower is not None or upper is not None:
        ends = (-UNLIMITED if lower is None else lower, UNLIMITED if upper is None else upper)
        words["range"] = spaced(ends)
    if joint.limits.effort is not None:
        words["actuatorfrcrange"] = _both_ways(joint)
    numbers = {
        "armature": joint.motor.reflected,
        "damping": joint.friction.viscous,
        "frictionloss": joint.friction.coulomb,
        "stiffness": joint.spring.stiffness,
    }
    words |= {key: digits(x) for key, x in numbers.items() if x}
    if joint.spring.stiffness:
        words["springref"] = digits(joint.spring.rest)
    yield f"<joint {attributes(words)}/>"


def _inertial(link: Link, joint: Joint) -> Iterator[str]:
    inertial = link.inertial
    if inertial.mass or any(inertial.inertia) or joint.kind != "fixed":
        inertial = filled(inertial)
        R = from_rpy(inertial.rpy)
        turned = np.asarray(R @ symmetric(inertial.inertia) @ R.T, dtype=float)
        typed = inertial.inertia if not any(inertial.rpy) else turned[np.triu_indices(3)]
        xx, xy, xz, yy, yz, zz = typed
        words = {
            "pos": spaced(inertial.com),
            "mass": digits(inertial.mass),
            "fullinertia": spaced((xx, yy, zz, xy, xz, yz)),
        }
        yield f"<inertial {attributes(words)}/>"


def _tendon(number: int, coupling: Coupling) -> Iterator[str]:
    words = {"name": f"coupling{number + 1}"}
    numbers = {
        "stiffness": coupling.stiffness,
        "damping": coupling.damping + coupling.friction.viscous,
        "frictionloss": coupling.friction.coulomb,
        "armature": coupling.motor.reflected,
    }
    words |= {key: digits(x) for key, x in numbers.items() if x}
    if coupling.stiffness:
        words["springlength"] = digits(coupling.rest)
    yield f"<fixed {attributes(words)}>"
    for name, ratio in zip(coupling.joints, coupling.ratios, strict=True):
        yield f"  <joint joint={quoteattr(name)} coef={quoteattr(digits(ratio))}/>"
    yield "</fixed>"


def _equality(joint: Joint) -> str:
    assert joint.mimic is not None
    words = {
        "joint1": joint.name,
        "joint2": joint.mimic.joint,
        "polycoef": f"{spaced((joint.mimic.offset, joint.mimic.multiplier))} 0 0 0",
    }
    return f"<joint {attributes(words)}/>"


def _motor(joint: Joint) -> str:
    words = {"name": joint.name, "joint": joint.name}
    if joint.limits.effort is not None:
        words["ctrlrange"] = _both_ways(joint)
    return f"<motor {attributes(words)}/>"


def _both_ways(joint: Joint) -> str:
    effort = abs(float(joint.limits.effort or 0))
    return f"{digits(-effort)} {digits(effort)}"


def _home(model: Model, moving: list[Joint]) -> list[str]:
    """Return the keyframe "home", if the model has one."""
    if all(joint.home is None for joint in model.joints):
        return []
    homes = [joint.home or 0 for joint in moving if not joint.mimic]
    known = coordinates(model)
    places = (known[joint.name] for joint in moving)
    q = [ratio * homes[at] + offset for at, ratio, offset in places if at is not None]
    return [f'<key name="home" qpos="{spaced(q)}"/>']


def _section(tag: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    return [f"  <{tag}>", *(f"    {line}" for line in lines), f"  </{tag}>"]


MESHES = (".stl", ".obj", ".msh")  # that MuJoCo reads
# of the two lists of shapes: the group that MuJoCo has them in, and whether they touch
GROUPS = {"visuals": ' group="2" contype="0" conaffinity="0"', "collisions": ' group="3"'}


def geoms(link: Link, meshes: dict[MeshShape, str]) -> Iterator[str]:
    """Yield the shapes of a link, as far as MuJoCo can show them."""
    for kind, group in GROUPS.items():
        for geometry in getattr(link, kind):
            words = _shape(geometry.shape, meshes)
            if words:
                colour = geometry.colour
                words |= {"rgba": spaced(colour)} if colour is not None else {}
                yield f"<geom {attributes(words)}{placed(geometry.place)}{group}/>"


def _shape(shape: Shape, meshes: dict[MeshShape, str]) -> dict[str, str]:
    """Return the words of a shape, none if MuJoCo cannot show it."""
    if isinstance(shape, BoxShape):
        return {"type": "box", "size": spaced(x / 2 for x in shape.size)}
    if isinstance(shape, SphereShape):
        return {"type": "sphere", "size": digits(shape.radius)}
    if isinstance(shape, CylinderShape | CapsuleShape):
        kind = "cylinder" if isinstance(shape, CylinderShape) else "capsule"
        return {"type": kind, "size": spaced((shape.radius, shape.length / 2))}
    if isinstance(shape, EllipsoidShape):
        return {"type": "ellipsoid", "size": spaced(shape.radii)}
    return {"type": "mesh", "mesh": meshes[shape]} if shape in meshes else {}


def reads(shape: MeshShape) -> bool:
    """Return whether MuJoCo reads a mesh."""
    return shape.file.lower().endswith(MESHES) and "://" not in shape.file


def mesh_names(model: Model) -> dict[MeshShape, str]:
    """Return a name for every mesh that MuJoCo reads."""
    shapes = (x.shape for link in model.links for x in (*link.visuals, *link.collisions))
    kept = dict.fromkeys(x for x in shapes if isinstance(x, MeshShape) and reads(x))
    return {shape: f"mesh{k}" for shape, k in zip(kept, count(1), strict=False)}


def mesh(shape: MeshShape, name: str) -> str:
    """Return a mesh of the file's assets."""
    words = {"name": name, "file": shape.file, "scale": spaced(shape.scale)}
    return f"<mesh {attributes(words)}/>"
