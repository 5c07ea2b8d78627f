"""MJCF: what becomes of each thing in a file, and the words for what cannot become anything.

That the numbers mean what MuJoCo takes them to mean is tested against MuJoCo itself, in
oracles/test_mujoco_models.py.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest
from faults import not_installed

import qddot
from qddot.errors import BadRobot, MissingExtra
from qddot.model import Mimic, Model, Spring
from qddot.readers import read

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed, so no MJCF can be read")

BALL = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
ARM = f"""<mujoco model="arm">
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" damping="0.5" frictionloss="0.25" armature="0.125"
             stiffness="3" springref="30" range="-90 45"/>
      {BALL}
      <body name="lower" pos="1 0 0">
        <joint name="elbow" axis="0 1 0"/>
        {BALL}
        <site name="tip" pos="1 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Return a function from the text of a file, and of files beside it, to the model."""
    monkeypatch.chdir(tmp_path)

    def read_text(text: str, **beside: str) -> Model:
        for name, content in beside.items():
            (tmp_path / f"{name}.xml").write_text(content)
        (tmp_path / "robot.xml").write_text(text)
        return read(tmp_path / "robot.xml")

    return read_text


def scene(inside: str, more: str = "") -> str:
    return f"<mujoco><worldbody>{inside}</worldbody>{more}</mujoco>"


def words(model: Model, severity: str) -> str:
    return "\n".join(str(problem) for problem in model.warnings if problem.severity == severity)


# what is read


def test_a_joint_keeps_all_that_acts_in_it(load):
    shoulder, elbow = load(ARM).joints
    assert (shoulder.kind, elbow.kind) == ("revolute", "continuous")
    assert shoulder.axis == (0, 1, 0)
    assert shoulder.friction.viscous == 0.5
    assert shoulder.friction.coulomb == 0.25
    assert (shoulder.motor.rotor_inertia, shoulder.motor.gear) == (0.125, 1)
    assert shoulder.spring == Spring(3.0, math.radians(30))
    assert shoulder.limits.lower == pytest.approx(-math.pi / 2)
    assert shoulder.limits.upper == pytest.approx(math.pi / 4)
    assert elbow.limits.lower is None
    assert elbow.limits.effort is None


def test_names_order_and_lines_are_those_of_the_file(load):
    model = load(ARM)
    assert model.name == "arm"
    assert [link.name for link in model.links] == ["world", "upper", "lower"]
    assert model.joint_names == ("shoulder", "elbow")
    assert [frame.name for frame in model.frames] == ["tip"]
    assert [joint.line for joint in model.joints] == [4, 8]
    assert [link.line for link in model.links] == [None, 3, 7]


def test_what_has_no_name_gets_one_that_is_free(load):
    model = load(scene(f'<body><joint/>{BALL}<body name="body1">{BALL}<site/></body></body>'))
    assert model.name == "robot"
    assert [link.name for link in model.links] == ["world", "body1_", "body1"]
    assert [joint.name for joint in model.joints] == ["joint0", "body1_fixed"]
    assert model.frames == ()


def test_a_body_with_several_joints_is_a_chain_of_massless_links(load):
    slide = '<joint name="x" type="slide" axis="1 0 0" pos="9 9 9"/>'  # a place means nothing to it
    joints = slide + '<joint name="turn" pos="0 0 1"/>'
    model = load(scene(f'<body name="cart">{joints}{BALL}</body>'))
    chain = [(joint.name, joint.kind, joint.parent, joint.child) for joint in model.joints]
    assert chain == [
        ("x", "prismatic", "world", "cart_start"),
        ("turn", "continuous", "cart_start", "cart_start_"),
        ("cart_step", "fixed", "cart_start_", "cart"),
    ]
    assert [link.inertial.mass for link in model.links] == [0, 0, 0, 1]


def test_right_angles_stay_right(load):
    """A quaternion with six digits is normalised; the angle that it means is meant exactly."""
    quat = 'quat="0.707107 0 0.707107 0"'
    model = load(scene(f'<body {quat}><joint/>{BALL}<site name="s" euler="0 0 180"/></body>'))
    assert model.joints[0].origin.rpy == (0, math.pi / 2, 0)
    assert model.frames[0].placement.rpy == (0, 0, math.pi)


def test_angles_that_are_nearly_right_stay_as_they_are(load):
    model = load(scene(f'<body euler="0 0 90.0001"><joint/>{BALL}</body>'))
    assert model.joints[0].origin.rpy[2] == pytest.approx(math.radians(90.0001), abs=1e-14)


def test_a_full_inertia_keeps_the_numbers_of_the_file(load):
    full = '<inertial mass="2" pos="0.1 0 0" fullinertia="0.3 0.4 0.5 0.01 -0.02 0.03"/>'
    inertial = load(scene(f"<body><joint/>{full}</body>")).links[1].inertial
    assert inertial.inertia == (0.3, 0.01, -0.02, 0.4, 0.03, 0.5)
    assert inertial.rpy == (0, 0, 0)


