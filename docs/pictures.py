"""Draw the pictures of the documentation again: `python docs/pictures.py`, or some by name."""

import io
import os
import re
import sys
import tempfile
from pathlib import Path

import control_pictures
import matplotlib
import numpy as np
import tutorial_pictures
from front_picture import front
from matplotlib.figure import Figure
from rich.console import Console
from speed_picture import speed

import qddot
from qddot import plot
from qddot.equations.document import drawn as drawn_arm
from qddot.model import Friction
from qddot.present.figures import style
from qddot.present.figures.arm import arm_axes, box_around, draw_arm
from qddot.present.figures.skeleton import skeleton
from qddot.present.figures.view import view_of
from qddot.present.pages.svg import shortened
from qddot.present.terminal.robots import print_robot
from qddot.readers import read
from qddot.workspace import force_ellipsoid, reachable, velocity_ellipsoid

HERE = Path(__file__).parent
EVERY = 0.04  # [s] between rows: as few as make a smooth curve


def terminal_picture(name: str) -> str:
    """Return what `qddot show` prints, as a picture that needs nothing from the network."""
    console = Console(record=True, width=126, file=io.StringIO(), force_terminal=True)
    print_robot(read(name), console)
    svg = console.export_svg(title=f"qddot show {name}")
    return re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL)


