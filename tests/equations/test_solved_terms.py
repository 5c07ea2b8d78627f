"""M⁻¹, q̈ and the dynamics of a frame as exact quotients."""

import numpy as np
import pytest
import sympy
from long import long
from nearness import CANCELLED, DIVIDED, assert_near

import qddot
from qddot.equations.polynomial import at_most
from qddot.equations.quotient import adjugate, cancelled, determinant
from qddot.errors import BadArgument, TooLarge

ARM = qddot.derive(qddot.load("two_link_point_symbolic"))
ONES = dict(m1=1, m2=1, L1=1, L2=1, g=9.81)


def states(n, count):
    return np.random.default_rng(5).uniform(-1.5, 1.5, (count, n))


@pytest.mark.parametrize("name", ["two_link_symbolic", "rp_symbolic", "scara", *long("stanford")])
def test_the_inverse_of_M_is_exact(name):
    eqs = qddot.derive(qddot.load(name))
    inverse = eqs.M_inv
    product = np.asarray(eqs.M) @ np.asarray(inverse.numerator)
    identity = np.eye(eqs.n, dtype=int) * inverse.denominator
    assert not (product - identity).any()


def test_the_inverse_of_M_is_sympys():
    difference = ARM.sympy("M_inv") - ARM.sympy("M").inv()
    assert difference.applyfunc(sympy.simplify) == sympy.zeros(2, 2)


def test_accelerations_are_those_of_forward_dynamics():
    """With springs, dampers and viscous friction in them."""
    for name in ("double_pendulum", "mass_spring_damper", "scara"):
        arm = qddot.load(name).with_friction(viscous=0.3)
        eqs = qddot.derive(arm)
        q, qd, tau = states(arm.n, 3)
        expected = arm.forward_dynamics(q, qd, tau)
        assert_near(eqs.evaluate("qdd", q, qd, tau=tau), expected, tolerance=DIVIDED)
        assert_near(eqs.to_function("qdd")(q, qd, tau), expected, tolerance=DIVIDED)
    assert eqs.evaluate("qdd", q).shape == (4,)  # without torques


def test_common_factors_are_cancelled():
    ring = ARM.robot.ring
    s, c, m = ring.element("s", 0), ring.element("c", 0), ring.element("p", 0)
    found = cancelled(np.array([m * s, 2 * m * c, 0], dtype=object), m * m * (c + 2))
    assert found.denominator == m * (c + 2)
    assert (found.numerator == np.array([s, 2 * c, 0], dtype=object)).all()
    whole = cancelled(m * s, ring.constant(2))
    assert whole.denominator == 1
    assert whole.numerator == m * s / 2
    masses = qddot.derive(qddot.load("mass_spring_damper_symbolic")).M_inv
    assert masses.text() == "⎡1 / M1  0     ⎤\n⎣0       1 / M0⎦"
    swing = qddot.derive(qddot.load("pendulum_symbolic")).linearised([0])
    assert swing.text("A") == "⎡0           1     ⎤\n⎣−m g L / I  −d / I⎦"
    assert masses[1, 1].latex() == r"\frac{1}{M_{0}}"


def test_determinants_and_cofactors_are_exact():
    A = np.random.default_rng(1).integers(-9, 9, (5, 5)).astype(object)
    assert determinant(A) == sympy.Matrix(A).det()
    assert (adjugate(A) == np.array(sympy.Matrix(A).adjugate())).all()
    assert determinant(np.zeros((0, 0), dtype=object)) == 1


# the dynamics of a frame


def test_the_effective_mass_is_that_of_the_deck():
    """Point masses 1 on links of 1 m: diag(1, 2) at (0, 90°), [[4, −√3], [−√3, 2]] at (0, 150°)."""
    for degrees, expected in ((90, [[1, 0], [0, 2]]), (150, [[4, -(3**0.5)], [-(3**0.5), 2]])):
        q = np.radians([0, degrees])
        assert_near(ARM.evaluate("effective_mass", q, frame="tool", **ONES), expected)


def test_the_effective_mass_is_sympys():
    """J⁻ᵀ M J⁻¹, as Craig and Khatib have it."""
    J = ARM.sympy("jacobian", frame="tool")[3:5, :].inv()
    mine = ARM.sympy("effective_mass", frame="tool")
    theirs = J.T * ARM.sympy("M") * J
    state = dict(q1=0.3, q2=0.7, **ONES)
    assert_near(np.array(mine.subs(state), float), np.array(theirs.subs(state), float))


