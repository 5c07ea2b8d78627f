"""What a link looks like, and what touches: simple shapes and meshes, each at its place.

Nothing of it changes how a robot moves. A mesh is a name here: its file is opened when a picture
needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

from qddot.model.link import Link, Placement
from qddot.scalars import Scalar
from qddot.scalars.expressions import has_value


@dataclass(frozen=True)
class BoxShape:
    """A box about its origin."""

    size: tuple[Scalar, Scalar, Scalar]  # [m] along x, y, z


@dataclass(frozen=True)
class CylinderShape:
    """A cylinder about its origin, along z."""

    radius: Scalar  # [m]
    length: Scalar  # [m]


@dataclass(frozen=True)
class SphereShape:
    """A sphere about its origin."""

    radius: Scalar  # [m]


@dataclass(frozen=True)
class CapsuleShape:
    """A cylinder about its origin, along z, with half a sphere at each end."""

    radius: Scalar  # [m]
    length: Scalar  # [m] of the straight part


@dataclass(frozen=True)
class EllipsoidShape:
    """An ellipsoid about its origin."""

    radii: tuple[Scalar, Scalar, Scalar]  # [m] along x, y, z


@dataclass(frozen=True)
class MeshShape:
    """The surface in a file."""

    file: str  # as the robot's file has it: "meshes/link.stl", "package://arm/link.dae"
    scale: tuple[Scalar, Scalar, Scalar] = (1, 1, 1)  # of the file's numbers, along x, y, z
    # where the file was found; None: nowhere, or not in a place that the user has named
    path: Path | None = field(default=None, compare=False, repr=False)
    why_missing: str = field(default="", compare=False, repr=False)  # where there is no path


Shape: TypeAlias = (
    BoxShape | CylinderShape | SphereShape | CapsuleShape | EllipsoidShape | MeshShape
)
Colour: TypeAlias = tuple[float, float, float, float]  # red, green, blue, opacity, from 0 to 1
Kind: TypeAlias = Literal["visuals", "collisions"]

# by what documents call them
SHAPE_KINDS: dict[str, type[Any]] = {
    "box": BoxShape,
    "cylinder": CylinderShape,
    "sphere": SphereShape,
    "capsule": CapsuleShape,
    "ellipsoid": EllipsoidShape,
    "mesh": MeshShape,
}
THREE = ("size", "radii", "scale")  # the fields of three numbers


@dataclass(frozen=True)
class Geometry:
    """A shape at a place of a link."""

    shape: Shape
    place: Placement = Placement()  # in the link's frame
    colour: Colour | None = None  # None: whatever a picture gives it
    name: str = ""


def wrong_geometry(link: Link) -> Iterator[str]:
    """Yield what is wrong with the shapes of a link, in words."""
    for kind in ("visuals", "collisions"):
        for number, geometry in enumerate(getattr(link, kind), 1):
            if why := why_wrong(geometry):
                yield f"{kind[:-1]} {number}: {why}"


def why_wrong(geometry: Geometry) -> str:
    """Return what is wrong with a shape, or nothing."""
    shape, kinds = geometry.shape, tuple(SHAPE_KINDS.values())
    if not isinstance(shape, kinds):
        return f"its shape is {shape!r}; give one of {', '.join(each.__name__ for each in kinds)}"
    for item in fields(shape):
        value = getattr(shape, item.name)
        if item.name in THREE and (not isinstance(value, tuple) or len(value) != 3):
            return f"its {item.name} is {value!r}; give three numbers"
        if item.name not in ("file", "scale", "path", "why_missing"):
            sizes = value if item.name in THREE else (value,)
            if any(has_value(size) and not float(size) >= 0 for size in sizes):
                return f"its {item.name} is negative"
    colour = geometry.colour
    if colour is not None and not (len(colour) == 4 and all(0 <= x <= 1 for x in colour)):
        return f"its colour is {colour!r}; give red, green, blue and opacity from 0 to 1"
    return ""
