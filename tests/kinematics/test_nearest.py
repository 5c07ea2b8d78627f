"""The nearest joint positions for a pose: found, within limits, near, and never silently wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from long import long
from made import ARM, PANDA, UR5
from nearness import ROUND_OFF, SOLVER

import qddot
from qddot.errors import BadArgument
from qddot.kinematics.poses import proper_poses
from qddot.robot.nearest import pose_search

SCARA = qddot.load("scara")


@cache
def asked(name: str, count: int = 256) -> tuple:
    """Return a robot, positions, the poses of its tip there, and other positions."""
    robot = qddot.load(name)
    q = robot.random_positions(count, 1)
    return robot, q, robot.pose(q, robot.tip), robot.random_positions(count, 2)


def inside(robot, q):
    return bool(((q >= robot.limits.lower) & (q <= robot.limits.upper)).all())


@pytest.mark.parametrize("name", ["panda", "ur5", *long("stanford", "scara")])
def test_every_pose_of_positions_within_limits_is_found(name):
    robot, _, X, near = asked(name)
    s = robot.inverse_kinematics(X, robot.tip, near=near)
    assert s.found.all()
    assert inside(robot, s.q)
    assert np.abs(robot.pose(s.q, robot.tip) - X).max() < ROUND_OFF
    assert np.abs(s.error).max() < ROUND_OFF


@pytest.mark.long
def test_999_of_1000_poses_of_a_panda_are_found_from_anywhere():
    robot, _, X, near = asked("panda", 100_000)
    s = robot.inverse_kinematics(X, "tool", near=near)
    assert s.found.mean() > 0.999
    assert inside(robot, s.q)
    assert np.abs(robot.pose(s.q, "tool") - X)[s.found].max() < ROUND_OFF


@pytest.mark.parametrize("match", ["position", "rotation", "y"])
def test_what_is_to_match_matches_and_the_rest_is_free(match):
    robot, _q, X, near = asked("panda", 128)
    s = robot.inverse_kinematics(X, "tool", near=near, match=match)
    assert s.found.all()
    off = np.abs(s.pose - X)
    axis = "xyz".find(match)
    rotation, position = match == "rotation", match != "rotation"
    assert not position or off[:, :3, 3].max() < ROUND_OFF
    assert not rotation or off[:, :3, :3].max() < ROUND_OFF
    assert axis < 0 or off[:, :3, axis].max() < ROUND_OFF
    assert off[:, :3].max() > 0.1
    free = robot.inverse_kinematics(X, "tool", near=near)
    assert _far(s.q, near).mean() < _far(free.q, near).mean()


def test_a_position_alone_may_be_given_as_three_numbers():
    s = ARM.inverse_kinematics([1.0, 1.0, 0.0], ARM.tip, match="position", near=[0.1, 1.0])
    np.testing.assert_allclose(s.q, [0, np.pi / 2], rtol=0, atol=ROUND_OFF)


def test_a_two_link_arm_takes_the_nearer_of_its_two_solutions():
    """By the law of cosines: J. Craig, Introduction to Robotics, 4.4."""
    rng = np.random.default_rng(0)
    near, q = rng.uniform(-np.pi, np.pi, (2, 200, 2))
    p = ARM.pose(q, ARM.tip)[:, :3, 3]
    l1 = ARM.pose([0.0, 0.0], ARM.frame_names[2])[0, 3]
    l2 = ARM.pose([0.0, 0.0], ARM.tip)[0, 3] - l1
    c2 = (p[:, 0] ** 2 + p[:, 1] ** 2 - l1**2 - l2**2) / (2 * l1 * l2)
    both = []
    for elbow in (np.arccos(c2), -np.arccos(c2)):
        inner = np.arctan2(l2 * np.sin(elbow), l1 + l2 * np.cos(elbow))
        both.append(np.stack([np.arctan2(p[:, 1], p[:, 0]) - inner, elbow], axis=1))
    apart = (np.array(both) - near + np.pi) % (2 * np.pi) - np.pi
    least = np.linalg.norm(apart, axis=2).min(axis=0)
    s = ARM.inverse_kinematics(p, ARM.tip, match="position", near=near, starts=16)
    assert s.found.all()
    np.testing.assert_allclose(np.linalg.norm(s.q - near, axis=1), least, rtol=0, atol=SOLVER)


def test_no_small_motion_that_keeps_the_pose_leads_nearer():
    """The gradient of Σ w (q − near)² along the free motions is zero, but for joints at limits."""
    robot, _, X, near = asked("panda", 64)
    w = np.array([1, 2, 1, 0.5, 1, 1, 3.0])
    s = robot.inverse_kinematics(X, "tool", near=near, joint_weights=w, starts=8)
    at_limit = (s.q <= robot.limits.lower) | (s.q >= robot.limits.upper)
    J = robot.jacobian(s.q, "tool")
    slopes = []
    for k in np.flatnonzero(~at_limit.any(axis=1)):
        free = np.linalg.svd(J[k])[2][6]
        slopes.append(abs(free @ (w * (s.q[k] - near[k]))))
    assert len(slopes) > 20
    assert np.median(slopes) < 1e-2 < 1 < np.max(_far(s.q, near))


@pytest.mark.parametrize("name", ["ur5", "scara", *long("puma560")])
def test_no_solution_of_a_closed_form_is_nearer(name):
    robot, _, X, near = asked(name, 128)
    s = robot.inverse_kinematics(X, robot.tip, near=near)
    every = robot.inverse_kinematics_all(X, robot.tip)
    angles = np.array([entry.unit == "rad" for entry in robot.tree.configuration])
    turns = 2 * np.pi * np.arange(-2, 3)[:, None, None, None] * angles
    q = every.q + turns  # (5, 128, k, n): each joint by itself
    inside = (q >= robot.limits.lower - 1e-9) & (q <= robot.limits.upper + 1e-9)
    apart = np.where(inside, np.abs(q - near[:, None]), np.inf).min(axis=0)
    least = np.where(every.found, np.linalg.norm(apart, axis=-1), np.inf).min(axis=-1)
    np.testing.assert_allclose(_far(s.q, near), least, rtol=0, atol=SOLVER)


def test_searches_from_many_places_hardly_ever_miss_a_nearer_solution():
    robot, _, X, _ = asked("puma560", 128)
    near = robot.random_positions(128, 3)
    known = robot.inverse_kinematics(X, robot.tip, near=near).q
    whole = pose_search(robot, robot.tip, "pose", None, None, True)
    search, tolerance = replace(whole, known=None), np.full(2, 1e-9)
    many, few = (search.nearest(proper_poses(X), near, tolerance, k) for k in (64, 1))
    assert many[1].all()
    assert few[1].all()
    assert (_far(many[0], near) <= _far(known, near) + SOLVER).mean() >= 0.99
    assert _far(many[0], near).mean() < 0.97 * _far(few[0], near).mean()


def test_angles_are_those_nearest_by_whole_turns_within_limits():
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.9, -0.2])
    X = UR5.pose(q, UR5.tip)
    for turns in ([-1, 1, 0, 0, 0, 1], [0, 1, 0, -1, -1, 0]):
        near = q + 2 * np.pi * np.array(turns)
        s = UR5.inverse_kinematics(X, UR5.tip, near=near)
        np.testing.assert_allclose(s.q, near, rtol=0, atol=SOLVER)
    edge = UR5.limits.upper.copy()  # one more turn would be beyond the limits
    s = UR5.inverse_kinematics(UR5.pose(edge + 0.1, UR5.tip), UR5.tip, near=edge, starts=32)
    assert s.found
    assert inside(UR5, s.q)


def test_a_pose_at_a_singular_position_is_found():
    for robot, q in ((UR5, [0.3, -1.0, 1.2, 0.4, 0.0, -0.2]), (PANDA, [0, 0, 0, -1.5, 0, 1.5, 0])):
        X = robot.pose(q, robot.tip)
        s = robot.inverse_kinematics(X, robot.tip, near=np.array(q) * 0.9)
        assert s.found
        assert np.abs(s.pose - X).max() < ROUND_OFF


def test_poses_within_a_millionth_of_a_singular_position_are_found_or_said_not_to_be():
    rng = np.random.default_rng(0)
    q = UR5.random_positions(200, 5)
    q[:, 4] = rng.normal(0, 1e-6, 200)
    q[::3, 2] = rng.normal(0, 1e-6, 67)  # stretched out too
    X = UR5.pose(q, "tool")
    s = UR5.inverse_kinematics(X, "tool", near=UR5.random_positions(200, 6), starts=8)
    assert s.found.mean() > 0.98
    assert np.abs(s.pose - X)[s.found].max() < 2e-9


def test_out_of_reach_it_says_how_close_it_comes_and_where():
    reach = ARM.pose([0.0, 0.0], ARM.tip)[0, 3]
    s = ARM.inverse_kinematics([3.0 * reach, 0, 0], ARM.tip, match="position", near=[0.5, -0.3])
    assert not s.found
    np.testing.assert_allclose(s.error, [0, 2 * reach], rtol=0, atol=1e-4)
    np.testing.assert_allclose(s.pose[:3, 3], [reach, 0, 0], rtol=0, atol=1e-2)
    with pytest.raises(BadArgument, match=r"comes within .* m and"):
        s.required()
    assert "comes within" in repr(s)


def test_limits_hold_it_where_the_pose_is_beyond_them():
    q = PANDA.limits.upper.copy()
    X = PANDA.pose(np.where(np.arange(7) == 5, q + 1.0, PANDA.home), "tool")
    s = PANDA.inverse_kinematics(X, "tool", near=PANDA.home)
    assert inside(PANDA, s.q)
    assert s.found == bool(np.abs(s.pose - X).max() < 1e-8)


def test_fewer_joints_than_a_pose_has_numbers_are_named():
    X = ARM.pose([0.3, 0.4], ARM.tip)
    assert ARM.inverse_kinematics(X, ARM.tip).found
    X[:3, 3] += [0.1, 0, 0]
    with pytest.raises(BadArgument, match="2 joints carry it, and a pose asks for 6"):
        ARM.inverse_kinematics(X, ARM.tip).required()


def test_an_error_that_weighs_nothing_is_free():
    X = SCARA.pose([0.3, 0.5, 0.05, 0.2], SCARA.tip)
    X[2, 3] += 5  # far above
    assert not SCARA.inverse_kinematics(X, SCARA.tip).found
    s = SCARA.inverse_kinematics(X, SCARA.tip, weights=[1, 1, 1, 1, 1, 0])
    assert s.found
    np.testing.assert_allclose(s.pose[:2, 3], X[:2, 3], rtol=0, atol=ROUND_OFF)


def test_batches_have_the_shape_of_what_is_given():
    q = PANDA.random_positions((3, 2), 5)
    X = PANDA.pose(q, "tool")
    s = PANDA.inverse_kinematics(X, "tool", near=PANDA.home)
    assert s.q.shape == (3, 2, 7)
    assert s.found.shape == (3, 2)
    assert s.error.shape == (3, 2, 2)
    one = PANDA.inverse_kinematics(X[1, 1], "tool", near=q)
    assert one.q.shape == (3, 2, 7)
    assert one.found.all()
    assert PANDA.inverse_kinematics(np.empty((0, 4, 4)), "tool").q.shape == (0, 7)
    again = PANDA.at("tool").inverse_kinematics(X, near=PANDA.home)
    np.testing.assert_array_equal(again.q, s.q)
    single = PANDA.with_options(dtype="float32").inverse_kinematics(X, "tool")
    np.testing.assert_array_equal(single.q, s.q)


def test_one_pose_alone_has_the_same_answer_as_in_a_batch():
    q = PANDA.random_positions(40, 6)
    X = PANDA.pose(q, "tool")
    near = np.clip(q + 0.05, PANDA.limits.lower, PANDA.limits.upper)
    many = PANDA.inverse_kinematics(X, "tool", near=near)
    one = [PANDA.inverse_kinematics(X[k], "tool", near=near[k]) for k in range(40)]
    assert all(s.found for s in one)
    np.testing.assert_allclose([s.q for s in one], many.q, rtol=0, atol=1e-9)
    # what is wrong is said there too
    with pytest.raises(BadArgument, match="no pose"):
        PANDA.inverse_kinematics(X[0] * np.nan, "tool", near=near[0])


@pytest.mark.parametrize("match", ["pose", "position", "z"])
def test_a_pose_has_the_same_answer_alone_as_among_others(match):
    """Searches that run at once, as many as there is room for, count one after the other."""
    robot, _, X, near = asked("panda", 64)
    many = robot.inverse_kinematics(X, "tool", near=near, match=match)
    few = [robot.inverse_kinematics(X[k], "tool", near=near[k], match=match).q for k in range(16)]
    np.testing.assert_allclose(few, many.q[:16], rtol=0, atol=SOLVER)


def test_as_many_starts_are_tried_as_are_asked_for():
    robot, _, X, near = asked("panda", 64)
    far = [
        _far(robot.inverse_kinematics(X, "tool", near=near, starts=k).q, near) for k in (96, 240)
    ]
    assert (far[1] <= far[0] + SOLVER).all()
    assert (far[1] < far[0] - 0.1).any()


@pytest.mark.parametrize("beyond", [1e-12, 1e-4, 9.0])
def test_a_position_beyond_its_limits_counts_as_at_its_limit(beyond):
    edge = np.arange(7) < 3
    at = np.where(edge, PANDA.limits.upper, PANDA.home)
    X, reported = PANDA.pose(at - 0.02, "tool"), at + beyond * edge
    for some in (X, X[None]):
        told, meant = (PANDA.inverse_kinematics(some, "tool", near=x) for x in (reported, at))
        assert told.found.all()
        np.testing.assert_array_equal(told.q, meant.q)
    for most in (0.5, 0.01):
        told, meant = (PANDA.drag(X, "tool", x, most=most) for x in (reported, at))
        assert told.found == (most > 0.1)
        np.testing.assert_allclose(told.q, meant.q, rtol=0, atol=SOLVER)


def test_joints_that_do_not_carry_the_frame_stay_where_they_are():
    robot = qddot.load("panda_hand")
    near = np.append(PANDA.home, 0.02)
    X = robot.pose(robot.random_positions((), 4), "panda_link4")
    s = robot.inverse_kinematics(X, "panda_link4", near=near)
    assert s.found
    np.testing.assert_array_equal(s.q[4:], near[4:])


def test_a_pose_with_few_digits_is_straightened():
    X = PANDA.pose(PANDA.home, "tool").round(7)
    s = PANDA.inverse_kinematics(X, "tool")
    assert s.found
    assert np.abs(s.pose - X).max() < 1e-6


def _far(q, near):
    return np.linalg.norm(q - near, axis=1)


@pytest.mark.parametrize("match", ["pose", "rotation", "x", "z"])
def test_half_a_turn_is_not_taken_for_none(match):
    """At half a turn sin θ is 0: a SCARA cannot have its tool upside down."""
    X = SCARA.pose(SCARA.home, "tool")
    X[:3, :3] = X[:3, :3] @ np.diag([-1, 1, -1])
    for near in (SCARA.home, SCARA.home[None]):
        s = SCARA.inverse_kinematics(X, "tool", near=near, match=match)
        there = np.abs(s.pose - X).reshape(4, 4)[:3, :3]
        columns = ["xyz".index(match)] if match in "xyz" else [0, 1, 2]
        assert s.found.all() == (there[:, columns].max() < ROUND_OFF)
        assert s.found.all() or np.isclose(s.error.max(), np.pi)
