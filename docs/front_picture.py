"""The picture of the front page: an arm that moves, and beside it its equations.

Nothing in it is written by hand but the captions: the arm is drawn as `qddot draw` draws it, the
formulas are those that `qddot.derive` gives, and a tick stands where `qddot.prove` found a proof.
The index of a variable has the colour of its joint.
"""

import re
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

import qddot
from qddot.equations.latex import as_latex
from qddot.motions import Quintic
from qddot.present.figures import style
from qddot.present.figures.arm_scene import arm_scene
from qddot.present.figures.eye import eye_on
from qddot.present.figures.renderer import FINE, render, triangles_of

WIDTH, HEIGHT = 10.6, 4.7  # [inch]
PAPER, EDGE, INK, QUIET = "#fcfdfe", "#dfe5ea", "#1c2128", "#57606a"
TRACE = 30  # pieces of the path of the tip
SIZE, LOOK = (620, 650), {"azimuth": -1.15, "elevation": 0.2}  # [px]; [rad]

START = np.array([-0.2, -2.75, 0.9, 0.2, -1.57, 0.0])
END = np.array([0.25, -1.15, 1.0, -1.5, -1.0, 0.6])
GHOSTS = (0.0, 0.38, 0.55)  # of the time
SMALL = 9.4  # [pt], letters of captions
PROVED = {  # what is said, and of which claims it is true
    "eight derivations agree": "give the same M, c and g",
    "Ṁ − 2C is skew": "Ṁ − 2C is skew for C = ½(Ṁ + Uᵀ − U), Christoffel's",
    "g = ∂P/∂q": "g and the springs are the slope of P",
}
TEX = FontProperties(math_fontfamily="cm")
WORDS, CODE = FontProperties(), FontProperties(family=["monospace"])
TERM = re.compile(r"([cs])_\{(\d+)\}(?:\^\{(\d)\})?")
TOKEN = re.compile(r"[cs]_\{\d+\}(?:\^\{\d\})?|[A-Z]_\{\d+\}|[\d.]+|\S")
SIGNS, OPENING = ("+", "-", "="), ("(", "=")  # what stands between terms, and what begins them


def front(name: str = "ur5") -> Figure:
    """Return the picture for a built-in robot with at least four joints."""
    robot = qddot.load(name)
    drawn = Figure(figsize=(WIDTH, HEIGHT), facecolor="none")
    card(drawn)
    arm = drawn.add_axes((0.015, 0.03, 0.40, 0.94))
    draw_motion(arm, robot)
    page = drawn.add_axes((0.42, 0.0, 0.58, 1.0))
    page.set_xlim(0, 0.58 * WIDTH * 72)
    page.set_ylim(0, HEIGHT * 72)
    page.axis("off")
    write_equations(page, robot)
    return drawn


def card(drawn: Figure) -> None:
    """Draw the paper, so that the picture can be read on any ground."""
    sheet = drawn.add_axes((0, 0, 1, 1))
    sheet.axis("off")
    sheet.set_xlim(0, WIDTH)
    sheet.set_ylim(0, HEIGHT)
    rim = 0.015
    box = FancyBboxPatch(
        (rim, rim),
        WIDTH - 2 * rim,
        HEIGHT - 2 * rim,
        boxstyle="round,pad=0,rounding_size=0.16",
        facecolor=PAPER,
        edgecolor=EDGE,
    )
    sheet.add_patch(box)


def draw_motion(axes: Axes, robot: qddot.Robot) -> None:
    """Draw where the arm has been, the path of its tip, and where it is."""
    scene, motion = arm_scene(robot), Quintic([START, END], 1.0)
    poses = [scene.poses(motion.at(t)[0]) for t in (*GHOSTS, 1.0)]
    shown = [triangles_of(scene.surfaces, at) for at in poses]
    everywhere = np.concatenate([triangles.points for triangles in shown])
    eye = eye_on(np.array(scene.stage["up"], dtype=float), everywhere, SIZE, LOOK)
    paper = np.array(to_rgb(PAPER))
    behind = np.ones((SIZE[1], SIZE[0], 3)) * paper
    for k, ghost in enumerate(shown[:-1]):
        behind *= 1 - (0.12 + 0.09 * k) * (1 - render(eye, ghost) / 255)
    fine = behind.repeat(FINE, axis=0).repeat(FINE, axis=1).astype(np.float32)
    picture = render(eye, shown[-1], background=fine)
    axes.axis("off")
    axes.set(xlim=(0, SIZE[0]), ylim=(SIZE[1], 0))
    axes.imshow(picture, extent=(0, SIZE[0], SIZE[1], 0), interpolation="none")
    times = np.linspace(0, 1, TRACE + 1)
    path = eye.seen(np.array([robot.pose(motion.at(t)[0], robot.tip)[:3, 3] for t in times]))
    for k in range(TRACE):
        shade = mixed(PAPER, style.colour(0), 0.2 + 0.65 * k / TRACE)
        piece = path[k : k + 2, :2].T
        axes.plot(*piece, color=shade, linewidth=1.8, zorder=2, solid_capstyle="round")


