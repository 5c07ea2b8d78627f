# %% [markdown]
# # From a DH table to LaTeX
#
# Three rows of symbols describe a planar arm with a sliding third joint.
# You derive its equations, pick the entries that a lecture needs, and copy them as LaTeX.
# The formulas are exact, and SymPy, which knows nothing of robots, finds the same torques.

# %%
import sympy

import qddot

arm = qddot.from_dh(
    [
        {"a": "l1", "mass": "m1", "com": ("-l1/2", 0, 0), "inertia": (0, 0, "I1")},
        {"alpha": "pi/2", "mass": "m2", "com": (0, 0, 0), "inertia": (0, 0, 0)},
        {"type": "prismatic", "mass": "m3", "com": (0, 0, 0), "inertia": (0, 0, 0)},
    ],
    convention="standard",
    gravity=(0, "-g", 0),
    name="turn, turn, slide",
)
arm

# %%
eqs = qddot.derive(arm)
eqs

# %% [markdown]
# One entry, to read and to copy:

# %%
print(r"M_{12} =", eqs.M[0, 1])
print(eqs.latex("g"))
eqs.M[0, 1]

# %% [markdown]
# Where the torques come from, term by term:

# %%
eqs.breakdown()

# %% [markdown]
# The gravity torques are the slope of the potential energy, says SymPy:

# %%
q = sympy.symbols("q1:4")
potential, g = eqs.sympy("P"), eqs.sympy("g")
assert all(sympy.simplify(g[i] - sympy.diff(potential, q[i])) == 0 for i in range(3))
g
