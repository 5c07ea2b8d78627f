"""One joint, one opinion about its limits; one place where an arm stands if nobody says."""

import warnings

import numpy as np
import pytest
from long import one_in

import qddot
from qddot.certificate.bound import box_of
from qddot.doctor.compare import configurations
from qddot.identification.base_parameters import random_states
from qddot.identification.excitation_limits import motion_limits
from qddot.model import Inertial, Joint, Limits, Link, Mimic, build, symbol
from qddot.motions import Setpoint
from qddot.present.figures.view import typical
from qddot.present.report.explorer import live_of, sliders
from qddot.readers.read import library

BODY = Inertial(1.0, (0.1, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
TURN = """
[[joint]]
name = "j1"
type = "continuous"
parent = "base"
child = "arm"
axis = [0, 0, 1]
limits = { lower = -0.5, upper = 0.5, velocity = 2, effort = 3 }
[[link]]
name = "arm"
mass = 1
com = [0.1, 0, 0]
inertia = [0.01, 0.01, 0.01]
"""


def robot_of(*joints):
    links = [Link("base"), *(Link(joint.child, BODY) for joint in joints)]
    return qddot.Robot(build("arm", links, joints))


def chain(*limits, kind="revolute"):
    names = ["base", *(f"l{i}" for i in range(len(limits)))]
    return robot_of(
        *(
            Joint(f"j{i}", kind, names[i], names[i + 1], axis=(0, 0, 1), limits=own)
            for i, own in enumerate(limits)
        )
    )


@pytest.fixture
def continuous(tmp_path):
    path = tmp_path / "turn.toml"
    path.write_text(TURN)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.RobotWarning)
        return qddot.load(path)


def test_a_continuous_joint_has_no_limits_of_position_whatever_its_file_says(continuous):
    assert continuous.limits.lower.tolist() == [-np.inf]
    assert continuous.limits.upper.tolist() == [np.inf]
    assert continuous.limits.velocity.tolist() == [2]
    assert continuous.limits.effort.tolist() == [3]


def test_a_continuous_joint_with_limits_is_told_to_be_revolute(tmp_path):
    path = tmp_path / "turn.toml"
    path.write_text(TURN)
    with pytest.warns(qddot.RobotWarning, match="Use type revolute if it is limited"):
        qddot.load(path)


def test_every_room_has_the_same_opinion_of_a_continuous_joint(continuous):
    """It was ±0.5 in simulation, ±inf in control, ±π in the certificate."""
    Setpoint([7.0], continuous)  # which control does not refuse
    assert box_of(continuous).upper[0] == pytest.approx(np.pi)  # a box, once round
    assert f'min="{-np.pi!r}" max="{np.pi!r}"' in sliders(continuous)
    assert "0.5" not in repr(continuous)
    assert motion_limits(continuous, margin=0).upper[0] == pytest.approx(np.pi)
    drawn = random_states(continuous).q, configurations(continuous.model), typical(continuous)
    for q in (*drawn, continuous.random_positions(100)):
        assert 0.5 < np.abs(q).max() <= np.pi
    run = qddot.simulate(continuous, [0.0], [2.0], duration=0.5, stops=0.0)
    assert run.q[-1, 0] > 0.9
    assert not run.events


def test_limits_are_infinite_where_there_is_none_and_cannot_be_written_to():
    robot = chain(Limits(), Limits(-1, 2, 3, 4), Limits(lower=0))
    assert robot.limits.lower.tolist() == [-np.inf, -1, 0]
    assert robot.limits.upper.tolist() == [np.inf, 2, np.inf]
    assert robot.limits.velocity.tolist() == [np.inf, 3, np.inf]
    assert robot.limits.effort.tolist() == [np.inf, 4, np.inf]
    with pytest.raises(ValueError, match="read-only"):
        robot.limits.lower[0] = 0


def test_a_follower_keeps_its_leader_within_its_own_limits():
    leader = Joint("a", "revolute", "base", "l1", limits=Limits(-2, 2, 5, 7))
    follower = Joint(
        "b", "revolute", "l1", "l2", limits=Limits(-1, 3, 4, 1), mimic=Mimic("a", -2, 1)
    )
    limits = robot_of(leader, follower).limits
    assert (limits.lower[0], limits.upper[0]) == (-1, 1)  # −1 ≤ 1 − 2q ≤ 3
    assert (limits.velocity[0], limits.effort[0]) == (2, 7)


def test_a_follower_that_would_leave_no_room_is_left_out_with_a_warning():
    """As the grippers of published robots have it: limits copied, multiplier −1."""
    leader = Joint("a", "revolute", "base", "l1", limits=Limits(0, 0.548))
    follower = Joint("b", "revolute", "base", "l2", limits=Limits(0, 0.548), mimic=Mimic("a", -1))
    robot = robot_of(leader, follower)
    assert (robot.limits.lower[0], robot.limits.upper[0]) == (0, 0.548)
    assert any("leave no room for 'a'" in str(problem) for problem in robot.warnings)


@pytest.mark.parametrize(("kind", "reach"), [("revolute", np.pi), ("prismatic", 0.5)])
def test_a_span_is_the_limits_or_goes_on_where_there_is_none(kind, reach):
    ends = [(None, None), (-1, 2), (0.1, None), (None, -3), (5, None), (-100, 100)]
    limits = chain(*(Limits(*pair) for pair in ends), kind=kind).limits
    low, high = limits.span()
    assert low == pytest.approx([-reach, -1, 0.1, -3 - reach, 5, -100])
    assert high == pytest.approx([reach, 2, 0.1 + reach, -3, 5 + reach, 100])
    low, high = limits.span(most=2)
    assert low[-1] == pytest.approx(-2 * reach)
    assert (low[4], high[4]) == (5, 5 + reach)


@pytest.mark.parametrize("name", one_in(3, sorted(library())))
def test_random_positions_are_within_limits_and_the_same_every_time(name):
    robot = qddot.load(name)
    q = robot.random_positions(200)
    assert q.shape == (200, robot.n)
    assert ((q >= robot.limits.lower) & (q <= robot.limits.upper)).all()
    low, high = robot.limits.span()
    assert (np.ptp(q, axis=0) > 0.9 * (high - low)).all()
    assert np.array_equal(q, robot.random_positions(200))
    assert not np.array_equal(q, robot.random_positions(200, seed=1))
    assert robot.random_positions().shape == (robot.n,)
    assert robot.random_positions((2, 3)).shape == (2, 3, robot.n)


def test_limits_of_a_symbolic_robot_are_numbers_if_they_are_given_as_such():
    assert qddot.load("two_link_symbolic").limits.lower.shape == (2,)
    rows = [{"a": 1, "mass": 1, "limits": {"lower": "-w", "upper": "w"}}]
    robot = qddot.from_dh(rows, "standard")
    with pytest.raises(qddot.QddotError, match="A limit of robot 'robot' has no numeric value"):
        robot.limits  # noqa: B018


@pytest.mark.parametrize("name", one_in(3, sorted(library())))
def test_home_is_within_limits_and_the_tip_can_move_there(name):
    robot = qddot.load(name)
    q = robot.home
    assert ((q >= robot.limits.lower) & (q <= robot.limits.upper)).all()
    somewhere = np.random.default_rng(1).uniform(-2, 2, (20, robot.n))
    usual = np.linalg.svd(robot.jacobian(somewhere, "tool")[:, 3:], compute_uv=False)
    rank = int((usual > 1e-6 * usual.max()).sum(axis=1).max())
    here = np.linalg.svd(robot.jacobian(q, "tool")[3:], compute_uv=False)
    assert here[rank - 1] > 0.1 * np.median(usual[:, rank - 1])


@pytest.mark.parametrize("name", ["panda", "two_link", "rp"])
def test_nobody_else_says_where_an_arm_stands(name):
    robot = qddot.load(name)
    at_first = np.array(live_of(robot).data["home"])
    for q in (typical(robot)[0], at_first):
        assert q.tolist() == robot.home.tolist()


def test_home_is_what_the_file_says_and_is_written_back(tmp_path):
    robot = qddot.from_dh([{"a": 1, "mass": 1, "home": "pi/3"}, {"a": 1, "mass": 1}], "standard")
    assert robot.home == pytest.approx([np.pi / 3, 0])
    robot.save(tmp_path / "arm.toml")
    assert qddot.load(tmp_path / "arm.toml").home == pytest.approx([np.pi / 3, 0])


def test_a_home_keeps_to_the_limits_of_what_follows():
    leader = Joint("a", "revolute", "base", "l1", limits=Limits(-2, 2), home=1.5)
    follower = Joint("b", "revolute", "l1", "l2", limits=Limits(-1, 1), mimic=Mimic("a"))
    assert robot_of(leader, follower).home.tolist() == [1]


def test_the_tip_of_a_robot_with_symbols_has_its_name():
    assert qddot.load("two_link_symbolic").tip == "tool"
    joint = Joint("j1", "continuous", "base", "end", axis=(0, 0, 1))
    links = [Link("base"), Link("end", Inertial(symbol("m")))]
    assert qddot.Robot(build("arm", links, [joint])).tip == "end"


def test_home_of_an_arm_without_a_tip_that_moves_is_zero():
    assert chain(Limits()).locked({"j0": 0.1}).home.shape == (0,)
    assert chain(Limits(), Limits(), kind="prismatic").home.tolist() == [0, 0]
    assert qddot.load("two_link_symbolic").home.tolist() == [0, 0]
