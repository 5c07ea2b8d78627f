"""MJCF that cannot be read: every refusal names the place, the reason and the remedy."""

from __future__ import annotations

import re

import pytest
from watching import opened, watched

from qddot.errors import BadFile, BadRobot
from qddot.readers import read
from qddot.readers.mjcf.source import read_source

pytest.importorskip("mujoco", reason="MuJoCo is not installed, so no MJCF can be read")

BALL = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
MASS_IN_MESH = '<body name="b"><joint/><geom type="mesh" mesh="m"/></body>'


def scene(inside: str, more: str = "") -> str:
    return f"<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n{more}</mujoco>"


ROBOTS = {
    "a robot that floats": (
        scene(f'<body name="trunk"><freejoint/>{BALL}<body><joint/>{BALL}</body></body>'),
        r"robot\.xml:3: body 'trunk': it floats freely \(a free joint\), but a robot here "
        r"stands on a fixed base\. Delete its free joint to fix it where it is, or remove 'trunk'",
    ),
    "nothing but an object that floats": (
        scene(f'<body name="ball"><freejoint/>{BALL}</body>'),
        r"robot\.xml:3: body 'ball': it floats freely",
    ),
    "a ball joint": (
        scene(f'<body name="b"><joint name="hip" type="ball"/>{BALL}</body>'),
        r"robot\.xml:3: joint 'hip': it is a ball joint, which has three degrees of freedom\. "
        r"Replace it by three hinges",
    ),
    "a mass in a mesh that is missing": (
        scene(MASS_IN_MESH, '<asset><mesh name="m" file="m.stl"/></asset>'),
        r"robot\.xml:3: body 'b': its mass is that of mesh 'm', which \(m\.stl\) does not exist\. "
        r"Give the body an <inertial>, or put the mesh there\.",
    ),
    "a mass in a mesh anywhere on the disk": (
        scene(MASS_IN_MESH, '<asset><mesh name="m" file="/dev/zero"/></asset>'),
        r"its mass is that of mesh 'm', which is named by an absolute path and not opened",
    ),
    "a mass in a mesh that is not declared": (
        scene(MASS_IN_MESH),
        r"its mass is that of mesh 'm', which is not among the assets",
    ),
    "friction that pushes": (
        scene(f'<body><joint name="j" damping="-1"/>{BALL}</body>'),
        r"robot\.xml:3: joint 'j': its viscous friction is negative \(-1\)",
    ),
    "an inertia that no body has": (
        scene('<body name="b"><joint/><inertial mass="1" pos="0 0 0" diaginertia="1 1 3"/></body>'),
        r"robot\.xml:3: body 'b': no body has this inertia: Izz = 3 > Ixx \+ Iyy = 1 \+ 1\. ",
    ),
}  # fmt: skip

