"""How long does one accurate simulation take: ten seconds of a falling arm, audited?

Beside it, SciPy's integration of Pinocchio's accelerations with the same method and tolerance,
which gives the states at its own steps and no audit.
"""

from __future__ import annotations

import numpy as np
from peers import PINOCCHIO
from robots import NAMES, robot_named
from scipy.integrate import solve_ivp
from table import Row, against, within
from timing import Contender, Effort, one_core, race, say

import qddot
from qddot.robot import Robot
from qddot.simulation.simulation import TOLERANCE
from qddot.writers.urdf import to_urdf

SECONDS = 10.0
LIMIT = 0.2  # [s]


def rows(effort: Effort) -> list[Row]:
    """Return, a robot, the time of one run."""
    found = []
    with one_core():
        for name in NAMES:
            say(f"motion: {name} ...")
            robot = robot_named(name)
            what = f"{name}: {SECONDS:g} s of falling, tolerance {TOLERANCE:g}"
            entrants = [ours(robot)] + ([theirs(robot)] if PINOCCHIO.installed else [])
            times = race(entrants, 2 * effort.seconds)
            found.append(within(what, times[0], LIMIT))
            if len(times) > 1:
                found.append(against(what, times[0], "Pinocchio, SciPy", times[1]))
    return found


def ours(robot: Robot) -> Contender:
    def fall() -> object:
        return qddot.simulate(robot, np.zeros(robot.n), duration=SECONDS)

    return Contender(fall, ())


def theirs(robot: Robot) -> Contender:
    import pinocchio as pin

    model = pin.buildModelFromXML(to_urdf(robot.model))
    model.gravity = pin.Motion(np.array(robot.tree.gravity, dtype=float), np.zeros(3))
    data = model.createData()
    n = robot.n
    tau = np.zeros(n)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], tau)])

    def fall() -> object:
        tolerances = dict(rtol=TOLERANCE, atol=TOLERANCE)
        return solve_ivp(rate, (0, SECONDS), np.zeros(2 * n), method="DOP853", **tolerances)

    return Contender(fall, ())
