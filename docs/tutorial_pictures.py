"""The pictures of identification and of the tutorials."""

import os
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
from control_pictures import WRIST
from matplotlib.figure import Figure
from measured_logs import staubli_tx40
from scipy.linalg import solve_continuous_are

import qddot
from qddot import plot
from qddot.identification import ExternalTorque, coupled, prepared
from qddot.present.figures import style
from qddot.readers.document import read_document

HERE = Path(__file__).parent
EVERY = 0.04  # [s] between rows: as few as make a smooth curve
DATA = "QDDOT_DATA"  # says where the measured logs are
TERMS = ("friction", "offset", "rotor_inertia")


def staubli() -> dict[str, Figure]:
    """Return what was found of a Stäubli TX40, from a log that is not ours to give."""
    robot, raw = staubli_tx40(Path(os.environ[DATA]) / "staubli_tx40")
    extra = coupled(robot, "joint_5", "joint_6")
    fit = qddot.identify(robot, prepared(raw), "consistent", terms=TERMS, extra=extra, decimate=50)
    return {
        "tx40_torques.svg": plot.plot_torques(fit),
        "tx40_parameters.svg": plot.plot_parameters(fit),
        "tx40_spectrum.svg": plot.plot_spectrum(raw),
    }


def ur10() -> dict[str, Figure]:
    """Return what was found of a UR10, likewise."""
    robot = qddot.load("ur10")
    bag = Path(os.environ[DATA]) / "ur10_bag" / "ur10_exciting_trajectory.db3"
    raw = qddot.load_log(bag, robot)
    log = prepared(raw)
    fit = qddot.identify(robot, log, "consistent", terms=TERMS, decimate=None)
    return {
        "ur10_contact.svg": pushed(robot, raw).plot(),
        "ur10_torques.svg": plot.plot_torques(fit),
        "ur10_residuals.svg": plot.plot_residuals(fit),
        "ur10_lacks.svg": plot.plot_residuals_against(qddot.identify(robot, log, "consistent")),
    }


def pushed(robot: qddot.Robot, log: qddot.Log) -> ExternalTorque:
    """Return the last 40 % of a log with a push of 40 N·m in it, by a fit to the rest."""
    part = int(0.6 * len(log))
    first, rest = log[:part], log[part:]
    since = rest.t - rest.t[0]
    push = np.where((since > 5.0) & (since < 5.8), 40.0, 0.0)
    tau = rest.tau - np.multiply.outer(push, [0, 1, 0, 0, 0, 0])
    fit = qddot.identify(robot, prepared(first, robot, terms=TERMS), terms=TERMS)
    return fit.external_torque(replace(rest, tau=tau), free=first)


def crane() -> Figure:
    """Return the crane of the tutorial, by its equations and by a wrong answer."""
    page = (HERE / "tutorials" / "lecturer.md").read_text(encoding="utf-8")
    found = re.search(r'write_text\("""(.*?)"""\)', page, re.DOTALL)
    assert found is not None
    symbolic = qddot.Robot(read_document(tomllib.loads(found[1]), "crane"))
    real = symbolic.with_values(M1=2.0, m=1.0, L=1.0, g=9.81)

    def mistake(t, q, qd):
        return [0, np.sin(q[1]) * qd[0] * qd[1]]

    drawn = style.figure(8.0, 3.8)
    grid = drawn.subplots(2, 1, sharex=True)
    lines = []
    for k, (name, torque) in enumerate((("as it is", None), ("as handed in", mistake))):
        run = qddot.simulate(real, [0, 1.5], duration=10.0, torque=torque, every=EVERY)
        lines.append((grid[0].plot(run.t, run.q[:, 1], **style.curve(k))[0], name))
        grid[1].plot(run.t, run.energy.total - run.energy.total[0], **style.curve(k))
    for axes, label in zip(grid, ("angle of the rope [rad]", "energy gained [J]"), strict=True):
        style.dress(axes)
        axes.set_ylabel(label)
        axes.set_xlim(0, 10)
    grid[1].set_xlabel("time [s]")
    style.legend(drawn, lines, 2, loc="outside upper left")
    return drawn