def test_the_dynamics_of_the_tip_are_craigs():
    """J. J. Craig, *Introduction to Robotics*, 3rd ed., example 6.6: in axes of the last link."""
    m1, m2, L1, L2, g, q1, q2, w1, w2 = sympy.symbols("m1 m2 L1 L2 g q1 q2 qd1 qd2")
    s2, c2 = sympy.sin(q2), sympy.cos(q2)
    mass = sympy.diag(m2 + m1 / s2**2, m2)
    along = (2 * m2 * L2 + m2 * L1 * c2 + m1 * L1 * c2 / s2**2) * w1 * w2
    velocity = sympy.Matrix(
        [
            -(m2 * L1 * c2 + m2 * L2) * w1**2 - m2 * L2 * w2**2 - along,
            m2 * L1 * s2 * w1**2 + m2 * L1 * s2 * w1 * w2,
        ]
    )
    c12, s12 = sympy.cos(q1 + q2), sympy.sin(q1 + q2)
    gravity = sympy.Matrix([m1 * g * sympy.cos(q1) / s2 + m2 * g * s12, m2 * g * c12])
    book = {"mass": mass, "velocity_force": velocity, "gravity_force": gravity}
    for name, theirs in book.items():
        mine = ARM.quantity(f"effective_{name}", frame="tool", axes="local")
        below = s2 if name == "gravity_force" else s2**2
        assert mine.denominator == below
        assert (mine.numerator == (theirs * below).expand()).all()
    assert ARM.text("effective_mass", frame="tool", axes="local").splitlines() == [
        "⎡(m1 + m2 − m2 c2²) / (1 − c2²)  0 ⎤",
        "⎣0                               m2⎦",
    ]


@pytest.mark.parametrize(
    ("name", "rows"),
    [("two_link", None), ("scara", None), ("rp", "vx,vy"), ("scara", "vx vy"), ("two_link", "vx")],
)
def test_forces_at_a_frame_obey_its_own_equation_of_motion(name, rows):
    """F = Λ ẍ + μ + p is what J⁻ᵀ, or Λ J M⁻¹, makes of τ = M q̈ + c + g."""
    arm = qddot.load(name).without("friction")
    eqs, (q, qd, qdd) = qddot.derive(arm), states(arm.n, 3)
    chosen = {"frame": "tool", "rows": rows}
    k = eqs._rows("tool", rows, square=False)[1]
    J, rate = arm.jacobian(q, "tool")[k], arm.jacobian_rate(q, qd, "tool")[k]
    mass = eqs.evaluate("effective_mass", q, **chosen)
    M = arm.mass_matrix(q)
    assert_near(mass, np.linalg.inv(J @ np.linalg.inv(M) @ J.T), tolerance=CANCELLED)
    mu = eqs.evaluate("effective_velocity_force", q, qd, **chosen)
    p = eqs.evaluate("effective_gravity_force", q, **chosen)
    force = mass @ (J @ qdd + rate @ qd) + mu + p
    tau = arm.inverse_dynamics(q, qd, qdd)
    assert_near(force, mass @ J @ np.linalg.solve(M, tau), tolerance=CANCELLED)
    if rows is None:
        whole = arm.effective_mass(q, "tool")[np.ix_(k, k)]
        assert mass.shape == whole.shape == (arm.n, arm.n)


def test_quotients_and_small_motions_have_the_letters_of_the_notation():
    eqs = qddot.derive(qddot.load("rp_symbolic"), notation="craig")
    for shown in (eqs.text("qdd"), repr(eqs.qdd), repr(eqs.qdd[0]), repr(eqs.linearised().A)):
        assert "d2" in shown
        assert "q2" not in shown
    assert r"\dot{\theta}_{1}" in eqs.qdd._repr_latex_()
    assert r"\theta_{1}" in eqs.linearised().latex("K", full=True)


# refusals


def test_what_is_too_long_is_refused_in_words():
    """As q̈ of a PUMA 560 is; of two links, where less work is allowed."""
    eqs = qddot.derive(qddot.load("two_link_symbolic"))
    words = r"The solution for q̈ of 'two_link_symbolic' is too long.*\n.*locked"
    with pytest.raises(TooLarge, match=words), at_most(20):
        _ = eqs.qdd
    assert eqs.qdd.shape == (2,)


def test_a_mass_matrix_that_is_singular_everywhere_has_no_inverse():
    with pytest.warns(qddot.errors.RobotWarning, match="mass matrix is singular"):
        arm = qddot.from_dh([{"a": 1, "mass": 1}, {"a": 1}], "standard")
    with pytest.raises(BadArgument, match="singular at every position"):
        _ = qddot.derive(arm).M_inv


def test_rows_that_depend_on_each_other_are_refused():
    stacked = qddot.from_dh([{"a": 1, "mass": 1}, {"a": 1, "mass": 1}], "standard")
    with pytest.raises(BadArgument, match="depend on each other at every position"):
        qddot.derive(stacked).effective_mass("tool", rows=["wz", "vz"])
    with pytest.raises(BadArgument, match="rows has 3 entries; give at most 2"):
        qddot.derive(stacked).effective_mass("tool", rows=["wz", "vx", "vy"])
