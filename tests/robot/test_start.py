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
@start@
[[link]]
name = "link1"
mass = 1
com = [1, 0, 0]
"""


def arm(tmp_path, start, stops=None):
    path = tmp_path / "arm.toml"
    lines = f"start = {start}" + (f"\nstops = {stops}" if stops else "")
    path.write_text(ARM.replace("@start@", lines))
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
    robot = qddot.load(arm(tmp_path, "{ q = 1, qd = -0.5 }", "{ upper = 1.5 }"))
    assert (robot.start.given, *robot.start.q, *robot.start.qd) == (True, 1, -0.5)
    first = [qddot.simulate(robot, *given, duration=0.1) for given in ((), ([0.2],))]
    assert [(found.q[0, 0], found.qd[0, 0]) for found in first] == [(1, -0.5), (0.2, 0)]
    other = qddot.simulate(robot, None, [3.0], duration=0.1)
    assert (other.q[0, 0], other.qd[0, 0]) == (1, 3)


def test_stops_hold_from_any_start_unless_they_are_left_out(tmp_path):
    robot = qddot.load(arm(tmp_path, "{ q = 1 }", "{ upper = 1.5 }"))
    for start in ((), ([1.0],), ([0.2], [3.0])):
        held = qddot.simulate(robot, *start, duration=2.0)
        assert held.q.max() <= 1.5 + 1e-12
        assert held.to_dict()["stops"] == {"j1": ["upper"]}
        assert "stops that acted: j1 (upper)" in str(held)
        free = qddot.simulate(robot, *start, duration=2.0, stops=False)
        assert free.q.max() > 1.5
        assert "passes its stop" in [event.name for event in free.events]
        assert free.to_dict()["stops"] == {}
    bouncing = qddot.simulate(robot, duration=2.0, stops=0.5)
    assert bouncing.q.max() <= 1.5 + 1e-12
    assert np.ptp(bouncing.q[-900:]) > 1e-3


def test_a_start_that_is_written_out_gives_the_same_motion():
    for name in ("mass_spring_damper", "rp"):
        robot = qddot.load(name)
        own = qddot.simulate(robot, duration=2.0)
        written = qddot.simulate(robot, robot.start.q, robot.start.qd, duration=2.0)
        assert np.array_equal(own.q, written.q)
    assert qddot.simulate("mass_spring_damper", duration=2.0).q[-1, 0] == pytest.approx(
        0.1906, abs=1e-4
    )


def test_each_joint_leaves_its_stop_with_its_own_restitution(tmp_path):
    robot = qddot.load(arm(tmp_path, "{ q = 1 }", "{ upper = 1.5, restitution = 0.5 }"))
    run = qddot.simulate(robot, duration=0.9)
    at = int(np.flatnonzero(np.diff(run.t) == 0)[0])
    assert run.qd[at + 1, 0] == -0.5 * run.qd[at, 0]


def test_a_robot_without_a_start_begins_at_zero():
    robot = qddot.load("two_link")
    assert not robot.start.given
    assert not np.any([robot.start.q, robot.start.qd])


def test_a_start_is_written_and_read_again(tmp_path):
    for name in ("rp", "double_pendulum", "mass_spring_damper"):
        for ending in (".toml", ".json"):
            qddot.load(name).save(tmp_path / f"again{ending}")
            again = qddot.load(tmp_path / f"again{ending}")
            assert [(j.start, j.stops) for j in again.model.joints] == [
                (j.start, j.stops) for j in qddot.load(name).model.joints
            ]
    with pytest.warns(qddot.RobotWarning, match=r"its start \(2\)"):
        qddot.load("pendulum").save(tmp_path / "pendulum.urdf")


def test_a_joint_that_is_locked_takes_its_start_along():
    robot = qddot.load("mass_spring_damper").locked({"x0": 0.0})
    assert robot.start.q.shape == (1,)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("{ q = 3 }", "its start (3) is not within its limits"),
        ("{ q = 1 }\nstops = { upper = 0.5 }", "its start (1) is not within its stops"),
        ("{}\nhome = 1\nstops = { upper = 0.5 }", "its home (1) is not within its stops"),
        ("{}\nstops = { lover = 0 }", "Did you mean 'lower'"),
        (
            "{}\nstops = { restitution = 0.5 }",
            "its stops have no place. Give lower, upper or both.",
        ),
        ("{}\nstops = { upper = 1, restitution = 2 }", "the restitution of its stops is 2"),
        ("{}\nstops = { lower = 1, upper = -1 }", "its stops leave no room (lower 1, upper -1)"),
        (
            "{ q = 1, lower = 0, upper = 1.5 }",
            "arm.toml:10: joint 'j1': stops are the joint's, not its start's. Write stops = "
            "{ lower = 0, upper = 1.5 } beside it, which holds from every start.",
        ),
        (
            "{ upper = 'pi/2' }",
            "Write stops = { upper = 'pi/2' } beside it, which holds from every start.",
        ),
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
