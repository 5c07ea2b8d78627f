"""Let an arm fall with three frictions, compare the runs, and see where the energy went."""

import tempfile
from pathlib import Path

import numpy as np

import qddot
from qddot.plot.compare import panels

arm = qddot.load("two_link")
runs = {
    f"D = {D}": qddot.simulate(arm.with_friction(viscous=D), [0, 0], duration=10.0)
    for D in (0, 30, 80)
}
for name, run in runs.items():
    print(f"{name}: q(10 s) = {run.q[-1].round(4)}, {run.energy.lost[-1]:.1f} J lost; {run.audit}")
    assert run.good

# it falls towards hanging down, and what it no longer has became heat at its joints
assert np.allclose(runs["D = 80"].q[-1], [-np.pi / 2, 0], atol=0.1)
energy = runs["D = 80"].energy
assert np.isclose(energy.total[0] - energy.total[-1], energy.friction[-1].sum())

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "three_drops.png"
    panels(runs, path)
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")
    assert path.stat().st_size > 10_000