@pytest.mark.parametrize(
    ("joint", "actuator", "effort"),
    [
        ('actuatorfrcrange="-87 87"', "", 87),
        ("", '<motor joint="j" forcerange="-2 2" gear="50"/>', 100),
        ("", '<motor joint="j" ctrlrange="-1 1" gear="150"/>', 150),
        ("", '<position joint="j" kp="10" ctrlrange="-3 3"/>', None),
        ("", '<position joint="j" kp="10" forcerange="-3 1"/>', 3),
        ('actuatorfrcrange="-5 5"', '<motor joint="j" ctrlrange="-1 1" gear="150"/>', 5),
        ("", '<motor joint="j" forcerange="-2 2"/><motor joint="j" forcerange="-1 1"/>', None),
    ],
)
def test_the_effort_is_what_the_actuators_can_give(load, joint, actuator, effort):
    body = f'<body><joint name="j" {joint}/>{BALL}</body>'
    model = load(scene(body, f"<actuator>{actuator}</actuator>"))
    assert model.joints[0].limits.effort == effort


@pytest.mark.skipif(
    not hasattr(mujoco.MjModel, "actuator_armature"),
    reason="this release of MuJoCo has no armature at actuators",
)
def test_rotors_and_damping_of_actuators_come_through_the_gear(load):
    motor = '<motor joint="j" gear="10" armature="0.02" damping="0.03"/>'
    body = f'<body><joint name="j" armature="0.5" damping="1"/>{BALL}</body>'
    joint = load(scene(body, f"<actuator>{motor}</actuator>")).joints[0]
    assert joint.motor.reflected == pytest.approx(0.5 + 100 * 0.02)
    assert joint.friction.viscous == pytest.approx(1 + 100 * 0.03)


def test_forces_that_the_file_switches_off_are_off(load):
    flags = '<option><flag frictionloss="disable" gravity="disable"/></option>'
    model = load(ARM.replace("<worldbody>", flags + "<worldbody>", 1))
    assert model.joints[0].friction.coulomb == 0
    assert model.joints[0].friction.viscous == 0.5
    assert model.gravity == (0, 0, 0)


def test_a_linear_equality_makes_a_joint_follow(load):
    tie = '<equality><joint joint1="elbow" joint2="shoulder" polycoef="0.1 -2 0 0 0"/></equality>'
    model = load(ARM.replace("</mujoco>", tie + "</mujoco>"))
    assert model.joint_names == ("shoulder",)
    assert model.joint("elbow").mimic == Mimic("shoulder", -2.0, 0.1)
    assert "joint 'elbow' follows joint 'shoulder'" in words(model, "note")


def test_an_equality_that_is_switched_off_ties_nothing(load):
    tie = '<equality><joint joint1="elbow" joint2="shoulder" active="false"/></equality>'
    assert load(ARM.replace("</mujoco>", tie + "</mujoco>")).n == 2


def test_included_files_are_read_with_their_lines(load):
    part = '<mujoco>\n\n<worldbody>\n<body name="b"><joint name="j" type="ball"/>{}</body>'
    part = part.format(BALL) + "</worldbody></mujoco>"
    with pytest.raises(BadRobot, match=r"part\.xml:4: joint 'j': it is a ball joint"):
        load('<mujoco><include file="part.xml"/></mujoco>', part=part)


def test_meshes_that_only_show_are_not_opened(load):
    mesh = '<asset><mesh name="m" file="no/such/file.stl"/></asset>'
    shown = f'<body name="b"><joint/>{BALL}<geom type="mesh" mesh="m"/></body>'
    shown += '<body><joint/><geom size="1"/><geom type="mesh" mesh="m" mass="0"/></body>'
    texture = '<asset><texture name="t" type="2d" file="/no/such.png"/></asset>'
    model = load(scene(shown + '<geom type="mesh" mesh="m"/>', mesh + texture))
    assert model.links[1].inertial.mass == 1


