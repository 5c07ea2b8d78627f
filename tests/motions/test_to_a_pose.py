"""Motions of a frame to a full pose: it turns on the way, about an axis that stays the same."""

import numpy as np
import pytest
from made import ARM, PANDA
from nearness import SOLVED
from scipy.linalg import expm

from qddot.errors import BadArgument, QddotError
from qddot.motions import (
    CartesianArc,
    CartesianLine,
    CartesianScrew,
    Move,
    joints_through,
    time_optimal,
)
from qddot.motions.description import Situation, read_motion
from qddot.readers.document import no_lines
from qddot.readers.document_table import DocumentTable
from qddot.spatial.rotation import about_axis, rotation_vector, to_rpy
from qddot.spatial.vector import skew

READY = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.7])
X0 = PANDA.pose(READY, "tool")
TOLERANCE = 1e-7  # what the joints are off between their nodes by default


def goal(angle=0.8, by=(-0.1, 0.2, 0.1)):
    X = X0.copy()
    X[:3, :3] = about_axis(np.array([0.6, 0.0, 0.8]), angle) @ X0[:3, :3]
    X[:3, 3] += by
    return X


def twist(X):
    """Return the matrix S with X = exp(S) X₀, by series: an independent logarithm."""
    w = rotation_vector(X[:3, :3] @ X0[:3, :3].T)
    t = X[:3, 3] - expm(skew(w)) @ X0[:3, 3]
    V = sum(np.linalg.matrix_power(skew(w), k) / float(np.prod(range(1, k + 2))) for k in range(30))
    S = np.zeros((4, 4))
    S[:3, :3], S[:3, 3] = skew(w), np.linalg.solve(V, t)
    return S


@pytest.mark.parametrize("kind", [CartesianLine, CartesianScrew])
def test_the_joints_bring_the_frame_to_the_pose_along_the_way(kind):
    path = kind(PANDA, "tool", READY, end=goal(), duration=2.0)
    t = np.linspace(0, 2, 101)
    q, qd, _ = path.joints.sampled(t)
    X = PANDA.pose(q, "tool")
    assert path.joints_error <= TOLERANCE
    np.testing.assert_allclose(X[-1], goal(), rtol=0, atol=1e-8)
    s = path.profile.curve.values(t)[0][:, 0]
    np.testing.assert_allclose(X, [path.pose(x) for x in s], rtol=0, atol=2 * TOLERANCE)
    # the velocity is that of the path, and the frame turns about one axis
    moving = np.einsum("kij,kj->ki", PANDA.jacobian(q, "tool"), qd)
    rate = path.profile.curve.values(t)[1]
    np.testing.assert_allclose(moving[:, :3], rate * path.spin, rtol=0, atol=1e-5)
    np.testing.assert_allclose(moving[:, 3:], path.sampled(t)[1], rtol=0, atol=1e-5)


def test_a_line_is_straight_and_turns_evenly():
    line = CartesianLine(PANDA, "tool", READY, end=goal(), duration=2.0)
    half = line.pose(line.length / 2)
    np.testing.assert_allclose(half[:3, 3], (X0 + goal())[:3, 3] / 2, rtol=0, atol=1e-15)
    turn = rotation_vector(half[:3, :3] @ X0[:3, :3].T)
    np.testing.assert_allclose(turn, 0.4 * np.array([0.6, 0, 0.8]), rtol=0, atol=SOLVED)


@pytest.mark.parametrize("angle", [0.8, -1.2, 1e-3])
def test_a_screw_is_the_exponential_of_one_twist(angle):
    X = goal(angle)
    screw = CartesianScrew(PANDA.with_options(), "tool", READY, X, duration=9.0, tolerance=1e-3)
    S = twist(X)
    for share in (0.0, 0.3, 0.7, 1.0):
        wanted = expm(share * S) @ X0
        np.testing.assert_allclose(screw.pose(share * screw.length), wanted, rtol=0, atol=SOLVED)
    # s is the length of the way
    slopes = [np.linalg.norm(screw.place(s)[1]) for s in np.linspace(0, screw.length, 5)]
    np.testing.assert_allclose(slopes, 1.0, rtol=0, atol=SOLVED)