def mixed(colour: str, other: str, share: float) -> tuple[float, ...]:
    """Return a colour with a share of another one."""
    a, b = (np.array(to_rgb(each)) for each in (colour, other))
    return tuple(a + (b - a) * share)


def write_equations(axes: Axes, robot: qddot.Robot) -> None:
    """Write the equation of motion, two of its parts as they are for this arm, and the proofs."""
    eqs, proof = qddot.derive(robot), qddot.prove(robot)
    top, left = HEIGHT * 72, 14.0
    general = r"$\tau \,=\, M(q)\,\ddot{q} \,+\, C(q, \dot{q})\,\dot{q} \,+\, g(q)$"
    write(axes, general, left, top - 58, 21)
    caption(
        axes, f'robot = qddot.load("{robot.name}"); eqs = qddot.derive(robot)', left, top - 85, CODE
    )
    caption(axes, "its gravity torques [N·m], in closed form", left, top - 118)
    rows = [entry_latex(eqs, "g", k) for k in range(robot.n)]
    high, step, indent = top - 129, 20.0, left + 36
    low = high - step * len(rows)
    write(axes, r"$g \,=$", left, (high + low) / 2 - 4, 14)
    ends = [
        typeset(axes, row, indent + 10, high - 14.5 - step * k, 13) for k, row in enumerate(rows)
    ]
    bracket(axes, indent, high, low, 1)
    bracket(axes, max(ends) + 8, high, low, -1)
    caption(axes, f"one of the {robot.n**2} entries of its mass matrix [kg·m²]", left, 66)
    typeset(axes, "M_{44} = " + entry_latex(eqs, "M", 3, 3), left, 44, 13)
    x = caption(axes, "qddot.prove(robot)", left, 15, CODE) + 14
    for words, statement in PROVED.items():
        found = [claim for claim in proof.claims if statement in claim.statement]
        if found and all(claim.holds for claim in found):
            x = tick(axes, words, x, 15)


def entry_latex(eqs: Any, which: str, *place: int) -> str:
    # parentheses of one size, so that a line can be cut anywhere
    return re.sub(r"\\(?:left|right)", "", as_latex(getattr(eqs, which)[place]))


def typeset(axes: Axes, latex: str, x: float, y: float, size: float) -> float:
    """Write a line of terms, the indices of angles in the colours of their joints."""
    before = "("
    for token in TOKEN.findall(latex):
        found = TERM.fullmatch(token)
        between = token in SIGNS and before not in OPENING
        x += size * (0.3 if between else 0.16 if found and before[-1].isdigit() else 0.0)
        x = angle(axes, found, x, y, size) if found else write(axes, f"${{{token}}}$", x, y, size)
        x += size * (0.3 if between else 0.08)
        before = token
    return x


def angle(axes: Axes, found: re.Match[str], x: float, y: float, size: float) -> float:
    """Write a sine or a cosine: its letter, its joints below, its power above."""
    x = write(axes, f"${found[1]}$", x, y, size) + 0.05 * size
    end = x
    for digit in found[2]:
        shade = mixed(style.colour(int(digit) - 1), "#000000", 0.22)
        end = write(axes, f"${digit}$", end, y - 0.24 * size, 0.74 * size, shade) + 0.06 * size
    power = write(axes, f"${found[3]}$", x, y + 0.38 * size, 0.68 * size) if found[3] else x
    return max(end, power + 0.06 * size)


def write(axes: Axes, text: str, x: float, y: float, size: float, colour: str = INK) -> float:
    """Write a formula and return where it ends."""
    placed(axes, text, x, y, size, TEX, colour)
    return x + width(text, size, TEX)


def caption(axes: Axes, text: str, x: float, y: float, font: FontProperties = WORDS) -> float:
    placed(axes, text, x, y, SMALL, font, QUIET)
    return x + width(text, SMALL, font)


def tick(axes: Axes, text: str, x: float, y: float) -> float:
    """Write what was proved, after a tick."""
    check = Path([(0, 3.2), (2.8, 0.2), (8.2, 7.4)])
    patch = PathPatch(
        check, fill=False, edgecolor="#11784a", linewidth=1.8, capstyle="round", joinstyle="round"
    )
    patch.set_transform(Affine2D().translate(x, y) + axes.transData)
    axes.add_patch(patch)
    return caption(axes, text, x + 13, y) + 18


def bracket(axes: Axes, x: float, top: float, bottom: float, way: int) -> None:
    axes.plot(
        [x + 4 * way, x, x, x + 4 * way], [top, top, bottom, bottom], color=INK, linewidth=1.0
    )


def placed(
    axes: Axes, text: str, x: float, y: float, size: float, font: FontProperties, colour: str
) -> None:
    """Put text such that its first point of ink, not its box, is at x."""
    inked = TextPath((0, 0), text, size=size, prop=font).get_extents()
    font = font.copy()
    font.set_size(size)
    axes.text(x - float(inked.x0), y, text, fontproperties=font, color=colour, va="baseline")


def width(text: str, size: float, font: FontProperties) -> float:
    return float(TextPath((0, 0), text, size=size, prop=font).get_extents().width)
