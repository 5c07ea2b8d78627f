# %% [markdown]
# # Three drops
#
# An arm falls from the horizontal with three frictions, and every run keeps account of its energy.
# You compare the motions and see where the energy went.
# What the arm no longer has became heat at its joints, to the last digits.

# %%
import numpy as np

import qddot
from qddot.plot import panels

arm = qddot.load("two_link")
runs = {
    f"D = {D}": qddot.simulate(arm.with_friction(viscous=D), [0, 0], duration=10.0)
    for D in (0, 30, 80)
}
for name, run in runs.items():
    print(f"{name}: q(10 s) = {run.q[-1].round(4)}, {run.energy.lost[-1]:.1f} J lost; {run.audit}")
    assert run.good
runs["D = 30"]

# %%
assert np.allclose(runs["D = 80"].q[-1], [-np.pi / 2, 0], atol=0.1)  # it hangs down
energy = runs["D = 80"].energy
assert np.isclose(energy.total[0] - energy.total[-1], energy.friction[-1].sum())

# %%
panels(runs, "three_drops.png")
