"""Angles with roots for sines: right, and in one form."""

import math
from fractions import Fraction

import pytest
from nearness import HANDFUL

from qddot.scalars import sincos
from qddot.scalars.exact_functions import exact_sincos
from qddot.scalars.expressions import PI_EXPRESSION


@pytest.mark.parametrize("step", [Fraction(1, 12), Fraction(1, 10)], ids=["15°", "18°"])
@pytest.mark.parametrize("k", range(-26, 27))
def test_sine_and_cosine_are_the_roots_that_they_should_be(step, k):
    s, c = sincos(PI_EXPRESSION * step * k)
    assert math.isclose(float(s), math.sin(math.pi * step * k), abs_tol=HANDFUL)
    assert math.isclose(float(c), math.cos(math.pi * step * k), abs_tol=HANDFUL)
    assert s * s + c * c == 1


@pytest.mark.parametrize("k", range(1, 5))
def test_twice_the_angle_is_the_same_root(k):
    s, c = sincos(PI_EXPRESSION * k / 10)
    assert sincos(PI_EXPRESSION * k / 5) == (2 * s * c, 1 - 2 * s * s)


def test_other_angles_have_no_such_roots():
    assert exact_sincos(Fraction(1, 7)) is None
    assert exact_sincos(Fraction(1, 180)) is None
