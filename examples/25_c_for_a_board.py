# %% [markdown]
# # C for a controller board
#
# A robot's functions and a control law become C99: no allocation, no global, no loop.
# You export them, read what the header promises, compile it with whatever compiler is there,
# and let it check itself. Then you call the compiled law and compare it with the one in Python.

# %%
import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np

import qddot
from qddot.control import ComputedTorque
from qddot.motions import Setpoint

robot = qddot.load("ur5")
law = ComputedTorque(robot, kp=100.0, kd=20.0, reference=Setpoint(np.zeros(6)))
law

# %% [markdown]
# The law is exported with where it shall be as inputs, since a board is told that at every instant.

# %%
folder = Path("ur5_c")
functions = ["inverse_dynamics", "jacobian:tool", law]
print(qddot.export(robot, folder, functions=functions, force=True))
header = (folder / "ur5.h").read_text()
print(header[header.index("Give the torques of ComputedTorque") : header.rindex(";")])
assert "malloc" not in (folder / "ur5.c").read_text()

# %% [markdown]
# `ur5_check.c` holds a `main` that compares every function with values that were recorded when it
# was written. A board can run it too.

# %%
compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
if compiler:
    flags = ["-std=gnu99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
    sources = [folder / "ur5.c", folder / "ur5_check.c"]
    subprocess.run([compiler, *flags, "-o", folder / "check", *sources, "-lm"], check=True)
    said = subprocess.run(
        [folder.resolve() / "check"], check=True, capture_output=True, text=True
    ).stdout
    print(said)
    assert "all functions agree" in said
else:
    print("There is no C compiler here: gcc, clang or cc.")

# %% [markdown]
# And called from here, as any C function is:

# %%
if compiler:
    flags += ["-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", folder / "ur5.so", sources[0], "-lm"], check=True)
    t = np.zeros(1)
    q, qd, position, velocity, acceleration = np.random.default_rng(0).normal(size=(5, 6))
    tau = np.empty(6)
    given = (t, q, qd, position, velocity, acceleration, tau)
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in given]
    ctypes.CDLL(str(folder.resolve() / "ur5.so")).ur5_computed_torque(*pointers)

    # the formula of the law, by the kernels of Python
    asked = acceleration - 20 * (qd - velocity) - 100 * (q - position)
    right = robot.inverse_dynamics(q, qd, asked)
    print(f"torques of C and of Python differ by {np.abs(tau - right).max():.1e} N·m")
    assert np.allclose(tau, right, rtol=1e-11)

# %%
robot.program("inverse_dynamics")
