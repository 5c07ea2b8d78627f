"""Functions of expressions: which have values that are known, and the one form of their products.

The sines and cosines of multiples of 15° and of 18° are roots of whole numbers: those at 0°, 15°,
..., 90° and 0°, 18°, ..., 90° follow from √2, √3, √5 (any table of trigonometric constants), those
of other quadrants from symmetry.
"""

from __future__ import annotations

import math
from fractions import Fraction

from qddot.errors import BadArgument
from qddot.scalars import (
    Scalar,
    acos,
    asin,
    atan2_of,
    constant_sincos,
    floor,
    sincos,
    sqrt,
    wrapped_angle,
)
from qddot.scalars.expressions import PI_EXPRESSION, Expression, atomic, expression, function_of
from qddot.scalars.monomials import PI, Atom, Monomial, reading_order


@sincos.register
def _(x: Expression) -> tuple[Expression, Expression]:
    turns = _multiple_of_pi(x)
    known = exact_sincos(turns) if turns is not None else None
    if known is not None:
        return known
    if x.terms and min(x.terms.items(), key=reading_order)[1] < 0:  # one atom for x and −x
        return -function_of("sin", -x), function_of("cos", -x)
    return function_of("sin", x), function_of("cos", x)


@constant_sincos.register
def _(x: Expression) -> tuple[Expression, Expression]:
    if not x.free_symbols:
        s, c = constant_sincos(float(x))
        if isinstance(s, int) and isinstance(c, int):  # a right angle, though typed as a decimal
            return expression(s), expression(c)
    return sincos(x)


@sqrt.register
def _(x: Expression) -> Expression:
    value = x.terms.get((), Fraction(0))
    if set(x.terms) <= {()}:
        if value < 0:
            raise BadArgument(f"The square root of {x} is not a real number.")
        top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if top * top == value.numerator and bottom * bottom == value.denominator:
            return expression(Fraction(top, bottom))
    return function_of("sqrt", x)


@atan2_of.register
def _(kind: Expression, y: Scalar, x: Scalar) -> Expression:
    """Return the angle of a point as a multiple of π, if it is one of those that are known."""
    y, x = expression(y), expression(x)
    for degrees in (*range(-165, 181, 15), *range(-162, 181, 18)):
        s, c = sincos(PI_EXPRESSION * Fraction(degrees, 180))
        along = x * c + y * s
        if y * c == x * s and not along.free_symbols and (along > 0 or along == degrees == 0):
            return PI_EXPRESSION * Fraction(degrees, 180)
    raise _no_form(f"The angle of the point ({x}, {y})")


@asin.register
def _(x: Expression) -> Expression:
    for degrees in (*range(-90, 91, 15), *range(-90, 91, 18)):
        if sincos(PI_EXPRESSION * Fraction(degrees, 180))[0] == x:
            return PI_EXPRESSION * Fraction(degrees, 180)
    raise _no_form(f"The angle whose sine is {x}")


@acos.register
def _(x: Expression) -> Expression:
    return PI_EXPRESSION / 2 - asin(x)


@floor.register
def _(x: Expression) -> Expression:
    if set(x.terms) <= {()}:
        return expression(math.floor(x.terms.get((), 0)))
    value = float(x)
    if abs(value - round(value)) < 1e-9 * max(1, abs(value)):
        raise _no_form(f"The largest whole number not above {x}")  # digits do not decide
    return expression(math.floor(value))


@wrapped_angle.register
def _(x: Expression) -> Expression:
    return x + 2 * PI_EXPRESSION * floor(Fraction(1, 2) - x / (2 * PI_EXPRESSION))


def _no_form(what: str) -> BadArgument:
    return BadArgument(f"{what} has no exact form that is known here; give numbers instead.")


def _multiple_of_pi(x: Expression) -> Fraction | None:
    if not x.terms:
        return Fraction(0)
    return x.terms.get(((PI, 1),)) if set(x.terms) == {((PI, 1),)} else None


def exact_sincos(turns: Fraction) -> tuple[Expression, Expression] | None:
    """Return sine and cosine of so many half turns (multiples of π) as roots, if they are known."""
    degrees = turns * 180 % 360
    if degrees.denominator != 1:
        return None
    quadrant, rest = divmod(int(degrees), 90)
    if rest % 15 and rest % 18:
        return None
    sine, cosine = _first_quadrant(rest), _first_quadrant(90 - rest)
    for _ in range(quadrant):
        sine, cosine = cosine, -sine
    return sine, cosine


def _first_quadrant(degrees: int) -> Expression:
    """Return the sine of a multiple of 15° or 18° between 0° and 90°."""
    two, three, five = (sqrt(expression(k)) for k in (2, 3, 5))
    half = expression(Fraction(1, 2))
    return {
        0: lambda: expression(0),
        15: lambda: (two * three - two) / 4,
        18: lambda: (five - 1) / 4,
        30: lambda: half,
        36: lambda: sqrt(10 - 2 * five) / 4,
        45: lambda: two / 2,
        54: lambda: (five + 1) / 4,
        60: lambda: three / 2,
        72: lambda: sqrt(10 - 2 * five) * (five + 1) / 8,  # by the root of 36°, so that it is one
        75: lambda: (two * three + two) / 4,
        90: lambda: expression(1),
    }[degrees]()


def rewritten(monomial: Monomial) -> Expression | None:
    """Return the one form of a product, or None where it is in that form already.

    A sine stands at most once, and not below the line together with cos² or with a cosine:

        s² = 1 − c²      c²/s = 1/s − s      1/(s c) = s/c + c/s      1/√x = √x/x
    """
    powers = dict(monomial)
    for atom, e in monomial:
        x = atom.argument
        if atom.function == "sqrt" and e not in (0, 1):
            replacement = x ** (e // 2) * atomic(atom, e % 2)
        elif atom.function == "1/" and e < 0:
            replacement = x**-e
        elif atom.function == "sin" and e > 1:
            replacement = (1 - sincos(x)[1] ** 2) ** (e // 2) * atomic(atom, e % 2)
        elif atom.function == "sin" and e < 0:
            cosine = Atom("cos", atom.name, x)
            k = powers.get(cosine, 0)
            if k in (0, 1):
                continue
            step = -2 if k > 1 else 2  # towards c⁰ or c¹
            del powers[cosine]
            squares = atomic(cosine, k + min(step, 0)) * atomic(atom, e + 2)
            others = atomic(cosine, k + step) * atomic(atom, e)
            replacement = others - squares if k > 1 else others + squares
        else:
            continue
        del powers[atom]
        rest = tuple((other, k) for other, k in monomial if other in powers)
        return normal(rest) * replacement
    return None


def normal(monomial: Monomial) -> Expression:
    """Return a product in its one form."""
    return rewritten(monomial) or Expression({monomial: Fraction(1)})
