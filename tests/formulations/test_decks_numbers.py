"""The decks' numbers and structural properties, by every formulation.

The state is q = (0.3, 0.7), q̇ = (0.5, −0.2), q̈ = (1, 2) under 9.81 m/s² unless said otherwise.
"""

import numpy as np
import pytest
from blackboard import ARMS, DERIVE, each_arm, each_formulation, equal
from long import long
from numpy.testing import assert_allclose
from textbook_numbers import NUMBERS, QD, QDD, SEVEN_DECIMALS, TEN_DECIMALS, Q

from qddot.equations.exact_tree import exact_robot
from qddot.formulations import coriolis, explicit, lagrange, recursive
from qddot.formulations.calculus import gradient
from qddot.model.folding import fold
from qddot.readers.read import read


@pytest.mark.parametrize(
    "name", ["two_link_symbolic", "rp_symbolic", "scara", *long("puma560", "ur5")]
)
def test_a_diagonal_entry_depends_on_later_joints_only_and_the_last_on_none(name):
    robot = exact_robot(read(name))
    n = robot.tree.n
    for derive in DERIVE.values():
        M = derive(robot.tree, robot.q, robot.qd).M
        assert equal(M, M.T)
        slopes = gradient(lambda q, M=M: np.diag(M), robot.q)
        assert all(slopes[k, i] == 0 for i in range(n) for k in range(i + 1))


@each_formulation
@each_arm
def test_the_velocity_torque_is_quadratic_in_the_rates(derive, name):
    robot = exact_robot(read(name))
    c = derive(robot.tree, robot.q, robot.qd).c
    assert equal(derive(robot.tree, robot.q, 3 * robot.qd).c, 9 * c)
    assert equal(derive(robot.tree, robot.q, 0 * robot.qd).c, 0 * c)
    for C in coriolis.factorisations(robot.tree, robot.q, 0 * robot.qd).values():
        assert equal(C, np.zeros((2, 2)))


@pytest.mark.parametrize("name", [*ARMS, "stanford", "puma560"])
def test_torques_that_the_joints_give_are_power_that_the_energy_gains(name):
    """Ė = q̇ᵀτ: d/dt (K + P) along any motion, exactly."""
    robot = exact_robot(read(name))
    q, qd, qdd, tree = robot.q, robot.qd, robot.qdd, robot.tree
    K = lagrange.kinetic_energy(tree, q, qd)
    P = sum(lagrange.potential_energies(tree, q))
    by_q = gradient(lambda x: K + P, q)
    by_qd = gradient(lambda x: K, qd)
    gained = qd @ by_q + qdd @ by_qd
    for derive in (lagrange.derive, recursive.derive):
        assert qd @ derive(tree, q, qd).torque(qdd) == gained
        assert equal(derive(tree, q, qd).g, gradient(lambda x: P, q))


def test_the_work_against_gravity_is_the_potential_energy_gained():
    """∫gᵀq̇ dt = P(t_f) − P(0), along a swing of a real arm."""
    tree = fold(read("ur5"))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    start, end = np.random.default_rng(5).uniform(-2, 2, (2, 6))
    work = 0.0
    for node, weight in zip(nodes, weights, strict=True):
        q = start + (end - start) * (node + 1) / 2
        work += weight / 2 * explicit.derive(tree, q, 0 * q).g @ (end - start)
    P = [sum(lagrange.potential_energies(tree, q)) for q in (start, end)]
    assert_allclose(work, P[1] - P[0], rtol=0, atol=1e-8)


@each_formulation
@pytest.mark.parametrize("name", ["scara", "two_link_cylinders", *long("panda")])
def test_the_mass_matrix_is_positive_definite_everywhere(derive, name):
    tree = fold(read(name))
    for q in np.random.default_rng(0).uniform(-3, 3, (5, tree.n)):
        M = np.asarray(derive(tree, q, 0 * q).M, dtype=float)
        assert_allclose(M, M.T, rtol=0, atol=1e-12)
        assert np.linalg.eigvalsh(M)[0] > 0


def test_coriolis_matrices_have_the_decks_numbers():
    tree = fold(read("two_link_point"))
    found = coriolis.factorisations(tree, Q, QD)
    printed = {
        "christoffel": [[0.1288435, -0.1932653], [0.3221088, 0]],
        "rate": [[0.2576871, 0.1288435], [0.3865306, 0.1610544]],
        "transposed": [[0, -0.5153741], [0.2576871, -0.1610544]],
    }
    for name, C in printed.items():
        assert_allclose(found[name], C, rtol=0, atol=SEVEN_DECIMALS)


@each_formulation
@pytest.mark.parametrize("name", NUMBERS)
def test_every_formulation_gives_the_decks_numbers(derive, name):
    (q, qd, qdd), M, c, g, tau = NUMBERS[name]
    found = derive(fold(read(name)), q, qd)
    close = dict(rtol=0, atol=TEN_DECIMALS)
    assert_allclose(found.M, M, **close)
    assert_allclose(found.c, c, **close)
    assert_allclose(found.g, g, **close)
    assert_allclose(found.torque(qdd), tau, **close)


ONES = dict(m1=1, m2=1, d1=1, d2=1, g=9.81)
DAMPED = {
    "two_link": dict(
        m1=50, m2=50, I1=10, I2=10, a1=1, a2=1, aC1=0.5, aC2=0.5, d1=30, d2=30, g=9.81
    ),
    "double_pendulum": ONES | dict(c1=0.3, c2=0.2),
    "free double_pendulum": ONES | dict(c1=0, c2=0),
    "two_link_point": dict(m1=2, m2=1.5, L1=0.8, L2=0.6, g=9.81),
}
TORQUES = {
    "two_link": (1069.4590518657, 217.1565557415),
    "double_pendulum": (22.3653803948, 12.1407269701),
    "free double_pendulum": (22.2153803948, 12.1807269701),
    "two_link_point": (37.1484711188, 7.0569746171),
}


@each_formulation
@pytest.mark.parametrize("name", TORQUES)
def test_dissipation_adds_what_the_deck_says(derive, name):
    """τ = M q̈ + c + g + ∂D/∂q̇, for other values of the parameters."""
    model = read(f"{name.split()[-1]}_symbolic").with_values(DAMPED[name])
    tree = fold(model)
    found = derive(tree, Q, QD).torque(QDD) + lagrange.damping_torque(tree, QD)
    assert_allclose(found, TORQUES[name], rtol=0, atol=TEN_DECIMALS)
