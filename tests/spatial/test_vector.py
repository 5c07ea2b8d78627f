"""Laws of spatial vectors: the two cross products, over floats and exactly over symbols."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearness import assert_close
from numpy.testing import assert_allclose

from qddot.scalars.expressions import Expression, symbol
from qddot.spatial.vector import cross, cross_force, cross_motion, join, skew, split, vector

seeds = st.integers(0, 2**32 - 1)
vec3 = seeds.map(lambda seed: np.random.default_rng(seed).normal(size=3))
vec6 = seeds.map(lambda seed: np.random.default_rng(seed).normal(size=6))


def symbols(name, count):
    return np.array([symbol(f"{name}{i}") for i in range(count)])


def matrix_of(cross_product, v):
    """Return the 6×6 matrix of a cross product with v, column by column."""
    return np.column_stack([cross_product(v, e) for e in np.eye(6)])


@given(vec3, vec3)
def test_the_cross_product_of_three_vectors_is_numpys(a, b):
    assert_close(cross(a, b), np.cross(a, b))
    assert_close(skew(a) @ b, np.cross(a, b))
    assert_allclose(skew(a), -skew(a).T)


@given(vec6, vec6)
def test_the_motion_cross_product_is_antisymmetric(v, m):
    assert_close(cross_motion(v, m), -cross_motion(m, v))
    assert_close(cross_motion(v, v), np.zeros(6))


@given(vec6, vec6, vec6)
def test_the_motion_cross_product_obeys_jacobis_identity(a, b, c):
    total = (
        cross_motion(a, cross_motion(b, c))
        + cross_motion(b, cross_motion(c, a))
        + cross_motion(c, cross_motion(a, b))
    )
    assert_close(total, np.zeros(6))


@given(vec6, vec6, vec6)
def test_the_force_cross_product_is_minus_the_adjoint_of_the_other(v, m, f):
    assert_close(m @ cross_force(v, f), -(cross_motion(v, m) @ f))
    assert_close(matrix_of(cross_force, v), -matrix_of(cross_motion, v).T)


@given(vec6, vec6, vec6)
def test_the_force_cross_product_represents_the_same_algebra(a, b, f):
    """(a × b) ×* f = a ×* (b ×* f) − b ×* (a ×* f)."""
    left = cross_force(cross_motion(a, b), f)
    right = cross_force(a, cross_force(b, f)) - cross_force(b, cross_force(a, f))
    assert_close(left, right)


def test_the_laws_hold_exactly_over_symbols():
    a, b, c, f = (symbols(name, 6) for name in "abcf")
    assert (cross_motion(a, b) + cross_motion(b, a)).tolist() == [0] * 6
    jacobi = cross_motion(a, cross_motion(b, c)) + cross_motion(b, cross_motion(c, a))
    assert (jacobi + cross_motion(c, cross_motion(a, b))).tolist() == [0] * 6
    assert b @ cross_force(a, f) + cross_motion(a, b) @ f == 0


def test_the_angular_part_comes_first():
    """A spinning body carries a velocity round, and a velocity carries a force's moment along."""
    spin_z, slide_x = np.array([0, 0, 1, 0, 0, 0]), np.array([0, 0, 0, 1, 0, 0])
    assert cross_motion(spin_z, slide_x).tolist() == [0, 0, 0, 0, 1, 0]
    force_y = np.array([0, 0, 0, 0, 1, 0])
    assert cross_force(slide_x, force_y).tolist() == [0, 0, 1, 0, 0, 0]


@given(vec6)
def test_split_and_join_are_inverse(x):
    angular, linear = split(x)
    assert_allclose(angular, x[:3])
    assert_allclose(join(angular, linear), x)


@pytest.mark.parametrize(
    ("entries", "kind"),
    [
        ([1, 2], np.int64),
        ([1, 2.5], np.float64),
        ([1, 2j], np.complex128),
        ([0, symbol("a")], object),
    ],
)
def test_a_vector_keeps_its_kind_of_number(entries, kind):
    assert vector(entries).dtype == kind
    assert vector([entries, entries]).shape == (2, 2)
    assert vector(entries).tolist() == entries


def test_integers_stay_exact_beside_symbols():
    product = cross(np.array([1, 2, 3]), symbols("b", 3))
    assert all(isinstance(x, Expression) for x in product)
    assert product[0] == 2 * symbol("b2") - 3 * symbol("b1")
