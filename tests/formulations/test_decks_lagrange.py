"""The decks' worked examples from their energies: pendulums, an arm, masses on a spring.

Symbols are compared as polynomials, so equal means equal. Where the deck is misprinted, the
corrected formula is here, and the test says what was printed.
"""

from dataclasses import replace

from blackboard import DERIVE, board, equal, value

from qddot.equations.exact_tree import exact_robot
from qddot.formulations import coriolis, lagrange, stacked
from qddot.readers.read import read
from qddot.scalars.reader import read_formula

# Euler–Lagrange: pendulum, arm of two links


def test_the_pendulum_has_the_decks_equation():
    """I θ̈ + d θ̇ + m g L sin θ = τ, from ½Iθ̇² − P; zero height is the hinge."""
    b = board("pendulum")
    found = b.derive("lagrange")
    assert value(found, "K_1") == b("I/2") * b.v[0] * b.v[0]
    assert value(found, "P_1") == -b("m*g*L") * b.c[0]
    assert value(found, r"p_1 = \partial L/\partial\dot q_1") == b("I") * b.v[0]
    assert value(found, r"\partial L/\partial q_1") == -b("m*g*L") * b.s[0]
    assert value(found, r"\partial D/\partial\dot q_1") == b("d") * b.v[0]
    for name in DERIVE:
        terms = b.derive(name)
        assert equal(terms.M, [[b("I")]])
        assert equal(terms.c, [0])
        assert equal(terms.g, [b("m*g*L") * b.s[0]])


def test_the_two_link_arm_has_the_decks_energies():
    b = board("two_link")
    (v1, v2), c2 = b.v, b.c[1]
    found = b.derive("lagrange")
    square = b("a1**2") * v1 * v1 + b("aC2**2") * (v1 + v2) ** 2
    square = square + b("2*a1*aC2") * c2 * (v1 * v1 + v1 * v2)
    assert value(found, "K_1") == b("(m1*aC1**2 + I1)/2") * v1 * v1
    assert value(found, "K_2") == b("m2/2") * square + b("I2/2") * (v1 + v2) ** 2
    assert value(found, "P_1") == b("m1*g*aC1") * b.s[0]
    assert value(found, "P_2") == b("m2*g*a1") * b.s[0] + b("m2*g*aC2") * b.s12
    v_C2 = [
        -b("a1") * b.s[0] * v1 - b("aC2") * b.s12 * (v1 + v2),
        b("a1") * b.c[0] * v1 + b("aC2") * b.c12 * (v1 + v2),
        0,
    ]
    assert equal(value(found, "v_{C_2}"), v_C2)


def test_the_two_link_arm_has_the_decks_jacobians():
    b = board("two_link")
    (s1, _), (c1, _), s12, c12 = b.s, b.c, b.s12, b.c12
    a1, aC1, aC2 = b("a1"), b("aC1"), b("aC2")
    found = b.derive("explicit", "deck_s1")
    J_v2 = [[-a1 * s1 - aC2 * s12, -aC2 * s12], [a1 * c1 + aC2 * c12, aC2 * c12], [0, 0]]
    assert equal(value(found, "{}^0J_{V_1}"), [[-aC1 * s1, 0], [aC1 * c1, 0], [0, 0]])
    assert equal(value(found, "{}^0J_{V_2}"), J_v2)
    assert equal(value(found, r"{}^1J_{\omega_1}"), [[0, 0], [0, 0], [1, 0]])
    assert equal(value(found, r"{}^2J_{\omega_2}"), [[0, 0], [0, 0], [1, 1]])


def test_the_two_link_arm_has_the_decks_equation():
    """h = −m₂a₁a_C₂S₂ and C = [[hθ̇₂, h(θ̇₁ + θ̇₂)], [−hθ̇₁, 0]]."""
    b = board("two_link")
    (v1, v2), c2 = b.v, b.c[1]
    h = -b("m2*a1*aC2") * b.s[1]
    M22 = b("m2*aC2**2 + I2")
    M12 = M22 + b("m2*a1*aC2") * c2
    M11 = b("m1*aC1**2 + I1 + m2*a1**2") + M22 + b("2*m2*a1*aC2") * c2
    g2 = b("m2*g*aC2") * b.c12
    for name in DERIVE:
        found = b.derive(name)
        assert equal(found.M, [[M11, M12], [M12, M22]])
        assert equal(found.c, [h * (2 * v1 * v2 + v2 * v2), -h * v1 * v1])
        assert equal(found.g, [b("(m1*aC1 + m2*a1)*g") * b.c[0] + g2, g2])
    C = coriolis.factorisations(b.tree, b.q, b.qd)["christoffel"]
    assert equal(C, [[h * v2, h * (v1 + v2)], [-h * v1, 0]])
    N = stacked.mass_matrix_rate(b.tree, b.q, b.qd) - 2 * C
    assert equal(N, [[0, -2 * h * v1 - h * v2], [2 * h * v1 + h * v2, 0]])


# Lagrange with a dissipation function: double pendulum, masses on a spring


def test_the_double_pendulum_has_the_decks_energies():
    """The angles are from the vertical, with P = −m g d cos θ."""
    b = board("double_pendulum")
    (v1, v2), (c1, c2) = b.v, b.c
    found = b.derive("lagrange")
    assert value(found, "K_1") == b("m1*d1**2/2") * v1 * v1
    assert value(found, "P_1") == -b("m1*g*d1") * c1
    square = b("d1**2") * v1 * v1 + b("d2**2") * (v1 + v2) ** 2
    square = square + b("2*d1*d2") * c2 * (v1 * v1 + v1 * v2)
    assert value(found, "K_2") == b("m2/2") * square
    assert value(found, "P_2") == -b("m2*g*d1") * c1 - b("m2*g*d2") * b.c12
    K, P = (sum(value(found, f"{letter}_{i}") for i in (1, 2)) for letter in "KP")
    assert value(found, "L") == K - P
    assert value(found, "D") == b("c1/2") * v1 * v1 + b("c2/2") * v2 * v2


