"""`qddot ik`: joint positions for a pose, or how close it comes."""

import json

import numpy as np
import pytest
from command_line import run
from made import PANDA, UR5

from qddot.spatial.rotation import to_rpy

Q = np.array([0.2, -0.4, 0.1, -1.9, 0.3, 1.7, 0.5])


def written(numbers):
    return ",".join(f"{x:.17g}" for x in numbers)


def test_a_pose_is_answered_by_joint_positions():
    X = PANDA.pose(Q, "tool")
    pose = written([*X[:3, 3], *to_rpy(X[:3, :3])])
    done = run("ik", "panda", "--pose", pose, "--near", written(Q + 0.01), "--json")
    facts = json.loads(done.stdout)
    assert done.returncode == 0
    assert facts["found"] is True
    assert facts["joints"] == list(PANDA.joint_names)
    np.testing.assert_allclose(PANDA.pose(facts["q"], "tool"), X, rtol=0, atol=1e-12)
    assert "panda_joint7" in run("ik", "panda", "--pose", pose).stdout


def test_out_of_reach_has_status_1_and_says_how_close_it_comes():
    done = run("ik", "panda", "--position", "3,0,0.5")
    assert done.returncode == 1
    assert "comes within 2.1" in done.stdout
    facts = json.loads(run("ik", "panda", "--position", "3,0,0.5", "--json").stdout)
    assert facts["found"] is False
    assert facts["missing_m"] > 2


def test_angles_that_look_like_degrees_are_doubted():
    told = run("ik", "ur5", "--pose", "0.3,0.2,0.4,180,0,0", "--near", "0,-90,0,0,0,0").stderr
    assert "--pose: roll is at 180 rad" in told
    assert "--near: shoulder_lift_joint is at -90 rad" in told
    assert "180deg" in told
    assert not run("ik", "ur5", "--pose", "0.3,0.2,0.4,180deg,0,0").stderr


def test_a_position_in_millimetres_is_doubted():
    told = run("ik", "ur5", "--pose", "300,200,400,pi,0,0").stdout
    assert "looks like millimetres" in told
    assert "millimetres" not in run("ik", "ur5", "--pose", "3,0,0,0,0,0").stdout


def test_limits_are_blamed_where_they_alone_keep_a_pose_from_being_reached():
    told = run("ik", "scara", "--pose", "0.4,0.2,0.1,pi,0,0").stdout
    assert "Without the limits of j3 it is reached" in told
    assert "asks for 6 numbers" in run("ik", "scara", "--pose", "0.4,0.2,0.1,1,0,0").stdout


def test_the_steps_of_a_closed_form_can_be_asked_for_by_name():
    done = run("derive", "ik", "scara")
    assert done.returncode == 0
    assert done.stdout == run("derive", "scara", "--ik").stdout
    assert "ROBOT_OF_IK" not in run("derive", "--help").stdout


def test_the_steps_of_seven_joints_have_one_that_is_given():
    done = run("derive", "ik", "panda", "--free", "panda_joint7")
    assert "up to 8 solutions" in done.stdout


def test_every_solution_is_printed():
    pose = "0.3,0.2,0.4,pi,0,0"
    facts = json.loads(run("ik", "ur5", "--pose", pose, "--all", "--json").stdout)
    X = UR5.pose(facts["q"], "tool")
    assert facts["found"] is True
    assert np.ptp(X, axis=0).max() < 1e-12
    assert len(facts["q"]) == len(facts["singular"]) > 4
    done = run("ik", "ur5", "--pose", pose, "--all")
    assert f"{len(facts['q'])} solutions" in done.stdout
    shown = run("ik", "ur5", "--pose", "0.3,0.2,0.4,180deg,0,0", "--all", "--degrees").stdout
    first, *rows = shown.splitlines()
    assert first == f"{len(facts['q'])} solutions [°]"
    degrees = [[float(word) for word in row.split()[:6]] for row in rows]
    np.testing.assert_allclose(degrees, np.degrees(facts["q"]), rtol=0, atol=1e-4)
    given = ["--all", "--free", "panda_joint7=0.5", "--json"]
    held = json.loads(run("ik", "panda", "--pose", "0.5,0,0.4,pi,0,0", *given).stdout)["q"]
    X = PANDA.pose(held, "tool")
    np.testing.assert_allclose(X[:, :3, 3], [[0.5, 0, 0.4]] * len(held), rtol=0, atol=1e-9)
    assert len(held) == 2
    assert np.array(held)[:, 6] == pytest.approx(0.5)
    far = run("ik", "ur5", "--pose", "3,0,0,0,0,0", "--all")
    assert far.returncode == 1
    assert far.stdout.startswith("0 solutions")
    assert "What hinders: out of reach" in far.stdout
    held = run("ik", "scara", "--pose", "0.4,0.2,0.1,pi,0,0", "--all", "--json")
    assert json.loads(held.stdout)["nearest"]["hindrance"]["limits"] == ["j3"]
