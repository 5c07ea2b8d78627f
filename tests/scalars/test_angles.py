"""Angles from coordinates, and angles within one turn, over every kind of number."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from nearness import ACCURATE, LAST_DIGIT, assert_close

from qddot import Kernel, record
from qddot.certificate.rounding import BallScalar, Ledger
from qddot.equations.ring import Ring
from qddot.errors import BadArgument
from qddot.program import gradient, jacobian
from qddot.scalars import acos, asin, atan2, floor, sincos, sqrt, wrapped_angle
from qddot.scalars.expressions import PI_EXPRESSION, expression, symbol

DIGITS = 50
STEP = 1e-30  # of a complex step


def exactly(x: float) -> Any:
    return mpmath.mpf(float(x))


def turned(x: Any) -> Any:
    """Return x − 2πk in (−π, π], to many digits."""
    return x - 2 * mpmath.pi * mpmath.ceil(x / (2 * mpmath.pi) - mpmath.mpf(1) / 2)


# floats


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("far", [4.0, 300.0, 1e5])
def test_a_wrapped_angle_is_in_one_turn_and_off_by_whole_turns(far: float, dtype: str):
    kernel = Kernel(record(lambda x: wrapped_angle(x), x=()), np.dtype(dtype))
    rng, pi = np.random.default_rng(0), np.dtype(dtype).type(math.pi)
    turns = np.round(rng.uniform(-far, far, 300) / math.pi)
    edges = turns * math.pi * (1 + rng.normal(size=300) * np.finfo(dtype).eps)
    x = np.concatenate([rng.uniform(-far, far, 700), edges]).astype(dtype)
    unit, per_turn = 1.3 * np.spacing(pi), {"float64": 1e-22, "float32": 1e-13}[dtype]
    found = kernel.general(x)
    assert np.all((-pi < found) & (found <= pi))
    with mpmath.workdps(DIGITS):
        for mine, angle in zip(found, x, strict=True):
            off = abs(turned(exactly(mine) - turned(exactly(angle))))
            last = unit if abs(mine) > 3 else np.spacing(abs(mine))
            assert off <= float(last) + per_turn * (abs(float(angle)) / 6 + 1)
    if dtype == "float64":
        assert_close(wrapped_angle(x), found)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_in_the_turn_comes_back_as_it_is_and_minus_pi_as_pi(dtype: str):
    pi = np.dtype(dtype).type(math.pi)
    inside = np.array([pi, np.nextafter(pi, 0), 1.0, 1e-30, 0.0, -0.0, -np.nextafter(pi, 0)], dtype)
    kernel = Kernel(record(lambda x: wrapped_angle(x), x=()), np.dtype(dtype))
    for wrap in (kernel.general, wrapped_angle):
        assert np.array_equal(wrap(inside), inside)
        assert wrap(inside).dtype == dtype
        assert np.array_equal(np.signbit(wrap(inside)), np.signbit(inside))
        assert wrap(-pi) == pi
    with np.errstate(invalid="ignore"):
        assert np.isnan(kernel.general(np.array([math.inf, -math.inf, math.nan], dtype))).all()


def test_a_remainder_has_the_sign_of_its_divisor():
    program = record(lambda x, y: x % y, x=(), y=())
    x = np.random.default_rng(1).normal(size=(400,)) * 30
    x[:100] = np.round(x[:100]) * 0.1
    for y in (0.1, -0.1, 2 * math.pi, -3.0):
        found = Kernel(program).general(x, np.full(400, y))
        assert np.all((found >= 0) & (found <= y) if y > 0 else (found <= 0) & (found >= y))
        off = np.abs(found - np.mod(x, y))  # beside a multiple, 0 may be y
        assert np.minimum(off, abs(y) - off).max() < ACCURATE


def test_the_remainder_of_a_value_by_itself_is_zero():
    assert record(lambda x: x % x + x % -x, x=())(3.0) == 0


# derivatives


def slopes(y: Any, x: Any) -> list[Any]:
    d = x * x + y * y
    return [x / d, -y / d]


def bends(y: Any, x: Any) -> list[Any]:
    d = (x * x + y * y) ** 2
    return [-2 * x * y / d, (y * y - x * x) / d, (y * y - x * x) / d, 2 * x * y / d]


ANGLE = record(lambda y, x: atan2(y, x), y=(), x=())
FIRST = jacobian(ANGLE, ["y", "x"])
SECOND = jacobian(FIRST, ["y", "x"])


@pytest.mark.parametrize(
    ("dtype", "scales"),
    [("float64", (1.0, 1e150, 1e-150, 1e307, 1e-305)), ("float32", (1.0, 1e30, 1e-30, 3e37))],
)
def test_the_slopes_of_an_angle_are_right_at_every_scale(dtype: str, scales: tuple[float, ...]):
    rng, relative = np.random.default_rng(4), 4 * np.finfo(dtype).eps
    kernels = [Kernel(program, np.dtype(dtype)) for program in (FIRST, SECOND)]
    for scale in scales:
        y, x = (rng.normal(size=(2, 60)) * scale).astype(dtype)
        found = [np.array(kernel.general(y, x)).T for kernel in kernels]
        for k in range(60):
            with mpmath.workdps(DIGITS):
                given = exactly(y[k]), exactly(x[k])
                assert_close(
                    found[0][k] * scale, [float(s * scale) for s in slopes(*given)], relative
                )
                if 1e-16 < scale < 1e16:
                    assert_close(found[1][k], [float(s) for s in bends(*given)], 8 * relative)


def test_at_the_origin_the_slopes_of_an_angle_are_zero():
    for y, x in ((0.0, 0.0), (-0.0, 0.0), (0.0, -0.0)):
        assert [float(s) for s in FIRST(y, x)] == [0, 0]
        assert [float(s) for s in SECOND(y, x)] == [0, 0, 0, 0]
        pulled = gradient(ANGLE, ["y", "x"])(y, x, 1.0)
        assert [float(s) for s in pulled] == [0, 0]


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (asin, lambda x: 1 / math.sqrt(1 - x * x)),
        (acos, lambda x: -1 / math.sqrt(1 - x * x)),
        (wrapped_angle, lambda x: 1),
        (floor, lambda x: 0),
    ],
)
def test_derivatives_are_those_of_the_formula_and_of_a_complex_step(
    function: Callable, slope: Callable
):
    derivative = jacobian(record(lambda x: function(x), x=()), ["x"])
    for x in (-0.9, -0.2, 0.1, 0.7):
        assert_close(derivative(x), slope(x), LAST_DIGIT)
        assert_close(np.imag(function(x + 1j * STEP)) / STEP, slope(x), LAST_DIGIT)


def test_a_complex_step_goes_through_the_angle_of_a_point():
    for y, x in ((1.0, 2.0), (-0.3, -4.0), (2.0, -1e-3), (0.0, -1.0), (-1.0, 0.0)):
        found = [np.imag(atan2(y + 1j * STEP, x)), np.imag(atan2(y, x + 1j * STEP))]
        assert_close(np.array(found) / STEP, slopes(y, x), LAST_DIGIT)
        assert np.real(atan2(y + 0j, x)) == pytest.approx(math.atan2(y, x), rel=1e-15)
    both = np.array([1 + 1j * STEP, -2 + 0j])
    assert_close(np.imag(atan2(both, 2.0)) / STEP, [0.4, 0], LAST_DIGIT)


# recorded programs


def test_what_is_constant_is_computed_while_recording():
    program = record(lambda x: x + atan2(1, -1) * floor(2.5) + asin(0.5) + wrapped_angle(7.0), x=())
    assert list(program.counts()) == ["add"]
    assert_close(program(0.0), math.atan2(1, -1) * 2 + math.asin(0.5) + 7 - 2 * math.pi)


def test_a_minus_sign_goes_through_an_angle_and_equal_ones_are_shared():
    program = record(lambda y, x: atan2(y, x) + atan2(-y, x) + 2 * atan2(y, -x), y=(), x=())
    assert program.counts() == {"neg": 1, "atan2": 1, "mul": 1}
    assert program.from_json(program.to_json()) == program


# intervals


def contains(ball: Any, x: Any) -> bool:
    """Say whether a ball holds a number of many digits."""
    with ctx.workdps(DIGITS):
        return bool(ball.contains(arb(mpmath.nstr(x, DIGITS - 5))))


def boxes(count: int, seed: int = 3) -> list[tuple[float, float, float, float]]:
    """Return y, x and the half-widths of boxes: many meet the cut, some the origin."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(size=(count, 2)) * rng.choice([0.1, 1, 100], (count, 1))
    half = abs(middle) * 10 ** rng.uniform(-2, 1.5, (count, 2)) * rng.choice([0, 1, 1], (count, 2))
    return [(*map(float, m), *map(float, h)) for m, h in zip(middle, half, strict=True)]


