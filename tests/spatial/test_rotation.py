"""Laws of rotations: every way of writing one down, there and back."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearness import HANDFUL, LAST_DIGIT
from numpy.testing import assert_allclose

from qddot.scalars import constant_sincos, sincos
from qddot.scalars.expressions import PI_EXPRESSION, symbol
from qddot.spatial.rotation import (
    IDENTITY,
    about_axis,
    from_quaternion,
    from_rpy,
    rotation_vector,
    to_rpy,
)
from qddot.spatial.vector import skew

WRITTEN = {"rtol": 0, "atol": LAST_DIGIT}  # entries of a rotation are at most 1
PRODUCT = {"rtol": 0, "atol": HANDFUL}  # after products of such matrices

RIGHT = math.pi / 2
angles = st.floats(-math.pi, math.pi) | st.sampled_from([k * RIGHT for k in range(-2, 3)])
any_rpy = st.tuples(angles, angles, angles)
# pitch at, and just beside, the pole where roll and yaw turn about the same axis
gaps = st.sampled_from([0, 1e-16, 1e-12, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3])
polar_rpy = st.tuples(angles, gaps, st.sampled_from([-1, 1]), angles).map(
    lambda x: (x[0], x[2] * (RIGHT - x[1]), x[3])
)
seeds = st.integers(0, 2**32 - 1)
axes = seeds.map(lambda seed: unit(np.random.default_rng(seed).normal(size=3)))
quaternions = st.tuples(*[st.floats(-2, 2)] * 4).filter(lambda q: math.hypot(*q) > 1e-3)


def unit(x):
    return x / np.linalg.norm(x)


def turn(k, angle):
    """Return the turn about one coordinate axis, written out as in a book."""
    s, c = math.sin(angle), math.cos(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[k]


@given(any_rpy)
def test_roll_pitch_yaw_turn_about_fixed_axes(rpy):
    roll, pitch, yaw = rpy
    expected = turn("z", yaw) @ turn("y", pitch) @ turn("x", roll)
    assert_allclose(from_rpy(rpy), expected, **WRITTEN)


@given(any_rpy)
def test_roll_pitch_yaw_give_a_rotation(rpy):
    R = from_rpy(rpy)
    assert_allclose(R @ R.T, IDENTITY, **PRODUCT)
    assert_allclose(np.linalg.det(R), 1, **PRODUCT)


@given(any_rpy | polar_rpy)
def test_a_rotation_is_rebuilt_from_its_roll_pitch_yaw(rpy):
    """To the last digits, also where roll and yaw cannot be told apart."""
    R = from_rpy(rpy)
    again = to_rpy(R)
    assert_allclose(from_rpy(again), R, **WRITTEN)
    assert -RIGHT <= again[1] <= RIGHT


@given(st.tuples(angles, st.floats(-1.5, 1.5), angles))
def test_away_from_the_poles_the_angles_come_back(rpy):
    difference = np.array(to_rpy(from_rpy(rpy))) - rpy
    difference = (difference + math.pi) % (2 * math.pi) - math.pi
    assert_allclose(difference, 0, rtol=0, atol=1e-13)  # 1e-15, times 1/cos(1.5)


@given(quaternions)
def test_a_quaternion_of_any_length_gives_a_rotation(q):
    R = from_quaternion(q)
    assert_allclose(R @ R.T, IDENTITY, **PRODUCT)
    assert_allclose(np.linalg.det(R), 1, **PRODUCT)
    assert_allclose(from_quaternion(tuple(-x for x in q)), R, **WRITTEN)
    assert_allclose(from_quaternion(tuple(3 * x for x in q)), R, **WRITTEN)
    assert_allclose(from_rpy(to_rpy(R)), R, **WRITTEN)


@pytest.mark.parametrize("size", [1e-200, 0.7071, 1, 1e200])
def test_a_quarter_turn_is_exact_however_long_its_quaternion(size):
    R = from_quaternion((size, 0, 0, size))
    assert R.tolist() == [[0, -1, 0], [1, 0, 0], [0, 0, 1]]


@given(axes, angles)
def test_a_quaternion_holds_half_the_angle(axis, angle):
    s, c = math.sin(angle / 2), math.cos(angle / 2)
    assert_allclose(from_quaternion((c, *(s * axis))), about_axis(axis, angle), **WRITTEN)


@given(quaternions, quaternions)
def test_quaternions_multiply_like_their_rotations(p, q):
    (w, x, y, z), (a, b, c, d) = p, q
    product = (
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    )
    assert_allclose(from_quaternion(product), from_quaternion(p) @ from_quaternion(q), **PRODUCT)


@given(axes, angles)
def test_a_turn_about_an_axis_is_a_rotation_that_keeps_the_axis(axis, angle):
    R = about_axis(axis, angle)
    assert_allclose(R @ R.T, IDENTITY, **PRODUCT)
    assert_allclose(np.linalg.det(R), 1, **PRODUCT)
    assert_allclose(R @ axis, axis, **PRODUCT)
    assert_allclose(np.trace(R), 1 + 2 * math.cos(angle), **PRODUCT)


@given(axes, angles, angles)
def test_turns_about_one_axis_add_up(axis, first, second):
    product = about_axis(axis, first) @ about_axis(axis, second)
    assert_allclose(product, about_axis(axis, first + second), **PRODUCT)
    assert_allclose(about_axis(axis, first).T, about_axis(axis, -first), **PRODUCT)


@given(axes, angles)
def test_a_turn_is_the_exponential_of_its_axis(axis, angle):
    """The series Σ (K θ)ᵏ/k!, whose terms die out long before the fortieth."""
    power, series = np.eye(3), np.eye(3)
    for k in range(1, 40):
        power = power @ skew(axis) * angle / k
        series = series + power
    assert_allclose(about_axis(axis, angle), series, rtol=0, atol=1e-13)


@given(axes, angles)
def test_a_turn_changes_with_its_angle_as_the_axis_says(axis, angle):
    """dR/dθ = [axis]× R, by complex step."""
    step = 1e-30
    rate = about_axis(axis, angle + 1j * step).imag / step
    assert_allclose(rate, skew(axis) @ about_axis(axis, angle), **PRODUCT)


@pytest.mark.parametrize(("axis", "k"), [((1, 0, 0), "x"), ((0, 1, 0), "y"), ((0, 0, 1), "z")])
def test_turns_about_the_coordinate_axes_are_those_of_the_books(axis, k):
    assert_allclose(about_axis(axis, 0.3), turn(k, 0.3), **WRITTEN)


def test_turns_are_exact_over_symbols():
    t = symbol("t")
    s, c = sincos(t)
    R = about_axis((0, 0, 1), t)
    assert R.tolist() == [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    assert (R @ R.T).tolist() == IDENTITY.tolist()
    R = from_rpy((symbol("r"), symbol("p"), symbol("y")))
    assert (R @ R.T).tolist() == IDENTITY.tolist()
    assert (R.T @ R).tolist() == IDENTITY.tolist()


# angles that are built into a robot


@pytest.mark.parametrize("k", range(-4, 5))
def test_right_angles_are_exact(k):
    s, c = constant_sincos(k * math.pi / 2)
    assert (s, c) == (round(math.sin(k * RIGHT)), round(math.cos(k * RIGHT)))
    assert isinstance(s, int)
    assert isinstance(c, int)
    assert constant_sincos(np.float64(k * math.pi / 2)) == (s, c)


@pytest.mark.parametrize("angle", [1.5708, 1.57, 3.1416, -1.5707963, 1e-9, RIGHT + 1e-14])
def test_an_angle_that_is_only_nearly_right_is_taken_as_written(angle):
    assert constant_sincos(angle) == (math.sin(angle), math.cos(angle))


@given(st.floats(-10, 10))
def test_other_angles_have_the_sine_and_cosine_of_the_library(angle):
    assert_allclose(constant_sincos(angle), (math.sin(angle), math.cos(angle)), **WRITTEN)


@pytest.mark.parametrize("k", range(4))
def test_a_frame_turned_by_right_angles_is_made_of_whole_numbers(k):
    R = from_rpy((k * RIGHT, -RIGHT, math.pi))
    assert R.dtype.kind == "i"
    assert (R @ R.T).tolist() == IDENTITY.tolist()
    assert (
        from_rpy((k * PI_EXPRESSION / 2, -PI_EXPRESSION / 2, PI_EXPRESSION)).tolist() == R.tolist()
    )


@pytest.mark.parametrize(
    "angle", [0.0, 1e-13, 1e-6, 1.0, 3.0, math.pi - 1e-4, math.pi - 1e-9, math.pi]
)
def test_a_rotation_vector_leads_back_to_its_rotation(angle):
    for axis in np.random.default_rng(0).normal(size=(8, 3)):
        axis = axis / np.linalg.norm(axis)
        found = rotation_vector(about_axis(axis, angle))
        sign = -1 if angle == math.pi and axis @ found < 0 else 1  # both are half a turn
        assert_allclose(found, sign * angle * axis, rtol=0, atol=1e-9)
