"""Six turns about lines in any place: all real solutions, by eigenvalues."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from long import long
from strategies import triple

import qddot
from qddot.errors import BadArgument, WrongValue
from qddot.kinematics import Solutions
from qddot.kinematics.chain import chain_of
from qddot.kinematics.plan import plan_for
from qddot.model import Joint, Limits, Link, Mimic, Model, Placement, build
from qddot.model.folding import exact, fold


def general_arm(seed: int) -> qddot.Robot:
    """Return an arm no two axes of which meet or are parallel."""
    rng = np.random.default_rng(seed)
    links = [Link("base"), *(Link(f"link{i}") for i in range(6))]
    joints = []
    for i in range(6):
        place = Placement(*(triple(rng.uniform(-r, r, 3)) for r in (0.4, 2.0)))
        joints.append(Joint(f"j{i}", "revolute", links[i].name, f"link{i}", place, axis=(0, 0, 1)))
    return qddot.Robot(build("general", links, joints))


def calibrated(model: Model, off: float) -> Model:
    """Return an arm whose joints are a little off, as a calibration finds them."""
    rng = np.random.default_rng(0)

    def moved(values: tuple) -> tuple[float, float, float]:
        return triple(np.array([float(x) for x in values]) + off * rng.normal(size=3))

    joints = tuple(
        joint
        if joint.kind == "fixed"
        else replace(joint, origin=Placement(moved(joint.origin.xyz), moved(joint.origin.rpy)))
        for joint in model.joints
    )
    return replace(model, joints=joints)


def check(robot: qddot.Robot, frame: str, count: int = 40) -> Solutions:
    """Solve random poses: the positions that made them are there, and all solutions close."""
    q = np.random.default_rng(5).uniform(-3, 3, (count, 6))
    X = robot.pose(q, frame)
    s = robot.inverse_kinematics_all(X, frame)
    off = np.abs((s.q - q[:, None] + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)
    assert (off < 1e-6).any(axis=-1).all()
    back = robot.pose(np.where(s.found[..., None], s.q, 0), frame) - X[:, None]
    assert np.abs(back[s.found]).max() < 3e-12
    return s


@pytest.mark.parametrize("seed", [0, 1])
def test_general_arms(seed):
    s = check(general_arm(seed), "link5")
    assert s.q.shape == (40, 16, 6)
    assert (s.counts % 2 == 0).all()  # real roots of a polynomial of degree 16 come in pairs
    assert s.counts.max() >= 6


@pytest.mark.parametrize("off", [1e-5, *long(1e-2, 1e-12)])
def test_a_calibrated_arm_is_no_nominal_one(off):
    """Axes of a UR5 that are parallel nearly: no closed form, and still all of its solutions."""
    robot = qddot.Robot(calibrated(qddot.load("ur5").model, off))
    assert plan_for(chain_of(fold(robot.model, exact), "tool")) is None
    s = check(robot, "tool")
    assert (s.counts % 2 == 0).all()
    nominal = qddot.load("ur5").inverse_kinematics_all(robot.pose(s.q[0, 0], "tool"), "tool")
    if off < 1e-3:
        assert nominal.found.sum() == s.counts[0]


def test_sixteen_real_solutions():
    """The arm of R. Manseur and K. Doty (International Journal of Robotics Research 8(5), 1989)."""
    turns = ("pi/2", "pi/180") * 3
    rows = [{"alpha": a, "mass": 1.0, "inertia": [0.02, 0, 0, 0.02, 0, 0.01]} for a in turns]
    rows[0]["a"], rows[1]["a"], rows[2]["d"], rows[3]["a"] = 0.3, 1, 0.2, 1.5
    robot = qddot.from_dh(rows, "standard")
    X = np.array(
        [
            [-0.760117, -0.641689, 0.102262, -1.140175],
            [0.133333, 0, 0.991071, 0],
            [-0.635959, 0.766965, 0.085558, 0],
            [0, 0, 0, 1],
        ]
    )
    s = robot.inverse_kinematics_all(X, "tool")
    assert s.found.all()
    assert s.q.shape == (16, 6)
    assert np.abs(robot.pose(s.q, "tool") - X).max() < 2e-6  # X has six digits
    apart = np.abs((s.q[:, None] - s.q + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)
    assert (apart + np.eye(16) > 1e-3).all()


def test_both_of_two_solutions_that_have_nearly_met_are_there():
    """A pose of turns has an even number of solutions: what lacks one is looked for."""
    lengths = [(-0.225, 0), (-0.963, 0.849), (0, 0.146), (0.0442, 0.906), (-0.631, 0.012)]
    turns = [(0.75, "pi/2"), (1.76, "-pi/2"), ("pi/2", "-pi/2"), (2.38, "pi"), ("pi/2", 1.2)]
    rows = zip([*lengths, (0, -0.323)], [*turns, (-0.61, 0.91)], strict=True)
    inertial = {"mass": 1.0, "inertia": [0.02, 0, 0, 0.02, 0, 0.01]}
    arm = qddot.from_dh(
        [{"d": d, "a": a, "theta": t, "alpha": bend} | inertial for (d, a), (t, bend) in rows],
        "standard",
    )
    q = np.array([-0.593987, 3.126869, -2.414748, 1.998009, 1.329599, -1.662599])
    s = arm.inverse_kinematics_all(arm.pose(q, "tool"), "tool")
    assert s.counts == 8
    apart = np.abs(s.q[s.found] - q).max(axis=-1)
    np.testing.assert_allclose(sorted(apart)[:2], [0, 0.0119], rtol=0, atol=1e-4)
    assert np.abs(s.q[s.found]).max() <= np.pi


def test_limits_and_mistakes():
    robot = general_arm(0)
    assert robot.inverse_kinematics_all(np.empty((0, 4, 4)), "link5").q.shape == (0, 16, 6)
    with pytest.raises(WrongValue, match="shape"):
        robot.inverse_kinematics_all(np.eye(3), "link5")
    with pytest.raises(BadArgument, match="left-handed"):
        robot.inverse_kinematics_all(np.diag([1.0, 1, -1, 1]), "link5")
    limited = replace(
        robot.model.joints[0], limits=replace(robot.model.joints[0].limits, lower=3.5, upper=6.0)
    )
    half = qddot.Robot(replace(robot.model, joints=(limited, *robot.model.joints[1:])))
    q = np.array([4.0, 0.5, -0.3, 0.7, 0.2, -1.0])
    s = half.inverse_kinematics_all(half.pose(q, "link5"), "link5", limits=True)
    assert (np.abs(s.q - q).max(axis=-1) < 1e-9).any()
    assert (s.q[s.found][:, 0] >= 3.5).all()


@pytest.mark.parametrize("joint", ["right_s0", *long("right_w2")])
def test_a_baxter_is_solved_with_a_joint_held(joint):
    """With the first one held the determinant says nothing, and only searches are left."""
    baxter = qddot.load("baxter")
    with pytest.raises(BadArgument, match=r"free=\{'right_w2': 0.5\}, or robot\.locked.*right_w2"):
        baxter.inverse_kinematics_all(np.eye(4), "tool")
    held = baxter.locked({joint: 0.5})
    q = held.home + np.linspace(0.2, 0.9, held.n)
    s = held.inverse_kinematics_all(held.pose(q, "tool"), "tool")
    right = [i for i, name in enumerate(held.joint_names) if name.startswith("right")]
    assert (np.abs(s.q - q)[:, right].max(axis=-1) < 1e-9).any()


def test_a_joint_that_follows_another_by_half_turns_twice_as_far():
    model = general_arm(3).model
    lead = Joint("lead", "revolute", "base", "side", limits=Limits(lower=0.5, upper=6.7))
    joints = [
        replace(j, mimic=Mimic("lead", 0.5, 0.2)) if j.name == "j2" else j for j in model.joints
    ]
    robot = qddot.Robot(build("led", [*model.links, Link("side")], [lead, *joints]))
    q = np.random.default_rng(5).uniform(-3, 3, (30, 6))
    q[:, 0] = np.linspace(0.6, 6.6, 30)
    X = robot.pose(q, "link5")
    for limits in (False, True):
        s = robot.inverse_kinematics_all(X, "link5", limits=limits)
        off = np.abs(np.sin((s.q - q[:, None]) / np.array([4, 2, 2, 2, 2, 2]))).max(axis=-1)
        assert (off < 1e-6).any(axis=-1).all()
        back = robot.pose(np.where(s.found[..., None], s.q, 0), "link5") - X[:, None]
        assert np.abs(back[s.found]).max() < 3e-12


def with_wrist(seed: int, turned: bool) -> qddot.Robot:
    """Return an arm whose last three axes meet, or the last two of which are one line."""
    model = general_arm(seed).model
    joints = []
    for j in model.joints:
        rpy = j.origin.rpy if turned else (0, 0, 0)
        one = j.name == "j5" or (turned and j.name == "j4")
        joints.append(replace(j, origin=Placement((0, 0, 0), rpy)) if one else j)
    return qddot.Robot(build("wrist", model.links, joints))


def test_three_lines_that_meet_beside_three_that_lie_anyhow_are_searched():
    s = check(with_wrist(2, True), "link5")
    assert (s.counts % 2 == 0).all()  # the wrist turns round
    assert s.counts.max() == 8


def test_an_arm_that_is_singular_everywhere_is_refused():
    with pytest.raises(BadArgument, match=r"curves of them\.\n.*nearest"):
        with_wrist(0, False).inverse_kinematics_all(np.eye(4), "link5")


@pytest.mark.parametrize(("name", "off"), [("ur5", 1e-6), *long(("puma560", 1e-4))])
def test_a_calibrated_arm_keeps_its_solutions_next_to_singular_positions(name, off):
    robot = qddot.Robot(calibrated(qddot.load(name).model, off))
    q = np.random.default_rng(7).uniform(-3, 3, (4000, 6))
    J = robot.jacobian(q, "tool")
    q = q[np.argsort(np.linalg.svd(J, compute_uv=False)[:, -1])[:30]]  # the most singular ones
    X = robot.pose(q, "tool")
    s = robot.inverse_kinematics_all(X, "tool")
    off = np.abs((s.q - q[:, None] + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)
    assert (off < 1e-6).any(axis=-1).all()
    back = robot.pose(np.where(s.found[..., None], s.q, 0), "tool") - X[:, None]
    assert np.abs(back[s.found]).max() < 3e-12


MEETING = [  # where more than two solutions meet, Newton's first step from rounding leads away
    (
        [
            {"alpha": "0", "a": -0.963},
            {"alpha": "pi", "a": 0.538},
            {"alpha": "-pi/2", "a": -0.174},
            {"alpha": "-pi/2", "a": -0.201, "d": -0.88},
            {"alpha": 0.251, "a": 0.86},
            {"alpha": "pi", "a": 0.78, "d": 0.861},
        ],
        [-1, 0, 0, 1, 2, 0],
    ),
    (
        [
            {"alpha": "pi", "a": 0.112},
            {"alpha": "pi/2", "a": 0.191, "d": 0.657},
            {"alpha": -0.34494131555364627, "d": -0.57},
            {"alpha": "-pi/2", "a": -0.576},
            {"alpha": "pi/2", "a": 0.943},
            {"alpha": 0.9810749996628654, "a": 0.49},
        ],
        [-1, -1, 2, 1, 1, 2],
    ),
]


@pytest.mark.parametrize(("rows", "quarters"), MEETING)
def test_a_solution_at_which_several_meet_is_found(rows, quarters):
    body = {"mass": 1.0, "inertia": [0.02, 0, 0, 0.02, 0, 0.01]}
    arm = qddot.from_dh([row | body for row in rows], "standard")
    q = np.array(quarters) * np.pi / 2
    s = arm.inverse_kinematics_all(arm.pose(q, "tool"), "tool")
    apart = np.abs((s.q[s.singular] - q + np.pi) % (2 * np.pi) - np.pi).max(axis=1)
    assert apart.min(initial=9) < 1e-3


def test_poses_at_which_a_matrix_of_the_eigenvalue_problem_is_singular_are_solved():
    turns = [("pi", 0, 0), (2.2234658768600726, -0.712, 0), (0, 0.921, 0), ("pi/2", -0.302, 0)]
    turns += [("-pi/2", -0.003, -0.062), (0, -0.604, 0.742), ("pi/2", 0, 0)]
    body = {"mass": 1.0, "inertia": [0.02, 0, 0, 0.02, 0, 0.01]}
    arm = qddot.from_dh([{"alpha": b, "a": a, "d": d} | body for b, a, d in turns], "standard")
    q = np.array([[2, 1, -1, -1, 0, 1, 0], [0, 2, -1, 2, 0, 0, -1], [2, 2, -1, 1, 0, 2, 1]])
    q = np.append(q, [[-1, 0, -1, 2, 0, 0, 0]], axis=0) * np.pi / 2
    X = arm.pose(q, "tool")
    s = arm.inverse_kinematics_all(X, "tool", free={"j2": q[:, 1]})
    assert s.found.any(axis=1).all()  # of the last, eigenvalues find nothing
    back = arm.pose(s.q[s.found], "tool") - np.repeat(X, s.counts, axis=0)
    assert np.abs(back).max() < 1e-11
