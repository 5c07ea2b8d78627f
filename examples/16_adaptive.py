# %% [markdown]
# # A law that finds out what the arm weighs
#
# Every link of the Panda that the law believes in is 30 % too heavy or too light.
# While it moves, it corrects its estimates: errors shrink, and its Lyapunov function never rises.
# Beside it: the same law without adaptation, and one that outweighs what it does not know.

# %%
import numpy as np

import qddot
from qddot.control import (
    AdaptiveSlotineLi,
    RobustSaturated,
    SlotineLi,
    balanced,
    closed_loop,
    wrong_model,
)
from qddot.motions import Fourier, Quintic
from qddot.plot import plot_closed_loop, plot_comparison

panda = qddot.load("panda")
wrong = wrong_model(panda, 0.3)
home = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.9, 0.5])
a, b = np.random.default_rng(1).uniform(-0.5, 0.5, (2, 7, 3))
wave = Fourier(home, a, b, base_frequency=0.5)
kd = [20, 20, 20, 20, 4, 4, 1]
Gamma = balanced(wrong, wave, kd, rate=1.0, seconds=2.0)  # what the motion shows, equally fast
law = AdaptiveSlotineLi(wrong, 5, kd, wave, adaptation=Gamma)
law

# %%
q, qd, _ = (np.asarray(part, dtype=float) for part in wave.at(0.0))
run = closed_loop(panda, law, q0=q, qd0=qd, duration=10, tolerance=1e-9)
plot_closed_loop(run, "adaptive.png")
run

# %%
size = np.linalg.norm(run.error, axis=1)
first, last = (np.sqrt((size[when] ** 2).mean()) for when in (run.t < 1, run.t > 9))
print(f"error: {first:.1e} rad in the first second, {last:.1e} rad in the last")
assert last < first / 10
assert run.report.falls  # the Lyapunov function never rises
assert run.V_rate is not None
assert run.V_rate.max() < 1e-9

# %% [markdown]
# The estimates need not become right, but what the motion shows does.

# %%
true = law.parameters.of(panda.tree)
off = [np.linalg.norm(law.x0 - true), np.linalg.norm(run.x[-1] - true)]
print(f"parameters: {off[0]:.2f} off at first, {off[1]:.2f} at last")
assert off[1] < off[0]

# %% [markdown]
# With 10 kg at the tool that no law knows of:

# %%
arm = qddot.load("two_link")
heavy = arm.with_payload("tool", 10.0)
gains = dict(lam=5, kd=500, reference=Quintic([[0, 0], [1, 1]], 2.0))
laws = {
    "Slotine and Li": SlotineLi(arm, **gains),
    "adaptive": AdaptiveSlotineLi(arm, **gains, adaptation=30.0),
    "robust": RobustSaturated(arm, **gains, mass=70, coriolis=40, gravity=300),
}
runs = {name: closed_loop(heavy, each, q0=[0, 0], duration=3) for name, each in laws.items()}
for name, each in runs.items():
    print(f"{name:16} {each.report.rms.max():.1e} rad (RMS), with 10 kg that it does not know of")
assert runs["adaptive"].report.rms.max() < 0.3 * runs["Slotine and Li"].report.rms.max()
assert runs["robust"].report.rms.max() < 0.3 * runs["Slotine and Li"].report.rms.max()
plot_comparison(runs, "unknown_load.png")
