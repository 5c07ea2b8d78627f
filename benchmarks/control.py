"""How long does a law take: one evaluation from Python, and a step of a closed loop?

The loop is computed torque on a moving reference, fused into the compiled rollout. Beside it,
MuJoCo steps the same arm by the same method, and the same law, by MuJoCo's own inverse dynamics,
is asked from Python before every step.
"""

from __future__ import annotations

import numpy as np
from peers import MUJOCO
from robots import NAMES, robot_named
from table import Row, against, within
from timing import Contender, Effort, one_core, race, say
from ways import AGREEMENT

import qddot
from qddot.control.laws import (
    PD,
    AdaptiveApproximateJacobian,
    AdaptiveSlotineLi,
    ApproximateJacobian,
    CartesianImpedance,
    ComputedTorque,
    ControlLaw,
    FeedForwardPD,
    JointImpedance,
    MomentumObserver,
    OperationalSpace,
    PDGravity,
    RobustSaturated,
    SlotineLi,
)
from qddot.motions import Fourier
from qddot.robot import Robot
from qddot.writers.urdf import to_urdf

TRAJECTORIES, STEPS, STEP = 1024, 200, 1e-3
THEIRS = 4  # trajectories that MuJoCo gets; its time a step does not depend on how many
EVALUATION = 3  # times inverse dynamics
LOOP = 10  # times MuJoCo with the law in Python
KP, KD = 100.0, 20.0


def rows(effort: Effort) -> list[Row]:
    """Return, a robot, the time of each law's evaluation and of a step of the loop."""
    found = []
    with one_core():
        for name in NAMES:
            robot = robot_named(name)
            say(f"control: laws of {name} ...")
            found += evaluations(robot, effort)
            say(f"control: closed loop of {name} ...")
            found += loop(robot, effort)
    return found


def evaluations(robot: Robot, effort: Effort) -> list[Row]:
    """Return, a law, the time of one evaluation beside one of inverse dynamics."""
    n = robot.n
    q, qd = np.linspace(-1, 1, n), np.linspace(1, -1, n)
    entrants = [Contender(robot.inverse_dynamics, (q, qd, qd))]
    laws = laws_of(robot)
    for law in laws:
        more = (law.x0,) if len(law.x0) else ()
        entrants.append(Contender(law.evaluated, (0.3, q, qd, *more)))
    base, *times = race(entrants, 4 * effort.seconds)
    return [
        Row(
            f"{robot.name}: {type(law).__name__}, one evaluation",
            within("", time).qddot,
            "qddot inverse dynamics",
            within("", base).qddot,
            f"{time / base:.2f} × theirs",
            f"≤ {EVALUATION} × theirs",
            bool(time <= EVALUATION * base),
        )
        for law, time in zip(laws, times, strict=True)
    ]


def laws_of(robot: Robot) -> list[ControlLaw]:
    """Return every law, on a moving reference where it takes one."""
    reference, place = reference_of(robot), np.full(robot.n, 0.5)
    pose = robot.pose(place, "tool")
    where, facing = pose[:3, 3], {"orientation": pose[:3, :3], "turning": (KP, KD)}
    torque = ComputedTorque(robot, KP, KD, reference)
    return [
        PD(robot, KP, KD, reference),
        PDGravity(robot, KP, KD, reference),
        torque,
        FeedForwardPD(robot, KP, KD, reference),
        SlotineLi(robot, 5, KD, reference),
        AdaptiveSlotineLi(robot, 5, KD, reference),
        RobustSaturated(robot, 5, KD, reference, mass=0.1, coriolis=0.1, gravity=1),
        JointImpedance(robot, KP, KD, reference),
        CartesianImpedance(robot, "tool", KP, KD, where, **facing),
        OperationalSpace(robot, "tool", KP, KD, where, **facing),
        ApproximateJacobian(robot, "tool", KP, KD, where),
        AdaptiveApproximateJacobian(robot, "tool", KP, KD, where, cross=0.1),
        MomentumObserver(torque, 50),
    ]


def loop(robot: Robot, effort: Effort) -> list[Row]:
    """Return the row of a step of the closed loop."""
    mine = ours(robot)
    what = f"{robot.name}: a step of computed torque in closed loop, {STEP * 1e3:g} ms"
    if not MUJOCO.installed:
        return [within(what, *race([mine], effort.seconds))]
    peer = theirs(robot)
    ends = [mine.function(*mine.args).q[:THEIRS, -1], peer.function()]
    apart = np.abs(ends[0] - ends[1]).max()
    if not apart <= AGREEMENT**0.5:  # a law in the motion, and one held for a step
        say(f"MuJoCo's motion of {robot.name} is not ours ({apart:.1e}); it is not timed")
        return [within(what, *race([mine], effort.seconds))]
    times = race([mine, peer], 2 * effort.seconds)
    return [against(what, times[0], "MuJoCo, law in Python", times[1], LOOP)]


def reference_of(robot: Robot) -> Fourier:
    a, b = np.random.default_rng(5).uniform(-0.3, 0.3, (2, robot.n, 2))
    return Fourier(np.zeros(robot.n), a, b, base_frequency=0.5)


def starts(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    q, qd, _ = (np.asarray(part, dtype=float) for part in reference_of(robot).at(0.0))
    off = np.random.default_rng(6).uniform(-0.1, 0.1, (TRAJECTORIES, robot.n))
    return q + off, np.broadcast_to(qd, off.shape).copy()


def ours(robot: Robot) -> Contender:
    law = ComputedTorque(robot, KP, KD, reference_of(robot))

    def roll(q0: np.ndarray, qd0: np.ndarray) -> qddot.simulation.Rollout:
        return qddot.rollout(
            robot, q0, qd0, torque=law, steps=STEPS, step=STEP, method="semi_implicit_euler"
        )

    return Contender(roll, starts(robot), TRAJECTORIES * STEPS)


def theirs(robot: Robot) -> Contender:
    import mujoco as mj

    model = mj.MjModel.from_xml_string(to_urdf(robot.model))
    flags = mj.mjtDisableBit
    model.opt.disableflags |= int(flags.mjDSBL_CONTACT) | int(flags.mjDSBL_CONSTRAINT)
    model.opt.integrator = int(mj.mjtIntegrator.mjINT_EULER)
    model.opt.timestep = STEP
    data, other = mj.MjData(model), mj.MjData(model)
    plan = reference_of(robot).sampled(np.arange(STEPS) * STEP)
    q0, qd0 = (x[:THEIRS] for x in starts(robot))
    ends = np.zeros((THEIRS, robot.n))

    def roll() -> np.ndarray:
        for k in range(THEIRS):
            data.qpos[:], data.qvel[:] = q0[k], qd0[k]
            for place, rate, acceleration in zip(*plan, strict=True):
                other.qpos[:], other.qvel[:] = data.qpos, data.qvel
                ed, e = data.qvel - rate, data.qpos - place
                other.qacc[:] = acceleration - KD * ed - KP * e
                mj.mj_inverse(model, other)
                data.qfrc_applied[:] = other.qfrc_inverse
                mj.mj_step(model, data)
            ends[k] = data.qpos
        return ends

    return Contender(roll, (), THEIRS * STEPS)
