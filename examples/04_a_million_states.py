# %% [markdown]
# # A million states in one call
#
# Every quantity broadcasts over leading axes, as NumPy's own functions do, and runs compiled.
# You compute the torques of a million states and see how long one of them takes.
# Derivatives come from the same program, exactly; finite differences agree.

# %%
import time

import numpy as np

import qddot

robot = qddot.load("panda")
q, qd, qdd = np.random.default_rng(0).normal(size=(3, 1_000_000, robot.n))
robot.inverse_dynamics(q[:9], qd[:9], qdd[:9])  # compile first

start = time.perf_counter()
tau = robot.inverse_dynamics(q, qd, qdd)
print(f"{1e9 * (time.perf_counter() - start) / len(q):.0f} ns a state")

# %%
dtau_dq, dtau_dqd = robot.inverse_dynamics_derivatives(q[0], qd[0], qdd[0])
step = 1e-6 * np.eye(robot.n)
ahead, behind = (robot.inverse_dynamics(q[0] + s * step, qd[0], qdd[0]) for s in (1, -1))
assert np.allclose(dtau_dq, (ahead - behind).T / 2e-6, atol=1e-6)

# %% [markdown]
# The program behind it: a straight line of additions and multiplications, made for this robot.

# %%
robot.program("inverse_dynamics")
