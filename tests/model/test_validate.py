"""The words of every problem with a model, and all of them at once."""

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from long import examples
from refused import refusals
from strategies import models

from qddot.errors import BadRobot, Problem
from qddot.model import (
    Coupling,
    Frame,
    Friction,
    Inertial,
    Joint,
    Limits,
    Link,
    Mimic,
    Model,
    Motor,
    Payload,
    Placement,
    Spring,
    build,
    validate,
)
from qddot.model.plausible import nearly_right_angle
from qddot.model.structure import LONGEST_NAME, MOST_LINKS
from qddot.scalars.expressions import symbol
from qddot.scalars.reader import read_formula

BODY = Inertial(2, (0.1, 0, 0), (0.02, 0, 0, 0.03, 0, 0.04))
NEXT = Placement((0, 0, 0.4))

# a sound robot, to be spoilt in one place
LINKS = (Link("base", BODY, 1), Link("arm", BODY, 2), Link("hand", BODY, 3))
JOINTS = (
    Joint("shoulder", "revolute", "base", "arm", NEXT, limits=Limits(-1, 1), line=4),
    Joint("slide", "prismatic", "arm", "hand", NEXT, limits=Limits(0, 0.5), line=5),
)
SOUND = Model("arm", LINKS, JOINTS)

ROWS = refusals("model")
PARTS = {
    "links": Link,
    "joints": Joint,
    "frames": Frame,
    "payloads": Payload,
    "couplings": Coupling,
}
FIELDS = {"inertial": Inertial, "origin": Placement, "placement": Placement, "limits": Limits}
FIELDS |= {"friction": Friction, "motor": Motor, "mimic": Mimic, "spring": Spring}


def told(model, severity=None):
    """Return the problems of a model as text."""
    return [str(p) for p in validate(model) if severity in (None, p.severity)]


def fields(table):
    """Return the fields of a part as the model has them."""
    made = {}
    for key, value in table.items():
        if isinstance(value, dict):
            value = FIELDS[key](**fields(value))
        made[key] = tuple(value) if isinstance(value, list) else value
    return made


def spoilt(row):
    """Return the sound robot with fields replaced, by the names of parts, and with more parts."""
    parts = {}
    for key, part in PARTS.items():
        known = [replace(old, **fields(row.get(old.name, {}))) for old in getattr(SOUND, key)]
        parts[key] = (*known, *(part(**fields(table)) for table in row.get(key, ())))
    return replace(SOUND, gravity=tuple(row.get("gravity", SOUND.gravity)), **parts)


def test_a_sound_robot_has_no_problems():
    assert told(SOUND) == []


@examples(30)
@given(models(mimic=True))
def test_random_robots_have_no_errors(model):
    assert told(model, "error") == []


# what keeps a robot from being one tree

STRUCTURE = {name: (spoilt(row), row["words"]) for name, row in ROWS["structure"].items()} | {
    "no links": (Model("arm", (), ()), "robot: it has no links. Add at least a base link."),
    "too many links": (
        replace(SOUND, links=tuple(Link(f"l{i}") for i in range(MOST_LINKS + 1))),
        f"robot: it has 2001 links; at most {MOST_LINKS} are read. "
        "Split it, or leave out what does not move.",
    ),
    "two names without lines": (
        replace(SOUND, links=tuple(replace(x, line=None) for x in (*LINKS, LINKS[1]))),
        "link 'arm': the name is used twice. Rename one of the two.",
    ),
    "a long name": (
        spoilt({"shoulder": {"name": "j" * (LONGEST_NAME + 1)}}),
        f"4: joint '{'j' * 79}…': the name has 201 characters; at most 200. Shorten it.",
    ),
}


@pytest.mark.parametrize(("model", "words"), STRUCTURE.values(), ids=STRUCTURE)
def test_what_is_no_tree_is_refused_in_words(model, words):
    assert words in told(model, "error")
    with pytest.raises(BadRobot) as error:
        build(model.name, model.links, model.joints, frames=model.frames,
              payloads=model.payloads, couplings=model.couplings)  # fmt: skip
    assert words in [str(problem) for problem in error.value.problems]


def test_a_name_that_looks_like_code_is_only_doubtful():
    assert told(spoilt({"shoulder": {"name": "$(rm -rf)"}})) == [
        "4: joint '$(rm -rf)': the name looks like code or markup; it is used as plain text. "
        "Use letters, digits and _ - . / to be safe in other tools."
    ]


def test_a_long_cycle_is_cut_in_the_telling():
    links = [Link(f"l{i}") for i in range(7)]
    joints = [Joint(f"j{i}", "fixed", f"l{i}", f"l{(i + 1) % 7}") for i in range(7)]
    (problem,) = told(Model("ring", tuple(links), tuple(joints)), "error")
    assert problem.startswith(
        "robot: its links form a cycle ('l0', 'l1', 'l2', 'l3', 'l4' and 2 more). Reverse or "
    )


# what cannot be the value of anything

IN_FORMULAS = {"lower": read_formula("pi/2"), "upper": read_formula("-pi/2")}
VALUES = {name: (spoilt(row), row["words"]) for name, row in ROWS["values"].items()} | {
    "reversed limits in formulas": (
        spoilt({"shoulder": {"limits": IN_FORMULAS}}),
        "4: joint 'shoulder': its limits are reversed (lower 1.5708 > upper -1.5708). Swap them.",
    ),
}


@pytest.mark.parametrize(("model", "words"), VALUES.values(), ids=VALUES)
def test_what_cannot_be_a_value_is_refused_in_words(model, words):
    assert told(model, "error") == [words]


