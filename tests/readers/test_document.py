"""Robots as TOML and JSON: every field, every refusal with its line, and the way back."""

import json
import tomllib
from fractions import Fraction

import numpy as np
import pytest
from documents import EXPECTED, FULL, SMALLEST, read_text
from refused import refusals

from qddot.errors import BadFile, BadRobot
from qddot.model import (
    Inertial,
    Joint,
    Link,
)
from qddot.model.shapes import box, cylinder, hollow_cylinder, point, rod, sphere
from qddot.readers import read
from qddot.readers.document import read_document
from qddot.readers.toml import line_finder
from qddot.scalars.expressions import PI_EXPRESSION, symbol

pi = PI_EXPRESSION
ROWS = refusals("document")


def problems_of(text):
    """Return the problems of a TOML text as "line: message"."""
    with pytest.raises(BadRobot) as error:
        read_text(text)
    return [str(problem) for problem in error.value.problems if problem.severity == "error"]


# reading


def test_every_field_is_read():
    assert read_text(FULL) == EXPECTED


def test_json_and_python_say_the_same_as_toml(tmp_path):
    data = tomllib.loads(FULL)
    assert read_document(data, "robot") == EXPECTED
    path = tmp_path / "robot.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert read(path) == EXPECTED
    path = tmp_path / "robot.toml"
    path.write_text(FULL, encoding="utf-8")
    assert read(path) == EXPECTED
    path.write_bytes(b"\xef\xbb\xbf" + FULL.replace("\n", "\r\n").encode())
    assert read(path) == EXPECTED


def test_a_base_that_only_joints_mention_is_there():
    model = read_text(SMALLEST, name="by its file")
    assert model.name == "by its file"
    assert model.links == (Link("base"), Link("arm"))
    assert model.gravity == (0, 0, -9.81)
    assert model.joints == (Joint("j", "continuous", "base", "arm"),)


def test_fields_of_numpy_and_fractions_are_numbers():
    data = tomllib.loads(SMALLEST)
    numbers = {"mass": np.float64(2), "com": np.array([1, 2, 3]), "inertia": [Fraction(1, 3)] * 3}
    data["link"][0].update(numbers)
    arm = read_document(data, "robot").link("arm").inertial
    third = Fraction(1, 3)
    assert arm == Inertial(2.0, (1, 2, 3), (third, 0, 0, third, 0, third))
    assert type(arm.com[0]) is int


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ('{ kind = "point", at = [1, 0, "L"] }', point(2, (1, 0, symbol("L")))),
        ('{ kind = "rod", length = "L" }', rod(2, symbol("L"))),
        (
            '{ kind = "box", size = [1, 2, 3], axis = "y", frame = "end" }',
            box(2, (1, 2, 3), "y", "end"),
        ),
        (
            '{ kind = "cylinder", radius = 0.1, length = 1, frame = "start" }',
            cylinder(2, 0.1, 1, "x", "start"),
        ),
        (
            '{ kind = "hollow_cylinder", outer = 0.2, inner = 0.1, length = 1, axis = "z" }',
            hollow_cylinder(2, 0.2, 0.1, 1, "z"),
        ),
        ('{ kind = "sphere", radius = 0.1 }', sphere(2, 0.1)),
    ],
)
def test_every_shape_is_read(shape, expected):
    text = SMALLEST.replace('name = "arm"', f'name = "arm"\nmass = 2\nshape = {shape}')
    assert read_text(text).link("arm").inertial == expected


def test_values_make_the_robot_numeric():
    text = (
        SMALLEST.replace('name = "arm"', 'name = "arm"\nmass = "m/n"') + "[values]\nm = 1\nn = 4\n"
    )
    model = read_text(text)
    assert model.link("arm").inertial.mass == 0.25
    assert model.symbols == ()


def test_a_built_in_robot_comes_with_its_values_or_with_its_symbols():
    assert read("pendulum").symbols == ()
    assert read("pendulum_symbolic").symbols
    assert read("pendulum_symbolic").name == "pendulum_symbolic"


# refusals


def broken(lines):
    """Return SMALLEST with further lines in its [[joint]], the last table."""
    return f"{SMALLEST}{lines}\n"


@pytest.mark.parametrize(("line", "words"), ROWS["joint"].items())
def test_a_wrong_field_of_a_joint_is_named_with_its_line(line, words):
    found = problems_of(broken(line))
    assert any(problem.startswith(words) for problem in found), found


@pytest.mark.parametrize(("line", "words"), ROWS["link"].items())
def test_a_wrong_field_of_a_link_is_named_with_its_line(line, words):
    found = problems_of(SMALLEST.replace('name = "arm"', f'name = "arm"\n{line}', 1))
    assert any(problem.startswith(words) for problem in found), found


def test_one_mistake_is_one_problem():
    for line in (
        "mimic = { multiplier = 2 }",
        "[[coupling]]\njoints = []",
        "quaternion = [0, 0, 0, 0]",
        "[[frame]]\nname = 'f'",
    ):
        assert len(problems_of(broken(line))) == 1
    assert len(problems_of(SMALLEST.replace('parent = "base"\n', ""))) == 1
    assert len(problems_of(SMALLEST.replace('type = "continuous"\n', ""))) == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"link": {"name": "x"}}, "document: link: it is a table. Write each one as [[link]]."),
        ({"joint": 3}, "document: joint: it is a number. Write each one as [[joint]]."),
        ({"link": ["x"]}, "link[0]: it is text, not a table. Write it as key = value pairs."),
        ({"gravity": 9.81}, "document: gravity: it is a number. Give 3 numbers in brackets."),
        ({"name": 3}, "document: name: it is a number, not text. Put it in quotes."),
        ({"robot": {}}, "document: robot: this key means nothing here. Remove it."),
        ([], "document: it is a list, not a table. Write it as key = value pairs."),
        ({}, "robot: it has no links. Add at least a base link."),
    ],
)
def test_a_document_of_the_wrong_shape_is_refused_in_words(data, words):
    with pytest.raises(BadRobot) as error:
        read_document(data, "robot")
    assert words in [str(problem) for problem in error.value.problems]