def test_a_screw_without_a_turn_is_a_line():
    X = goal(0.0)
    screw = CartesianScrew(PANDA, "tool", READY, X, duration=2.0)
    line = CartesianLine(PANDA, "tool", READY, X, duration=2.0)
    t = np.linspace(0, 2, 11)
    np.testing.assert_allclose(screw.sampled(t), line.sampled(t), rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", [CartesianLine, CartesianScrew])
def test_a_frame_turns_on_the_spot(kind):
    path = kind(PANDA, "tool", READY, goal(0.5, (0, 0, 0)), duration=1.0)
    assert path.length == pytest.approx(0.5)
    X = PANDA.pose(path.joints.sampled(np.linspace(0, 1, 21))[0], "tool")
    np.testing.assert_allclose(X[:, :3, 3], np.tile(X0[:3, 3], (21, 1)), rtol=0, atol=2 * TOLERANCE)
    np.testing.assert_allclose(X[-1], goal(0.5, (0, 0, 0)), rtol=0, atol=1e-8)


def test_an_arc_can_turn_the_frame_along():
    center = X0[:3, 3] + [-0.1, 0, 0.05]
    arc = CartesianArc(
        PANDA, "tool", READY, center, [0, 0, 1], 0.9, duration=2.0, orientation="turned"
    )
    q = arc.joints.sampled(np.array([2.0]))[0][0]
    turned = about_axis((0, 0, 1), 0.9)
    X = PANDA.pose(q, "tool")
    np.testing.assert_allclose(X[:3, :3], turned @ X0[:3, :3], rtol=0, atol=1e-8)
    np.testing.assert_allclose(X[:3, 3], center + turned @ (X0[:3, 3] - center), rtol=0, atol=1e-8)


def test_joint_moves_lead_to_a_pose():
    q = PANDA.inverse_kinematics(goal(), "tool", near=READY).required()
    for motion in (Move(READY, q, 2.0, PANDA), time_optimal(PANDA, [READY, q], pieces=30)):
        end = motion.sampled(np.array([motion.duration]))[0][0]
        np.testing.assert_allclose(PANDA.pose(end, "tool"), goal(), rtol=0, atol=1e-8)


@pytest.mark.parametrize("description", ["to_pose", "move"])
def test_a_pose_can_be_described(description):
    X = goal()
    six = [*X[:3, 3].tolist(), *to_rpy(X[:3, :3])]
    key = "pose" if description == "move" else "target"
    given = {"kind": description, key: six, "duration": 2.0}
    table = DocumentTable(given, (), [], no_lines)
    motion = read_motion(table, Situation(PANDA, READY, "tool", "xyz", False))
    assert not table.found
    end = motion.sampled(np.array([2.0]))[0][0]
    np.testing.assert_allclose(PANDA.pose(end, "tool"), X, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("end", "how", "words"),
    [
        (np.eye(4) * 1.1, {}, "no pose"),
        (np.stack([X0, X0]), {}, "end has shape"),
        (goal(), {"orientation": "free"}, "orientation is 'free'"),
        (goal(), {"orientation": "turned"}, "'kept' or 'free'"),
        (X0, {}, "already"),
        (goal(0.3, (2, 0, 0)), {}, "out of reach|singular"),
    ],
)
def test_a_pose_that_cannot_be_the_end_is_refused(end, how, words):
    for kind in (CartesianLine, CartesianScrew):
        with pytest.raises(QddotError, match=words):
            kind(PANDA, "tool", READY, end, duration=2.0, **how)


def test_an_arm_with_too_few_joints_says_so():
    X = ARM.pose([0.3, 1.2], "tool")
    X[:3, 3] = ARM.pose([0.5, 1.0], "tool")[:3, 3]
    with pytest.raises(BadArgument, match="cannot follow its path"):
        CartesianLine(ARM, "tool", [0.3, 1.2], X, duration=1.0)


def test_poses_are_followed_one_after_the_other():
    line = CartesianLine(PANDA, "tool", READY, end=goal(), duration=2.0)
    poses = np.array([line.pose(s) for s in np.linspace(0, line.length, 20)])
    rows = joints_through(PANDA, "tool", poses, READY)
    np.testing.assert_allclose(PANDA.pose(rows, "tool"), poses, rtol=0, atol=1e-12)
    assert np.abs(np.diff(rows, axis=0)).max() < 0.1
    motion = time_optimal(PANDA, rows, pieces=30)
    assert motion.duration > 0
    with pytest.raises(BadArgument, match=r"Pose 1 cannot be followed. Joint .* would move by"):
        joints_through(PANDA, "tool", poses[[0, -1]], READY, jump=0.05)
    poses[3, :3, 3] += 5
    with pytest.raises(BadArgument, match=r"Pose 3 cannot be followed. Frame 'tool'"):
        joints_through(PANDA, "tool", poses, READY)
