"""Shapes and places as a URDF file has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from xml.sax.saxutils import quoteattr

import numpy as np

from qddot.model import Placement
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
from qddot.writers.xml_text import digits, spaced


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
