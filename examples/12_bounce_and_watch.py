"""Stops and events: a ball bounces on the end of its rail until it rests; a film of it."""

import tempfile
from pathlib import Path

import numpy as np

import qddot

rail = {"type": "prismatic", "mass": 1.0, "limits": {"lower": 0.0, "upper": 2.0}}
ball = qddot.from_dh([rail], "standard", name="ball")
top = qddot.Watch("is highest", lambda t, q, qd: qd[0], direction=-1)
run = qddot.simulate(ball, [1.0], duration=6.0, stops=0.8, events=[top])
print(run)

# it hits after √(2h/g), and rises again to e² of the height
hits = [event.t for event in run.events if event.name == "hits its lower stop"]
tops = [event.t for event in run.events if event.name == "is highest" and event.t > 0]
heights = run.at(tops)[0][:, 0]
print("hits [s]:", np.round(hits[:5], 4), "highest [m]:", np.round(heights[:5], 4))
assert np.isclose(hits[0], np.sqrt(2 / 9.81))
assert np.allclose(heights[:8], 0.8 ** (2 * np.arange(1, 9)))

# infinitely many bounces take a finite time; then it lies still, and all energy went into the stop
rest = hits[0] * (1 + 2 * 0.8 / (1 - 0.8))
print(f"rests after {hits[-1]:.4f} s; the geometric series says {rest:.4f} s")
assert abs(hits[-1] - rest) < 1e-3
assert np.all(run.q[run.t > rest] == 0.0)
assert np.isclose(run.energy.impacts[-1], 9.81)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "ball.html"
    run.animate(path)
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB, a page that works offline")
