"""The words of every problem with a model, and all of them at once."""

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from long import examples
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


def told(model, severity=None):
    """Return the problems of a model as text."""
    return [str(p) for p in validate(model) if severity in (None, p.severity)]


def with_joint(k=0, **changes):
    joints = list(JOINTS)
    joints[k] = replace(joints[k], **changes)
    return replace(SOUND, joints=tuple(joints))


def with_link(k=1, **changes):
    links = list(LINKS)
    links[k] = replace(links[k], **changes)
    return replace(SOUND, links=tuple(links))


def with_body(*arguments, **more):
    return with_link(inertial=Inertial(*arguments, **more))


def test_a_sound_robot_has_no_problems():
    assert told(SOUND) == []


@examples(30)
@given(models(mimic=True))
def test_random_robots_have_no_errors(model):
    assert told(model, "error") == []


# what keeps a robot from being one tree

STRUCTURE = {
    "no links": (Model("arm", (), ()), "robot: it has no links. Add at least a base link."),
    "too many links": (
        replace(SOUND, links=tuple(Link(f"l{i}") for i in range(MOST_LINKS + 1))),
        f"robot: it has 2001 links; at most {MOST_LINKS} are read. "
        "Split it, or leave out what does not move.",
    ),
    "a link without a name": (
        replace(SOUND, links=(*LINKS, Link("", line=9))),
        "9: a link: it has no name. Give it one.",
    ),
    "a joint without a name": (with_joint(name=""), "4: a joint: it has no name. Give it one."),
    "a frame without a name": (
        replace(SOUND, frames=(Frame("", "arm", line=9),)),
        "9: a frame: it has no name. Give it one.",
    ),
    "two links of one name": (
        replace(SOUND, links=(*LINKS, Link("arm", line=9))),
        "9: link 'arm': the name is used twice (first at line 2). Rename one of the two.",
    ),
    "two joints of one name": (
        with_joint(1, name="shoulder"),
        "5: joint 'shoulder': the name is used twice (first at line 4). Rename one of the two.",
    ),
    "a frame named like a link": (
        replace(SOUND, frames=(Frame("hand", "arm", line=9),)),
        "9: frame 'hand': the name is used twice (first at line 3). Rename one of the two.",
    ),
    "two names without lines": (
        replace(SOUND, links=tuple(replace(x, line=None) for x in (*LINKS, LINKS[1]))),
        "link 'arm': the name is used twice. Rename one of the two.",
    ),
    "a long name": (
        with_joint(name="j" * (LONGEST_NAME + 1)),
        f"4: joint '{'j' * 79}…': the name has 201 characters; at most 200. Shorten it.",
    ),
    "control characters": (
        with_joint(name="a\nb"),
        r"4: joint 'a\nb': the name holds control characters. "
        "Use letters, digits and _ - . / only.",
    ),
    "an unknown type": (
        with_joint(kind="revolut"),
        "4: joint 'shoulder': unknown joint type 'revolut'. Did you mean 'revolute'? "
        "Types: revolute, continuous, prismatic, screw, rotor, fixed.",
    ),
    "a strange type": (
        with_joint(kind="ball"),
        "4: joint 'shoulder': unknown joint type 'ball'. "
        "Types: revolute, continuous, prismatic, screw, rotor, fixed.",
    ),
    "no parent": (
        with_joint(parent=""),
        "4: joint 'shoulder': it has no parent. Name its parent link.",
    ),
    "no child": (
        with_joint(child=""),
        "4: joint 'shoulder': it has no child. Name its child link.",
    ),
    "an unknown parent": (
        with_joint(parent="bass"),
        "4: joint 'shoulder': its parent link 'bass' does not exist. "
        "Add it or correct the name. Did you mean 'base'?",
    ),
    "an unknown child": (
        with_joint(1, child="xyz"),
        "5: joint 'slide': its child link 'xyz' does not exist. Add it or correct the name.",
    ),
    "a frame on nothing": (
        replace(SOUND, frames=(Frame("tip", "hnd", line=9),)),
        "9: frame 'tip': its link 'hnd' does not exist. Correct the name. Did you mean 'hand'?",
    ),
    "a payload on nothing": (
        replace(SOUND, payloads=(Payload("tip", BODY, 9),)),
        "9: payload: its frame 'tip' does not exist. Correct the name.",
    ),
    "a coupling of nothing": (
        replace(SOUND, couplings=(Coupling(("shoulder", "slid"), 1, line=9),)),
        "9: coupling 'shoulder'–'slid': there is no moving joint 'slid'. "
        "Correct the name. Did you mean 'slide'?",
    ),
    "a coupling of one joint": (
        replace(SOUND, couplings=(Coupling(("slide", "slide"), 1, line=9),)),
        "9: coupling 'slide'–'slide': it joins a joint to itself. "
        "Name two joints, or use a spring.",
    ),
    "a joint onto itself": (
        with_joint(1, child="arm"),
        "5: joint 'slide': its parent and its child are the same link. Name two different links.",
    ),
    "a loop": (
        replace(SOUND, joints=(*JOINTS, Joint("more", "fixed", "base", "hand", line=9))),
        "9: link 'hand': it is the child of 2 joints ('slide', 'more'). "
        "A robot is a tree: keep one of them. Closed loops are not supported.",
    ),
    "a loose link": (
        replace(SOUND, links=(*LINKS, Link("loose", line=9))),
        "9: link 'loose': it is not connected to the base 'base'. "
        "Add a joint (type fixed will do) from the rest of the robot to it, or remove it.",
    ),
    "a cycle": (
        with_joint(parent="hand"),
        "2: robot: its links form a cycle ('arm', 'hand'). "
        "Reverse or remove one joint of the cycle, so that one link has no parent.",
    ),
    "a mimic of nothing": (
        with_joint(1, mimic=Mimic("shulder")),
        "5: joint 'slide': it mimics 'shulder', which does not exist. "
        "Name a joint that moves. Did you mean 'shoulder'?",
    ),
    "a mimic of what is fixed": (
        replace(
            with_joint(1, mimic=Mimic("shoulder")),
            joints=(
                replace(JOINTS[0], kind="fixed"),
                replace(JOINTS[1], mimic=Mimic("shoulder")),
            ),
        ),
        "5: joint 'slide': it mimics 'shoulder', which is fixed. Name a joint that moves.",
    ),
    "a mimic of itself": (
        with_joint(1, mimic=Mimic("slide")),
        "5: joint 'slide': it mimics itself, directly or through others. "
        "One joint of the group must move by itself.",
    ),
    "two that mimic each other": (
        replace(
            SOUND,
            joints=(
                replace(JOINTS[0], mimic=Mimic("slide")),
                replace(JOINTS[1], mimic=Mimic("shoulder")),
            ),
        ),
        "4: joint 'shoulder': it mimics itself, directly or through others. "
        "One joint of the group must move by itself.",
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
    assert told(with_joint(name="$(rm -rf)")) == [
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

NOT_FINITE = (
    "one of its numbers is missing, infinite or not a number. Replace it by a finite number."
)

VALUES = {
    "gravity": (
        replace(SOUND, gravity=(0, 0, math.inf)),
        "gravity: it is not three finite numbers. Correct it.",
    ),
    "a link": (with_body(math.nan), f"2: link 'arm': {NOT_FINITE}"),
    "a joint": (with_joint(axis=(0, math.inf, 0)), f"4: joint 'shoulder': {NOT_FINITE}"),
    "a payload": (
        replace(SOUND, payloads=(Payload("hand", Inertial(math.inf), 9),)),
        f"9: payload at 'hand': {NOT_FINITE}",
    ),
    "a frame": (
        replace(SOUND, frames=(Frame("tip", "hand", Placement((math.nan, 0, 0)), 9),)),
        f"9: frame 'tip': {NOT_FINITE}",
    ),
    "a coupling": (
        replace(SOUND, couplings=(Coupling(("shoulder", "slide"), math.inf, line=9),)),
        f"9: coupling 'shoulder'–'slide': {NOT_FINITE}",
    ),
    "an axis": (
        with_joint(axis=(0, 0, 0)),
        "4: joint 'shoulder': its axis is zero. Give a direction, like [0, 0, 1].",
    ),
    "reversed limits": (
        with_joint(limits=Limits(2, 1)),
        "4: joint 'shoulder': its limits are reversed (lower 2 > upper 1). Swap them.",
    ),
    "reversed limits in formulas": (
        with_joint(limits=Limits(read_formula("pi/2"), read_formula("-pi/2"))),
        "4: joint 'shoulder': its limits are reversed (lower 1.5708 > upper -1.5708). Swap them.",
    ),
    "velocity": (
        with_joint(limits=Limits(-1, 1, velocity=-3)),
        "4: joint 'shoulder': its velocity limit is negative (-3). Give its size.",
    ),
    "effort": (
        with_joint(limits=Limits(-1, 1, effort=-3)),
        "4: joint 'shoulder': its effort limit is negative (-3). Give its size.",
    ),
    "viscous friction": (
        with_joint(friction=Friction(viscous=-1)),
        "4: joint 'shoulder': its viscous friction is negative (-1): it would create energy. "
        "Give its size.",
    ),
    "Coulomb friction": (
        with_joint(friction=Friction(coulomb=-1)),
        "4: joint 'shoulder': its coulomb friction is negative (-1): it would create energy. "
        "Give its size.",
    ),
    "static friction": (
        with_joint(friction=Friction(static=-1, stribeck_velocity=1)),
        "4: joint 'shoulder': its static friction is negative (-1): it would create energy. "
        "Give its size.",
    ),
    "no Stribeck velocity": (
        with_joint(friction=Friction(static=1)),
        "4: joint 'shoulder': it has static friction but no Stribeck velocity. "
        "Add stribeck_velocity, for instance 0.01.",
    ),
    "Stribeck velocity": (
        with_joint(friction=Friction(static=1, stribeck_velocity=0)),
        "4: joint 'shoulder': its Stribeck velocity is not positive. "
        "Give a small speed, like 0.01.",
    ),
    "rotor inertia": (
        with_joint(motor=Motor(-1)),
        "4: joint 'shoulder': its rotor inertia is negative (-1). Correct it.",
    ),
    "gear": (
        with_joint(motor=Motor(1, 0)),
        "4: joint 'shoulder': its gear ratio is zero. Use 1 for a direct drive.",
    ),
    "negative mass": (
        with_body(-1),
        "2: link 'arm': the mass is negative (-1 kg). Give a positive mass.",
    ),
    "negative mass of a payload": (
        replace(SOUND, payloads=(Payload("hand", Inertial(-1), 9),)),
        "9: payload at 'hand': the mass is negative (-1 kg). Give a positive mass.",
    ),
    "impossible inertia": (
        with_body(1, inertia=(0.01, 0, 0, 0.01, 0, 0.9)),
        "2: link 'arm': no body has this inertia: Izz = 0.9 > Ixx + Iyy = 0.01 + 0.01. "
        "Usual causes: a decimal slip, the inertia about another point or in other axes, "
        "products of inertia mixed up, or grams and millimetres.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("model", "words"), VALUES.values(), ids=VALUES)
def test_what_cannot_be_a_value_is_refused_in_words(model, words):
    assert told(model, "error") == [words]


DOUBTS = {
    "static below Coulomb": (
        with_joint(friction=Friction(coulomb=2, static=1, stribeck_velocity=1)),
        "4: joint 'shoulder': its static friction (1) is below Coulomb's (2). "
        "Usually it is the other way round.",
    ),
    "an unstable spring": (
        with_joint(spring=Spring(-2)),
        "4: joint 'shoulder': its spring is unstable (stiffness -2 < 0). "
        "Drop the sign unless it is meant.",
    ),
    "inertia without mass": (
        with_body(0, inertia=(1, 0, 0, 1, 0, 1)),
        "2: link 'arm': a body without mass has a moment of inertia (1 kg·m²). "
        "Give the mass too, or declare the inertia as the joint's rotor inertia.",
    ),
    "a rounded inertia": (
        with_body(1, inertia=(0.01, 0, 0, 0.02, 0, 0.031)),
        "2: link 'arm': no body has this inertia: Izz = 0.031 > Ixx + Iyy = 0.01 + 0.02. "
        "Usual causes: ",
    ),
    "an impossible base": (
        with_link(0, inertial=Inertial(1, inertia=(0.01, 0, 0, 0.01, 0, 0.9))),
        "1: link 'base': no body has this inertia: Izz = 0.9 > Ixx + Iyy = 0.01 + 0.01; "
        "it does not move, so nothing depends on it. Usual causes: ",
    ),
    "an impossible part of a possible body": (
        replace(
            with_link(2, inertial=Inertial(0.01, inertia=(1e-5, 0, 0, 1e-5, 0, 9e-4))),
            joints=(JOINTS[0], replace(JOINTS[1], kind="fixed")),
        ),
        "3: link 'hand': no body has this inertia: Izz = 0.0009 > Ixx + Iyy = 1e-05 + 1e-05; "
        "together with what it is fixed to, it is possible. Usual causes: ",
    ),
    "limits in degrees": (
        with_joint(limits=Limits(-90, 90)),
        "4: joint 'shoulder': its limits reach 90 rad. They look like degrees; multiply by π/180.",
    ),
    "limits that are none": (
        with_joint(limits=Limits(-1e5, 1e5)),
        "4: joint 'shoulder': its limits reach 100000 rad. "
        "Use type continuous for a joint without limits.",
    ),
    "no room": (
        with_joint(limits=Limits(0.5, 0.5)),
        "4: joint 'shoulder': its limits leave no room (both 0.5). "
        "Use type fixed if it does not move.",
    ),
    "a centre of mass far away": (
        with_body(1, (100, 0, 0)),
        "2: link 'arm': its centre of mass is 100 m from its frame, "
        "but what it carries is within 0.9 m. Is it in millimetres, or in another frame?",
    ),
    "gravity": (
        replace(SOUND, gravity=(0, 0, -981)),
        "gravity: its size is 981 m/s². On Earth it is 9.81 m/s².",
    ),
    "nothing to move": (
        with_link(2, inertial=Inertial()),
        "5: joint 'slide': nothing beyond it has mass, so the mass matrix is singular. "
        "Give the link its mass, give the joint a rotor inertia, or make it fixed.",
    ),
}


@pytest.mark.parametrize(("model", "words"), DOUBTS.values(), ids=DOUBTS)
def test_what_rarely_is_a_value_is_doubted_in_words(model, words):
    warnings = told(model, "warning")
    assert len(warnings) == 1
    assert warnings[0].startswith(words)
    assert told(model, "error") == []


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            with_joint(limits=Limits()),
            "4: joint 'shoulder': it has no position limits, so it is taken as unlimited. "
            "Give lower and upper, or use type continuous.",
        ),
        (
            with_joint(1, limits=Limits()),
            "5: joint 'slide': it has no position limits, so it is taken as unlimited. "
            "Give lower and upper.",
        ),
        (
            with_joint(origin=Placement((0, 0, 0.4), (1.5708, 0, 0))),
            "4: joint 'shoulder': its origin is turned by 1.5708 rad, 3.7e-06 off π/2. "
            "Write 1.5707963267948966 if a right angle is meant.",
        ),
    ],
)
def test_what_is_worth_knowing_is_noted_in_words(model, words):
    assert told(model, "note") == [words]
    assert told(model, "error") == told(model, "warning") == []


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
    loose = with_joint(limits=Limits(x, -x), friction=Friction(x, x, x, x), motor=Motor(x, x))
    open_model = replace(
        loose, links=(LINKS[0], Link("arm", Inertial(x, (x, x, x), (x,) * 6)), LINKS[2])
    )
    assert told(open_model) == []
    assert told(replace(SOUND, gravity=(0, 0, -x))) == []


def test_a_joint_without_mass_beyond_is_fine_with_a_rotor_or_a_payload():
    bare = with_link(2, inertial=Inertial())
    rotor = (JOINTS[0], replace(JOINTS[1], motor=Motor(0.1)))
    assert told(replace(bare, joints=rotor)) == []
    tip = Frame("tip", "hand")
    assert told(replace(bare, frames=(tip,), payloads=(Payload("tip", BODY),))) == []


# all at once


def test_every_problem_of_a_model_comes_at_once():
    model = replace(
        SOUND,
        links=(LINKS[0], replace(LINKS[1], inertial=Inertial(-1)), LINKS[2]),
        joints=(
            replace(JOINTS[0], axis=(0, 0, 0), limits=Limits(1, -1), motor=Motor(-1, 0)),
            replace(JOINTS[1], kind="slider", friction=Friction(-1)),
        ),
        frames=(Frame("tip", "nowhere", line=6),),
        gravity=(math.nan, 0, 0),
    )
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
