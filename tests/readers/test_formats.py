"""A format of robot files is one file and its row in the table: everything else asks there."""

import sys
from types import SimpleNamespace

import pytest

import qddot
from qddot import robot_formats
from qddot.errors import BadArgument, BadFile
from qddot.readers.read import format_of, read
from qddot.robot_formats import FORMATS, RobotFormat, loaded


def test_every_row_names_functions_that_exist():
    for each in FORMATS:
        for place in filter(None, (each.reader, each.writer, each.notes)):
            assert callable(loaded(place)), place
        assert bool(each.writer) == bool(each.written_as)


def test_a_new_format_is_a_file_and_a_row(monkeypatch, tmp_path):
    """A module that knows one robot; then load, save and the words of errors know it too."""
    module = SimpleNamespace(
        read_lines=lambda path, places: read(path.read_text()),
        to_lines=lambda model: model.name,
    )
    monkeypatch.setitem(sys.modules, "lines_format", module)
    row = RobotFormat(
        "lines",
        (".robot",),
        "lines_format:read_lines",
        written_as=".robot",
        writer="lines_format:to_lines",
    )
    monkeypatch.setattr(robot_formats, "FORMATS", (*FORMATS, row))
    path = tmp_path / "arm.robot"
    qddot.load("two_link").save(path)
    assert qddot.load(path).model.links == qddot.load("two_link").model.links
    with pytest.raises(BadFile, match=r"Name it \.urdf, .* \.json or \.robot\."):
        format_of(tmp_path / "arm.txt")
    with pytest.raises(BadArgument, match=r"written as \.toml, .*\.robot, not as"):
        qddot.load("two_link").save(tmp_path / "arm.xyz")
    with pytest.raises(qddot.QddotError, match=r"A file ends in .*\.json or \.robot\."):
        qddot.load("no_such_robot")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.xml", "<!-- a --><?xml version='1.0'?><mujoco/>", "MJCF"),
        ("a.urdf", "<mujocoinclude/>", "MJCF"),
        ("a.mjcf", "<robot name='a'/>", "URDF"),
        ("a.XML", "no element at all", "URDF"),
        ("a.toml", "<mujoco/>", "TOML"),
        ("a.xacro", "<mujoco/>", "xacro"),
    ],
)
def test_formats_with_the_same_ending_are_told_apart_by_their_first_element(
    tmp_path, name, text, expected
):
    path = tmp_path / name
    path.write_text(text)
    assert format_of(path).name == expected
