"""URDF files: links and joints, strictly, with every problem of a file and its line.

What a link looks like (`urdf_shapes.py`) never keeps a robot from being read.

URDF: http://wiki.ros.org/urdf/XML
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from qddot.errors import BadFile, shorten
from qddot.model import Friction, Inertial, Joint, Limits, Link, Mimic, Model, build
from qddot.model.joint import UNLIMITED
from qddot.model.joints import MOTIONS
from qddot.model.structure import MOST_LINKS
from qddot.readers.files import read_bytes
from qddot.readers.node import OWN, Findings, XmlNode
from qddot.readers.places import Places
from qddot.readers.urdf_shapes import Shapes, origin
from qddot.readers.xml import Element, read_xml

# contacts, sensors and simulators: none of them changes the dynamics
SKIPPED = frozenset(
    (*("contact", "self_collision_checking", "verbose"), *("sensor", "plugin", "gazebo", "mujoco"))
)
KEPT = ("ros2_control", "transmission")  # for ROS: not understood here, and written again
MOST_KEPT = 1 << 16  # characters of them together
LINK_CHILDREN = ("inertial", "visual", "collision", "material")
JOINT_CHILDREN = (
    *("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    *("calibration", "safety_controller", "controller_gains"),
)
# in <dynamics>, for Franka's own simulators; what they mean is not said anywhere
FRANKA = ("mu_viscous", "mu_coulomb", "D", "K")
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")

NOT_SUPPORTED = {
    "floating": "Fix the base: remove the joint or make it fixed; the base's motion is an input "
    "of the dynamics.",
    "planar": "Replace it by two prismatic joints and a revolute one, with massless links "
    "between; or make it fixed.",
    "ball": "Replace it by three revolute joints, with massless links between.",
}
NOT_SUPPORTED["spherical"] = NOT_SUPPORTED["ball"]
OTHER_FORMATS = {
    "sdf": "Convert the SDF file to URDF first.",
    "mujoco": "It is MJCF: let its name end in .xml.",
    "mujocoinclude": "It is a part of an MJCF file: name the file that includes it.",
    "COLLADA": "It is a mesh: name the .urdf file that uses it.",
    "launch": "It is a ROS launch file: name the .urdf file that it loads.",
}


def read_urdf(path: Path, places: Places | None = None) -> Model:
    """Return the model in a URDF file.

    Its meshes are in its own folder and package, if no places are given.

    Raises:
        BadFile: If it is not XML or not URDF.
        BadRobot: With every problem of the file.
    """
    return _read(read_bytes(path), str(path), path.stem, places or Places(path.parent))


def read_urdf_text(text: str | bytes, name: str, places: Places | None = None) -> Model:
    """Return the model in the text of a URDF file; `name` is what messages call it."""
    return _read(text, name, name, places or Places())


def _read(data: str | bytes, path: str, name: str, places: Places) -> Model:
    most = {"link": MOST_LINKS, "joint": MOST_LINKS}
    root = read_xml(data, path, _skipped, most, whole=KEPT)
    if root.tag != "robot":
        remedy = OTHER_FORMATS.get(root.tag, 'A URDF file begins with <robot name="...">.')
        raise BadFile(
            path, f"it begins with <{root.tag[:40]}>, so it is no URDF", remedy, root.line
        )
    findings = Findings()
    robot = XmlNode(root, "robot", findings)
    robot.only(("name", "version"), ("link", "joint", *KEPT, "material"))
    if not robot.has("name"):
        robot.problem("it has no name", f'Add one: <robot name="{name}">.', "warning")
    shapes = Shapes.of(robot, places)
    links = [link(node, shapes) for node in robot.children("link")]
    joints = [joint(node) for node in robot.children("joint")]
    for node in robot.children("transmission"):
        transmission(node)
    parts = kept_parts(robot, {each.name for each in joints})
    own = root.attributes.get("name", name)
    return build(own, links, joints, found=findings.all(), urdf_parts=parts)


def _skipped(tag: str) -> bool:
    return tag in SKIPPED or (":" in tag and not tag.startswith("xacro:"))


def link(node: XmlNode, shapes: Shapes) -> Link:
    """Return the link of a <link>."""
    node.only(("name", "type"), LINK_CHILDREN)
    part = node.child("inertial")
    return Link(
        node.element.attributes.get("name", ""),
        inertial(part) if part else Inertial(),
        node.line,
        visuals=shapes.of_link(node, "visual"),
        collisions=shapes.of_link(node, "collision"),
    )


def inertial(node: XmlNode) -> Inertial:
    """Return mass, centre of mass and inertia of an <inertial>, all three as written."""
    node.only((), ("origin", "mass", "inertia"))
    where = origin(node)
    mass, inertia = node.child("mass"), node.child("inertia")
    if mass is None:
        node.problem("<inertial> has no <mass>", 'Add it: <mass value="...">.')
    else:
        mass.only(("value",))
    if inertia is None:
        remedy = "Add <inertia> with its six moments; all are 0 for a point mass."
        node.problem("<inertial> has no <inertia>", remedy)
    else:
        inertia.only(MOMENTS)
    return Inertial(
        mass=mass.required("value") if mass else 0,
        com=where.xyz,
        inertia=tuple(inertia.required(key) for key in MOMENTS) if inertia else (0,) * 6,
        rpy=where.rpy,
    )


def joint(node: XmlNode) -> Joint:
    """Return the joint of a <joint>."""
    node.only(("name", "type", "dont_collapse"), JOINT_CHILDREN)
    kind = joint_type(node)
    parts: dict[str, Any] = {
        "axis": axis(node),
        "limits": limits(node, kind),
        "friction": friction(node.child("dynamics")),
        "mimic": mimic(node.child("mimic")),
    }
    return Joint(
        name=node.element.attributes.get("name", ""),
        kind=kind,
        parent=end(node.child("parent")),
        child=end(node.child("child")),
        origin=origin(node),
        line=node.line,
        # a joint that does not move has no use for the rest
        **({} if kind == "fixed" else parts),
    )


def joint_type(node: XmlNode) -> Any:
    """Return the joint's type; one that is not supported is reported here, an unknown one later."""
    kind = node.text("type")
    remedy = NOT_SUPPORTED.get(kind.lower())
    if remedy:
        node.problem(f"a {kind.lower()} joint is not one degree of freedom", remedy)
    return "fixed" if remedy or not kind else kind


