"""COLLADA files (.dae): polygons in a tree of nodes, with the colours of their materials.

COLLADA 1.4.1 and 1.5, Khronos Group. Pictures, lights, animations and skins are left out, and
`up_axis` turns nothing: rviz and Pinocchio take the numbers as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from qddot.errors import BadFile, shorten
from qddot.readers.meshes.triangles import (
    EXPORT,
    MeshPart,
    TriangleMesh,
    check_count,
    check_text,
    fans,
    numbers_in,
    whole_mesh,
)
from qddot.readers.xml import Element, read_xml

SKIPPED = ("library_images", "library_animations", "library_lights", "library_cameras", "extra")
POLYGONS = ("triangles", "polylist", "polygons", "tristrips", "trifans")
MOST_NODES = 20_000  # visited; a node may stand for many
DEEPEST = 100  # nodes in nodes
SIZES = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}


def read_collada(path: Path, data: bytes) -> TriangleMesh:
    """Return the surface in a COLLADA file, in metres."""
    check_text(path, data)
    root = read_xml(data, str(path), lambda tag: tag in SKIPPED, longest_text=len(data))
    if root.tag != "COLLADA":
        raise BadFile(path, f"it begins with <{shorten(root.tag, 40)}>", EXPORT, root.line)
    return Collada(path, root).mesh()


@dataclass
class Collada:
    """One file while it is read."""

    path: Path
    root: Element
    visited: int = 0
    triangles: int = 0
    parts: dict[int, list[tuple[MeshPart, str]]] = field(default_factory=dict)  # of a geometry

    @cached_property
    def named(self) -> dict[str, Element]:
        """Every element that has an id."""
        return {each.attributes["id"]: each for each in every(self.root) if "id" in each.attributes}

    def mesh(self) -> TriangleMesh:
        """Return the whole surface."""
        metre = 1.0
        for unit in found(self.root, "asset", "unit"):
            metre = float(self.numbers(unit, unit.attributes.get("meter", "1"), 1)[0])
        if not 0 < metre < 1e6:
            raise BadFile(self.path, f"its unit is {metre:g} m", EXPORT)
        X = np.diag([metre, metre, metre, 1.0])
        scene = self.scene()
        if scene is None:
            pieces = [
                part.moved(X)
                for geometry in found(self.root, "library_geometries", "geometry")
                for part, _ in self.geometry(geometry)
            ]
        else:
            pieces = list(self.node(scene, X, 0))
        return whole_mesh(self.path, pieces)

    def scene(self) -> Element | None:
        """Return the scene that is shown: the one that the file says, else the first."""
        for instance in found(self.root, "scene", "instance_visual_scene"):
            return self.target(instance)
        return next(iter(found(self.root, "library_visual_scenes", "visual_scene")), None)

    def node(self, node: Element, X: np.ndarray, depth: int) -> Iterator[MeshPart]:
        """Yield the pieces of a node and of those in it, moved to where they are."""
        self.visited += 1
        if self.visited > MOST_NODES or depth > DEEPEST:
            why = f"its nodes are more than {MOST_NODES}, or {DEEPEST} deep"
            raise BadFile(self.path, why, EXPORT, node.line)
        for child in node.children:
            if child.tag in SIZES:
                X = X @ self.transform(child)
        for child in node.children:
            if child.tag == "node":
                yield from self.node(child, X, depth + 1)
            elif child.tag == "instance_node":
                yield from self.node(self.target(child), X, depth + 1)
            elif child.tag == "instance_geometry":
                yield from self.instance(child, X)

    def instance(self, instance: Element, X: np.ndarray) -> Iterator[MeshPart]:
        """Yield the pieces of a geometry, with the colours that it gets here."""
        colours = {
            each.attributes.get("symbol", ""): self.colour(each.attributes.get("target", ""))
            for each in found(instance, "bind_material", "technique_common", "instance_material")
        }
        for part, material in self.geometry(self.target(instance)):
            self.triangles += len(part.triangles)
            check_count(self.path, self.triangles)
            yield MeshPart(part.points, part.triangles, colours.get(material)).moved(X)

    def geometry(self, geometry: Element) -> list[tuple[MeshPart, str]]:
        """Return the pieces of a geometry, each with the name of its material."""
        if id(geometry) not in self.parts:
            self.parts[id(geometry)] = [
                (MeshPart(points, triangles).compact(), each.attributes.get("material", ""))
                for mesh in found(geometry, "mesh")
                for each in mesh.children
                if each.tag in POLYGONS
                for points, triangles in self.polygons(each)
            ]
        return self.parts[id(geometry)]

    def polygons(self, element: Element) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the points and triangles of a <triangles>, <polylist> or the like."""
        inputs = [each for each in element.children if each.tag == "input"]
        offsets = [self.whole(each, "offset") for each in inputs]
        where = [k for k, each in enumerate(inputs) if each.attributes.get("semantic") == "VERTEX"]
        if not where:
            return
        points = self.points(inputs[where[0]])
        stride, offset = max(offsets) + 1, offsets[where[0]]
        runs = []
        for each in element.children:
            # of a polygon with holes, what is around them
            text = next((p.text for p in each.children if p.tag == "p"), "")
            text = each.text if each.tag == "p" else text if each.tag == "ph" else ""
            if text:
                indices = numbers_in(self.path, text, np.int64, each.line)
                if len(indices) % stride:
                    raise BadFile(self.path, "an index is missing", EXPORT, each.line)
                runs.append(indices[offset::stride])
        if not runs:
            return
        if element.tag == "tristrips":
            triangles = np.concatenate([strip(run) for run in runs])
        else:
            corners = np.concatenate(runs)
            counts = np.array([len(run) for run in runs])
            if element.tag == "triangles":
                counts = np.full(len(corners) // 3, 3)
                corners = corners[: 3 * len(counts)]
            elif element.tag == "polylist":
                said = "".join(each.text for each in element.children if each.tag == "vcount")
                counts = numbers_in(self.path, said, np.int64, element.line)
            triangles = fans(self.path, corners, counts)
        check_count(self.path, len(triangles))
        if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(points):
            why = f"a polygon has a point that is not there; it has {len(points)}"
            raise BadFile(self.path, why, EXPORT, element.line)
        yield points, triangles

    def points(self, vertex: Element) -> np.ndarray:
        """Return the points behind an input VERTEX, (n, 3)."""
        for each in self.target(vertex, "source").children:
            if each.tag == "input" and each.attributes.get("semantic") == "POSITION":
                source = self.target(each, "source")
                for accessor in found(source, "technique_common", "accessor"):
                    array = self.target(accessor, "source")
                    numbers = numbers_in(self.path, array.text, float, array.line)
                    start = self.whole(accessor, "offset")
                    stride = self.whole(accessor, "stride", 1)
                    rows = numbers[start:]
                    if stride < 3:
                        why = "its points have fewer than three numbers"
                        raise BadFile(self.path, why, EXPORT, accessor.line)
                    return rows[: len(rows) // stride * stride].reshape(-1, stride)[:, :3]
        raise BadFile(self.path, "its polygons have no points", EXPORT, vertex.line)

    def colour(self, material: str) -> tuple[float, float, float] | None:
        """Return the diffuse colour of a material; None where it is a picture, or not there."""
        element = self.named.get(material.removeprefix("#"))
        for instance in found(element, "instance_effect") if element else ():
            effect = self.named.get(instance.attributes.get("url", "").removeprefix("#"))
            for technique in found(effect, "profile_COMMON", "technique") if effect else ():
                for shading in technique.children:
                    for colour in found(shading, "diffuse", "color"):
                        r, g, b = self.numbers(colour, colour.text, 3).tolist()
                        return r, g, b
        return None

    def transform(self, element: Element) -> np.ndarray:
        """Return the homogeneous matrix of a <matrix>, <translate>, <rotate> or <scale>."""
        numbers = self.numbers(element, element.text, SIZES[element.tag])
        X = np.eye(4)
        if element.tag == "matrix":
            X = numbers.reshape(4, 4)
        elif element.tag == "translate":
            X[:3, 3] = numbers
        elif element.tag == "scale":
            X[:3, :3] = np.diag(numbers)
        else:
            length = float(np.linalg.norm(numbers[:3]))
            if length:
                X[:3, :3] = turned(numbers[:3] / length, np.radians(numbers[3]))
        return X

    def numbers(self, element: Element, text: str, least: int) -> np.ndarray:
        """Return the first numbers of a text, at least so many."""
        found = numbers_in(self.path, text, float, element.line)
        if len(found) < least or not np.isfinite(found).all():
            why = f"<{shorten(element.tag, 40)}> has not {least} finite numbers"
            raise BadFile(self.path, why, EXPORT, element.line)
        return found[:least]

    def whole(self, element: Element, key: str, default: int = 0) -> int:
        """Return a small whole number of an attribute."""
        text = element.attributes.get(key, str(default))
        if not text.isdecimal() or int(text[:9]) > 1000:
            why = f"{key} is {shorten(text, 20)!r}, no small whole number"
            raise BadFile(self.path, why, EXPORT, element.line)
        return int(text)

    def target(self, element: Element, key: str = "url") -> Element:
        """Return the element that another one names."""
        name = element.attributes.get(key, "")
        if name.removeprefix("#") not in self.named or not name.startswith("#"):
            why = f"<{shorten(element.tag, 40)}> names {shorten(name, 40)!r}, which is not in it"
            raise BadFile(self.path, why, EXPORT, element.line)
        return self.named[name.removeprefix("#")]


def every(root: Element) -> Iterator[Element]:
    """Yield an element and all in it."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        yield element
        waiting += element.children


def found(element: Element, *tags: str) -> list[Element]:
    """Return the elements that a path of tags leads to."""
    result = [element]
    for tag in tags:
        result = [child for each in result for child in each.children if child.tag == tag]
    return result


def strip(corners: np.ndarray) -> np.ndarray:
    """Return the triangles of a strip, every second one turned, (m, 3)."""
    triangles = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    triangles[1::2] = triangles[1::2, ::-1]
    return triangles


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return the rotation about a unit axis (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
