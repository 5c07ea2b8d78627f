"""URDF: what is read is what was written, and what is legal but unusual is read too."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearness import assert_close
from numpy.testing import assert_allclose
from strategies import inertial, models, random_rpy, seeds, states

import qddot
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.kinematics import pose
from qddot.dynamics.rnea import gravity_torque
from qddot.errors import BadRobot, NotNumeric, RobotWarning
from qddot.model import Frame, Limits, Mimic, Model, Payload, Placement, build
from qddot.model.folding import fold
from qddot.readers.urdf import read_urdf_text
from qddot.robot import Robot
from qddot.writers.urdf import added_to_urdf, lost_in_urdf, notes_on_urdf, to_urdf

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 0.5"/>
      <mass value="2"/>
      <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.02"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.3" rpy="0 1.5 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
</robot>
"""
LIMIT = '<limit lower="-1" upper="2" effort="10" velocity="3"/>'
BALL = """<inertial><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"""


def arm(old: str = "", new: str = "") -> Model:
    assert old in ARM
    return read_urdf_text(ARM.replace(old, new), "arm.urdf")


def severities(model: Model, words: str) -> list[str]:
    return [problem.severity for problem in model.warnings if words in str(problem)]


# laws


@given(model=models(mimic=True))
def test_a_model_written_and_read_is_the_same_model(model):
    assert read_urdf_text(to_urdf(model), "again") == model


@given(model=models(), seed=seeds, data=st.data())
def test_frames_payloads_and_held_joints_keep_the_dynamics(model, seed, data):
    rng = np.random.default_rng(seed)
    link = data.draw(st.sampled_from([link.name for link in model.links]))
    frame = Frame("tool", link, Placement((0.1, -0.2, 0.3), random_rpy(rng)))
    loads = (Payload("tool", inertial(rng)), Payload(link, inertial(rng)))
    held = model.joint_names[0]
    joints = [replace(j, locked=0.7) if j.name == held else j for j in model.joints]
    model = build("loaded", model.links, joints, frames=(frame,), payloads=loads)
    here, there = fold(model), fold(read_urdf_text(to_urdf(model), "again"))
    assert here.joint_names == there.joint_names
    (q,) = data.draw(states(here.n))
    assert_close(mass_matrix(there, q), mass_matrix(here, q))
    assert_close(gravity_torque(there, q), gravity_torque(here, q))
    written, known = pose(there, q, "tool"), pose(here, q, "tool")
    assert_close(written.matrix().astype(float), known.matrix().astype(float))


@given(model=models(), seed=seeds)
def test_the_order_of_links_and_joints_in_the_file_does_not_change_the_robot(model, seed):
    """Only siblings keep their order, and with it the order of q."""
    text = to_urdf(model)
    head, *elements = text.replace("</robot>\n", "").split("\n  <link ")
    links = [f"\n  <link {element}".partition("\n  <joint ")[0] for element in elements]
    joints = ["\n  <joint " + e.partition("\n  <joint ")[2] for e in elements if "<joint " in e]
    np.random.default_rng(seed).shuffle(links)
    shuffled = head + "".join(joints + links) + "</robot>\n"
    assert read_urdf_text(shuffled, "again") == model


# what is read


def test_every_field_is_read_as_written():
    model = arm()
    joint, link = model.joint("shoulder"), model.link("upper")
    assert (model.name, joint.kind, joint.parent, joint.child) == (
        "arm",
        "revolute",
        "base",
        "upper",
    )
    assert joint.origin == Placement((0, 0, 0.3), (0, 1.5, 0))
    assert joint.axis == (0, 0, 1)
    assert joint.limits == Limits(lower=-1, upper=2, velocity=3, effort=10)
    assert (joint.friction.viscous, joint.friction.coulomb) == (0.5, 0.25)
    assert link.inertial.mass == 2
    assert link.inertial.com == (0.1, 0, 0)
    assert link.inertial.inertia == (0.01, 0.001, 0, 0.02, 0, 0.02)
    assert link.inertial.rpy == (0, 0, 0.5)
    assert (link.line, joint.line) == (4, 11)
    assert not [problem for problem in model.warnings if problem.severity == "warning"]


