"""How long does the fastest timing of a path take: 500 pieces, limits of torque and velocity?

Beside it TOPP-RA on the same spline and pieces, its torques by Pinocchio. Limits hold at the points
between pieces there, so it is compared with `between=False`; the other rows hold them everywhere.
Durations must agree before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from peers import PINOCCHIO
from robots import NAMES, robot_named
from table import Row, against, within
from timing import Contender, Effort, one_core, race, say

from qddot.motions import Path, time_optimal, time_optimal_batch
from qddot.robot import Robot
from qddot.writers.urdf import to_urdf

PIECES, PATHS, POINTS = 500, 32, 5
LIMIT = 5e-4  # [s]
AGREEMENT = 2e-3  # of durations: both have errors of about 1/PIECES


def rows(effort: Effort) -> list[Row]:
    """Return, a robot, the time for one path, alone and among many."""
    found = []
    with one_core():
        for name in NAMES:
            say(f"paths: {name} ...")
            robot = robot_named(name).without("friction")
            if not np.isfinite([robot.limits.effort, robot.limits.velocity]).all():
                continue
            found += timings(name, robot, effort)
    return found


def timings(name: str, robot: Robot, effort: Effort) -> list[Row]:
    """Return the rows of a robot."""
    rng = np.random.default_rng(0)
    points = robot.home + rng.uniform(-0.4, 0.4, (PATHS, POINTS, robot.n))
    paths = [Path.through(some) for some in points]

    def ours(between: bool) -> object:
        return time_optimal(robot, paths[0], pieces=PIECES, between=between)

    def many() -> object:
        return time_optimal_batch(robot, paths, pieces=PIECES, between=False)

    entrants = [Contender(ours, (False,)), Contender(ours, (True,)), Contender(many, (), PATHS)]
    if find_spec("toppra") and PINOCCHIO.installed:
        theirs = toppra_on(robot, paths[0])
        ratio = theirs().duration / time_optimal(robot, paths[0], pieces=PIECES).duration
        assert abs(ratio - 1) < AGREEMENT, ratio
        entrants.append(Contender(theirs, ()))
    else:
        say("TOPP-RA is not installed and not measured: pip install toppra")
    alone, everywhere, among_many, *peer = race(entrants, 3 * effort.seconds)
    what = f"{name}: fastest timing of a path, {PIECES} pieces"
    found = [within(f"{what}, limits at their ends", alone, LIMIT)]
    found += [against(f"{what}, limits at their ends", alone, "TOPP-RA", time) for time in peer]
    found.append(within(f"{what}, limits everywhere", everywhere))
    found.append(within(f"{what}, among {PATHS} paths", among_many))
    return found


def toppra_on(robot: Robot, path: Path) -> Callable[[], object]:
    """Return TOPP-RA's whole call for a path; splines and constraints are made before."""
    import pinocchio as pin
    import toppra
    from toppra.algorithm import TOPPRA
    from toppra.constraint import JointTorqueConstraint, JointVelocityConstraint

    toppra.setup_logging("ERROR")
    model = pin.buildModelFromXML(to_urdf(robot.model))
    model.gravity = pin.Motion(np.array(robot.tree.gravity, dtype=float), np.zeros(3))
    data = model.createData()
    torque, velocity = (
        np.stack([-limit, limit], axis=1) for limit in (robot.limits.effort, robot.limits.velocity)
    )
    constraints = [
        JointVelocityConstraint(velocity),
        JointTorqueConstraint(
            lambda q, v, a: pin.rnea(model, data, q, v, a), torque, np.zeros(robot.n)
        ),
    ]
    knots = path.knots
    spline = toppra.SplineInterpolator(knots, path.curve.values(knots)[0], bc_type="natural")
    grid = np.linspace(0, path.length, PIECES + 1)

    def timed() -> object:
        solver = TOPPRA(constraints, spline, gridpoints=grid, solver_wrapper="seidel")
        return solver.compute_trajectory(0, 0)

    return timed
