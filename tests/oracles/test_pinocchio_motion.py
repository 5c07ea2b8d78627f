"""Trajectories against an independent integration of Pinocchio's articulated-body algorithm."""

import numpy as np
import pytest
from long import long
from oracles.test_pinocchio_dynamics import built_in
from scipy.integrate import solve_ivp

import qddot

SECONDS = 2.0


@pytest.mark.parametrize("name", ["ur5", *long("puma560", "ur10", "iiwa14", "xarm7", "z1")])
def test_an_arm_moves_as_pinocchio_says(name):
    """Six real arms under torques that lag behind their weight, to 1e-8 rad over two seconds.

    With a damping that real arms have: without any, some of them spin so fast that a difference of
    1e-15 at the start is one of 1e-6 after two seconds, whoever integrates.
    """
    robot, reference = built_in(name)
    robot = qddot.Robot(robot.model)
    n = robot.n
    q0 = 0.3 + 0.1 * np.arange(n)

    weight = reference.gravity_torque(q0)

    def torque(t, q, qd):
        return weight * (1 + 0.5 * np.sin(3 * t)) - 0.2 * qd

    def rate(t, y):
        q, qd = y[:n], y[n:]
        return np.concatenate([qd, reference.forward_dynamics(q, qd, torque(t, q, qd))])

    start = np.concatenate([q0, np.zeros(n)])
    theirs = solve_ivp(
        rate, (0, SECONDS), start, dense_output=True, method="DOP853", rtol=1e-12, atol=1e-12
    )
    ours = qddot.simulate(robot, q0, duration=SECONDS, torque=torque, tolerance=1e-12)
    assert ours.good, ours.status
    np.testing.assert_allclose(ours.q, theirs.sol(ours.t)[:n].T, atol=1e-8, rtol=0)
    moved = np.abs(ours.q - q0).max()
    assert moved > 0.5, "it should have moved"
