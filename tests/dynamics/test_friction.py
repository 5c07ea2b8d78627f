"""Friction and springs, against their formulas written out."""

import math

import numpy as np
import pytest
from nearness import assert_near

import qddot

VISCOUS, COULOMB, STATIC, STRIBECK, OFFSET = 0.3, 0.5, 0.9, 0.05, 0.02


@pytest.fixture(scope="module")
def pendulum():
    return qddot.load("pendulum").with_friction(
        viscous=VISCOUS, coulomb=COULOMB, static=STATIC, stribeck_velocity=STRIBECK, offset=OFFSET
    )


def curve(v):
    """Return f(v) = Fᵥ v + [Fₛ + (F_static − Fₛ) exp(−(v/v_s)²)] sgn(v) + f₀."""
    dry = COULOMB + (STATIC - COULOMB) * math.exp(-((v / STRIBECK) ** 2))
    return VISCOUS * v + math.copysign(dry, v) * (v != 0) + OFFSET


@pytest.mark.parametrize("v", [0.0, 1e-6, 0.02, STRIBECK, 0.1, 1.0, 30.0])
def test_friction_follows_stribecks_curve_both_ways(pendulum, v):
    assert_near(pendulum.friction_torque(np.array([v])), [curve(v)])
    assert_near(pendulum.friction_torque(np.array([-v])), [curve(-v)])


def test_friction_falls_from_static_to_coulombs_and_rises_again(pendulum):
    barely, sliding, fast = pendulum.friction_torque(np.array([[1e-9], [0.3], [10.0]]))[:, 0]
    assert_near(barely - OFFSET, STATIC, tolerance=1e-8)  # Fᵥ v is 3e-10
    assert_near(sliding - OFFSET, COULOMB + VISCOUS * 0.3)
    assert sliding < barely < fast


def test_at_rest_only_the_offset_is_felt(pendulum):
    assert pendulum.friction_torque(np.zeros(1))[0] == OFFSET


def test_friction_is_in_the_torque_and_in_the_motion(pendulum):
    q, qd, qdd = np.array([0.4]), np.array([0.03]), np.array([1.1])
    slick = pendulum.without("friction")
    tau = pendulum.inverse_dynamics(q, qd, qdd)
    assert_near(tau - slick.inverse_dynamics(q, qd, qdd), [curve(0.03)], tau)
    assert_near(pendulum.forward_dynamics(q, qd, tau), qdd)
    assert_near(slick.forward_dynamics(q, qd, tau - curve(0.03)), qdd)


def test_the_slope_of_friction_is_the_curves(pendulum):
    """d/dv of the Stribeck part: −2 v/v_s² (F_static − Fₛ) exp(−(v/v_s)²)."""
    v, zero = 0.03, np.zeros(1)
    _, slope = pendulum.inverse_dynamics_derivatives(zero, np.array([v]), zero)
    falling = -2 * v / STRIBECK**2 * (STATIC - COULOMB) * math.exp(-((v / STRIBECK) ** 2))
    assert_near(slope, [[VISCOUS + falling]])


def test_a_coupling_pulls_two_joints_towards_each_other():
    """80 N/m and 3 N·s/m between the masses; gravity is along both slides."""
    robot = qddot.load("mass_spring_damper").without("gravity")
    q, qd = np.array([0.3, 0.1]), np.array([0.5, -0.2])
    pull = 80 * 0.2 + 3 * 0.7
    assert_near(robot.bias_torque(q, qd), [pull, -pull])
    assert_near(robot.potential_energy(q), 80 * 0.2**2 / 2)
    qdd = robot.forward_dynamics(q, qd, np.zeros(2))
    assert_near(qdd, [-pull / 2, pull / 5])
