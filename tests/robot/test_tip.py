"""The frame that is meant if none is named: a tool or a flange before a finger."""

import itertools

import pytest

import qddot
from qddot.model import Frame, Inertial, Joint, Link, build

BODY = Inertial(1.0, (0.1, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))


def arm(frames=(), fingers=2, length=1, more=()):
    """Return an arm of three links, with fingers and frames at the last."""
    links, joints = [Link("base")], []
    ways = [("base", "upper"), ("upper", "lower"), ("lower", "hand"), *more]
    for k in range(fingers):
        chain = ["hand", *(f"finger{k}_{i}" for i in range(length))]
        ways += itertools.pairwise(chain)
    for parent, child in ways:
        links.append(Link(child, BODY))
        joints.append(Joint(f"to_{child}", "continuous", parent, child, axis=(0, 1, 0)))
    return qddot.Robot(build("arm", links, joints, frames=tuple(frames)))


@pytest.mark.parametrize(
    "name",
    [
        "tool",
        "hand_tcp",
        "tool0",
        "left/tool_frame",
        "EE_link",
        "arm_end_effector",
        "flange",
        "attachment_site",
        "my-eef",
        "gripper/pinch",
    ],
)
def test_a_frame_that_is_called_as_one_is_the_tip(name):
    assert arm([Frame("camera", "hand"), Frame(name, "hand")]).tip == name


def test_a_tool_centre_point_comes_before_a_flange_and_what_is_like_a_name_is_none():
    frames = [Frame("flange", "hand"), Frame("tool0", "hand"), Frame("tcp", "hand")]
    assert arm(frames).tip == "tcp"
    assert arm(frames[:2]).tip == "tool0"
    assert arm([Frame("toolbox", "hand"), Frame("knee", "hand")]).tip == "knee"  # the hand's last
    assert arm([Frame("base_flange", "base")]).tip == "hand"


def test_the_hand_comes_before_its_fingers():
    assert arm().tip == "hand"
    assert arm(length=3).tip == "hand"
    assert arm(fingers=1).tip == "finger0_0"  # an arm with one link more
    assert arm(fingers=0).tip == "hand"
    assert arm(length=5).tip == "finger1_4"  # two arms on a body


def test_a_tool_on_a_short_branch_is_not_the_tip_of_a_long_arm():
    way = [f"n{k}" for k in range(12)]
    more = [("hand", "n0"), *itertools.pairwise(way)]
    assert arm([Frame("flange", "upper")], fingers=0, more=more).tip == "n11"
