# %% [markdown]
# # Laws, what each is worth, and whether it had a right to work
#
# Four laws follow one motion, and each run says what the law relies on and whether that was so.
# You go along a path as fast as the motors allow, reach a target with wrong lengths, draw a
# straight line with a Panda, and feel without a sensor what pushes at its tool.

# %%
import numpy as np

import qddot
from qddot.control import (
    PD,
    ApproximateJacobian,
    ComputedTorque,
    FeedForwardPD,
    MomentumObserver,
    OperationalSpace,
    PDGravity,
    closed_loop,
)
from qddot.motions import CartesianLine, Quintic, time_optimal
from qddot.plot import plot_closed_loop, plot_comparison

arm = qddot.load("two_link")
reference = Quintic([[0, 0], [1, 1]], 2.0)
reference

# %% [markdown]
# Four laws, from a place that is a little off:

# %%
laws = {
    "PD": PD(arm, 10_000, 4_000, reference),
    "PD + gravity": PDGravity(arm, 10_000, 4_000, reference),
    "feed-forward": FeedForwardPD(arm, 10_000, 4_000, reference),
    "computed torque": ComputedTorque(arm, 100, 20, reference),
}
laws["PD"]

# %%
runs = {name: closed_loop(arm, law, q0=[0.01, 0], duration=3) for name, law in laws.items()}
for name, run in runs.items():
    print(f"{name:16} final error {np.abs(run.error[-1]).max():.1e} rad")
final = [np.abs(run.error[-1]).max() for run in runs.values()]
assert final == sorted(final, reverse=True)
plot_comparison(runs, "laws.png")

# %%
assert runs["computed torque"].report.falls
runs["computed torque"]

# %% [markdown]
# As fast as motors of 3000 and 1000 N·m allow, one of them is always at its limit.

# %%
quick = time_optimal(arm, [[0, 0], [1, 0.5], [1.5, 2]], effort=[3000, 1000])
print(f"the fastest way: {quick.duration:.3f} s, {quick.saturated:.0%} of it at a limit")
assert quick.use <= 1 + 1e-9
assert quick.saturated > 0.9
quick

# %% [markdown]
# Lengths that are wrong bend the way of the tool, not its end.

# %%
rest = dict(m1=50, m2=50, I1=10, I2=10, aC1=0.5, aC2=0.5, d1=0, d2=0, g=9.81)
believed = qddot.load("two_link_symbolic").with_values(a1=1.2, a2=0.8, **rest)
camera = ApproximateJacobian(
    arm, "tool", kp=300, kd=150, reference=[1.2, 0.6], approximate=believed, axes="xy"
)
run = closed_loop(arm, camera, q0=[0.2, 1.8], duration=40, tolerance=1e-13)
print("wrong lengths, error [m]:", np.abs(run.error[-1]).max())
assert np.abs(run.error[-1]).max() < 1e-12
assert abs(camera.mismatch(run.trajectory.q).max() - 0.355) < 1e-3

# %% [markdown]
# A Panda draws a straight line, asked 1000 times a second on noisy, late measurements.

# %%
panda = qddot.load("panda")
home = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.9, 0.5])
end = panda.pose(home, "tool")[:3, 3] + np.array([0.1, 0.2, -0.1])
line = CartesianLine(panda, "tool", home, end=end, duration=1.5, orientation="free")
law = OperationalSpace(panda, "tool", 100, 20, line, posture=home)
run = closed_loop(
    panda, law, q0=home, duration=2, rate=1000, delay=1e-3, noise_q=1e-5, noise_qd=1e-4
)
print(f"line: at most {1e3 * run.report.worst.max():.2f} mm off")
assert run.report.worst.max() < 2e-3
assert run.report.margin.min() > 0
plot_closed_loop(run, "line.png")

# %% [markdown]
# And it feels, without a sensor, what pushes at its tool.

# %%
law = MomentumObserver(PDGravity(panda, 400, [40, 40, 40, 40, 10, 10, 4], home), gain=50.0)
push = np.array([0, 0, 0, 5.0, 0, -10.0])
run = closed_loop(panda, law, q0=home, duration=1.5, wrenches={"tool": push})
q, qd = run.trajectory.q[-1], run.trajectory.qd[-1]
felt = law.residual(q, qd, run.x[-1])
print("felt [N·m]:", felt.round(2))
assert np.allclose(felt, panda.jacobian(q, "tool").T @ push, atol=0.05)
