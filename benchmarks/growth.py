"""How do the time a state and the time to compile grow with the number of joints?

Random chains of revolute joints, each turned and shifted against the one before in every direction:
nothing of their geometry is zero.
"""

from __future__ import annotations

import os
import tempfile
import time

import numpy as np
from batch import ours
from peers import PINOCCHIO, pinocchio_parallel
from robots import states
from table import Row, against, within
from timing import Effort, one_core, race, say
from ways import agreeing

from qddot.backends.kernel import Kernel
from qddot.model import Inertial, Joint, Limits, Link, Model, Placement, build
from qddot.robot import Robot

JOINTS = (2, 4, 8, 16, 32, 64)
FITTED = (8, 16, 32, 64)
STEEPEST = 1.10  # exponent
IN_MEMORY = 16_384  # joint positions in a batch that stays in the second cache
LONGEST = 1.0  # [s] to record and compile a quantity of the longest chain
COMPILED = {
    "inverse_dynamics": "inverse dynamics",
    "forward_dynamics": "forward dynamics",
    "mass_matrix": "the mass matrix",
    "coriolis_matrix": "the Coriolis matrix",
    "inverse_dynamics_derivatives": "derivatives of inverse dynamics",
    "forward_dynamics_derivatives": "derivatives of forward dynamics",
}


def rows(effort: Effort) -> list[Row]:
    """Return the time a state of each chain, the exponent, and times to compile the longest."""
    robots = {n: Robot(chain(n), threads=1) for n in JOINTS}
    say(f"growth: recording and compiling {JOINTS[-1]} joints ...")
    last = f"of {JOINTS[-1]} joints"
    compiled = [
        within(f"record and compile {words} {last}", record_and_compile(quantity), LONGEST)
        for quantity, words in COMPILED.items()
    ]
    mine, theirs = [], []
    with one_core():
        for n, robot in robots.items():
            say(f"growth: {n} joints ...")
            arrays = states(robot, effort.states)
            ways = []
            if PINOCCHIO.installed:
                way = pinocchio_parallel(robot, threads=1)["inverse_dynamics"]
                ways = agreeing(robot, "inverse_dynamics", [way], arrays)
            entrants = [ours(robot, "inverse_dynamics", arrays)]
            first, *rest = race([*entrants, *(w.batch(arrays) for w in ways)], effort.seconds)
            mine.append(first)
            theirs += [(ways[0].name, t) for t in rest]
    what = [f"chain of {n} joints: inverse dynamics" for n in JOINTS]
    if len(theirs) == len(mine):
        found = [against(w, t, *p) for w, t, p in zip(what, mine, theirs, strict=True)]
    else:
        found = [within(w, t) for w, t in zip(what, mine, strict=True)]
    times = dict(zip(JOINTS, mine, strict=True))
    label = f"time per state, {FITTED[0]} to {FITTED[-1]} joints"
    growths = [
        exponent_row(label, [times[n] for n in FITTED]),
        exponent_row(f"{label}, {IN_MEMORY:,} positions per batch", equally_large(robots, effort)),
    ]
    return [*found, *growths, *compiled]


def equally_large(robots: dict[int, Robot], effort: Effort) -> list[float]:
    """Return the times a state of batches that are equally large in memory, and stay in a cache."""
    with one_core():
        entrants = [
            ours(robots[n], "inverse_dynamics", states(robots[n], IN_MEMORY // n)) for n in FITTED
        ]
        return race(entrants, effort.seconds)


def exponent_row(label: str, seconds: list[float]) -> Row:
    power = exponent(FITTED, seconds)
    target = f"≤ n^{STEEPEST}"
    return Row(label, f"n^{power:.2f}", target=target, reached=power <= STEEPEST)


def exponent(n: tuple[int, ...], seconds: list[float]) -> float:
    """Return the slope of the line through the times, both on logarithmic scales."""
    return float(np.polyfit(np.log(n), np.log(seconds), 1)[0])


def record_and_compile(quantity: str) -> float:
    """Return how long a quantity of the longest chain takes with nothing kept on disk [s]."""
    robot = Robot(chain(JOINTS[-1]), threads=1)
    before = os.environ.get("QDDOT_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["QDDOT_CACHE_DIR"] = folder
        try:
            started = time.perf_counter()
            _ = Kernel(robot.program(quantity)).gufunc
            return time.perf_counter() - started
        finally:
            os.environ.pop("QDDOT_CACHE_DIR")
            os.environ.update({"QDDOT_CACHE_DIR": before} if before else {})


def chain(n: int) -> Model:
    """Return a chain of n joints whose links are clouds of point masses."""
    rng = np.random.default_rng(n)
    links, joints = [Link("link0")], []
    for i in range(1, n + 1):
        links.append(Link(f"link{i}", cloud(rng)))
        origin = Placement(tuple(rng.uniform(-0.2, 0.2, 3)), tuple(rng.uniform(-3, 3, 3)))
        ends = (links[-2].name, links[-1].name)
        limits = Limits(lower=-3.0, upper=3.0, velocity=3.0, effort=100.0)
        joints.append(Joint(f"joint{i}", "revolute", *ends, origin, (0, 0, 1), limits))
    return build(f"chain{n}", links, joints)


def cloud(rng: np.random.Generator, points: int = 8) -> Inertial:
    """Return the inertia of point masses: physical, whatever the numbers."""
    masses, at = rng.uniform(0.1, 0.3, points), rng.uniform(-0.1, 0.1, (points, 3))
    mass = masses.sum()
    com = masses @ at / mass
    r = at - com
    I = np.einsum("k,kl,kl->", masses, r, r) * np.eye(3) - np.einsum("k,ki,kj->ij", masses, r, r)
    return Inertial(float(mass), tuple(com.tolist()), tuple(I[np.triu_indices(3)].tolist()))
