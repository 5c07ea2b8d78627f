"""Draw the pictures of the documentation again: `python docs/pictures.py`."""

import io
import os
import re
import tempfile
import tomllib
from pathlib import Path

import matplotlib
import numpy as np
from front_picture import front
from matplotlib.figure import Figure
from rich.console import Console
from scipy.linalg import solve_continuous_are

import qddot
from qddot import plot
from qddot.control import laws
from qddot.control.laws.adaptation import balanced
from qddot.control.loop import closed_loop
from qddot.control.mistaken import wrong_model
from qddot.dynamics.friction import smooth_direction
from qddot.identification import coupled, prepared
from qddot.motions import CartesianLine, Fourier, Quintic, time_optimal
from qddot.plot import panels
from qddot.present.figures import style
from qddot.present.pages.svg import shortened
from qddot.present.terminal.robots import print_robot
from qddot.readers import read
from qddot.readers.document import read_document

HERE = Path(__file__).parent
EVERY = 0.04  # [s] between rows: as few as make a smooth curve
WRIST = {"wrist_1_joint": -1.57, "wrist_2_joint": 0.0, "wrist_3_joint": 0.0}  # of a UR arm, held


def terminal_picture(name: str) -> str:
    """Return what `qddot show` prints, as a picture that needs nothing from the network."""
    console = Console(record=True, width=126, file=io.StringIO(), force_terminal=True)
    print_robot(read(name), console)
    svg = console.export_svg(title=f"qddot show {name}")
    return re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL)


def save(drawn: Figure, name: str) -> None:
    """Write a figure such that drawing it again gives the same file."""
    with matplotlib.rc_context({"svg.hashsalt": name, "path.simplify_threshold": 0.3}):
        drawn.savefig(HERE / name, metadata={"Date": None, "Creator": None})


def save_small(drawn: Figure, name: str) -> None:
    """Write a figure with its coordinates to a tenth of a point."""
    save(drawn, name)
    path = HERE / name
    path.write_text(shortened(path.read_text(encoding="utf-8")), encoding="utf-8")


# the figures of the deck


def three_drops() -> Figure:
    """Return q, q̇, q̈ and τ of the deck's arm, let go with three frictions."""
    arm = qddot.load("two_link")
    runs = {
        f"D = {D}": qddot.simulate(
            arm.with_friction(viscous=D), [0, 0], duration=10, every=EVERY, tolerance=1e-9
        )
        for D in (0, 30, 80)
    }
    return panels(runs)


def energy() -> Figure:
    """Return where the energy of one of them goes, as layers that add up to what there was."""
    arm = qddot.load("two_link").with_friction(viscous=30)
    run = qddot.simulate(arm, [0, 0], duration=10, every=EVERY)
    lowest = arm.potential_energy([-np.pi / 2, 0.0])
    layers = {
        "heat at j1": run.energy.friction[:, 0],
        "heat at j2": run.energy.friction[:, 1],
        "kinetic": run.energy.kinetic,
        "potential, above hanging": run.energy.potential - lowest,
    }
    drawn = style.figure(8.0, 3.2)
    axes = drawn.subplots()
    style.dress(axes)
    colours = [style.colour(k) for k in (1, 4, 2, 0)]
    bands = axes.stackplot(run.t, *layers.values(), colors=colours, alpha=0.8, linewidth=0)
    axes.set_xlim(0, 10)
    axes.set_ylim(0, run.energy.total[0] - lowest)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("energy [J]")
    style.legend(drawn, list(zip(bands, layers, strict=True)), 4, loc="outside upper left")
    return drawn


# friction


def friction_curves() -> Figure:
    """Return five laws of friction: torque over rate."""
    joint = qddot.load("pendulum").without("friction")
    half = np.concatenate([[1e-9], np.linspace(0, 0.3, 151)[1:]])
    rate = np.concatenate([-half[::-1], half])  # with the jump at rest
    stribeck = dict(static=1.5, stribeck_velocity=0.05)
    laws = {
        "viscous": dict(viscous=2.0),
        "Coulomb": dict(coulomb=1.0),
        "viscous + Coulomb": dict(viscous=2.0, coulomb=1.0),
        "viscous + Coulomb + Stribeck": dict(viscous=2.0, coulomb=1.0) | stribeck,
    }
    drawn = style.figure(7.0, 3.9)
    axes = drawn.subplots()
    style.dress(axes)
    lines = []
    for k, (name, law) in enumerate(laws.items()):
        torque = joint.with_friction(**law).friction_torque(rate[:, None])[:, 0]
        lines.append((axes.plot(rate, torque, **style.curve(k))[0], name))
    smooth = 2.0 * rate + smooth_direction(rate, 0.03)
    look = {"color": "black", "linestyle": style.DASHES[2], "linewidth": style.LINE}
    lines.append((axes.plot(rate, smooth, **look)[0], "viscous + Coulomb, with tanh for sgn"))
    axes.axhline(0, color=style.QUIET, linewidth=style.THIN, zorder=0)
    axes.axvline(0, color=style.QUIET, linewidth=style.THIN, zorder=0)
    axes.set_xlim(-0.3, 0.3)
    axes.set_xlabel("rate [rad/s]")
    axes.set_ylabel("friction [N·m]")
    style.legend(drawn, lines, 3, loc="outside upper left")
    return drawn


