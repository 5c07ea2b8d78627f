"""Scenes of arms: every point is where the robot's own frames are, and all of it is plain data."""

import json
import re
from functools import cache

import numpy as np
import pytest
from long import long, one_in
from nearness import assert_close
from numpy.testing import assert_allclose
from random_trees import deep_tree

import qddot
from qddot.errors import BadArgument, UnknownName, WrongShape
from qddot.present.figures.arm_scene import arm_scene
from qddot.present.figures.skeleton import half_axes
from qddot.robot import Robot

ROUNDED = {"rtol": 0, "atol": 1e-5}  # scenes are written to a hundredth of a millimetre

SIX = one_in(2, ("panda", "ur5", "puma560", "scara", "two_link", "rp"))
UPRIGHT = ("two_link", "rp", "double_pendulum", "pendulum", "mass_spring_damper")
PARTS = {"lines", "joints", "bodies", "ellipsoids", "turns", "arrows", "poses"}
STILL = {"up", "floor", "box", "look", "scale"}


@cache
def robot_of(name):
    return Robot(deep_tree(1, 6)) if name == "two arms" else qddot.load(name)


@cache
def scene_of(name):
    return arm_scene(robot_of(name))


def some_q(robot):
    return np.random.default_rng(1).uniform(-1, 1, robot.n)


@pytest.mark.parametrize("name", [*SIX, "two arms"])
def test_lines_go_through_the_origins_of_the_frames(name):
    robot = robot_of(name)
    q = some_q(robot)
    scene = scene_of(name).scene(q)
    points = np.array([point for line in scene["lines"] for point in line])
    for joint, drawn in zip(robot.model.joints, moving(robot, scene), strict=True):
        if drawn is None or not joint.turns:
            continue
        where = robot.pose(q, joint.child)[:3, 3]
        assert_allclose(drawn["at"], where, **ROUNDED)
        assert np.abs(points - where).max(axis=1).min() <= ROUNDED["atol"]


def moving(robot, scene):
    """Return what is drawn for each joint of the model, None for one that does not move."""
    drawn = iter(scene["joints"])
    return [next(drawn) if joint.moves else None for joint in robot.model.joints]


@pytest.mark.parametrize("name", SIX)
def test_the_last_line_ends_at_the_tip(name):
    robot = robot_of(name)
    q = some_q(robot)
    end = scene_of(name).scene(q)["lines"][-1][-1]
    frame = "tool" if "tool" in robot.frame_names else robot.model.links[-1].name
    assert robot.tip == frame
    if "tool" in robot.frame_names:
        assert_allclose(end, robot.pose(q, frame)[:3, 3], **ROUNDED)


@pytest.mark.parametrize("name", [*SIX, "two arms"])
def test_axes_are_what_the_joints_turn_and_slide_about(name):
    """The Jacobian's column of a joint is its axis, in its upper half or in its lower one."""
    robot = robot_of(name)
    q = some_q(robot)
    for k, (joint, drawn) in enumerate(
        (joint, drawn)
        for joint, drawn in zip(
            robot.model.joints, moving(robot, scene_of(name).scene(q)), strict=True
        )
        if drawn is not None
    ):
        J = robot.jacobian(q, joint.child)[:, k]
        assert drawn["turns"] == joint.turns
        assert drawn["label"] == f"q{k + 1}"
        assert_allclose(drawn["axis"], J[:3] if joint.turns else J[3:], **ROUNDED)


@pytest.mark.parametrize("name", ["panda", "scara", "two arms"])
def test_bodies_are_where_the_masses_are(name):
    """The centre of mass of the robot is that of its drawn bodies."""
    robot = robot_of(name)
    q = some_q(robot)
    bodies = scene_of(name).scene(q)["bodies"]
    masses = [float(body.inertia.m) for body in robot.tree.bodies if float(body.inertia.m) > 0]
    middle = np.average([body["at"] for body in bodies], axis=0, weights=masses)
    assert_allclose(middle, robot.center_of_mass(q), **ROUNDED)


