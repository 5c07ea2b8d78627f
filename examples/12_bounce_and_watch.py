# %% [markdown]
# # A ball that bounces until it rests
#
# Joint limits can be stops with a restitution, and a `Watch` tells when something of your own
# happens. Hits, heights and the time until rest are those of the textbook.
# A film of the motion is one page that works offline.

# %%
import numpy as np

import qddot

rail = {"type": "prismatic", "mass": 1.0, "limits": {"lower": 0.0, "upper": 2.0}}
ball = qddot.from_dh([rail], "standard", name="ball")
top = qddot.Watch("is highest", lambda t, q, qd: qd[0], direction=-1)
run = qddot.simulate(ball, [1.0], duration=6.0, stops=0.8, events=[top])
run

# %% [markdown]
# It hits after √(2h/g), and rises again to e² of the height.

# %%
hits = [event.t for event in run.events if event.name == "hits its lower stop"]
tops = [event.t for event in run.events if event.name == "is highest" and event.t > 0]
heights = run.at(tops)[0][:, 0]
print("hits [s]:", np.round(hits[:5], 4), "highest [m]:", np.round(heights[:5], 4))
assert np.isclose(hits[0], np.sqrt(2 / 9.81))
assert np.allclose(heights[:8], 0.8 ** (2 * np.arange(1, 9)))

# %% [markdown]
# Infinitely many bounces take a finite time; then it lies still, and all energy went into the stop.

# %%
rest = hits[0] * (1 + 2 * 0.8 / (1 - 0.8))
print(f"rests after {hits[-1]:.4f} s; the geometric series says {rest:.4f} s")
assert abs(hits[-1] - rest) < 1e-3
assert np.all(run.q[run.t > rest] == 0.0)
assert np.isclose(run.energy.impacts[-1], 9.81)

# %%
run.animate("ball.html")
print("ball.html: a film of it, to turn and to pause")