def test_attributes_stand_in_any_order_and_quotes():
    assert arm(LIMIT, "<limit velocity='3' effort='10'\n upper='2' lower='-1'></limit>") == arm()


def test_without_origin_and_axis_a_joint_is_at_its_parent_and_about_x():
    model = arm('<origin xyz="0 0 0.3" rpy="0 1.5 0"/>')
    assert model.joint("shoulder").origin == Placement()
    assert arm('<axis xyz="0 0 1"/>').joint("shoulder").axis == (1, 0, 0)


def test_an_axis_has_any_direction_and_length():
    tree = fold(arm('<axis xyz="0 0 1"/>', '<axis xyz="3 0 -4"/>'))
    assert_allclose(tree.bodies[0].joint.axis, (0.6, 0, -0.8), rtol=1e-15)


@pytest.mark.parametrize(
    ("old", "new", "limits", "severity", "words"),
    [
        (
            '"revolute"',
            '"continuous"',
            Limits(None, None, 3, 10),
            "note",
            "continuous joint ignores",
        ),
        (LIMIT, "", Limits(), "warning", "joint 'shoulder': a revolute joint without <limit>"),
        (
            'lower="-1" upper="2" ',
            "",
            Limits(None, None, 3, 10),
            "warning",
            "neither lower nor upper",
        ),
        ('effort="10"', 'effort="0"', Limits(-1, 2, 3, 0), "note", "its effort limit is zero"),
    ],
)
def test_limits_that_are_not_there_are_told(old, new, limits, severity, words):
    model = arm(old, new)
    assert model.joint("shoulder").limits == limits
    assert severities(model, words) == [severity]


def test_one_of_lower_and_upper_alone_means_that_the_other_is_zero():
    assert arm('lower="-1" ').joint("shoulder").limits.lower == 0
    assert arm('upper="2" ').joint("shoulder").limits.upper == 0


def test_mass_counts_on_the_root_and_behind_fixed_joints_and_may_be_missing_between():
    text = f"""<robot name="chain">
      <link name="a">{BALL}</link><link name="b"/>
      <link name="c">{BALL}</link><link name="d">{BALL}</link>
      <joint name="ab" type="continuous"><parent link="a"/><child link="b"/></joint>
      <joint name="bc" type="fixed"><parent link="b"/><child link="c"/></joint>
      <joint name="cd" type="prismatic"><parent link="c"/><child link="d"/>
        <limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>"""
    tree = fold(read_urdf_text(text, "chain"))
    assert tree.joint_names == ("ab", "cd")
    assert (tree.base.m, *(body.inertia.m for body in tree.bodies)) == (1, 1, 1)


def test_a_mimic_joint_follows_with_defaults():
    follower = (
        '<link name="finger"/><joint name="close" type="prismatic"><parent link="upper"/>'
        '<child link="finger"/><limit lower="0" upper="1" effort="1" velocity="1"/>'
        '<mimic joint="shoulder" multiplier="-2"/></joint></robot>'
    )
    model = arm("</robot>", follower)
    assert model.joint("close").mimic == Mimic("shoulder", -2, 0)
    assert model.joint_names == ("shoulder",)


def test_a_fixed_joint_keeps_nothing_but_its_place():
    model = arm('"revolute"', '"fixed"')
    assert model.joint("shoulder").limits == Limits()
    assert model.joint("shoulder").axis == (1, 0, 0)
    assert model.n == 0


def test_a_quaternion_is_taken_instead_of_rpy():
    model = arm('<origin xyz="0 0 0.3" rpy="0 1.5 0"/>', '<origin quat_xyzw="0 0 2 2"/>')
    assert_allclose(model.joint("shoulder").origin.rpy, (0, 0, np.pi / 2), rtol=0, atol=1e-15)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "iso-8859-1", "cp1252", "us-ascii"])
