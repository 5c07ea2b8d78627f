# %% [markdown]
# # What a hand feels at the tip of an arm
#
# Taken by its tip, an arm is heavy one way and light another: the effective mass is a matrix.
# You see its principal axes, a direction in which no force moves the arm, and how far a force and
# its acceleration are from parallel.

# %%
import numpy as np

import qddot
from qddot.certificate import mass_ellipsoid, near_singular
from qddot.plot import plot_effective_mass

# two links of 1 m with 1 kg at their ends, folded to 150°
arm = qddot.load("two_link_point")
mass = mass_ellipsoid(arm, [0, np.radians(150)], "tool")
print(mass)
assert np.allclose(mass.masses[:2], [1, 5])
mass

# %% [markdown]
# Pushed along x it does not go along x: force and acceleration are parallel on the axes only.

# %%
print("force for 1 m/s² along x [N]:", mass.force([1, 0, 0]).round(4))
print("off by [degrees]:", round(np.degrees(mass.parallel_gap([1, 0, 0])), 2))
assert np.allclose(mass.force([1, 0, 0]), [4, -np.sqrt(3), 0])

# %% [markdown]
# Stretched out, no force moves it along itself.

# %%
straight = mass_ellipsoid(arm, [0, 0], "tool")
assert straight.singular
assert np.allclose(straight.blocked[0], [1, 0, 0])
straight

# %% [markdown]
# Seven joints for three directions: the mass is that of the laziest motion.

# %%
panda = qddot.load("panda")
q = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
plot_effective_mass(panda, q, "tool", path="panda_mass.png")

# %%
near_singular(panda, "tool")
