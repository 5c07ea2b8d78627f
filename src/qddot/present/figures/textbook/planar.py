"""A planar arm in its plane: rods, hinges, sleeves, angles from one link to the next."""

from __future__ import annotations

import math

import numpy as np

from qddot.equations.dh_table import latex_of
from qddot.formulations.notation import Notation
from qddot.model.tree import BASE
from qddot.present.figures.textbook.pose import floats
from qddot.present.figures.textbook.posed import PosedArm, draw_frames
from qddot.present.figures.textbook.sheet import CENTRE, DASHED, SHAPE, SOLID, Pen, Sheet
from qddot.present.figures.view import unit
from qddot.scalars.expressions import free_symbols

ROD = Pen(0.22, pale=True)
SLIDER = Pen(0.06)
HINGE = 0.12  # [cm] radius
BALL = 0.17  # of a mass in one point
SUPPORT = 0.42  # [cm] from the first hinge to the ground
SLEEVE = (0.34, 0.17)  # [cm] half its length and width
SLEEVE_AT = 0.62  # of the way from the joint to the body that slides
AXIS = 0.75  # [cm] of a frame
ARC, BEYOND = 0.6, 1.2  # [cm] radius of an angle; length of the line from which it counts
BESIDE, FARTHER = 0.42, 0.85  # [cm] from a link to the lengths beside it
SHORT = 0.35  # [cm] a length that has no room for its name
ACROSS = 0.3  # of a direction that is not in the plane


def draw_planar(arm: PosedArm, sheet: Sheet, n: Notation) -> None:
    """Draw the arm: links, base, angles, frames, joints, masses, lengths."""
    links(arm, sheet)
    base(arm, sheet)
    angles(arm, sheet, n)
    draw_frames(arm, sheet, "xyz", AXIS)
    for i, body in enumerate(arm.tree.bodies):
        if body.turns:
            sheet.disc(arm.at(arm.origins[i]), HINGE)
    masses(arm, sheet)
    lengths(arm, sheet, n)


def links(arm: PosedArm, sheet: Sheet) -> None:
    for leg in arm.legs:
        if np.linalg.norm(arm.seen(leg.end - leg.start)) * arm.scale > 1e-3:
            sheet.path(arm.at(leg.start), arm.at(leg.end), pen=ROD)
    for i in arm.heavy:
        carries = [leg.body for leg in arm.legs]
        carries += [body.parent for body in arm.tree.bodies if not body.turns]
        if i not in carries:  # all that it has is its mass
            sheet.path(arm.at(floats(arm.poses[i].p)), arm.at(arm.centre(i)), pen=ROD)
    for i, body in enumerate(arm.tree.bodies):
        if body.turns:
            continue
        start, end = arm.at(arm.origins[i]), arm.at(floats(arm.poses[i].p))
        along = unit(arm.seen(arm.axis(i)))
        middle = start + SLEEVE_AT * (end - start)
        sheet.path(start, middle, pen=ROD)
        sheet.path(middle - 0.8 * along, end, pen=SLIDER)
        box(sheet, middle, along)


def box(sheet: Sheet, middle: np.ndarray, along: np.ndarray) -> None:
    a, b = SLEEVE[0] * along, SLEEVE[1] * np.array([-along[1], along[0]])
    corners = (middle + a + b, middle + a - b, middle - a - b, middle - a + b)
    sheet.path(*corners, closed=True, pen=SHAPE)


def base(arm: PosedArm, sheet: Sheet) -> None:
    """Draw the ground that first joints stand on, or hang from."""
    for i, body in enumerate(arm.tree.bodies):
        if body.parent != BASE:
            continue
        at = arm.at(arm.origins[i])
        if not body.turns:
            sheet.ground(at, -unit(arm.seen(arm.axis(i))), 0.5)
            continue
        side = free_side(arm, i)
        foot = at + SUPPORT * side
        aside = 0.26 * np.array([-side[1], side[0]])
        sheet.path(at, foot + aside, foot - aside, closed=True, pen=SHAPE)
        sheet.ground(foot, side, 0.5)


def free_side(arm: PosedArm, i: int) -> np.ndarray:
    """Return where there is most room around a joint: below, above, to the left or to the right."""
    taken = [link_direction(arm, i), link_direction(arm, i, before=True)]
    for name in (arm.model.links[0].name, arm.frames[i]):
        if math.dist(arm.at(floats(arm.frame(name).p)), arm.at(arm.origins[i])) < AXIS:
            taken += [x for x in map(arm.seen, floats(arm.frame(name).R).T) if x @ x > ACROSS]
    sides = [np.array(side, dtype=float) for side in ((0, -1), (0, 1), (-1, 0), (1, 0))]
    return min(sides, key=lambda side: round(max(float(side @ x) for x in taken), 3))


