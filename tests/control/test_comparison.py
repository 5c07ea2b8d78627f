"""Whether a law's model is the arm: everything that a torque depends on is compared."""

from dataclasses import replace

import numpy as np
import pytest
from made import ARM, PANDA

import qddot
from qddot.control.laws import CartesianImpedance, OperationalSpace
from qddot.control.laws.assumption import STILL, differences
from qddot.model import Frame, Motor, Placement, Spring

LEVEL = dict(name="arm", gravity=(0, 0, -9.81))
BODY = {"mass": 1.0, "com": [-0.2, 0, 0], "inertia": [0.01, 0.02, 0.03]}


def arm(length=0.5, twist=0.0, last="revolute"):
    """Return two links; how far the second axis is, how it is turned, and what moves along it."""
    rows = [{"a": length, "alpha": twist, **BODY}, {"type": last, "a": 0.3, **BODY}]
    return qddot.from_dh(rows, "standard", **LEVEL)


def changed(robot, **more):
    joints = tuple(replace(joint, **more) for joint in robot.model.joints)
    return qddot.Robot(replace(robot.model, joints=joints))


@pytest.mark.parametrize(
    ("other", "what", "words"),
    [
        (arm(length=0.5 + 1e-9), "lengths", "joint axes differ by"),
        (arm(twist=1e-9), "lengths", "joint axes differ by"),
        (arm(last="prismatic"), "lengths", "hang together in another way"),
        (changed(arm(), motor=Motor(1e-4, 10.0)), "rotor inertia", "rotor inertia differs by"),
        (changed(arm(), spring=Spring(1e-3)), "springs", "torques of springs differ by"),
        (changed(arm(), spring=Spring(1e-3)), "holding torque", "gravity, springs and offsets"),
        (arm().with_friction(stribeck_velocity=0.1, static=2, coulomb=1), "stribeck velocity", ""),
    ],
)
def test_every_kind_of_difference_is_named_from_either_side(other, what, words):
    for one, two in ((arm(), other), (other, arm())):
        found = {each.what: each.why for each in differences(one, two, (*STILL, what))}
        assert words in found[what]


def test_what_was_not_asked_for_is_not_told():
    other = arm().with_friction(viscous=1.0).with_gravity((0, 0, -1.62))
    assert [each.what for each in differences(arm(), other, ["viscous"])] == ["viscous"]
    assert differences(arm(), other, ["lengths"]) == []


def test_a_mass_that_no_torque_shows_is_no_difference():
    """The first link turns about its own axis: more mass on that axis moves nothing."""
    heavier = arm().with_payload("base", 5.0)
    assert differences(arm(), heavier) == []


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        ([Frame("tool", "link2", Placement((1.0 + 1e-9, 0, 0)))], "frame 'tool' differs by"),
        ([Frame("tool", "link1", Placement((2.0, 0, 0)))], "frame 'tool' differs by"),  # at q = 0
        ([Frame("hand", "link2")], "the arm has no frame 'tool'"),
    ],
)
def test_a_frame_that_a_law_leads_must_be_at_its_place_on_its_body(frames, words):
    other = qddot.Robot(replace(ARM.model, frames=tuple(frames)))
    (found,) = differences(ARM, other, frame="tool")
    assert words in found.why
    assert differences(ARM, other) == []


def test_joints_of_other_names_are_another_arm():
    assert [each.what for each in differences(ARM, PANDA)] == ["joints"]


@pytest.mark.parametrize("law", [CartesianImpedance, OperationalSpace])
def test_a_joint_that_the_frame_does_not_feel_must_be_damped(law):
    """Seven joints for three directions; with two joints for two nothing is left over."""
    name = "joint_damping" if law is CartesianImpedance else "posture_kd"

    def damped(robot, place, axes, **more):
        found = law(robot, "tool", 300, 40, place, axes=axes, **more).assumptions()
        return next(each.holds for each in found if f"damped ({name})" in each.statement)

    place = PANDA.pose(np.zeros(7), "tool")[:3, 3]
    assert damped(PANDA, place, "xyz", **{name: 2.0}) is True
    assert damped(PANDA, place, "xyz", **{name: 0.0}) in (False, None)
    assert damped(ARM, [1.0, 0.5], "xy", **{name: 0.0}) is True
