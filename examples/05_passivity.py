# %% [markdown]
# # Passivity, which controllers rely on
#
# Ṁ − 2C is skew-symmetric, for the Coriolis matrix that qddot gives.
# Therefore energy goes where the torque puts it: d/dt (K + P) = τ · q̇ without friction.
# You check both at a thousand states of an iiwa.

# %%
import numpy as np

import qddot

robot = qddot.load("iiwa14")
rng = np.random.default_rng(1)
q, qd, tau = rng.normal(size=(3, 1000, robot.n))

N = robot.mass_matrix_rate(q, qd) - 2 * robot.coriolis_matrix(q, qd)
print("largest symmetric part of Ṁ − 2C:", np.abs(N + N.swapaxes(1, 2)).max())
assert np.abs(N + N.swapaxes(1, 2)).max() < 1e-12

# %%
qdd = robot.forward_dynamics(q, qd, tau)
rate = np.einsum("bi,bij,bj->b", qd, robot.mass_matrix(q), qdd)
rate += 0.5 * np.einsum("bi,bij,bj->b", qd, robot.mass_matrix_rate(q, qd), qd)
rate += np.einsum("bi,bi->b", robot.gravity_torque(q), qd)
power = np.einsum("bi,bi->b", tau, qd)
assert np.allclose(rate, power, atol=1e-9)

# %% [markdown]
# Numbers agree to rounding. Proofs have none; see example 8:

# %%
qddot.prove(qddot.load("two_link_symbolic"))
