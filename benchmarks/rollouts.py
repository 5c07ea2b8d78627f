"""How long does a step take in a batch of simulations, beside MuJoCo, and how wrong is it?

Both integrate the same robot by the same method with the same step, without contacts, on one core,
and keep every state. MuJoCo writes into an array that is made beforehand; qddot makes its own.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from peers import MUJOCO
from robots import NAMES, robot_named
from scipy.integrate import solve_ivp
from table import Row, against, within
from timing import Contender, Effort, one_core, race, say
from ways import AGREEMENT

import qddot
from qddot.robot import Robot
from qddot.writers.urdf import to_urdf

TRAJECTORIES, STEPS, STEP = 1024, 200, 1e-3
THEIRS = 128  # trajectories that MuJoCo gets; its time a step does not depend on how many
JUDGED = 8  # trajectories whose error is found
TARGET = 20  # times MuJoCo
METHODS = {"semi_implicit_euler": "mjINT_EULER", "rk4": "mjINT_RK4"}
SPELT = {"semi_implicit_euler": "semi-implicit Euler", "rk4": "RK4", "midpoint": "midpoint rule"}


def rows(effort: Effort) -> list[Row]:
    """Return, a robot and a method, the time a step and the error beside MuJoCo's."""
    found = []
    with one_core():
        for name in NAMES:
            for method in METHODS:
                say(f"rollouts: {SPELT[method]} of {name} ...")
                found += compare(robot_named(name), method, effort)
            say(f"rollouts: other ways of {name} ...")
            found += alone(name, effort)
    return found


def compare(robot: Robot, method: str, effort: Effort) -> list[Row]:
    """Return the rows of one method: its time, and its error after the last step."""
    mine = ours(robot, method)
    what = f"{robot.name}: a step of {SPELT[method]}, {STEP * 1e3:g} ms"
    if not MUJOCO.installed:
        return [within(what, *race([mine], effort.seconds))]
    peer = theirs(robot, method)
    ends = [mine.function(*mine.args).q[:THEIRS, -1], peer.function()[:, -1, 1 : 1 + robot.n]]
    apart = np.abs(ends[0] - ends[1]).max() / np.abs(ends[1]).max()
    if not apart <= AGREEMENT:
        say(f"MuJoCo's motion of {robot.name} is not ours ({apart:.1e}); it is not timed")
        return [within(what, *race([mine], effort.seconds))]
    times = race([mine, peer], 2 * effort.seconds)
    exact = reference(robot.name)
    wrong = [np.abs(end[:JUDGED] - exact).max() for end in ends]
    return [
        against(what, times[0], "MuJoCo rollout", times[1], TARGET),
        Row(
            f"{robot.name}: error of {SPELT[method]} after {STEPS * STEP:g} s",
            f"{wrong[0]:.2g} rad",
            "MuJoCo rollout",
            f"{wrong[1]:.2g} rad",
            target="≤ theirs",
            reached=bool(wrong[0] <= wrong[1] + 1e-12),  # but for rounding
        ),
    ]


def alone(name: str, effort: Effort) -> list[Row]:
    """Return the rows that only qddot has: the symplectic method, parameters that vary, float32."""
    robot, single = robot_named(name), robot_named(name, dtype="float32")
    masses = np.linspace(0.5, 1.5, TRAJECTORIES)
    entrants = [
        ours(robot, "rk4"),
        ours(robot, "midpoint"),
        ours(robot, "rk4", parameters={f"{robot.joint_names[-1]}.m": masses}),
        ours(single, "rk4"),
    ]
    plain, midpoint, varied, short = race(entrants, effort.seconds)
    return [
        against(f"{name}: a step of the midpoint rule", midpoint, "qddot, RK4", plain),
        against(f"{name}: a step of RK4, a mass that varies", varied, "qddot, RK4", plain),
        against(f"{name}: a step of RK4, float32", short, "qddot, RK4", plain),
    ]


def ours(robot: Robot, method: str, **more: object) -> Contender:
    def roll(q0: np.ndarray, qd0: np.ndarray) -> qddot.simulation.Rollout:
        return qddot.rollout(robot, q0, qd0, steps=STEPS, step=STEP, method=method, **more)

    return Contender(roll, starts(robot.n), TRAJECTORIES * STEPS)


def theirs(robot: Robot, method: str) -> Contender:
    import mujoco as mj
    from mujoco import rollout

    model = mj.MjModel.from_xml_string(to_urdf(robot.model))
    flags = mj.mjtDisableBit
    model.opt.disableflags |= int(flags.mjDSBL_CONTACT) | int(flags.mjDSBL_CONSTRAINT)
    model.opt.integrator = int(getattr(mj.mjtIntegrator, METHODS[method]))
    model.opt.timestep = STEP
    data = mj.MjData(model)
    size = mj.mj_stateSize(model, mj.mjtState.mjSTATE_FULLPHYSICS)
    q0, qd0 = (x[:THEIRS] for x in starts(robot.n))
    first = np.zeros((THEIRS, size))  # time, positions, rates
    first[:, 1 : 1 + robot.n], first[:, 1 + robot.n : 1 + 2 * robot.n] = q0, qd0
    kept = np.zeros((THEIRS, STEPS, size))

    def roll() -> np.ndarray:
        rollout.rollout(model, data, first, nstep=STEPS, state=kept)
        return kept

    return Contender(roll, (), THEIRS * STEPS)


def starts(n: int) -> tuple[np.ndarray, np.ndarray]:
    q0, qd0 = np.random.default_rng(3).uniform(-1, 1, (2, TRAJECTORIES, n))
    return q0, qd0


@cache
def reference(name: str) -> np.ndarray:
    """Return where the first trajectories end, by a method of order 8 to twelve digits."""
    robot = robot_named(name)
    q0, qd0 = (x[:JUDGED] for x in starts(robot.n))

    def rate(t: float, z: np.ndarray) -> np.ndarray:
        q, qd = z.reshape(2, JUDGED, robot.n)
        return np.concatenate([qd, robot.forward_dynamics(q, qd, 0 * q)], axis=None)

    start = np.concatenate([q0, qd0], axis=None)
    end = solve_ivp(rate, (0, STEPS * STEP), start, "DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    return end.reshape(2, JUDGED, robot.n)[0]
