"""Friction that changes with the temperature of a joint."""

import numpy as np
import pytest
from nearness import assert_near

import qddot
from qddot.errors import BadArgument, BadRobot

TOML = """
convention = "standard"
gravity = [0, -9.81, 0]
[[dh]]
a = 1
mass = 1
friction = { viscous = 2, coulomb = 3, static = 4, stribeck_velocity = 0.1 }
warming = { reference = 40, viscous = -0.05, coulomb = 0.02 }
[[dh]]
a = 1
mass = 1
friction = { viscous = 1 }
"""


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "arm.toml").write_text(TOML)
    return qddot.load(tmp_path / "arm.toml")


def test_friction_at_a_temperature(arm):
    """10 °C more: 2 - 0.5 and 3 + 0.2; what static friction has above Coulomb's stays."""
    qd = np.array([0.3, 0.3])
    fading = np.exp(-((0.3 / 0.1) ** 2))
    assert_near(arm.friction_torque(qd), [2 * 0.3 + 3 + fading, 0.3])
    assert_near(arm.with_temperature(50).friction_torque(qd), [1.5 * 0.3 + 3.2 + fading, 0.3])
    assert_near(arm.with_temperature([50, 0]).friction_torque(qd), [1.5 * 0.3 + 3.2 + fading, 0.3])


def test_a_temperature_is_where_one_is_and_the_way_there_does_not_matter(arm):
    there = arm.with_temperature(70).with_temperature(40)
    qd = np.array([0.3, -0.2])
    assert_near(there.friction_torque(qd), arm.friction_torque(qd))
    assert there.with_temperature(40).model == there.model


def test_files_keep_it_and_a_urdf_says_that_it_does_not(arm, tmp_path):
    arm.save(tmp_path / "again.toml")
    assert qddot.load(tmp_path / "again.toml").model.joints == arm.model.joints
    with pytest.warns(qddot.RobotWarning, match="friction changes with temperature, from 40 °C"):
        arm.save(tmp_path / "arm.urdf")


def test_what_cannot_be_is_refused(arm, tmp_path):
    with pytest.raises(BadArgument, match=r"At 100 °C the viscous friction of joint 'j1' would be"):
        arm.with_temperature(100)
    with pytest.raises(BadArgument, match="temperature"):
        arm.with_temperature([1, 2, 3])
    (tmp_path / "bad.toml").write_text(TOML.replace("coulomb = 0.02", "dry = 0.02"))
    with pytest.raises(BadRobot, match="dry"):
        qddot.load(tmp_path / "bad.toml")


def test_without_friction_there_is_nothing_to_warm(arm):
    bare = arm.without("friction")
    assert bare.with_temperature(90).model == bare.model