@pytest.mark.parametrize("row", ROWS["doubts"].values(), ids=ROWS["doubts"])
def test_what_rarely_is_a_value_is_doubted_in_words(row):
    model = spoilt(row)
    (warning,) = told(model, "warning")
    assert warning.startswith(row["words"])
    assert told(model, "error") == []


@pytest.mark.parametrize("row", ROWS["notes"].values(), ids=ROWS["notes"])
def test_what_is_worth_knowing_is_noted_in_words(row):
    assert told(spoilt(row), "note") == told(spoilt(row)) == [row["words"]]


@pytest.mark.parametrize(
    ("angle", "name"),
    [(1.5708, "π/2"), (-1.57, "-π/2"), (3.1416, "π"), (-4.712, "-3π/2"), (6.283, "2π")],
)
def test_the_right_angle_that_was_meant_is_found(angle, name):
    exact, found = nearly_right_angle(angle)
    assert found == name
    assert exact == pytest.approx(angle, abs=5e-3)


@pytest.mark.parametrize("angle", [0.0, 1e-4, math.pi / 2, -math.pi, 1.5, 0.7854, 100.53])
def test_other_angles_are_left_alone(angle):
    assert nearly_right_angle(angle) is None


def test_nothing_is_doubted_that_symbols_leave_open():
    x = symbol("x")
    parts = {"limits": Limits(x, -x), "friction": Friction(x, x, x, x), "motor": Motor(x, x)}
    body = Inertial(x, (x, x, x), (x,) * 6)
    assert told(spoilt({"shoulder": parts, "arm": {"inertial": body}})) == []
    assert told(replace(SOUND, gravity=(0, 0, -x))) == []


def test_a_joint_without_mass_beyond_is_fine_with_a_rotor_or_a_payload():
    bare = {"hand": {"inertial": {}}}
    assert told(spoilt(bare | {"slide": {"motor": {"rotor_inertia": 0.1}}})) == []
    tip = {"frames": [{"name": "tip", "link": "hand"}]}
    assert told(spoilt(bare | tip | {"payloads": [{"frame": "tip", "inertial": BODY}]})) == []


# all at once


def test_every_problem_of_a_model_comes_at_once():
    model = spoilt(ROWS["all"])
    with pytest.raises(BadRobot) as error:
        build(model.name, model.links, model.joints, frames=model.frames, gravity=model.gravity)
    problems = error.value.problems
    assert [(p.line, p.message.split(" (")[0]) for p in problems] == [
        (None, "it is not three finite numbers"),
        (2, "the mass is negative"),
        (4, "its axis is zero"),
        (4, "its limits are reversed"),
        (4, "its rotor inertia is negative"),
        (4, "its gear ratio is zero"),
        (5, "unknown joint type 'slider'"),
        (5, "its viscous friction is negative"),
        (6, "its link 'nowhere' does not exist"),
    ]


def test_problems_that_a_reader_met_come_with_the_rest():
    found = [Problem("error", "file", "it is odd", "Straighten it.", 3)]
    with pytest.raises(BadRobot) as error:
        build("arm", LINKS, (replace(JOINTS[0], axis=(0, 0, 0)), JOINTS[1]), found=found)
    assert [p.message for p in error.value.problems] == ["it is odd", "its axis is zero"]


def test_warnings_stay_with_the_model():
    model = build("arm", LINKS, JOINTS, gravity=(0, 0, -981))
    assert [p.place for p in model.warnings] == ["gravity"]


@pytest.mark.parametrize(("count", "shown"), [(1, 1), (2, 2), (5, 5), (6, 4), (40, 4)])
def test_a_refusal_is_told_in_at_most_six_lines(count, shown):
    problems = [
        Problem("error", f"joint 'j{i}'", "it is odd", "Straighten it.") for i in range(count)
    ]
    lines = str(BadRobot("arm", [*problems, Problem("note", "x", "y", "z")])).splitlines()
    assert len(lines) <= 6
    word = "problem" if count == 1 else "problems"
    assert lines[0] == f"arm cannot be used: {count} {word}."
    assert lines[1 : shown + 1] == [
        f"  joint 'j{i}': it is odd. Straighten it." for i in range(shown)
    ]
    if count > shown:
        assert lines[-1] == f"  ... and {count - shown} more; `qddot doctor` lists them all."


def test_a_long_problem_is_cut():
    (line,) = str(BadRobot("arm", [Problem("error", "joint", "x" * 5000, "")])).splitlines()[1:]
    assert len(line) < 410


@pytest.mark.parametrize(
    ("inertial", "joint", "words"),
    [
        (Inertial(None), {}, "link 'l': its mass is None. Give a number"),
        (Inertial("1"), {}, "link 'l': its mass is '1'. Give a number"),
        (Inertial(1, [0, 0, 0]), {}, "its com is [0, 0, 0]. Give a tuple of 3 numbers"),
        (Inertial(1), {"axis": (0, 1)}, "joint 'j': its axis is (0, 1). Give a tuple of 3 numbers"),
        (Inertial(1), {"locked": "a"}, "joint 'j': its locked is 'a'. Give a number"),
    ],
)
def test_a_field_that_holds_no_number_is_named(inertial, joint, words):
    joint = Joint("j", "continuous", "b", "l", **({"axis": (0, 0, 1)} | joint))
    with pytest.raises(BadRobot, match=re.escape(words)):
        build("arm", [Link("b"), Link("l", inertial)], [joint])