def test_a_misspelt_parent_is_not_taken_for_a_base():
    text = '[[link]]\nname = "base"\n' + SMALLEST.replace('parent = "base"', 'parent = "bass"')
    assert problems_of(text) == [
        "5: joint 'j': its parent link 'bass' does not exist. Add it or correct the name. "
        "Did you mean 'base'?"
    ]


def test_only_one_base_is_taken_as_mentioned():
    more = '[[link]]\nname = "hand"\n[[joint]]\nname = "k"\ntype = "fixed"\nparent = "arn"\n'
    assert problems_of(SMALLEST + more + 'child = "hand"\n') == [
        "10: joint 'k': its parent link 'arn' does not exist. Add it or correct the name. "
        "Did you mean 'arm'?"
    ]


def test_every_problem_of_a_document_comes_at_once_in_the_order_of_lines():
    text = """\
gravity = [0, 0]
[[link]]
name = "a"
mas = 1
[[link]]
name = "b"
mass = "1_000"
[[joint]]
name = "j"
type = "revolut"
parent = "a"
child = "c"
axis = [0, 0, 1, 0]
"""
    assert problems_of(text) == [
        "1: document: gravity: it is 2 numbers. Give 3 numbers in brackets.",
        "4: link 'a': mas: this key means nothing here. Did you mean 'mass'?",
        "7: link 'b': mass: '1_000' is not a number or a formula: "
        "digit separators are not allowed; write 1000.",
        "8: joint 'j': unknown joint type 'revolut'. Did you mean 'revolute'? "
        "Types: revolute, continuous, prismatic, screw, rotor, fixed.",
        "8: joint 'j': its child link 'c' does not exist. Add it or correct the name.",
        "13: joint 'j': axis: it is 4 numbers. Give 3 numbers in brackets.",
    ]


def test_values_that_cannot_be_are_refused():
    text = (
        SMALLEST.replace('name = "arm"', 'name = "arm"\nmass = "m/n"') + "[values]\nm = 1\nn = {}\n"
    )
    assert problems_of(text.format(0)) == ["9: values: An expression is divided by zero."]
    found = problems_of(text.format(1) + "nn = 3\n")
    assert found == ["12: values: nn is not a symbol of this robot. Did you mean 'n'?"]
    assert "the mass is negative" in problems_of(text.format(-1))[0]


# lines


def test_lines_are_found_through_comments_and_texts_of_many_lines():
    text = '''\
description = """
[[joint]]
mass = 3
"""
# [[link]]
[[link]] # the first
  name = "base"  # "
[[ link ]]
name = "arm"
inertia = [
  1,
  true,
  3,
]
"com" = [0, 0, false]
[link.shape]
kind = 3
[values]
a.b = 1
'''
    line_of = line_finder(text)
    assert line_of(("description",)) == 1
    assert line_of(("link", 0)) == 6
    assert line_of(("link", 0, "name")) == 7
    assert line_of(("link", 1)) == 8
    assert line_of(("link", 1, "inertia")) == 10
    assert line_of(("link", 1, "com")) == 8  # a quoted key: the line of its table
    assert line_of(("link", 1, "shape", "kind")) == 17
    assert line_of(("values", "a", "b")) == 19
    assert line_of(("joint", 0)) is None
    assert line_of(()) is None


def test_odd_characters_do_not_shift_the_lines():
    text = "# a\x85b\u2028c\n" + SMALLEST + "axis = 3\n"
    assert problems_of(text)[0].startswith("9: joint 'j': axis")


# files


def refusal(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadFile) as error:
        read(path)
    assert error.value.problems[0].severity == "error"
    return str(error.value).removeprefix(f"{path}")


FILES = [
    *((name, text, words) for name, texts in ROWS["file"].items() for text, words in texts.items()),
    ("r.toml", "x = " + "[" * 100_000, ": it is nested too deeply. Write plain tables."),
    (
        "r.toml",
        b"a = 1\nb = '\xff'",
        ":2: byte 11 is not UTF-8: a binary file, or another encoding. ",
    ),
    ("r.toml", b"\xff\xfea\0", ": it is in UTF-16. Save it as UTF-8."),
    ("r.toml", b"a = 1\0", ": it holds zero bytes: a binary file. Name a text file."),
    ("r.toml", "x = 1" + "0" * 5000, ": a whole number in it has thousands of digits. Write"),
    ("r.json", '{"x": 1' + "0" * 5000 + "}", ": a whole number in it has thousands of digits."),
    ("r.json", "[" * 100_000, ": it is nested too deeply. Write plain tables."),
]


@pytest.mark.parametrize(("name", "content", "words"), FILES)
def test_a_file_that_is_no_robot_is_refused_in_words(tmp_path, name, content, words):
    assert refusal(tmp_path, name, content).startswith(words)


def test_infinities_in_toml_are_refused_as_numbers():
    text = SMALLEST.replace('name = "arm"', 'name = "arm"\nmass = inf')
    message = "one of its numbers is missing, infinite or not a number"
    assert message in problems_of(text)[0]


def test_problems_name_the_file(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(broken("axis = 3"), encoding="utf-8")
    with pytest.raises(BadRobot) as error:
        read(path)
    assert str(error.value) == (
        f"arm cannot be used: 1 problem.\n"
        f"  {path}:8: joint 'j': axis: it is a number. Give 3 numbers in brackets."
    )
