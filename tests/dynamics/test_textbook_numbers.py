"""The textbook robots' numbers, through the compiled methods of `Robot`.

The numbers are those of the lecture decks' worked examples, derived again; the reference state is
q = (0.3, 0.7), q̇ = (0.5, −0.2), q̈ = (1, 2) under 9.81 m/s² unless said otherwise.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from complex_step import slope
from nearness import ROUND_OFF, assert_close
from numpy.testing import assert_allclose
from textbook_numbers import NUMBERS, QD, QDD, SEVEN_DECIMALS, TEN_DECIMALS, Q

import qddot
from qddot.dynamics.crba import mass_matrix
from qddot.model import Motor

FIVE_DIGITS = 5e-6
THREE_DECIMALS = 5e-4

RP_STATE = NUMBERS["rp"][0]


def with_torque(name: str, tau: tuple[float, float]) -> tuple:
    """Return an arm's numbers with another torque: friction changes nothing else."""
    return (*NUMBERS[name][:-1], tau)


ARMS = {name: NUMBERS[name] for name in ("two_link_point", "rp", "two_link_cylinders")} | {
    "two_link_with_damping_30": with_torque("two_link", (1069.4590518657, 217.1565557415)),
    "two_link_point_with_friction": with_torque("two_link_point", (32.8565111163, 8.7862622297)),
}


@cache
def arm(name: str) -> qddot.Robot:
    if name == "two_link_with_damping_30":
        return qddot.load("two_link").with_friction(viscous=30)
    if name == "two_link_point_with_friction":
        return arm("two_link_point").with_friction(viscous=[0.3, 0.2], coulomb=[0.5, 0.4])
    return qddot.load(name)


@pytest.mark.parametrize("name", ARMS)
def test_every_method_gives_the_decks_numbers(name):
    (q, qd, qdd), M, c, g, tau = ARMS[name]
    robot = arm(name)
    close = dict(rtol=0, atol=TEN_DECIMALS)
    assert_allclose(robot.mass_matrix(q), M, **close)
    assert_allclose(robot.velocity_torque(q, qd), c, **close)
    assert_allclose(robot.coriolis_matrix(q, qd) @ qd, c, **close)
    assert_allclose(robot.gravity_torque(q), g, **close)
    assert_allclose(robot.inverse_dynamics(q, qd, qdd), tau, **close)
    assert_allclose(robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd)), qdd, **close)
    rest = np.asarray(tau) - np.asarray(M) @ qdd
    assert_allclose(robot.bias_torque(q, qd), rest, **close)
    assert_allclose(robot.friction_torque(qd), rest - c - np.asarray(g), **close)
    assert_allclose(robot.regressor(q, qd, qdd) @ robot.parameters, tau, **close)
    assert_allclose(robot.kinetic_energy(q, qd), qd @ np.asarray(M) @ qd / 2, **close)


def test_point_masses_with_other_values_have_the_decks_torque():
    robot = qddot.load("two_link_point_symbolic").with_values(m1=2, m2=1.5, L1=0.8, L2=0.6, g=9.81)
    tau = robot.inverse_dynamics(Q, QD, QDD)
    assert_allclose(tau, [37.1484711188, 7.0569746171], rtol=0, atol=TEN_DECIMALS)


@pytest.mark.parametrize(
    ("c1", "c2", "tau"),
    [(0, 0, (22.2153803948, 12.1807269701)), (0.3, 0.2, (22.3653803948, 12.1407269701))],
)
def test_the_double_pendulum_has_the_decks_torques(c1, c2, tau):
    robot = qddot.load("double_pendulum").with_friction(viscous=[c1, c2])
    assert_allclose(robot.inverse_dynamics(Q, QD, QDD), tau, rtol=0, atol=TEN_DECIMALS)