def test_a_body_that_is_an_ellipsoid_is_drawn_as_that_ellipsoid():
    half = np.array([0.14, 0.11, 0.08])  # of a solid of 3 kg
    inertia = 3.0 / 5 * (np.sum(half**2) - half**2)
    link = {"type": "revolute", "a": 1.0, "mass": 3.0, "com": [0, 0, 0], "inertia": [*inertia]}
    robot = qddot.from_dh([link, {**link}], "standard")
    found = half_axes(robot.tree, size=2.0)
    lengths = np.sort(np.linalg.norm(found, axis=1), axis=1)
    assert_close(lengths, [np.sort(half)] * 2)


def test_point_masses_can_be_seen_and_no_body_is_wider_than_its_arm():
    for name in ("double_pendulum", "two_link", "panda"):
        robot = qddot.load(name)
        lengths = np.linalg.norm(half_axes(robot.tree, size=1.0), axis=1)
        assert lengths.min() > 0.02
        assert np.sort(lengths, axis=1)[:, :2].max() < 0.1


@pytest.mark.parametrize("name", UPRIGHT)
def test_planar_arms_stand_upright_and_are_seen_from_their_front(name):
    still = scene_of(name).still()
    up = np.array(still["up"])
    assert_close(up, [0, 1, 0])
    # their plane is x y: the eye is in front of it, x to the right
    azimuth = still["look"]["azimuth"]
    right, back = np.array([1.0, 0, 0]), np.cross(up, [1.0, 0, 0])
    eye = np.cos(azimuth) * right + np.sin(azimuth) * back
    assert eye @ [0, 0, 1] > 0.8
    low, _ = still["box"]
    assert still["floor"] < low[1]


@pytest.mark.parametrize("name", ["panda", "ur5", "puma560", "scara"])
def test_arms_on_a_table_stand_on_it(name):
    still = scene_of(name).still()
    assert still["up"] == [0, 0, 1]
    assert still["floor"] == 0


def test_an_arm_that_hangs_from_the_ceiling_hangs():
    still = arm_scene(qddot.load("panda").with_gravity((0, 0, 9.81))).still()
    assert still["up"] == [0, 0, -1]


@pytest.mark.parametrize("name", [*SIX, "two arms"])
def test_the_arm_is_in_view_at_first_and_mostly_everywhere(name):
    robot = robot_of(name)
    scene = scene_of(name)
    low, high = np.array(scene.still()["box"])
    middle, size = (low + high) / 2, (high - low).max()
    for seed in range(20):
        q = np.random.default_rng(seed).uniform(-1, 1, robot.n)
        points = np.array([p for line in scene.scene(q)["lines"] for p in line])
        assert np.abs(points - middle).max() < 1.5 * size


@pytest.mark.parametrize("name", [*SIX, *long("baxter"), "two arms"])
def test_a_scene_is_plain_data_without_names_of_files(name):
    robot = robot_of(name)
    scene = scene_of(name).scene(some_q(robot), ellipsoid=True, gravity_torques=True)
    assert set(scene) == PARTS | STILL
    text = json.dumps(scene, allow_nan=False)
    assert not [word for word in robot.joint_names if f'"{word}"' in text]
    colours = re.findall(r'"colour": "([^"]*)"', text)
    assert colours
    assert all(re.fullmatch(r"#[0-9a-fA-F]{6}", colour) for colour in colours)


def test_what_stands_still_is_the_same_at_every_q():
    scene = scene_of("ur5")
    for seed in range(3):
        shown = scene.scene(np.random.default_rng(seed).uniform(-3, 3, 6))
        assert {name: shown[name] for name in STILL} == {
            name: value for name, value in scene.still().items() if name != "surfaces"
        }
    assert scene.still()["surfaces"] == scene.surfaces.packed()


@pytest.mark.parametrize("name", ["panda", "scara", "two arms"])
def test_poses_are_those_of_the_bodies(name):
    robot = robot_of(name)
    q = some_q(robot)
    poses = np.array(scene_of(name).scene(q)["poses"])
    for i, body in enumerate(robot.tree.bodies):
        expected = robot.pose(q, robot.model.joint(body.name).child)
        assert_allclose(poses[i], expected[:3], **ROUNDED)