FILES = {
    "an attribute that does not exist": (
        scene(f'<body><joint nonsense="1"/>{BALL}</body>'),
        r"robot\.xml:3: MuJoCo does not accept it: unrecognized attribute: 'nonsense' "
        r"\('joint'\)\. Correct it\.",
    ),
    "a moving body without mass": (
        scene('<body name="ghost"><joint/></body>'),
        r"robot\.xml:3: MuJoCo does not accept it: mass and inertia of moving bodies must be "
        r"larger than mjMINVAL \('ghost'\)",
    ),
    "a part of a model": (
        "<mujocoinclude/>",
        r"it is a part of a model \(<mujocoinclude>\), not a model\. Name the file that",
    ),
    "an included file that is missing": (
        '<mujoco>\n<include file="gone.xml"/></mujoco>',
        r"robot\.xml:2: <include> names 'gone\.xml', which does not exist",
    ),
    "an included file in capitals, which MuJoCo takes": (
        '<mujoco>\n<INCLUDE file="/etc/passwd"/></mujoco>',
        r"robot\.xml:2: <INCLUDE> names '/etc/passwd'",
    ),
    "an included file with a name beyond any disk": (
        f'<mujoco><include file="{"x" * 1000}.xml"/></mujoco>',
        r"<include> names 'x+…', which does not exist",
    ),
    "an included file outside of the model's folder, be it there or not": (
        '<mujoco>\n<include file="../../../../../../etc/passwd"/></mujoco>',
        r"robot\.xml:2: <include> names '\.\./.*/etc/passwd', which leaves the model's folder",
    ),
    "an included file outside, by way of a folder inside": (
        '<mujoco><include file="sub/../../gone.xml"/></mujoco>',
        r"names 'sub/\.\./\.\./gone\.xml', which leaves the model's folder",
    ),
    "an included file anywhere on the disk": (
        '<mujoco><include file="/etc/passwd"/></mujoco>',
        r"<include> names '/etc/passwd', an absolute path\. Name it relative to the model",
    ),
    "a submodel anywhere on the disk": (
        '<mujoco><asset><model name="m" file="C:\\m.xml"/></asset></mujoco>',
        r"<model> names 'C:.*m\.xml', an absolute path",
    ),
    "a file that includes itself": (
        '<mujoco><include file="robot.xml"/></mujoco>',
        r"the model is made of more than 200 files\. .*Does one include itself\?",
    ),
    "a name that MuJoCo would print as a format": (
        scene('<body name="%s%n"><joint/></body>'),
        r"robot\.xml:3: name of <body> holds a %, which upsets MuJoCo\. Drop it\.",
    ),
    "a number that is none": (
        scene(f'<body pos="NaN 0 0"><joint/>{BALL}</body>'),
        r"robot\.xml:3: pos of <body> is not a number\. Give finite numbers\.",
    ),
    "entities": (
        '<!DOCTYPE mujoco [<!ENTITY a "b">]><mujoco/>',
        r"it declares a DTD",
    ),
    "elements nested without end": (
        "<mujoco><worldbody>" + "<body>" * 200_000,
        r"nested more than \d+ elements deep",
    ),
    "more bodies than a robot has": (
        scene('<replicate count="1000000000"><body><joint/></body></replicate>'),
        r"robot\.xml:3: it describes more than \d+ elements",
    ),
    "replicas of replicas": (
        scene('<replicate count="99"><replicate count="99"><body/></replicate></replicate>'),
        r"it describes more than 2000 bodies\. Lower the counts",
    ),
    "a rope of many links": (
        scene('<composite type="cable" count="100000 1 1" curve="s" size="1"/>'),
        r"it describes more than 2000 bodies",
    ),
    "a body that bends": (
        scene('<flexcomp name="cloth" type="grid" count="3 3 1"/>'),
        r"robot\.xml:3: <flexcomp> makes a body that bends, but every link here is rigid",
    ),
    "a height field without end": (
        scene("", '<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>'),
        r"a height field has more than 10000000 points",
    ),
}


@pytest.mark.parametrize("what", ROBOTS)
def test_a_robot_that_cannot_be_is_refused_with_a_reason(tmp_path, what):
    text, expected = ROBOTS[what]
    (tmp_path / "robot.xml").write_text(text)
    with pytest.raises(BadRobot) as refused:
        read(tmp_path / "robot.xml")
    assert re.search(expected, str(refused.value)), str(refused.value)


@pytest.mark.parametrize("what", FILES)
def test_a_file_that_cannot_be_read_is_refused_with_a_reason(tmp_path, what):
    text, expected = FILES[what]
    (tmp_path / "robot.xml").write_text(text)
    with pytest.raises(BadFile) as refused:
        read(tmp_path / "robot.xml")
    assert re.search(expected, str(refused.value)), str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_every_problem_is_reported_at_once(tmp_path):
    meshes = "".join(
        f'<body name="b{i}"><joint/><geom type="mesh" mesh="m{i}"/></body>' for i in range(3)
    )
    assets = "".join(f'<mesh name="m{i}" file="m{i}.stl"/>' for i in range(3))
    (tmp_path / "robot.xml").write_text(scene(meshes, f"<asset>{assets}</asset>"))
    with pytest.raises(BadRobot) as refused:
        read(tmp_path / "robot.xml")
    assert len(refused.value.problems) == 3


@pytest.mark.parametrize(
    "greed",
    [
        '<size nuser_body="2000000000"/>',
        '<size nuserdata="2000000000"/>',
        '<size memory="900G"/>',
        '<size nkey="2000000000"/>',
        '<sensor><user name="s" dim="2000000000"/></sensor>',
        '<asset><texture type="cube" builtin="flat" width="100000" height="600000"/></asset>',
        '<actuator><general joint="j" dyntype="user" actdim="2000000000"/></actuator>',
    ],
)
def test_memory_that_a_file_asks_for_in_vain_is_not_given(tmp_path, greed):
    (tmp_path / "robot.xml").write_text(scene(f'<body><joint name="j"/>{BALL}</body>', greed))
    assert read(tmp_path / "robot.xml").n == 1


def test_a_file_outside_of_the_folder_is_not_even_opened(tmp_path):
    (tmp_path / "outside.xml").write_text("<mujocoinclude/>")
    (tmp_path / "model").mkdir()
    model = tmp_path / "model" / "robot.xml"
    model.write_text('<mujoco><include file="../outside.xml"/></mujoco>')
    with watched() as events, pytest.raises(BadFile, match="leaves the model's folder"):
        read_source(model)
    assert opened(events) == {str(model)}
