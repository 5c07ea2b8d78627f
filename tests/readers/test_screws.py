"""Products of exponentials against Lynch and Park's own formulas and numbers, and Pinocchio."""

import math

import modern_robotics as mr
import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import assert_close, assert_near
from strategies import seeds

import qddot
from qddot.dynamics.kinematics import pose
from qddot.dynamics.rnea import rigid_body_torque
from qddot.errors import BadArgument, BadRobot, QddotError
from qddot.readers.document import read_document
from qddot.scalars.expressions import symbol

UPRIGHT = mr.pose(np.eye(3), [0, 0, 0])


def turned(rng):
    """Return a pose anywhere, in any direction."""
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return mr.pose(Q * np.linalg.det(Q), rng.uniform(-1, 1, 3))


def spatial_inertia(rng, com):
    """Return G of a cloud of points around a centre of mass, about the frame's origin."""
    r, m = rng.normal(size=(6, 3)) / 5, rng.uniform(0.1, 1, 6)
    r = r - m @ r / m.sum() + com
    H = mr.hat(m @ r)
    I = sum(mass * (at @ at * np.eye(3) - np.outer(at, at)) for mass, at in zip(m, r, strict=True))
    return np.block([[I, H], [-H, m.sum() * np.eye(3)]])


def screw(rng, kind):
    w, p = rng.normal(size=3), rng.uniform(-1, 1, 3)
    w = w / np.linalg.norm(w)
    if kind == "prismatic":
        return np.r_[0, 0, 0, w]
    return np.r_[w, -np.cross(w, p) + (0.2 * w if kind == "screw" else 0)]


@pytest.fixture(scope="module")
def ur5():
    with pytest.warns(qddot.RobotWarning, match="link5.*that of a body of radius 0.424 m"):
        return qddot.from_screws(mr.UR5_S, mr.UR5_M, mr.UR5_G, relative=True, name="ur5")


def test_the_ur5_of_modern_robotics_moves_as_its_formulas_say(ur5):
    q, qd, qdd, F = np.random.default_rng(0).uniform(-2, 2, (4, 6))
    T = mr.forward_kinematics(q, mr.UR5_M, mr.UR5_S)
    assert_close(ur5.pose(q, "tool"), T)
    expected = mr.inverse_dynamics(q, qd, qdd, (0, 0, -9.81), F, mr.UR5_M, mr.UR5_G, mr.UR5_S)
    R = T[:3, :3]  # F is what the tip applies, in its own axes
    wrench = -np.r_[R @ F[:3], R @ F[3:]]
    assert_near(ur5.inverse_dynamics(q, qd, qdd, wrenches={"tool": wrench}), expected)


def test_the_numbers_that_modern_robotics_prints():
    """`InverseDynamics` of its software; the first axis there has the length √2, so θ₁ is q₁/√2."""
    M = [*mr.UR5_M[:3], mr.pose(np.eye(3), [0, 0, 0.14225])]
    G = [
        mr.inertia(0.010267, 0.010267, 0.00666, 3.7),
        mr.inertia(0.22689, 0.22689, 0.0151074, 8.393),
        mr.inertia(0.0494433, 0.0494433, 0.004095, 2.275),
    ]
    S = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]])
    with pytest.raises(BadRobot, match=r"screw\[0\]: the length of its ω is 1\.41421\. .* divide"):
        qddot.from_screws(S, M, G, relative=True)
    long = np.array([math.sqrt(2), 1, 1])
    arm = qddot.from_screws(S / long[:, None], M, G, relative=True, gravity=(0, 0, -9.8))
    q, qd, qdd = long * [[0.1, 0.1, 0.1], [0.1, 0.2, 0.3], [2, 1.5, 1]]
    R = arm.pose(q, "tool")[:3, :3]
    wrench = -np.r_[R @ np.ones(3), R @ np.ones(3)]
    tau = long * arm.inverse_dynamics(q, qd, qdd, wrenches={"tool": wrench})
    assert np.allclose(tau, [74.69616155, -33.06766016, -3.23057314], rtol=0, atol=5e-9)


