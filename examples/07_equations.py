# %% [markdown]
# # The equations of an arm, in closed form
#
# `derive` gives M, C, g and τ as exact formulas, by the formulation that you name.
# You read them, follow the way there, and pick out single entries.
# Then you compile the formula: it gives the same torques as the robot's own kernel.

# %%
import numpy as np

import qddot

arm = qddot.load("two_link_symbolic")
eqs = qddot.derive(arm, "trace")
print(f"{eqs.n} equations by {eqs.formulation}, {len(eqs.steps)} steps on the way there")
eqs

# %% [markdown]
# Vectors, matrices and single entries are formulas too, and so are their derivatives:

# %%
eqs.C

# %%
eqs.derivative("M", "q2")

# %%
print("M11 =", eqs.M[0, 0])
eqs.M[0, 0]

# %% [markdown]
# The way there: transforms, their derivatives, pseudo-inertias, traces.

# %%
eqs.steps

# %% [markdown]
# The same formula as a compiled function, beside the robot's own kernel:

# %%
values = dict(m1=3, m2=2, I1=0.1, I2=0.05, a1=0.6, a2=0.4, aC1=0.3, aC2=0.2, d1=0, d2=0, g=9.81)
torque = eqs.to_function("tau", **values)
q, qd, qdd = np.random.default_rng(7).normal(size=(3, 1000, 2))
assert np.allclose(torque(q, qd, qdd), arm.with_values(**values).inverse_dynamics(q, qd, qdd))
