"""A hand on the tool, by messages: where a pull leads, what hinders, and all ways to a pose."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import qddot
from qddot.spatial.rotation import from_rpy

THERE = 1e-8  # [rad] and [m]: a frame is at its pose


def rows(X):
    """Return a pose as messages have it."""
    return np.asarray(X)[:3].ravel().tolist()


def pull(page, robot, X, q, part="position", **more):
    """Pull until the arm stands, and return the last answer."""
    for _ in range(60):
        told = page.ask("drag", q=list(q), pose=rows(X), frame=robot.tip, part=part, **more)
        q = told["q"]
        if not told["moving"]:
            return told
    raise AssertionError("it never arrives")


def opened(page, name):
    robot = qddot.load(name)
    page.ask("robot", name=name)
    return robot, robot.home.copy()


def test_a_pulled_tool_gets_where_it_is_pulled(page):
    robot, q = opened(page, "panda")
    assert page.ask("grip", frame="tool")["joints"] == list(range(7))
    X = robot.pose(q, "tool")
    X[:3, 3] += 0.02, -0.03, 0.05
    X[:3, :3] = from_rpy((0.1, 0.05, -0.2)) @ X[:3, :3]
    told = pull(page, robot, X, q)
    assert told["found"]
    assert told["missing"][0] < THERE
    assert told["missing"][1] < THERE
    assert not told["limits"]
    assert not told["reach"]
    assert_allclose(robot.pose(np.array(told["q"]), "tool"), X, rtol=0, atol=1e-7)
    assert_allclose(told["tip"], X[:3, 3], rtol=0, atol=1e-7)
    # the numbers beside it are those of the new state
    assert_allclose(told["g"], robot.gravity_torque(np.array(told["q"])), rtol=0, atol=1e-9)
    assert page.ask("export", what="csv")["name"] == "panda_state.csv"


def test_one_answer_takes_no_joint_far_and_the_next_goes_on(page):
    robot, q = opened(page, "panda")
    far = q + np.array([1.2, 0.2, 0, 0, 0, 0, 0.8])
    X = robot.pose(far, "tool")
    first = page.ask("drag", q=q.tolist(), pose=rows(X), frame="tool", part="position")
    assert first["moving"]
    assert not first["found"]
    assert np.abs(first["q"] - q).max() <= 0.35 + 1e-12
    assert pull(page, robot, X, q)["found"]


def test_what_is_out_of_reach_is_told_with_how_much_is_missing(page):
    robot, q = opened(page, "panda")
    X = robot.pose(q, "tool")
    X[0, 3] += 5
    told = pull(page, robot, X, q)
    assert not told["found"]
    assert told["reach"]
    away = np.linalg.norm(robot.pose(np.array(told["q"]), "tool")[:3, 3] - X[:3, 3])
    assert told["missing"][1] == pytest.approx(away, rel=1e-6)


def test_joints_that_hold_it_back_are_named(page):
    robot, q = opened(page, "scara")
    slides = [joint.turns for joint in robot.model.free_joints].index(False)
    X = robot.pose(q, robot.tip)
    X[2, 3] += 3
    told = pull(page, robot, X, q)
    assert not told["found"]
    assert told["limits"] == [slides]
    assert told["q"][slides] in (robot.limits.lower[slides], robot.limits.upper[slides])


def test_an_arm_of_two_joints_follows_with_its_position_or_its_direction(page):
    robot, q = opened(page, "two_link")
    q = np.array([0.4, 0.9])
    X = robot.pose(q, robot.tip)
    moved = X.copy()
    moved[:2, 3] += 0.05, -0.1
    told = pull(page, robot, moved, q)
    assert told["found"]
    assert told["match"] == "position"
    assert_allclose(told["tip"], moved[:3, 3], rtol=0, atol=1e-7)


def test_a_typed_pose_may_be_far_away(page):
    robot, q = opened(page, "ur5")
    X = robot.pose(np.array([2.5, -1.0, 1.4, -2.0, 1.0, 2.0]), "tool")
    told = page.ask(
        "drag", q=q.tolist(), pose=rows(X), frame="tool", part="position", anywhere=True
    )
    assert told["found"]
    assert_allclose(robot.pose(np.array(told["q"]), "tool"), X, rtol=0, atol=1e-6)


def test_all_ways_to_a_pose_are_those_of_the_robot_the_nearest_first(page):
    robot, _ = opened(page, "ur5")
    q = np.array([0.3, -1.2, 1.1, -0.4, 0.9, 0.2])
    X = robot.pose(q, "tool")
    told = page.ask("solutions", q=q.tolist(), pose=rows(X), frame="tool")
    ways = np.array(told["q"])
    assert told["free"] is None
    assert len(ways) == 8
    assert_allclose(ways[0], q, rtol=0, atol=1e-9)
    assert len({tuple(np.round(way, 4)) for way in ways}) == 8
    for way, poses in zip(ways, told["poses"], strict=True):
        assert_allclose(robot.pose(way, "tool"), X, rtol=0, atol=1e-9)
        assert np.shape(poses) == (6, 3, 4)


def test_of_seven_joints_one_is_given(page):
    robot, q = opened(page, "panda")
    X = robot.pose(q, "tool")
    told = page.ask("solutions", q=q.tolist(), pose=rows(X), frame="tool")
    assert told["free"] == {"joint": 6, "value": pytest.approx(q[6])}
    assert_allclose(told["q"][0], q, rtol=0, atol=1e-12)
    assert told["family"]  # at home its first and third axes are one line
    other = page.ask("solutions", q=q.tolist(), pose=rows(X), frame="tool", free=0.3)
    assert all(way[6] == 0.3 for way in other["q"])
    for way in other["q"]:
        assert_allclose(robot.pose(np.array(way), "tool"), X, rtol=0, atol=1e-9)


def test_any_joint_may_be_given_where_no_closed_form_fits(page):
    robot, q = opened(page, "baxter")
    q = np.clip(q + np.linspace(0.2, 0.9, robot.n), robot.limits.lower, robot.limits.upper)
    about = {"q": q.tolist(), "pose": rows(robot.pose(q, "tool")), "frame": "tool"}
    right = [k for k, name in enumerate(robot.joint_names) if name.startswith("right")]
    told = page.ask("solutions", **about)
    assert told["choices"] == right
    assert told["free"] == {"joint": right[-1], "value": pytest.approx(q[right[-1]])}
    told = page.ask("solutions", **about, joint=right[2], free=q[right[2]] + 0.1)
    assert told["free"] == {"joint": right[2], "value": pytest.approx(q[right[2]] + 0.1)}
    assert told["q"]
    for way in told["q"]:
        assert way[right[2]] == pytest.approx(q[right[2]] + 0.1)
        assert_allclose(robot.pose(np.array(way), "tool"), robot.pose(q, "tool"), rtol=0, atol=1e-9)


def test_hands_that_ask_for_nonsense_are_told_so(page):
    robot, q = opened(page, "two_link")
    X, q = rows(robot.pose(q, robot.tip)), q.tolist()
    assert "12 numbers" in page.problem("drag", q=q, pose=X[:9], part="position")
    assert "knows no 'most'" in page.problem("drag", q=q, pose=X, part="position", most=9)
    assert "part of 'drag' is 'pose'" in page.problem("drag", q=q, pose=X, part="pose")
    assert "is missing" in page.problem("drag", q=q, pose=X)
    assert "pose" in page.problem("drag", q=q, pose=[1.0] * 12, part="position")
    assert "between" in page.problem("drag", q=q, pose=[*X[:3], 1e12, *X[4:]], part="position")
    assert "does not move" in page.problem("grip", frame=robot.frame_names[0])
    assert "knows no 'q'" in page.problem("grip", q=q)
    assert "from -1e+09" in page.problem("solutions", q=q, pose=X, free=1e12)
    assert "joint" in page.problem("solutions", q=q, pose=X, joint=9)
    assert page.ask("at", q=q)["is"] == "now"  # and it goes on


def test_a_place_at_the_end_of_the_world_is_only_out_of_reach(page):
    robot, q = opened(page, "panda")
    X = robot.pose(q, "tool")
    X[:3, 3] = 9e8, -9e8, 9e8
    told = page.ask("drag", q=q.tolist(), pose=rows(X), frame="tool", part="position")
    assert not told["found"]
    assert np.isfinite(told["q"]).all()
    beyond = (q + 100).tolist()  # as of a motion that passed the limits
    told = page.ask("drag", q=beyond, pose=rows(X), frame="tool", part="position")
    assert (np.array(told["q"]) <= robot.limits.upper + 1e-9).all()
