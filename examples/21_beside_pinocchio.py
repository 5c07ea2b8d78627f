# %% [markdown]
# # Beside Pinocchio
#
# Another library that computes the same is the best test there is. You hand one URDF to both,
# compare inverse dynamics, mass matrix and derivatives, and see how long each takes.
# Where Pinocchio is not installed, the example says so: `pip install pin`.

# %%
import time
from pathlib import Path

import numpy as np

import qddot

try:
    import pinocchio as pin
except ImportError:
    pin = None
    print("Pinocchio is not installed, so there is nothing to compare with: pip install pin")

robot = qddot.load("panda").without("friction").with_options(threads=1)
q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 2000, robot.n))
tau = robot.inverse_dynamics(q, qd, qdd)
assert np.isfinite(tau).all()

# %% [markdown]
# The same robot in both, by way of a URDF file:

# %%
if pin:
    path = Path("panda_without_friction.urdf")
    left_out = robot.save(path)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    path.unlink()
    assert [model.names[k] for k in range(1, model.njoints)] == list(robot.joint_names)

    theirs = np.array([pin.rnea(model, data, *state) for state in zip(q, qd, qdd, strict=True)])
    print(f"inverse dynamics differs by {np.abs(tau - theirs).max():.1e} N·m at most")
    assert np.allclose(tau, theirs, atol=1e-9)

    M = pin.crba(model, data, q[0])
    assert np.allclose(robot.mass_matrix(q[0]), np.triu(M) + np.triu(M, 1).T)

    pin.computeRNEADerivatives(model, data, q[0], qd[0], qdd[0])
    mine = robot.inverse_dynamics_derivatives(q[0], qd[0], qdd[0])
    assert np.allclose(mine[0], data.dtau_dq, atol=1e-9)
    assert np.allclose(mine[1], data.dtau_dv, atol=1e-9)

# %% [markdown]
# How long a state takes, one thread each. Other machines, other numbers; see `make bench`.

# %%
if pin:
    robot.inverse_dynamics(q[0], qd[0], qdd[0])  # compile first
    start = time.perf_counter()
    for state in zip(q, qd, qdd, strict=True):
        pin.rnea(model, data, *state)
    each = (time.perf_counter() - start) / len(q)

    start = time.perf_counter()
    for state in zip(q, qd, qdd, strict=True):
        robot.inverse_dynamics(*state)
    one = (time.perf_counter() - start) / len(q)

    many = tuple(np.tile(x, (50, 1)) for x in (q, qd, qdd))
    start = time.perf_counter()
    robot.inverse_dynamics(*many)
    batch = (time.perf_counter() - start) / len(many[0])
    print(f"a call: {1e6 * each:.2f} µs and {1e6 * one:.2f} µs; in a batch: {1e9 * batch:.0f} ns")

# %%
robot.program("inverse_dynamics")
