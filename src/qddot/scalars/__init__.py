"""What a number must be able to do, so that one definition serves every kind of number.

A scalar does + − * / with ints, floats and its own kind, and says here what its sine and cosine
are. Floats, complex numbers, symbols, polynomials, intervals and the recorder all qualify; new
kinds register themselves, and the definitions import none of them.
"""

from __future__ import annotations

from functools import singledispatch
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

Scalar: TypeAlias = Any  # whatever does arithmetic and is registered with `sincos`
Vec3: TypeAlias = Any  # shape (3,)
Mat3: TypeAlias = Any  # shape (3, 3)
Motion: TypeAlias = Any  # shape (6,): [angular; linear]
Force: TypeAlias = Any  # shape (6,): [moment; force]
ConfigVec: TypeAlias = Any  # shape (nq,): where the joints stand
JointVec: TypeAlias = Any  # shape (n,): velocities, accelerations, torques
JointMat: TypeAlias = Any  # shape (n, n)


def namespace(*arrays: Any) -> ModuleType:
    """Return jax.numpy if any argument is a JAX array, else numpy."""
    spaces = [x.__array_namespace__() for x in arrays if hasattr(x, "__array_namespace__")]
    return next((xp for xp in spaces if xp is not np), np)


@singledispatch
def sincos(x: Scalar) -> tuple[Scalar, Scalar]:
    """Return (sin x, cos x). Other kinds of number register themselves here."""
    xp = namespace(x)
    return xp.sin(x), xp.cos(x)


@singledispatch
def sqrt(x: Scalar) -> Scalar:
    """Return √x. Other kinds of number register themselves here."""
    return namespace(x).sqrt(x)


@singledispatch
def sign(x: Scalar) -> Scalar:
    """Return −1, 0 or 1. Other kinds of number register themselves here."""
    return namespace(x).sign(x)


@sign.register
def _(x: complex) -> complex:
    """The sign of the real part, so that a complex step goes through as through a constant."""
    return complex(np.sign(x.real))


@singledispatch
def exp(x: Scalar) -> Scalar:
    """Return eˣ. Other kinds of number register themselves here."""
    return namespace(x).exp(x)


@singledispatch
def constant_sincos(angle: Scalar) -> tuple[Scalar, Scalar]:
    """Return (sin, cos) of an angle built into a robot, exact at multiples of a right angle.

    The float nearest to π/2 has cosine 6e-17; taking that literally would fill the equations of
    every arm with terms that are not there. Only such rounding residue is dropped, so an angle
    written as 1.5708 keeps the cosine that it has.
    """
    s, c = sincos(angle)
    if not isinstance(s, (int, float)):
        return s, c
    residue = 1e-15  # the float nearest to kπ/2 is off by less, for |k| up to 4
    if abs(c) < residue:
        return round(s), 0
    if abs(s) < residue:
        return 0, round(c)
    return float(s), float(c)
