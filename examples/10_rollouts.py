# %% [markdown]
# # Five hundred arms at once
#
# A law that is recorded runs inside the simulation, so no step enters Python.
# Gains and payloads vary over the batch, by the rules of NumPy's broadcasting.
# Higher gains bring every arm closer to its target.

# %%
import time

import numpy as np

import qddot

robot = qddot.load("ur5").without("friction")
target = np.array([0.5, -1.0, 1.2, -0.5, 0.8, 0.0])
M = robot.mass_matrix(target)


def law(q, qd, x, gain):
    """A PID law; x is the integral of the error."""
    error = target - q
    return {"tau": M @ (gain * (error + x) - 2 * np.sqrt(gain) * qd), "xd": error}


program = qddot.record(law, q=(6,), qd=(6,), x=(6,), gain=())
program

# %%
gains, masses = np.geomspace(50, 400, 25)[:, None], np.linspace(0.1, 1.0, 20)  # [1/s²], [kg]
choices = {
    "torque": program,
    "inputs": {"gain": gains, "x": np.zeros(6)},
    "parameters": {"wrist_3_joint.m": masses},
}
run = qddot.rollout(robot, np.zeros(6), duration=6.0, step=1e-3, every=0.1, **choices)
assert run.q.shape == (25, 20, 61, 6)
assert run.finite.all()
run

# %%
error = np.abs(run.q[..., -1, :] - target).max(axis=-1)
print(f"error after 6 s: gain 50 {error[0].max():.1e} rad, gain 400 {error[-1].max():.1e} rad")
assert error[-1].max() < 1e-3
assert error[-1].max() < error[0].max()

# %% [markdown]
# Once more, now that it is compiled:

# %%
started = time.perf_counter()
again = qddot.rollout(robot, np.zeros(6), duration=6.0, step=1e-3, every=0.1, **choices)
print(f"{500 * 6000 / (time.perf_counter() - started) / 1e6:.1f} million steps a second")
assert np.array_equal(again.q, run.q)
