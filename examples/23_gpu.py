# %% [markdown]
# # On a GPU: four million states, a hundred thousand motions
#
# The same programs as CUDA kernels, for arrays of CuPy, PyTorch, JAX or NumPy.
# Where there is no NVIDIA GPU, the example says so and shows the source that would be compiled.
# Install it with `pip install '.[cuda]'`.

# %%
import time

import numpy as np

import qddot

robot = qddot.load("panda")
gpu = qddot.to_cuda(robot)
q, qd, qdd = np.random.default_rng(0).normal(size=(3, 1000, 7))
try:
    tau = gpu.inverse_dynamics(q, qd, qdd)  # arrays of NumPy are carried there and back
    there = True
    print("a GPU computed torques of shape", tau.shape)
    assert np.allclose(tau, robot.inverse_dynamics(q, qd, qdd), atol=1e-10)
except qddot.QddotError as problem:
    there = False
    print(problem)
robot

# %% [markdown]
# The source needs no GPU to be written: one kernel per quantity, one thread per state.

# %%
source = gpu.lowered("inverse_dynamics").source
kernel = source[source.index("KERNEL(8) run") :].splitlines()
print(len(kernel), "lines;", kernel[0])
assert len(kernel) > len(robot.program("inverse_dynamics"))
robot.program("inverse_dynamics")

# %% [markdown]
# Arrays that live on the GPU stay there; a call takes and gives arrays of CuPy.

# %%
if there:
    import cupy as cp

    many = cp.random.default_rng(1).standard_normal((3, 1 << 22, 7))
    gpu.inverse_dynamics(*many)
    cp.cuda.Device().synchronize()
    started = time.perf_counter()
    for _ in range(10):
        torques = gpu.inverse_dynamics(*many)
    cp.cuda.Device().synchronize()
    each = (time.perf_counter() - started) / 10
    print(f"{many.shape[1] / each / 1e9:.1f} billion states a second")
    print(gpu.lowered("inverse_dynamics").resources())
    few = [x[:100].get() for x in many]
    assert np.allclose(torques[:100].get(), robot.inverse_dynamics(*few), atol=1e-10)

# %% [markdown]
# And motions: each has its own thread, and its state never leaves the registers between steps.
# Only every tenth state is kept. On this machine's processor there are a hundred of them.

# %%
count = 100_000 if there else 100
q0 = np.random.default_rng(2).uniform(-0.5, 0.5, (count, 7))
device = "cuda" if there else "cpu"
run = qddot.rollout(robot, q0, duration=0.2, step=1e-3, every=0.01, device=device)
print(f"{count:,} motions on a {'GPU' if there else 'CPU'}: {run.status}")
assert run.q.shape == (count, 21, 7)
again = qddot.rollout(robot, q0[:10], duration=0.2, step=1e-3, every=0.01)
assert np.allclose(run.q[:10], again.q, atol=1e-9)
run