def link_direction(arm: PosedArm, i: int, before: bool = False) -> np.ndarray:
    """Return where link i leads from its joint, on paper; with `before`, while its q is 0."""
    start = floats(arm.poses[i].p)
    ways = [leg.end - start for leg in arm.legs if leg.body == i]
    children = [k for k, child in enumerate(arm.tree.bodies) if child.parent == i]
    ways += [arm.axis(k) for k in children if not arm.tree.bodies[k].turns]
    ways += [arm.centre(i) - start] if i in arm.heavy else []
    ways += list(floats(arm.frame(arm.frames[i]).R).T)
    found = next(w for w in map(arm.seen, ways) if np.linalg.norm(w) * arm.scale > 1e-3)
    return turned(unit(found), -arm_angle(arm, i)) if before else unit(found)


def arm_angle(arm: PosedArm, i: int) -> float:
    """Return by how much joint i is turned, counterclockwise on paper."""
    drive = arm.tree.drives[i]
    angle = float(drive.ratio) * arm.q[drive.index] + float(drive.offset)
    return math.copysign(1, arm.axis(i) @ arm.out) * angle


def turned(x: np.ndarray, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])


def angles(arm: PosedArm, sheet: Sheet, n: Notation) -> None:
    """Draw every angle from where its link is at zero to where it is now."""
    for i, body in enumerate(arm.tree.bodies):
        if not body.turns or not arm.tree.drives[i].own:
            continue
        at, first, by = arm.at(arm.origins[i]), link_direction(arm, i, True), arm_angle(arm, i)
        sheet.path(at, at + BEYOND * first, pen=DASHED)
        start = math.atan2(first[1], first[0])
        sheet.arc(at, ARC, start, start + by, arrow="end" if abs(by) > ACROSS else "")
        middle = turned(first, by / 2)
        sheet.label(at + ARC * middle, n.q(arm.tree.drives[i].index), middle)


def masses(arm: PosedArm, sheet: Sheet) -> None:
    for i in arm.heavy:
        at, latex = arm.at(arm.centre(i)), mass_latex(arm, i)
        point = not any(any(link.inertial.inertia) for link in arm.massive(i))
        if point:
            sheet.disc(at, BALL, SOLID)
        else:
            sheet.centre_of_mass(at)
        aside = turned(link_direction(arm, i), math.pi / 2)
        sheet.label(at, latex, aside, BALL if point else CENTRE)


def mass_latex(arm: PosedArm, i: int) -> str:
    """Return the mass of a body and its inertia across the plane, if it has a name of its own."""
    latex, parts = arm.mass(i), arm.massive(i)
    if len(parts) != 1:
        return latex
    (link,) = parts
    across = int(np.abs(arm.out @ floats(arm.frame(link.name).R)).argmax())
    inertia = link.inertial.inertia[(0, 3, 5)[across]]
    named = len(free_symbols(inertia)) == 1 and str(inertia) in free_symbols(inertia)
    return rf"{latex},\ {latex_of(inertia)}" if named else latex


def lengths(arm: PosedArm, sheet: Sheet, n: Notation) -> None:
    """Draw how long links are, how far their centres of mass are out, how far joints have slid."""
    for i in arm.heavy:
        at_end = any(np.allclose(leg.end, arm.centre(i)) for leg in arm.legs)
        parts = arm.massive(i)
        away = [x for x in parts[0].inertial.com if abs(arm.number(x)) > 1e-9] if parts else []
        if len(parts) == 1 and len(away) == 1 and not at_end:
            start = arm.at(floats(arm.frame(parts[0].name).p))
            beside(sheet, start, arm.at(arm.centre(i)), BESIDE, arm.size(away[0]))
    for leg in arm.legs:
        beside(sheet, arm.at(leg.start), arm.at(leg.end), FARTHER, leg.latex)
    for i, body in enumerate(arm.tree.bodies):
        drive = arm.tree.drives[i]
        if not body.turns and drive.own:
            start, end = arm.at(arm.origins[i]), arm.at(floats(arm.poses[i].p))
            beside(sheet, start, end, FARTHER, n.q(drive.index), "end")


def beside(
    sheet: Sheet, start: np.ndarray, end: np.ndarray, far: float, latex: str, arrow: str = "both"
) -> None:
    """Draw a length on the side of a line where less is drawn."""
    if math.dist(start, end) < SHORT:
        return
    along = unit(end - start)
    aside = far * np.array([along[1], -along[0]])
    if sheet.crossed(start + aside, end + aside) > sheet.crossed(start - aside, end - aside):
        aside = -aside
    sheet.dimension(start, end, aside, latex, arrow)