def end(node: XmlNode | None) -> str:
    """Return the link that a <parent> or <child> names; a missing one is reported later."""
    if node is None:
        return ""
    node.only(("link",))
    return node.text("link")


def axis(parent: XmlNode) -> tuple:
    """Return the direction of an <axis>, of any length: along x where there is none."""
    node = parent.child("axis")
    if node is None:
        return (1, 0, 0)
    node.only(("xyz",))
    return node.vector("xyz", (1, 0, 0))


def limits(parent: XmlNode, kind: str) -> Limits:
    """Return the limits of a <limit>. URDF wants one at revolute and prismatic joints."""
    node = parent.child("limit")
    bounded = kind.lower() in ("revolute", "prismatic")  # a misspelt type hides no other slip
    if node is None:
        if bounded:
            message = f"a {kind} joint without <limit>, so it is taken as unlimited"
            remedy = "Add <limit lower= upper= effort= velocity=>"
            remedy += ", or use type continuous." if kind == "revolute" else "."
            parent.problem(message, remedy, "warning")
        return Limits()
    node.only(("lower", "upper", "velocity", "effort", "acceleration", "deceleration", "jerk"))
    lower = upper = None
    if bounded and (node.has("lower") or node.has("upper")):
        lower, upper = end_of(node, "lower"), end_of(node, "upper")  # URDF's defaults are 0
    elif bounded:
        message = "<limit> has neither lower nor upper, so the joint is taken as unlimited"
        node.problem(message, "Add both; URDF's defaults, 0 and 0, would fix it.", "warning")
    elif kind == "continuous" and (node.number("lower", 0) or node.number("upper", 0)):
        message = "<limit> has a lower or upper, which a continuous joint ignores"
        node.problem(message, "Use type revolute if it is limited.", "note")
    most = {}
    for key in ("velocity", "effort"):
        most[key] = end_of(node, key) if node.has(key) else None
        if node.has(key) and most[key] is None:
            continue
        if kind in MOTIONS and not most[key]:
            message = f"its {key} limit is {'missing' if most[key] is None else 'zero'}"
            node.problem(message, "Give what the drive can do.", "note")
    return Limits(lower, upper, **most)


def end_of(node: XmlNode, key: str) -> float | None:
    """Return a limit; one so large that it stands for none is none."""
    value = node.number(key, 0)
    if abs(value) < UNLIMITED:
        return value
    message = f"its {key} limit is {value:g}, which stands for none"
    node.problem(message, "Give what the drive can do, if it is known.", "note")
    return None


def friction(node: XmlNode | None) -> Friction:
    """Return the friction of a <dynamics>: damping is viscous, friction is Coulomb's."""
    if node is None:
        return Friction()
    own = [key for key in FRANKA if node.has(key)]
    if own:
        what = f"Franka's own {', '.join(own)} in <dynamics>"
        node.findings.stray(OWN, what, node.place, node.line)
    node.only(("damping", "friction", *own))
    return Friction(viscous=node.number("damping", 0), coulomb=node.number("friction", 0))


def mimic(node: XmlNode | None) -> Mimic | None:
    """Return what a <mimic> follows."""
    if node is None:
        return None
    node.only(("joint", "multiplier", "offset"))
    return Mimic(node.text("joint"), node.number("multiplier", 1), node.number("offset", 0))


def transmission(node: XmlNode) -> None:
    """Note a gear: URDF says nothing about the rotor behind it, so it changes nothing."""
    gears = [
        part.text
        for child in (node.element, *node.element.children)
        for part in child.children
        if part.tag == "mechanicalReduction"
    ]
    if any(gear.lstrip("+-") not in ("1", "1.0", "") for gear in gears):
        message = f"its gear ({', '.join(gears)[:40]}) has no effect: URDF gives no rotor inertia"
        node.problem(message, "Add the motor's rotor_inertia and gear in a TOML file.", "note")


def kept_parts(robot: XmlNode, joints: Container[str]) -> tuple[str, ...]:
    """Return what is kept for ROS, each part as XML; what names no joint of the file is noted."""
    parts: list[str] = []
    for node in (each for tag in KEPT for each in robot.children(tag)):
        text = node.element.written()
        if sum(map(len, parts)) + len(text) > MOST_KEPT or ":" in "".join(_tags(node.element)):
            message = f"it is not kept: more than {MOST_KEPT} characters, or a tag with a colon"
            node.problem(message, "Add it to what is written by hand.", "warning")
            continue
        parts.append(text)
        named = (x.attributes.get("name", "") for x in node.element.children if x.tag == "joint")
        for name in (name for name in named if name not in joints):
            message = f"it names a joint {shorten(name)!r}, which the file has not"
            node.problem(message, "Correct the name, or add the joint.", "note")
    return tuple(parts)


def _tags(element: Element) -> Iterator[str]:
    yield element.tag
    for child in element.children:
        yield from _tags(child)
