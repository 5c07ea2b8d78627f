"""The decks' worked examples by closed-form Newton–Euler and by the explicit form.

Symbols are compared as polynomials, so equal means equal. Where the deck is misprinted, the
corrected formula is here, and the test says what was printed.
"""

import numpy as np
from blackboard import DERIVE, board, each_arm, equal, value
from complex_step import rate
from numpy.testing import assert_allclose

from qddot.dynamics.crba import mass_matrix
from qddot.equations.exact_tree import exact_robot
from qddot.formulations import coriolis, explicit, recursive, stacked, trace
from qddot.formulations.calculus import gradient
from qddot.model.folding import fold
from qddot.readers.read import read
from qddot.spatial.vector import skew

# Newton–Euler closed form: two links with point masses


def test_point_masses_have_the_decks_equation():
    """The angles are from the horizontal; k = m₂ L₁ L₂ sin θ₂."""
    b = board("two_link_point")
    (v1, v2), (c1, _), (_, s2), c2 = b.v, b.c, b.s, b.c[1]
    k = b("m2*L1*L2") * s2
    coupling = b("m2*L2**2") + b("m2*L1*L2") * c2
    for name in DERIVE:
        found = b.derive(name)
        M11 = b("m1*L1**2 + m2*L1**2 + m2*L2**2") + b("2*m2*L1*L2") * c2
        assert equal(found.M, [[M11, coupling], [coupling, b("m2*L2**2")]])
        assert equal(found.c, [-k * (2 * v1 * v2 + v2 * v2), k * v1 * v1])
        g2 = b("m2*g*L2") * b.c12
        assert equal(found.g, [b("(m1 + m2)*L1*g") * c1 + g2, g2])


def test_point_masses_have_the_decks_christoffel_symbols():
    """Γ₁ = [[0, −k], [−k, −k]], Γ₂ = [[k, 0], [0, 0]]: with Γ_ijk as printed, k is the output."""
    b = board("two_link_point")
    k = b("m2*L1*L2") * b.s[1]
    gamma = explicit.christoffel(gradient(lambda q: mass_matrix(b.tree, q), b.q))
    assert equal(gamma[0], [[0, -k], [-k, -k]])
    assert equal(gamma[1], [[k, 0], [0, 0]])
    c = [b.qd @ G @ b.qd for G in gamma]
    assert equal(c, b.derive("recursive").c)
    # read with the first index as the output, both components would be wrong
    wrong = [b.qd @ gamma[:, :, i] @ b.qd for i in range(2)]
    assert not any(x == y for x, y in zip(wrong, c, strict=True))


def test_point_masses_have_the_decks_u_and_three_coriolis_matrices():
    """The last entry of the third is −½; the deck prints +½, which gives another torque."""
    b = board("two_link_point")
    v1, v2 = b.v
    k = b("m2*L1*L2") * b.s[1]
    dM = gradient(lambda q: mass_matrix(b.tree, q), b.q)
    assert equal(coriolis.coupling(dM, b.qd), [[0, 0], [-(2 * v1 + v2) * k, -v1 * k]])
    found = coriolis.factorisations(b.tree, b.q, b.qd)
    assert equal(found["christoffel"], [[-v2 * k, -(v1 + v2) * k], [v1 * k, 0]])
    assert equal(found["half_rate_skew"], found["christoffel"])
    assert equal(found["newton_euler_christoffel"], found["christoffel"])
    assert equal(found["rate"], [[-2 * v2 * k, -v2 * k], [(v1 - v2 / 2) * k, v1 / 2 * k]])
    third = [[0, -(2 * v1 + v2) * k], [(v1 + v2 / 2) * k, -v1 / 2 * k]]
    assert equal(found["transposed"], third)
    printed = np.array([third[0], [third[1][0], v1 / 2 * k]])
    difference = printed @ b.qd - b.derive("recursive").c
    assert equal(difference, [0, k * v1 * v2])


@each_arm
def test_the_matrix_calculus_of_the_deck_is_that_of_the_stacked_derivatives(name):
    """Ṁ = (q̇ᵀ ⊗ I) ∂M/∂q and U = (I ⊗ q̇ᵀ) ∂M/∂q, with ∂M/∂q stacked (n² × n)."""
    robot = exact_robot(read(name))
    dM = gradient(lambda q: mass_matrix(robot.tree, q), robot.q)
    stack, one = np.concatenate(list(dM)), np.eye(robot.tree.n, dtype=int)
    row = robot.qd.reshape(1, -1)
    assert equal(coriolis.mass_rate(dM, robot.qd), np.kron(row, one) @ stack)
    assert equal(coriolis.coupling(dM, robot.qd), np.kron(one, row) @ stack)


@each_arm
def test_the_skew_form_of_the_deck_holds(name):
    """M q̈ + (½Ṁ + S) q̇ + G = τ with S skew and S q̇ = ½Ṁ q̇ − ½ ∂(q̇ᵀ M q̇)/∂q."""
    robot = exact_robot(read(name))
    dM = gradient(lambda q: mass_matrix(robot.tree, q), robot.q)
    Md, U = coriolis.mass_rate(dM, robot.qd), coriolis.coupling(dM, robot.qd)
    S = coriolis.skew_part(U)
    energy = gradient(lambda q: robot.qd @ mass_matrix(robot.tree, q) @ robot.qd, robot.q)
    assert equal(S, -S.T)
    assert equal(2 * (S @ robot.qd), Md @ robot.qd - energy)


