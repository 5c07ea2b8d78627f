"""Angles whose sine and cosine are roots of whole numbers: the multiples of 15° and of 18°.

The values at 0°, 15°, ..., 90° and 0°, 18°, ..., 90° follow from √2, √3, √5 (any table of
trigonometric constants); those of other quadrants from symmetry.
"""

from __future__ import annotations

from fractions import Fraction

from qddot.scalars import sqrt
from qddot.scalars.expressions import Expression, expression


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
