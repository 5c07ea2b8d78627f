# %% [markdown]
# # A robot on one page
#
# Everything qddot knows of a robot, in one HTML file that works offline: the arm to move, its
# equations, its certificate, maps, a motion, and how to get each number again.
# The sliders in it run the robot's own kernels, lowered to JavaScript.

# %%
import qddot
from qddot.exporting import javascript

arm = qddot.load("two_link").with_payload("tool", mass=5.0)
page = qddot.report(arm, "two_link.html", sections=["robot", "equations", "provenance"])
print(f"{page}: {page.stat().st_size / 1e6:.1f} MB")

# %% [markdown]
# The page shows a fall of the arm unless it is given a motion, such as one under torques:

# %%
run = qddot.simulate(arm, [0.3, 0.6], torque=[500.0, 200.0], duration=2.0)
page = qddot.report(arm, "motion.html", sections=["simulation"], motion=run)
run

# %% [markdown]
# What the page computes with is the same program that is compiled elsewhere:

# %%
source = javascript(arm.program("gravity_torque"))
print(source)
assert source.startswith("(x0) => {")
assert "Math.cos" in source
assert "KERNELS" in page.read_text(encoding="utf-8")