@pytest.mark.parametrize("of", [lambda ball: ball, lambda ball: BallScalar(ball, Ledger())])
def test_a_ball_holds_the_angles_of_every_point_of_a_box(of: Callable):
    rng, cut = np.random.default_rng(8), 0
    for y, x, dy, dx in boxes(150):
        found = atan2(of(arb(y, dy)), of(arb(x, dx)))
        found = getattr(found, "ball", found)
        assert float(found.upper()) < 3.15
        assert float(found.lower()) > -3.15
        cut += x - dx < 0 and abs(y) <= dy
        with mpmath.workdps(DIGITS):
            for a, b in rng.uniform(-1, 1, (20, 2)):
                point = exactly(y) + exactly(a) * exactly(dy), exactly(x) + exactly(b) * exactly(dx)
                assert contains(found, mpmath.atan2(*point))
    assert cut > 10


@pytest.mark.parametrize(
    ("function", "exact", "reach"),
    [
        (asin, mpmath.asin, 0.9),
        (acos, mpmath.acos, 0.9),
        (floor, mpmath.floor, 30),
        (wrapped_angle, turned, 60),
    ],
)
def test_a_ball_holds_the_values_of_every_number_in_it(
    function: Callable, exact: Callable, reach: float
):
    rng = np.random.default_rng(9)
    for middle in rng.uniform(-reach, reach, 60):
        half = float(10 ** rng.uniform(-8, -1) * (10 if reach > 1 else 1))
        found = function(arb(float(middle), half))
        scalar = function(BallScalar(arb(float(middle), half), Ledger()))
        assert scalar.ball.contains(found)
        assert found.contains(scalar.ball)
        with mpmath.workdps(DIGITS):
            for a in rng.uniform(-1, 1, 20):
                assert contains(found, exact(exactly(middle) + exactly(a) * exactly(half)))


