"""How robot files are read, said on the command line: arguments of xacro, package paths."""

import json

import pytest
from command_line import run

ARM = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="mass" default="1"/><link name="base"/>
<link name="upper"><inertial><mass value="$(arg mass)"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.11" iyz="0" izz="0.12"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="upper"/></joint></robot>"""


@pytest.fixture
def file(tmp_path):
    pytest.importorskip("xacrodoc", reason="xacrodoc is not installed, so no xacro can be expanded")
    path = tmp_path / "arm.xacro"
    path.write_text(ARM)
    return path


def test_arguments_of_a_xacro_file(file):
    for words in (["--arg", "mass:=2.5"], ["--arg", "mass=2.5"]):
        done = run("show", file, *words, "--json")
        assert json.loads(done.stdout)["mass"] == 2.5, done.stderr
    assert json.loads(run("show", file, "--json").stdout)["mass"] == 1  # nothing is kept
    assert json.loads(run("doctor", file, "--arg", "mass:=2.5", "--json").stdout)["ok"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--arg", "mess:=2"], "takes no argument 'mess'. It takes mass. Did you mean 'mass'?"),
        (["--arg", "mass"], "--arg 'mass' is not of the form name:=value"),
        (["--package-path", "no/such"], "package_paths has 'no/such', which is no folder"),
    ],
)
def test_a_wrong_word_is_told(file, words, told):
    done = run("show", file, *words)
    assert done.returncode == 2
    assert told in " ".join(done.stderr.split())


def test_a_package_path_finds_what_a_file_includes(file):
    other = file.parent / "far/parts"
    other.mkdir(parents=True)
    (other / "arm.xacro").write_text(ARM)
    file.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="a">'
        '<xacro:include filename="$(find parts)/arm.xacro"/></robot>'
    )
    done = run("show", file, "--package-path", file.parent / "far", "--json")
    assert json.loads(done.stdout)["n"] == 1, done.stderr