def test_the_ellipsoid_has_the_axes_of_the_effective_mass():
    robot, scene = robot_of("panda"), scene_of("panda")
    q = np.array([0.3, -0.5, 0.1, -2.1, 0.2, 1.7, 0.7])
    [drawn] = scene.scene(q, ellipsoid=True)["ellipsoids"]
    matrix = robot.effective_mass(q, "tool", axes="linear")
    axes = np.array(drawn["axes"])
    masses = np.linalg.norm(axes, axis=1) / scene.reach_of_mass
    within = masses < 0.99 * masses.max()
    assert within.any()
    for axis, mass in zip(axes[within], masses[within], strict=True):
        direction = axis / np.linalg.norm(axis)
        assert_allclose(matrix @ direction, mass * direction, rtol=2e-3, atol=2e-3)
    assert_allclose(drawn["at"], robot.pose(q, "tool")[:3, 3], **ROUNDED)
    elsewhere = scene.scene(q, ellipsoid=True, frame="panda_link4")["ellipsoids"][0]
    assert_allclose(elsewhere["at"], robot.pose(q, "panda_link4")[:3, 3], **ROUNDED)


def test_directions_that_are_blocked_are_long_and_not_infinite():
    scene = scene_of("two_link")
    [drawn] = scene.scene([0.3, 0.0], ellipsoid=True)["ellipsoids"]
    lengths = np.linalg.norm(drawn["axes"], axis=1)
    assert lengths.max() < scene.size
    assert re.fullmatch(r"[\d.]+ kg", drawn["label"])


def test_arrows_round_the_joints_are_the_gravity_torques():
    robot, scene = robot_of("panda"), scene_of("panda")
    q = some_q(robot)
    turns = scene.scene(q, gravity_torques=True)["turns"]
    torques = robot.gravity_torque(q)
    for turn in turns:
        k = int(
            np.argmin([abs(float(turn["label"].replace("−", "-").split()[0]) - t) for t in torques])
        )
        assert np.sign(turn["amount"]) == np.sign(torques[k])
        assert_close(turn["amount"], torques[k] / scene.heaviest.max())
    assert 2 <= len(turns) <= 6  # the first joint is upright and has none
    falling = arm_scene(robot.with_gravity((0, 0, 0))).scene(q, gravity_torques=True)
    assert falling["turns"] == []


def test_a_joint_that_slides_shows_its_force_as_an_arrow():
    robot = robot_of("scara")
    [arrow] = scene_of("scara").scene(np.zeros(4), gravity_torques=True)["arrows"]
    force = robot.gravity_torque(np.zeros(4))[2]
    along = np.subtract(arrow["to"], arrow["from"])
    assert arrow["label"] == f"{force:.3g} N".replace("-", "−")
    axis = robot.jacobian(np.zeros(4), "tool")[3:, 2]
    assert along @ axis * force > 0


def test_known_masses_and_torques_need_not_be_found_again():
    robot, scene = robot_of("ur5"), scene_of("ur5")
    q = some_q(robot)
    known = robot.principal_masses(q, robot.tip, axes="linear"), robot.gravity_torque(q)
    again = scene.scene(q, ellipsoid=known[0], gravity_torques=known[1])
    assert again == scene.scene(q, ellipsoid=True, gravity_torques=True)


def test_what_cannot_be_drawn_is_refused():
    scene = scene_of("two_link")
    with pytest.raises(WrongShape, match=r"q has shape \(3,\)"):
        scene.scene([1, 2, 3])
    with pytest.raises(BadArgument, match="not an array of real numbers"):
        scene.scene(["a", "b"])
    with pytest.raises(BadArgument, match="is nan; it must be finite"):
        scene.scene([0, np.nan])
    with pytest.raises(UnknownName, match="no frame named 'hand'"):
        scene.scene([0, 0], ellipsoid=True, frame="hand")
    with pytest.raises(BadArgument, match="no joint that moves"):
        arm_scene(qddot.load("two_link").locked({"j1": 0.0, "j2": 0.0}))


@pytest.mark.parametrize("name", ["two_link", "rp", "double_pendulum"])
def test_planar_arms_never_leave_the_view_nor_reach_the_floor(name):
    robot, scene = robot_of(name), scene_of(name)
    still = scene.still()
    low, high = np.array(still["box"])
    room = 0.05 * (high - low).max()
    for seed in range(30):
        limits = [0.5 if not joint.turns else np.pi for joint in robot.model.free_joints]
        q = np.random.default_rng(seed).uniform(-1, 1, robot.n) * limits
        points = np.array([p for line in scene.scene(q)["lines"] for p in line])
        assert (points > low - room).all()
        assert (points < high + room).all()
        assert (points[:, 1] > still["floor"]).all()
