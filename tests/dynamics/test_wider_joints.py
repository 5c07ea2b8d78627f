"""Every recursion on a joint with three degrees of freedom, where velocities do not commute."""

import numpy as np
import pytest
from complex_step import STEP
from nearness import assert_near
from wider_joints import on_a_ball, on_a_plane

from qddot import load
from qddot.dynamics import aba
from qddot.dynamics.coriolis import christoffel, coriolis_matrix, velocity_torque
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.energy import kinetic_energy
from qddot.dynamics.forward import forward_dynamics
from qddot.dynamics.kinematics import jacobian, pose
from qddot.dynamics.momentum import centrifugal_rate, momentum
from qddot.dynamics.regressor import parameters, regressor
from qddot.dynamics.regroup import regrouped
from qddot.dynamics.rnea import gravity_torque, rigid_body_torque
from qddot.formulations import explicit, recursive, stacked


@pytest.fixture(scope="module", params=["two_link", "stanford", "ur5"])
def arm(request):
    return load(request.param).without("springs").without("friction").tree


@pytest.fixture(scope="module")
def trees(arm):
    return on_a_plane(arm)


@pytest.fixture(scope="module")
def state(trees):
    return np.random.default_rng(6).uniform(-1, 1, (3, trees[0].n))


def number(x):
    return np.asarray(x, float)


def rate_matrix(tree, q):
    return number(tree.rates(q))


def changing(f, tree, q, v):
    """Return how f(q) changes as the joints move at v."""
    moved = q + 1j * STEP * number(tree.rate(q, v))
    return np.imag(np.asarray(f(moved), complex)) / STEP


def test_torques_are_those_of_two_slides_and_a_turn(trees, state):
    one, three = trees
    q, v, a = state
    N = rate_matrix(one, q)  # the velocities of the others: q̇ = N v
    bend = changing(lambda x: one.rates(x), one, q, v) @ v
    expected = N.T @ number(rigid_body_torque(three, q, N @ v, N @ a + bend))
    assert_near(rigid_body_torque(one, q, v, a), expected)
    M = N.T @ number(mass_matrix(three, q)) @ N
    assert_near(mass_matrix(one, q), M)
    assert_near(kinetic_energy(one, q, v), v @ M @ v / 2)
    assert_near(momentum(one, q, v), M @ v)
    assert_near(rigid_body_torque(regrouped(one), q, v, a), expected, tolerance=1e-9)


@pytest.mark.parametrize("kind", ["planar", "ball"])
def test_c_is_the_metric_one_where_velocities_do_not_commute(arm, kind):
    one = on_a_ball(arm) if kind == "ball" else on_a_plane(arm)[0]
    q = np.random.default_rng(7).uniform(-1, 1, one.nq)
    if kind == "ball":
        q[:4] /= np.linalg.norm(q[:4])
    v = np.random.default_rng(8).uniform(-1, 1, one.n)
    C = number(coriolis_matrix(one, q, v))
    assert_near(C @ v, number(velocity_torque(one, q, v)))
    assert_near(C.T @ v, number(centrifugal_rate(one, q, v)))
    rate = changing(lambda x: mass_matrix(one, x), one, q, v)
    assert_near(C + C.T, rate)
    gamma = number(christoffel(one, q))
    assert_near(np.einsum("kij,i->kj", gamma, v), C)
    assert np.abs(gamma - gamma.swapaxes(1, 2)).max() > 1e-3  # as the symmetric one is not


def test_both_ways_forward_invert_inverse_dynamics(trees, state):
    one, _ = trees
    q, v, a = state
    tau = number(rigid_body_torque(one, q, v, a))
    assert aba.applies(one)
    assert_near(aba.forward_dynamics(one, q, v, tau), a, tolerance=1e-9)
    assert_near(forward_dynamics(one, q, v, tau), a, tolerance=1e-9)


def test_jacobians_regressors_and_formulations_agree(trees, state):
    one, _ = trees
    q, v, a = state
    frame = next(reversed(one.frames))
    J = number(jacobian(one, q, frame))
    assert_near(J[3:] @ v, changing(lambda x: pose(one, x, frame).p, one, q, v))
    phi = number(list(parameters(one).values()))
    assert_near(number(regressor(one, q, v, a)) @ phi, rigid_body_torque(one, q, v, a))
    for way in (recursive, stacked):
        found = way.derive(one, q, v)
        assert_near(number(found.M), number(mass_matrix(one, q)))
        assert_near(number(found.c), number(velocity_torque(one, q, v)))
        assert_near(number(found.g), number(gravity_torque(one, q)))
    assert_near(number(explicit.derive(one, q, v).M), number(mass_matrix(one, q)))
