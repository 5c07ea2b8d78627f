# %% [markdown]
# # Six hundred arms, one plan, every core
#
# A plan says what runs differ in: here the load at the tool, the masses of the links and where each
# run starts. A law that knows nothing of the load meets the same arms as one that does. Every
# finished unit is a file, so a sweep that is stopped goes on where it was.

# %%
from pathlib import Path

import numpy as np

import qddot

Path("plan.toml").write_text("""
robot = "two_link"
duration = 1.0                  # [s]
draws = 100                     # at every point of the grid, for every controller
seed = 1

[[control]]
name = "nominal"
law = "computed_torque"
reference = { kind = "move", target = [0.6, 0.4], duration = 0.8 }

[[control]]
name = "knows the arm"
law = "computed_torque"
reference = { kind = "move", target = [0.6, 0.4], duration = 0.8 }
knows = "arm"

[vary]
"payload.tool" = { grid = [0.0, 5.0, 10.0] }        # [kg]
scale = { uniform = [0.8, 1.2] }                    # every link, by itself
q0 = { uniform = [-0.1, 0.1], as = "offset" }       # [rad]
""")

# %% [markdown]
# The same from a terminal: `qddot sweep plan.toml -o runs`. On a cluster: `--client ADDRESS`.

# %%
found = qddot.sweep("plan.toml", "runs")
assert found.complete
assert found.runs == 600
found

# %% [markdown]
# Only the columns and the runs that are asked for are read.

# %%
found.summary(["error.worst", "torque.peak.j1"], by="control")

# %%
table = found.table(["control", "error.worst"], filter=[("payload.tool", "==", 10.0)])
worst = {
    name: np.max([row["error.worst"] for row in table.to_pylist() if row["control"] == name])
    for name in ("nominal", "knows the arm")
}
print(f"with 10 kg, at worst: {worst['nominal']:.2f} rad; {worst['knows the arm']:.0e} rad")
assert worst["knows the arm"] < 1e-6
assert worst["nominal"] > 1e-2

# %%
found.plot("error.worst", "payload.tool", by="control")

# %% [markdown]
# The same call again computes nothing: everything is there. If a file is lost, that one is made
# again, to the same byte.

# %%
part = found.parts[2]
before = part.read_bytes()
part.unlink()
assert not qddot.load_sweep("runs").complete
again = qddot.sweep("plan.toml", "runs", workers=0)
assert again.complete
assert part.read_bytes() == before
print("the lost part is back, the same to the byte")
