# %% [markdown]
# # From a motion worth recording to a robot file
#
# A motion is planned that shows the parameters of an arm, a controller follows it on an arm that is
# heavier than its data sheet and has friction, and the log of that is noisy and quantised.
# You find the arm's parameters from the log, test them on another motion, and write a robot file.

# %%
import tempfile
from pathlib import Path

import numpy as np

import qddot
from qddot.identification import errors_on, prepared, robot_with_parameters

# the arm as its data sheet has it, and as it is: heavier by a sixth, with friction
still = {f"panda_joint{k}": 0.0 for k in (3, 5, 7)} | {"panda_joint6": 1.6}
sheet = qddot.load("panda").locked(still)
arm = robot_with_parameters(sheet, sheet.parameters * 7 / 6)
arm = arm.with_friction(viscous=[8.0, 8.0, 4.0], coulomb=[6.0, 6.0, 3.0])

# %% [markdown]
# What can be known of it at all:

# %%
qddot.identifiable(sheet, terms=("friction",))


# %%
def record(motion, duration, seed):
    """Return the log of a PD controller that follows a motion, as encoders and drives tell it."""

    def law(t, q, qd):
        wanted, rate, push = motion(t)
        feedforward = sheet.inverse_dynamics(wanted, rate, push)
        return feedforward + 2000 * (wanted - q) + 100 * (rate - qd)

    q0, qd0, _ = motion(0.0)
    settings = dict(tolerance=1e-6, effort="report")  # drives as strong as need be
    run = qddot.simulate(arm, q0, qd0, torque=law, duration=duration, **settings)
    t = np.arange(duration * 500 + 1) / 500
    q, qd, _ = run.at(t)
    tau = law(t, q, qd) + np.random.default_rng(seed).normal(0, 0.5, q.shape)
    count = 2 * np.pi / 2**17  # of the encoders; 0.1 N·m of the drives
    q, tau = count * np.round(q / count), 0.1 * np.round(tau / 0.1)
    return qddot.Log(arm.joint_names, t, q, tau=tau, source=f"simulated, seed {seed}")


def other(t):
    """Return q, q̇ and q̈ of sines of 0.2, 0.3 and 0.4 Hz."""
    w = 2 * np.pi * np.array([0.2, 0.3, 0.4])
    x = np.multiply.outer(t, w)
    middle, wide = np.array([0.0, 0.3, -1.6]), np.array([1.0, 0.7, 0.6])
    return middle + wide * np.sin(x), wide * w * np.cos(x), -wide * w**2 * np.sin(x)


# %% [markdown]
# One motion to learn from, another to test on:

# %%
motion = qddot.excite(sheet, period=8.0, terms=("friction",), starts=1)
motion

# %%
learn = prepared(record(motion.at, 8.0, seed=1))
test = prepared(record(other, 5.0, seed=2))
learn

# %%
fit = qddot.identify(sheet, learn, "consistent", terms=("friction",), decimate=15)
fit

# %%
before = np.linalg.norm(test.tau - sheet.inverse_dynamics(test.q, test.qd, test.qdd))
before /= np.linalg.norm(test.tau)
after = errors_on(fit, test)["relative_error"]
print(f"torque error on a motion never seen: {100 * before:.1f} % before, {100 * after:.2f} % now")
assert before > 0.2
assert after < 0.03

# %% [markdown]
# Back into a file, which has the friction that was put in:

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "arm.toml"
    fit.save(path)
    found = qddot.load(path)
print("viscous friction:", found.parameters[-6::2].round(2), "of 8, 8, 4")
assert np.allclose(found.parameters[-6:], arm.parameters[-6:], rtol=0.05)
