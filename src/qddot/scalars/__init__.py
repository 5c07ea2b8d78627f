"""What a number must be able to do, so that one definition serves every kind of number.

A scalar does + − * / with ints, floats and its own kind, and says here what its sine and cosine
are. Floats, complex numbers, symbols, polynomials, intervals and the recorder all qualify; new
kinds register themselves, and the definitions import none of them.
"""

from __future__ import annotations

import math
import sys
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
    for x in arrays:
        if not isinstance(x, np.ndarray) and hasattr(x, "__array_namespace__"):
            space = x.__array_namespace__()
            if space is not np:
                return space
    return np


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
    return x.sgn() if isinstance(x, balls()) else namespace(x).sign(x)


@sign.register
def _(x: complex) -> complex:
    """The sign of the real part, so that a complex step goes through as through a constant."""
    return complex(np.sign(x.real))


@singledispatch
def exp(x: Scalar) -> Scalar:
    """Return eˣ. Other kinds of number register themselves here."""
    return namespace(x).exp(x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Return the angle of the point (x, y) from the x axis, in [−π, π] [rad].

    Signed zeros and infinities are those of C: atan2(0, 0) = 0, atan2(±0, −1) = ±π. Its slopes
    (x, −y)/(x² + y²) by y and x are taken as 0 at the origin, where there are none. Other kinds of
    number register themselves with `atan2_of`, by either argument.
    """
    kinds = (a for a in (y, x) if atan2_of.dispatch(type(a)) is not atan2_of.dispatch(object))
    return atan2_of(next(kinds, y), y, x)


@singledispatch
def atan2_of(kind: Scalar, y: Scalar, x: Scalar) -> Scalar:
    """Return the angle of the point (x, y), where one of them is of this kind."""
    if isinstance(y, balls()) or isinstance(x, balls()):
        (ball,) = balls()
        return ball.atan2(ball(y), ball(x))  # all of [−π, π] where they meet the cut y = 0, x ≤ 0
    if not (np.iscomplexobj(y) or np.iscomplexobj(x)):
        return namespace(y, x).arctan2(y, x)
    # turned by the angle of the real parts, the rest is small: a complex step keeps its digits
    angle = np.arctan2(np.real(y), np.real(x))
    s, c = np.sin(angle), np.cos(angle)
    return angle + np.arctan((y * c - x * s) / (x * c + y * s))


@singledispatch
def asin(x: Scalar) -> Scalar:
    """Return the angle in [−π/2, π/2] whose sine is x; NaN beyond ±1."""
    return x.asin() if isinstance(x, balls()) else namespace(x).arcsin(x)


@singledispatch
def acos(x: Scalar) -> Scalar:
    """Return the angle in [0, π] whose cosine is x; NaN beyond ±1."""
    return x.acos() if isinstance(x, balls()) else namespace(x).arccos(x)


@singledispatch
def floor(x: Scalar) -> Scalar:
    """Return the largest whole number that is not above x. Other kinds register themselves here."""
    return x.floor() if isinstance(x, balls()) else namespace(x).floor(x)


@floor.register
def _(x: complex) -> complex:
    """That of the real part, so that a complex step goes through as through a constant."""
    return complex(math.floor(x.real))


# 2π in parts so short that k times each but the last is exact, in float32 too
TURN = (6.28125, 0.0019350051879882812, 3.019915981956753e-07)


@singledispatch
def wrapped_angle(x: Scalar) -> Scalar:
    """Return the angle in (−π, π] that differs from x by whole turns: x − 2πk.

    A float within (−np.pi, np.pi] comes back as it is, and −np.pi as np.pi. Others are off by one
    unit in the last place (1.3 where that is beyond 3 rad) and 1e-22 rad per turn, up to 1e14 rad
    (float32: 1e5); beyond, an angle means nothing. Beside odd multiples of π a float may come out
    on the other side. Balls that hold such a multiple become [−π, π].
    """
    if isinstance(x, balls()):
        (ball,) = balls()
        turns = (x / (2 * ball.pi()) - 0.5).ceil()
        if turns.is_exact() or not x.is_finite():  # what is no number stays none
            return x - 2 * ball.pi() * turns
        return (-ball.pi()).union(ball.pi())
    one = 0 * x + 1  # of the same kind, which truth values become by it
    k = floor(x * (0.5 / math.pi) + 0.5) * (abs(x) > math.pi)
    for part in TURN:
        x = x - k * part
    # the float 2 np.pi is exact here, so that nothing is left outside
    return x - 2 * math.pi * ((x > math.pi) * one - (x <= -math.pi) * one)


@wrapped_angle.register
def _(x: complex) -> complex:
    return complex(wrapped_angle(x.real), x.imag)


def balls() -> tuple[type, ...]:
    """Return the type of the balls of python-flint, if that is in use."""
    flint = sys.modules.get("flint")
    return (flint.arb,) if flint else ()


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
