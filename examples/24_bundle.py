# %% [markdown]
# # A bundle: one file that NumPy alone can run
#
# A colleague has Python and NumPy, or a cluster image that nobody may change, but not qddot.
# You hand over one zip file with the robot's functions, values to check them by, and what plays
# them. It checks itself, is imported like a module, and has CUDA kernels inside.

# %%
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import qddot

robot = qddot.load("ur10").with_payload("tool", mass=4.0, com=(0, 0, 0.05))
functions = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobian:tool"]
made = qddot.export(robot, ".", target="bundle", functions=functions, force=True)
bundle = made.files[0]
print(made)
robot

# %% [markdown]
# It checks itself. Where CuPy finds a GPU, the kernels are checked too.

# %%
said = subprocess.run([sys.executable, bundle], capture_output=True, text=True, check=True).stdout
print(said)
assert said.count("right") >= len(functions)

# %% [markdown]
# The other machine: a Python that may import neither qddot nor what it is made of.

# %%
ELSEWHERE = """
import json, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("qddot", "scipy", "llvmlite", "flint", "sympy"):
            raise ImportError(name)

sys.meta_path.insert(0, Absent())
sys.path.insert(0, sys.argv[1])
import ur10_bundle as ur10

q, qd, qdd = json.loads(sys.argv[2])
print(ur10.ABOUT["made_by"], *ur10.FUNCTIONS, file=sys.stderr)
print(json.dumps(ur10.inverse_dynamics(q, qd, qdd).tolist()))
"""
state = np.random.default_rng(0).normal(size=(3, 6))
command = [sys.executable, "-c", ELSEWHERE, str(bundle), json.dumps(state.tolist())]
run = subprocess.run(command, capture_output=True, text=True, check=True)
print(run.stderr.strip())
assert np.allclose(json.loads(run.stdout), robot.inverse_dynamics(*state), atol=1e-10)

# %% [markdown]
# With qddot installed, the same file gives kernels again, as fast as the robot's own.

# %%
kernels = qddot.load_bundle(bundle)
q = np.random.default_rng(1).normal(size=(1000, 6))
assert np.array_equal(kernels["mass_matrix"](q), robot.mass_matrix(q))
Path(bundle).unlink()
kernels["mass_matrix"].program