@examples(15)
@given(seeds, st.lists(st.sampled_from(["revolute", "prismatic", "screw"]), min_size=1, max_size=4))
def test_any_chain_of_screws_moves_as_their_formulas_say(seed, kinds):
    rng = np.random.default_rng(seed)
    S = np.array([screw(rng, kind) for kind in kinds])
    M = [turned(rng) for _ in range(len(kinds) + 1)]
    G = [spatial_inertia(rng, rng.uniform(-0.3, 0.3, 3)) for _ in kinds]
    arm = qddot.from_screws(S, M, G, relative=True)
    assert [joint.kind for joint in arm.model.free_joints] == kinds
    q, qd, qdd = rng.uniform(-2, 2, (3, len(kinds)))
    T = mr.forward_kinematics(q, M, S)
    assert_close(pose(arm.tree, q, "tool").matrix(), T)
    tau = mr.inverse_dynamics(q, qd, qdd, (0, 0, -9.81), np.zeros(6), M, G, S)
    assert_near(rigid_body_torque(arm.tree, q, qd, qdd), tau)


def test_pinocchio_has_the_same_ur5(ur5):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pin) is not installed")
    model, home, before = pin.Model(), np.eye(4), np.zeros(3)
    for i, (S, M, G) in enumerate(zip(mr.UR5_S, mr.UR5_M, mr.UR5_G, strict=False)):
        home, point = home @ M, np.cross(S[:3], S[3:])
        place = pin.SE3(np.eye(3), point - before)
        joint = pin.JointModelRevoluteUnaligned(S[:3])
        at = model.addJoint(i, joint, place, f"j{i}")
        frame = pin.SE3(home[:3, :3], home[:3, 3] - point)
        model.appendBodyToJoint(at, pin.Inertia(G[3, 3], np.zeros(3), G[:3, :3]), frame)
        before = point
    data = model.createData()
    q, qd, qdd = np.random.default_rng(1).uniform(-2, 2, (3, 6))
    assert_near(ur5.inverse_dynamics(q, qd, qdd), pin.rnea(model, data, q, qd, qdd))


# round trips


def test_the_ur5_gives_back_what_it_was_made_of(ur5):
    found = ur5.screws()
    assert_close(found.space, mr.UR5_S)
    assert_close(found.steps, np.array(mr.UR5_M))
    assert_close(found.inertias, np.array(mr.UR5_G))
    assert_close(found.home[5], np.linalg.multi_dot(mr.UR5_M[:6]))


@pytest.mark.parametrize("name", ["panda", "stanford", "puma560"])
@pytest.mark.parametrize("axes", ["space", "body"])
def test_a_robot_is_the_same_from_its_screws(name, axes):
    robot = qddot.load(name).without("friction", "rotor_inertia")
    found = robot.screws()
    home = [*found.home, found.tool]
    again = qddot.from_screws(getattr(found, axes), home, found.inertias, axes=axes)
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, robot.n))
    assert_near(again.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))
    assert_close(again.pose(q, "tool"), robot.pose(q, robot.tip))


def test_a_robot_that_branches_has_no_product_of_exponentials():
    with pytest.raises(BadArgument, match="one chain whose joints move by themselves"):
        qddot.load("panda_hand").screws()


# symbols


def two_link():
    """Return Lynch and Park's planar arm with point masses at the tips (8.1.1)."""
    L1, L2, m1, m2, g = sp.symbols("L1 L2 m1 m2 g")
    S = sp.Matrix([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -L1, 0]])
    M = [sp.eye(4), sp.eye(4)]
    M[0][0, 3], M[1][0, 3] = L1, L1 + L2
    G = [sp.diag(0, 0, 0, m, m, m) for m in (m1, m2)]
    return qddot.from_screws(S, M, G, gravity=(0, -g, 0))


def test_the_two_link_arm_of_the_book_in_symbols():
    arm = two_link()
    M = qddot.derive(arm).sympy("M")
    L1, L2, m1, m2, q2 = sp.symbols("L1 L2 m1 m2 q2")
    m11 = m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * sp.cos(q2) + L2**2)
    m12 = m2 * (L1 * L2 * sp.cos(q2) + L2**2)
    M = sp.Matrix(M).xreplace({s: sp.Symbol(s.name) for s in sp.Matrix(M).free_symbols})
    assert sp.expand(M - sp.Matrix([[m11, m12], [m12, m2 * L2**2]])) == sp.zeros(2)


def test_symbols_come_back_exactly():
    found = two_link().screws()
    L1, m2 = symbol("L1"), symbol("m2")
    assert found.space.tolist() == [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -L1, 0]]
    assert found.home[1][:, 3].tolist() == [L1 + symbol("L2"), 0, 0, 1]
    assert found.inertias[1].tolist() == np.diag([0, 0, 0, m2, m2, m2]).tolist()
    assert found.body[0].tolist() == [0, 0, 1, 0, L1 + symbol("L2"), 0]


