"""The inline exponential, logarithm and tanh against many digits, in units in the last place."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from faults import processor

from qddot import Kernel, record

# half a unit for rounding the result, the rest for what it is computed from
UNITS = {"exp": 1.0, "log": 1.0, "tanh": 2.0}
# of a subnormal exponential: rounded once as a normal number, and once more where its bits end
UNITS_ROUNDED_TWICE = 1.5
DIGITS = 50  # of the reference
# how far apart two floats must be for their order to show through the rounding of their tanh
APART = 4

TYPES = ("float64", "float32")
FUNCTIONS: dict[str, Callable[[Any], Any]] = {"exp": np.exp, "log": np.log, "tanh": np.tanh}
EXACT = {"exp": mpmath.exp, "log": mpmath.log, "tanh": mpmath.tanh}
KERNELS = {
    (name, dtype): Kernel(record(function, name, x=()), np.dtype(dtype))
    for name, function in FUNCTIONS.items()
    for dtype in TYPES
}
# beyond: the exponential is zero or infinite, the hyperbolic tangent one
LOWEST = {"float64": -745.13, "float32": -103.97}
HIGHEST = {"float64": 709.78, "float32": 88.72}
ONE_FROM = {"float64": 19.07, "float32": 9.02}


def compiled(name: str, x: np.ndarray) -> np.ndarray:
    return KERNELS[name, x.dtype.name].general(x)


def units_off(name: str, x: np.ndarray) -> float:
    """Return the largest error, in units in the last place of the result."""
    worst = mpmath.mpf(0)
    with mpmath.workdps(DIGITS):
        for argument, mine in zip(x, compiled(name, x), strict=True):
            exact = EXACT[name](mpmath.mpf(float(argument)))
            unit = np.spacing(np.abs(x.dtype.type(float(exact))))
            worst = max(worst, abs(mpmath.mpf(float(mine)) - exact) / mpmath.mpf(float(unit)))
    return float(worst)


def of_all_magnitudes(dtype: str, count: int = 1500) -> np.ndarray:
    """Return positive numbers from the smallest subnormal one to the largest."""
    about = np.finfo(dtype)
    exponents = np.random.default_rng(3).uniform(about.minexp - about.nmant, about.maxexp, count)
    edges = [about.smallest_subnormal, about.smallest_normal, about.max]
    return np.append(np.exp2(exponents), edges).astype(dtype)


def switching_points(name: str) -> list[float]:
    """Return where the next k or another form begins."""
    if name == "tanh":  # of e²ᵃ; at log(3)/2 the form changes
        return [math.log(3) / 2, *((k + 0.5) * math.log(2) / 2 for k in range(12))]
    if name == "exp":
        return [(k + 0.5) * math.log(2) for k in range(-120, 120, 7)]
    return [math.sqrt(0.5) * 2.0**k for k in range(-60, 60, 7)]


def floats_about(x: float, dtype: str, count: int = 400) -> np.ndarray:
    """Return the floats next to a number, in ascending order."""
    unit = np.spacing(np.dtype(dtype).type(abs(x)))
    return np.dtype(dtype).type(x) + np.arange(-count, count).astype(dtype) * unit


# accuracy


@pytest.mark.parametrize("dtype", TYPES)
def test_the_exponential_is_right_to_the_last_place(dtype: str):
    rng = np.random.default_rng(0)
    normal = math.log(float(np.finfo(dtype).smallest_normal))
    tiny = of_all_magnitudes(dtype)
    tiny = tiny[tiny < 1]
    for x in (
        rng.uniform(normal, HIGHEST[dtype], 2000),
        rng.uniform(-1, 1, 2000),
        np.concatenate([tiny, -tiny]),
    ):
        assert units_off("exp", x.astype(dtype)) <= UNITS["exp"]


@pytest.mark.parametrize("dtype", TYPES)
def test_a_subnormal_exponential_is_right_to_the_last_place(dtype: str):
    normal = math.log(float(np.finfo(dtype).smallest_normal))
    x = np.random.default_rng(1).uniform(LOWEST[dtype], normal, 1000).astype(dtype)
    assert units_off("exp", x) <= UNITS_ROUNDED_TWICE


@pytest.mark.parametrize("dtype", TYPES)
def test_tanh_is_right_to_the_last_place_however_small_it_is(dtype: str):
    rng = np.random.default_rng(0)
    for x in (
        rng.uniform(-1, 1, 3000),
        rng.uniform(-ONE_FROM[dtype], ONE_FROM[dtype], 2000),
        of_all_magnitudes(dtype),
    ):
        assert units_off("tanh", x.astype(dtype)) <= UNITS["tanh"]


@pytest.mark.parametrize("dtype", TYPES)
def test_the_logarithm_is_right_to_the_last_place_next_to_one_too(dtype: str):
    rng = np.random.default_rng(0)
    next_to_one = 1 + rng.choice([-1, 1], 1000) * 10 ** rng.uniform(-16, -1, 1000)
    for x in (rng.uniform(0.5, 2, 3000), next_to_one, of_all_magnitudes(dtype)):
        assert units_off("log", x.astype(dtype)) <= UNITS["log"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_right_where_one_form_follows_another(name: str, dtype: str):
    points = [floats_about(x, dtype, 8) for x in switching_points(name)]
    assert units_off(name, np.concatenate(points)) <= UNITS[name]


# order


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_do_not_fall_where_one_form_follows_another(name: str, dtype: str):
    """A tanh may be a unit less than that of the float before, but not than that of the fourth."""
    apart = APART if name == "tanh" else 1
    for point in switching_points(name):
        y = compiled(name, floats_about(point, dtype))
        assert np.all(y[apart:] >= y[:-apart])


@pytest.mark.parametrize("dtype", TYPES)
def test_tanh_is_odd_to_the_last_bit_and_never_beyond_one(dtype: str):
    x = np.append(of_all_magnitudes(dtype), np.linspace(0, 25, 5001).astype(dtype))
    y = compiled("tanh", x)
    assert np.array_equal(y, -compiled("tanh", -x))
    assert np.all(y <= 1)


# special values


@pytest.mark.parametrize("dtype", TYPES)
def test_the_exponential_ends_at_zero_and_at_infinity(dtype: str):
    number = np.dtype(dtype).type
    far = np.array([math.inf, np.finfo(dtype).max, HIGHEST[dtype] + 0.01, 720], dtype)
    assert np.array_equal(compiled("exp", far), np.full(4, math.inf))
    deep = np.array([-math.inf, -np.finfo(dtype).max, LOWEST[dtype] - 0.01, -760], dtype)
    assert np.array_equal(compiled("exp", deep), np.zeros(4))
    with mpmath.workdps(DIGITS):  # the last float whose exponential is one
        last = number(float(mpmath.log(mpmath.mpf(float(np.finfo(dtype).max)))))
    last = min(last, np.nextafter(last, number(0)))
    assert np.isfinite(compiled("exp", np.array([last]))[0])
    assert np.isinf(compiled("exp", np.array([last * number(1.0001)]))[0])


@pytest.mark.parametrize("dtype", TYPES)
def test_the_exponential_of_zero_is_one(dtype: str):
    assert np.array_equal(compiled("exp", np.array([0.0, -0.0], dtype)), [1, 1])


@pytest.mark.parametrize("dtype", TYPES)
def test_tanh_is_one_beyond_saturation(dtype: str):
    x = np.array([ONE_FROM[dtype], 20, 100, 1e30, np.finfo(dtype).max, math.inf], dtype)
    assert np.array_equal(compiled("tanh", x), np.ones(6))
    assert np.array_equal(compiled("tanh", -x), -np.ones(6))
    assert compiled("tanh", np.array([ONE_FROM[dtype] - 0.1], dtype))[0] < 1


@pytest.mark.parametrize("dtype", TYPES)
def test_tanh_of_a_tiny_number_is_that_number_and_keeps_the_sign_of_zero(dtype: str):
    x = of_all_magnitudes(dtype)
    x = np.append(x[x < 1e-9], 0).astype(dtype)
    x = np.concatenate([x, -x])
    y = compiled("tanh", x)
    assert np.array_equal(y, x)
    assert np.array_equal(np.signbit(y), np.signbit(x))


@pytest.mark.parametrize("dtype", TYPES)
def test_the_logarithm_ends_at_zero_and_at_infinity(dtype: str):
    y = compiled("log", np.array([0.0, -0.0, math.inf, 1.0, -1.0, -1e-40, -math.inf], dtype))
    expected = [-math.inf, -math.inf, math.inf, 0.0, math.nan, math.nan, math.nan]
    assert np.array_equal(y, expected, equal_nan=True)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_nan_stays_nan(name: str, dtype: str):
    assert np.all(np.isnan(compiled(name, np.array([math.nan, -math.nan], dtype))))


# the same bits everywhere


def samples(dtype: str) -> np.ndarray:
    x = np.random.default_rng(2).uniform(-20, 20, 400)
    return np.concatenate([x, [-740, -95, 0, 80, 700, math.inf, 1e-40]]).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_state_and_a_batch_give_the_same_bits(name: str, dtype: str):
    x = samples(dtype)
    kernel = KERNELS[name, dtype]
    alone = np.array([kernel(np.array(number)) for number in x], dtype)
    assert np.array_equal(compiled(name, x), alone, equal_nan=True)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the name is x86's")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_processor_without_fused_multiply_adds_gives_the_same_bits(
    name: str, dtype: str, monkeypatch: pytest.MonkeyPatch
):
    x = samples(dtype)
    here = compiled(name, x)
    processor(monkeypatch, "x86-64")
    there = Kernel(record(FUNCTIONS[name], name, x=()), np.dtype(dtype))
    assert np.array_equal(there.general(x), here, equal_nan=True)
