"""What control relies on: Ṁ − 2C is skew, and energy goes where the torque puts it."""

import numpy as np

import qddot

robot = qddot.load("iiwa14")
rng = np.random.default_rng(1)
q, qd, tau = rng.normal(size=(3, 1000, robot.n))

N = robot.mass_matrix_rate(q, qd) - 2 * robot.coriolis_matrix(q, qd)
print("largest symmetric part of Ṁ − 2C:", np.abs(N + N.swapaxes(1, 2)).max())

# power: d/dt (K + P) = τ · q̇ for a robot without friction
qdd = robot.forward_dynamics(q, qd, tau)
rate = np.einsum("bi,bij,bj->b", qd, robot.mass_matrix(q), qdd)
rate += 0.5 * np.einsum("bi,bij,bj->b", qd, robot.mass_matrix_rate(q, qd), qd)
rate += np.einsum("bi,bi->b", robot.gravity_torque(q), qd)
power = np.einsum("bi,bi->b", tau, qd)
assert np.allclose(rate, power, atol=1e-9)