def stick_slip() -> Figure:
    """Return a slider that a spring drags: where it is and how fast, exact and smooth."""
    slider = qddot.from_dh([{"type": "prismatic", "mass": 1.0}], "standard", gravity=(0, 0, 0))
    rough = slider.with_friction(coulomb=6.0, static=10.0, stribeck_velocity=0.05)

    def hand(t, q, qd):
        return 50 * (0.1 * t - q)

    choices = dict(duration=6.0, torque=hand, every=0.02)
    runs = [qddot.simulate(rough, [0.0], **choices)]
    for rate in (0.01, 0.05):
        runs.append(qddot.simulate(rough, [0.0], friction="smooth", smoothing=rate, **choices))
    drawn = style.figure(8.0, 4.2)
    grid = drawn.subplots(2, 1, sharex=True)
    lines = []
    for axes, values, label in zip(grid, ("q", "qd"), ("x [m]", "ẋ [m/s]"), strict=True):
        style.dress(axes)
        lines = [
            axes.plot(run.t, getattr(run, values)[:, 0], **style.curve(k))[0]
            for k, run in enumerate(runs)
        ]
        axes.set_ylabel(label)
        axes.set_xlim(0, 6)
        for event in runs[0].events:
            axes.axvline(event.t, color=style.QUIET, linewidth=style.THIN, zorder=0)
    ends = np.array([0.0, 6.0])
    lines += grid[0].plot(ends, 0.1 * ends, color=style.QUIET, linestyle="--")
    grid[1].set_xlabel("time [s]", fontsize=style.NORMAL, color=style.INK)
    names = ("exact", "smooth, 0.01 m/s", "smooth, 0.05 m/s", "the hand that pulls")
    style.legend(drawn, list(zip(lines, names, strict=True)), 4, loc="outside upper left")
    return drawn


# effective mass


def mass_path() -> Figure:
    """Return the ellipses of an arm whose tip follows a line."""
    x, y = np.linspace(1.5, -1.0, 6), 0.9
    q2 = np.arccos((x**2 + y**2 - 2) / 2)
    q1 = np.arctan2(y, x) - q2 / 2
    arm = qddot.load("two_link_point")
    return plot.plot_effective_mass(arm, np.column_stack([q1, q2]), "tool")


def mass_ellipsoids() -> Figure:
    """Return the ellipsoids of a Panda along a path."""
    q = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
    other = np.array([1.6, 0.7, 0.0, -1.0, 0.2, 1.9, 0.8])
    path = q + (other - q) * np.linspace(0, 1, 5)[:, None]
    return plot.plot_effective_mass(qddot.load("panda"), path, "tool")


# measured logs


def measured_logs(folder: Path) -> None:
    """Draw what was found of a Stäubli TX40 and of a UR10, from logs that are not ours to give."""

    terms = ("friction", "offset", "rotor_inertia")
    robot = qddot.load(folder / "staubli_tx40" / "tx40_mdh_modified.urdf")
    coupling = np.eye(6)
    coupling[5, 4] = -1
    raw = qddot.load_log(
        {
            "q": folder / "staubli_tx40" / "pos_read_data.csv",
            "tau": folder / "staubli_tx40" / "curr_data.csv",
        },
        robot,
        rate=5000,
        gear=[32, 32, 45, -48, 45, 32],
        coupling=coupling,
        offset=[0, -np.pi / 2, np.pi / 2, 0, 0, 0],
    )
    extra = coupled(robot, "joint_5", "joint_6")
    fit = qddot.identify(robot, prepared(raw), "consistent", terms=terms, extra=extra, decimate=50)
    save_small(plot.plot_torques(fit), "tx40_torques.svg")
    save_small(plot.plot_parameters(fit), "tx40_parameters.svg")
    save_small(plot.plot_spectrum(raw), "tx40_spectrum.svg")
    robot = qddot.load("ur10")
    log = prepared(qddot.load_log(folder / "ur10_bag" / "ur10_exciting_trajectory.db3", robot))
    fit = qddot.identify(robot, log, "consistent", terms=terms, decimate=None)
    save_small(plot.plot_torques(fit), "ur10_torques.svg")
    save_small(plot.plot_residuals(fit), "ur10_residuals.svg")


