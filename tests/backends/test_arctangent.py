"""The inline angle of a point against many digits, in units in the last place, and its edges."""

from __future__ import annotations

import math
import platform

import mpmath
import numpy as np
import pytest
from faults import processor

from qddot import Kernel, record
from qddot.scalars import acos, asin, atan2

UNITS = {"atan2": 1.0, "asin": 2.0, "acos": 2.0}  # the last two round a root before
DIGITS = 50  # of the reference
TYPES = ("float64", "float32")
PROGRAM = record(lambda y, x: atan2(y, x), "atan2", y=(), x=())
KERNELS = {dtype: Kernel(PROGRAM, np.dtype(dtype)) for dtype in TYPES}
OF_ONE = {
    (f.__name__, dtype): Kernel(record(lambda x, f=f: f(x), f.__name__, x=()), np.dtype(dtype))
    for f in (asin, acos)
    for dtype in TYPES
}
SPECIAL = (0.0, 1e-40, 0.5, 1.0, 3e38, math.inf)
EDGES = np.array([*SPECIAL, *(-x for x in SPECIAL), math.nan])


def units_off(name: str, found: np.ndarray, *arguments: np.ndarray) -> float:
    """Return the largest error, in units in the last place of the result."""
    worst = 0.0
    with mpmath.workdps(DIGITS):
        for mine, *given in zip(found, *arguments, strict=True):
            exact = getattr(mpmath, name)(*(mpmath.mpf(float(x)) for x in given))
            unit = np.spacing(np.abs(found.dtype.type(float(exact))))
            worst = max(worst, float(abs(mpmath.mpf(float(mine)) - exact) / float(unit)))
    return worst


def points(dtype: str, kind: str, count: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    """Return y and x of points of one kind, in all four quadrants."""
    about, rng = np.finfo(dtype), np.random.default_rng(5)
    if kind == "about one":
        return tuple(rng.normal(size=(2, count)).astype(dtype))
    lowest, highest = about.minexp - about.nmant, about.maxexp - 1e-3
    signs = rng.choice([-1.0, 1.0], (2, count))
    if kind == "all magnitudes":
        return tuple((signs * np.exp2(rng.uniform(lowest, highest, (2, count)))).astype(dtype))
    # where one form follows another: t = ½ and 1, of any size
    t = rng.choice([0.5, 1.0, 2.0], count) * (1 + rng.normal(size=count) * about.eps * 4)
    x = rng.uniform(1, 2, count) * np.exp2(rng.integers(lowest + 4, about.maxexp - 3, count))
    return tuple((signs * [x * t, x]).astype(dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["about one", "all magnitudes", "switching"])
def test_the_angle_is_right_to_the_last_place(kind: str, dtype: str):
    y, x = points(dtype, kind)
    assert units_off("atan2", KERNELS[dtype].general(y, x), y, x) <= UNITS["atan2"]


@pytest.mark.long
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["about one", "all magnitudes", "switching"])
@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="long double has no more digits")
def test_the_angle_of_a_million_points_is_right_to_the_last_place(kind: str, dtype: str):
    y, x = points(dtype, kind, 1_000_000)
    exact = np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))
    units = np.spacing(np.abs(exact.astype(dtype))).astype(np.longdouble)
    assert np.max(np.abs(KERNELS[dtype].general(y, x) - exact) / units) <= UNITS["atan2"]


@pytest.mark.parametrize("dtype", TYPES)
def test_signed_zeros_infinities_and_nan_are_those_of_c(dtype: str):
    y, x = (a.ravel().astype(dtype) for a in np.meshgrid(EDGES, EDGES))
    found = KERNELS[dtype].general(y, x)
    wanted = np.array([math.atan2(b, a) for b, a in zip(y.tolist(), x.tolist(), strict=True)])
    np.testing.assert_allclose(found, wanted.astype(dtype), rtol=2 * np.finfo(dtype).eps, atol=0)
    known = ~np.isnan(wanted)
    assert np.array_equal(np.signbit(found[known]), np.signbit(wanted[known]))
    alone = [KERNELS[dtype](np.array(b), np.array(a)) for b, a in zip(y, x, strict=True)]
    assert np.array_equal(np.array(alone), found, equal_nan=True)


def test_a_constant_coordinate_keeps_the_sign_of_its_zero():
    for zero in (0.0, -0.0):
        for y in (0.0, -0.0, 2.0):
            kernel = Kernel(record(lambda y, x=zero: atan2(y, x), y=()))
            assert str(kernel(np.array(y))) == str(np.arctan2(y, zero))
            kernel = Kernel(record(lambda x, y=zero: atan2(y, x), x=()))
            assert str(kernel(np.array(y))) == str(np.arctan2(zero, y))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["asin", "acos"])
def test_inverse_functions_are_right_next_to_one_too(name: str, dtype: str):
    rng = np.random.default_rng(2)
    near = rng.choice([-1, 1], 800) * (1 - 10 ** rng.uniform(-17, 0, 800))
    x = np.concatenate([rng.uniform(-1, 1, 800), near, 10 ** rng.uniform(-30, 0, 400)])
    x = x.astype(dtype)
    assert units_off(name, OF_ONE[name, dtype].general(x), x) <= UNITS[name]
    edges = np.array([1.0, -1.0, 0.0, -0.0, 1.0001, math.inf, -math.inf, math.nan], dtype)
    with np.errstate(invalid="ignore"):
        wanted = {"asin": np.arcsin, "acos": np.arccos}[name](edges)
    np.testing.assert_allclose(OF_ONE[name, dtype].general(edges), wanted, rtol=3e-7, atol=0)


@pytest.mark.parametrize("dtype", TYPES)
def test_whole_numbers_are_found_exactly(dtype: str):
    kernel = Kernel(record(np.floor, x=()), np.dtype(dtype))
    large = 2.0 ** np.arange(60)
    x = np.concatenate([large, large + 0.5, large - 0.5, 1 / large, EDGES])
    x = np.concatenate([x, -x]).astype(dtype)
    found = kernel.general(x)
    assert np.array_equal(found, np.floor(x), equal_nan=True)
    assert np.array_equal(np.signbit(found[x == 0]), np.signbit(x[x == 0]))


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the name is x86's")
@pytest.mark.parametrize("dtype", TYPES)
def test_a_processor_without_fused_multiply_adds_gives_the_same_bits(
    dtype: str, monkeypatch: pytest.MonkeyPatch
):
    both = record(lambda y, x: np.stack([atan2(y, x), np.floor(y)]), y=(), x=())
    y, x = points(dtype, "all magnitudes", 300)
    here = Kernel(both, np.dtype(dtype)).general(y, x)
    processor(monkeypatch, "x86-64")
    assert np.array_equal(Kernel(both, np.dtype(dtype)).general(y, x), here)
