"""The pictures of control: laws side by side, loads they do not know, frames, an observer."""

from functools import cache

import numpy as np
from matplotlib.figure import Figure

import qddot
from qddot import plot
from qddot.control import laws
from qddot.control.laws.adaptive_slotine_li import balanced
from qddot.control.laws.assumption import wrong_model
from qddot.control.loop import closed_loop
from qddot.control.tasks import FrameTask, PostureTask, TaskVelocity
from qddot.motions import CartesianLine, Fourier, Quintic, time_optimal
from qddot.present.figures import style

WRIST = {"wrist_1_joint": -1.57, "wrist_2_joint": 0.0, "wrist_3_joint": 0.0}  # of a UR arm, held
HOME = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.9, 0.5])  # of a Panda
GO = Quintic([[0, 0], [1, 1]], 2.0)  # of two joints
START = dict(q0=[0.01, 0], duration=3, every=0.015)


@cache
def loaded(name: str) -> qddot.Robot:
    return qddot.load(name)


def four_laws() -> Figure:
    """Return the errors of four laws on the same way."""
    arm = loaded("two_link")
    made = {
        "PD": laws.PD(arm, 10_000, 4_000, GO),
        "PD + gravity": laws.PDGravity(arm, 10_000, 4_000, GO),
        "feed-forward + PD": laws.FeedForwardPD(arm, 10_000, 4_000, GO),
        "computed torque": laws.ComputedTorque(arm, 100, 20, GO),
    }
    return plot.plot_comparison(
        {name: closed_loop(arm, law, **START) for name, law in made.items()}
    )


def unknown_load() -> Figure:
    """Return the errors of three laws that do not know of a load."""
    arm, gains = loaded("two_link"), dict(lam=5, kd=500, reference=GO)
    heavy = arm.with_payload("tool", 10.0)
    made = {
        "Slotine and Li": laws.SlotineLi(arm, **gains),
        "adaptive": laws.AdaptiveSlotineLi(arm, **gains, adaptation=30.0),
        "robust": laws.RobustSaturated(arm, **gains, mass=70, coriolis=40, gravity=300),
    }
    return plot.plot_comparison(
        {name: closed_loop(heavy, law, **START) for name, law in made.items()}
    )


def approximate_jacobian() -> Figure:
    """Return the errors of a law that has the lengths of the arm right, and wrong twice."""
    arm, seen = loaded("two_link"), {}
    rest = dict(m1=50, m2=50, I1=10, I2=10, aC1=0.5, aC2=0.5, d1=0, d2=0, g=9.81)
    for a1, a2 in ((1.0, 1.0), (1.2, 0.8), (0.8, 1.3)):
        wrong = loaded("two_link_symbolic").with_values(a1=a1, a2=a2, **rest)
        law = laws.ApproximateJacobian(
            arm, "tool", 300, 150, [1.2, 0.6], approximate=wrong, axes="xy"
        )
        run = closed_loop(arm, law, q0=[0.2, 1.8], duration=40, tolerance=1e-13, every=0.05)
        seen[f"lengths {a1} and {a2}, p = {law.mismatch(run.trajectory.q).max():.3f}"] = run
    return plot.plot_comparison(seen)


def impedance() -> Figure:
    """Return a Panda that is pushed at its tool, which is held by springs."""
    panda = loaded("panda")
    place = panda.pose(HOME, "tool")[:3, 3]
    spring = laws.CartesianImpedance(panda, "tool", [400, 800, 1600], 100, place, joint_damping=3)
    push = {"tool": [0, 0, 0, 8, -8, 8]}
    pushed = closed_loop(panda, spring, q0=HOME, duration=6, wrenches=push, every=0.03)
    return plot.plot_closed_loop(pushed)


def straight_line() -> Figure:
    """Return a Panda whose tool follows a line."""
    panda = loaded("panda")
    end = panda.pose(HOME, "tool")[:3, 3] + np.array([0.1, 0.2, -0.1])
    line = CartesianLine(panda, "tool", HOME, end=end, duration=1.5, orientation="free")
    law = laws.OperationalSpace(panda, "tool", 100, 20, line, posture=HOME)
    return plot.plot_closed_loop(closed_loop(panda, law, q0=HOME + 0.03, duration=2, every=0.01))


def fastest() -> Figure:
    """Return the fastest motion along a path."""
    arm, effort = loaded("two_link"), [3000, 1000]
    way = time_optimal(arm, [[0, 0], [1, 0.5], [1.5, 2]], effort=effort)
    return plot.plot_fastest(arm, way, effort=effort)


def adaptive_panda() -> Figure:
    """Return a Panda under a law that believes its links to be 30 % too heavy or too light."""
    panda = loaded("panda")
    a, b = np.random.default_rng(1).uniform(-0.5, 0.5, (2, 7, 3))
    wave = Fourier(HOME, a, b, base_frequency=0.5)
    wrong, kd = wrong_model(panda, 0.3), [20, 20, 20, 20, 4, 4, 1]
    Gamma = balanced(wrong, wave, kd, rate=1.0, seconds=2.0)
    law = laws.AdaptiveSlotineLi(wrong, 5, kd, wave, adaptation=Gamma)
    q, qd, _ = (np.asarray(part, dtype=float) for part in wave.at(0.0))
    run = closed_loop(panda, law, q0=q, qd0=qd, duration=10, tolerance=1e-9, every=0.06)
    return plot.plot_closed_loop(run)