def test_a_ball_across_the_cut_is_the_whole_turn_and_others_stay_narrow():
    assert float(atan2(arb(0, 0.1), arb(-1)).rad()) == pytest.approx(math.pi, rel=1e-6)
    assert float(atan2(arb(0.2, 0.1), arb(-1)).rad()) < 0.2
    assert float(wrapped_angle(arb(3.1, 0.1)).rad()) == pytest.approx(math.pi, rel=1e-6)
    assert float(wrapped_angle(arb(10, 0.1)).rad()) == pytest.approx(0.1, rel=1e-6)
    for ball in (wrapped_angle(arb("nan")), wrapped_angle(arb("inf")), atan2(arb("nan"), arb(1))):
        assert not ball.is_finite()


def test_a_program_runs_on_balls():
    program = record(lambda y, x: floor(atan2(y, x)) + asin(x / 9), y=(), x=())
    found = program(arb(1, 0.1), arb(-2, 0.1))
    assert contains(found, exactly(2 - math.asin(2 / 9)))
    assert float(found.rad()) < 0.02


# exact numbers


def test_exact_angles_of_exact_points():
    root, length = sqrt(expression(3)), symbol("L")
    assert atan2(root, expression(1)) == PI_EXPRESSION / 3
    assert atan2(-1, root) == -PI_EXPRESSION / 6
    assert atan2(expression(0), -5) == PI_EXPRESSION
    assert atan2(expression(-2), 0) == -PI_EXPRESSION / 2
    assert atan2(expression(0), 0) == 0
    assert asin(expression(Fraction(1, 2))) == PI_EXPRESSION / 6
    assert acos(-root / 2) == PI_EXPRESSION * Fraction(5, 6)
    assert wrapped_angle(PI_EXPRESSION * 7 / 2) == -PI_EXPRESSION / 2
    assert wrapped_angle(-PI_EXPRESSION) == PI_EXPRESSION
    assert wrapped_angle(expression(7)) == 7 - 2 * PI_EXPRESSION
    assert floor(expression(Fraction(-1, 3))) == -1
    for refused in (lambda: atan2(length, 1), lambda: asin(length), lambda: atan2(length, length)):
        with pytest.raises(BadArgument, match="no exact form that is known here; give numbers"):
            refused()


def test_every_known_angle_is_found_from_its_point():
    for degrees in (*range(-165, 181, 15), *range(-162, 181, 18)):
        angle = PI_EXPRESSION * Fraction(degrees, 180)
        s, c = (part * 7 for part in sincos(angle))
        assert atan2(s, c) == angle


def test_the_polynomial_ring_refuses_in_words():
    q = Ring((True,), []).element("q", 0)
    for function in (
        asin,
        acos,
        floor,
        wrapped_angle,
        lambda x: atan2(x, 1),
        lambda x: atan2(1, x),
    ):
        with pytest.raises(BadArgument, match="no polynomial form"):
            function(q)


# arrays of JAX


def test_jax_arrays_give_what_numpy_gives():
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")
    y, x = np.random.default_rng(0).normal(size=(2, 50)).astype("float32") * 4
    for function in (atan2, lambda a, b: wrapped_angle(a), lambda a, b: floor(b)):
        found = function(jnp.asarray(y), jnp.asarray(x))
        np.testing.assert_allclose(found, function(y, x), rtol=1e-6, atol=1e-6)
