"""How long do the joint velocities for tasks take: a pose first, a posture second, within limits?

States are random within limits, and targets half a radian away, so that some joints are at limits.
Beside it Pink's step with both tasks, its limits and quadprog, which has weights and no levels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec

import numpy as np
from robots import robot_named
from table import Row, against, within
from timing import Contender, Effort, one_core, race, say

from qddot.control import FrameTask, PostureTask, TaskVelocity
from qddot.robot import Robot
from qddot.writers.urdf import to_urdf

NAMES = ("panda", "ur5")
ONE = 32  # states that are asked one by one
FAR = 0.5  # [rad]
STEP = 1e-3  # [s]
BATCH_LIMIT, CALL_LIMIT = 2e-6, 10e-6  # [s] per step

Step = Callable[[np.ndarray, np.ndarray], object]  # of a position and a pose


def rows(effort: Effort) -> list[Row]:
    """Return, a robot, the times of a step in a batch and alone, and that of Pink."""
    found = []
    with one_core():
        for name in NAMES:
            say(f"tasks: {name} ...")
            found += timings(name, robot_named(name), effort)
    return found


def timings(name: str, robot: Robot, effort: Effort) -> list[Row]:
    """Return the rows of a robot."""
    robot = robot.with_options(threads=1)
    q, limits = robot.random_positions(effort.states, 1), robot.limits
    away = np.random.default_rng(2).uniform(-FAR, FAR, q.shape)
    X = robot.pose(np.clip(q + away, limits.lower, limits.upper), robot.tip)
    ours = TaskVelocity(robot, [FrameTask(robot.tip, name="tool"), PostureTask(level=1)], step=STEP)
    assert (np.abs(ours(q, X)) <= limits.velocity).all()
    asked = [(q[k], X[k]) for k in range(ONE)]
    entrants = [Contender(ours, (q, X), len(q)), Contender(each, (ours, asked), ONE)]
    if find_spec("pink") is None:
        say("Pink is not installed and not measured: pip install pin-pink quadprog")
    else:
        entrants.append(Contender(each, (pink_on(robot), asked), ONE))
    batch, one, *peer = race(entrants, 4 * effort.seconds)
    what = f"{name}: joint velocities for a pose and a posture, within limits"
    found = [within(f"{what}, batch", batch, BATCH_LIMIT)]
    found += [within(f"{what}, one call", one, CALL_LIMIT)]
    for time in peer:
        found += [against(f"{what}, one call", one, "Pink", time)]
        found += [against(f"{what}, batch", batch, "Pink", time)]
    return found


def each(step: Step, asked: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
    """Ask for one step after the other."""
    for q, X in asked:
        step(q, X)


def pink_on(robot: Robot) -> Step:
    """Return Pink's step with the same tasks, by weights; the robot is made before."""
    import pink
    import pinocchio as pin
    from pink import tasks

    model = pin.buildModelFromXML(to_urdf(robot.model))
    data = model.createData()
    frame = tasks.FrameTask(robot.tip, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6)
    posture = tasks.PostureTask(cost=1e-3)
    posture.set_target(robot.home)

    def step(q: np.ndarray, X: np.ndarray) -> object:
        configuration = pink.Configuration(model, data, q)
        frame.set_target(pin.SE3(X[:3, :3], X[:3, 3]))
        return pink.solve_ik(configuration, [frame, posture], STEP, solver="quadprog")

    return step
