# %% [markdown]
# # Two rods, from a DH table with symbols
#
# You describe the two-link arm of the textbooks by its Denavit–Hartenberg rows; lengths and masses
# may be symbols. With values for them the same arm gives numbers.
# A rod about its end has the inertia m L²/3, and that is what the mass matrix says.

# %%
import numpy as np

import qddot

rod = {"kind": "rod", "axis": "x", "frame": "end"}
arm = qddot.from_dh(
    [
        {"a": "L1", "mass": "m1", "shape": rod | {"length": "L1"}},
        {"a": "L2", "mass": "m2", "shape": rod | {"length": "L2"}},
    ],
    convention="standard",
    gravity=(0, "-g", 0),
    name="two rods",
)
print("symbols:", ", ".join(arm.symbols))
arm

# %%
numeric = arm.with_values(L1=1.0, L2=0.8, m1=2.0, m2=1.0, g=9.81)
q = np.array([0.3, 0.7])
M = numeric.mass_matrix(q)
print(M)
assert np.isclose(M[1, 1], 1.0 * 0.8**2 / 3)

# %% [markdown]
# The same mass matrix, before any number was put in:

# %%
qddot.derive(arm).M
