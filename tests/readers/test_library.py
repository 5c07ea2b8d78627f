"""The built-in robots: complete, possible, and the textbooks' numbers."""

import math
import tomllib
import warnings
from dataclasses import replace

import numpy as np
import pytest
from nearness import assert_close
from textbook_numbers import NUMBERS, QD, QDD, TEN_DECIMALS, Q

import qddot
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.kinematics import pose
from qddot.dynamics.rnea import gravity_torque, rigid_body_torque
from qddot.errors import QddotError
from qddot.model import Model
from qddot.model.folding import fold
from qddot.readers import read
from qddot.readers.document import read_document
from qddot.readers.read import built_in_names, library
from qddot.spatial.inertia import symmetric, why_impossible
from qddot.writers.toml import to_toml

GOLDEN = 6e-5  # the PUMA's with four

REAL = (
    *("panda", "panda_hand", "ur3", "ur5", "ur10", "iiwa14", "puma560", "stanford"),
    *("kinova_jaco", "xarm7", "z1", "so101", "scara", "baxter"),
)
# of each textbook robot, the symbols of its deck
TEXTBOOK = {
    "two_link_point": {"m1", "m2", "L1", "L2", "g"},
    "two_link_cylinders": {"m1", "m2", "L1", "L2", "r", "g"},
    "two_link": {"m1", "m2", "I1", "I2", "a1", "a2", "aC1", "aC2", "d1", "d2", "g"},
    "two_link_motors": {
        *("a1", "a2", "l1", "l2", "ml1", "ml2", "Il1", "Il2"),
        *("kr1", "kr2", "mm1", "mm2", "Im1", "Im2", "g"),
    },
    "rp": {"m1", "m2", "l1", "Izz1", "Iyy2", "g"},
    "pendulum": {"m", "L", "I", "d", "g"},
    "double_pendulum": {"m1", "m2", "d1", "d2", "c1", "c2", "g"},
    "mass_spring_damper": {"M1", "M0", "c", "k", "g"},
}
# published numbers that are doubted, and rightly: see the robot's description
DOUBTED = {"ur5": {"link 'wrist_2_link'", "link 'wrist_3_link'"}}
DOFS = {"baxter": 15, "iiwa14": 7, "kinova_jaco": 6, "panda": 7, "panda_hand": 8, "puma560": 6}
DOFS |= {"scara": 4, "so101": 6, "stanford": 6, "ur10": 6, "ur3": 6, "ur5": 6, "xarm7": 7, "z1": 7}

QN = np.array([0, math.pi / 4, -math.pi, 0, math.pi / 4, 0])  # the PUMA's nominal pose


def middle(model: Model) -> np.ndarray:
    """The middle of each joint's range; a little off zero where it turns without end."""
    ends = [(joint.limits.lower, joint.limits.upper) for joint in model.free_joints]
    return np.array([0.3 if a is None else (float(a) + float(b)) / 2 for a, b in ends])


def test_a_built_in_robot_is_read_once_and_nobody_can_spoil_it():
    robot = qddot.load("two_link")
    assert qddot.load("two_link").model is robot.model
    robot.values["m1"] = 99
    assert qddot.load("two_link").values["m1"] != 99
    assert read("two_link_symbolic") is read("two_link_symbolic")
    assert read("two_link_symbolic").name == "two_link_symbolic"


def test_the_library_holds_these_robots():
    assert sorted(library()) == sorted([*REAL, *TEXTBOOK])


