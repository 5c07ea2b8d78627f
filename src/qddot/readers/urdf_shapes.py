"""What the links of a URDF file look like: <visual>, <collision>, <material> and <origin>.

A shape that cannot be right is left out with a warning: how a robot moves does not depend on it.
A texture is never opened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from qddot.errors import shorten
from qddot.model import Placement
from qddot.model.geometry import (
    BoxShape,
    CapsuleShape,
    Colour,
    CylinderShape,
    EllipsoidShape,
    Geometry,
    Shape,
    SphereShape,
    why_wrong,
)
from qddot.readers.node import Findings, XmlNode
from qddot.readers.places import Places
from qddot.readers.xml import Element
from qddot.spatial.rotation import from_quaternion, to_rpy

KINDS = ("box", "cylinder", "sphere", "capsule", "ellipsoid", "mesh")


@dataclass
class Shapes:
    """What the shapes of a file share: colours by name, and where meshes may be."""

    colours: dict[str, Colour]
    places: Places

    @staticmethod
    def of(robot: XmlNode, places: Places) -> Shapes:
        """Return the colours that a file names: those of the robot, then those inside of links."""
        colours: dict[str, Colour] = {}
        inner = (
            part
            for link in robot.element.children
            if link.tag == "link"
            for visual in link.children
            for part in visual.children
        )
        for element in (*robot.element.children, *inner):
            name = element.attributes.get("name", "")
            if element.tag == "material" and name and (colour := own_colour(element)):
                colours.setdefault(name, colour)
        return Shapes(colours, places)

    def of_link(self, link: XmlNode, tag: str) -> tuple[Geometry, ...]:
        """Return the shapes of a link that can be right; the others are warned of."""
        found = []
        for element in link.element.children:
            if element.tag != tag:
                continue
            findings = Findings()
            geometry = self.geometry(XmlNode(element, link.place, findings))
            problems = findings.problems
            link.findings.problems += [replace(each, severity="warning") for each in problems]
            if geometry is not None and all(each.severity != "error" for each in problems):
                found.append(geometry)
        return tuple(found)

    def geometry(self, node: XmlNode) -> Geometry | None:
        """Return the shape of a <visual> or <collision>; None, and a problem, if it has none."""
        tag, outer = node.element.tag, node.child("geometry")
        inner = [each for each in outer.element.children if each.tag in KINDS] if outer else []
        if not inner:
            there = outer.element.children if outer else []
            what = f" (<{shorten(there[0].tag, 40)}>)" if there else ""
            node.problem(f"<{tag}> has no shape{what}, so it is left out", f"Add {_either()}.")
            return None
        part = XmlNode(inner[0], node.place, node.findings)
        name = node.element.attributes.get("name", "")
        result = Geometry(self.shape(part), origin(node), self.colour(node), name)
        if why := why_wrong(result):
            node.problem(f"<{tag}>: {why}, so it is left out", "Correct it.")
        return result

    def shape(self, node: XmlNode) -> Shape:
        """Return the shape of a <box>, <cylinder>, <sphere>, <capsule>, <ellipsoid> or <mesh>."""
        kind = node.element.tag
        if kind == "mesh":
            return self.places.mesh(node.text("filename"), _floats(node.vector("scale", (1, 1, 1))))
        if kind in ("box", "ellipsoid"):
            key = "size" if kind == "box" else "radii"
            if not node.has(key):
                node.text(key)  # says that it is missing
            numbers: Any = _floats(node.vector(key))
            return BoxShape(numbers) if kind == "box" else EllipsoidShape(numbers)
        radius = float(node.required("radius"))
        if kind == "sphere":
            return SphereShape(radius)
        length = float(node.required("length"))
        return CylinderShape(radius, length) if kind == "cylinder" else CapsuleShape(radius, length)

    def colour(self, node: XmlNode) -> Colour | None:
        """Return the colour of a <visual>: its own, or the one that the file has by that name."""
        for element in node.element.children:
            if element.tag == "material":
                name = element.attributes.get("name", "")
                return own_colour(element) or self.colours.get(name)
        return None


def own_colour(material: Element) -> Colour | None:
    """Return the rgba of a <material>, kept between 0 and 1; None where it is no colour."""
    for element in material.children:
        numbers = element.attributes.get("rgba", "").split()
        if element.tag == "color" and len(numbers) == 4:
            findings = Findings()
            node = XmlNode(element, "", findings)
            r, g, b, a = (min(max(float(x), 0.0), 1.0) for x in node.vector("rgba", (), 4))
            return None if findings.problems else (r, g, b, a)
    return None


def origin(parent: XmlNode) -> Placement:
    """Return the placement of an <origin>, which is nowhere else where there is none."""
    node = parent.child("origin", first_of=True)  # as all other readers have it
    if node is None:
        return Placement()
    node.only(("xyz", "rpy", "quat_xyzw"))
    xyz, rpy = node.vector("xyz"), node.vector("rpy")
    if node.has("quat_xyzw"):
        x, y, z, w = node.vector("quat_xyzw", (0, 0, 0, 1), count=4)
        if node.has("rpy"):
            node.problem("<origin> has both rpy and quat_xyzw", "Keep one of the two.")
        elif not any((x, y, z, w)):
            node.problem("<origin> quat_xyzw: it is zero", "Give x, y, z, w of length 1.")
        else:
            rpy = to_rpy(from_quaternion((w, x, y, z)))
    return Placement(xyz, rpy)


def _floats(numbers: tuple) -> Any:
    return tuple(float(x) for x in numbers)


def _either() -> str:
    return f"one of {', '.join(f'<{kind}>' for kind in KINDS)}"
