# %% [markdown]
# # A function of your own, recorded and compiled
#
# A function in plain NumPy is run once on a recorder, which keeps its operations as a program.
# The program is compiled, and differentiated, as qddot's own quantities are.
# You do so with a controller that saturates.

# %%
import numpy as np

import qddot
from qddot.program import jacobian


def law(q, qd, target):
    return np.clip(80 * (target - q) - 12 * qd, -20, 20)


program = qddot.record(law, q=(3,), qd=(3,), target=(3,))
print(program)
program

# %%
compiled = qddot.Kernel(program)
q, qd, target = np.random.default_rng(2).normal(size=(3, 10_000, 3))
assert np.allclose(compiled(q, qd, target), law(q, qd, target))

# %% [markdown]
# Its gain where it is not saturated:

# %%
gain = jacobian(program, ["q"])(np.zeros(3), np.zeros(3), np.full(3, 0.1))
assert np.allclose(np.array(gain, dtype=float), -80 * np.eye(3))
gain
