"""Lines and arcs of a frame: where it should be, and the joints that take it there."""

import numpy as np
import pytest
from made import PANDA

from qddot.errors import BadArgument
from qddot.motions import CartesianArc, CartesianLine, check_limits

READY = np.array([0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.7])
TOLERANCE = 1e-7  # [m] and [rad], what the joints are off between their nodes by default


@pytest.fixture(scope="module")
def panda():
    return PANDA


def start_of(robot, q):
    return robot.pose(q, "tool")[:3, 3]


@pytest.mark.parametrize("orientation", ["kept", "free"])
@pytest.mark.parametrize(
    "how",
    [
        dict(duration=2.0),
        dict(velocity=0.3, acceleration=1.0),
        dict(velocity=0.3, acceleration=1.0, jerk=10.0),
    ],
)
def test_the_joints_take_the_frame_along_its_line(panda, how, orientation):
    end = start_of(panda, READY) + np.array([-0.1, 0.3, 0.1])
    line = CartesianLine(panda, "tool", READY, end, orientation=orientation, **how)
    t = np.linspace(-0.1, line.duration + 0.1, 2001)
    x, xd, xdd = line.sampled(t)
    joints = line.joints
    q, qd, qdd = joints.sampled(t)
    found = panda.point_motion(q, qd, qdd, "tool")
    assert line.joints_error <= TOLERANCE
    assert found[0] == pytest.approx(x, abs=1.1 * TOLERANCE)
    assert found[1] == pytest.approx(xd, abs=1e-5)
    assert found[2] == pytest.approx(xdd, abs=1e-3)
    # at the ends, which are nodes
    assert start_of(panda, q[-1]) == pytest.approx(end, abs=1e-8)
    assert q[0] == pytest.approx(READY, abs=1e-12)
    if orientation == "kept":
        R = panda.pose(q, "tool")[:, :3, :3]
        assert R - R[0] == pytest.approx(np.zeros_like(R), abs=2 * TOLERANCE)
    assert len(joints.path.curve.starts) <= 32
    assert len(joints.program) < 3000


def test_a_line_is_straight_and_keeps_its_velocity(panda):
    end = start_of(panda, READY) + np.array([0.0, 0.4, 0.0])
    line = CartesianLine(panda, "tool", READY, end, velocity=0.5, acceleration=2.0)
    x, xd, xdd = line.sampled(np.linspace(0, line.duration, 1001)[:-1])
    assert x[:, [0, 2]] == pytest.approx(np.tile(line.start[[0, 2]], (1000, 1)), abs=1e-12)
    assert np.abs(xd).max() == pytest.approx(0.5)
    assert np.abs(xdd).max() == pytest.approx(2.0)
    assert line.duration == pytest.approx(0.4 / 0.5 + 0.5 / 2.0)


def test_an_arc_stays_at_its_radius_and_comes_back_after_a_turn(panda):
    center = start_of(panda, READY) + np.array([-0.1, 0.0, 0.05])
    arc = CartesianArc(panda, "tool", READY, center, [0, 0, 2.0], 2 * np.pi, duration=5.0)
    t = np.linspace(0, 5, 1001)
    x, xd, _ = arc.sampled(t)
    assert arc.radius == pytest.approx(0.1)
    assert np.linalg.norm((x - center)[:, :2], axis=1) == pytest.approx(np.full(1001, 0.1))
    assert x[:, 2] == pytest.approx(np.full(1001, arc.start[2]))
    assert x[-1] == pytest.approx(arc.start, abs=1e-12)
    assert xd[100, 1] > 0  # right-handed about z
    found = start_of(panda, arc.joints.sampled(t)[0][700])
    assert found == pytest.approx(x[700], abs=1.1 * TOLERANCE)
    back = CartesianArc(panda, "tool", READY, center, [0, 0, 2.0], -1.0, duration=5.0)
    assert back.at(0.5)[1][1] < 0


def test_a_smaller_tolerance_takes_more_pieces(panda):
    end = start_of(panda, READY) + np.array([-0.1, 0.3, 0.1])
    lines = [
        CartesianLine(panda, "tool", READY, end, duration=2.0, tolerance=x) for x in (1e-4, 1e-9)
    ]
    few, many = (len(line.joints.path.curve.starts) for line in lines)
    assert few < many
    assert lines[1].joints_error <= 1e-9


def test_the_joints_of_a_line_are_checked_against_their_limits(panda):
    end = start_of(panda, READY) + np.array([-0.1, 0.3, 0.1])
    with pytest.raises(BadArgument, match=r"leaves the limits of joint .* its velocity would be"):
        CartesianLine(panda, "tool", READY, end, duration=0.1)
    check_limits(panda, CartesianLine(panda, "tool", READY, end, duration=3.0), torque=True)


def test_a_line_out_of_reach_says_how_far_it_can_be_followed(panda):
    end = start_of(panda, READY) + np.array([0.8, 0.0, 0.1])
    with pytest.raises(BadArgument, match=r"beyond 0.2\d* m of 0.806\d m, at \(0.7\d*, "):
        CartesianLine(panda, "tool", READY, end, duration=5.0)


@pytest.mark.parametrize("orientation", ["kept", "free"])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-7])
def test_the_error_that_is_told_is_not_passed_anywhere(panda, orientation, tolerance):
    """In length and in angle, at places that nobody looked at."""
    end = start_of(panda, READY) + np.array([-0.2, 0.45, 0.15])
    more = dict(duration=4.0, orientation=orientation, tolerance=tolerance)
    line = CartesianLine(panda, "tool", READY, end, **more)
    s = np.linspace(0, line.length, 4999)
    q = line.joints.path.curve.values(s)[0]
    X, R = panda.pose(q, "tool"), panda.pose(READY, "tool")[:3, :3]
    off = np.linalg.norm(X[:, :3, 3] - np.array([line.place(x)[0] for x in s]), axis=1).max()
    if orientation == "kept":
        cosine = np.einsum("kij,ij->k", X[:, :3, :3] - R, R) / 2 + 1
        off = max(off, np.sqrt(np.abs(2 * (1 - cosine))).max() * (tolerance > 1e-6))
    assert off <= line.joints_error <= tolerance
    assert line.joints_error < 1.1 * off or tolerance < 1e-6
