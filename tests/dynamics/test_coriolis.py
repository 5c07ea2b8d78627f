"""What is true of velocity torques, the Coriolis matrix and Christoffel symbols of every robot."""

import numpy as np
import pytest
from complex_step import rate, slope
from hypothesis import given
from hypothesis import strategies as st
from long import examples, long
from nearness import assert_near
from random_trees import deep_tree, poised, spin

from qddot.dynamics.coriolis import (
    christoffel,
    coriolis_matrix,
    mass_matrix_rate,
    velocity_coupling,
    velocity_torque,
)
from qddot.dynamics.crba import mass_matrix
from qddot.model.folding import fold

EXAMPLES = examples(20)

deep = pytest.mark.parametrize("model", [deep_tree(1, 30), *long(deep_tree(2, 30))], ids=["a", "b"])


@EXAMPLES
@given(poised(2))
def test_mdot_minus_two_c_is_skew(robot):
    """Ṁ − 2C is skew-symmetric, so the Coriolis torque does no work; Ṁ by complex step."""
    tree, q, qd = robot
    check_skewness(tree, q, qd)


@deep
def test_mdot_minus_two_c_of_thirty_joints_is_skew(model):
    check_skewness(fold(model), *np.random.default_rng(0).uniform(-2, 2, (2, model.n)))


def check_skewness(tree, q, qd):
    Mdot = rate(lambda q: mass_matrix(tree, q), (q, qd))
    C = coriolis_matrix(tree, q, qd)
    N, largest = Mdot - 2 * C, spin(tree, q, qd)
    assert_near(N, -N.T, largest)
    assert_near(Mdot, C + C.T, largest)
    assert_near(mass_matrix_rate(tree, q, qd), Mdot, largest)


@EXAMPLES
@given(poised(2, most=4))
def test_c_is_the_matrix_of_christoffel_symbols(robot):
    """Γ_kij = ½ (∂_i M_kj + ∂_j M_ki − ∂_k M_ij), the derivatives by complex step."""
    tree, q, qd = robot
    dM = slope(lambda q: mass_matrix(tree, q), q)  # [k, j, i]: ∂_i M_kj
    gamma = (dM.transpose(0, 2, 1) + dM - dM.transpose(2, 0, 1)) / 2
    assert_near(christoffel(tree, q), gamma, spin(tree, q))
    assert_near(coriolis_matrix(tree, q, qd), np.einsum("kij,i->kj", gamma, qd), spin(tree, q, qd))


@EXAMPLES
@given(poised(2, most=4))
def test_the_velocity_torque_is_the_quadratic_form_of_the_christoffel_symbols(robot):
    """c_k = Σ Γ_kij q̇ᵢ q̇ⱼ, and Γ is symmetric in i and j."""
    tree, q, qd = robot
    gamma = np.asarray(christoffel(tree, q), dtype=float)
    assert np.array_equal(gamma, gamma.transpose(0, 2, 1))
    c = np.einsum("kij,i,j->k", gamma, qd, qd)
    assert_near(velocity_torque(tree, q, qd), c, spin(tree, q, qd, qd))


@EXAMPLES
@given(poised(2), st.sampled_from([-1.0, 2.0, 1e-3]))
def test_the_velocity_torque_is_quadratic_in_the_rates(robot, factor):
    tree, q, qd = robot
    c = velocity_torque(tree, q, qd)
    faster = factor * qd
    assert_near(velocity_torque(tree, q, faster), factor**2 * c, spin(tree, q, faster, faster))
    assert not np.any(coriolis_matrix(tree, q, 0 * qd))


@EXAMPLES
@given(poised(4))
def test_the_velocity_coupling_is_symmetric_and_linear(robot):
    tree, q, u, v, w = robot
    uv, uw = (velocity_coupling(tree, q, u, x) for x in (v, w))
    assert_near(uv, velocity_coupling(tree, q, v, u), spin(tree, q, u, v))
    both = np.abs(v) + 2 * np.abs(w)
    assert_near(velocity_coupling(tree, q, u, v - 2 * w), uv - 2 * uw, spin(tree, q, u, both))
    assert_near(
        velocity_coupling(tree, q, u, u.copy()), velocity_torque(tree, q, u), spin(tree, q, u, u)
    )