def observer() -> Figure:
    """Return residuals of a push at the tool, and the torques that it is felt as."""
    panda = loaded("panda")
    stiff = np.array([800, 800, 600, 600, 200, 200, 100.0])
    law = laws.MomentumObserver(laws.PDGravity(panda, stiff, 0.2 * stiff, HOME), gain=50.0)
    touch = np.array([0, 0, 0, 5.0, 0, -10.0])
    wrenches = {"tool": touch}
    run = closed_loop(panda, law, q0=HOME, duration=0.5, wrenches=wrenches, every=0.002)
    motion = run.trajectory
    found = law.residual(motion.q, motion.qd, run.x)
    felt = np.einsum("kij,i->kj", panda.jacobian(motion.q, "tool"), touch)
    drawn = style.figure(7.5, 3.6)
    axes = drawn.subplots()
    style.dress(axes)
    lines = []
    for i, name in enumerate(panda.joint_names):
        lines.append((axes.plot(run.t, found[:, i], **style.curve(i))[0], name))
        axes.plot(run.t, felt[:, i], color=style.colour(i), linewidth=style.THIN, linestyle="--")
    axes.set_xlim(0, 0.5)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("residual; dashed: the push [N·m]")
    style.legend(drawn, lines, 4, loc="outside upper left")
    return drawn


def three_laws() -> Figure:
    """Return the errors of three laws on three joints of a UR5 that carry 5 kg."""
    arm = qddot.load("ur5").locked(WRIST)
    loaded = arm.with_payload("tool", mass=5.0)
    start, w = np.array([0.0, -1.4, 1.6]), 15.0
    go = Quintic([start, [1.2, -0.7, 0.8]], 1.0, robot=loaded)
    kd = w * np.diag(arm.mass_matrix(start))
    made = {
        "knows of 5 kg": laws.ComputedTorque(loaded, w**2, 2 * w, go),
        "does not": laws.ComputedTorque(arm, w**2, 2 * w, go),
        "adapts": laws.AdaptiveSlotineLi(arm, lam=w, kd=kd, reference=go, adaptation=30.0),
    }
    real = dict(
        q0=start, duration=3, rate=1000, delay=1e-3, noise_q=1e-5, noise_qd=1e-3, every=0.01
    )
    return plot.plot_comparison(
        {name: closed_loop(loaded, law, **real) for name, law in made.items()}
    )


def tasks() -> Figure:
    """Return how far a Panda's tool is off its line, and its joints off a posture."""
    panda = loaded("panda")
    end = panda.pose(HOME, "tool")
    end[:3, 3] += [-0.1, 0.2, 0.0]
    line = CartesianLine(panda, "tool", HOME, end=end, duration=1.5)
    other = HOME + np.array([0.4, 0, -0.4, 0, 0.4, 0, 0])
    tool = FrameTask("tool", target=line, gain=20)
    made = {
        "the tool alone": [tool],
        "levels": [tool, PostureTask(gain=2, level=1, target=other)],
        "weights 1 and 0.3": [tool, PostureTask(gain=2, weight=0.3, target=other)],
    }
    drawn = style.figure(7.5, 3.0)
    left, right = drawn.subplots(1, 2)
    lines = []
    for i, (name, each) in enumerate(made.items()):
        motion = TaskVelocity(panda, each).followed(HOME, 2.5, every=0.02)
        wanted = np.array([np.asarray(line.frame_at(t)[0], dtype=float) for t in motion.t])
        off = (panda.pose(motion.q, "tool") - wanted)[:, :3, 3]
        distance = 1000 * np.linalg.norm(off, axis=1)
        lines.append((left.plot(motion.t, distance, **style.curve(i))[0], name))
        right.plot(motion.t, np.linalg.norm(motion.q - other, axis=1), **style.curve(i))
    for axes, label in ((left, "tool off its line [mm]"), (right, "joints off the posture [rad]")):
        style.dress(axes)
        axes.set_xlim(0, 2.5)
        axes.set_ylim(0)
        axes.set_xlabel("time [s]")
        axes.set_ylabel(label)
    style.legend(drawn, lines, 3, loc="outside upper left")
    return drawn


PICTURES = {
    "control_laws.svg": four_laws,
    "control_adaptive.svg": adaptive_panda,
    "control_unknown_load.svg": unknown_load,
    "control_impedance.svg": impedance,
    "control_line.svg": straight_line,
    "control_approximate_jacobian.svg": approximate_jacobian,
    "control_observer.svg": observer,
    "control_fastest.svg": fastest,
    "control_tasks.svg": tasks,
    "tutorial_control.svg": three_laws,
}