def test_any_encoding_that_xml_names_is_read(encoding):
    declared = {"utf-8-sig": "utf-8"}.get(encoding, encoding)
    text = ARM.replace('version="1.0"', f'version="1.0" encoding="{declared}"')
    assert read_urdf_text(text.encode(encoding), "arm.urdf") == arm()
    if encoding not in ("us-ascii",):
        named = read_urdf_text(text.replace("upper", "bräu").encode(encoding), "arm.urdf")
        assert named.links[1].name == "bräu"


# what is ignored, silently or not


def test_looks_sensors_simulators_and_other_namespaces_are_ignored():
    extras = """<gazebo reference="upper"><mu1>1</mu1></gazebo><material name="red"/>
      <ros2_control name="x" type="system"><joint name="shoulder"/></ros2_control>
      <gazebo:plugin xmlns:gazebo="urn:g"><link name="upper"/></gazebo:plugin>
      <transmission name="t"><joint name="shoulder"/></transmission></robot>"""
    assert arm("</robot>", extras).warnings == arm().warnings
    assert arm("</robot>", extras) == arm()


FOR_ROS = """<ros2_control name="a &lt;b&gt;" type="system"><!-- gone -->
      <hardware><plugin>robot/System</plugin><param name="ip">1 &amp; 2</param></hardware>
      <joint name="shoulder"><command_interface name="effort"/></joint>
      <sensor name="hand"><state_interface name="force.x"/></sensor></ros2_control>
      <transmission name="t"><joint name="shoulder"/></transmission></robot>"""


def test_what_a_file_says_to_ros_is_written_again():
    model = arm("</robot>", FOR_ROS)
    assert model.urdf_parts == (
        '<ros2_control name="a &lt;b&gt;" type="system"><hardware><plugin>robot/System</plugin>'
        '<param name="ip">1 &amp; 2</param></hardware><joint name="shoulder"><command_interface '
        'name="effort"/></joint><sensor name="hand"><state_interface name="force.x"/></sensor>'
        "</ros2_control>",
        '<transmission name="t"><joint name="shoulder"/></transmission>',
    )
    again = read_urdf_text(to_urdf(model), "again.urdf")
    assert again.urdf_parts == model.urdf_parts
    loaded = Robot(model).with_payload("upper", mass=1.0)
    assert loaded.model.urdf_parts == model.urdf_parts


def test_what_a_file_says_to_ros_is_limited_and_its_joints_are_looked_for():
    long = "x" * 70_000
    model = arm("</robot>", f"<transmission name='t'><a>{long}</a></transmission></robot>")
    assert model.urdf_parts == ()
    assert severities(model, "it is not kept: more than 65536 characters") == ["warning"]
    model = arm("</robot>", "<ros2_control name='x'><g:b xmlns:g='u'/></ros2_control></robot>")
    assert model.urdf_parts == ()
    model = arm("</robot>", "<ros2_control name='x'><joint name='elbw'/></ros2_control></robot>")
    assert severities(model, "'x': it names a joint 'elbw', which the file has not") == ["note"]
    assert len(model.urdf_parts) == 1


def test_joints_that_ros_is_told_of_and_that_do_not_move_are_named():
    still = Robot(arm("</robot>", FOR_ROS)).locked({"shoulder": 0.3})
    assert "kept for ROS, though they do not move here: 'shoulder'" in notes_on_urdf(still.model)


def test_other_formats_say_that_they_leave_it_out(tmp_path):
    robot = Robot(arm("</robot>", FOR_ROS))
    assert not any("ROS" in note for note in robot.save(tmp_path / "arm.urdf"))
    for ending in ("toml", "xml", "sdf"):
        with pytest.warns(RobotWarning, match="is not all of"):
            notes = robot.save(tmp_path / f"arm.{ending}")
        assert "left out: what the URDF file says to ROS (ros2_control, transmission)" in notes


