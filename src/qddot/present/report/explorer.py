"""The part of the page that moves: the arm, sliders for its joints, and its numbers beside it.

Only what stands still is written here. The numbers are computed in the reader's browser, by the
programs that are compiled for this robot elsewhere, lowered to JavaScript; the page's scripts do
what `ArmScene` does with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from qddot.backends.javascript import javascript
from qddot.model.units import unit_of
from qddot.present.figures.arm_scene import ArmScene, arm_scene
from qddot.present.pages.moving_arm import kernels_script, scene_facts
from qddot.present.pages.page import folded, paragraph, text
from qddot.present.report import entries
from qddot.program.program import Program
from qddot.robot import Robot

MOST_OPERATIONS = 40_000  # of all programs together: about a megabyte of JavaScript
FAST = {True: np.pi, False: 0.5}  # [rad/s], [m/s], where its rate has none
QUANTITIES = (
    *("mass_matrix", "gravity_torque", "potential_energy", "kinetic_energy"),
    *("friction_torque", "velocity_torque"),
)
PANEL = "equation-live"
MOST_COLUMNS = 20  # joints whose matrices are shown as tables
VECTORS = {
    "gravity_torque": ("g", "gravity torque"),
    "velocity_torque": ("c", "velocity torque"),
    "friction_torque": ("f", "friction torque"),
}


def explorer(robot: Robot, live: Live) -> str:
    """Return the arm with its sliders and its numbers."""
    return (
        '<div class="explorer" id="explorer">'
        f'<div class="stage">{stage(robot, live)}</div>'
        f'<div class="sliders">{sliders(robot)}</div>'
        f'<div class="numbers">{numbers(robot, live)}</div>'
        "</div>"
        "<noscript><p>The arm and the sliders move where JavaScript is allowed; the page asks "
        "nobody for anything.</p></noscript>"
    )


def stage(robot: Robot, live: Live) -> str:
    """Return the picture of the arm, and what can be done with it."""
    name = text(robot.name)
    boxes = [
        _box("show-bodies", "inertia of the bodies", False),
        _box("show-torques", "gravity torques", False),
    ]
    if "mobility" in live.kernels:
        boxes.append(_box("show-mass", "effective mass of the tip", False))
    return (
        f'<canvas id="arm" class="arm" aria-label="{name} in three dimensions; drag or use the '
        'arrow keys to look at it from elsewhere" role="img" tabindex="0"></canvas>'
        '<div class="tools"><button type="button" id="reset" title="Back to where it stood at '
        f'first">Back</button><span class="choices">{"".join(boxes)}</span></div>'
        '<p class="status" id="slider-status" role="status"></p>'
        + (paragraph(live.missing, "quiet") if live.missing else "")
    )


def sliders(robot: Robot) -> str:
    """Return a slider a joint for positions, and another for rates."""
    limits, joints, positions, rates = robot.limits, robot.model.free_joints, "", ""
    low, high = (end.tolist() for end in limits.span())
    for i, (joint, start) in enumerate(zip(joints, robot.home.tolist(), strict=True)):
        unit, fast = joint.units.position, float(limits.velocity[i])
        fast = fast if 0 < fast < np.inf else FAST[joint.turns]
        positions += slider("q", i, joint.name, unit, low[i], high[i], start)
        rates += slider("qd", i, joint.name, f"{unit}/s", -fast, fast, 0.0)
    switch = angles() if any(joint.turns for joint in joints) else ""
    return (
        f'<fieldset><legend>Positions of the joints</legend>{switch}<div class="rows">'
        f"{positions}</div></fieldset>"
        + folded("Rates of the joints", f'<div class="rows">{rates}</div>', kind="long")
    )


def angles() -> str:
    """Return the switch between radians and degrees."""
    units = {"rad": "rad", "deg": "degrees"}
    choices = [
        f'<label><input type="radio" name="angles" value="{key}"{" checked" * (key == "rad")}>'
        f"{words}</label>"
        for key, words in units.items()
    ]
    return f'<div class="angles" role="group" aria-label="Angles in">{"".join(choices)}</div>'


def slider(kind: str, i: int, name: str, unit: str, low: float, high: float, start: float) -> str:
    """Return one slider with its name and a field for its value.

    Any value within its ends can be set: a grid from `low` on would not hold 0.
    """
    key = f"{kind}-{i}"
    letter = {"q": "q", "qd": "q̇"}[kind]
    words = f"{'Position' if kind == 'q' else 'Rate'} of {text(name)}, {escape(unit)}"
    start = min(max(start, low), high)
    return (
        f'<div class="slider"><label for="{key}"><span class="symbol">{letter}'
        f"{str(i + 1).translate(entries.SUBSCRIPTS)}</span> "
        f'<span class="name" title="{text(name)}">{text(name)}</span></label>'
        f'<input type="range" id="{key}" data-kind="{kind}" data-index="{i}" '
        f'data-unit="{escape(unit)}" min="{low!r}" max="{high!r}" step="any" value="{start!r}">'
        f'<input type="number" id="{key}-number" step="0.01" value="{start:.3f}" '
        f'aria-label="{words}"><span class="unit">{escape(unit)}</span></div>'
    )


def numbers(robot: Robot, live: Live) -> str:
    """Return the places of the numbers: M, what M is like, torques, energies."""
    n, known = robot.n, live.kernels
    parts, small = [], n <= MOST_COLUMNS
    inertia = unit_of(robot.model.free_joints, "inertia")
    if "mass_matrix" in known and small:
        words = f"Mass matrix M [{inertia}]; choose an entry to see its equation"
        parts.append(matrix(n, "M", words))
    parts += [measures(live, inertia), entries.panel(PANEL), vectors(robot, live)]
    if not small:
        parts.append(paragraph(f"Matrices of more than {MOST_COLUMNS} columns are not shown."))
    elif "coriolis_matrix" in known:
        inside = matrix(n, "C", f"Coriolis matrix C [{inertia} per s] at these rates")
        parts.append(folded("The Coriolis matrix C", inside, kind="coriolis long"))
    return "".join(parts)


def measures(live: Live, inertia: str) -> str:
    """Return what M is like, and the energies."""
    names = {
        "eigenvalues": ("mass_matrix", f"eigenvalues of M [{inertia}]"),
        "condition": ("mass_matrix", "largest / smallest"),
        "kinetic": ("kinetic_energy", "kinetic energy"),
        "potential": ("potential_energy", "potential energy"),
        "masses": ("mobility", "tip feels like"),
    }
    rows = [
        f'<div><dt>{text(words)}</dt><dd id="{key}">–</dd></div>'
        for key, (kernel, words) in names.items()
        if kernel in live.kernels
    ]
    return f'<dl class="facts live-facts">{"".join(rows)}</dl>'


def matrix(n: int, name: str, caption: str) -> str:
    """Return a matrix of buttons that hold its numbers."""
    rows = [[cell(name, (i, j), n) for j in range(n)] for i in range(n)]
    return entries.matrix(rows, [str(i + 1) for i in range(n)], caption)


def cell(name: str, place: tuple[int, ...], n: int) -> str:
    plain = entries.symbol(name, place, n)[0]
    return entries.button(name, place, "–", f"{plain}: show its equation", PANEL)


def vectors(robot: Robot, live: Live) -> str:
    """Return the torques of each joint as a table."""
    shown = {key: names for key, names in VECTORS.items() if key in live.kernels}
    rows = [[cell(letter, (i,), robot.n) for i in range(robot.n)] for letter, _ in shown.values()]
    head = [str(i + 1) for i in range(robot.n)]
    caption = f"Torques of the joints [{unit_of(robot.model.free_joints, 'effort')}]"
    words = [f"{letter}, {word.split()[0]}" for letter, word in shown.values()]
    return entries.matrix(rows, head, caption, rows_are=words)


def _box(key: str, words: str, checked: bool) -> str:
    on: Any = " checked" if checked else ""
    return f'<label><input type="checkbox" id="{key}"{on}> {text(words)}</label>'


@dataclass(frozen=True)
class Live:
    """A robot that a page computes with."""

    script: str  # defines KERNELS: functions by the names of quantities
    data: dict[str, Any]  # what the page's scripts find
    kernels: tuple[str, ...]
    missing: str = ""  # what of the robot's looks could not be shown


def live_of(robot: Robot) -> Live:
    """Return a robot, whose parameters are numbers, as JavaScript.

    It has as many of its kernels as a page bears.
    """
    scene = arm_scene(robot)
    functions, room = {}, MOST_OPERATIONS
    for name, program in programs(robot, scene):
        room -= len(program)
        if room < 0:
            break
        functions[name] = javascript(program)
    data = {"home": robot.home.tolist(), "scene": scene_facts(scene)}
    return Live(kernels_script(functions), data, tuple(functions), scene.surfaces.missing)


def programs(robot: Robot, scene: ArmScene) -> Iterator[tuple[str, Program]]:
    """Yield the programs of a page, those that it needs most first."""
    yield "points", scene.skeleton.kernel.program
    yield "poses", scene.poses.program
    for quantity in QUANTITIES:
        yield quantity, robot.program(quantity)
    yield "tip_pose", robot.program("pose", frame=robot.tip)
    yield "mobility", robot.program("inverse_effective_mass", frame=robot.tip, axes="linear")
    yield "coriolis_matrix", robot.program("coriolis_matrix")
