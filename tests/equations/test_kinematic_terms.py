"""Frames and points in closed form: the textbook's two-link arm, and the numbers of peers."""

import numpy as np
import pytest
import sympy
from long import long
from nearness import assert_near

import qddot
from qddot.equations.factors import factorised
from qddot.equations.polynomial import at_most
from qddot.errors import BadArgument, TooLarge

L1, L2, q1, q2, w1, w2, a1, a2 = sympy.symbols("L1 L2 q1 q2 qd1 qd2 qdd1 qdd2")
ARM = qddot.derive(qddot.load("two_link_point_symbolic"))
# where the tip is, which SymPy differentiates below
TIP = sympy.Matrix(
    [L1 * sympy.cos(q1) + L2 * sympy.cos(q1 + q2), L1 * sympy.sin(q1) + L2 * sympy.sin(q1 + q2), 0]
)


def in_time(x):
    """Return the derivative by time, with q̇ and q̈ symbols."""
    pairs = ((q1, w1), (q2, w2), (w1, a1), (w2, a2))
    return sum((x.diff(symbol) * rate for symbol, rate in pairs), 0 * x)


def test_the_tip_of_two_links_is_the_textbooks():
    J = TIP.jacobian([q1, q2])
    assert (ARM.position("tool") == TIP).all()
    assert (ARM.pose("tool")[:3, 3] == TIP).all()
    assert (ARM.jacobian("tool")[3:] == J).all()
    assert (ARM.jacobian("tool")[:3] == sympy.Matrix([[0, 0], [0, 0], [1, 1]])).all()
    assert (ARM.jacobian_rate("tool")[3:] == in_time(J)).all()
    assert (ARM.velocity("tool") == in_time(TIP)).all()
    assert (ARM.angular_velocity("tool") == sympy.Matrix([0, 0, w1 + w2])).all()
    assert (ARM.acceleration("tool") == in_time(in_time(TIP))).all()


def test_a_jacobian_has_the_axes_that_one_asks_for():
    R = sympy.Matrix(
        [[sympy.cos(q1 + q2), -sympy.sin(q1 + q2)], [sympy.sin(q1 + q2), sympy.cos(q1 + q2)]]
    )
    local = (R.T * TIP[:2, :].jacobian([q1, q2])).expand()
    assert (ARM.jacobian("tool", axes="local")[3:5] == local).all()
    base = sympy.Matrix([[0, L1 * sympy.sin(q1)], [0, -L1 * sympy.cos(q1)]])
    assert (ARM.jacobian("tool", axes="base")[3:5] == base).all()


def test_the_acceleration_is_split_as_in_the_deck():
    """At θ = (0, π/2): (−L1θ̇1², −L2θ̇1²), (0, −L2θ̇2²) and (0, −2L2θ̇1θ̇2), of no acceleration."""
    there = {q1: 0, q2: sympy.pi / 2}
    centripetal, coriolis, driven = (
        ARM.sympy(f"acceleration_{part}", frame="tool").subs(there)
        for part in ("centripetal", "coriolis", "from_qdd")
    )
    assert centripetal == sympy.Matrix([[-L1 * w1**2, 0], [-L2 * w1**2, -L2 * w2**2], [0, 0]])
    assert coriolis == sympy.Matrix([0, -2 * L2 * w1 * w2, 0])
    assert driven == sympy.Matrix([[-L2 * a1, -L2 * a2], [L1 * a1, 0], [0, 0]])
    numbers = {L1: 1, L2: 1, w1: 2, w2: 3}
    total = (centripetal + sympy.zeros(3, 2)) * sympy.ones(2, 1) + coriolis
    assert list(total.subs(numbers)) == [-4, -25, 0]


@pytest.mark.parametrize("name", ["stanford", *long("puma560")])
def test_the_parts_of_an_acceleration_add_up(name):
    eqs = qddot.derive(qddot.load(name))
    point = (0.1, 0.2, 0.3)
    parts = [getattr(eqs, f"acceleration_{k}") for k in ("from_qdd", "centripetal", "coriolis")]
    total = sum(part("tool", point).sum(axis=1) for part in parts)
    assert not any(total - eqs.acceleration("tool", point))


