"""A spatial arm seen from a corner: cylinders that turn, boxes that slide, the axes of frames."""

from __future__ import annotations

import math

import numpy as np

from qddot.formulations.notation import Notation
from qddot.model.tree import BASE
from qddot.present.figures.textbook.pose import floats, left
from qddot.present.figures.textbook.posed import PosedArm, draw_frames
from qddot.present.figures.textbook.sheet import DASHED, SHAPE, Pen, Polyline, Sheet
from qddot.present.figures.view import across, unit

LINK = Pen(0.17, pale=True)
ROD = Pen(0.05)
RADIUS, HALF = 0.16, 0.22  # [cm] of a joint that turns
SIDE, LONG = 0.15, 0.27  # [cm] half the edges of one that slides
LOOP, BEFORE = 0.3, 0.1  # [cm] the arrow around an axis: its radius, and how far from the joint
SWEEP, TIP_AT = math.radians(290), math.radians(20)  # of that arrow; where it ends, from its front
APART = 0.7  # [cm] between the signs of joints whose axes meet
TOGETHER = 0.5  # [cm] joints as near as this would be drawn into one another
SLIDES_AT = 0.5  # of the way from the joint to the body that slides
ROOM = 0.75  # [cm] a link that is shorter on paper has no room for a number
AXIS = 0.75  # [cm]
METRES = r"\,\mathrm{m}"  # the caption says it
BESIDE = 0.2  # [cm] a centre of mass that is farther than this from its link
DOT = 0.08  # [cm] radius of a centre of mass


def draw_spatial(arm: PosedArm, sheet: Sheet, n: Notation) -> None:
    """Draw the arm: links, base, masses, joints, frames, and what is turned and slid."""
    places = joint_places(arm)
    links(arm, sheet, places)
    sheet.ground(arm.at(np.zeros(3)), np.array([0.0, -1.0]), 0.7)
    for i in arm.heavy:
        mass(arm, sheet, i)
    nearest_last = sorted(range(len(places)), key=lambda i: float(arm.out @ places[i]))
    for i in nearest_last:
        sign = cylinder if arm.tree.bodies[i].turns else box
        sign(arm, sheet, places[i], arm.axis(i))
    draw_frames(arm, sheet, "xz", AXIS)
    for i in nearest_last:
        drive = arm.tree.drives[i]
        if drive.own:
            coordinate(arm, sheet, places[i], i, n.q(drive.index))
    for leg in arm.legs:
        start, end = arm.at(leg.start), arm.at(leg.end)
        if math.dist(start, end) > ROOM:
            along, latex = unit(end - start), leg.latex.removesuffix(METRES)
            sheet.label((start + end) / 2, latex, np.array([along[1], -along[0]]), 0.08)


def joint_places(arm: PosedArm) -> list[np.ndarray]:
    """Return where the signs of the joints are drawn, each on its axis and apart from the others.

    Where axes meet, as in a wrist, the sign of the middle one is where they do, those before it
    towards the link that leads there and those behind it towards what follows.
    """
    bodies, at = arm.tree.bodies, list(arm.origins)
    for i, body in enumerate(bodies):
        if not body.turns:
            at[i] = at[i] + SLIDES_AT * (floats(arm.poses[i].p) - at[i])
    group = [0]
    groups = [group]
    for i in range(1, len(bodies)):
        near = math.dist(arm.at(at[i]), arm.at(at[group[0]])) < TOGETHER
        if near and bodies[i].parent == i - 1:
            group.append(i)
        else:
            group = [i]
            groups.append(group)
    for group in groups:
        middle = len(group) // 2
        before = _before(arm, group[0])
        behind = _behind(arm, group[-1])
        for rank, i in enumerate(group):
            if rank == middle or not bodies[i].turns:
                continue
            toward = (before if rank < middle else behind) - at[i]
            axis = arm.axis(i)
            sign = math.copysign(1, axis @ toward) if abs(axis @ toward) > 1e-6 else -1
            far = APART * abs(rank - middle) / max(np.linalg.norm(arm.seen(axis)), 0.4)
            at[i] = at[i] + sign * far / arm.scale * axis
    return at


def _before(arm: PosedArm, i: int) -> np.ndarray:
    """Return the joint that leads to joint i."""
    parent = arm.tree.bodies[i].parent
    return np.zeros(3) if parent == BASE else arm.origins[parent]


def _behind(arm: PosedArm, i: int) -> np.ndarray:
    """Return where link i leads to."""
    return next((leg.end for leg in reversed(arm.legs) if leg.body == i), arm.centre(i))