def test_lengths_that_were_typed_are_subtracted_as_decimals(ur5):
    assert ur5.model.joints[5].origin.xyz == (0.39225, 0, 0)  # 0.81725 − 0.425


# files and mistakes


def test_rows_of_a_file_are_the_same_arm(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_text("""
gravity = [0, "-g", 0]
tool = { xyz = ["L1 + L2", 0, 0], rpy = [0, 0, 0] }
[[screw]]
space = [0, 0, 1, 0, 0, 0]
xyz = ["L1", 0, 0]
mass = "m1"
[[screw]]
body = [0, 0, 1, 0, "L2", 0]
xyz = ["L1 + L2", 0, 0]
mass = "m2"
limits = { lower = "-90deg", upper = "90deg" }
""")
    arm = qddot.load(file)
    assert qddot.derive(arm).M.tolist() == qddot.derive(two_link()).M.tolist()
    assert arm.limits.upper[1] == pytest.approx(math.pi / 2)


TURN = [0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([TURN], [UPRIGHT] * 3), "home has 3 poses; give 1, one per link, or 2 with the tool's"),
        (([TURN], [UPRIGHT], [{}, {}]), "inertias has 2 entries; give 1"),
        ((np.array([TURN, TURN]).T, [UPRIGHT] * 6), "as in Modern Robotics, screws.T"),
        (([TURN], [np.eye(3)]), "home[0] is not a 4×4 matrix"),
        (([TURN], [2 * UPRIGHT]), "home[0] is no pose"),
        (([TURN], [UPRIGHT], [np.eye(5)]), "inertias[0] is not a 6×6 matrix"),
        (
            ([TURN], [UPRIGHT], [np.diag([1, 1, 1, 1, 1, 2])]),
            "inertias[0] is no spatial inertia",
        ),
        (([[0, 0, 1, 0, 0, "x y"]], [UPRIGHT]), "screws[0]: 'x y' is not a number or a formula"),
        (([[0, 0, 2, 0, 0, 0]], [UPRIGHT]), "the length of its ω is 2"),
        (([[0, 0, 0, 0, 0, 0]], [UPRIGHT]), "the length of its v is 0"),
        (([[0, 0, "a", 0, 0, 0]], [UPRIGHT]), "A screw axis has |ω| = 1"),
        ((5, [UPRIGHT]), "screws is 5; give a list"),
    ],
)
def test_what_is_no_screw_pose_or_inertia_is_refused_in_words(given, words):
    with pytest.raises(QddotError) as error:
        qddot.from_screws(*given)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({}, "it has no screw axis"),
        ({"space": TURN, "body": TURN}, "it has both space and body"),
        ({"body": TURN}, "there is no tool in whose frame it is"),
        ({"space": TURN, "type": "prismatic"}, "type: the screw axis says it already"),
    ],
)
def test_rows_that_do_not_say_how_they_move_are_refused(row, words):
    with pytest.raises(BadRobot, match=words):
        read_document({"screw": [row]}, "arm")


def test_axes_are_of_the_base_or_of_the_tool():
    with pytest.raises(BadArgument, match="axes is 'tool'; it must be 'space' or 'body'"):
        qddot.from_screws([TURN], [UPRIGHT], axes="tool")


def test_a_symbolic_rotation_is_refused():
    c, s = sp.cos(sp.Symbol("a")), sp.sin(sp.Symbol("a"))
    M = sp.Matrix([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    with pytest.raises(BadArgument, match=r"rotation of home\[0\] holds symbols"):
        qddot.from_screws([TURN], [M])


def test_jacobians_are_those_of_the_book(ur5):
    q = np.random.default_rng(3).uniform(-2, 2, 6)
    T, columns = np.eye(4), []
    for S, x in zip(mr.UR5_S, q, strict=True):
        columns.append(mr.Ad(T) @ S)  # (5.11)
        T = T @ mr.exp6(S, x)
    space = np.array(columns).T
    assert_close(ur5.jacobian(q, "tool", axes="base"), space)
    to_tool = np.linalg.inv(mr.forward_kinematics(q, mr.UR5_M, mr.UR5_S))
    assert_close(ur5.jacobian(q, "tool", axes="local"), mr.Ad(to_tool) @ space)
