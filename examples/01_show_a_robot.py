# %% [markdown]
# # A robot and its numbers
#
# You load a robot that comes with qddot and look at its joints, masses and limits.
# You ask it for torques and poses: every quantity is a method, every argument an array.
# You check one of them against another: holding still takes exactly the gravity torque.

# %%
import numpy as np

import qddot

robot = qddot.load("panda")
print(f"{robot.name}: {robot.n} joints, {len(robot.frame_names)} frames; print(robot) shows more")
robot

# %%
q = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
print("torque that holds it still [N·m]:", robot.gravity_torque(q).round(2))
print("where the tool is [m]:", robot.pose(q, "tool")[:3, 3].round(3))

# %%
still = np.zeros(robot.n)
assert np.allclose(robot.inverse_dynamics(q, still, still), robot.gravity_torque(q))
robot.mass_matrix(q).round(3)
