"""The inertia of simple bodies of uniform density, for dimensions that are numbers or symbols.

Each function returns an `Inertial` for a frame at the body's centre, or at one end of its long
axis: at its `"start"`, so that the body lies towards +axis, or at its `"end"`, so that it lies
towards −axis (as a link does in a standard DH frame).

Where the density is not uniform, mass, centre of mass and inertia are integrals of it:

    m = ∫ρ dV        c = (1/m) ∫ρ r dV        Σ = ∫ρ r rᵀ dV

The density is a polynomial in the position x, y, z, so that all of these are sums of the moments
∫ xᵃ yᵇ zᶜ dV of the solid, which are known in closed form. Dimensions and coefficients may be
symbols; nothing is approximated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np

from qddot.errors import BadArgument
from qddot.model.link import NOWHERE, Inertial
from qddot.scalars import Scalar, Vec3
from qddot.scalars.expressions import (
    PI_EXPRESSION,
    Expression,
    expression,
    free_symbols,
    simplest,
    symbol,
)
from qddot.spatial.inertia import Inertia, from_euler, upper
from qddot.spatial.vector import vector

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


Moment: TypeAlias = Callable[[int, int, int], Scalar]  # ∫ xᵃ yᵇ zᶜ dV about the solid's centre
POSITION = ("x", "y", "z")


def inertial_of(density: Scalar, moment: Moment, at: Vec3 = (0, 0, 0)) -> Inertial:
    """Return the inertia of a solid with a density [kg/m³], a polynomial in x, y, z.

    These are the position in the frame of the link, where the centre of the solid is `at` [m]; its
    moments are about that centre.
    """
    moment = cache(moment)
    r = [symbol(name) for name in POSITION]
    seen = {name: x + expression(c) for name, x, c in zip(POSITION, r, at, strict=True)}

    def integral(weight: Scalar) -> Expression:
        moved = expression((expression(density) * weight).substitute(seen))
        return sum((c * moment(*powers) for powers, c in powers_of(moved)), expression(0))

    mass = integral(1)
    if not free_symbols(mass) and not float(mass) > 0:
        raise BadArgument(f"The mass comes out as {float(mass):g} kg; it must be above zero.")
    h = vector([integral(x) for x in r])
    second = np.array([[integral(x * y) for y in r] for x in r])
    _, com, I = Inertia(mass, h, from_euler(second)).com_form()
    x, y, z = (settled(part) for part in com)
    return Inertial(settled(mass), (x, y, z), tuple(settled(part) for part in upper(I)))


def powers_of(polynomial: Expression) -> list[tuple[tuple[int, int, int], Expression]]:
    """Return the powers of x, y, z in each term, and what they are multiplied with."""
    terms = []
    for monomial, coefficient in polynomial.terms.items():
        powers, rest = dict.fromkeys(POSITION, 0), {}
        for atom, exponent in monomial:
            if not atom.function and atom.name in POSITION:
                powers[atom.name] = exponent
            else:
                rest[atom] = exponent
            inner = free_symbols(atom.argument) if atom.function else frozenset()
            if (exponent < 0 and atom.name in POSITION) or inner & set(POSITION):
                raise BadArgument(
                    f"The density is no polynomial in x, y and z: it has {atom} to the power "
                    f"{exponent}."
                )
        a, b, c = powers.values()
        terms.append(((a, b, c), Expression({tuple(rest.items()): coefficient})))
    return terms


def settled(x: Scalar) -> Scalar:
    """Return a plain number where there are no symbols, else the expression."""
    found = simplest(expression(x))
    return found if free_symbols(found) else float(found) or 0


# the moments of solids


def of_box(size: Any) -> Moment:
    """∫ xᵃ = 2 (l/2)ᵃ⁺¹/(a + 1) along each side, and zero for odd powers."""
    sides = [expression(x) for x in size]

    def moment(*powers: int) -> Expression:
        if any(k % 2 for k in powers):
            return expression(0)
        parts = [(l / 2) ** (k + 1) * 2 / (k + 1) for l, k in zip(sides, powers, strict=True)]
        return parts[0] * parts[1] * parts[2]

    return moment


def of_cylinder(outer: Scalar, inner: Scalar, length: Scalar, axis: str) -> Moment:
    """A tube, by polar coordinates: ∫∫ xᵃ yᵇ = Rⁿ⁺²/(n + 2) ∫ cosᵃ sinᵇ, n = a + b."""
    R, r, l = expression(outer), expression(inner), expression(length)

    def moment(*powers: int) -> Expression:
        if any(k % 2 for k in powers):
            return expression(0)
        along = powers[POSITION.index(axis)]
        a, b = (k for name, k in zip(POSITION, powers, strict=True) if name != axis)
        turn = 2 * PI_EXPRESSION * Fraction(odd(a) * odd(b), even(a + b))
        disc = (R ** (a + b + 2) - r ** (a + b + 2)) / (a + b + 2) * turn
        return disc * (l / 2) ** (along + 1) * 2 / (along + 1)

    return moment


def of_sphere(radius: Scalar) -> Moment:
    """∫ xᵃ yᵇ zᶜ = 4π Rⁿ⁺³/(n + 3) · (a−1)!! (b−1)!! (c−1)!!/(n + 1)!!, n = a + b + c."""
    R = expression(radius)

    def moment(a: int, b: int, c: int) -> Expression:
        if a % 2 or b % 2 or c % 2:
            return expression(0)
        n = a + b + c
        return (
            4
            * PI_EXPRESSION
            * R ** (n + 3)
            * Fraction(odd(a) * odd(b) * odd(c), odd(n + 2))
            / (n + 3)
        )

    return moment


def of_triangles(corners: np.ndarray) -> Moment:
    """A polyhedron of oriented triangles, (k, 3, 3), by the divergence theorem.

    The tetrahedron between the origin and a triangle has, with the homogeneous f = xᵃ yᵇ zᶜ,

        ∫ f dV = det(p₁, p₂, p₃)/(n + 3) ∫ f dA        over the triangle of area ½

    which Gauss' points integrate exactly.
    """
    size = np.linalg.det(corners)

    def moment(*powers: int) -> float:
        n = sum(powers)
        at, weight = np.polynomial.legendre.leggauss(n // 2 + 2)
        at, weight = (at + 1) / 2, weight / 2
        s, t = (x.ravel() for x in np.meshgrid(at, at))
        weights = np.outer(weight, weight).ravel() * (1 - s)  # a square, folded into the triangle
        shares = np.stack([s, t * (1 - s), (1 - s) * (1 - t)])  # of the three corners
        values = np.ones((len(corners), len(weights)))
        for axis, power in enumerate(powers):
            if power:
                values *= (corners[:, :, axis] @ shares) ** power
        return float(size @ (values @ weights)) / (n + 3)

    return moment


def odd(k: int) -> int:
    """Return (k − 1)!! = 1 · 3 ··· (k − 1) of an even k."""
    return math.prod(range(1, k, 2))


def even(k: int) -> int:
    """Return k!! = 2 · 4 ··· k of an even k."""
    return math.prod(range(2, k + 1, 2))
