"""JSON files: what is wrong is named, with its line, and what is written is read back."""

import json

import pytest

import qddot
from qddot.readers import read
from qddot.readers.read import library

ARM = """{
  "name": "arm",
  "convention": "standard",
  "dh": [
    {"a": 1, "mass": 2},
    {
      "a": 1,
      "mass": -3,
      "limits": {"lower": 1, "upper": -1}
    }
  ]
}
"""


def refused(path):
    with pytest.raises(qddot.QddotError) as error:
        read(path)
    return str(error.value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "it does not exist"),
        (b"", "it is empty"),
        (b"\x89PNG\r\n\xff\xfe\x00", "not UTF-8"),
        (b"a\x00b", "zero bytes"),
        ('{"name": "arm"}'.encode("utf-16"), "UTF-16"),
        (b'{"gravity": [0, 0, ' + b"9" * 5000 + b"]}", "thousands of digits"),
        (b'{"name": "arm",\n "dh": [}', ":2: it is not JSON"),
        (b"[1, 2]", "it is not a table"),
    ],
)
def test_a_file_that_is_no_json_is_called_what_it_is(tmp_path, data, words):
    """All of them were called a whole number with thousands of digits."""
    path = tmp_path / "arm.json"
    if data is not None:
        path.write_bytes(data)
    assert words in refused(path)


def test_a_folder_of_that_name_is_called_a_folder(tmp_path):
    (tmp_path / "arm.json").mkdir()
    assert "it is a folder" in refused(tmp_path / "arm.json")


def test_problems_have_the_line_that_wrote_them(tmp_path):
    path = tmp_path / "arm.json"
    path.write_text(ARM)
    text = refused(path)
    assert f"{path}:6: link 'link2': the mass is negative" in text
    assert f"{path}:6: joint 'j2': its limits are reversed" in text
    path.write_text(ARM.replace('"mass": -3', '"weight": 3'))
    assert f"{path}:8: dh[1]: weight: this key means nothing here" in refused(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ARM.replace('"a": 1, "mass": 2', '"a": 1, "mass": 2, "a": 2'), ":5: the key 'a' of dh[0]"),
        (ARM.replace('"dh"', '"name": "x",\n  "dh"'), ":4: the key 'name' stands twice"),
        (
            ARM.replace('"upper": -1', '"upper": 2,\n "lower": 0'),
            ":10: the key 'lower' of dh[1].limits stands twice (first at line 9)",
        ),
        (ARM.replace('"arm"', '"arm", "a\\"b": 1, "a\\u0022b": 2'), "stands twice"),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_its_place(tmp_path, text, words):
    path = tmp_path / "arm.json"
    path.write_text(text)
    assert words in refused(path)


def test_the_same_key_in_different_tables_and_in_values_is_no_repetition(tmp_path):
    path = tmp_path / "arm.json"
    path.write_text(
        '{"name": "name", "description": "{[,:\\" name",\n'
        '"convention": "standard", "dh": [{"a": 1, "mass": 1}, {"a": 1, "mass": 1}]}'
    )
    assert read(path).n == 2


@pytest.mark.parametrize("name", sorted(library()))
def test_a_robot_written_as_json_is_read_as_the_same(name, tmp_path):
    model = read(name)
    assert qddot.Robot(model).save(tmp_path / "robot.json") == []
    assert read(tmp_path / "robot.json") == model


def test_symbols_names_and_formulas_survive_json(tmp_path):
    rows = [
        {"a": "L1/3", "alpha": "pi/2", "mass": "m", "com": ["-L1/6", 0, 0], "name": 'a"\\ü\n'[:4]}
    ]
    robot = qddot.from_dh(rows, "standard", description='two\nlines and "quotes"')
    robot.save(tmp_path / "robot.json")
    assert read(tmp_path / "robot.json") == robot.model
    assert json.loads((tmp_path / "robot.json").read_text())["gravity"] == [0, 0, -9.81]