def test_the_pendulum_obeys_its_equation_and_swings_at_its_frequency():
    """I θ̈ + d θ̇ + m g L sin θ = τ, with ω² = m g L/I for small angles."""
    robot = qddot.load("pendulum")
    m, L, I, d, g = 1, 0.5, 0.3, 0.1, 9.81
    q, qd, qdd = np.array([0.4]), np.array([0.7]), np.array([1.1])
    expected = I * qdd + d * qd + m * g * L * np.sin(q)
    assert_allclose(robot.inverse_dynamics(q, qd, qdd), expected, rtol=ROUND_OFF)
    still = np.zeros(1)
    stiffness, damping = robot.inverse_dynamics_derivatives(still, still, still)
    assert_allclose(stiffness / robot.mass_matrix(still), m * g * L / I, rtol=ROUND_OFF)
    assert_allclose(damping, d, rtol=ROUND_OFF)
    height = robot.potential_energy(q) - robot.potential_energy(still)
    assert_allclose(height, m * g * L * (1 - np.cos(0.4)), rtol=ROUND_OFF)


def test_the_rp_arms_joints_feel_only_coriolis_and_only_centrifugal_force():
    """Output index first: c₁ = 2 m₂ d₂ θ̇ ḋ and c₂ = −m₂ d₂ θ̇²."""
    q, _, _ = RP_STATE
    gamma = arm("rp").christoffel(q)
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 1] = expected[0, 1, 0] = 2 * 0.9
    expected[1, 0, 0] = -2 * 0.9
    assert_close(gamma, expected)


def test_the_point_mass_arm_has_the_decks_christoffel_symbols():
    """With k = m₂ L₁ L₂ sin θ₂: Γ₁ = [[0, −k], [−k, −k]] and Γ₂ = [[k, 0], [0, 0]]."""
    k = np.sin(0.7)
    gamma = arm("two_link_point").christoffel(Q)
    assert_close(gamma, [[[0, -k], [-k, -k]], [[k, 0], [0, 0]]])


def test_the_mass_spring_damper_rests_and_swings_as_the_deck_says():
    """Held at x₀ = 0 under F = 10, and free: where it rests, its modes, their damping."""
    robot, still = qddot.load("mass_spring_damper"), np.zeros(2)
    M = robot.mass_matrix(still)
    K, D = robot.inverse_dynamics_derivatives(still, still, still)
    assert_close(M, np.diag([2, 5]))
    assert_close(K, [[80, -80], [-80, 80]])
    assert_close(D, [[3, -3], [-3, 3]])
    rest = np.array([0.37025, 0])
    assert_allclose(robot.bias_torque(rest, still)[0], 10, rtol=0, atol=TEN_DECIMALS)
    assert_allclose(np.sqrt(K[0, 0] / M[0, 0]), 6.3245553, rtol=0, atol=SEVEN_DECIMALS)
    values = np.linalg.eigvals(np.linalg.solve(M, K))
    assert_allclose(np.sqrt(values.max()), 7.48331477, rtol=0, atol=SEVEN_DECIMALS)
    reduced = 1 / (1 / 2 + 1 / 5)
    assert_allclose(D[0, 0] / (2 * reduced * 7.48331477), 0.14031215, rtol=0, atol=SEVEN_DECIMALS)


# simulation: where it starts and how it ends


def test_the_arm_let_go_at_zero_accelerates_as_the_deck_says():
    robot, still = qddot.load("two_link"), np.zeros(2)
    assert_allclose(robot.gravity_torque(still), [981, 245.25], rtol=ROUND_OFF)
    qdd = robot.forward_dynamics(still, still, still)
    assert_allclose(qdd, [-10.35838509, 10.96770186], rtol=0, atol=SEVEN_DECIMALS)


def test_the_hanging_arm_has_the_decks_modes():
    """Undamped 2.547473 and 5.256626 rad/s; with D = 80 the fast one is overdamped."""
    q, still = np.array([-np.pi / 2, 0]), np.zeros(2)
    free, damped = qddot.load("two_link"), qddot.load("two_link").with_friction(viscous=80)
    assert_allclose(free.potential_energy(q), -981, rtol=ROUND_OFF)
    by_q, _, _ = free.forward_dynamics_derivatives(q, still, still)
    modes = np.sqrt(np.sort(-np.linalg.eigvals(by_q)))
    assert_allclose(modes, [2.547473, 5.256626], rtol=0, atol=FIVE_DIGITS)
    by_q, by_qd, _ = damped.forward_dynamics_derivatives(q, still, still)
    poles = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [by_q, by_qd]]))
    real = np.sort(poles[np.abs(poles.imag) < 1e-9].real)
    assert_allclose(real, [-10.087, -2.724], rtol=0, atol=THREE_DECIMALS)