def measured_and_predicted() -> Figure:
    """Return the torques of three joints of a UR10 with a gripper, and those of what was found."""
    sheet = qddot.load("ur10").locked(WRIST)
    bench = sheet.with_payload("tool", 2.0, (0, 0, 0.08), (0.01, 0.01, 0.005))
    bench = bench.with_friction(viscous=[12, 12, 7], coulomb=[9, 9, 5])
    rng = np.random.default_rng(1)  # run1 of the tutorial
    t = np.arange(0, 20, 1 / 125)
    w = 2 * np.pi / 20 * np.arange(2, 7)[:, None, None]
    a, b, x = *rng.normal(0, 0.4, (2, 5, 1, 3)), w * t[:, None]
    q = np.array([0.0, -1.2, 1.2]) + ((a * np.sin(x) - b * np.cos(x)) / w).sum(axis=0)
    qd = (a * np.cos(x) + b * np.sin(x)).sum(axis=0)
    qdd = (w * (b * np.cos(x) - a * np.sin(x))).sum(axis=0)
    tau = bench.inverse_dynamics(q, qd, qdd) + rng.normal(0, 1.0, q.shape)
    fit = qddot.identify(sheet, qddot.Log(sheet.joint_names, t, q, tau=tau))
    return plot.plot_torques(fit)


def attraction() -> Figure:
    """Return from where a linear law brings an arm up, by motor; and how many uncertain arms."""
    arm, up, rest = qddot.load("two_link_point"), np.array([np.pi / 2, 0.0]), np.zeros(2)
    by_q, by_qd, by_tau = arm.forward_dynamics_derivatives(up, rest, rest)
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [by_q, by_qd]])
    B = np.vstack([np.zeros((2, 2)), by_tau])
    K = B.T @ solve_continuous_are(A, B, np.diag([10, 10, 1, 1]), 0.01 * np.eye(2)) / 0.01

    def law(q, qd, most):
        return np.clip(-K @ np.concatenate([q - up, qd]), -most, most)

    program = qddot.record(law, q=(2,), qd=(2,), most=())
    steps = dict(duration=5.0, step=2e-3, every=5.0, torque=program)

    def works(run):
        return np.abs(run.q[..., -1, :] - up).max(axis=-1) < 0.01

    first, second = np.linspace(-1.5, 1.5, 121), np.linspace(-3, 3, 121)
    starts = up + np.stack(np.meshgrid(first, second, indexing="ij"), axis=-1)
    motors = np.arange(2.0, 32.0, 2.0)
    there = works(qddot.rollout(arm, starts, inputs={"most": motors[:, None, None]}, **steps))
    least = motors[there.argmax(axis=0)]

    symbolic, limits = qddot.load("two_link_point_symbolic"), np.arange(12.0, 26.0, 2.0)
    masses = np.random.default_rng(1).normal(1.0, 0.2, (2, 5000)).clip(0.2)
    values = dict(m1=masses[0], m2=masses[1], L1=1.0, L2=1.0, g=9.81)
    start, motor = up + np.array([0.4, 0.5]), {"most": limits[:, None]}
    share = works(qddot.rollout(symbolic, start, inputs=motor, parameters=values, **steps))

    drawn = style.figure(8.5, 3.6)
    left, right = drawn.subplots(1, 2, width_ratios=[1.5, 1])
    edges = np.append(motors, 32.0) - 1
    colours = matplotlib.colors.BoundaryNorm(edges, 256)
    mesh = left.pcolormesh(first, second, least.T, norm=colours, cmap="cividis", rasterized=True)
    bar = drawn.colorbar(mesh, ax=left, ticks=motors[1::3])
    bar.set_label("smallest motor that brings it up [N·m]", size=style.NORMAL, color=style.INK)
    bar.ax.tick_params(labelsize=style.SMALL, colors=style.INK)
    left.set_xlabel("start: first joint, from upright [rad]")
    left.set_ylabel("start: second joint [rad]")
    right.plot(limits, 100 * share.mean(axis=1), marker="o", markersize=4, **style.curve(0))
    right.set_xlabel("motor [N·m]")
    right.set_ylabel("arms that come up, masses ± 20 % [%]")
    for axes in (left, right):
        style.dress(axes)
    left.grid(False)
    return drawn


PICTURES = {
    "tutorial_crane.svg": crane,
    "tutorial_identification.svg": measured_and_predicted,
    "tutorial_attraction.svg": attraction,
}