# control


def control_pictures() -> dict[str, Figure]:
    """Return the figures of laws and references, by file."""
    arm, panda = qddot.load("two_link"), qddot.load("panda")
    home = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.9, 0.5])
    place = panda.pose(home, "tool")[:3, 3]
    go = Quintic([[0, 0], [1, 1]], 2.0)
    start = dict(q0=[0.01, 0], duration=3, every=0.015)
    made = {
        "PD": laws.PD(arm, 10_000, 4_000, go),
        "PD + gravity": laws.PDGravity(arm, 10_000, 4_000, go),
        "feed-forward + PD": laws.FeedForwardPD(arm, 10_000, 4_000, go),
        "computed torque": laws.ComputedTorque(arm, 100, 20, go),
    }
    several = {name: closed_loop(arm, law, **start) for name, law in made.items()}
    gains = dict(lam=5, kd=500, reference=go)
    heavy = arm.with_payload("tool", 10.0)
    made = {
        "Slotine and Li": laws.SlotineLi(arm, **gains),
        "adaptive": laws.AdaptiveSlotineLi(arm, **gains, adaptation=30.0),
        "robust": laws.RobustSaturated(arm, **gains, mass=70, coriolis=40, gravity=300),
    }
    loaded = {name: closed_loop(heavy, law, **start) for name, law in made.items()}
    rest = dict(m1=50, m2=50, I1=10, I2=10, aC1=0.5, aC2=0.5, d1=0, d2=0, g=9.81)
    seen = {}
    for a1, a2 in ((1.0, 1.0), (1.2, 0.8), (0.8, 1.3)):
        wrong = qddot.load("two_link_symbolic").with_values(a1=a1, a2=a2, **rest)
        law = laws.ApproximateJacobian(
            arm, "tool", 300, 150, [1.2, 0.6], approximate=wrong, axes="xy"
        )
        run = closed_loop(arm, law, q0=[0.2, 1.8], duration=40, tolerance=1e-13, every=0.05)
        seen[f"lengths {a1} and {a2}, p = {law.mismatch(run.trajectory.q).max():.3f}"] = run
    spring = laws.CartesianImpedance(panda, "tool", [400, 800, 1600], 100, place, joint_damping=3)
    push = {"tool": [0, 0, 0, 8, -8, 8]}
    pushed = closed_loop(panda, spring, q0=home, duration=6, wrenches=push, every=0.03)
    far = np.array([0.1, 0.2, -0.1])
    line = CartesianLine(panda, "tool", home, end=place + far, duration=1.5, orientation="free")
    tool = laws.OperationalSpace(panda, "tool", 100, 20, line, posture=home)
    straight = closed_loop(panda, tool, q0=home + 0.03, duration=2, every=0.01)
    effort = [3000, 1000]
    fastest = time_optimal(arm, [[0, 0], [1, 0.5], [1.5, 2]], effort=effort)
    return {
        "control_laws.svg": plot.plot_comparison(several),
        "control_adaptive.svg": adaptive_panda(panda, home),
        "control_unknown_load.svg": plot.plot_comparison(loaded),
        "control_impedance.svg": plot.plot_closed_loop(pushed),
        "control_line.svg": plot.plot_closed_loop(straight),
        "control_approximate_jacobian.svg": plot.plot_comparison(seen),
        "control_observer.svg": observer(panda, home),
        "control_fastest.svg": plot.plot_fastest(arm, fastest, effort=effort),
    }


def adaptive_panda(panda: qddot.Robot, home: np.ndarray) -> Figure:
    """Return a Panda under a law that believes its links to be 30 % too heavy or too light."""
    a, b = np.random.default_rng(1).uniform(-0.5, 0.5, (2, 7, 3))
    wave = Fourier(home, a, b, base_frequency=0.5)
    wrong, kd = wrong_model(panda, 0.3), [20, 20, 20, 20, 4, 4, 1]
    Gamma = balanced(wrong, wave, kd, rate=1.0, seconds=2.0)
    law = laws.AdaptiveSlotineLi(wrong, 5, kd, wave, adaptation=Gamma)
    q, qd, _ = (np.asarray(part, dtype=float) for part in wave.at(0.0))
    run = closed_loop(panda, law, q0=q, qd0=qd, duration=10, tolerance=1e-9, every=0.06)
    return plot.plot_closed_loop(run)


