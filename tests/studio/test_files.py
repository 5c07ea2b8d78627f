"""Robot files that are dropped on the page: read alone, refused with their lines, run by nobody."""

import base64
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from studio_talk import in_base64, talking

import qddot
from qddot.errors import BadArgument
from qddot.readers.read import library, read
from qddot.studio import Studio
from qddot.studio.dropped import read_dropped
from qddot.writers import write

REORDERED = {"rtol": 1e-9, "atol": 1e-10}
LINK = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'  # noqa: E501
JOINT = '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><origin xyz="0 0.3 0"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint>'  # noqa: E501
TWO_ARMS = "\n".join(
    [
        '<robot name="two arms">',
        *(LINK.format(name) for name in ("base", "left", "right")),
        JOINT.format("l", "base", "left"),
        JOINT.format("r", "base", "right"),
        "</robot>",
    ]
)
ALONE, OUT = "and a dropped file is read alone", "leads out of the file's own folder"
BALL = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'


def mjcf(inside="", more=""):
    return f'<mujoco model="toy">{more}<worldbody><body name="b"><joint name="j"/>{BALL}{inside}</body></worldbody></mujoco>'  # noqa: E501


def drop(page, name, data):
    """Return what a page is told about a robot file that was dropped on it."""
    return page.ask("file", name=name, data=in_base64(data))


