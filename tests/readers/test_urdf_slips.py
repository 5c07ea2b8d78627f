"""URDF as others write and read it: what changes no number keeps no robot from being read."""

from __future__ import annotations

import numpy as np
import pytest

import qddot
from qddot.errors import BadRobot
from qddot.readers.urdf import read_urdf_text

ARM = """<robot name="r">{top}<link name="base"/><link name="a"><inertial>
<origin xyz="0.1 0 0"/><mass value="2"/>
<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/>{joint}</joint></robot>"""


def arm(joint: str = "", top: str = "") -> str:
    return ARM.format(joint=joint, top=top)


# what a file has, what it means, and what is said
READ = {
    "text between elements": (arm(top="stray words"), arm(), "<robot> holds text ('stray words')"),
    "two origins": (
        arm('<origin xyz="0 0 1" rpy="0.5 0 0"/><origin xyz="0 0 2"/>'),
        arm('<origin xyz="0 0 1" rpy="0.5 0 0"/>'),
        '(<origin xyz="0 0 1" rpy="0.5 0 0"/> and <origin xyz="0 0 2"/>); the first is taken',
    ),
    "two origins that are alike": (
        arm('<origin xyz="0 0 1"/><origin xyz="0 0 1"/>'),
        arm('<origin xyz="0 0 1"/>'),
        "there are 2 <origin> elements (all alike); the first is taken",
    ),
    "two axes that are alike": (
        arm('<axis xyz="0 1 0"/><axis xyz="0 1 0"/>'),
        arm('<axis xyz="0 1 0"/>'),
        "there are 2 <axis> elements (all alike)",
    ),
    "no angles, misspelt": (
        arm('<origin xyz="0 0 1" rrpy="0 0.0 -0"/>'),
        arm('<origin xyz="0 0 1"/>'),
        "rrpy (perhaps rpy, with the value that it has anyway) means nothing in <origin>",
    ),
    "no damping, misspelt": (
        arm('<dynamics dampng="0" friction="0.1"/>'),
        arm('<dynamics friction="0.1"/>'),
        "dampng (perhaps damping",
    ),
    "Franka's own": (
        arm('<dynamics D="1" K="7000" damping="0.003" mu_coulomb="0" mu_viscous="16"/>'),
        arm('<dynamics damping="0.003"/>'),
        "Franka's own mu_viscous, mu_coulomb, D, K in <dynamics>: not used",
    ),
}
REFUSED = {
    "angles, misspelt": ('<origin rrpy="0 0 1"/>', "<origin> rrpy: .* Did you mean 'rpy'?"),
    # which others take for z
    "the usual axis, misspelt": ('<axis xzy="1 0 0"/>', "Did you mean 'xyz'?"),
    "another axis, misspelt": ('<axis xzy="0 0 1"/>', "Did you mean 'xyz'?"),
    "damping, misspelt": ('<dynamics dampng="0.1"/>', "Did you mean 'damping'?"),
    "no effort, misspelt": ('<limit efort="0"/>', "Did you mean 'effort'?"),
    "no numbers, misspelt": ('<origin rrpy="a b c"/>', "Did you mean 'rpy'?"),
    "text that may be a value": ("<origin>0 0 1</origin>", "<origin> holds text"),
    "two axes": ('<axis xyz="0 1 0"/><axis xyz="0 0 1"/>', "there are 2 <axis> elements"),
}


@pytest.mark.parametrize("what", READ)
def test_what_changes_no_number_is_told_and_read(what):
    text, meant, words = READ[what]
    model = read_urdf_text(text, "arm.urdf")
    assert [p.severity for p in model.warnings if words in str(p)] == ["warning"]
    assert model == read_urdf_text(meant, "arm.urdf")


@pytest.mark.parametrize("what", READ)
def test_pinocchio_reads_the_same_arm(what):
    pin = pytest.importorskip("pinocchio")
    text, _, _ = READ[what]
    peer = pin.buildModelFromXML(text)
    data = peer.createData()
    q = 0.7
    pin.forwardKinematics(peer, data, np.array([np.cos(q), np.sin(q)]))
    robot = qddot.Robot(read_urdf_text(text, "arm.urdf"))
    assert robot.pose([q], "a")[:3, 3] == pytest.approx(data.oMi[1].translation, abs=1e-15)
    assert robot.pose([q], "a")[:3, :3] == pytest.approx(data.oMi[1].rotation, abs=1e-15)


@pytest.mark.parametrize("what", REFUSED)
def test_what_could_mean_two_things_is_refused(what):
    inside, words = REFUSED[what]
    with pytest.raises(BadRobot) as refused:
        read_urdf_text(arm(inside), "arm.urdf")
    problem = next(str(p) for p in refused.value.errors)
    assert all(part in problem for part in words.split(" .* ")), problem


def test_a_visual_with_two_origins_is_shown_at_the_first():
    two = '<visual><origin xyz="1 0 0"/><origin xyz="2 0 0"/>'
    two += '<geometry><box size="1 1 1"/></geometry></visual>'
    model = read_urdf_text(arm().replace('<link name="a">', f'<link name="a">{two}'), "arm.urdf")
    assert [each.place.xyz for each in model.link("a").visuals] == [(1, 0, 0)]
