# %% [markdown]
# # Robots from robots: a payload, friction, the moon
#
# Every `with_…` returns a new robot and changes none, so variants stand side by side.
# You see what 3 kg at the tool cost each joint, and that it is the torque of their weight.
# On the moon all of it is six times less.

# %%
import numpy as np

import qddot

robot = qddot.load("ur5").without("friction")
q = np.array([0.3, -1.2, 1.5, -0.3, 1.0, 0.0])
rest = np.zeros(6)

loaded = robot.with_payload("tool", mass=3.0)
extra = loaded.gravity_torque(q) - robot.gravity_torque(q)
print("3 kg at the tool cost [N·m]:", extra.round(3))

# %% [markdown]
# The same torque as pushing down on the tool with their weight:

# %%
weight = [0, 0, 0, 0, 0, -3.0 * 9.81]
pushed = robot.inverse_dynamics(q, rest, rest, wrenches={"tool": weight})
assert np.allclose(pushed, loaded.gravity_torque(q))

# %%
moon = robot.with_gravity((0, 0, -1.62))
assert np.allclose(moon.gravity_torque(q) * 9.81 / 1.62, robot.gravity_torque(q))

rough = robot.with_friction(viscous=0.5, coulomb=[4, 4, 3, 1, 1, 1])
print("friction at 1 rad/s [N·m]:", rough.friction_torque(np.ones(6)))
assert np.allclose(rough.friction_torque(np.ones(6)), [4.5, 4.5, 3.5, 1.5, 1.5, 1.5])
rough
