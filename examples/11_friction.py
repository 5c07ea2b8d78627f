# %% [markdown]
# # Stick and slip
#
# A kilogram on a rail is dragged through a spring. Static friction above Coulomb's makes it stick,
# break away and stick again, and the simulation finds every one of these instants.
# A smooth curve in place of the sign creeps where the mass should stand.

# %%
import numpy as np

import qddot

# 1 kg on a rail, dragged by a hand at 0.1 m/s through a spring of 50 N/m
slider = qddot.from_dh([{"type": "prismatic", "mass": 1.0}], "standard", gravity=(0, 0, 0))
rough = slider.with_friction(coulomb=6.0, static=10.0, stribeck_velocity=0.05)
rough.model.joints[0].friction


# %%
def hand(t, q, qd):
    return 50 * (0.1 * t - q)


run = qddot.simulate(rough, [0.0], duration=10.0, torque=hand)
for event in run.events:
    print(event)
run

# %% [markdown]
# It breaks away when the spring pulls with the static friction, and has not moved before. From then
# on every jump is like the one before.

# %%
slips = [event.t for event in run.events if event.name == "slips"]
assert np.isclose(slips[0], 10.0 / (50 * 0.1))
assert np.all(run.q[run.t < slips[0]] == 0.0)
assert np.allclose(np.diff(slips), slips[1] - slips[0])

heat = [run.energy.lost[np.searchsorted(run.t, t)] for t in slips]
print("heat of a jump [J]:", np.diff(heat).round(4))
assert np.allclose(np.diff(heat), heat[1] - heat[0])

# %% [markdown]
# tanh for sgn: it creeps where it should stand, in eight times as many steps.

# %%
smooth = qddot.simulate(rough, [0.0], duration=10.0, torque=hand, friction="smooth")
print(f"at 1.9 s: exact {run.at(1.9)[0][0]:g} m, smooth {smooth.at(1.9)[0][0]:.3f} m")
print(f"steps: exact {run.how['steps']}, smooth {smooth.how['steps']}")
assert smooth.at(1.9)[0] > 0.01