def save(drawn: Figure, name: str, small: bool = False) -> None:
    """Write a figure such that drawing it again gives the same file.

    A small one has its coordinates to a tenth of a point.
    """
    path = HERE / name
    with matplotlib.rc_context({"svg.hashsalt": name, "path.simplify_threshold": 0.3}):
        known = {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
        drawn.savefig(path, metadata=known, dpi=130)
    if small:
        path.write_text(shortened(path.read_text(encoding="utf-8")), encoding="utf-8")


def three_drops() -> Figure:
    """Return q, q̇, q̈ and τ of the deck's arm, let go with three frictions."""
    arm = qddot.load("two_link")
    runs = {
        f"D = {D}": qddot.simulate(
            arm.with_friction(viscous=D), [0, 0], duration=10, every=EVERY, tolerance=1e-9
        )
        for D in (0, 30, 80)
    }
    return plot.panels(runs)


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


def mass_spring_damper() -> Figure:
    """Return the deck's masses, spring and damper at four instants, and the curve of x1."""
    run = qddot.simulate("mass_spring_damper", duration=3.0, every=0.01)
    bones, view = skeleton(run.robot.tree), view_of(run.robot.tree)
    instants = (0.0, 0.25, 0.5, 3.0)
    drawn = style.figure(8.0, 3.0)
    axes, curve = drawn.subplots(1, 2)
    points = [view.seen(bones.points(run.at(t)[0])) for t in instants]
    for k, t in enumerate(instants):
        draw_arm(axes, bones, points[k] + [0.75 * k, 0], strength=1.0, width=0.5)
        axes.text(0.75 * k, 0.22, f"t = {t:g} s", ha="center", fontsize=style.SMALL)
    axes.set_aspect("equal")
    axes.axis("off")
    style.dress(curve)
    curve.plot(run.t, run.q[:, 0], **style.curve(0))
    curve.axhline(2 * 9.81 / 80, color=style.QUIET, linewidth=style.THIN, zorder=0)
    curve.set_xlabel("time [s]")
    curve.set_ylabel("x1 [m]")
    return drawn


def friction_curves() -> Figure:
    """Return four laws of friction, torque over velocity, and what tanh makes of them."""
    dry, stribeck = dict(viscous=2.0, coulomb=1.0), dict(static=1.5, stribeck_velocity=0.05)
    laws = {
        "viscous": Friction(viscous=2.0),
        "Coulomb": Friction(coulomb=1.0),
        "viscous + Coulomb": Friction(**dry),
        "viscous + Coulomb + Stribeck": Friction(**dry, **stribeck),
    }
    return plot.plot_friction(laws, smoothing=0.03)


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


def mass_at_one_place() -> Figure:
    """Return what a folded arm feels like at its tip."""
    return plot.plot_effective_mass(qddot.load("two_link_point"), [0, np.radians(150)], "tool")


def mass_map() -> Figure:
    """Return the same all over the places that the arm reaches."""
    return plot.plot_effective_mass_map(qddot.load("two_link_point"), "tool")


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


def solutions_of_a_pose() -> Figure:
    """Return the eight ways in which a UR5 reaches one pose."""
    arm = qddot.load("ur5")
    X = arm.pose(np.array([0.3, -1.1, 1.4, 0.5, 0.9, -0.7]), "tool")
    bones, found = skeleton(arm.tree), arm.inverse_kinematics_all(X, "tool").q
    points = bones.points(found)
    drawn = style.figure(8.0, 4.2)
    for part, each in zip(drawn.subfigures(2, 4).flat, points, strict=True):
        axes = arm_axes(part, box_around(points), ("x", "y", "z"))
        draw_arm(axes, bones, each, strength=1.0, width=0.5)
        axes.set_axis_off()
    return drawn


def workspace_flat() -> Figure:
    """Return the places that two links reach within limits."""
    box = {"j1": (-1.0, 2.0), "j2": (-2.6, 2.6)}
    return reachable(qddot.load("two_link_point"), "tool", box).plot()


def workspace_panda() -> Figure:
    """Return two slices of the places that a Panda reaches."""
    return reachable(qddot.load("panda"), "tool").plot()


def ellipses_of_velocity() -> Figure:
    """Return the velocities of an arm's tip at four positions."""
    q = [[0.4, 0.3], [0.5, 1.0], [0.6, 1.7], [0.7, 2.4]]
    return velocity_ellipsoid(qddot.load("two_link_point"), q, "tool").plot()


def ellipses_of_force() -> Figure:
    """Return the forces that it can bear there."""
    q = [[0.4, 0.3], [0.5, 1.0], [0.6, 1.7], [0.7, 2.4]]
    return force_ellipsoid(qddot.load("two_link_point"), q, "tool").plot()


def eigenvalues() -> Figure:
    """Return the eigenvalues of the deck's arm, with the deck's bounds."""
    return plot.plot_eigenvalues(qddot.load("two_link"), "j2", bounds=(6.23992001, 161.26007999))


def gravity() -> Figure:
    """Return what gravity asks of the shoulder of a Panda."""
    joints = ("panda_joint2", "panda_joint4")
    return plot.plot_gravity(qddot.load("panda"), joints, "panda_joint2")


def sweeps() -> dict[str, Figure]:
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


def robots() -> Figure:
    """Return built-in arms side by side, each in a pose that shows it."""
    poses = {
        "panda": [0.4, -0.5, 0, -2.1, 0, 1.7, 0.7],
        "ur5": [0.3, -1.2, 1.5, -1.8, -1.5, 0.3],
        "iiwa14": [0.3, 0.6, 0, -1.4, 0, 0.9, 0],
        "scara": [0.4, 0.8, 0.1, 0.2],
        "puma560": [0.4, 0.8, -2.6, 0, 0.6, 0],
        "stanford": [0.5, 1.1, 0.6, 0, 0.5, 0],
    }
    sheet = style.figure(9.0, 5.4)
    for axes, (name, q) in zip(sheet.subplots(2, 3).flat, poses.items(), strict=True):
        (image,) = plot.plot_robot(qddot.load(name), q, size=(450, 380)).axes[0].images
        axes.imshow(image.get_array())
        axes.axis("off")
        axes.set_title(name, fontsize=style.NORMAL, color=style.INK, y=-0.04)
    return sheet


PICTURES = {
    "robots.png": robots,
    "speed.svg": speed,
    "three_drops.svg": three_drops,
    "energy.svg": energy,
    "mass_spring_damper.svg": mass_spring_damper,
    "friction_curves.svg": friction_curves,
    "stick_slip.svg": stick_slip,
    "effective_mass.svg": mass_at_one_place,
    "mass_path.svg": mass_path,
    "mass_map.svg": mass_map,
    "mass_ellipsoids.svg": mass_ellipsoids,
    "inverse_kinematics.svg": solutions_of_a_pose,
    "workspace_flat.svg": workspace_flat,
    "workspace_panda.svg": workspace_panda,
    "velocity_ellipses.svg": ellipses_of_velocity,
    "force_ellipses.svg": ellipses_of_force,
    "eigenvalues.svg": eigenvalues,
    "gravity_map.svg": gravity,
    **control_pictures.PICTURES,
    **tutorial_pictures.PICTURES,
}

DRAWN = (("two_link_symbolic", "craig"), ("stanford", "craig"))  # as derivations begin


def draw_all() -> None:
    """Draw every picture; those of measured logs where these are."""
    save(front(), "front.svg", small=True)
    (HERE / "show_panda.svg").write_text(terminal_picture("panda"), encoding="utf-8")
    for name, letters in DRAWN:
        picture = drawn_arm(qddot.derive(name, notation=letters))
        (HERE / f"drawn_{name}.svg").write_text(picture.on_paper, encoding="utf-8")
    for name, draw in PICTURES.items():
        save(draw(), name)
    several = [sweeps]
    if tutorial_pictures.DATA in os.environ:
        several += [tutorial_pictures.staubli, tutorial_pictures.ur10]
    else:
        where = f"{tutorial_pictures.DATA} does not say where the measured logs are"
        print(f"{where}; their pictures stay as they are")
    for draw in several:
        for name, drawn in draw().items():
            save(drawn, name, small=True)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        save(PICTURES[name](), name)
    if not sys.argv[1:]:
        draw_all()
