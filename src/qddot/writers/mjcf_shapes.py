"""Shapes in an MJCF file: geoms, and the meshes that they name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from qddot.model import Link, Model
from qddot.model.geometry import (
    BoxShape,
    CapsuleShape,
    CylinderShape,
    EllipsoidShape,
    MeshShape,
    Shape,
    SphereShape,
)
from qddot.writers.xml_text import attributes, digits, placed, spaced

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
