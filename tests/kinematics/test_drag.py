"""Dragging a frame: from where the arm is, step by step, and what hinders is named."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from made import ARM, PANDA, UR5
from nearness import ROUND_OFF, SOLVER

import qddot
from qddot.errors import QddotError
from qddot.kinematics.hindrance import Hindrance

READY = np.array([0.2, -0.4, 0.1, -1.9, 0.3, 1.7, 0.5])
UP = np.array([0.3, -1.1, 1.4, 0.5, 0.9, -0.7])


@pytest.mark.parametrize(("robot", "q"), [(PANDA, READY), (UR5, UP)], ids=["panda", "ur5"])
def test_a_hand_that_goes_round_is_followed_without_a_jump(robot, q):
    tool, start, at = robot.at("tool"), robot.pose(q, "tool"), q
    for angle in np.linspace(0, 2 * np.pi, 60):
        X = start.copy()
        X[:3, 3] += 0.05 * np.array([np.sin(angle), 0, 1 - np.cos(angle)])
        s = tool.drag(X, at)
        assert s.found
        assert not s.hindrance
        assert np.abs(s.pose - X).max() < ROUND_OFF
        assert np.abs(s.q - at).max() < 0.05
        at = s.q
    assert np.abs(at - q).max() < (0.02 if robot.n > 6 else SOLVER)  # seven joints may drift


def test_out_of_reach_it_comes_as_close_as_it_can_and_says_what_hinders():
    far = [3.0, 4.0, 0.0]
    s = ARM.drag(far, ARM.tip, [0.1, 1.0], match="position")
    length = ARM.pose([0.0, 0.0], ARM.tip)[0, 3]
    assert s.error[1] == pytest.approx(5 - length)
    np.testing.assert_allclose(s.pose[:3, 3], [0.6 * length, 0.8 * length, 0], rtol=0, atol=1e-4)
    assert s.hindrance == Hindrance(reach=True, singular=True)
    assert "out of reach" in s.missed()
    assert s.to_dict()["hindrance"] == asdict(s.hindrance)


def test_a_limit_that_holds_a_joint_back_is_named():
    arm = qddot.load("stanford")
    q, high = np.array([0.3, 1.2, 0.0, 0.4, 0.9, 0.2]), arm.limits.upper[2]
    X = arm.pose(np.where(np.arange(6) == 2, high + 0.05, q), "tool")
    q[2] = high - 0.01
    s = arm.drag(X, "tool", q)
    assert not s.found
    assert s.q[2] == high
    assert s.error[1] < 0.05
    assert s.hindrance == Hindrance(limits=("j3",))
    assert "the limits of j3" in str(s.hindrance)


def test_an_arm_that_is_stretched_out_is_dragged_back():
    """Jᵀe is zero there: no step leads anywhere from just that place."""
    straight = np.array([0.3, 0.0])
    p = ARM.pose(straight, ARM.tip)[:3, 3]
    s = ARM.drag(0.8 * p, ARM.tip, straight, match="position")
    assert s.found
    np.testing.assert_allclose(s.pose[:3, 3], 0.8 * p, rtol=0, atol=ROUND_OFF)


def test_a_joint_goes_no_farther_than_it_may_and_gets_there_in_the_end():
    X, at = UR5.pose(UP + np.array([0.5, -0.4, 0.3, 0.2, -0.3, 0.6]), "tool"), UP
    for _ in range(7):
        s = UR5.drag(X, "tool", at, most=0.1)
        assert np.abs(s.q - at).max() <= 0.1 + 1e-12
        assert s.error[1] == pytest.approx(np.linalg.norm(s.pose[:3, 3] - X[:3, 3]))
        assert not s.hindrance
        at = s.q
    assert s.found
    assert np.abs(s.pose - X).max() < ROUND_OFF


def test_a_singular_wrist_is_told_where_it_is_reached():
    q = UP * [1, 1, 1, 1, 0, 1] + [0, 0, 0, 0, 1e-4, 0]
    s = UR5.drag(UR5.pose(q, "tool"), "tool", q)
    assert s.found
    assert s.hindrance == Hindrance(singular=True)


def test_directions_in_which_the_frame_never_moves_are_not_singular():
    rows = [{"a": 1.0, "mass": 1, "inertia": [0.1, 0, 0, 0.1, 0, 0.1]}] * 4
    arm = qddot.from_dh(rows, "standard")  # four links in a plane: J has three rows that count
    s = arm.drag(arm.pose([0.1, 0.7, -0.5, 0.9], "tool"), "tool", [0.1, 0.7, -0.5, 0.9])
    assert s.found
    assert not s.hindrance


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("row", [0, 2])
def test_a_pose_that_is_nowhere_is_refused(row, value):
    robot = qddot.load("two_link")
    X = robot.pose([0.3, 0.4], "tool")
    X[row, 3] = value
    for ask, q in ((robot.drag, {"q": [0.3, 0.4]}), (robot.inverse_kinematics, {})):
        with pytest.raises(QddotError, match="NaN or infinity"):
            ask(X, "tool", **q)