def test_a_point_may_have_symbols_of_its_own():
    x, y = sympy.symbols("x y")
    place = TIP + sympy.Matrix(
        [
            x * sympy.cos(q1 + q2) - y * sympy.sin(q1 + q2),
            x * sympy.sin(q1 + q2) + y * sympy.cos(q1 + q2),
            L2 / 2,
        ]
    )
    point = ("x", "y", "L2/2")
    assert (ARM.position("tool", point) == place).all()
    assert (ARM.acceleration("tool", point) == in_time(in_time(place))).all()
    assert (ARM.acceleration_coriolis("tool", point) == 2 * w1 * w2 * place.diff(q1).diff(q2)).all()
    values = dict(m1=1, m2=1, L1=1, L2=2, g=9.81)
    found = ARM.evaluate(
        "velocity", [0.3, 0.7], [0, 1], frame="tool", point=point, x=1, y=0, **values
    )
    assert_near(found, [-3 * np.sin(1), 3 * np.cos(1), 0])


@pytest.mark.parametrize("name", ["scara", *long("panda_hand", "puma560", "ur5")])
def test_frames_are_those_of_the_kernels(name):
    arm = qddot.load(name)
    eqs, (q, qd, qdd) = qddot.derive(arm), np.random.default_rng(1).uniform(-2, 2, (3, arm.n))
    found = eqs.evaluate("pose", q, frame=arm.tip)
    assert_near(found, arm.pose(q, arm.tip))
    for axes in ("world", "local", "base"):
        chosen = {"frame": arm.tip, "axes": axes}
        assert_near(eqs.evaluate("jacobian", q, **chosen), arm.jacobian(q, **chosen))
        assert_near(
            eqs.evaluate("jacobian_rate", q, qd, **chosen), arm.jacobian_rate(q, qd, **chosen)
        )
    point = [0.1, -0.2, 0.3]
    motion = arm.point_motion(q, qd, qdd, arm.tip, point)
    for quantity, expected in zip(("position", "velocity", "acceleration"), motion, strict=True):
        assert_near(eqs.evaluate(quantity, q, qd, qdd, frame=arm.tip, point=point), expected, 1)


