"""The picture at the head of a derivation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from qddot.equations.document import Picture
from qddot.equations.exact_tree import ExactRobot
from qddot.errors import BadArgument
from qddot.formulations.notation import Notation
from qddot.formulations.plain_formula import plain
from qddot.present.figures.textbook.masses import draw_masses, on_one_line
from qddot.present.figures.textbook.output import svg, tikz
from qddot.present.figures.textbook.planar import draw_planar
from qddot.present.figures.textbook.pose import floats
from qddot.present.figures.textbook.posed import PosedArm, posed
from qddot.present.figures.textbook.sheet import Sheet
from qddot.present.figures.textbook.spatial import draw_spatial
from qddot.present.figures.textbook.strokes import FONT, SMALL_FONT, Stroke

MOST_BODIES = 24
FEW = 4  # joints of a spatial arm, whose labels may be large
DOWN = 0.9  # [cm] the arrow of gravity


def picture(robot: ExactRobot, notation: Notation, frames: Sequence[str]) -> Picture | None:
    """Return a robot as textbooks draw it.

    Args:
        robot: The robot.
        notation: The letters.
        frames: The frames that are drawn, one on each link that moves.

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
