"""Xacro: expanded, then read as URDF; and the words for what cannot be expanded."""

from __future__ import annotations

import math
import re

import pytest
from faults import not_installed
from refused import refusals

from qddot.errors import BadArgument, BadFile, BadRobot, MissingExtra
from qddot.readers import read
from qddot.readers import xacro as reader

pytest.importorskip("xacrodoc", reason="xacrodoc is not installed, so no xacro can be expanded")

BASE = '<link name="base"/>'
ARM = f"""<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.5"/>
  <xacro:property name="L" value="$(arg length)"/>
  <xacro:macro name="rod" params="name mass">
    <link name="${{name}}">
      <inertial>
        <origin xyz="${{L/2}} 0 0"/>
        <mass value="${{mass}}"/>
        <xacro:property name="I" value="${{mass*L**2/12}}"/>
        <inertia ixx="1e-4" ixy="0" ixz="0" iyy="${{I}}" iyz="0" izz="${{I}}"/>
      </inertial>
    </link>
  </xacro:macro>
  {BASE}
  <xacro:rod name="upper" mass="2"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 0 1"/>
    <limit lower="${{-pi}}" upper="${{radians(90)}}" effort="1" velocity="1"/>
  </joint>
</robot>
"""


@pytest.fixture
def load(tmp_path):
    """Return a function from the text of a file to the model."""

    def read_text(text, name="arm.xacro", **arguments):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return read(path, arguments=arguments)

    return read_text


def test_macros_arguments_and_expressions_are_expanded(load):
    model = load(ARM)
    assert model.name == "arm"
    assert model.joint_names == ("shoulder",)
    assert model.joints[0].limits.lower == -math.pi
    assert model.joints[0].limits.upper == math.pi / 2
    assert model.link("upper").inertial.com == (0.25, 0, 0)
    assert model.link("upper").inertial.mass == 2


def test_arguments_are_given_by_name(load):
    for length in (2, 2.0, "2"):
        assert load(ARM, length=length).link("upper").inertial.com == (1, 0, 0)
    switch = ARM.replace(
        BASE,
        f"""<xacro:arg name="more" default="false"/>{BASE}
        <xacro:if value="$(arg more)"><link name="m"/></xacro:if>""",
    )
    with pytest.raises(BadRobot, match="'m'"):  # a second root
        load(switch, more=True)
    assert len(load(switch, more=False).links) == 2


def test_an_argument_that_the_file_does_not_take_is_refused(load, tmp_path):
    words = r"arm.xacro takes no argument 'lenght'. It takes length. Did you mean 'length'?"
    with pytest.raises(BadArgument, match=re.escape(words)):
        load(ARM, lenght=2)
    with pytest.raises(BadArgument, match=r"length is .*; an argument of a xacro file is text"):
        load(ARM, length=[2])
    (tmp_path / "arm.urdf").write_text("<robot name='r'><link name='a'/></robot>")
    with pytest.raises(BadArgument, match="only a xacro file takes arguments of its own"):
        read(tmp_path / "arm.urdf", arguments={"length": 2})
    with pytest.raises(BadArgument, match=r"interia is no argument of 'panda'.*'inertia'"):
        read("panda", arguments={"interia": "nearest"})


def test_a_package_is_found_in_a_folder_that_is_named(load, tmp_path):
    (tmp_path / "far/parts").mkdir(parents=True)
    (tmp_path / "far/parts/base.xacro").write_text(f"<robot>{BASE}</robot>")
    path = tmp_path / "near/arm.xacro"
    path.parent.mkdir()
    path.write_text(ARM.replace(BASE, '<xacro:include filename="$(find parts)/base.xacro"/>'))
    assert read(path, package_paths=[tmp_path / "far"]).joint_names == ("shoulder",)
    with pytest.raises(BadFile, match="the ROS package 'parts', which is not here"):
        read(path)


@pytest.mark.parametrize("named", [(), ("parts",), (".",), ("parts/parts",)])
def test_a_repository_does_not_hide_the_package_in_it(tmp_path, named):
    own = tmp_path / "parts/parts"
    (own / "urdf").mkdir(parents=True)
    (own / "package.xml").write_text("<package><name>parts</name></package>")
    (own / "base.xacro").write_text(f"<robot>{BASE}</robot>")
    text = ARM.replace(BASE, '<xacro:include filename="$(find parts)/base.xacro"/>')
    (own / "urdf/arm.xacro").write_text(text)
    (tmp_path / "arm.xacro").write_text(text)
    folders = [tmp_path / each for each in named]
    assert read(own / "urdf/arm.xacro", package_paths=folders).n == 1
    if named:
        assert read(tmp_path / "arm.xacro", package_paths=folders).n == 1


