"""`qddot ik`: joint positions for a pose, or how close it comes."""

import json

import numpy as np
import pytest
from command_line import run
from made import PANDA

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


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "Give --pose"),
        (["--pose", "0,0,1,0,0,0", "--position", "0,0,1"], "one of them"),
        (["--pose", "0,0,1"], "--pose holds 3 numbers; give 6"),
        (["--position", "0,0,1", "--near", "0"], "--near holds 1 numbers; give 7"),
        (["--position", "0,0,1", "--near", "9,0,0,-1,0,1,0"], "panda_joint1"),
        (["--position", "0,0,1", "--frame", "tol"], "Did you mean 'tool'"),
        (["--position", "0,0,one"], "--position"),
        (["--pose", "0,0,1,0,0,0", "--match", "w"], "There is no match 'w'"),
        (["--position", "0,0,1", "--starts", "-2"], "starts"),
    ],
)
def test_what_is_wrong_is_told_with_status_2(words, told):
    done = run("ik", "panda", *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) <= 6
    assert not done.stdout