def test_a_gear_is_noted_because_its_rotor_is_unknown():
    gear = (
        '<transmission name="t"><joint name="shoulder"/><actuator name="m">'
        "<mechanicalReduction>100</mechanicalReduction></actuator></transmission></robot>"
    )
    assert severities(arm("</robot>", gear), "transmission 't': its gear (100)") == ["note"]


def test_what_means_nothing_is_told_once_and_not_at_each_place():
    text = ARM.replace("<mass", '<colour r="1"/><colour r="2"/><mass')
    text = text.replace("<dynamics", '<dynamics mu_coulomb="3"')
    model = read_urdf_text(text, "arm.urdf")
    assert severities(model, "<colour> means nothing in <inertial> and is ignored (and 1") == [
        "warning"
    ]
    assert severities(model, "Franka's own mu_coulomb in <dynamics>: not used") == ["warning"]
    assert model == arm()


def test_a_robot_without_a_name_gets_that_of_its_file():
    model = arm(' name="arm"')
    assert model.name == "arm.urdf"
    assert severities(model, "robot: it has no name") == ["warning"]


# what is written


def test_symbols_cannot_be_written():
    robot = qddot.from_dh([{"a": "L1", "mass": "m1"}], "standard")
    with pytest.raises(NotNumeric, match=r"depends on L1, m1\.\n .*with_values\(L1=1.0, m1=1.0\)"):
        to_urdf(robot.model)


def test_what_urdf_cannot_say_is_listed_and_commented():
    rows = [
        {
            "a": 1,
            "mass": 1,
            "name": "a---b",
            "motor": {"rotor_inertia": 1e-4, "gear": 100},
            "spring": {"stiffness": 3},
            "friction": {"coulomb": 1, "static": 2, "stribeck_velocity": 0.1, "offset": 0.5},
            "limits": {"lower": -1},
        },
        {"a": 1, "mass": 1, "name": "c", "type": "continuous", "limits": {"lower": -1, "upper": 1}},
        {"a": 1, "mass": 1, "name": "d", "locked": 0.5},
    ]
    coupling = [{"joints": ["a---b", "c"], "stiffness": 1}]
    robot = qddot.from_dh(rows, "standard", gravity=(0, -9.81, 0), coupling=coupling)
    lost = lost_in_urdf(robot.model)
    expected = [
        "gravity 0, -9.81, 0",
        "joint 'a---b': its rotor inertia (1.0 after the gear)",
        "joint 'a---b': its spring (stiffness 3)",
        "joint 'a---b': its static friction (2)",
        "joint 'a---b': its Stribeck velocity (0.1)",
        "joint 'a---b': its friction offset (0.5)",
        "joint 'c': its position limits, because it is continuous",
        "joint 'd': that it could move (it is held at 0.5, and written as fixed)",
        "the coupling of joints 'a---b', 'c': a spring",
    ]
    assert lost == expected
    (added,) = added_to_urdf(robot.model)
    assert added == (
        "added, because URDF asks for limits: ±1e+09, which stands for none "
        "(upper of 'a---b'; effort of 'a---b'; velocity of 'a---b')"
    )
    text = to_urdf(robot.model)
    assert all(re.sub("-(?=-)", "- ", line) in text for line in [added, *lost])
    assert read_urdf_text(text, "again").n == 2


def test_names_are_escaped():
    name = """<a href="x">'&amp;'</a>"""
    model = arm('"upper"', "\"&lt;a href=&quot;x&quot;&gt;'&amp;amp;'&lt;/a&gt;\"")
    assert model.links[1].name == name
    assert read_urdf_text(to_urdf(model), "again") == model


def test_a_misspelt_type_hides_no_other_slip(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="arm"><link name="a"/><link name="b"/>'
        '<joint name="j" type="Revolute"><parent link="a"/><child link="b"/>'
        '<limit lower="1" upper="-1" effort="1" velocity="1"/></joint></robot>'
    )
    with pytest.raises(BadRobot) as caught:
        qddot.load(path)
    assert "unknown joint type 'Revolute'" in str(caught.value)
    assert "its limits are reversed (lower 1 > upper -1)" in str(caught.value)