def problem(page, name, data):
    """Return the words by which a dropped file is refused."""
    return page.problem("file", name=name, data=in_base64(data))


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Give what a helper says about a file, without starting one."""
    monkeypatch.chdir(tmp_path)

    def words(name, data):
        with pytest.raises(BadArgument) as told:
            read_dropped(name, data if isinstance(data, bytes) else data.encode(), tell=print)
        assert not list(tmp_path.iterdir())
        return str(told.value)

    return words


def test_a_dropped_urdf_is_read_and_shown(page):
    told = drop(page, "arms.urdf", TWO_ARMS)
    assert told["name"] == "two arms"
    assert [joint["name"] for joint in told["joints"]] == ["l", "r"]
    assert told["joints"][0]["low"] == -1
    page.ask("at", q=[0.2, -0.3])
    assert page.progress == []


def test_a_dropped_file_is_the_robot_that_the_reader_gives(page, tmp_path):
    path = tmp_path / "arm.toml"
    write(read("ur3"), path)
    drop(page, path.name, path.read_bytes())
    robot = qddot.Robot(read(path))
    q = np.linspace(-1, 1, 6)
    now = page.ask("at", q=q.tolist(), qd=[1] * 6)
    assert_allclose(now["M"], robot.mass_matrix(q), **REORDERED)
    assert_allclose(now["tau"], robot.bias_torque(q, np.ones(6)), **REORDERED)


def test_a_dropped_mjcf_is_read(page):
    pytest.importorskip("mujoco", reason="MuJoCo is not installed, so no MJCF can be read")
    told = drop(page, "toy.xml", mjcf())
    assert told["name"] == "toy"
    assert told["n"] == 1


def test_a_robot_without_a_name_is_called_after_its_file(page):
    told = drop(page, "my arm.urdf", TWO_ARMS.replace(' name="two arms"', ""))
    assert told["name"] == "my arm"
    assert any('Add one: <robot name="my arm">' in text for text in told["warnings"])


def test_problems_of_a_file_are_told_with_its_name_and_lines(page):
    bad = TWO_ARMS.replace('mass value="1"', 'mass value="-1"', 1)
    told = problem(page, "my/own arms.urdf", bad)
    assert "two arms cannot be used: 1 problem." in told
    assert "own arms.urdf:2: link 'base': the mass is negative" in told
    assert "dropped" not in told
    assert "/tmp" not in told


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.urdf", "hello", "a.urdf:1"),
        ("a.toml", "x = [", "a.toml:1: it is not TOML"),
        ("a.json", "{", "a.json:1: it is not JSON"),
        ("a.urdf", b"\x89PNG\r\n\x1a\n" + bytes(100), "a.urdf"),
        ("a.xml", "<launch/>", "it begins with <launch>"),
        ("a.urdf", "", "a.urdf: it is empty"),
        ("a.step", "", "a.step does not end like a robot file: .urdf, .xml, .mjcf, .toml, .json."),
        ("", "", "the file does not end like a robot file"),
        ("a.json", '{"n": 1' + "0" * 9000 + "}", "a.json: a whole number in it has thousands"),
        ("a\0b.urdf", "hello", r"a\x00b.urdf:1"),
        ("long" * 99 + ".urdf", "hello", "long" * 18 + "lo….urdf:1"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_refused(refused, name, data, words):
    assert words in refused(name, data)


def test_symbols_without_values_are_refused_with_words(page):
    document = library()["two_link"].read_text()
    told = problem(page, "two.toml", document[: document.index("[values]")])
    assert "it depends on" in told
    assert "Give the symbols values" in told


def test_xacro_is_refused_because_it_is_a_program(page):
    told = problem(page, "arm.urdf.xacro", "<robot/>")
    assert "arm.urdf.xacro is a xacro file: a program, which is not run for a page." in told
    assert "xacro arm.urdf.xacro > robot.urdf" in told


def test_entities_are_never_expanded_nor_fetched(refused):
    bomb = '<!DOCTYPE robot [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="x">&a;</robot>'
    told = refused("bomb.urdf", bomb)
    assert "it declares a DTD" in told
    assert "root:" not in told


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ('<include file="other.xml"/>', f"<include> names 'other.xml', {ALONE}"),
        ('<include file="../../etc/passwd"/>', f"<include> names '../../etc/passwd', {ALONE}"),
        ('<InClude file="/etc/passwd"/>', f"<InClude> names '/etc/passwd', {ALONE}"),
        ('<asset><model name="m" file="m.xml"/></asset>', f"<model> names 'm.xml', {ALONE}"),
        ('<compiler meshdir="../../../home"/>', f"meshdir of <compiler> {OUT}"),
        ('<asset><mesh name="m" file="..\\..\\m.stl"/></asset>', f"file of <mesh> {OUT}"),
    ],
)
def test_a_dropped_mjcf_has_no_other_file_read(refused, data, words):
    told = refused("toy.xml", mjcf(more=data))
    assert words in told
    assert "Start the studio with it, which reads it where it lies" in told


def test_a_mass_in_a_mesh_is_missed_not_looked_for(refused):
    pytest.importorskip("mujoco", reason="MuJoCo is not installed, so no MJCF can be read")
    inside = '<body name="c"><joint/><geom type="mesh" mesh="m"/></body>'
    told = refused("t.xml", mjcf(inside, '<asset><mesh name="m" file="m.stl"/></asset>'))
    assert "its mass is that of mesh 'm'" in told


def test_names_in_a_file_are_text_whatever_they_hold(page):
    nasty = "&lt;img src=x onerror=alert(1)&gt;../../x"
    told = drop(page, "arms.urdf", TWO_ARMS.replace('name="l"', f'name="{nasty}"'))
    assert told["joints"][0]["name"].startswith("<img src=x onerror=alert(1)>")
    page.ask("at", q=[0, 0])
    saved = page.ask("export", what="csv")
    assert saved["name"] == "two_arms_state.csv"
    assert base64.b64decode(saved["data"]).startswith(b"q.<img src=x onerror=alert(1)>../../x,q.r,")


def test_a_bad_file_leaves_the_robot_that_was_there(page):
    page.ask("robot", name="pendulum")
    assert problem(page, "x.urdf", "<robot/>")
    assert page.ask("at", q=[0.1])["is"] == "now"


def test_a_robot_without_mass_is_shown_with_what_can_be_said_of_it(page):
    light = TWO_ARMS.replace('mass value="1"', 'mass value="0"').replace('="1" i', '="0" i')
    told = drop(page, "light.urdf", light.replace('izz="1"', 'izz="0"'))
    assert any("the mass matrix is singular" in text for text in told["warnings"])
    now = page.ask("at", q=[0, 0], ellipsoid=True)
    assert now["M"] == [[0, 0], [0, 0]]
    assert now["condition"] is None
    assert now["effective_mass"] is None
    assert page.ask("equation", matrix="M", row=0, column=0)["text"] == "0"
    assert "the mass matrix is singular" in page.problem("play", what="drop", q=[0, 0], duration=1)


def test_more_joints_than_the_studio_shows_are_refused_with_words(page):
    links = [LINK.format(f"l{k}") for k in range(42)]
    joints = [JOINT.format(f"j{k}", f"l{k}", f"l{k + 1}") for k in range(41)]
    snake = "\n".join(["<robot name='snake'>", *links, *joints, "</robot>"])
    told = problem(page, "snake.urdf", snake)
    assert "'snake' has 41 joints; the studio shows at most 40." in told


def test_a_studio_started_with_a_file_shows_that(tmp_path):
    path = Path(tmp_path, "panda.toml")
    write(read("pendulum"), path)
    with Studio(path, port=0) as studio, talking(studio) as page:
        told = page.ask("welcome")
        assert told["robot"] == "panda.toml"
        assert told["robots"][0]["name"] == "panda.toml"
        assert page.ask("robot", name="panda.toml")["n"] == 1
        assert page.ask("robot", name="two_link")["n"] == 2