@pytest.mark.parametrize("name", built_in_names())
def test_every_built_in_robot_loads_with_no_more_doubts_than_it_admits(name):
    model = read(name)
    problems = [p for p in model.warnings if p.severity != "note"]
    assert all(p.severity == "warning" for p in problems)
    assert {p.place for p in problems} == DOUBTED.get(name, set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what is doubtful is in the description, not in the way
        assert qddot.load(name).model == model


@pytest.mark.parametrize("name", library())
def test_every_built_in_robot_says_what_it_is_and_where_its_figures_are_from(name):
    model = read(name)
    assert model.name == name
    assert len(model.description) > 40
    assert len(model.source) > 20
    assert model.licence
    assert "tool" in model.frame_names


@pytest.mark.parametrize("name", built_in_names())
def test_every_built_in_robot_can_be_written_and_read_again(name):
    model = read(name)
    assert read_document(tomllib.loads(to_toml(model)), "another") == model


@pytest.mark.parametrize("name", library())
def test_every_link_is_a_possible_body(name):
    for link in read(name).links:
        inertia = [float(x) for x in link.inertial.inertia]
        assert why_impossible(float(link.inertial.mass), symmetric(inertia)) is None, link.name


@pytest.mark.parametrize("name", REAL)
def test_the_mass_matrix_of_a_real_robot_is_symmetric_and_positive_definite(name):
    model = read(name)
    M = np.array(mass_matrix(fold(model), middle(model)), dtype=float)
    assert model.n == DOFS[name]
    assert_close(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0


@pytest.mark.parametrize("name", REAL)
def test_every_real_robot_has_limits(name):
    for joint in read(name).joints:
        limited = joint.limits.lower is not None and joint.limits.upper is not None
        assert limited or joint.kind in ("continuous", "fixed"), joint.name


@pytest.mark.parametrize("name", REAL)
def test_right_angles_are_exact(name):
    """Else every entry of the equations carries terms of 1e-12 that mean nothing."""
    for body in fold(read(name)).bodies:
        R = np.abs(np.asarray(body.X_PJ.R, dtype=float))
        assert not np.any((R > 0) & (R < 1e-6)), body.name


def test_a_misspelt_name_is_answered_with_the_nearest_one():
    with pytest.raises(QddotError, match=r"Did you mean 'panda'\?"):
        qddot.load("pand")


# textbook robots


@pytest.mark.parametrize("name", TEXTBOOK)
def test_a_symbolic_robot_has_exactly_its_decks_symbols(name):
    assert set(read(f"{name}_symbolic").symbols) == TEXTBOOK[name]
    assert read(name).symbols == ()


@pytest.mark.parametrize("name", TEXTBOOK)
def test_a_symbolic_robot_with_values_is_the_numeric_one(name):
    values = tomllib.loads(library()[name].read_text(encoding="utf-8"))["values"]
    filled = qddot.load(f"{name}_symbolic").with_values(**values)
    assert replace(filled.model, name=name) == read(name)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_textbook_arm_has_its_decks_numbers(name):
    (q, qd, qdd), M, c, g, tau = NUMBERS[name]
    tree = fold(read(name))
    still = np.zeros(2)
    np.testing.assert_allclose(mass_matrix(tree, q), M, rtol=0, atol=TEN_DECIMALS)
    np.testing.assert_allclose(gravity_torque(tree, q), g, rtol=0, atol=TEN_DECIMALS)
    velocity = rigid_body_torque(tree, q, qd, still) - gravity_torque(tree, q)
    np.testing.assert_allclose(velocity, c, rtol=0, atol=TEN_DECIMALS)
    np.testing.assert_allclose(rigid_body_torque(tree, q, qd, qdd), tau, rtol=0, atol=TEN_DECIMALS)


def test_point_masses_with_other_values_have_the_decks_torque():
    arm = qddot.load("two_link_point_symbolic").with_values(m1=2, m2=1.5, L1=0.8, L2=0.6, g=9.81)
    tau = rigid_body_torque(arm.tree, Q, QD, QDD)
    np.testing.assert_allclose(tau, [37.1484711188, 7.0569746171], rtol=0, atol=TEN_DECIMALS)


def test_the_arm_with_damping_30_has_the_decks_torque():
    arm = qddot.load("two_link").with_friction(viscous=30)
    tau = rigid_body_torque(arm.tree, Q, QD, QDD) + viscous(arm) * QD
    np.testing.assert_allclose(tau, [1069.4590518657, 217.1565557415], rtol=0, atol=TEN_DECIMALS)


def test_the_double_pendulum_has_the_decks_torques():
    values = dict(m1=1, m2=1, d1=1, d2=1, g=9.81)
    for c1, c2, expected in (
        (0, 0, [22.2153803948, 12.1807269701]),
        (0.3, 0.2, [22.3653803948, 12.1407269701]),
    ):
        arm = qddot.load("double_pendulum_symbolic").with_values(**values, c1=c1, c2=c2)
        tau = rigid_body_torque(arm.tree, Q, QD, QDD) + viscous(arm) * QD
        np.testing.assert_allclose(tau, expected, rtol=0, atol=TEN_DECIMALS)


def test_the_pendulum_obeys_its_equation():
    arm = qddot.load("pendulum")
    m, L, I, d, g = 1, 0.5, 0.3, 0.1, 9.81
    q, qd, qdd = np.array([0.4]), np.array([0.7]), np.array([1.1])
    tau = rigid_body_torque(arm.tree, q, qd, qdd) + viscous(arm) * qd
    expected = I * qdd + d * qd + m * g * L * np.sin(q)
    assert_close(tau, expected)


def test_mass_spring_damper_has_the_decks_matrices_and_modes():
    arm = qddot.load("mass_spring_damper")
    zero = np.zeros(2)
    M = np.array(mass_matrix(arm.tree, zero), dtype=float)
    (link,) = arm.tree.elastics
    K = np.column_stack([link.torque(e, zero) for e in np.eye(2)])
    C = np.column_stack([link.torque(zero, e) for e in np.eye(2)])
    assert_close(M, np.diag([2, 5]))
    assert_close(C, [[3, -3], [-3, 3]])
    assert_close(K, [[80, -80], [-80, 80]])

    # held at x0 = 0, under F = 10: where it rests, and how fast it swings
    force = 10 - gravity_torque(arm.tree, zero)[0]
    assert force / K[0, 0] == pytest.approx(0.37025, abs=TEN_DECIMALS)
    assert math.sqrt(K[0, 0] / M[0, 0]) == pytest.approx(6.3245553, abs=1e-7)

    # free: the two masses against each other
    reduced = 1 / (1 / 2 + 1 / 5)
    mode = math.sqrt(K[0, 0] / reduced)
    assert mode == pytest.approx(7.48331477, abs=1e-8)
    assert C[0, 0] / (2 * reduced * mode) == pytest.approx(0.14031215, abs=1e-8)


def viscous(robot: qddot.Robot) -> np.ndarray:
    return np.array([float(friction.viscous) for friction in robot.tree.friction])


# real robots whose numbers are known otherwise


def test_the_puma_has_the_published_mass_matrix_and_gravity_torque():
    """At its nominal pose, as the Robotics Toolbox and P. Corke's book print them."""
    tree = fold(read("puma560"))
    M = np.array(mass_matrix(tree, QN), dtype=float)
    diagonal = [3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941]
    np.testing.assert_allclose(np.diag(M), diagonal, rtol=0, atol=GOLDEN)
    off = [M[0, 1], M[0, 2], M[0, 3], M[1, 2], M[1, 4], M[2, 4]]
    np.testing.assert_allclose(
        off, [-0.4044, 0.1006, -0.0025, 0.3509, 0.0024, 0.0015], rtol=0, atol=GOLDEN
    )
    g = np.array(gravity_torque(tree, QN), dtype=float)
    np.testing.assert_allclose(g, [0, 31.6399, 6.0351, 0, 0.0283, 0], rtol=0, atol=GOLDEN)


def test_the_puma_has_the_published_friction_in_both_directions():
    frictions = fold(read("puma560")).friction
    viscous = [5.80182, 9.49687, 3.98043, 0.411645, 0.427283, 0.215823]
    forward = [24.7314, 13.5847, 7.08923, 0.851608, 0.666007, 0.303677]
    backward = [-27.2358, -7.65486, -5.63916, -1.28502, -1.04288, -0.805203]
    np.testing.assert_allclose([f.viscous for f in frictions], viscous, rtol=1e-5)
    np.testing.assert_allclose([f.coulomb + f.offset for f in frictions], forward, rtol=1e-5)
    np.testing.assert_allclose([-f.coulomb + f.offset for f in frictions], backward, rtol=1e-5)


def test_the_pumas_completed_links_change_no_torque():
    """Links 1, 2 and 3 are not as published, but move as the published ones do."""
    completed = read("puma560")
    published = {
        "link1": {"mass": 0, "inertia": (0, 0, 0, 0.35, 0, 0)},
        "link2": {"inertia": (0.13, 0, 0, 0.524, 0, 0.539)},
        "link3": {"inertia": (0.066, 0, 0, 0.086, 0, 0.0125)},
    }
    links = tuple(
        replace(link, inertial=replace(link.inertial, **published.get(link.name, {})))
        for link in completed.links
    )
    one, other = fold(completed), fold(replace(completed, links=links))
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-3, 3, (3, 6))
        tau = rigid_body_torque(one, q, qd, qdd)
        np.testing.assert_allclose(rigid_body_torque(other, q, qd, qdd), tau, rtol=0, atol=1e-11)


def test_the_tool_of_the_puma_is_where_its_table_puts_it():
    """Stretched out in x (qs), the wrist's centre is two arms away; zero pose: an L."""
    tree = fold(read("puma560"))
    stretched = pose(tree, np.array([0, 0, -math.pi / 2, 0, 0, 0]), "tool").p
    assert_close(stretched, [0.8636, -0.15005, 0.67183 - 0.0203])
    zero = pose(tree, np.zeros(6), "tool").p
    assert_close(zero, [0.4521, -0.15005, 0.67183 + 0.4318])


def test_the_scara_moves_its_quill_down_and_carries_it_in_joint_3_alone():
    model = read("scara")
    tree = fold(model)
    q = np.array([0.2, 0.5, 0.1, 0.3])
    lower = np.array([0.2, 0.5, 0.15, 0.3])
    up, down = pose(tree, q, "tool").p, pose(tree, lower, "tool").p
    assert_close(np.subtract(down, up), [0, 0, -0.05])
    g = np.array(gravity_torque(tree, q), dtype=float)
    assert_close(g, [0, 0, -1.5 * 9.81, 0])
    folded = pose(tree, np.zeros(4), "tool").p
    assert_close(folded, [0.6, 0, 0.387])


def test_the_pandas_second_finger_follows_the_first():
    model = read("panda_hand")
    assert model.joint_names[-1] == "panda_finger_joint1"
    assert model.joint("panda_finger_joint2").mimic is not None
    assert read("panda").joint_names == model.joint_names[:7]


def test_the_two_arms_of_baxter_are_mirrored():
    tree = fold(read("baxter"))
    right, left = (pose(tree, np.zeros(15), f"{side}_tool").p for side in ("right", "left"))
    assert_close(right * [1, -1, 1], left)
    assert_close(pose(tree, np.zeros(15), "tool").p, right)