def test_the_double_pendulum_has_the_decks_named_terms():
    """Effective and coupling inertia D_ij, centripetal D_ijj, Coriolis D_ijk, gravity D_i."""
    b = board("double_pendulum")
    k = b("m2*d1*d2") * b.s[1]
    found = b.derive("trace", "deck_s2")
    D12 = b("m2*d2**2") + b("m2*d1*d2") * b.c[1]
    terms = {
        "D_{11}": b("(m1 + m2)*d1**2 + m2*d2**2") + b("2*m2*d1*d2") * b.c[1],
        "D_{22}": b("m2*d2**2"),
        "D_{12}": D12,
        "D_{21}": D12,
        "h_{111}": 0,
        "h_{122}": -k,
        "h_{211}": k,
        "h_{222}": 0,
        "h_{112}": -k,
        "h_{121}": -k,
        "h_{212}": 0,
        "h_{221}": 0,
        "C_1": b("(m1 + m2)*g*d1") * b.s[0] + b("m2*g*d2") * b.s12,
        "C_2": b("m2*g*d2") * b.s12,
    }
    for name, term in terms.items():
        assert value(found, name) == term


def test_the_rate_of_a_momentum_is_not_twice_the_velocity_torque():
    """d/dt ∂L/∂q̇ = A + B at q̈ = 0, with c = A and ∂K/∂q = B; the deck merges them into 2A."""
    b = board("double_pendulum")
    v1, v2 = b.v
    k = b("m2*d1*d2") * b.s[1]
    found = b.derive("lagrange")
    A, B = k * v1 * v1, -k * v1 * (v1 + v2)
    inertial = found.M[1] @ b.robot.qdd
    assert value(found, r"\frac{d}{dt}(\partial L/\partial\dot q_2)") == inertial + A + B
    assert value(found, r"\partial L/\partial q_2") == B - b("m2*g*d2") * b.s12
    assert found.c[1] == A
    assert A + B != 2 * A


def test_the_double_pendulum_with_friction_has_the_decks_equation():
    """d/dt ∂K/∂θ̇ + ∂D/∂θ̇ − ∂K/∂θ + ∂P/∂θ = T: the deck's first line has −∂P/∂θ."""
    b = board("double_pendulum")
    (v1, v2), (a1, a2) = b.v, b.robot.qdd
    k, coupling = b("m2*d1*d2") * b.s[1], b("m2*d2**2") + b("m2*d1*d2") * b.c[1]
    D11 = b("(m1 + m2)*d1**2 + m2*d2**2") + b("2*m2*d1*d2") * b.c[1]
    G2 = b("m2*g*d2") * b.s12
    T1 = D11 * a1 + coupling * a2 - k * (2 * v1 * v2 + v2 * v2) + b("c1") * v1
    T1 = T1 + b("(m1 + m2)*g*d1") * b.s[0] + G2
    T2 = coupling * a1 + b("m2*d2**2") * a2 + k * v1 * v1 + b("c2") * v2 + G2
    for name in DERIVE:
        T = b.derive(name).torque(b.robot.qdd) + lagrange.damping_torque(b.tree, b.qd)
        assert equal(T, [T1, T2])


def test_masses_on_a_spring_have_the_decks_equation():
    """M ẍ + C ẋ + K x = F + M g, downwards; the second line has −c(ẋ₁ − ẋ₀), printed +."""
    b = board("mass_spring_damper")
    (x1, x0), (v1, v0), (a1, a0) = b.q, b.v, b.robot.qdd
    M1, M0, c, k = b("M1"), b("M0"), b("c"), b("k")
    found = b.derive("lagrange")
    assert value(found, "K_1") + value(found, "K_2") == M1 / 2 * v1 * v1 + M0 / 2 * v0 * v0
    assert value(found, "D") == c / 2 * (v1 - v0) * (v1 - v0)
    gravity = -b("M1*g") * x1 - b("M0*g") * x0
    assert value(found, "P_1") + value(found, "P_2") == gravity
    assert value(found, "P_s") == k / 2 * (x1 - x0) * (x1 - x0)
    assert equal(found.M, [[M1, 0], [0, M0]])
    resisting = lagrange.elastic_torque(b.tree, b.q) + lagrange.damping_torque(b.tree, b.qd)
    pull = c * (v1 - v0) + k * (x1 - x0)
    assert equal(resisting, [pull, -pull])
    F = found.torque(b.robot.qdd) + resisting
    assert equal(F, [M1 * a1 + pull - b("M1*g"), M0 * a0 - pull - b("M0*g")])


def test_a_single_mass_on_a_spring_has_the_decks_equation():
    """With x₀ = 0: M₁ ẍ₁ + c ẋ₁ + k x₁ = F + M₁ g."""
    model = read("mass_spring_damper_symbolic")
    held = model.with_joints(lambda j: replace(j, locked=0) if j.name == "x0" else j)
    robot = exact_robot(held)
    p = lambda text: robot.ring.scalar(read_formula(text))  # noqa: E731
    (x,), (v,), (a,) = robot.q, robot.qd, robot.qdd
    found = lagrange.derive(robot.tree, robot.q, robot.qd)
    resisting = lagrange.elastic_torque(robot.tree, robot.q)
    resisting = resisting + lagrange.damping_torque(robot.tree, robot.qd)
    F = found.torque(robot.qdd) + resisting
    assert equal(F, [p("M1") * a + p("c") * v + p("k") * x - p("M1*g")])
