"""The inline sine and cosine against many digits: how far off, in units in the last place."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qddot import Kernel, record

# half a unit for rounding the result, a third for the reduced argument, the rest the polynomials
UNITS = 1.5
# of a point on the unit circle: 1.5 units of 1.1e-16 in each coordinate, and the reference's own
OFF_THE_CIRCLE = 4e-16
DIGITS = 60  # of the reference; 1e14 takes 14 away, and zeros of sine 20 more

TYPES = ("float64", "float32")
LARGEST = {"float64": 1e14, "float32": 1e5}
RANGES = [
    (dtype, largest)
    for dtype in TYPES
    for largest in (0.78, 10, 1000, 1e5, 1e9, 1e14)
    if largest <= LARGEST[dtype]
]
PROGRAM = record(lambda x: (np.sin(x), np.cos(x)), "sincos", x=())
KERNELS = {dtype: Kernel(PROGRAM, np.dtype(dtype)) for dtype in TYPES}


def sine_and_cosine(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return KERNELS[x.dtype.name].general(x)


def units_off(x: np.ndarray) -> float:
    """Return the largest error of sine and cosine, in units in the last place of the result."""
    worst = mpmath.mpf(0)
    with mpmath.workdps(DIGITS):
        for angle, sine, cosine in zip(x, *sine_and_cosine(x), strict=True):
            exact_angle = mpmath.mpf(float(angle))
            for mine, exact in ((sine, mpmath.sin(exact_angle)), (cosine, mpmath.cos(exact_angle))):
                unit = np.spacing(np.abs(x.dtype.type(float(exact))))
                worst = max(worst, abs(mpmath.mpf(float(mine)) - exact) / mpmath.mpf(float(unit)))
    return float(worst)


@pytest.mark.parametrize(("dtype", "largest"), RANGES)
def test_sine_and_cosine_are_right_to_the_last_place(dtype: str, largest: float):
    rng = np.random.default_rng(int(largest))
    assert units_off(rng.uniform(-largest, largest, 2000).astype(dtype)) <= UNITS


@pytest.mark.parametrize(("dtype", "largest"), [pair for pair in RANGES if pair[1] >= 10])
def test_they_are_right_next_to_multiples_of_a_right_angle(dtype: str, largest: float):
    """The floats nearest to k π/2, where nearly all digits cancel."""
    number = np.dtype(dtype).type
    most = int(largest / 1.58)
    rng = np.random.default_rng(0)
    multiples = {*range(1, min(most, 64)), *(int(k) for k in rng.integers(1, most, 300))}
    with mpmath.workdps(DIGITS):
        nearest = [number(float(k * mpmath.pi / 2)) for k in multiples]
    beside = [np.nextafter(x, number(side)) for x in nearest for side in (0, math.inf)]
    x = np.array([*nearest, *beside, *(-a for a in nearest)], dtype)
    assert units_off(x) <= UNITS


@pytest.mark.parametrize("dtype", TYPES)
def test_they_are_right_for_tiny_and_subnormal_angles(dtype: str):
    about = np.finfo(dtype)
    exponents = np.linspace(math.log10(float(about.smallest_normal)), -1, 300)
    tiny = np.array([about.smallest_subnormal, about.smallest_normal, *(10.0**exponents)], dtype)
    x = np.concatenate([tiny, -tiny])
    assert units_off(x) <= UNITS
    sine, cosine = sine_and_cosine(x[np.abs(x) < 1e-20])
    assert np.array_equal(sine, x[np.abs(x) < 1e-20])
    assert np.all(cosine == 1)


@given(x=st.floats(-1e14, 1e14))
def test_any_angle_has_a_sine_and_a_cosine_on_the_unit_circle(x: float):
    sine, cosine = sine_and_cosine(np.array([x]))
    assert abs(math.hypot(sine[0], cosine[0]) - 1) < OFF_THE_CIRCLE
    assert math.hypot(sine[0] - math.sin(x), cosine[0] - math.cos(x)) < OFF_THE_CIRCLE


@pytest.mark.parametrize("dtype", TYPES)
def test_sine_is_odd_and_cosine_is_even_to_the_last_bit(dtype: str):
    x = np.random.default_rng(1).uniform(0, LARGEST[dtype], 5000).astype(dtype)
    (sine, cosine), (minus, same) = sine_and_cosine(x), sine_and_cosine(-x)
    assert np.array_equal(sine, -minus)
    assert np.array_equal(cosine, same)


@pytest.mark.parametrize("dtype", TYPES)
def test_at_zero_of_either_sign_sine_is_zero_and_cosine_one(dtype: str):
    sine, cosine = sine_and_cosine(np.array([0.0, -0.0], dtype))
    assert np.array_equal(sine, [0, 0])
    assert np.array_equal(cosine, [1, 1])


@pytest.mark.parametrize("dtype", TYPES)
def test_what_is_no_angle_gives_nan(dtype: str):
    largest = LARGEST[dtype]
    beyond = np.nextafter(np.dtype(dtype).type(largest), np.dtype(dtype).type(math.inf))
    sine, cosine = sine_and_cosine(
        np.array([math.nan, math.inf, -math.inf, beyond, -beyond, 1e30], dtype)
    )
    assert np.all(np.isnan(sine))
    assert np.all(np.isnan(cosine))
    assert np.all(np.isfinite(sine_and_cosine(np.array([largest, -largest], dtype))))


@pytest.mark.parametrize("dtype", TYPES)
def test_one_state_and_a_batch_give_the_same_bits(dtype: str):
    """Scalar and vector code round alike, so a result does not depend on how it was asked for."""
    x = np.random.default_rng(2).uniform(-20, 20, 500).astype(dtype)
    together = np.stack(sine_and_cosine(x), axis=-1)
    kernel = KERNELS[dtype]
    alone = np.array([kernel(np.array(angle)) for angle in x], dtype)
    assert np.array_equal(together, alone)
