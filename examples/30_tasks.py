# %% [markdown]
# # Several things at once, within limits
#
# The tool of a Panda follows a line; its joints stay near a posture as far as that lets them.
# You see what levels and weights do, what happens at a limit, and how the same runs in C.

# %%
import time

import numpy as np

import qddot
from qddot.control import FrameTask, PostureTask, TaskVelocity
from qddot.motions import CartesianLine

panda = qddot.load("panda")
home = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.9, 0.5])
end = panda.pose(home, "tool")
end[:3, 3] += [-0.1, 0.3, -0.1]  # [m]
line = CartesianLine(panda, "tool", home, end=end, duration=1.5)

# %% [markdown]
# The tool first, the posture in what is left. The motion is integrated in steps of a millisecond.

# %%
tool = FrameTask("tool", target=line, gain=20)
posture = home + np.array([0.4, 0, -0.4, 0, 0.4, 0, 0])
ik = TaskVelocity(panda, [tool, PostureTask(gain=2, level=1, target=posture)])
motion = ik.followed(home, 2.0, every=0.01)


def off(q, t):
    """Return how far the tool is off its line [mm]."""
    wanted = np.array([np.asarray(line.frame_at(x)[0], dtype=float) for x in t])
    return 1000 * np.linalg.norm((panda.pose(q, "tool") - wanted)[:, :3, 3], axis=1)


print(f"off the line by {off(motion.q, motion.t).max():.3f} mm")
print("off the posture by", np.round(posture - motion.q[-1], 2), "rad")
assert off(motion.q, motion.t).max() < 0.1

# %% [markdown]
# In one level both share: the tool leaves its line, and the joints come a little nearer.

# %%
shared = TaskVelocity(panda, [tool, PostureTask(gain=2, weight=0.3, target=posture)])
other = shared.followed(home, 2.0, every=0.01)
print(f"off the line by {off(other.q, other.t).max():.1f} mm")
assert off(other.q, other.t).max() > 1

# %% [markdown]
# Slow motors: at a tenth of its rates the arm falls behind, and no rate is passed.

# %%
slow = TaskVelocity(panda, [tool], rate=panda.limits.velocity / 10)
behind = slow.followed(home, 5.0, every=0.01)
used = np.abs(behind.qd) / slow.rate
late = off(behind.q, behind.t)
print(f"rates used: {used.max():.0%}; behind by {late.max():.0f} mm, at last {late[-1]:.3f}")
assert used.max() <= 1

# %% [markdown]
# Targets may be told at every call, and there may be many arms at once.

# %%
told = TaskVelocity(panda, [FrameTask("tool"), PostureTask(level=1)])
q = panda.random_positions(10_000, seed=1)
told(q, end)  # compiled by now
begin = time.perf_counter()
qd = told(q, end)
print(f"{(time.perf_counter() - begin) / len(q) * 1e6:.2f} µs per state")
assert (np.abs(qd) <= panda.limits.velocity).all()

# %% [markdown]
# And in C, for a controller board: one function without branches, with a check of itself.

# %%
print(qddot.export(panda, "panda_tasks", functions=[told], force=True))