def test_a_mesh_is_the_mass_of_a_body_that_has_no_other(load, tmp_path):
    (tmp_path / "meshes").mkdir()
    corners = [(0, 0, 0), (6, 0, 0), (0, 6, 0), (0, 0, 6)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    triangles = [struct.pack("<12fH", 0, 0, 0, *corners[a], *corners[b], *corners[c], 0)
                 for a, b, c in faces]  # fmt: skip
    stl = bytes(80) + struct.pack("<I", len(faces)) + b"".join(triangles)
    (tmp_path / "meshes" / "m.stl").write_bytes(stl)
    mesh = '<compiler meshdir="meshes"/><asset><mesh name="m" file="m.stl"/></asset>'
    body = '<body name="b"><joint/><geom type="mesh" mesh="m" density="0.5"/></body>'
    assert load(scene(body, mesh)).links[1].inertial.mass == pytest.approx(18)


def test_reading_leaves_no_log_and_says_nothing(load, tmp_path, capfd, recwarn):
    load(ARM.replace("<worldbody>", '<compiler settotalmass="3"/><worldbody>', 1))
    assert [path.name for path in tmp_path.iterdir()] == ["robot.xml"]
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


# what is left out, and said


@pytest.mark.parametrize(
    ("more", "severity", "expected"),
    [
        (
            '<equality><connect name="c" body1="upper" body2="lower" anchor="0 0 0"/></equality>',
            "warning",
            "constraint 'c': this connect constraint is left out, so the robot moves more freely",
        ),
        (
            '<equality><joint joint1="elbow" joint2="shoulder" polycoef="0 0 1 0 0"/></equality>',
            "warning",
            "joint 'elbow' moves on its own here: the constraint on it is left out",
        ),
        (
            '<tendon><fixed name="t" damping="3"><joint joint="elbow" coef="1"/></fixed></tendon>',
            "warning",
            "tendon: t left out, and with it a force on the joints it spans",
        ),
        (
            '<tendon><fixed name="t"><joint joint="elbow" coef="1"/></fixed></tendon>',
            "note",
            "tendon: t left out, which nothing pulls",
        ),
        (
            '<tendon><fixed name="t"><joint joint="elbow" coef="1"/></fixed></tendon>'
            '<actuator><motor tendon="t"/></actuator>',
            "warning",
            "tendon: t left out, and with it what its actuator does to the joints",
        ),
        ('<option density="1000"/>', "note", "the fluid around it"),
        ('<actuator><motor joint="elbow"/></actuator>', "note", "actuators are left out"),
    ],
)
def test_what_would_change_the_motion_is_named(load, more, severity, expected):
    model = load(ARM.replace("</mujoco>", more + "</mujoco>"))
    assert model.n == 2
    assert expected in words(model, severity)


def test_gravity_compensation_is_left_out_and_named(load):
    model = load(ARM.replace('name="lower"', 'name="lower" gravcomp="1"'))
    assert "gravity compensation (gravcomp) of lower is left out" in words(model, "warning")


def test_an_object_that_floats_about_is_left_out_and_named(load):
    cup = '<body name="cup"><freejoint/><geom size="0.1"/></body></worldbody>'
    model = load(ARM.replace("</worldbody>", cup))
    assert model.joint_names == ("shoulder", "elbow")
    assert "cup" not in model.frame_names
    assert "body 'cup': it floats freely and carries no joint, so it is left out" in words(
        model, "warning"
    )


def test_what_stands_in_the_world_by_itself_is_no_part_of_the_robots_mass(load):
    ball = '<geom size="0.1" mass="@"/>'
    scene = f"""<body name="aim" mocap="true">{ball.replace("@", "0.096")}</body>
      <body name="table">{ball.replace("@", "20")}<body name="cup">{ball.replace("@", "1")}
      <site name="handle"/></body></body></worldbody>"""
    base = f'<worldbody><body name="foot">{ball.replace("@", "3")}<body name="cover">'
    mounted = ARM.replace("<worldbody>", f"{base}{ball.replace('@', '0.5')}</body>")
    alone = load(mounted.replace("</worldbody>", "</body></worldbody>"))
    model = load(mounted.replace("</worldbody>", f"</body>{scene}"))
    assert model.mass == alone.mass == load(ARM).mass + 3.5
    assert (
        "body 'aim': what moves no joint and carries none is not the robot: aim, table, 21.1 kg"
        in (words(model, "warning"))
    )
    assert "is not the robot" not in words(alone, "warning")
    assert {"table", "cup", "handle"} <= set(model.frame_names)
    both = [qddot.Robot(each).gravity_torque([0.3, -0.4]).tolist() for each in (model, alone)]
    assert both[0] == both[1]


def test_a_file_of_nothing_but_a_thing_that_stands_weighs_what_it_says(load):
    model = load(
        '<mujoco><worldbody><body name="b"><geom size="0.1" mass="2"/></body></worldbody></mujoco>'
    )
    assert model.mass == 2


def test_a_site_named_as_a_body_gets_another_name(load):
    model = load(ARM.replace('site name="tip"', 'site name="lower"'))
    assert [frame.name for frame in model.frames] == ["lower_site"]
    assert "its frame is called 'lower_site'" in words(model, "note")


def test_mujoco_is_named_where_it_is_missing(monkeypatch, tmp_path):
    (tmp_path / "robot.xml").write_text(ARM)
    not_installed(monkeypatch, "mujoco")
    with pytest.raises(
        MissingExtra, match=r"Reading MJCF needs mujoco.*\n.*pip install 'qddot\[mjcf]'"
    ):
        qddot.load(Path(tmp_path / "robot.xml"))


def test_the_keyframe_called_home_is_where_the_arm_stands(load):
    model = load(
        '<mujoco><compiler angle="radian"/><worldbody><body name="a">'
        '<joint name="j1" axis="0 0 1"/><inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/>'
        '<body name="b" pos="1 0 0">'
        '<joint name="j2" axis="0 0 1" range="-1 1" limited="true"/>'
        '<inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody>'
        '<keyframe><key name="up" qpos="1 1"/><key name="home" qpos="0.3 -0.4"/></keyframe>'
        "</mujoco>"
    )
    assert qddot.Robot(model).home.tolist() == [0.3, -0.4]
