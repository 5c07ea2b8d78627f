"""The inertia of simple bodies of uniform density, for dimensions that are numbers or symbols.

Each function returns an `Inertial` for a frame at the body's centre, or at one end of its long
axis: at its `"start"`, so that the body lies towards +axis, or at its `"end"`, so that it lies
towards −axis (as a link does in a standard DH frame).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from qddot.errors import BadArgument
from qddot.model.link import NOWHERE, Inertial
from qddot.scalars import Scalar, Vec3
from qddot.scalars.expressions import free_symbols

Axis = Literal["x", "y", "z"]
Origin = Literal["centre", "start", "end"]


def point(mass: Scalar, at: Vec3 = NOWHERE) -> Inertial:
    """Return the inertia of a point mass: none about itself."""
    return Inertial(mass, tuple(at))


def rod(mass: Scalar, length: Scalar, axis: Axis = "x", frame: Origin = "centre") -> Inertial:
    """Return the inertia of a slender rod: m l²/12 across it, none about it."""
    _sized(length=length)
    across = mass * length**2 / 12
    return _along(axis, frame, mass, length, 0, across)


def cylinder(
    mass: Scalar, radius: Scalar, length: Scalar, axis: Axis = "x", frame: Origin = "centre"
) -> Inertial:
    """Return the inertia of a solid cylinder.

    About its axis and across it:

        m r²/2        m (3 r² + l²)/12
    """
    _sized(radius=radius)
    return hollow_cylinder(mass, radius, 0, length, axis, frame)


def hollow_cylinder(
    mass: Scalar,
    outer: Scalar,
    inner: Scalar,
    length: Scalar,
    axis: Axis = "x",
    frame: Origin = "centre",
) -> Inertial:
    """Return the inertia of a tube with an outer and an inner radius.

    About its axis and across it:

        m (a² + b²)/2        m (3 (a² + b²) + l²)/12
    """
    _sized(outer=outer, inner=inner, length=length)
    if not (free_symbols(outer) or free_symbols(inner)) and inner > outer:
        raise BadArgument(f"A tube's inner radius ({inner:g}) is above its outer one ({outer:g}).")
    squares = outer**2 + inner**2
    across = mass * (3 * squares + length**2) / 12
    return _along(axis, frame, mass, length, mass * squares / 2, across)


def box(
    mass: Scalar, size: Sequence[Scalar], axis: Axis = "x", frame: Origin = "centre"
) -> Inertial:
    """Return the inertia of a box of this size along x, y, z.

    About its centre:

        Ixx = m (y² + z²)/12        Iyy = m (x² + z²)/12        Izz = m (x² + y²)/12
    """
    x, y, z = size
    _sized(x=x, y=y, z=z)
    moments = [mass * (a**2 + b**2) / 12 for a, b in ((y, z), (x, z), (x, y))]
    com = _centre(axis, frame, size["xyz".index(_known(axis, "axis", "xyz"))])
    return Inertial(mass, com, (moments[0], 0, 0, moments[1], 0, moments[2]))


def sphere(mass: Scalar, radius: Scalar) -> Inertial:
    """Return the inertia of a solid sphere about its centre: 2 m r²/5 about every axis."""
    _sized(radius=radius)
    moment = 2 * mass * radius**2 / 5
    return Inertial(mass, NOWHERE, (moment, 0, 0, moment, 0, moment))


SHAPES = {shape.__name__: shape for shape in (point, rod, box, cylinder, hollow_cylinder, sphere)}


def _along(
    axis: Axis, frame: Origin, mass: Scalar, length: Scalar, about: Scalar, across: Scalar
) -> Inertial:
    k = "xyz".index(_known(axis, "axis", "xyz"))
    xx, yy, zz = (about if i == k else across for i in range(3))
    return Inertial(mass, _centre(axis, frame, length), (xx, 0, 0, yy, 0, zz))


def _centre(axis: Axis, frame: Origin, length: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    shift = {"centre": 0, "start": length / 2, "end": -length / 2}
    along = shift[_known(frame, "frame", shift)]
    x, y, z = (along if name == axis else 0 for name in "xyz")
    return x, y, z


def _sized(**dimensions: Scalar) -> None:
    for name, value in dimensions.items():
        if not free_symbols(value) and value < 0:
            raise BadArgument(
                f"A shape's {name} is {value:g}; give its size, which is not negative."
            )


def _known(value: str, what: str, choices: Sequence[str] | dict) -> str:
    if value not in tuple(choices):
        raise BadArgument(f"A shape's {what} is one of {', '.join(choices)}, not {value!r}.")
    return value