def test_body_jacobians_are_the_twists_of_the_links():
    """[V] = T⁻¹ Ṫ with V = J q̇ and J = 𝓛𝓐, and M = Σ Jᵢᵀ 𝓖ᵢ Jᵢ."""
    tree = fold(read("stanford"))
    q, qd = np.random.default_rng(1).uniform(-2, 2, (2, 6))
    s = stacked.stack(tree, q)
    J = (s.L @ s.A).reshape(-1, 6, tree.n)
    for i, link in enumerate(trace.transforms(tree, q)):
        Td = rate(lambda x, i=i: trace.transforms(tree, x)[i].T, (q, qd))
        bracket = np.linalg.inv(np.asarray(link.T, float)) @ Td
        twist = J[i] @ qd
        assert_allclose(bracket[:3, :3], skew(twist[:3]), rtol=0, atol=1e-11)
        assert_allclose(bracket[:3, 3], twist[3:], rtol=0, atol=1e-11)
    G = [stacked.spatial_inertia(body.inertia) for body in tree.bodies]
    M = sum(Ji.T @ Gi @ Ji for Ji, Gi in zip(J, G, strict=True)) + np.diag(tree.rotor_inertia)
    assert_allclose(M, np.asarray(mass_matrix(tree, q), float), rtol=1e-10, atol=1e-12)


def test_the_closed_form_sums_what_the_series_sums():
    """𝓛 = (I − 𝓦)⁻¹ = I + 𝓦 + 𝓦² + …, exactly."""
    robot = exact_robot(read("stanford"))
    s = stacked.stack(robot.tree, robot.q)
    one = np.eye(len(s.W), dtype=int)
    assert equal((one - s.W) @ s.L, one)


@each_arm
def test_the_decks_h_and_s_give_the_velocity_torque_of_christoffels_symbols(name):
    """h_kji = ∂M_kj/∂q_i − ½∂M_ij/∂q_k, and S_k = ½(∂m_k/∂q + (∂m_k/∂q)ᵀ − ∂M/∂q_k) = Γ_k."""
    robot = exact_robot(read(name))
    n, qd = robot.tree.n, robot.qd
    dM = gradient(lambda q: mass_matrix(robot.tree, q), robot.q)  # [i, k, j]: ∂M_kj/∂q_i
    c = recursive.derive(robot.tree, robot.q, qd).c
    gamma = explicit.christoffel(dM)
    for k in range(n):
        h = [[dM[i, k, j] - dM[k, i, j] / 2 for i in range(n)] for j in range(n)]
        assert qd @ np.array(h, dtype=object) @ qd == c[k]
        slopes = dM[:, :, k].T  # ∂m_k/∂q
        S = (slopes + slopes.T - dM[k]) / 2
        assert equal(S, S.T)
        assert equal(S, gamma[k])


# the explicit form: revolute, prismatic


def test_the_rp_arm_has_the_decks_jacobians():
    b = board("rp")
    (s1, _), (c1, _), d2, l1 = b.s, b.c, b.q[1], b("l1")
    found = b.derive("explicit", "deck_s1")
    assert equal(value(found, "{}^0P_{C_1}"), [l1 * c1, l1 * s1, 0])
    assert equal(value(found, "{}^0P_{C_2}"), [d2 * c1, d2 * s1, 0])
    assert equal(value(found, "{}^0J_{V_1}"), [[-l1 * s1, 0], [l1 * c1, 0], [0, 0]])
    assert equal(value(found, "{}^0J_{V_2}"), [[-d2 * s1, c1], [d2 * c1, s1], [0, 0]])
    assert equal(value(found, r"{}^1J_{\omega_1}"), [[0, 0], [0, 0], [1, 0]])
    assert equal(value(found, r"{}^2J_{\omega_2}"), [[0, 0], [1, 0], [0, 0]])


def test_the_rp_arm_has_the_decks_matrices():
    """C = [[0, 0], [−m₂d₂, 0]], B = [2m₂d₂; 0]: b₁₂₁ as printed is b₂₁₁, and s₂ in G is s₁."""
    b = board("rp")
    (v1, v2), d2 = b.v, b.q[1]
    found = b.derive("explicit", "deck_s1")
    M11 = b("m1*l1**2 + Izz1 + Iyy2") + b("m2") * d2 * d2
    assert equal(found.M, [[M11, 0], [0, b("m2")]])
    assert value(found, "m_{112}") == 2 * b("m2") * d2
    assert value(found, "b_{112}") == b("m2") * d2
    assert value(found, "b_{211}") == -b("m2") * d2
    assert equal(value(found, "C"), [[0, 0], [-b("m2") * d2, 0]])
    assert equal(value(found, "B"), [[2 * b("m2") * d2], [0]])
    assert equal(found.c, [2 * b("m2") * d2 * v1 * v2, -b("m2") * d2 * v1 * v1])
    G = [b("m1*l1*g") * b.c[0] + b("m2*g") * d2 * b.c[0], b("m2*g") * b.s[0]]
    assert equal(found.g, G)
    for name in DERIVE:
        assert equal(b.derive(name).c, found.c)
        assert equal(b.derive(name).g, found.g)