# effective mass


@pytest.mark.parametrize(
    ("degrees", "M", "effective"),
    [
        (90, [[3, 1], [1, 1]], [[1, 0], [0, 2]]),
        (
            150,
            [[1.2679491924, 0.1339745962], [0.1339745962, 1]],
            [[4, -1.7320508076], [-1.7320508076, 2]],
        ),
    ],
)
def test_the_tip_of_the_point_mass_arm_seems_to_weigh_what_the_deck_says(degrees, M, effective):
    robot, q = arm("two_link_point"), np.array([0, np.radians(degrees)])
    assert_allclose(robot.mass_matrix(q), M, rtol=0, atol=TEN_DECIMALS)
    found = robot.effective_mass(q, "tool", axes="linear")
    assert_allclose(found[:2, :2], effective, rtol=0, atol=TEN_DECIMALS)
    assert_close(found[2], 0)  # it cannot move out of its plane
    # the same kinetic energy, seen from the tip
    J = robot.jacobian(q, "tool")
    v = J[3:] @ QD
    assert_allclose(v @ found @ v / 2, robot.kinetic_energy(q, QD), rtol=TEN_DECIMALS)
    # at rest without gravity, a force at the tip accelerates it by the inverse
    push = np.array([0.3, -0.8])
    floating = robot.without("gravity")
    wrench = {"tool": [0, 0, 0, *push, 0]}
    qdd = floating.forward_dynamics(q, np.zeros(2), np.zeros(2), wrenches=wrench)
    assert_allclose(np.array(effective) @ (J[3:5] @ qdd), push, rtol=0, atol=TEN_DECIMALS)


def test_the_effective_mass_of_a_panda_is_that_of_its_jacobian_and_mass_matrix():
    robot = qddot.load("panda")
    q = np.array([0.1, -0.4, 0.3, -2.0, 0.2, 1.7, 0.5])
    J, M = robot.jacobian(q, "tool"), robot.mass_matrix(q)
    full = np.linalg.inv(J @ np.linalg.inv(M) @ J.T)
    linear = np.linalg.inv(J[3:] @ np.linalg.inv(M) @ J[3:].T)
    solved = 1e-10  # three inversions, κ up to 1e4
    assert_allclose(robot.effective_mass(q, "tool"), full, rtol=0, atol=solved * np.abs(full).max())
    assert_allclose(robot.effective_mass(q, "tool", axes="linear"), linear, rtol=solved)


# structural properties


def test_three_choices_of_c_give_the_decks_matrices_and_only_ours_is_skew():
    """With U = (E ⊗ q̇ᵀ) ∂M/∂q: ½(Ṁ + Uᵀ − U) is ours; Ṁ − ½U and Uᵀ − ½U give the same torque."""
    robot = arm("two_link_point")
    dM = slope(lambda q: mass_matrix(robot.tree, q), Q)  # [i, j, k]: ∂M_ij/∂q_k
    Mdot = robot.mass_matrix_rate(Q, QD)
    U = np.einsum("ijk,i->kj", dM, QD)
    choices = {
        "ours": ((Mdot + U.T - U) / 2, [[0.1288435, -0.1932653], [0.3221088, 0]]),
        "second": (Mdot - U / 2, [[0.2576871, 0.1288435], [0.3865306, 0.1610544]]),
        "third": (U.T - U / 2, [[0, -0.5153741], [0.2576871, -0.1610544]]),
    }
    assert_close(robot.coriolis_matrix(Q, QD), choices["ours"][0])
    for name, (C, printed) in choices.items():
        assert_allclose(C, printed, rtol=0, atol=SEVEN_DECIMALS)
        assert_close(C @ QD, robot.velocity_torque(Q, QD))
        N = Mdot - 2 * C
        assert_close(QD @ N @ QD, 0)
        assert (np.abs(N + N.T).max() < ROUND_OFF) == (name == "ours")


