# %% [markdown]
# # From certified bounds to gains
#
# A PD law that compensates gravity at its target alone has one place to rest, the target, if its
# stiffness exceeds sup ‖∂g/∂q‖. That is not a number to guess: you have it certified.
# You choose gains by it, and see that the law's assumptions hold and that the arm arrives.

# %%
import numpy as np

import qddot
from qddot.control import PDGravity, closed_loop

arm = qddot.load("two_link").with_friction(viscous=0)
certificate = qddot.certify(
    arm, quantities=["dg.norm2", "M.eigenvalue.max", "M.eigenvalue.min", "g.norm2"]
)
certificate

# %%
slope, heaviest = certificate["dg.norm2"], certificate["M.eigenvalue.max"]
print(slope)
slope

# %% [markdown]
# Stiffer than gravity by half; damped for the largest inertia that any joint position has.

# %%
kp = 1.5 * slope.upper
kd = 2 * np.sqrt(kp * heaviest.upper)
target = np.array([0.5, 0.8])
law = PDGravity(arm, kp, kd, target, compensate="target", gravity_slope=slope)
assert all(each.holds for each in law.assumptions())
law

# %%
run = closed_loop(arm, law, q0=[-1.5, 0.0], duration=8)
print(f"{np.abs(run.error[-1]).max():.1e} rad off after {run.t[-1]:g} s")
assert run.report.sound
assert run.report.falls
assert np.abs(run.error[-1]).max() < 1e-3
run

# %% [markdown]
# With a stiffness below the bound the proof says nothing, and so does the law:

# %%
weak = PDGravity(arm, 0.3 * slope.lower, kd, target, compensate="target", gravity_slope=slope)
assert not all(each.holds for each in weak.assumptions())
weak
