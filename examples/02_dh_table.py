"""The two-link arm of the textbooks, from a DH table with symbols."""

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

arm = arm.with_values(L1=1.0, L2=0.8, m1=2.0, m2=1.0, g=9.81)
q = np.array([0.3, 0.7])
M = arm.mass_matrix(q)
print(M)

# M22 of a rod about its end
assert np.isclose(M[1, 1], 1.0 * 0.8**2 / 3)
