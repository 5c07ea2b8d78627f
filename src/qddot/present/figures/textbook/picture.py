"""The picture at the head of a derivation.

Bodies that slide along one line are drawn here: boxes, with springs and dampers between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from qddot.equations.document import Picture
from qddot.equations.exact_tree import ExactRobot
from qddot.errors import BadArgument
from qddot.formulations.notation import Notation
from qddot.formulations.plain_formula import plain
from qddot.model.tree import BASE
from qddot.present.figures.springs import BetweenPoint, dashpot, zigzag
from qddot.present.figures.textbook.output import svg, tikz
from qddot.present.figures.textbook.planar import draw_planar
from qddot.present.figures.textbook.pose import floats
from qddot.present.figures.textbook.posed import PosedArm, posed
from qddot.present.figures.textbook.sheet import (
    DASHED,
    FONT,
    LINE,
    SHAPE,
    SMALL_FONT,
    THIN,
    FormulaLabel,
    Pen,
    Sheet,
    Stroke,
)
from qddot.present.figures.textbook.spatial import draw_spatial
from qddot.present.figures.view import unit
from qddot.scalars import Scalar

MOST_BODIES = 24
FEW = 4  # joints of a spatial arm, whose labels may be large
DOWN = 0.9  # [cm] the arrow of gravity


def picture(robot: ExactRobot, notation: Notation, frames: Sequence[str]) -> Picture | None:
    """Return a robot as textbooks draw it, with these frames, one on each link that moves.

    Returns:
        The picture; None of a robot with more links than can be told apart, or with a length that
        is no number where its symbols are 1.
    """
    if not 0 < len(robot.tree.bodies) <= MOST_BODIES:
        return None
    try:
        arm = posed(robot, frames)
    except (ArithmeticError, ValueError, BadArgument):
        return None
    if not np.isfinite(arm.skeleton).all():
        return None
    strokes = drawing(arm, notation)
    return Picture(svg(strokes), tikz(strokes), caption(arm, notation))


def drawing(arm: PosedArm, notation: Notation) -> list[Stroke]:
    """Return the strokes and labels of an arm."""
    sheet = Sheet(FONT if arm.flat or arm.tree.n <= FEW else SMALL_FONT)
    if on_one_line(arm):
        draw_masses(arm, sheet, notation)
    elif arm.flat:
        draw_planar(arm, sheet, notation)
    else:
        draw_spatial(arm, sheet, notation)
    pull = floats(arm.tree.gravity)
    if pull.any():
        down = arm.seen(pull / np.linalg.norm(pull))
        sheet.gravity(DOWN * down if np.linalg.norm(down) > 0.5 else None, notation.gravity)
    return sheet.finished()


def caption(arm: PosedArm, n: Notation) -> str:
    """Return the words under the picture: what is seen, and in which pose."""
    if on_one_line(arm):
        return "The bodies on their line: masses, springs, dampers, coordinates."
    symbols = bool(arm.model.symbols)
    values = [
        f"{math.degrees(x):.3g}°" if turns else f"{x:.3g} m"
        for x, turns in zip(arm.q, n.turns, strict=True)
    ]
    if len(values) > FEW:
        pose = f"({', '.join(values)})"
    else:
        pose = ", ".join(
            f"{plain(n.q(i))} = {value}"
            for i, value in enumerate(values)
            if n.turns[i] or not symbols
        )
    what = "frames, lengths and centres of mass" + ("" if arm.flat or symbols else ", in metres")
    equal = " Lengths without a value are drawn equal." if symbols else ""
    return f"The arm{' at ' * bool(pose)}{pose}: {what}.{equal}".replace("-", "−")


HALF_LONG, HALF_WIDE = 0.42, 0.8  # [cm] of a box, along the line and across it
BETWEEN = 1.45  # [cm] from box to box
WHEEL = 0.07  # [cm] radius
ASIDE = 0.42  # [cm] from the middle to a spring, and to a damper
COIL = 0.13  # [cm] half the width of a spring
CUP = 0.15  # [cm] half a damper's cup
ARROWS = 0.5  # [cm] between the arrows of two coordinates


def on_one_line(arm: PosedArm) -> bool:
    """Return whether all bodies slide along one line."""
    bodies = arm.tree.bodies
    if any(b.turns for b in bodies) or not all(d.own and d.plain for d in arm.tree.drives):
        return False
    first = arm.axis(0)
    beside = [origin - first * (first @ origin) for origin in arm.origins]
    parallel = all(abs(first @ arm.axis(i)) > 1 - 1e-6 for i in range(len(bodies)))
    return parallel and np.ptp(beside, axis=0).max() < 1e-6


def draw_masses(arm: PosedArm, sheet: Sheet, n: Notation) -> None:
    """Draw the bodies one behind the other, from the base on."""
    along = unit(arm.seen(arm.axis(0)))
    aside = np.array([-along[1], along[0]])
    count = len(arm.tree.bodies)
    at = [(HALF_LONG + BETWEEN + k * (2 * HALF_LONG + BETWEEN)) * along for k in range(count)]
    rail(sheet, along, -(HALF_WIDE + 2 * WHEEL) * aside, at)
    outside = HALF_WIDE
    for first, second, *latex in links_between(arm):
        outside = max(outside, ASIDE + CUP + 2 * FormulaLabel(along, latex[1]).half[0])
        start = np.zeros(2) if first == BASE else at[first] + HALF_LONG * along
        if first == BASE:
            sheet.ground(start, -along, HALF_WIDE)
        spring_and_damper(sheet, start, at[second] - HALF_LONG * along, aside, *latex)
    for k, middle in enumerate(at):
        a, b = HALF_LONG * along, HALF_WIDE * aside
        corners = (middle + a + b, middle + a - b, middle - a - b, middle - a + b)
        sheet.path(*corners, pen=SHAPE, closed=True)
        sheet.text(middle, arm.mass(k))
    for k, middle in enumerate(at):
        level = (outside + 0.35 + ARROWS * k) * aside
        parent = arm.tree.bodies[k].parent
        start = np.zeros(2) if parent == BASE else at[parent]
        sheet.path(middle + HALF_WIDE * aside, middle + level + 0.12 * aside, pen=THIN)
        sheet.path(start + level, middle + level, arrow="end")
        sheet.label((start + middle) / 2 + level, n.q(k), aside)
    sheet.path(HALF_WIDE * -aside, (outside + ARROWS * count) * aside, pen=DASHED)


def rail(sheet: Sheet, along: np.ndarray, foot: np.ndarray, at: list[np.ndarray]) -> None:
    """Draw what the boxes slide on, and their wheels."""
    end = at[-1] + (HALF_LONG + 0.3) * along
    sheet.ground(foot + end / 2, unit(foot), float(np.linalg.norm(end)) / 2)
    for middle in at:
        for step in (-0.6, 0.6):
            sheet.disc(middle + step * HALF_LONG * along + foot - WHEEL * unit(foot), WHEEL)


def links_between(arm: PosedArm) -> Iterator[tuple[int, int, str, str]]:
    """Yield two bodies, or the base and one, with the stiffness and the damping between them."""
    bodies = {body.name: i for i, body in enumerate(arm.tree.bodies)}
    found: list[tuple[int, int, Scalar, Scalar]] = []
    for name, i in bodies.items():
        joint = arm.model.joint(name)
        viscous = joint.friction.viscous
        found.append((arm.tree.bodies[i].parent, i, joint.spring.stiffness, viscous))
    for coupling in arm.model.couplings:
        if len(coupling.joints) == 2 and bodies.keys() >= set(coupling.joints):
            near, far = sorted(bodies[name] for name in coupling.joints)
            found.append((near, far, coupling.stiffness, coupling.damping))
    for first, second, k, d in found:
        if k or d:
            stiffness = arm.size(k, "N/m") if k else ""
            yield first, second, stiffness, arm.size(d, r"N\,s/m") if d else ""


def spring_and_damper(
    sheet: Sheet,
    start: np.ndarray,
    end: np.ndarray,
    aside: np.ndarray,
    stiffness: str,
    damping: str,
) -> None:
    """Draw them side by side, or in the middle where there is one of the two."""
    far = ASIDE if stiffness and damping else 0.0
    way = end - start
    lines: list[tuple[list[BetweenPoint], Pen]] = []
    if stiffness:
        lines.append((zigzag(-far, COIL), LINE))
        sheet.label((start + end) / 2 - (far + COIL) * aside, stiffness, -aside)
    if damping:
        lines += zip(dashpot(far, CUP), (LINE, Pen(0.05), LINE, LINE), strict=True)
        sheet.label((start + end) / 2 + (far + CUP) * aside, damping, aside)
    for line, pen in lines:
        sheet.path(*(start + s * way + d * unit(way) + x * aside for s, d, x in line), pen=pen)