def random_arm(seed, n=3):
    """Return an arm of joints that turn and slide, with angles of which some are not right."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "a": round(rng.uniform(-1, 1), 2),
            "d": round(rng.uniform(-1, 1), 2),
            "alpha": rng.choice([0, np.pi / 2, -np.pi / 2, 0.3]),
            "type": rng.choice(["revolute", "revolute", "prismatic"]).item(),
            "mass": round(rng.uniform(0.5, 2), 1),
            "com": rng.uniform(-0.1, 0.1, 3).round(2).tolist(),
        }
        for _ in range(n)
    ]
    return qddot.from_dh(rows, rng.choice(["standard", "modified"]).item())


@pytest.mark.parametrize("seed", range(6))
def test_frames_of_random_arms_are_those_of_the_kernels(seed):
    arm = random_arm(seed)
    eqs, (q, qd) = qddot.derive(arm), np.random.default_rng(1).uniform(-2, 2, (2, arm.n))
    J, frame = arm.jacobian(q, arm.tip), arm.tip
    assert_near(eqs.evaluate("pose", q, frame=frame), arm.pose(q, frame))
    assert_near(
        eqs.evaluate("jacobian_rate", q, qd, frame=frame), arm.jacobian_rate(q, qd, frame), J
    )
    wrench = np.arange(6.0)
    assert_near(eqs.evaluate("wrench_torque", q, frame=frame, wrench=wrench), J.T @ wrench)


# forces


def test_a_wrench_acts_through_the_transposed_jacobian():
    fx, fy, nz = sympy.symbols("fx fy nz")
    force = TIP[:2, :].jacobian([q1, q2]).T * sympy.Matrix([fx, fy])
    assert ARM.sympy("wrench_torque", frame="tool").expand(trig=True) - (
        force + sympy.Matrix([nz, nz])
    ).expand(trig=True) == sympy.zeros(2, 1)
    assert "fy (L1 c1 + L2 c12)" in ARM.text("wrench_torque", frame="tool")


def test_a_parameter_may_not_have_the_name_of_a_force():
    arm = qddot.from_dh([{"a": "fx", "mass": 1}], "standard")
    with pytest.raises(BadArgument, match=r"has a parameter 'fx'.*\n.*with_values\(fx=1\.0\)"):
        qddot.derive(arm).wrench_torque("tool")


# singularities


def test_det_J_of_two_and_three_links_has_the_textbooks_factors():
    """sin q2 = 0 of the planar arm; sin q3 = 0 and a2 c2 + a3 c23 = 0 of the elbow."""
    constant, factor = ARM.singularities("tool")
    assert constant == L1 * L2
    assert factor == sympy.sin(q2)
    elbow = qddot.from_dh(
        [
            {"d": "d1", "alpha": "pi/2", "mass": "m1"},
            {"a": "a2", "mass": "m2"},
            {"a": "a3", "mass": "m3"},
        ],
        "standard",
    )
    A2, A3, q3 = sympy.symbols("a2 a3 q3")
    found = qddot.derive(elbow).singularities("tool")
    assert (found == [-A2 * A3, sympy.sin(q3), A2 * sympy.cos(q2) + A3 * sympy.cos(q2 + q3)]).all()


@pytest.mark.parametrize(
    ("name", "count"), [("scara", 2), ("ur5", 4), *long(("stanford", 5), ("puma560", 4))]
)
def test_the_product_of_the_factors_is_det_J(name, count):
    """Of six joints too: wrist, elbow and shoulder of PUMA 560 and UR5 are one factor each."""
    arm = qddot.load(name)
    eqs, q = qddot.derive(arm), np.random.default_rng(2).uniform(-2, 2, arm.n)
    J = arm.jacobian(q, "tool")
    moving = np.abs(J).max(axis=1) > 1e-9
    found = eqs.evaluate("singularities", q, frame="tool")
    assert len(found) == count
    np.testing.assert_allclose(found.prod(), np.linalg.det(J[moving]), rtol=1e-11)


def test_factors_of_products_are_found():
    """What is multiplied out is found again."""
    ring = ARM.robot.ring
    s, c, q = ([ring.element(letter, i) for i in range(2)] for letter in "scq")
    parts = [s[0], c[1] + 2 * s[1] * c[0], s[0] * c[1] + c[0] * s[1], 3 * c[0] + q[1], s[0]]
    product = parts[0]
    for part in parts[1:]:
        product = product * part
    found = factorised(product)
    assert len(found) == 1 + len(parts)
    total = found[0]
    for part in found[1:]:
        total = total * part
    assert not total - product


def test_which_rows_make_J_square_is_asked_where_it_is_not_plain():
    pendulum = qddot.derive(qddot.load("pendulum_symbolic"))
    with pytest.raises(BadArgument, match="3 rows that are not zero, wz, vx, vy, and 1 columns"):
        pendulum.singularities("tool")
    assert (pendulum.singularities("tool", rows="vx")[-1]) == sympy.cos(q1)
    with pytest.raises(BadArgument, match="rows has 1 entries; give 2 different"):
        ARM.singularities("tool", rows="vx")
    with pytest.raises(BadArgument, match="rows is 'vq'"):
        ARM.singularities("tool", rows=["vx", "vq"])


def test_a_determinant_that_is_too_long_is_refused_in_words():
    eqs = qddot.derive(qddot.load("scara"))
    with pytest.raises(TooLarge, match=r"det J of 'scara' is too long"), at_most(20):
        eqs.singularities("tool")
