"""How runs of a robot begin if nobody says: its start, which textbook robots have."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import run
from nearness import assert_close

import qddot
from qddot.errors import BadRobot
from qddot.studio.playing import drop

ARM = """
name = "arm"
[[joint]]
name = "j1"
type = "revolute"
parent = "base"
child = "link1"
axis = [0, 1, 0]
limits = { lower = -2, upper = 2 }
start = @start@
[[link]]
name = "link1"
mass = 1
com = [1, 0, 0]
"""


def arm(tmp_path, start):
    path = tmp_path / "arm.toml"
    path.write_text(ARM.replace("@start@", start))
    return path


@pytest.mark.parametrize("name", ["pendulum", "double_pendulum", "rp", "mass_spring_damper"])
def test_a_textbook_robot_moves_and_stays_in_sight(name):
    found = qddot.simulate(name, duration=5.0)
    robot = found.robot
    assert found.good
    assert np.ptp(found.q, axis=0).max() > 0.4
    slides = [k for k, joint in enumerate(robot.model.free_joints) if not joint.turns]
    assert np.abs(found.q[:, slides]).max(initial=0) <= 2 + 1e-12


def test_the_mass_on_a_spring_swings_and_rests_as_the_deck_says():
    """x1 = M1 g / k, ω = √(k/M1), ζ = c / (2 √(k M1)); M0 stays on the floor."""
    found = qddot.simulate("mass_spring_damper", duration=10.0)
    assert not found.q[:, 1].any()
    M1, c, k, g = 2, 3, 80, 9.81
    assert abs(found.q[-1, 0] - M1 * g / k) < 2e-4  # exp(−7.5) of it is left
    decay, w = c / (2 * M1), np.sqrt(k / M1 - (c / (2 * M1)) ** 2)
    swing = np.exp(-decay * found.t) * (np.cos(w * found.t) + decay / w * np.sin(w * found.t))
    assert_close(found.q[:, 0], M1 * g / k * (1 - swing), 1e-8)


def test_what_is_given_goes_before_the_start(tmp_path):
    robot = qddot.load(arm(tmp_path, "{ q = 1, qd = -0.5, upper = 1.5 }"))
    assert (robot.start.given, *robot.start.q, *robot.start.qd) == (True, 1, -0.5)
    first = [qddot.simulate(robot, *given, duration=0.1) for given in ((), ([0.2],))]
    assert [(found.q[0, 0], found.qd[0, 0]) for found in first] == [(1, -0.5), (0.2, 0)]
    other = qddot.simulate(robot, None, [3.0], duration=0.1)
    assert (other.q[0, 0], other.qd[0, 0]) == (1, 3)


def test_stops_are_those_of_a_run_from_the_start_alone(tmp_path):
    robot = qddot.load(arm(tmp_path, "{ q = 1, upper = 1.5 }")).with_gravity((0, 0, -9.81))
    held = qddot.simulate(robot, duration=2.0)
    assert held.q.max() <= 1.5 + 1e-12
    assert qddot.simulate(robot, [1.0], duration=2.0).q.max() > 1.5
    bouncing = qddot.simulate(robot, duration=2.0, stops=0.5)
    assert bouncing.q.max() <= 1.5 + 1e-12
    assert np.ptp(bouncing.q[-900:]) > 1e-3


def test_a_robot_without_a_start_begins_at_zero():
    robot = qddot.load("two_link")
    assert not robot.start.given
    assert not np.any([robot.start.q, robot.start.qd])
    assert not np.isfinite([robot.start.lower, robot.start.upper]).any()


def test_a_start_is_written_and_read_again(tmp_path):
    for name in ("rp", "double_pendulum", "mass_spring_damper"):
        for ending in (".toml", ".json"):
            qddot.load(name).save(tmp_path / f"again{ending}")
            again = qddot.load(tmp_path / f"again{ending}")
            assert [j.start for j in again.model.joints] == [
                j.start for j in qddot.load(name).model.joints
            ]
    with pytest.warns(qddot.RobotWarning, match=r"its start \(2\)"):
        qddot.load("pendulum").save(tmp_path / "pendulum.urdf")


def test_a_joint_that_is_locked_takes_its_start_along():
    robot = qddot.load("mass_spring_damper").locked({"x0": 0.0})
    assert robot.start.q.shape == robot.start.upper.shape == (1,)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("{ q = 3 }", "its start (3) is not within its limits"),
        ("{ q = 1, upper = 0.5 }", "its start (1) is not within its stops"),
        ("{ q = 1, lover = 0 }", "Did you mean 'lower'"),
        ("1", "it is a number"),
    ],
)
def test_a_start_that_cannot_be_is_told(start, words, tmp_path):
    with pytest.raises(BadRobot) as error:
        qddot.load(arm(tmp_path, start))
    assert words in str(error.value), str(error.value)


def test_the_command_line_and_the_studio_begin_where_python_does():
    python = qddot.simulate("rp", duration=0.5)
    done = run("simulate", "rp", "--duration", "0.5", "--json", "--quiet")
    assert_close(json.loads(done.stdout)["q"], python.q[-1])
    robot = qddot.load("rp")
    shown, _ = drop(robot, robot.start.q, robot.start.qd, 0.5, False, tell=lambda *_: None)
    assert_close(shown["q"][-1], python.q[-1])
