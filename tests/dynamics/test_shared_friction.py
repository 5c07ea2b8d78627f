"""Joints that share a coordinate rub each by its own curve, at its own rate."""

import math

import numpy as np
import pytest
from nearness import assert_near

import qddot
from qddot.dynamics.friction import friction_torque, smooth_direction
from qddot.model import Friction, Inertial, Joint, Link, Mimic, build
from qddot.simulation.acting import Forces
from qddot.simulation.equation import Instant

LEADER = Friction(viscous=0.1, coulomb=1, static=2, stribeck_velocity=0.1)
FOLLOWER = Friction(coulomb=1, static=3, stribeck_velocity=1.0, offset=0.2)


def gripper(ratio=-1.0, *others):
    """Return a finger and those that follow it."""
    followers = ((FOLLOWER, ratio), *others)
    links = [Link("palm"), *(Link(f"l{i}", Inertial(1.0)) for i in range(len(followers) + 1))]
    joints = [Joint("j0", "prismatic", "palm", "l0", friction=LEADER)]
    for i, (friction, r) in enumerate(followers, 1):
        mimic = Mimic("j0", r)
        joints.append(Joint(f"j{i}", "prismatic", "palm", f"l{i}", friction=friction, mimic=mimic))
    return qddot.Robot(build("gripper", links, joints, gravity=(0, 0, 0)))


def curve(friction, v):
    """Return f(v) = Fᵥ v + [Fₛ + (F_static − Fₛ) exp(−(v/v_s)²)] sgn(v) + f₀."""
    fading = math.exp(-((v / friction.stribeck_velocity) ** 2))
    dry = friction.coulomb + (friction.static - friction.coulomb) * fading
    return friction.viscous * v + dry * np.sign(v) + friction.offset


@pytest.mark.parametrize("ratio", [-1.0, 2.5, -0.3])
@pytest.mark.parametrize("v", [-2.0, -0.01, 0.05, 0.3, 1.0])
def test_a_leader_feels_the_curve_of_every_follower_at_its_own_rate(ratio, v):
    """Virtual work: f = f₁(v) + r f₂(r v)."""
    robot = gripper(ratio)
    expected = curve(LEADER, v) + ratio * curve(FOLLOWER, ratio * v)
    assert_near(robot.friction_torque([v]), [expected])
    assert_near(robot.inverse_dynamics([0.0], [v], [0.0]), [expected])
    inertia = 1 + ratio * ratio
    assert_near(robot.forward_dynamics([0.0], [v], [0.0]), [-expected / inertia])


def test_two_fingers_resist_with_their_own_stribeck_velocities():
    robot = gripper(-1.0).with_friction(viscous=0)
    expected = 2 + math.exp(-9) + 2 * math.exp(-0.09) - FOLLOWER.offset
    assert_near(robot.friction_torque([0.3]), [expected])  # 3.83 N, and not 2.00


def test_the_derivative_is_that_of_all_curves_together():
    robot, v, h = gripper(-1.0), 0.3, 1e-6
    _, slope = robot.inverse_dynamics_derivatives([0.0], [v], [0.0])
    around = robot.friction_torque(np.array([[v - h], [v + h]]))[:, 0]
    assert slope[0, 0] == pytest.approx((around[1] - around[0]) / (2 * h), rel=1e-8)


def test_equal_stribeck_velocities_stay_one_curve():
    (shared,) = gripper(-10.0).tree.friction  # 1.0 at ten times the rate is 0.1
    assert shared.further == ()
    (three,) = gripper(-1.0, (FOLLOWER, 1.0), (FOLLOWER, 2.0)).tree.friction
    assert [speed for _, speed in three.further] == [1.0, 0.5]


def test_a_rollout_rubs_by_all_curves():
    robot = gripper(2.5, (LEADER, -0.5))
    for v in (-0.7, 0.02, 0.3):
        qd = np.array([v])
        now = Instant(robot.tree, Forces(smoothing=0.01), {"qd": qd})
        smooth = friction_torque(robot.tree, qd, smooth_direction(robot.tree, qd, 0.01))
        assert_near(now.friction + now.disturbance, smooth)  # whose constant offset is apart


def test_a_joint_holds_up_to_the_static_friction_of_all_that_share_it():
    robot = gripper(-1.0)
    held = qddot.simulate(robot, [0.0], torque=lambda t, q, qd: [4.7], duration=0.1)
    slips = qddot.simulate(robot, [0.0], torque=lambda t, q, qd: [4.9], duration=0.1)
    assert held.q[-1, 0] == 0  # 2 + 3 − 0.2
    assert slips.q[-1, 0] > 0
