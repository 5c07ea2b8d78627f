"""Springs and weights on levers: a cos mq + b sin mq, in torques, energies, proofs and files."""

from dataclasses import replace

import numpy as np
import pytest

import qddot
from qddot.errors import BadRobot
from qddot.model import Spring

TEXT = """
name = "arm"
gravity = [0, -9.81, 0]

[[joint]]
name = "j1"
type = "revolute"
parent = "base"
child = "l1"
axis = [0, 0, 1]
spring = { stiffness = 3, rest = 0.1, harmonics = [[1, 4, 0], [2, -0.5, 6]] }

[[link]]
name = "l1"
mass = 2
com = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.1]

[[joint]]
name = "j2"
type = "revolute"
parent = "l1"
child = "l2"
xyz = [1, 0, 0]
axis = [0, 0, 1]
mimic = { joint = "j1", multiplier = 2, offset = 0.3 }
spring = { harmonics = [[1, 0, 5]] }

[[link]]
name = "l2"
mass = 1
com = [0.3, 0, 0]
inertia = [0.1, 0.1, 0.1]
"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(TEXT)
    return qddot.load(path)


def test_torque_and_energy_are_those_of_the_formula(arm):
    bare = arm.without("springs")
    q = np.linspace(-3, 3, 7)[:, None]
    x = q[:, 0]
    own = 3 * (x - 0.1) + 4 * np.cos(x) - 0.5 * np.cos(2 * x) + 6 * np.sin(2 * x)
    follower = 2 * 5 * np.sin(2 * x + 0.3)  # by virtual work
    more = arm.inverse_dynamics(q, 0 * q, 0 * q) - bare.inverse_dynamics(q, 0 * q, 0 * q)
    assert np.allclose(more[:, 0], own + follower)
    h = 1e-6
    slope = (arm.potential_energy(q + h) - arm.potential_energy(q - h)) / (2 * h)
    assert np.allclose(slope, arm.inverse_dynamics(q, 0 * q, 0 * q)[:, 0], atol=1e-6)


def test_energy_stays_in_a_run(arm):
    run = qddot.simulate(arm, [0.5], [0.0], duration=3.0, tolerance=1e-10)
    q, qd = run.q, run.qd
    total = arm.kinetic_energy(q, qd) + arm.potential_energy(q)
    assert np.ptp(total) < 1e-6 * np.abs(total).max()


def test_closed_forms_have_them_and_energy_is_proved():
    robot = qddot.load("two_link_symbolic")
    spring = Spring(harmonics=((2, 1, 3),))
    model = robot.model.with_joints(
        lambda joint: replace(joint, spring=spring) if joint.name == "j1" else joint
    )
    robot = replace(robot, model=model)
    assert qddot.derive(robot).check("springs[1]", "cos(2 q1) + 3 sin(2 q1)").ok
    proved = {claim.statement: claim.holds for claim in qddot.prove(robot).claims}
    assert proved["g and the springs are the slope of P"]
    assert proved["d/dt (K + P) = τ·q̇ without friction"]


def test_files_keep_them(arm, tmp_path):
    for name in ("again.toml", "again.json"):
        arm.save(tmp_path / name)
        assert qddot.load(tmp_path / name).model.joints == arm.model.joints
    lost = arm.save(tmp_path / "arm.urdf")
    assert any("harmonics of its spring" in line for line in lost)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("[[0, 1, 2]]", "whole number from 1"),
        ("[[1.5, 1, 2]]", "whole number from 1"),
        ("[[1, 2]]", "3 numbers each"),
        ("3", "3 numbers each"),
        ('[["x", 1, 2]]', ""),
    ],
)
def test_bad_harmonics_are_refused(bad, words, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(TEXT.replace("[[1, 4, 0], [2, -0.5, 6]]", bad))
    with pytest.raises(BadRobot, match=words):
        qddot.load(path)
    path.write_text(TEXT.replace('type = "revolute"', 'type = "prismatic"', 1))
    with pytest.raises(BadRobot, match="no angle"):
        qddot.load(path)
