"""Load a built-in robot, look at it, and ask it for a few numbers."""

import numpy as np

import qddot

robot = qddot.load("panda")
print(robot)

q = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
print("torque that holds it still [N·m]:", robot.gravity_torque(q).round(2))
print("where the tool is [m]:", robot.pose(q, "tool")[:3, 3].round(3))

# holding still needs exactly the gravity torque
still = np.zeros(robot.n)
assert np.allclose(robot.inverse_dynamics(q, still, still), robot.gravity_torque(q))