YAML = '<xacro:property name="x" value="${{xacro.load_yaml(\'{}\')}}"/><link name="l_${{x{}}}"/>'


def test_a_table_in_the_folder_of_a_file_is_read(load, tmp_path):
    (tmp_path / "sizes.yaml").write_text("arm: {length: 2}\n")
    inside = YAML.format("sizes.yaml", "['arm']['length']")
    joint = '<joint name="f" type="fixed"><parent link="base"/><child link="l_2"/></joint>'
    assert "l_2" in [x.name for x in load(ARM.replace(BASE, BASE + inside + joint)).links]


@pytest.mark.parametrize("content", ["root:x:0:0:canary", "a: [canary", "- !!x canary", "*canary"])
@pytest.mark.parametrize("where", ["robot", "elsewhere"])
def test_a_message_shows_nothing_of_a_file_that_is_no_table(load, tmp_path, content, where):
    (tmp_path / where).mkdir(exist_ok=True)
    (tmp_path / where / "secret").write_text(content)
    text = ARM.replace(BASE, BASE + YAML.format(tmp_path / where / "secret", ""))
    words = "finds no table in" if where == "robot" else "reads nothing outside of the robot's"
    with pytest.raises(BadFile, match=words) as refused:
        load(text, "robot/arm.xacro")
    assert "canary" not in str(refused.value)


def test_a_table_elsewhere_is_read_where_an_argument_names_it(load, tmp_path):
    (tmp_path / "mine.yaml").write_text("canary: 1\n")
    text = ARM.replace(BASE, '<xacro:arg name="sizes" default=""/>' + BASE)
    text = text.replace('"${pi', '"${pi').replace(
        'mass="2"', "mass=\"${xacro.load_yaml('$(arg sizes)')['canary']}\""
    )
    assert load(text, "robot/arm.xacro", sizes=str(tmp_path / "mine.yaml")).n == 1
    with pytest.raises(BadFile, match="reads nothing outside") as refused:
        load(text.replace('default=""', f'default="{tmp_path / "mine.yaml"}"'), "robot/arm.xacro")
    assert "canary:" not in str(refused.value)


def test_a_robot_without_a_name_is_called_as_its_file(load):
    assert load(ARM.replace(' name="arm"', ""), "my_arm.urdf.xacro").name == "my_arm"


def test_a_package_is_found_among_the_folders_around_the_file(load, tmp_path):
    (tmp_path / "parts").mkdir()
    part = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="base"/></robot>'
    (tmp_path / "parts" / "base.xacro").write_text(part)
    include = '<xacro:include filename="$(find parts)/base.xacro"/>'
    assert load(ARM.replace(BASE, include), "robot/urdf/arm.xacro").n == 1
    assert load(ARM.replace(BASE, include), "parts/urdf/arm.xacro").n == 1


def test_problems_are_told_with_the_lines_of_the_expanded_text(load):
    with pytest.raises(BadRobot, match=r"arm\.xacro, expanded:\d+: link 'upper': the mass is neg"):
        load(ARM.replace('mass="2"', 'mass="-2"'))


REFUSED = refusals("xacro")


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_expanded_is_refused_with_a_reason(load, what):
    row = REFUSED[what]
    with pytest.raises(BadFile) as refused:
        load(row["text"] if "text" in row else ARM.replace(row["old"], row["new"], 1))
    assert re.search(row["words"], str(refused.value)), str(refused.value)


def test_an_expression_that_never_ends_is_stopped(load, monkeypatch):
    monkeypatch.setattr(reader, "SECONDS", 3)
    with pytest.raises(BadFile, match="takes too much time or memory"):
        load(ARM.replace("${-pi}", "${10**10**10}"))


@pytest.mark.parametrize("insides", ["().__class__", "(lambda: ().__class__)()"])
def test_expressions_do_not_reach_the_insides_of_python(load, insides):
    with pytest.raises(BadFile, match="__class__"):
        load(ARM.replace("${-pi}", "${" + insides + "}"))


def test_xacrodoc_is_named_where_it_is_missing(load, monkeypatch):
    not_installed(monkeypatch, "xacrodoc")
    with pytest.raises(MissingExtra, match=r"needs xacrodoc.*\n.*pip install 'qddot\[xacro]'"):
        load(ARM)