def observer(panda: qddot.Robot, home: np.ndarray) -> Figure:
    """Return residuals of a push at the tool, and the torques that it is felt as."""
    stiff = np.array([800, 800, 600, 600, 200, 200, 100.0])
    law = laws.MomentumObserver(laws.PDGravity(panda, stiff, 0.2 * stiff, home), gain=50.0)
    touch = np.array([0, 0, 0, 5.0, 0, -10.0])
    wrenches = {"tool": touch}
    run = closed_loop(panda, law, q0=home, duration=0.5, wrenches=wrenches, every=0.002)
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


# tutorials


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


def measured_and_predicted() -> Figure:
    """Return the torques of three joints of a UR10 with a gripper, and those of what was found."""
    sheet = qddot.load("ur10").locked(WRIST)
    motion = qddot.excite(
        sheet,
        period=10.0,
        terms=("friction",),
        limits={"velocity": 1.5, "acceleration": 4.0},
        starts=1,
        seconds=10,
    )
    bench = sheet.with_payload("tool", 2.0, (0, 0, 0.08), (0.01, 0.01, 0.005))
    bench = bench.with_friction(viscous=[12, 12, 7], coulomb=[9, 9, 5])
    t = np.arange(0, 10, 1 / 500)
    q, qd, qdd = motion.at(t)
    tau = bench.inverse_dynamics(q, qd, qdd)
    tau += np.random.default_rng(3).normal(0, 1.0, tau.shape)
    log = prepared(qddot.Log(sheet.joint_names, t, q, tau=tau))
    fit = qddot.identify(sheet, log, "consistent", terms=("friction",), decimate=10)
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


# sweeps


def sweep_pictures() -> dict[str, Figure]:
    """Return the figures of a sweep over loads that two laws do not know, by file."""
    move = {"kind": "move", "target": [0.5, -0.3, 0.2, -1.8, 0.1, 1.6, 0.8], "duration": 0.8}
    plan = {
        "robot": "panda",
        "duration": 1.0,
        "draws": 300,
        "seed": 1,
        "control": [
            {"name": "PD + gravity", "law": "pd_gravity", "reference": move},
            {"name": "computed torque", "law": "computed_torque", "reference": move},
            {"name": "knows the arm", "law": "computed_torque", "reference": move, "knows": "arm"},
        ],
        "vary": {
            "payload.tool": {"linspace": [0, 3, 7]},
            "scale": {"uniform": [0.9, 1.1]},
            "q0": {"uniform": [-0.2, 0.2], "as": "offset"},
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        found = qddot.sweep(plan, folder, workers=0)
        three = [("control", "==", "computed torque"), ("payload.tool", "in", [0.0, 1.5, 3.0])]
        return {
            "sweeps_payload.svg": found.plot("error.worst", "payload.tool", by="control"),
            "sweeps_torque.svg": found.plot(
                "torque.peak.panda_joint2", by="payload.tool", filter=three
            ),
        }


if __name__ == "__main__":
    save_small(front(), "front.svg")
    (HERE / "show_panda.svg").write_text(terminal_picture("panda"), encoding="utf-8")
    save(three_drops(), "three_drops.svg")
    save(energy(), "energy.svg")
    save(friction_curves(), "friction_curves.svg")
    save(stick_slip(), "stick_slip.svg")
    point, deck, panda = (qddot.load(name) for name in ("two_link_point", "two_link", "panda"))
    folded = [0, np.radians(150)]
    save(plot.plot_effective_mass(point, folded, "tool"), "effective_mass.svg")
    save(mass_path(), "mass_path.svg")
    save(plot.plot_effective_mass_map(point, "tool"), "mass_map.svg")
    save(mass_ellipsoids(), "mass_ellipsoids.svg")
    bounds = (6.23992001, 161.26007999)
    save(plot.plot_eigenvalues(deck, "j2", bounds=bounds), "eigenvalues.svg")
    joints = ("panda_joint2", "panda_joint4")
    save(plot.plot_gravity(panda, joints, "panda_joint2"), "gravity_map.svg")
    if "QDDOT_DATA" in os.environ:
        measured_logs(Path(os.environ["QDDOT_DATA"]))
    else:
        print(
            "QDDOT_DATA does not say where the measured logs are; their pictures stay as they are"
        )
    for name, drawn in control_pictures().items():
        save(drawn, name)
    save(crane(), "tutorial_crane.svg")
    save(three_laws(), "tutorial_control.svg")
    save(measured_and_predicted(), "tutorial_identification.svg")
    save(attraction(), "tutorial_attraction.svg")
    for name, drawn in sweep_pictures().items():
        save_small(drawn, name)
