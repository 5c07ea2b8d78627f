"""Skeletons: points fixed to bodies, and planes that arms stay in."""

from itertools import pairwise

import numpy as np
import pytest
from long import one_in
from nearness import assert_close

import qddot
from qddot.present.figures.skeleton import skeleton
from qddot.present.figures.view import plane_normal, view_of
from qddot.readers.document import read_document

PLANAR = ("two_link", "rp", "double_pendulum", "pendulum", "mass_spring_damper")
SPATIAL = ("panda", "scara", "ur5", "baxter", "stanford", "so101", "panda_hand")


def random_q(robot, rows=5):
    return np.random.default_rng(0).uniform(-1, 1, size=(rows, robot.n))


@pytest.mark.parametrize("name", one_in(3, [*PLANAR, *SPATIAL]))
def test_links_keep_their_lengths(name):
    """Only what slides changes its length: the other pieces of a skeleton are rigid."""
    robot = qddot.load(name)
    bones = skeleton(robot.tree)
    points = bones.points(random_q(robot))
    sliding = {joint.point for joint in bones.joints if not joint.turns}
    for line in bones.lines:
        for a, b in pairwise(line):
            lengths = np.linalg.norm(points[:, a] - points[:, b], axis=-1)
            if a not in sliding:
                assert_close(lengths, lengths[0])


@pytest.mark.parametrize("name", ["panda", "scara", "two_link", "ur5"])
def test_the_tip_is_the_tool_and_joints_are_where_their_bodies_are(name):
    robot = qddot.load(name)
    q, bones = random_q(robot), skeleton(robot.tree)
    points = bones.points(q)
    assert_close(points[:, bones.tips[0]], robot.pose(q, "tool")[:, :3, 3])
    for joint in bones.joints:
        if joint.turns:
            child = robot.model.joint(joint.name).child
            where = robot.pose(q, child)[:, :3, 3]
            assert_close(points[:, joint.point], where)


def test_frames_that_are_asked_for_are_points_too():
    robot = qddot.load("panda")
    q, bones = random_q(robot), skeleton(robot.tree, ["panda_link4", "tool"])
    where = robot.pose(q, "panda_link4")[:, :3, 3]
    assert_close(bones.points(q)[:, bones.traced["panda_link4"]], where)


def test_every_part_hangs_together():
    robot = qddot.load("baxter")
    bones = skeleton(robot.tree)
    reached = {bones.lines[0][0]}
    for _ in bones.lines:
        reached |= {k for line in bones.lines if reached & set(line) for k in line}
    assert reached == {k for line in bones.lines for k in line}
    assert len(bones.tips) == 3


@pytest.mark.parametrize("name", PLANAR)
def test_planar_arms_stay_in_their_plane(name):
    robot = qddot.load(name)
    view = view_of(robot.tree)
    assert view.flat
    assert view.names == ("x", "y")
    points = skeleton(robot.tree).points(random_q(robot))
    depth = points @ plane_normal(robot.tree)
    assert_close(depth, np.broadcast_to(depth[0], depth.shape))


@pytest.mark.parametrize("name", SPATIAL)
def test_spatial_arms_do_not(name):
    tree = qddot.load(name).tree
    assert plane_normal(tree) is None
    view = view_of(tree)
    assert view.names == ("x", "y", "z")
    assert_close(view.axes, np.eye(3))


@pytest.mark.parametrize(
    ("gravity", "names"),
    [
        ((0, -9.81, 0), ("x", "y")),
        ((0, 9.81, 0), ("x", "−y")),
        ((-9.81, 0, 0), ("y", "x")),
        ((0, 0, -9.81), ("x", "y")),
        ((0, 0, 0), ("x", "y")),
    ],
)
def test_up_is_against_gravity_where_that_lies_in_the_plane(gravity, names):
    robot = qddot.load("two_link").with_gravity(gravity)
    assert view_of(robot.tree).names == names


def test_up_is_against_gravity_in_space_too():
    tree = qddot.load("panda").with_gravity((0, 0, 9.81)).tree
    assert view_of(tree).names == ("x", "−y", "−z")
    assert_close(np.linalg.det(view_of(tree).axes), 1)


def test_a_chain_that_is_bent_out_of_its_plane_is_spatial():
    rows = [{"a": 1, "alpha": "pi/2"}, {"a": 1}]
    assert plane_normal(qddot.from_dh(rows, convention="standard").tree) is None
    flat = [{"a": 1}, {"a": 1, "alpha": "pi"}, {"a": 1}]
    assert plane_normal(qddot.from_dh(flat, convention="standard").tree) is not None


def test_masses_on_a_spring_are_drawn_apart_with_spring_and_damper_between():
    robot = qddot.load("mass_spring_damper")
    bones = skeleton(robot.tree)
    q = np.array([[0.0, 0.0], [0.3, 0.0], [0.3, 0.3]])
    points = bones.points(q)
    upper, lower = (points[:, joint.point] for joint in bones.joints)
    assert_close(lower - upper, [[0, -1, 0], [0, -0.7, 0], [0, -1, 0]])
    spring, *damper = bones.thin
    assert len(damper) == 4
    for line in (spring, (damper[0][0], damper[-1][-1])):
        top, bottom = points[:, line[0]], points[:, line[-1]]
        assert_close((top - upper)[:, 1], [-0.12] * 3)  # the faces of the blocks
        assert_close((bottom - lower)[:, 1], [0.12] * 3)
    # the blocks are closed, and nothing else is drawn: no bars to the wall
    assert len(bones.lines) == 2
    assert all(line[0] == line[-1] for line in bones.lines)


def test_a_mass_hangs_on_a_spring_from_the_wall_and_the_next_from_it():
    joint = {"type": "prismatic", "parent": "base", "axis": [0, 0, -1]}
    document = {
        "joint": [
            joint | {"name": "x1", "child": "m1", "spring": {"stiffness": 9}},
            joint | {"name": "x2", "child": "m2"},
        ],
        "link": [{"name": f"m{k}", "mass": 1} for k in (1, 2)],
        "coupling": [{"joints": ["x2", "x1"], "stiffness": 5}],
    }
    bones = skeleton(qddot.Robot(read_document(document, "two")).tree)
    points = bones.points(np.zeros(2))
    assert [points[joint.point, 2] for joint in bones.joints] == [-1, -2]
    assert len(bones.thin) == 2  # two springs, no damper
    assert len(bones.lines) == 3  # two blocks and the wall
    assert not skeleton(qddot.load("rp").tree).thin
    assert not skeleton(qddot.load("rp").tree).shifts.any()
