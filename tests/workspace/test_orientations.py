"""The share of orientations at a place: what geometry says, of arms whose reach is known."""

import json

import numpy as np
import pytest
from command_line import run
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import qddot
from qddot.workspace import dexterity_at
from qddot.workspace.orientations import _rotations

SOLID = {"mass": 1, "inertia": [0.1, 0, 0, 0.1, 0, 0.1]}
# shoulder and elbow of 0.5 and 0.4 m, then a spherical wrist and 0.1 m to the tool
WRIST = qddot.from_dh(
    [
        {"alpha": "pi/2"} | SOLID,
        {"a": 0.5} | SOLID,
        {"alpha": "pi/2"} | SOLID,
        {"d": 0.4, "alpha": "-pi/2"} | SOLID,
        {"alpha": "pi/2"} | SOLID,
        {"d": 0.1} | SOLID,
    ],
    "standard",
)
PLANAR = qddot.from_dh([{"a": 1.0} | SOLID, {"a": 0.8} | SOLID, {"a": 0.3} | SOLID], "standard")
PLACES = np.array([[0.5, 0.3, 0.2], [0.9, 0.0, 0.1], [0.0, -0.2, 0.0], [0.2, 0.95, 0.0]])


def within(points, least, most):
    far = np.linalg.norm(points, axis=-1)
    return (far > least) & (far < most)


def test_a_spherical_wrist_takes_any_orientation_that_leaves_its_centre_within_reach():
    found = dexterity_at(WRIST, PLACES, "tool", count=200)
    centre = PLACES[:, None] - 0.1 * found.rotations[:, :, 2]
    expected = within(centre, 0.1, 0.9)
    assert found.sure
    assert (found.reached == expected).all()
    assert found.share[0] == 1
    assert 0 < found.share[3] < 1
    X = WRIST.pose(found.q[found.reached], "tool")
    assert_allclose(
        X[:, :3, 3], np.repeat(PLACES, found.reached.sum(axis=1), axis=0), rtol=0, atol=1e-12
    )
    wanted = np.broadcast_to(found.rotations, (4, 200, 3, 3))[found.reached]
    assert_allclose(X[:, :3, :3], wanted, rtol=0, atol=1e-12)
    assert np.isnan(found.q[~found.reached]).all()


def test_directions_of_an_axis_leave_the_turn_about_it_free():
    found = dexterity_at(WRIST, PLACES[[0, 3]], "tool", approach="z", count=40)
    expected = within(PLACES[[0, 3], None] - 0.1 * found.rotations[:, :, 2], 0.1, 0.9)
    assert not found.sure
    assert (found.reached == expected).all()
    axis = WRIST.pose(found.q[found.reached], "tool")[:, :3, 2]
    wanted = np.broadcast_to(found.rotations[:, :, 2], (2, 40, 3))[found.reached]
    assert_allclose(axis, wanted, rtol=0, atol=1e-8)


def test_in_a_plane_turns_are_counted():
    p = np.array([[1.0, 0.5, 0], [1.9, 0, 0], [0, 2.05, 0], [0.1, 0, 0], [3, 0, 0]])
    found = dexterity_at(PLANAR, p, count=90)
    elbow = p[:, None] - 0.3 * found.rotations[:, :, 0]
    assert (found.reached == within(elbow, 0.2, 1.8)).all()
    assert_allclose(found.share[[0, 4]], [1, 0])
    assert "0 % to 100 %" in str(found)
    assert "Dexterity" in found._repr_html_()


def test_limits_are_kept_and_a_redundant_arm_is_searched():
    panda = qddot.load("panda")
    found = dexterity_at(panda, [0.4, 0.1, 0.4], count=48)
    assert found.reached.shape == (48,)
    assert 0.2 < found.share < 1
    q = found.q[found.reached]
    assert ((q >= panda.limits.lower) & (q <= panda.limits.upper)).all()
    assert "search" in str(found)


def test_the_command_line_says_it_of_one_place():
    done = run("workspace", "scara", "--at", "0.3,0.2,0.1")
    assert done.returncode == 0
    assert "of 256 orientations" in done.stdout
    facts = json.loads(run("workspace", "scara", "--at", "0.3,0.2,0.1", "--json").stdout)
    assert facts["share"] == dexterity_at("scara", [0.3, 0.2, 0.1]).share
    assert "shape" in run("workspace", "scara", "--at", "0.3,0.2").stderr
    assert "--at" in run("workspace", "scara", "--at", "1,1,0", "--box", "j1=0:1").stderr


@pytest.mark.parametrize("approach", [None, "x", "y", "z"])
def test_orientations_are_spread_evenly(approach):
    R = _rotations(WRIST, "tool", approach, 500)
    assert_allclose(R @ R.swapaxes(1, 2), np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=1e-14)
    assert_allclose(np.linalg.det(R), 1)
    axes = "xyz" if approach is None else approach
    for axis in axes:  # the mean and the second moments of a uniform sphere
        v = R[:, :, "xyz".index(axis)]
        assert_allclose(v.mean(axis=0), 0, rtol=0, atol=0.02)
        assert_allclose(v.T @ v / 500, np.eye(3) / 3, rtol=0, atol=0.02)
    if approach is None:  # no rotation is far from all of these
        some = Rotation.random(200, rng=np.random.default_rng(0)).as_matrix()
        cosine = (np.einsum("aij,bij->ab", some, R) - 1) / 2
        assert np.arccos(cosine.max(axis=1).clip(-1, 1)).max() < 0.6