def links(arm: PosedArm, sheet: Sheet, places: list[np.ndarray]) -> None:
    for leg in arm.legs:
        sheet.path(arm.at(leg.start), arm.at(leg.end), pen=LINK)
    for i, body in enumerate(arm.tree.bodies):
        origin, now = arm.at(arm.origins[i]), arm.at(floats(arm.poses[i].p))
        sheet.path(origin, arm.at(places[i]), pen=LINK)
        if not body.turns:
            sheet.path(arm.at(places[i]), now, pen=ROD)


def mass(arm: PosedArm, sheet: Sheet, i: int) -> None:
    """Draw a centre of mass; where it is beside its link, with a line to its frame."""
    at, frame = arm.at(arm.centre(i)), arm.at(floats(arm.frame(arm.frames[i]).p))
    own = [arm.at(point) for leg in arm.legs if leg.body == i for point in (leg.start, leg.end)]
    way = Polyline(np.array([frame, frame, *own])).samples()
    if np.linalg.norm(way - at, axis=1).min() > BESIDE:
        sheet.path(frame, at, pen=DASHED)
    sheet.centre_of_mass(at, DOT)
    latex = arm.mass(i) if arm.model.symbols else f"m_{{{i + 1}}}"
    sheet.label(at, latex, np.array([0.0, 1.0]), DOT)


def cylinder(arm: PosedArm, sheet: Sheet, place: np.ndarray, axis: np.ndarray) -> None:
    at, rim = arm.at(place), ring(arm, axis, RADIUS)
    end = HALF * arm.seen(axis) * math.copysign(1, axis @ arm.out)
    sheet.path(*hull(np.vstack([at + rim + end, at + rim - end])), closed=True, pen=SHAPE)
    sheet.path(*(at + rim + end), closed=True, pen=SHAPE)


def box(arm: PosedArm, sheet: Sheet, place: np.ndarray, axis: np.ndarray) -> None:
    """Draw the three sides of a box that are seen."""
    x = across(axis)
    edges = [LONG * axis, SIDE * x, SIDE * np.cross(axis, x)]
    for k, edge in enumerate(edges):
        facing = edge * math.copysign(1, edge @ arm.out)
        a, b = (other for j, other in enumerate(edges) if j != k)
        corners = [facing + a + b, facing + a - b, facing - a - b, facing - a + b]
        sheet.path(*(arm.at(place) + arm.seen(c) for c in corners), closed=True, pen=SHAPE)


def ring(arm: PosedArm, axis: np.ndarray, radius: float, turns: float = 2 * math.pi) -> np.ndarray:
    """Return a circle about an axis on paper, around 0, by the right hand; it ends in front."""
    front = arm.out - axis * (axis @ arm.out)
    x = unit(front) if np.linalg.norm(front) > 0.2 else across(axis)
    y = np.cross(axis, x)
    angles = np.linspace(-turns, 0, 25) - TIP_AT
    return np.array([arm.seen(radius * (math.cos(t) * x + math.sin(t) * y)) for t in angles])


def hull(points: np.ndarray) -> list[np.ndarray]:
    """Return the corners of the smallest convex polygon around points, counterclockwise."""

    def half(ordered: np.ndarray) -> list[np.ndarray]:
        found: list[np.ndarray] = []
        for p in ordered:
            while len(found) > 1 and left(found[-2], found[-1], p) <= 1e-12:
                found.pop()
            found.append(p)
        return found[:-1]

    ordered = points[np.lexsort(points.T[::-1])]
    return half(ordered) + half(ordered[::-1])


def coordinate(arm: PosedArm, sheet: Sheet, place: np.ndarray, i: int, latex: str) -> None:
    """Draw an arrow around the axis of a joint that turns, along that of one that slides."""
    axis, at = arm.axis(i), arm.at(place)
    seen = arm.seen(axis)
    if arm.tree.bodies[i].turns:
        middle = at + (HALF + BEFORE) * seen
        sheet.path(*(middle + ring(arm, axis, LOOP, SWEEP)), arrow="end")
        sheet.label(middle, latex, np.array([1.0, 0.2]), LOOP * 0.8)
        return
    aside = (SIDE + 0.2) * np.array([seen[1], -seen[0]]) / max(float(np.linalg.norm(seen)), 0.2)
    start, end = at + aside - LONG * seen, at + aside + 2 * LONG * seen
    sheet.path(start, end, arrow="end")
    sheet.label((start + end) / 2, latex, aside)
