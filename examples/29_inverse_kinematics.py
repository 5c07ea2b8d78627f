# %% [markdown]
# # Where do the joints have to be?
#
# You give a pose of the tool and get the nearest joint positions within the limits.
# You see what happens out of reach, and how many poses a second you can ask for.

# %%
import time

import numpy as np

import qddot
from qddot.motions import CartesianLine

panda = qddot.load("panda")
tool = panda.at("tool")
q0 = panda.home
X = tool.pose(q0)
X[:3, 3] += [-0.1, 0.3, -0.2]  # [m]: back, to the left and down, with the same orientation

# %%
s = tool.inverse_kinematics(X, near=q0)
s

# %% [markdown]
# What was found is a solution: the tool is there, to the last digits.

# %%
assert s.found
print("off by", np.abs(tool.pose(s.q) - X).max())

# %% [markdown]
# Out of reach the answer says how close the tool comes, and where it is then.

# %%
far = X.copy()
far[:3, 3] = [1.5, 0.5, 0.3]
print(tool.inverse_kinematics(far, near=q0))

# %% [markdown]
# A drill needs a place and a direction; how it is turned about its own axis does not matter.
# With more freedom the joints move less.

# %%
drill = tool.inverse_kinematics(X, near=q0, match="z")
print(
    "a whole pose:",
    np.linalg.norm(s.q - q0),
    "  a place and an axis:",
    np.linalg.norm(drill.q - q0),
)
assert np.linalg.norm(drill.q - q0) < np.linalg.norm(s.q - q0)

# %% [markdown]
# Ten thousand poses at once.

# %%
poses = tool.pose(panda.random_positions(10_000, seed=1))
tool.inverse_kinematics(poses[:100])  # compiled by now
begin = time.perf_counter()
many = tool.inverse_kinematics(poses, near=q0)
spent = time.perf_counter() - begin
print(f"{many.found.mean():.2%} found, {spent / len(poses) * 1e6:.1f} µs per pose")

# %% [markdown]
# And the way there: straight, while the tool turns by a quarter of a turn.

# %%
end = X.copy()
end[:3, :3] = X[:3, :3] @ [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
line = CartesianLine(panda, "tool", q0, end=end, duration=3.0)
q, qd, qdd = line.joints.sampled(np.linspace(0, 3, 7))
print(np.round(tool.pose(q)[:, :3, 3], 3))
assert np.allclose(tool.pose(q[-1]), end, atol=1e-6)