def test_the_arm_of_the_simulation_deck_stays_within_the_decks_bounds_and_reaches_them():
    """Eigenvalues, norms, velocity and gravity torques over the second joint's turn."""
    robot = qddot.load("two_link")
    elbow = np.linspace(-np.pi, np.pi, 721)
    M = robot.mass_matrix(np.stack([0 * elbow, elbow], axis=1))
    eigenvalues = np.linalg.eigvalsh(M)
    assert_allclose(eigenvalues.min(), 6.23992001, rtol=0, atol=SEVEN_DECIMALS)
    assert_allclose(eigenvalues.max(), 161.26007999, rtol=0, atol=SEVEN_DECIMALS)
    assert_allclose(M, robot.mass_matrix(np.stack([0 * elbow + 1, elbow], axis=1)), rtol=1e-13)
    norms = np.abs(M).sum(axis=1).max(axis=1)  # the 1-norm
    front = np.abs(elbow) <= np.pi / 2 + 1e-9
    assert_allclose([norms[front].min(), norms.max(), norms.min()], [117.5, 192.5, 47.5])

    # ‖c‖₁ ≤ m₂ a₁ a_C2 ‖q̇‖₁² = 25 ‖q̇‖₁², attained
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-np.pi, np.pi, (2000, 2)), rng.normal(size=(2000, 2))
    c = np.abs(robot.velocity_torque(q, qd)).sum(axis=1)
    assert np.all(c <= 25 * np.abs(qd).sum(axis=1) ** 2 * (1 + ROUND_OFF))
    worst = robot.velocity_torque(np.array([0, np.pi / 2]), np.array([0, 1.0]))
    assert_allclose(np.abs(worst).sum(), 25, rtol=ROUND_OFF)

    # ‖g‖₁ ≤ 1226.25, at q = 0
    g = np.abs(robot.gravity_torque(q)).sum(axis=1)
    assert g.max() <= 1226.25
    assert_allclose(robot.gravity_torque(np.zeros(2)).sum(), 1226.25, rtol=ROUND_OFF)


def test_work_against_gravity_along_a_path_is_the_difference_of_potential_energy():
    """∫ gᵀ q̇ dt = P(end) − P(start), by Gauss–Legendre quadrature of a smooth path."""
    robot = qddot.load("ur5")
    a, b = np.linspace(-1, 1, 6), np.linspace(0.5, -1.5, 6)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    t = (nodes[:, None] + 1) / 2
    q, qd = a * np.sin(t) + b * t**2, a * np.cos(t) + 2 * b * t
    work = weights @ (robot.gravity_torque(q) * qd).sum(axis=1) / 2
    start, end = np.zeros(6), a * np.sin(1) + b
    gained = robot.potential_energy(end) - robot.potential_energy(start)
    assert_allclose(work, gained, rtol=1e-11)  # 40 nodes leave nothing to the quadrature


def test_a_rotor_behind_a_gear_weighs_the_square_of_the_gear():
    """Iₐ = gear² · rotor inertia, on the diagonal and nowhere else."""
    robot = qddot.load("two_link")
    motors = {"j1": Motor(2e-4, -50.0), "j2": Motor(3e-4, 20.0)}
    model = robot.model.with_joints(lambda joint: replace(joint, motor=motors[joint.name]))
    driven = qddot.Robot(model)
    added = driven.mass_matrix(Q) - robot.mass_matrix(Q)
    assert_close(added, np.diag([0.5, 0.12]))
    assert_allclose(driven.bias_torque(Q, QD), robot.bias_torque(Q, QD), rtol=ROUND_OFF)
    tau = driven.inverse_dynamics(Q, QD, QDD) - robot.inverse_dynamics(Q, QD, QDD)
    assert_close(tau, [0.5 * 1, 0.12 * 2])
    energy = driven.kinetic_energy(Q, QD) - robot.kinetic_energy(Q, QD)
    assert_close(energy, (0.5 * 0.25 + 0.12 * 0.04) / 2)
